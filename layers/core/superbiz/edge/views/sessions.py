"""Sessions: directory entries, never a message's body."""

from datetime import datetime

from typing_extensions import TypedDict

from superbiz.domain.runs import Session, SessionStatus
from superbiz.domain.values import iso
from superbiz.edge.views.shapes import time_of


class SessionView(TypedDict):
    """`status` is EXPIRED once `expiresAt` has passed; `expiresAt` may be null."""

    sessionId: str
    status: str
    messagePairCount: int
    lastActiveAt: str
    expiresAt: str | None
    latestTerminalRun: str | None


def session_view(session: Session, now: datetime) -> SessionView:
    """The entry as it reads now: what has expired is not yet deleted everywhere."""
    expired = session.expires_at is not None and session.expires_at <= now
    return {
        "sessionId": session.session_id,
        "status": SessionStatus.EXPIRED if expired else session.status,
        "messagePairCount": 0 if expired else session.message_pair_count,
        "lastActiveAt": iso(session.last_active_at),
        "expiresAt": time_of(session.expires_at),
        "latestTerminalRun": session.latest_terminal_run,
    }
