"""Whatever was left half-way is finished: no run is owed for ever, and none is ended twice."""

from datetime import timedelta

import pytest

from superbiz.domain.runs import Status, Work
from superbiz.errors import Unavailable
from superbiz.ports import Ports
from superbiz.services import sweeping
from support.builders import OTHER_RUN_ID, RUN_ID
from support.recorded_runs import failed_run, finished_run, open_run
from support.serving import clock_of, machine_of, memory_ports, queue_of


@pytest.fixture
def ports() -> Ports:
    return memory_ports()


def status(ports: Ports, run_id: str = RUN_ID) -> tuple[Status, Work | None]:
    run = ports.ledger.run(run_id)
    assert run is not None
    return run.status, run.work


def test_a_young_run_is_left_alone(ports: Ports) -> None:
    open_run(ports)
    clock_of(ports).advance(60)
    assert sweeping.sweep(ports) == sweeping.Swept()


def test_a_run_without_an_execution_is_started(ports: Ports) -> None:
    open_run(ports)
    clock_of(ports).advance(61)
    assert sweeping.sweep(ports).started == 1
    assert machine_of(ports).describe(RUN_ID)
    assert sweeping.sweep(ports).started == 0


def test_a_run_under_way_is_left_alone(ports: Ports) -> None:
    open_run(ports)
    ports.machine.start(RUN_ID)
    clock_of(ports).advance(3_000)
    assert sweeping.sweep(ports) == sweeping.Swept()
    assert status(ports) == (Status.RUNNING, Work.OPEN)


# REQ-036: a run that failed is evaluated like any other.
@pytest.mark.parametrize("ended", ["FAILED", "TIMED_OUT", "ABORTED", "SUCCEEDED"])
def test_a_run_whose_execution_has_ended_fails_with_the_cause_and_is_evaluated(ports: Ports, ended: str) -> None:
    open_run(ports)
    machine_of(ports).end(RUN_ID, ended, "States.Timeout: too long")
    clock_of(ports).advance(61)
    assert sweeping.sweep(ports).failed == 1
    run = ports.ledger.run(RUN_ID)
    assert run is not None
    assert run.status is Status.FAILED
    assert run.error == f"{ended}: States.Timeout: too long"
    assert queue_of(ports).evaluations == [RUN_ID]
    assert sweeping.sweep(ports).failed == 0


def test_a_run_that_never_could_be_started_fails_in_the_end(ports: Ports) -> None:
    open_run(ports)
    machine_of(ports).failure = Unavailable("throttled")
    clock_of(ports).advance(3_600)
    assert "throttled" in sweeping.sweep(ports).errors[0]
    machine_of(ports).failure = None
    clock_of(ports).advance(3_700)
    assert sweeping.sweep(ports).failed == 1
    assert status(ports) == (Status.FAILED, Work.EVAL)


# REQ-037: a finished run is never turned into a failed one.
def test_a_finished_run_is_never_failed(ports: Ports) -> None:
    finished_run(ports)
    assert not sweeping.execution_ended(RUN_ID, "ABORTED", None, ports)
    assert status(ports)[0] is Status.SUCCESS
    assert queue_of(ports).evaluations == []


def test_a_status_event_ends_a_run_at_once(ports: Ports) -> None:
    open_run(ports)
    for passing in ("RUNNING", "SUCCEEDED"):
        assert not sweeping.execution_ended(RUN_ID, passing, None, ports)
    assert sweeping.execution_ended(RUN_ID, "TIMED_OUT", None, ports)
    assert not sweeping.execution_ended(RUN_ID, "TIMED_OUT", None, ports)
    assert queue_of(ports).evaluations == [RUN_ID]
    assert not sweeping.execution_ended("run-of-nobody", "FAILED", None, ports)


def test_an_evaluation_that_is_owed_is_asked_for_again(ports: Ports) -> None:
    finished_run(ports)
    failed_run(ports, run_id=OTHER_RUN_ID)
    clock_of(ports).advance(61)
    assert sweeping.sweep(ports).evaluated == 2
    assert sorted(queue_of(ports).evaluations) == [RUN_ID, OTHER_RUN_ID]


def test_an_evaluation_that_failed_for_a_day_is_given_up(ports: Ports) -> None:
    finished_run(ports)
    clock_of(ports).advance(timedelta(hours=25).total_seconds())
    assert sweeping.sweep(ports).abandoned == 1
    assert status(ports) == (Status.SUCCESS, None)
    assert queue_of(ports).evaluations == []


def test_what_fails_for_one_run_holds_up_no_other(ports: Ports) -> None:
    open_run(ports)
    open_run(ports, run_id=OTHER_RUN_ID)
    clock_of(ports).advance(61)
    describe = ports.machine.describe

    def broken(run_id: str) -> object:
        if run_id == RUN_ID:
            raise ValueError("a spoilt record")
        return describe(run_id)

    ports.machine.describe = broken  # type: ignore[method-assign,assignment]
    swept = sweeping.sweep(ports)
    assert swept.started == 1
    assert swept.errors == (f"{RUN_ID}: ValueError: a spoilt record",)
    assert machine_of(ports).executions.keys() == {OTHER_RUN_ID}


def test_a_queue_that_is_down_leaves_the_marker_for_the_next_sweep(ports: Ports) -> None:
    finished_run(ports)
    queue_of(ports).failure = Unavailable("down")
    clock_of(ports).advance(61)
    assert sweeping.sweep(ports).errors
    assert status(ports) == (Status.SUCCESS, Work.EVAL)
