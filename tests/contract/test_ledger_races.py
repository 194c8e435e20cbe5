"""Many at once: one winner, nothing lost. Against the ledgers whose conditional writes are real."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from threading import Barrier
from typing import TypeVar

from superbiz.domain.cases import CasePatch, case_for
from superbiz.domain.ids import run_id_from
from superbiz.domain.incidents import Episode, Outcome
from superbiz.domain.runs import Feedback, Flow, MessagePair
from superbiz.errors import Conflict, LeaseHeld
from superbiz.ports import Ledger
from support.builders import NOW, RUN_ID, SESSION_ID, build_failed_invocation, build_request, build_run, build_session, build_step

THREADS = 20
R = TypeVar("R")


def at_once(work: Callable[[int], R], count: int = THREADS) -> list[R]:
    """The answers of as many threads, started together."""
    barrier = Barrier(count)

    def begin(n: int) -> R:
        barrier.wait()
        return work(n)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def opened(ledger: Ledger, ended: bool = False) -> None:
    ledger.open_run(build_run(), build_request(), build_session())
    if ended:
        ledger.fail_run(RUN_ID, "ended", NOW)


# REQ-119
def test_twenty_useful_at_once_make_one_case(racing_ledger: Ledger) -> None:
    opened(racing_ledger, ended=True)
    made = at_once(lambda n: racing_ledger.record_feedback(RUN_ID, Feedback.USEFUL, NOW, case_for(RUN_ID, "q", f"answer {n}", NOW)))
    assert len({case.root_cause for case in made if case}) == 1
    assert None not in made
    assert len(racing_ledger.cases(10, None).items) == 1


def test_a_run_opened_at_once_is_one_run(racing_ledger: Ledger) -> None:
    runs = at_once(lambda n: racing_ledger.open_run(build_run(title=f"title {n}"), build_request(), build_session()))
    assert {run.title for run in runs} == {(racing_ledger.run(RUN_ID) or build_run()).title}


def test_one_attempt_holds_a_step(racing_ledger: Ledger) -> None:
    opened(racing_ledger)

    def lease(_: int) -> bool:
        try:
            return racing_ledger.lease_step(build_step(lease_until=NOW + timedelta(minutes=1)), NOW).held
        except LeaseHeld:
            return False

    assert sum(at_once(lease)) == 1
    again = at_once(lambda _n: _taken_over(racing_ledger))
    assert sum(again) == 1
    assert [step.attempt for step in racing_ledger.steps(RUN_ID)] == [2]


def _taken_over(ledger: Ledger) -> bool:
    later = NOW + timedelta(minutes=2)
    try:
        return ledger.lease_step(build_step(lease_until=later + timedelta(minutes=1)), later).held
    except LeaseHeld:
        return False


def test_a_call_recorded_at_once_is_recorded_once(racing_ledger: Ledger) -> None:
    opened(racing_ledger)
    assert sum(at_once(lambda _n: racing_ledger.record_invocation(build_failed_invocation(), None))) == 1


def test_the_first_reply_of_many_is_everybodys(racing_ledger: Ledger) -> None:
    replies = at_once(lambda n: racing_ledger.save_reply(RUN_ID, 1, 1, {"n": n})["n"])
    assert len(set(replies)) == 1


def test_a_run_ends_one_way(racing_ledger: Ledger) -> None:
    opened(racing_ledger)
    pair = MessagePair(run_id=RUN_ID, question="q", answer="a", at=NOW)

    def end(n: int) -> bool:
        if n % 2:
            return racing_ledger.fail_run(RUN_ID, "failed", NOW)
        return racing_ledger.finish_run(build_run(finished_at=NOW), "a", {}, {}, pair)

    assert sum(at_once(end)) == 1


# REQ-143
def test_turns_that_end_at_once_lose_no_pair(racing_ledger: Ledger) -> None:
    made = [run_id_from("turn", n) for n in range(6)]
    for run_id in made:
        racing_ledger.open_run(build_run(run_id=run_id), build_request(), build_session())

    def end(n: int) -> bool:
        pair = MessagePair(run_id=made[n], question="q", answer=f"a{n}", at=NOW)
        return racing_ledger.finish_run(build_run(run_id=made[n], finished_at=NOW), "a", {}, {}, pair)

    assert all(at_once(end, 6))
    assert {p.answer for p in racing_ledger.history(SESSION_ID, NOW)} == {f"a{n}" for n in range(6)}
    session = racing_ledger.session(SESSION_ID)
    assert session is not None
    assert session.message_pair_count == 6


def test_one_alarm_of_many_opens_the_episode(racing_ledger: Ledger) -> None:
    def admit(n: int) -> Outcome:
        run = build_run(run_id=run_id_from("alarm", n), agent_flow=Flow.AI_OPS)
        at = NOW + timedelta(milliseconds=n)
        episode = Episode(incident_id="fp", opened_at=at, session_id=SESSION_ID, alarm_name="a", last_event_at=at)
        return racing_ledger.admit_alarm(episode, run, build_request(), build_session(), NOW - timedelta(minutes=30)).outcome

    outcomes = at_once(admit)
    assert (outcomes.count(Outcome.OPENED), outcomes.count(Outcome.DEDUPED)) == (1, THREADS - 1)
    found = racing_ledger.incident("fp")
    assert found is not None
    assert [episode.event_count for episode in found.episodes] == [THREADS]
    assert racing_ledger.open_alarm_runs() == 1


def test_the_budget_is_never_passed(racing_ledger: Ledger) -> None:
    day = date(2026, 7, 8)
    assert sum(at_once(lambda _n: racing_ledger.reserve_tokens(day, 10, 95))) == 9
    assert racing_ledger.control().spent_tokens == 90


def test_many_failures_at_once_are_all_counted(racing_ledger: Ledger) -> None:
    at_once(lambda _n: racing_ledger.model_failed(NOW, THREADS, 60))
    assert racing_ledger.control().failures == THREADS
    assert racing_ledger.control().open_until == NOW + timedelta(seconds=60)


def test_editors_at_once_lose_no_edit(racing_ledger: Ledger) -> None:
    opened(racing_ledger, ended=True)
    case = racing_ledger.record_feedback(RUN_ID, Feedback.USEFUL, NOW, case_for(RUN_ID, "q", "a", NOW))
    assert case is not None
    at_once(lambda n: racing_ledger.edit_case(case.case_id, CasePatch(title=f"title {n}"), f"editor {n}", NOW), 5)
    edited = racing_ledger.case(case.case_id)
    assert edited is not None
    assert {e.by for e in edited.edits} == {f"editor {n}" for n in range(5)}


def test_no_step_starts_after_its_run_has_ended(racing_ledger: Ledger) -> None:
    opened(racing_ledger)

    def act(n: int) -> str:
        if n == 0:
            return str(racing_ledger.fail_run(RUN_ID, "ended", NOW))
        try:
            return str(racing_ledger.lease_step(build_step(step_index=n, lease_until=NOW + timedelta(minutes=1)), NOW).held)
        except Conflict:
            return "ended"

    assert set(at_once(act)) <= {"True", "ended"}
    try:
        racing_ledger.lease_step(build_step(step_index=99), NOW)
    except Conflict:
        return
    raise AssertionError("a step was leased of a run that had ended")
