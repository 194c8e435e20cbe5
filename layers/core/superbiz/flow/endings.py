"""What follows a run's end. None of it can spoil a run that has finished."""

from enum import StrEnum

from superbiz.errors import NotFound
from superbiz.ports import Ports
from superbiz.services.notifying import run_completed


class Ending(StrEnum):
    """The states after the Composer, and the one after a failure; by these names the state machine calls them."""

    ENQUEUE_EVALUATION = "enqueue_evaluation"
    NOTIFY = "notify"
    FAIL_RUN = "fail_run"


ENDINGS = (Ending.ENQUEUE_EVALUATION, Ending.NOTIFY)


def enqueue_evaluation(run_id: str, ports: Ports) -> None:
    """The answer is stored: ask for its evaluation. The EVAL marker stays until that is done."""
    ports.queue.enqueue_evaluation(run_id)


def notify(run_id: str, ports: Ports) -> None:
    """Tell people and programs, once the run is readable."""
    record = ports.ledger.record(run_id)
    if record is None:
        raise NotFound(f"no run {run_id}")
    ports.notifier.run_completed(run_completed(record, ports.settings.console_url))


def fail(run_id: str, cause: str, ports: Ports) -> bool:
    """RUNNING to FAILED with the cause. False, and nothing changed, where the run has ended already."""
    return ports.ledger.fail_run(run_id, ports.redactor(run_id).text(cause)[:1_000], ports.clock.now())
