"""Rows of the old system in the table. No execution writes here; feedback on an old row and its import do."""

from collections.abc import Iterable
from datetime import datetime

from superbiz.adapters.table import keys
from superbiz.adapters.table.cases import TableCases
from superbiz.adapters.table.gateway import Refused, Update, keyed, present, setting
from superbiz.domain.cases import Case
from superbiz.domain.legacy import LegacySession
from superbiz.domain.runs import Feedback
from superbiz.errors import NotFound


class TableLegacy(TableCases):
    """`ports.LegacyLedger`."""

    def legacy(self, session_id: str) -> LegacySession | None:
        """As it was exported."""
        item = self._table.get(keys.legacy(session_id))
        return self._map.value(LegacySession, item) if item else None

    def import_legacy(self, rows: Iterable[LegacySession]) -> int:
        """Row by row, each put if absent: an import that stopped half-way is simply run again."""
        return sum(self._table.put_new(keyed(keys.legacy(row.session_id), self._map.item(row))) is None for row in rows)

    def record_legacy_feedback(self, session_id: str, feedback: Feedback, at: datetime, case: Case | None) -> Case | None:
        """One transaction, as for a run, on the row itself."""
        said = {"feedback": self._map.scalar(feedback), "feedback_at": self._map.scalar(at)}
        try:
            return self._with_case([Update(keys.legacy(session_id), setting(said), present())], case)
        except Refused:
            raise NotFound(f"no session {session_id}") from None
