"""Rows of the old system in memory."""

from collections.abc import Iterable
from datetime import datetime

from superbiz.adapters.memory.store import Group, locked
from superbiz.domain.cases import Case
from superbiz.domain.legacy import LegacySession
from superbiz.domain.runs import Feedback
from superbiz.errors import NotFound


class MemoryLegacy(Group):
    """`ports.LegacyLedger`."""

    @locked
    def legacy(self, session_id: str) -> LegacySession | None:
        """As it was exported."""
        return self._store.legacy.get(session_id)

    @locked
    def import_legacy(self, rows: Iterable[LegacySession]) -> int:
        """First come, first kept."""
        before = len(self._store.legacy)
        for row in rows:
            self._store.legacy.setdefault(row.session_id, row)
        return len(self._store.legacy) - before

    @locked
    def record_legacy_feedback(self, session_id: str, feedback: Feedback, at: datetime, case: Case | None) -> Case | None:
        """As for a run, on the row itself."""
        row = self._store.legacy.get(session_id)
        if row is None:
            raise NotFound(f"no session {session_id}")
        self._store.legacy[session_id] = row.model_copy(update={"feedback": feedback, "feedback_at": at})
        return self._store.cases.setdefault(case.case_id, case) if case else None
