"""Taking a step: leased, resumed, recorded. The second try of a step returns the first one's result."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

from superbiz.domain import ids
from superbiz.domain.runs import Run, Status, Step, StepName, StepStatus
from superbiz.errors import Broken, Conflict, LeaseHeld, NotFound
from superbiz.flow.composing import close
from superbiz.flow.outcome import RunRef, StepOutcome, step_index
from superbiz.flow.stage import Stage, StepWork
from superbiz.flow.steps import STEPS
from superbiz.ports import Lease, Ports, RunFile

POLL_SECONDS = 1.0
HEARTBEATS_A_LEASE = 3


def take(name: StepName, ref: RunRef, ports: Ports) -> StepOutcome:
    """Do one step of a run, once. Raises LeaseHeld where another attempt is still at it, Conflict where the run has ended."""
    file = _file(ref.run_id, ports)
    if file.record.run.status is not Status.RUNNING:
        return _ended(name, ref, file)
    lease = _lease(_new_step(name, ref, file.record.run, ports), ports)
    if lease.step.status is StepStatus.SUCCESS:
        return _resumed(lease.step, file, ports)
    if lease.step.attempt > 1:
        file = _file(ref.run_id, ports)  # an earlier attempt may have recorded more while its lease was waited for
    try:
        with _kept_alive(lease.step, ports):
            work = STEPS[name](Stage(ports, file, lease.step))
    except Exception as e:
        _give_back(lease.step, e, ports)
        raise
    return _finish(lease.step, work, file, ports)


def _file(run_id: str, ports: Ports) -> RunFile:
    file = ports.ledger.file(run_id)
    if file is None:
        raise NotFound(f"no run {run_id}")
    return file


def _new_step(name: StepName, ref: RunRef, run: Run, ports: Ports) -> Step:
    now = ports.clock.now()
    index = step_index(name, ref.round)
    return Step(
        step_id=ids.step_id(run.run_id, index),
        session_id=run.session_id,
        run_id=run.run_id,
        step_index=index,
        agent_name=name,
        round=ref.round,
        started_at=now,
        lease_until=now + _lease_time(ports),
    )


def _lease_time(ports: Ports) -> timedelta:
    return timedelta(seconds=ports.settings.lease_seconds)


def _lease(step: Step, ports: Ports) -> Lease:
    """Take the step, waiting for at most one lease where an earlier attempt may still be alive."""
    give_up = step.started_at + _lease_time(ports) + timedelta(seconds=POLL_SECONDS)
    while True:
        now = ports.clock.now()
        try:
            return ports.ledger.lease_step(step.model_copy(update={"lease_until": now + _lease_time(ports)}), now)
        except LeaseHeld:
            if now >= give_up:
                raise
            ports.clock.sleep(POLL_SECONDS)


@contextmanager
def _kept_alive(step: Step, ports: Ports) -> Iterator[None]:
    """Renew the lease while the work goes on, so that only a dead attempt is taken over."""
    done = threading.Event()

    def renew() -> None:
        while not done.wait(ports.settings.lease_seconds / HEARTBEATS_A_LEASE):
            if not ports.ledger.renew_lease(step, ports.clock.now() + _lease_time(ports)):
                return

    heart = threading.Thread(target=renew, name=f"lease {step.step_id}", daemon=True)
    heart.start()
    try:
        yield
    finally:
        done.set()
        heart.join()


def _finish(step: Step, work: StepWork, file: RunFile, ports: Ports) -> StepOutcome:
    done = step.model_copy(
        update={
            "status": StepStatus.SUCCESS,
            "finished_at": ports.clock.now(),
            "lease_until": None,
            "model_input": work.model_input,
            "model_output": work.model_output,
            "engine": work.engine,
            "cost": work.cost,
            "has_tool_call": work.has_tool_call,
            "result": work.outcome.to_json(),
        }
    )
    ports.ledger.finish_step(done, work.artifact)
    if step.agent_name is StepName.COMPOSER:
        close(file, work.artifact, ports)
    return work.outcome


def _resumed(step: Step, file: RunFile, ports: Ports) -> StepOutcome:
    """The first result of a finished step. A Composer that was killed before it closed the run closes it now."""
    if step.result is None:
        raise Broken(f"step {step.step_id} succeeded without a result")
    if step.agent_name is StepName.COMPOSER:
        close(file, file.artifacts[step.step_index], ports)
    return StepOutcome.model_validate(step.result)


def _ended(name: StepName, ref: RunRef, file: RunFile) -> StepOutcome:
    step = file.steps.get(step_index(name, ref.round))
    if step is not None and step.agent_name is name and step.result is not None:
        return StepOutcome.model_validate(step.result)
    run = file.record.run
    raise Conflict(f"run {run.run_id} has ended: {run.status}", code="RUN_ENDED")


def _give_back(step: Step, error: Exception, ports: Ports) -> None:
    """Let the next try begin at once, and leave the reason in the trace."""
    failed = {"status": StepStatus.FAILED, "error": f"{type(error).__name__}: {error}"[:1_000], "lease_until": None}
    with suppress(LeaseHeld):  # where another attempt has it already, there is nothing to give back
        ports.ledger.finish_step(step.model_copy(update=failed), None)
