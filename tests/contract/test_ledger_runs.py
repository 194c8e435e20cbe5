"""Runs, sessions and evaluations: what every ledger does."""

import random
from datetime import timedelta

import pytest

from superbiz.domain import ids, records
from superbiz.domain.claims import Conclusion
from superbiz.domain.runs import Cost, EngineName, Feedback, Flow, MessagePair, Run, SessionStatus, Status, Work
from superbiz.domain.verification import Verdict
from superbiz.errors import Broken, Conflict, Invalid, NotFound
from superbiz.ports import Ledger, RunFilter
from support.builders import NOW, OTHER_RUN_ID, QUERY, RUN_ID, SESSION_ID, build_request, build_run, build_session

REPORT = {"schema": "report/1", "conclusion": "root_cause", "cost": {"model": 0.25}}
NODE = {"verdict": "PASS", "groundedness_score": 0.8}
ALL = RunFilter()


def open_run(ledger: Ledger, run_id: str = RUN_ID, session_id: str = SESSION_ID, **fields: object) -> Run:
    run = build_run(run_id=run_id, session_id=session_id, **fields)
    return ledger.open_run(run, build_request(), build_session(session_id=session_id, last_active_at=run.created_at))


def finish(
    ledger: Ledger, run_id: str = RUN_ID, session_id: str = SESSION_ID, minutes: float = 1.0, answer: str = "It was the pool."
) -> bool:
    at = NOW + timedelta(minutes=minutes)
    run = build_run(
        run_id=run_id,
        session_id=session_id,
        finished_at=at,
        verdict=Verdict.PASS,
        conclusion=Conclusion.ROOT_CAUSE,
        first_cause="order-service",
        cost=Cost(model=0.25, input_tokens=10),
    )
    return ledger.finish_run(run, answer, REPORT, NODE, MessagePair(run_id=run_id, question=QUERY, answer=answer, at=at))


def many(ledger: Ledger, count: int, **fields: object) -> list[str]:
    """Runs a minute apart, oldest first; every second of another session."""
    made = []
    for n in range(count):
        run_id = ids.run_id_from("many", n)
        open_run(ledger, run_id, f"s-{n % 2}", created_at=NOW + timedelta(minutes=n), **fields)
        made.append(run_id)
    return made


# REQ-002 REQ-004 REQ-016 REQ-150 REQ-152
def test_a_new_run_is_running_without_feedback_or_evaluation(ledger: Ledger) -> None:
    open_run(ledger)
    record = ledger.record(RUN_ID)
    assert record is not None
    assert record.run == build_run()
    assert (record.run.status, record.run.feedback, record.run.work) == (Status.RUNNING, None, Work.OPEN)
    assert (record.request.query, record.answer, record.report, record.self_evaluation) == (QUERY, None, None, None)


def test_an_unknown_run_is_none_everywhere(ledger: Ledger) -> None:
    assert ledger.run(RUN_ID) is None
    assert ledger.record(RUN_ID) is None
    assert ledger.file(RUN_ID) is None
    assert not finish(ledger)
    assert not ledger.fail_run(RUN_ID, "gone", NOW)


def test_opening_a_run_again_returns_the_first(ledger: Ledger) -> None:
    open_run(ledger)
    finish(ledger)
    again = open_run(ledger, title="another title")
    assert (again.status, again.title) == (Status.SUCCESS, QUERY)


# REQ-161
@pytest.mark.parametrize("field", ["run_id", "session_id"])
def test_a_run_without_its_ids_is_refused(ledger: Ledger, field: str) -> None:
    with pytest.raises(Broken):
        ledger.open_run(build_run(**{field: ""}), build_request(), build_session())


def test_the_request_keeps_the_event_as_it_came(ledger: Ledger) -> None:
    trigger = {"detail": {"alarmName": "a", "threshold": 1.50, "nested": [None, True, "x" * 60_000]}, "empty": {}, "text": ""}
    ledger.open_run(build_run(), build_request(trigger=trigger), build_session())
    record = ledger.record(RUN_ID)
    assert record is not None
    assert record.request.trigger == trigger


def test_the_first_reason_for_degrading_stays(ledger: Ledger) -> None:
    open_run(ledger)
    ledger.note_degraded(RUN_ID, "model endpoint down")
    ledger.note_degraded(RUN_ID, "budget spent")
    ledger.note_degraded(OTHER_RUN_ID, "no such run")
    assert ledger.run(OTHER_RUN_ID) is None
    finish(ledger)
    ledger.note_degraded(RUN_ID, "after the end")
    run = ledger.run(RUN_ID)
    assert run is not None
    assert run.degraded == "model endpoint down"


@pytest.mark.parametrize("before", [None, "model endpoint down"])
def test_a_reason_that_comes_with_the_end_counts_if_it_is_the_first(ledger: Ledger, before: str | None) -> None:
    open_run(ledger)
    if before:
        ledger.note_degraded(RUN_ID, before)
    pair = MessagePair(run_id=RUN_ID, question="q", answer="a", at=NOW)
    ledger.finish_run(build_run(finished_at=NOW, degraded="composer timed out"), "a", REPORT, NODE, pair)
    ended = ledger.run(RUN_ID)
    assert ended is not None
    assert ended.degraded == (before or "composer timed out")


# REQ-010 REQ-143 REQ-152
def test_finishing_writes_everything_at_once(ledger: Ledger) -> None:
    open_run(ledger)
    assert finish(ledger)
    record = ledger.record(RUN_ID)
    assert record is not None
    run = record.run
    assert (run.status, run.verdict, run.conclusion, run.first_cause) == (
        Status.SUCCESS,
        Verdict.PASS,
        Conclusion.ROOT_CAUSE,
        "order-service",
    )
    assert (run.work, run.finished_at, run.cost) == (Work.EVAL, NOW + timedelta(minutes=1), Cost(model=0.25, input_tokens=10))
    assert (record.answer, record.report, record.self_evaluation) == ("It was the pool.", REPORT, {"verifier_evaluation": NODE})
    session = ledger.session(SESSION_ID)
    assert session is not None
    assert (session.message_pair_count, session.latest_terminal_run) == (1, RUN_ID)
    assert [p.answer for p in ledger.history(SESSION_ID, NOW)] == ["It was the pool."]


def test_a_run_ends_once(ledger: Ledger) -> None:
    open_run(ledger)
    assert finish(ledger)
    assert not finish(ledger, answer="another")
    assert not ledger.fail_run(RUN_ID, "too late", NOW)
    record = ledger.record(RUN_ID)
    assert record is not None
    assert (record.answer, record.run.status, record.run.error) == ("It was the pool.", Status.SUCCESS, None)
    assert len(ledger.history(SESSION_ID, NOW)) == 1


def test_a_failed_run_is_never_finished(ledger: Ledger) -> None:
    open_run(ledger)
    at = NOW + timedelta(minutes=3)
    assert ledger.fail_run(RUN_ID, "TIMED_OUT: executor", at)
    assert not finish(ledger)
    record = ledger.record(RUN_ID)
    assert record is not None
    assert (record.run.status, record.run.error, record.run.work, record.run.finished_at) == (
        Status.FAILED,
        "TIMED_OUT: executor",
        Work.EVAL,
        at,
    )
    assert (record.answer, record.self_evaluation) == (None, None)
    session = ledger.session(SESSION_ID)
    assert session is not None
    assert (session.latest_terminal_run, session.message_pair_count) == (RUN_ID, 0)
    assert ledger.history(SESSION_ID, NOW) == ()


def test_long_texts_are_cut_on_the_head_and_whole_in_the_record(ledger: Ledger) -> None:
    open_run(ledger, title="界" * 1_000)
    ledger.fail_run(RUN_ID, "错误" * 5_000, NOW)
    run = ledger.run(RUN_ID)
    assert run is not None
    assert run.title.endswith("…")
    assert len(run.title.encode()) <= records.HEAD_BYTES["title"]
    assert len((run.error or "").encode()) <= records.HEAD_BYTES["error"]


# REQ-156
@pytest.mark.parametrize("answer", ["", "界" * 100_000, "line\n" * 20_000, random.Random(1).randbytes(60_000).hex()])
def test_an_answer_of_any_size_comes_back_byte_for_byte(ledger: Ledger, answer: str) -> None:
    open_run(ledger)
    finish(ledger, answer=answer)
    record = ledger.record(RUN_ID)
    assert record is not None
    assert record.answer == answer


# REQ-010 REQ-011
def test_each_source_writes_its_own_node_in_any_order(ledger: Ledger) -> None:
    open_run(ledger)
    ledger.put_evaluation(RUN_ID, "rule", {"evidence_score": 65})
    finish(ledger)
    ledger.put_evaluation(RUN_ID, "aiops", {"verdict": "WARN"})
    record = ledger.record(RUN_ID)
    assert record is not None
    assert record.self_evaluation == {
        "rule_evaluation": {"evidence_score": 65},
        "verifier_evaluation": NODE,
        "aiops_rule_evaluation": {"verdict": "WARN"},
    }


def test_an_unknown_evaluation_source_is_refused(ledger: Ledger) -> None:
    with pytest.raises(Broken):
        ledger.put_evaluation(RUN_ID, "verifier", NODE)


# REQ-011
def test_evaluating_twice_is_evaluating_once(ledger: Ledger) -> None:
    open_run(ledger)
    finish(ledger)
    for _ in range(2):
        ledger.put_evaluations(RUN_ID, {"rule": {"evidence_score": 30}, "aiops": {"verdict": "PASS"}})
    record = ledger.record(RUN_ID)
    assert record is not None
    assert record.run.work is None
    assert set(record.self_evaluation or {}) == {"rule_evaluation", "verifier_evaluation", "aiops_rule_evaluation"}
    assert list(ledger.waiting(Work.EVAL, NOW + timedelta(days=1))) == []


def test_only_a_run_that_ended_is_evaluated(ledger: Ledger) -> None:
    with pytest.raises(NotFound):
        ledger.put_evaluations(RUN_ID, {"rule": {}})
    open_run(ledger)
    with pytest.raises(Conflict):
        ledger.put_evaluations(RUN_ID, {"rule": {}})
    record = ledger.record(RUN_ID)
    assert record is not None
    assert record.self_evaluation is None


def test_what_is_owed_is_found_by_how_long_it_has_been_owed(ledger: Ledger) -> None:
    first, second, third = many(ledger, 3)
    later = NOW + timedelta(minutes=2)
    assert list(ledger.waiting(Work.OPEN, later)) == [first, second]
    assert list(ledger.waiting(Work.OPEN, NOW + timedelta(days=1))) == [first, second, third]
    finish(ledger, first, "s-0", minutes=30)
    assert list(ledger.waiting(Work.OPEN, later)) == [second]
    assert list(ledger.waiting(Work.EVAL, NOW + timedelta(minutes=29))) == []
    assert list(ledger.waiting(Work.EVAL, NOW + timedelta(minutes=31))) == [first]


def test_a_marker_is_cleared_only_if_it_is_still_that_one(ledger: Ledger) -> None:
    open_run(ledger)
    ledger.work_done(RUN_ID, Work.EVAL)
    ledger.work_done(OTHER_RUN_ID, Work.OPEN)
    run = ledger.run(RUN_ID)
    assert run is not None
    assert run.work is Work.OPEN
    assert ledger.run(OTHER_RUN_ID) is None
    ledger.work_done(RUN_ID, Work.OPEN)
    run = ledger.run(RUN_ID)
    assert run is not None
    assert run.work is None
    assert list(ledger.waiting(Work.OPEN, NOW + timedelta(days=1))) == []


def test_open_alarm_runs_are_counted(ledger: Ledger) -> None:
    open_run(ledger)
    open_run(ledger, OTHER_RUN_ID, "episode-1", agent_flow=Flow.AI_OPS)
    assert ledger.open_alarm_runs() == 1
    finish(ledger, OTHER_RUN_ID, "episode-1")
    assert ledger.open_alarm_runs() == 0


# REQ-133
def test_runs_are_listed_newest_first_across_months(ledger: Ledger) -> None:
    for n, days in enumerate((-70, -40, 0, -1)):
        open_run(ledger, ids.run_id_from(n), created_at=NOW + timedelta(days=days))
    assert [r.run_id for r in ledger.list_runs(ALL, 10, None).items] == [ids.run_id_from(n) for n in (2, 3, 1, 0)]
    assert [r.run_id for r in ledger.list_runs(ALL, 10, None, month="2026-05").items] == [ids.run_id_from(1)]
    assert ledger.list_runs(ALL, 10, None, month="no month").items == []


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7, 100])
def test_pages_of_any_size_make_the_whole_list(ledger: Ledger, limit: int) -> None:
    made = many(ledger, 7)
    open_run(ledger, RUN_ID, created_at=NOW - timedelta(days=31))
    seen, cursor, pages = [], None, 0
    while True:
        page = ledger.list_runs(ALL, limit, cursor)
        assert len(page.items) <= limit
        seen += [r.run_id for r in page.items]
        pages += 1
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == [*reversed(made), RUN_ID]
    assert pages == -(-8 // limit)


# REQ-008 REQ-145
@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (RunFilter(status="FAILED"), {1}),
        (RunFilter(verdict="PASS"), {0, 3}),
        (RunFilter(conclusion="root_cause", flow="CHAT"), {0}),
        (RunFilter(flow="AI_OPS"), {2, 3}),
        (RunFilter(alarm="order-errors"), {3}),
        (RunFilter(feedback="useful"), {0}),
        (RunFilter(feedback="not_useful"), {1}),
        (RunFilter(feedback="not_useful", status="SUCCESS"), set()),
        (RunFilter(status="NO SUCH"), set()),
    ],
)
def test_filters_pick_runs_by_their_heads(ledger: Ledger, filters: RunFilter, found: set[int]) -> None:
    made = [ids.run_id_from("f", n) for n in range(4)]
    open_run(ledger, made[0], "s-0")
    open_run(ledger, made[1], "s-1")
    open_run(ledger, made[2], "s-2", agent_flow=Flow.AI_OPS)
    open_run(ledger, made[3], "s-3", agent_flow=Flow.AI_OPS, alarm_name="order-errors")
    finish(ledger, made[0], "s-0")
    finish(ledger, made[3], "s-3")
    ledger.fail_run(made[1], "broken", NOW)
    ledger.record_feedback(made[0], Feedback.USEFUL, NOW, None)
    ledger.record_feedback(made[1], Feedback.NOT_USEFUL, NOW, None)
    assert {r.run_id for r in ledger.list_runs(filters, 10, None).items} == {made[n] for n in found}


# REQ-145 REQ-154
def test_a_session_has_many_runs_and_one_entry(ledger: Ledger) -> None:
    made = many(ledger, 5)
    first = ledger.session_runs("s-0", 2, None)
    assert [r.run_id for r in first.items] == [made[4], made[2]]
    second = ledger.session_runs("s-0", 2, first.cursor)
    assert ([r.run_id for r in second.items], second.cursor) == ([made[0]], None)
    session = ledger.session("s-0")
    assert session is not None
    assert (session.message_pair_count, session.last_active_at) == (0, NOW + timedelta(minutes=4))


@pytest.mark.parametrize("cursor", ["", "rubbish", "=" * 50, "界", "A" * 10_000, "MDAwMDAwMDAwMDAwWyJ4Il0"])
def test_rubbish_is_no_cursor(ledger: Ledger, cursor: str) -> None:
    many(ledger, 3)
    with pytest.raises(Invalid):
        ledger.list_runs(ALL, 1, cursor)
    with pytest.raises(Invalid):
        ledger.session_runs("s-0", 1, cursor)
    with pytest.raises(Invalid):
        ledger.trace(ids.run_id_from("many", 0), cursor)
    with pytest.raises(Invalid):
        ledger.cases(1, cursor)
    with pytest.raises(Invalid):
        ledger.incidents(1, cursor)
    with pytest.raises(Invalid):
        ledger.documents(None, 1, cursor)


def test_a_cursor_belongs_to_its_own_list(ledger: Ledger) -> None:
    many(ledger, 6)
    mine = ledger.session_runs("s-0", 1, None).cursor
    listed = ledger.list_runs(ALL, 1, None).cursor
    assert mine
    assert listed
    with pytest.raises(Invalid):
        ledger.session_runs("s-1", 1, mine)
    with pytest.raises(Invalid):
        ledger.list_runs(RunFilter(status="RUNNING"), 1, listed)
    with pytest.raises(Invalid):
        ledger.list_runs(ALL, 1, listed[:-1] + ("A" if listed[-1] != "A" else "B"))


# REQ-140 REQ-144 REQ-146
def test_a_session_is_a_directory_entry(ledger: Ledger) -> None:
    assert ledger.session(SESSION_ID) is None
    open_run(ledger)
    session = ledger.session(SESSION_ID)
    assert session == build_session()
    assert session is not None
    assert session.expires_at is None


# REQ-142 REQ-143
def test_the_history_keeps_the_last_six_pairs(ledger: Ledger) -> None:
    for n in range(8):
        run_id = ids.run_id_from(n)
        open_run(ledger, run_id, created_at=NOW + timedelta(minutes=n))
        finish(ledger, run_id, minutes=n, answer=f"answer {n}")
        session = ledger.session(SESSION_ID)
        assert session is not None
        assert session.message_pair_count == len(ledger.history(SESSION_ID, NOW)) == min(n + 1, records.HISTORY_PAIRS)
    assert [p.answer for p in ledger.history(SESSION_ID, NOW)] == [f"answer {n}" for n in range(2, 8)]


# REQ-143
def test_a_second_run_of_an_episode_adds_to_its_history(ledger: Ledger) -> None:
    for n in range(3):
        run = build_run(run_id=ids.run_id_from(n), agent_flow=Flow.AI_OPS, finished_at=NOW)
        ledger.open_run(run, build_request(), build_session())
        assert ledger.finish_run(run, "a", REPORT, NODE, MessagePair(run_id=run.run_id, question="q", answer=f"answer {n}", at=NOW))
    assert [p.answer for p in ledger.history(SESSION_ID, NOW)] == [f"answer {n}" for n in range(3)]


# REQ-142
def test_the_history_expires_a_week_after_its_last_pair(ledger: Ledger) -> None:
    open_run(ledger)
    finish(ledger, minutes=0)
    assert len(ledger.history(SESSION_ID, NOW + timedelta(days=7) - timedelta(seconds=1))) == 1
    assert ledger.history(SESSION_ID, NOW + timedelta(days=7)) == ()
    open_run(ledger, OTHER_RUN_ID, created_at=NOW + timedelta(days=8))
    finish(ledger, OTHER_RUN_ID, minutes=8 * 24 * 60, answer="afresh")
    assert [p.answer for p in ledger.history(SESSION_ID, NOW + timedelta(days=8))] == ["afresh"]
    session = ledger.session(SESSION_ID)
    assert session is not None
    assert (session.message_pair_count, session.expires_at) == (1, NOW + timedelta(days=15))


# REQ-143 REQ-146
def test_clearing_empties_the_history_and_keeps_runs_and_entry(ledger: Ledger) -> None:
    with pytest.raises(NotFound):
        ledger.clear_history(SESSION_ID, NOW)
    assert ledger.session(SESSION_ID) is None
    open_run(ledger)
    finish(ledger)
    cleared = ledger.clear_history(SESSION_ID, NOW + timedelta(minutes=2))
    assert cleared == ledger.session(SESSION_ID)
    assert (cleared.status, cleared.message_pair_count, cleared.latest_terminal_run) == (SessionStatus.CLEARED, 0, RUN_ID)
    assert cleared.expires_at is None
    assert ledger.history(SESSION_ID, NOW) == ()
    open_run(ledger, OTHER_RUN_ID)
    session = ledger.session(SESSION_ID)
    assert session is not None
    assert session.status is SessionStatus.ACTIVE
    finish(ledger, OTHER_RUN_ID, answer="after")
    assert [p.answer for p in ledger.history(SESSION_ID, NOW)] == ["after"]


# REQ-048 REQ-132 REQ-155
def test_two_runs_of_a_session_do_not_touch_each_other(ledger: Ledger) -> None:
    open_run(ledger)
    open_run(ledger, OTHER_RUN_ID)
    before = ledger.record(OTHER_RUN_ID)
    finish(ledger)
    ledger.put_evaluations(RUN_ID, {"rule": {"evidence_score": 0}})
    ledger.record_feedback(RUN_ID, Feedback.NOT_USEFUL, NOW, None)
    assert ledger.record(OTHER_RUN_ID) == before


def test_a_run_keeps_the_engine_that_it_ended_with(ledger: Ledger) -> None:
    open_run(ledger, engine=EngineName.MODEL)
    pair = MessagePair(run_id=RUN_ID, question="q", answer="a", at=NOW)
    ledger.finish_run(build_run(engine=EngineName.MODEL, finished_at=NOW), "a", REPORT, NODE, pair)
    run = ledger.run(RUN_ID)
    assert run is not None
    assert (run.engine, run.verdict) == (EngineName.MODEL, None)
