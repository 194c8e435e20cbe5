"""Steps, calls, replies and the trace: what every ledger does."""

import random
from datetime import datetime, timedelta

import pytest

from superbiz.domain import canonical, ids
from superbiz.domain.evidence import Invocation, OutputRecord
from superbiz.domain.runs import Cost, EngineName, Step, StepName, StepStatus
from superbiz.errors import Broken, Conflict, Invalid, LeaseHeld
from superbiz.ports import Ledger
from support.builders import (
    NOW,
    OTHER_RUN_ID,
    RUN_ID,
    build_call,
    build_failed_invocation,
    build_invocation,
    build_log_output,
    build_request,
    build_run,
    build_session,
    build_step,
)

LEASE = timedelta(minutes=2)


@pytest.fixture
def run(ledger: Ledger) -> Ledger:
    """A ledger with one run under way."""
    ledger.open_run(build_run(), build_request(), build_session())
    return ledger


def leased(ledger: Ledger, now: timedelta = timedelta(), **fields: object) -> Step:
    at = NOW + now
    lease = ledger.lease_step(build_step(lease_until=at + LEASE, started_at=at, **fields), at)
    assert lease.held
    return lease.step


def ended(step: Step, **fields: object) -> Step:
    changes = {"status": StepStatus.SUCCESS, "lease_until": None, "finished_at": NOW, "result": {"verdict": "PASS"}}
    return step.model_copy(update=changes | fields)


def record(ledger: Ledger, step_index: int, seq: int, output: object = None, run_id: str = RUN_ID) -> Invocation:
    call = build_call(output, run_id=run_id, step_index=step_index, seq=seq)
    assert ledger.record_invocation(call.invocation, canonical.encoded(call.output))
    return call.invocation


# REQ-160
def test_a_step_keeps_its_fields(run: Ledger) -> None:
    step = leased(run)
    done = ended(
        step,
        model_input="prompt " * 20_000,
        model_output='{"a": 1.50}',
        has_tool_call=True,
        engine=EngineName.MODEL,
        cost=Cost(model=0.1, input_tokens=7),
        error="界",
    )
    run.finish_step(done, {"claims": [], "number": 1.25})
    assert run.steps(RUN_ID) == [done]
    assert run.artifact(RUN_ID, 1) == {"claims": [], "number": 1.25}
    assert run.artifact(RUN_ID, 2) is None


# REQ-161
@pytest.mark.parametrize("field", ["run_id", "session_id"])
def test_a_step_or_call_without_its_ids_is_refused(run: Ledger, field: str) -> None:
    with pytest.raises(Broken):
        run.lease_step(build_step(**{field: ""}), NOW)
    with pytest.raises(Broken):
        run.finish_step(build_step(**{field: ""}), None)
    with pytest.raises(Broken):
        run.record_invocation(build_failed_invocation(**{field: ""}), None)
    assert run.steps(RUN_ID) == []
    assert run.invocations(RUN_ID) == []


# REQ-163
def test_a_call_without_its_step_is_recorded(run: Ledger) -> None:
    call = build_failed_invocation(step_id=None)
    assert run.record_invocation(call, None)
    assert run.invocations(RUN_ID) == [call]


def test_a_live_lease_keeps_others_out(run: Ledger) -> None:
    step = leased(run)
    assert step.attempt == 1
    with pytest.raises(LeaseHeld):
        run.lease_step(build_step(lease_until=NOW + LEASE), NOW + LEASE - timedelta(seconds=1))


def test_a_lease_that_ran_out_is_taken_over(run: Ledger) -> None:
    leased(run)
    second = leased(run, LEASE)
    assert (second.attempt, second.lease_until) == (2, NOW + LEASE + LEASE)
    assert run.steps(RUN_ID) == [second]


def test_a_finished_step_is_returned_with_its_result(run: Ledger) -> None:
    run.finish_step(ended(leased(run)), None)
    again = run.lease_step(build_step(lease_until=NOW + LEASE), NOW + timedelta(hours=1))
    assert (again.held, again.step.result) == (False, {"verdict": "PASS"})


def test_a_finished_step_is_returned_even_when_its_run_has_ended(run: Ledger) -> None:
    run.finish_step(ended(leased(run)), None)
    run.fail_run(RUN_ID, "later", NOW)
    assert not run.lease_step(build_step(), NOW).held


def test_a_failed_step_may_be_taken_again_at_once(run: Ledger) -> None:
    run.finish_step(ended(leased(run), status=StepStatus.FAILED, error="Unavailable: throttled", result=None), None)
    again = leased(run)
    assert (again.attempt, again.status, again.error) == (2, StepStatus.RUNNING, None)


@pytest.mark.parametrize("there", [True, False])
def test_no_step_is_leased_unless_the_run_is_running(ledger: Ledger, there: bool) -> None:
    if there:
        ledger.open_run(build_run(), build_request(), build_session())
        ledger.fail_run(RUN_ID, "ended", NOW)
    with pytest.raises(Conflict):
        ledger.lease_step(build_step(), NOW)
    assert ledger.steps(RUN_ID) == []


@pytest.mark.parametrize("now", [NOW, NOW + LEASE])
def test_no_lease_of_an_ended_run_is_waited_for_or_taken_over(run: Ledger, now: datetime) -> None:
    leased(run)
    run.fail_run(RUN_ID, "ended", NOW)
    with pytest.raises(Conflict):
        run.lease_step(build_step(lease_until=now + LEASE), now)


def test_a_lease_is_renewed_by_its_holder_alone(run: Ledger) -> None:
    first = leased(run)
    assert run.renew_lease(first, NOW + 2 * LEASE)
    with pytest.raises(LeaseHeld):
        run.lease_step(build_step(lease_until=NOW + LEASE), NOW + LEASE)
    second = leased(run, 2 * LEASE)
    assert not run.renew_lease(first, NOW + 9 * LEASE)
    run.finish_step(ended(second), None)
    assert not run.renew_lease(second, NOW + 9 * LEASE)
    assert not run.renew_lease(build_step(step_index=2), NOW)
    assert [s.step_index for s in run.steps(RUN_ID)] == [1]


def test_an_attempt_that_lost_its_lease_can_not_finish_the_step(run: Ledger) -> None:
    first = leased(run)
    second = leased(run, LEASE)
    with pytest.raises(LeaseHeld):
        run.finish_step(ended(first, result={"from": "first"}), {"from": "first"})
    assert run.artifact(RUN_ID, 1) is None
    run.finish_step(ended(second, result={"from": "second"}), {"from": "second"})
    assert run.artifact(RUN_ID, 1) == {"from": "second"}


def test_finishing_a_step_again_keeps_the_first_end(run: Ledger) -> None:
    step = leased(run)
    run.finish_step(ended(step), {"n": 1})
    run.finish_step(ended(step, status=StepStatus.FAILED, error="second thoughts"), {"n": 2})
    assert run.steps(RUN_ID) == [ended(step)]
    assert run.artifact(RUN_ID, 1) == {"n": 1}


def test_a_call_is_recorded_once(run: Ledger) -> None:
    first = record(run, 1, 1)
    second = build_call({"logs": ["another"]}, step_index=1, seq=1)
    assert not run.record_invocation(second.invocation, canonical.encoded(second.output))
    assert run.invocations(RUN_ID) == [first]
    assert run.output(first) == canonical.encoded(build_log_output())


def test_a_failed_call_has_no_output(run: Ledger) -> None:
    call = build_failed_invocation()
    assert run.record_invocation(call, None)
    assert run.output(call) is None
    assert run.output(build_invocation(step_index=9)) is None


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"a":1.50,"b":1e5,"c":-0,"d":0.10000000000000000555,"e":12345678901234567890123,"f":"\\u0000"}',
        canonical.dumps({"logs": [f"line {n} of many" for n in range(20_000)]}),
        canonical.dumps({"logs": [f"{random.Random(7).getrandbits(400_000):x}", "界"]}),  # beyond what an item takes
    ],
    ids=["empty", "spelled", "compressible", "large"],
)
def test_stored_output_comes_back_byte_for_byte(run: Ledger, text: str) -> None:
    data = text.encode()
    call = build_invocation(output={}, retrieval_details=build_invocation().retrieval_details)
    call = call.model_copy(update={"output": OutputRecord(sha256=canonical.sha256(data), size=len(data), complete=True)})
    assert run.record_invocation(call, data)
    assert run.output(call) == data
    (stored,) = run.invocations(RUN_ID)
    assert stored == call
    assert run.output(stored) == data


def test_bytes_that_are_not_what_the_record_names_are_refused(run: Ledger) -> None:
    call = build_call()
    with pytest.raises(Broken):
        run.record_invocation(call.invocation, b"{}")
    with pytest.raises(Broken):
        run.record_invocation(build_failed_invocation(), b"{}")
    assert run.invocations(RUN_ID) == []


def test_output_that_no_longer_matches_its_hash_is_broken(run: Ledger) -> None:
    call = record(run, 1, 1)
    assert call.output is not None
    forged = call.model_copy(update={"output": call.output.model_copy(update={"sha256": canonical.sha256(b"{}")})})
    with pytest.raises(Broken):
        run.output(forged)


def test_the_first_reply_stays(run: Ledger) -> None:
    assert run.save_reply(RUN_ID, 1, 1, {"text": "first", "n": 1.5}) == {"text": "first", "n": 1.5}
    assert run.save_reply(RUN_ID, 1, 1, {"text": "second"}) == {"text": "first", "n": 1.5}
    run.save_reply(RUN_ID, 1, 2, {"text": "x" * 300_000})
    run.save_reply(RUN_ID, 11, 1, {"text": "another step's"})
    assert {seq: reply["text"][:6] for seq, reply in run.replies(RUN_ID, 1).items()} == {1: "first", 2: "xxxxxx"}
    assert run.replies(RUN_ID, 2) == {}


def test_the_file_holds_everything_of_the_run_and_nothing_of_another(run: Ledger) -> None:
    run.open_run(build_run(run_id=OTHER_RUN_ID), build_request(), build_session())
    step = leased(run)
    calls = [record(run, 1, 1), record(run, 1, 2, {"logs": []})]
    record(run, 1, 1, run_id=OTHER_RUN_ID)
    failed = build_failed_invocation(seq=3)
    run.record_invocation(failed, None)
    run.save_reply(RUN_ID, 1, 1, {"r": 1})
    run.finish_step(ended(step), {"a": 1})
    file = run.file(RUN_ID)
    assert file is not None
    assert file.record == run.record(RUN_ID)
    assert file.steps == {1: ended(step)}
    assert list(file.invocations) == [*calls, failed]
    assert file.outputs == {c.invocation_id: run.output(c) for c in calls}
    assert (file.artifacts, file.replies) == ({1: {"a": 1}}, {(1, 1): {"r": 1}})


# REQ-133 REQ-134
def test_the_trace_comes_in_display_order_however_it_was_written(run: Ledger) -> None:
    places = [(step, seq) for step in (1, 2, 10) for seq in (1, 2, 11)]
    shuffled = random.Random(1).sample(places, len(places))
    for place in shuffled:
        record(run, *place)
    for index in (10, 1, 2):
        run.finish_step(ended(leased(run, step_index=index)), {"index": index})
        run.save_reply(RUN_ID, index, 1, {"text": "not shown"})
    page = run.trace(RUN_ID, None)
    assert [s.step_index for s in page.steps] == [1, 2, 10]
    assert [(i.step_index, i.seq) for i in page.invocations] == places
    assert page.cursor is None
    assert page.record == run.record(RUN_ID)


# REQ-162
def test_a_call_whose_step_is_missing_does_not_break_the_trace(run: Ledger) -> None:
    orphan = record(run, 3, 1)
    page = run.trace(RUN_ID, None)
    assert (page.steps, page.invocations) == ((), (orphan,))


def test_the_trace_of_an_unknown_run_is_empty(ledger: Ledger) -> None:
    page = ledger.trace(RUN_ID, None)
    assert (page.record, page.steps, page.invocations, page.cursor) == (None, (), (), None)


# REQ-133
@pytest.mark.parametrize("max_bytes", [1, 5_000, 20_000, 4_000_000])
def test_pages_of_the_trace_are_cut_by_bytes_and_lose_nothing(run: Ledger, max_bytes: int) -> None:
    step = leased(run)
    calls = [record(run, 1, seq) for seq in range(1, 16)]
    seen: list[object] = []
    cursor, pages = None, 0
    while True:
        page = run.trace(RUN_ID, cursor, max_bytes)
        assert (page.record is not None) == (cursor is None)
        seen += [*page.steps, *page.invocations]
        pages += 1
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == [step, *calls]
    assert (pages == 1) == (max_bytes == 4_000_000)


# REQ-048 REQ-132
def test_a_cursor_of_one_run_does_not_open_another(run: Ledger) -> None:
    run.open_run(build_run(run_id=OTHER_RUN_ID), build_request(), build_session())
    for seq in (1, 2):
        record(run, 1, seq)
        record(run, 1, seq, run_id=OTHER_RUN_ID)
    cursor = run.trace(RUN_ID, None, 1).cursor
    assert cursor
    with pytest.raises(Invalid):
        run.trace(OTHER_RUN_ID, cursor)


def test_steps_of_both_rounds_keep_their_places(run: Ledger) -> None:
    names = [StepName.EXECUTOR, StepName.GATEKEEPER, StepName.VERIFIER, StepName.EXECUTOR]
    for index, name in enumerate(names, start=1):
        run.finish_step(ended(leased(run, step_index=index, agent_name=name, round=1 + index // 4)), None)
    assert [(s.agent_name, s.round) for s in run.steps(RUN_ID)] == [*((n, 1) for n in names[:3]), (StepName.EXECUTOR, 2)]
    assert [s.step_id for s in run.steps(RUN_ID)] == [ids.step_id(RUN_ID, n) for n in range(1, 5)]
