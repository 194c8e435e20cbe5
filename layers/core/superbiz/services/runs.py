"""Runs and sessions as they are read, and a session's history as it is forgotten."""

from pydantic import AliasChoices, Field

from superbiz.domain.runs import Run, RunRecord, Session
from superbiz.domain.values import Value
from superbiz.errors import NotFound
from superbiz.ports import Page, Ports
from superbiz.services.asking import SessionId


class SessionRef(Value):
    """The body of `POST /api/chat/clear`. Old clients write `Id` or `id`."""

    session_id: SessionId = Field(validation_alias=AliasChoices("sessionId", "Id", "id"))


def find(run_id: str, ports: Ports) -> RunRecord:
    """Raises NotFound."""
    record = ports.ledger.record(run_id)
    if record is None:
        raise NotFound(f"no run {run_id}")
    return record


def session(ref: SessionRef, ports: Ports) -> Session:
    """Raises NotFound."""
    found = ports.ledger.session(ref.session_id)
    if found is None:
        raise NotFound(f"no session {ref.session_id}")
    return found


def of_session(ref: SessionRef, limit: int, cursor: str | None, ports: Ports) -> Page[Run]:
    """A page of a session's runs. Raises NotFound where there is no such session."""
    return ports.ledger.session_runs(session(ref, ports).session_id, limit, cursor)


def clear(ref: SessionRef, ports: Ports) -> Session:
    """Forget the session's messages; the directory entry and the runs stay."""
    return ports.ledger.clear_history(ref.session_id, ports.clock.now())
