"""Incidents, episodes and the alarm ledger in memory."""

from collections.abc import Sequence
from datetime import datetime

from superbiz.adapters.listing import key_time
from superbiz.adapters.memory.store import Group, locked, page
from superbiz.domain import records
from superbiz.domain.incidents import AlarmEvent, AlarmNotice, Episode, IncidentRecord, Outcome
from superbiz.domain.runs import Run, RunRequest, Session
from superbiz.ports import Admission, Page


class MemoryIncidents(Group):
    """`ports.IncidentLedger`."""

    @locked
    def record_event(self, event: AlarmEvent) -> AlarmEvent:
        """First come, first kept."""
        return self._store.events.setdefault((event.incident_id, event.row_id), records.kept_for(event))

    @locked
    def settle_event(self, event: AlarmEvent) -> None:
        """The first outcome stays, unless it was DEFERRED."""
        place = (event.incident_id, event.row_id)
        stored = self._store.events.get(place)
        if stored is not None and stored.outcome in (None, Outcome.DEFERRED):
            self._store.events[place] = records.settled(stored, event)

    @locked
    def deferred_events(self, limit: int) -> Sequence[AlarmEvent]:
        """The longest waiting first."""
        waiting = [e for e in self._store.events.values() if e.outcome is Outcome.DEFERRED]
        return sorted(waiting, key=lambda e: (e.received_at, e.row_id))[:limit]

    @locked
    def open_episode(self, incident_id: str, quiet_since: datetime) -> Episode | None:
        """The newest, where it is not quiet."""
        episodes = self._store.episodes.get(incident_id)
        return episodes[-1] if episodes and episodes[-1].last_event_at >= quiet_since else None

    @locked
    def admit_alarm(self, episode: Episode, run: Run, request: RunRequest, session: Session, quiet_since: datetime) -> Admission:
        """One opener; everybody else joins."""
        episodes = self._store.episodes[episode.incident_id]
        current = episodes[-1] if episodes else None
        if run.run_id in self._store.runs:
            mine = [e for e in episodes if e.run_id == run.run_id]
            return Admission(Outcome.OPENED, records.OPENED_BEFORE, mine[-1] if mine else None, run.run_id)
        if current is not None and (current.last_event_at >= quiet_since or current.opened_at == episode.opened_at):
            episodes[-1] = records.counted(current, episode.last_event_at)
            return Admission(Outcome.DEDUPED, records.open_since(current), episodes[-1], current.run_id)
        self._store.runs[run.run_id] = records.bounded(run)
        self._store.requests[run.run_id] = request
        self._store.sessions[session.session_id] = records.visited(self._store.sessions.get(session.session_id), session)
        opened = episode.model_copy(update={"run_id": run.run_id})
        episodes.append(opened)
        return Admission(Outcome.OPENED, records.opened_because(current is not None), opened, run.run_id)

    @locked
    def note_state(self, notice: AlarmNotice, incident_id: str, at: datetime) -> Episode | None:
        """Counted in the newest episode."""
        episodes = self._store.episodes[incident_id]
        if not episodes:
            return None
        episodes[-1] = records.counted(episodes[-1], at, state=notice.state)
        return episodes[-1]

    @locked
    def incidents(self, limit: int, cursor: str | None) -> Page[Episode]:
        """Newest first."""
        found = [((key_time(e.opened_at), e.incident_id), e) for episodes in self._store.episodes.values() for e in episodes]
        return page(found, "incidents", limit, cursor)

    @locked
    def incident(self, incident_id: str) -> IncidentRecord | None:
        """Episodes and the latest events."""
        episodes = self._store.episodes.get(incident_id, [])
        events = [e for (owner, _), e in self._store.events.items() if owner == incident_id]
        if not episodes and not events:
            return None
        events.sort(key=lambda e: (e.received_at, e.row_id), reverse=True)
        return IncidentRecord(
            incident_id=incident_id,
            episodes=tuple(reversed(episodes[-records.EPISODES_SHOWN :])),
            events=tuple(events[: records.EVENTS_SHOWN]),
        )
