"""Incidents, episodes and the alarm ledger in the table."""

from collections.abc import Sequence
from datetime import datetime
from math import ceil

from pynamodb.expressions.condition import Condition

from superbiz.adapters.table import keys
from superbiz.adapters.table.gateway import (
    Check,
    Collision,
    ConditionFailed,
    Put,
    Refused,
    Write,
    absent,
    attribute,
    keyed,
    present,
    removing,
    setting,
)
from superbiz.adapters.table.mapping import Item
from superbiz.adapters.table.runs import TableRuns
from superbiz.domain import records
from superbiz.domain.incidents import AlarmEvent, AlarmNotice, Episode, IncidentRecord, Outcome
from superbiz.domain.runs import Run, RunRequest, Session
from superbiz.ports import Admission, Page


class TableIncidents(TableRuns):
    """`ports.IncidentLedger`. The pointer names the newest episode; whoever moves it has opened one."""

    def record_event(self, event: AlarmEvent) -> AlarmEvent:
        """First come, first kept."""
        kept = records.kept_for(event)
        there = self._table.put_new(self._event_item(kept))
        return self._map.value(AlarmEvent, there) if there else kept

    def settle_event(self, event: AlarmEvent) -> None:
        """The first outcome stays, unless it was DEFERRED."""
        changes = self._map.item(event)
        settled: Item = {name: changes[name] for name in ("outcome", "reason", "run_id") if name in changes}
        if event.outcome is Outcome.DEFERRED:
            index = [*setting({name: {"S": value} for name, value in keys.deferred_index(event).items()})]
        else:
            index = removing("GSI2PK", "GSI2SK")
        open_still = attribute("outcome").does_not_exist() | (attribute("outcome") == {"S": Outcome.DEFERRED})
        try:
            self._table.update(keys.event(event), [*setting(settled), *index], present() & open_still)
        except ConditionFailed:
            return

    def deferred_events(self, limit: int) -> Sequence[AlarmEvent]:
        """The longest waiting first. The index may be a moment behind: the rows decide."""
        entries = self._table.query(keys.work_pk(keys.DEFERRED), index="GSI2", limit=max(1, limit)).items
        items = self._table.batch_get([keys.Key(e["PK"]["S"], e["SK"]["S"]) for e in entries])
        events = [self._map.value(AlarmEvent, item) for item in items]
        return [event for event in events if event.outcome is Outcome.DEFERRED]

    def open_episode(self, incident_id: str, quiet_since: datetime) -> Episode | None:
        """The newest, where it is not quiet."""
        newest = self._episodes(incident_id, 1)
        return newest[0] if newest and newest[0].last_event_at >= quiet_since else None

    def admit_alarm(self, episode: Episode, run: Run, request: RunRequest, session: Session, quiet_since: datetime) -> Admission:
        """Look, then decide by a conditional write; where another event came between, look again."""
        return self._table.repeated(lambda: self._admit(episode, run, request, session, quiet_since))

    def note_state(self, notice: AlarmNotice, incident_id: str, at: datetime) -> Episode | None:
        """Counted in the newest episode."""
        pointer = self._table.get(keys.incident(incident_id))
        if pointer is None:
            return None
        key = keys.Key(pointer["PK"]["S"], pointer["episode"]["S"])
        return self._count(key, at, {"state": self._map.scalar(notice.state)})

    def incidents(self, limit: int, cursor: str | None) -> Page[Episode]:
        """Newest first."""
        found = self._page(keys.all_episodes(), limit, cursor)
        return Page([self._map.value(Episode, item) for item in found.items], found.cursor)

    def incident(self, incident_id: str) -> IncidentRecord | None:
        """Episodes and the latest events."""
        episodes = self._episodes(incident_id, records.EPISODES_SHOWN)
        items = self._page(keys.events_of(incident_id), records.EVENTS_SHOWN, None).items
        events = [self._map.value(AlarmEvent, item) for item in items]
        if not episodes and not events:
            return None
        return IncidentRecord(incident_id=incident_id, episodes=tuple(episodes), events=tuple(events))

    def _admit(self, episode: Episode, run: Run, request: RunRequest, session: Session, quiet_since: datetime) -> Admission:
        pointer = self._table.get(keys.incident(episode.incident_id))
        current = keys.Key(pointer["PK"]["S"], pointer["episode"]["S"]) if pointer else None
        if pointer is not None and current is not None:
            joined = self._joined(current, pointer, run, episode, quiet_since)
            if joined is not None:
                return joined
        return self._opened(episode, run, request, session, current, quiet_since)

    def _joined(self, current: keys.Key, pointer: Item, run: Run, episode: Episode, quiet_since: datetime) -> Admission | None:
        """The open episode with this event counted; None where it has been quiet."""
        opener = pointer["run_id"]["S"]
        if opener == run.run_id:
            return self._already(run, episode.incident_id)
        same = current == keys.episode(episode.incident_id, episode.opened_at)
        lively = attribute("last_event_at") >= self._map.scalar(quiet_since)
        try:
            joined = self._count(current, episode.last_event_at, {}, present() if same else lively)
        except ConditionFailed:
            return None
        return Admission(Outcome.DEDUPED, records.open_since(joined), joined, opener)

    def _opened(
        self, episode: Episode, run: Run, request: RunRequest, session: Session, last: keys.Key | None, quiet_since: datetime
    ) -> Admission:
        """One transaction: the head first, then the pointer as it was seen, the old episode still quiet, the new one."""
        opened = episode.model_copy(update={"run_id": run.run_id})
        key = keys.episode(episode.incident_id, episode.opened_at)
        seen = attribute("episode") == {"S": last.sk} if last else absent()
        writes: list[Write] = [
            *self._opening(run, request, session),
            Put(keyed(keys.incident(episode.incident_id), {"episode": {"S": key.sk}, "run_id": {"S": run.run_id}}), seen),
            Put(keyed(key, self._map.item(opened), keys.episode_index(opened))),
        ]
        if last is not None:
            writes.append(Check(last, attribute("last_event_at") < self._map.scalar(quiet_since)))
        try:
            self._table.transact(writes)
        except Refused as e:
            if 0 in e.positions:
                return self._already(run, episode.incident_id)
            raise Collision(episode.incident_id) from e
        return Admission(Outcome.OPENED, records.opened_because(last is not None), opened, run.run_id)

    def _already(self, run: Run, incident_id: str) -> Admission:
        """This very event has opened its run before."""
        mine = [e for e in self._episodes(incident_id, records.EPISODES_SHOWN) if e.run_id == run.run_id]
        return Admission(Outcome.OPENED, records.OPENED_BEFORE, mine[0] if mine else None, run.run_id)

    def _count(self, key: keys.Key, at: datetime, changes: Item, condition: Condition | None = None) -> Episode:
        actions = [*setting(changes | {"last_event_at": self._map.scalar(at)}), attribute("event_count").add({"N": "1"})]
        return self._map.value(Episode, self._table.update(key, actions, present() if condition is None else condition))

    def _episodes(self, incident_id: str, limit: int) -> list[Episode]:
        begin = attribute("SK").startswith(keys.EPISODES)
        found = self._table.query(keys.incident(incident_id).pk, begin, forward=False, limit=limit)
        return [self._map.value(Episode, item) for item in found.items]

    def _event_item(self, event: AlarmEvent) -> Item:
        ends = event.expires_at or event.received_at + records.EVENT_LIFE
        waits = keys.deferred_index(event) if event.outcome is Outcome.DEFERRED else {}
        attributes = self._map.item(event) | {"ttl": {"N": str(ceil(ends.timestamp()))}}
        return keyed(keys.event(event), attributes, keys.event_index(event) | waits)
