"""What people say of a run. It touches the feedback and, where it is useful, the case; never the status."""

from datetime import datetime
from typing import NamedTuple

from pydantic import Field

from superbiz.domain.cases import Case, case_for
from superbiz.domain.legacy import LegacySession
from superbiz.domain.runs import Feedback, Run, Status
from superbiz.domain.values import Value
from superbiz.errors import Conflict, Invalid, NotFound
from superbiz.ports import Ports

ID_CHARS = 500


class Opinion(Value):
    """The body of `POST /api/feedback`: the run is named by its id, or (by old clients) by its session. Both: they must belong together."""

    feedback: Feedback
    run_id: str | None = Field(default=None, alias="runId", max_length=ID_CHARS)
    session_id: str | None = Field(default=None, alias="sessionId", max_length=ID_CHARS)


class Given(NamedTuple):
    """Where the opinion went. `run_id` is None for a legacy session; `case_id` is the case of a useful run with an answer."""

    run_id: str | None
    session_id: str
    case_id: str | None


def give(opinion: Opinion, ports: Ports) -> Given:
    """Raises Invalid without an id or where the ids do not belong together, NotFound, and Conflict while the run is under way."""
    target = _target(opinion, ports)
    if isinstance(target, LegacySession):
        return _on_legacy(target, opinion.feedback, ports)
    if target.status is Status.RUNNING:
        raise Conflict(f"run {target.run_id} is still running", code="STILL_RUNNING", mend="give feedback once it has ended")
    now = ports.clock.now()
    case = _case_of(target.run_id, now, ports) if opinion.feedback is Feedback.USEFUL else None
    kept = ports.ledger.record_feedback(target.run_id, opinion.feedback, now, case)
    return Given(target.run_id, target.session_id, kept.case_id if kept else None)


def _target(opinion: Opinion, ports: Ports) -> Run | LegacySession:
    if opinion.run_id:
        return _named_run(opinion.run_id, opinion.session_id, ports)
    if opinion.session_id:
        return _latest(opinion.session_id, ports)
    raise Invalid("runId: needed, to say which run is meant", code="NO_RUN", mend="send runId (or, as old clients do, sessionId)")


def _named_run(run_id: str, session_id: str | None, ports: Ports) -> Run:
    run = ports.ledger.run(run_id)
    if run is None:
        raise NotFound(f"no run {run_id}")
    if session_id and run.session_id != session_id:
        raise Invalid(f"runId: {run_id} is not of session {session_id}", code="RUN_NOT_OF_SESSION", mend="send the runId alone")
    return run


def _latest(session_id: str, ports: Ports) -> Run | LegacySession:
    """The session's latest terminal run, by its pointer; a session of the old system has none, and is meant itself."""
    session = ports.ledger.session(session_id)
    if session is not None and session.latest_terminal_run:
        return _named_run(session.latest_terminal_run, session_id, ports)
    legacy = ports.ledger.legacy(session_id)
    if legacy is not None:
        return legacy
    if session is not None:
        raise Conflict(f"no run of session {session_id} has ended yet", code="STILL_RUNNING", mend="give feedback once one has")
    raise NotFound(f"no session {session_id}")


def _case_of(run_id: str, now: datetime, ports: Ports) -> Case | None:
    record = ports.ledger.record(run_id)
    return case_for(run_id, record.request.query, record.answer, now) if record and record.answer else None


def _on_legacy(row: LegacySession, feedback: Feedback, ports: Ports) -> Given:
    now = ports.clock.now()
    case = case_for(row.session_id, row.query, row.answer, now) if feedback is Feedback.USEFUL and row.answer else None
    kept = ports.ledger.record_legacy_feedback(row.session_id, feedback, now, case)
    return Given(None, row.session_id, kept.case_id if kept else None)
