"""Sessions and their histories in the table."""

from collections.abc import Sequence
from datetime import datetime
from math import ceil

from superbiz.adapters.table import keys
from superbiz.adapters.table.base import Group
from superbiz.adapters.table.gateway import Delete, Put, Refused, Update, absent, attribute, keyed, present, removing, setting
from superbiz.domain import records
from superbiz.domain.records import History
from superbiz.domain.runs import MessagePair, Session
from superbiz.errors import NotFound


class TableSessions(Group):
    """`ports.SessionLedger`. HISTORY names its latest turn, so that two turns that end at once lose neither pair."""

    def session(self, session_id: str) -> Session | None:
        """The directory entry."""
        item = self._table.get(keys.session(session_id))
        return self._map.value(Session, item) if item else None

    def history(self, session_id: str, now: datetime) -> Sequence[MessagePair]:
        """Nothing once it expired, though DynamoDB deletes later."""
        stored = self._history(session_id)
        return stored.pairs if stored and stored.alive(now) else ()

    def clear_history(self, session_id: str, now: datetime) -> Session:
        """One transaction: bodies gone, entry kept."""
        cleared = records.cleared(Session(session_id=session_id, last_active_at=now), now)
        changes = self._map.item(cleared)
        entry = Update(keys.session(session_id), [*setting(changes), *removing("expires_at")], present())
        try:
            self._table.transact([entry, Delete(keys.history(session_id))])
        except Refused:
            raise NotFound(f"no session {session_id}") from None
        return self.session(session_id) or cleared

    def _history(self, session_id: str) -> History | None:
        item = self._table.get(keys.history(session_id))
        return self._map.value(History, item) if item else None

    def _remembering(self, session_id: str, stored: History | None, pair: MessagePair) -> tuple[Update, Put]:
        """The session and its history after a turn, as writes. The history's is refused unless it still is what is given as stored."""
        history = records.remembered(stored, pair)
        session = records.after_turn(Session(session_id=session_id, last_active_at=pair.at), history, pair)
        marks = {"turn": self._map.scalar(pair.run_id), "ttl": {"N": str(ceil(history.expires_at.timestamp()))}}
        unchanged = attribute("turn") == self._map.scalar(stored.pairs[-1].run_id) if stored else absent()
        return (
            Update(keys.session(session_id), setting(self._map.item(session))),
            Put(keyed(keys.history(session_id), self._map.item(history) | marks), unchanged),
        )

    def _visiting(self, session: Session) -> Update:
        """A run opens in the session: made if it is new, otherwise only active again."""
        item = self._map.item(session)
        first = {name: item.pop(name) for name in ("message_pair_count", "expires_at", "latest_terminal_run") if name in item}
        kept = [attribute(name).set(attribute(name) | value) for name, value in first.items()]
        return Update(keys.session(session.session_id), [*setting(item), *kept])

    def _turned(self, session_id: str, run_id: str, at: datetime) -> Update:
        """A run of the session failed: it is the latest that ended, and nothing was said."""
        ended = Session(session_id=session_id, last_active_at=at, latest_terminal_run=run_id)
        item = self._map.item(ended)
        first = {name: item.pop(name) for name in ("message_pair_count", "status")}
        kept = [attribute(name).set(attribute(name) | value) for name, value in first.items()]
        return Update(keys.session(session_id), [*setting(item), *kept])
