"""Killed at every write, a run ends as it would have ended, and nothing that was recorded is done twice."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from superbiz.domain.runs import Status, StepName
from superbiz.errors import LeaseHeld
from superbiz.flow import RunRef, run_in_process, take
from support.builders import RUN_ID, build_step
from support.clock import TestClock
from support.scripted import LogTool, ScriptedEngine, build_ports, open_run, true_claims

WRITES = ("lease_step", "finish_step", "record_invocation", "save_reply", "finish_run", "note_degraded")


class Killed(BaseException):
    """What no handler sees coming."""


class DeadlyLedger:
    """Dies once, before or after its n-th write."""

    def __init__(self, ledger: Any, at: int, after: bool) -> None:
        self._ledger, self._at, self._after, self.writes = ledger, at, after, 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._ledger, name)
        if name not in WRITES:
            return method

        def write(*args: Any, **kwargs: Any) -> Any:
            self.writes += 1
            if self.writes == self._at and not self._after:
                raise Killed(name)
            result = method(*args, **kwargs)
            if self.writes == self._at:
                raise Killed(name)
            return result

        return write


def writes_of_a_run() -> int:
    ports = build_ports()
    open_run(ports)
    counted = DeadlyLedger(ports.ledger, at=-1, after=False)
    run_in_process(RUN_ID, replace(ports, ledger=counted))
    return counted.writes


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, writes_of_a_run() + 1))
def test_a_run_killed_at_any_write_ends_as_if_it_had_not_been(at: int, after: bool):
    tool, clock = LogTool(), TestClock()
    ports = build_ports(tools={"query_logs": tool}, clock=clock)
    open_run(ports)
    with pytest.raises(Killed):
        run_in_process(RUN_ID, replace(ports, ledger=DeadlyLedger(ports.ledger, at, after)))
    run_in_process(RUN_ID, ports)
    record = ports.ledger.record(RUN_ID)
    assert record.run.status is Status.SUCCESS
    assert "could not obtain a database connection at 23:05:28 [1]" in record.answer
    assert len(ports.ledger.invocations(RUN_ID)) == 1
    assert [s.step_index for s in ports.ledger.steps(RUN_ID)] == [1, 2, 3, 4]


def test_a_second_try_waits_for_a_live_lease_and_then_takes_over():
    clock = TestClock()
    ports = build_ports(clock=clock)
    open_run(ports)
    ports.ledger.lease_step(build_step(lease_until=clock.now() + timedelta(seconds=20)), clock.now())
    take(StepName.EXECUTOR, RunRef(run_id=RUN_ID), ports)
    assert ports.ledger.steps(RUN_ID)[0].attempt == 2
    assert 20 <= clock.slept <= 21


def test_a_second_try_of_a_finished_step_returns_its_first_result():
    engine = ScriptedEngine()
    ports = build_ports(engine)
    open_run(ports)
    first = take(StepName.EXECUTOR, RunRef(run_id=RUN_ID), ports)
    again = take(StepName.EXECUTOR, RunRef(run_id=RUN_ID), ports)
    assert again == first
    assert len(engine.briefs) == 1


def test_a_step_that_failed_may_be_tried_at_once():
    tries = []

    def flaky(brief, tools):
        tries.append(brief)
        if len(tries) == 1:
            raise RuntimeError("a passing fault")
        return true_claims(brief, tools)

    clock = TestClock()
    ports = build_ports(ScriptedEngine(flaky), clock=clock)
    open_run(ports)
    with pytest.raises(RuntimeError):
        take(StepName.EXECUTOR, RunRef(run_id=RUN_ID), ports)
    take(StepName.EXECUTOR, RunRef(run_id=RUN_ID), ports)
    assert clock.slept == 0


def test_a_lease_that_never_ends_is_reported_not_broken():
    class Held:
        def __init__(self, ledger: Any) -> None:
            self._ledger = ledger

        def __getattr__(self, name: str) -> Any:
            return getattr(self._ledger, name)

        def lease_step(self, step: Any, now: Any) -> Any:
            raise LeaseHeld("another attempt is at it")

    ports = build_ports()
    open_run(ports)
    with pytest.raises(LeaseHeld):
        take(StepName.EXECUTOR, RunRef(run_id=RUN_ID), replace(ports, ledger=Held(ports.ledger)))
    assert ports.ledger.run(RUN_ID).status is Status.RUNNING
