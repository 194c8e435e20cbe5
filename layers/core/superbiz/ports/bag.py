"""The one bag that steps, services and functions are handed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from superbiz.domain.runs import Run, RunRecord
from superbiz.domain.verification import RetryLimits
from superbiz.ports.engine import Engine
from superbiz.ports.evidence import EvidenceSource, Knowledge, Redactor, Toolbox, VectorIndex
from superbiz.ports.ledger import Ledger, RunFile
from superbiz.ports.platform import Clock, Machine, Notifier, Objects, Queue
from superbiz.settings import Settings


class ToolboxOrder(NamedTuple):
    """Which step a toolbox records for. `file` is what the run has recorded so far, `limits` bound the calls of a second round."""

    run: Run
    step_index: int
    round: int
    source: EvidenceSource
    limits: RetryLimits | None = None
    file: RunFile | None = None


@dataclass(frozen=True)
class Ports:
    """The one bag that steps, services and functions are handed. Factories are called on first use, so that an API function
    never pays for an engine it does not run."""

    settings: Settings
    clock: Clock
    ledger: Ledger
    objects: Objects
    machine: Machine
    queue: Queue
    notifier: Notifier
    evidence: Callable[[RunRecord], EvidenceSource]
    toolbox: Callable[[ToolboxOrder], Toolbox]
    engine: Callable[[Run], Engine]
    offline: Callable[[], Engine]
    vector_index: Callable[[], VectorIndex]
    knowledge: Callable[[], Knowledge]
    redactor: Callable[[str], Redactor]
    """The redactor of a run, by the run's id."""
    reach: Callable[[str], str | None] | None = None
    """Tries an address once, briefly: None where it answers, else why not."""
