"""Reading back everything that was recorded of a run, page by page; or the row of the old system, by its session's id."""

from typing import NamedTuple

from superbiz.domain.cases import Case
from superbiz.domain.legacy import LegacySession
from superbiz.domain.runs import RunRecord, Session, TracePage
from superbiz.errors import NotFound
from superbiz.ports import Ports

# A page of this size stays under the 6 MB of a function's answer, even where its texts are all quotes and escapes.
PAGE_BYTES = 1_500_000


class Trace(NamedTuple):
    """The first page of a run. `record` and `session` come with it."""

    record: RunRecord
    session: Session | None
    page: TracePage


class LegacyTrace(NamedTuple):
    """A row of the old system: no steps, and at most one case, found by the session's id."""

    row: LegacySession
    case: Case | None


def first(run_id: str, ports: Ports) -> Trace | LegacyTrace:
    """Raises NotFound where the id is neither a run's nor a legacy session's."""
    page = ports.ledger.trace(run_id, None, PAGE_BYTES)
    if page.record is not None:
        return Trace(page.record, ports.ledger.session(page.record.run.session_id), page)
    row = ports.ledger.legacy(run_id)
    if row is None:
        raise NotFound(f"no run {run_id}")
    return LegacyTrace(row, ports.ledger.case_of(run_id))


def following(run_id: str, cursor: str, ports: Ports) -> TracePage:
    """A later page: steps and calls alone."""
    return ports.ledger.trace(run_id, cursor, PAGE_BYTES)
