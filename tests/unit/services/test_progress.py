"""A reader who comes back with the last event's id misses nothing and sees nothing twice."""

import pytest

from superbiz.domain.runs import Run, StepName, StepStatus
from superbiz.errors import Invalid, NotFound
from superbiz.ports import Ports
from superbiz.services import progress
from support.builders import NOW, RUN_ID, build_step
from support.recorded_runs import call_of, finish, open_run, record_step
from support.serving import clock_of, memory_ports


@pytest.fixture
def ports() -> Ports:
    return memory_ports()


def fail_step(ports: Ports, run: Run, index: int) -> None:
    step = build_step(step_index=index, agent_name=StepName.GATEKEEPER, lease_until=NOW)
    ports.ledger.lease_step(step, NOW)
    ports.ledger.finish_step(step.model_copy(update={"status": StepStatus.FAILED, "error": "Broken: x"}), None)


def read_on(ports: Ports, last: str | None = None) -> list[tuple[str, str, str]]:
    """(id, kind, status) of what is new."""
    new = progress.since(RUN_ID, last, ports)
    assert new is not None
    return [(h.event_id, h.kind, str(h.data.get("status"))) for h in new]


def test_the_events_follow_the_order_of_writing(ports: Ports) -> None:
    run = open_run(ports)
    record_step(ports, call_of(run), call_of(run, seq=2), run=run)
    record_step(ports, run=run, step_index=2, agent_name=StepName.GATEKEEPER)
    finish(ports, run)
    assert read_on(ports) == [
        ("0001.0000", "step", "RUNNING"),
        ("0001.0001", "invocation", "SUCCESS"),
        ("0001.0002", "invocation", "SUCCESS"),
        ("0001.9999", "step", "SUCCESS"),
        ("0002.0000", "step", "RUNNING"),
        ("0002.9999", "step", "SUCCESS"),
        ("9999.0000", "done", "SUCCESS"),
    ]


def test_a_reader_that_looks_after_each_write_sees_each_event_once(ports: Ports) -> None:
    run, seen = open_run(ports), []

    def look() -> None:
        seen.extend(read_on(ports, seen[-1][0] if seen else None))

    record_step(ports, run=run, done=False)
    look()
    ports.ledger.record_invocation(call_of(run).invocation, None)
    look()
    ports.ledger.finish_step(build_step(status=StepStatus.SUCCESS, finished_at=NOW), {})
    look()
    fail_step(ports, run, 2)
    look()
    record_step(ports, run=run, step_index=2, agent_name=StepName.GATEKEEPER)
    look()
    finish(ports, run)
    look()
    assert [event_id for event_id, _, _ in seen] == sorted({event_id for event_id, _, _ in seen})
    assert [kind for _, kind, _ in seen] == ["step", "invocation", "step", "step", "step", "done"]


def test_a_failed_step_ends_only_with_its_run(ports: Ports) -> None:
    run = open_run(ports)
    fail_step(ports, run, 2)
    assert read_on(ports) == [("0002.0000", "step", "RUNNING")]
    ports.ledger.fail_run(RUN_ID, "cause", NOW)
    assert read_on(ports, "0002.0000") == [("0002.9999", "step", "FAILED"), ("9999.0000", "done", "FAILED")]


def test_nothing_new_is_held_back_for_ten_seconds_and_no_longer(ports: Ports) -> None:
    open_run(ports)
    assert read_on(ports) == []
    assert 10 <= clock_of(ports).slept <= 10.5


def test_what_is_new_is_told_at_once(ports: Ports) -> None:
    run = open_run(ports)
    record_step(ports, run=run)
    read_on(ports)
    assert clock_of(ports).slept == 0


def test_after_done_there_is_nothing_more(ports: Ports) -> None:
    finish(ports, open_run(ports))
    assert progress.since(RUN_ID, "9999.0000", ports) is None
    assert clock_of(ports).slept == 0


def test_an_unknown_run_and_an_unknown_event_are_refused(ports: Ports) -> None:
    with pytest.raises(NotFound):
        progress.since(RUN_ID, None, ports)
    open_run(ports)
    for rubbish in ("x", "1", "0001.00000", "٠٠٠١.٠٠٠٠", "0001.0000\n"):
        with pytest.raises(Invalid):
            progress.since(RUN_ID, rubbish, ports)
