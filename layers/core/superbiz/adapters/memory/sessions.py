"""Sessions and their histories in memory."""

from collections.abc import Sequence
from datetime import datetime

from superbiz.adapters.memory.store import Group, locked
from superbiz.domain import records
from superbiz.domain.runs import MessagePair, Session
from superbiz.errors import NotFound


class MemorySessions(Group):
    """`ports.SessionLedger`."""

    @locked
    def session(self, session_id: str) -> Session | None:
        """The directory entry."""
        return self._store.sessions.get(session_id)

    @locked
    def history(self, session_id: str, now: datetime) -> Sequence[MessagePair]:
        """Nothing once it expired."""
        history = self._store.histories.get(session_id)
        return history.pairs if history and history.alive(now) else ()

    @locked
    def clear_history(self, session_id: str, now: datetime) -> Session:
        """Bodies gone, entry kept."""
        session = self._store.sessions.get(session_id)
        if session is None:
            raise NotFound(f"no session {session_id}")
        self._store.histories.pop(session_id, None)
        self._store.sessions[session_id] = records.cleared(session, now)
        return self._store.sessions[session_id]
