"""The same steps in one process: for the command line and for tests."""

import logging
from collections.abc import Callable

from superbiz.domain.runs import StepName
from superbiz.flow.endings import enqueue_evaluation, fail, notify
from superbiz.flow.outcome import LAST_ROUND, RunRef, StepOutcome
from superbiz.flow.taking import take
from superbiz.ports import Ports

LOG = logging.getLogger(__name__)
ROUND = (StepName.EXECUTOR, StepName.GATEKEEPER, StepName.VERIFIER)
Watcher = Callable[[StepName, RunRef], None]


def run_in_process(run_id: str, ports: Ports, watch: Watcher = lambda _name, _ref: None) -> None:
    """From Executor to Notify, as the state machine goes. `watch` is told of each step before it is taken.

    A step that raises ends the run FAILED with the cause, and is raised again once the run's evaluation is asked for.
    """
    try:
        _steps(RunRef(run_id=run_id), ports, watch)
    except Exception as e:
        fail(run_id, f"{type(e).__name__}: {e}", ports)
        enqueue_evaluation(run_id, ports)
        raise
    for ending in (enqueue_evaluation, notify):
        try:
            ending(run_id, ports)
        except Exception:
            LOG.exception("after the end of %s", run_id)  # a finished run stays finished


def _steps(ref: RunRef, ports: Ports, watch: Watcher) -> None:
    while True:
        for name in ROUND:
            watch(name, ref)
            outcome: StepOutcome = take(name, ref, ports)
        if not (outcome.retry and outcome.round <= LAST_ROUND):
            break
        ref = outcome.next_ref
    watch(StepName.COMPOSER, ref)
    take(StepName.COMPOSER, ref, ports)
