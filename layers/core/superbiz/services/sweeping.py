"""Finishing what something left half-way. Status events are best effort; this is the guarantee."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from itertools import islice
from typing import NamedTuple

from superbiz.domain.incidents import Outcome
from superbiz.domain.runs import Work
from superbiz.ports import Ports
from superbiz.services import intake

GRACE = timedelta(seconds=60)
# A run that could not be started for so long never will be: its question is stale, and whoever asked has to be told.
UNSTARTED = timedelta(hours=2)
# An evaluation that has failed for a day fails for a reason; the node stays absent, the queue's dead letters tell why.
UNEVALUATED = timedelta(hours=24)
AT_ONCE = 500
DEFERRED_AT_ONCE = 100
RUNNING = "RUNNING"


class Swept(NamedTuple):
    """Runs started, failed, sent to evaluation again, given up on; deferred alarms settled; and what went wrong."""

    started: int = 0
    failed: int = 0
    evaluated: int = 0
    abandoned: int = 0
    settled: int = 0
    errors: tuple[str, ...] = ()


def sweep(ports: Ports) -> Swept:
    """Look once at everything that is owed. What fails for one run holds up no other."""
    now = ports.clock.now()
    errors: list[str] = []
    opened = _each(ports.ledger.waiting(Work.OPEN, now - GRACE), lambda run_id: _open_run(run_id, ports), errors)
    given_up = _each(ports.ledger.waiting(Work.EVAL, now - UNEVALUATED), lambda run_id: _give_up_evaluation(run_id, ports), errors)
    again = _each(ports.ledger.waiting(Work.EVAL, now - GRACE), lambda run_id: _evaluate_again(run_id, ports), errors)
    return Swept(
        started=opened.count("started"),
        failed=opened.count("failed"),
        evaluated=len(again),
        abandoned=len(given_up),
        settled=_deferred(ports, errors),
        errors=tuple(errors),
    )


def execution_ended(run_id: str, status: str, cause: str | None, ports: Ports) -> bool:
    """A status event of the state machine. True where it ended a run that nothing else had."""
    if status in (RUNNING, "SUCCEEDED", "PENDING_REDRIVE"):
        return False
    return _fail(run_id, status, cause, ports)


def _open_run(run_id: str, ports: Ports) -> str:
    execution = ports.machine.describe(run_id)
    if execution is None:
        return _unstarted(run_id, ports)
    if execution.status == RUNNING:
        return "running"
    return "failed" if _fail(run_id, execution.status, execution.cause, ports) else "ended"


def _unstarted(run_id: str, ports: Ports) -> str:
    run = ports.ledger.run(run_id)
    if run is not None and ports.clock.now() - run.created_at > UNSTARTED:
        return "failed" if _fail(run_id, "NEVER_STARTED", "the state machine could not be started", ports) else "ended"
    ports.machine.start(run_id)
    return "started"


def _fail(run_id: str, status: str, cause: str | None, ports: Ports) -> bool:
    """FAILED, only where the run is still RUNNING; then its evaluation."""
    failed = ports.ledger.fail_run(run_id, f"{status}: {cause}" if cause else f"the execution ended {status}", ports.clock.now())
    if failed:
        ports.queue.enqueue_evaluation(run_id)
    return failed


def _evaluate_again(run_id: str, ports: Ports) -> str:
    ports.queue.enqueue_evaluation(run_id)
    return "asked"


def _give_up_evaluation(run_id: str, ports: Ports) -> str:
    ports.ledger.work_done(run_id, Work.EVAL)
    return "abandoned"


def _deferred(ports: Ports, errors: list[str]) -> int:
    """Settle deferred alarms, the longest waiting first, as far as the switch and the bound allow."""
    if ports.ledger.control().intake_paused:
        return 0
    rows = {row.row_id: row for row in ports.ledger.deferred_events(DEFERRED_AT_ONCE)}
    done = _each(rows, lambda row_id: str(intake.reconsider(rows[row_id], ports).outcome), errors)
    return len(done) - done.count(str(Outcome.DEFERRED))


def _each(names: Iterable[str], work: Callable[[str], str], errors: list[str]) -> list[str]:
    done = []
    for name in islice(names, AT_ONCE):
        try:
            done.append(work(name))
        except Exception as e:  # a bulkhead: one spoilt record must not keep the sweep from all others
            errors.append(f"{name}: {type(e).__name__}: {e}")
    return done
