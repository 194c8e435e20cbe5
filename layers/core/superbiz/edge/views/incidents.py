"""Incidents, their episodes, and the ledger of what arrived."""

from typing_extensions import TypedDict

from superbiz.domain import alarms
from superbiz.domain.incidents import AlarmEvent, AlarmNotice, Episode
from superbiz.domain.values import iso
from superbiz.edge.views.runs import RunView, run_view
from superbiz.edge.views.shapes import time_of
from superbiz.ports import Page
from superbiz.services.incidents import Incident


class EpisodeView(TypedDict):
    """One spell of trouble of one alarm. `sessionId` is the session of its runs."""

    incidentId: str
    openedAt: str
    sessionId: str
    runId: str | None
    alarmName: str
    alarmArn: str
    account: str
    region: str
    state: str
    lastEventAt: str
    eventCount: int


class EpisodeDetail(EpisodeView):
    """With its runs, newest first (of the newest ten episodes)."""

    runs: list[RunView]


class EventView(TypedDict):
    """One delivery of an event, and what became of it."""

    eventId: str
    deliveryId: str
    alarmName: str
    state: str | None
    receivedAt: str
    occurredAt: str | None
    outcome: str | None
    reason: str
    runId: str | None


class AlarmAccepted(TypedDict):
    """An event has been handed to the intake. What became of it stands in the incident."""

    incidentId: str
    eventId: str
    alarmName: str
    state: str


class EpisodePage(TypedDict):
    """Newest first."""

    items: list[EpisodeView]
    cursor: str | None


class IncidentView(TypedDict):
    """Everything of one alarm: episodes newest first, and the latest events."""

    incidentId: str
    episodes: list[EpisodeDetail]
    events: list[EventView]


def alarm_accepted(notice: AlarmNotice) -> AlarmAccepted:
    """The 202 of an alarm's event."""
    return {
        "incidentId": alarms.incident_id(notice),
        "eventId": notice.event_id,
        "alarmName": notice.alarm_name,
        "state": notice.state,
    }


def episode_page(page: Page[Episode]) -> EpisodePage:
    """A page of episodes."""
    return {"items": [episode_view(e) for e in page.items], "cursor": page.cursor}


def incident_view(incident: Incident) -> IncidentView:
    """One incident."""
    return {
        "incidentId": incident.record.incident_id,
        "episodes": [
            {**episode_view(e), "runs": [run_view(run) for run in incident.runs.get(e.session_id, ())]} for e in incident.record.episodes
        ],
        "events": [event_view(e) for e in incident.record.events],
    }


def episode_view(episode: Episode) -> EpisodeView:
    """One episode."""
    return {
        "incidentId": episode.incident_id,
        "openedAt": iso(episode.opened_at),
        "sessionId": episode.session_id,
        "runId": episode.run_id,
        "alarmName": episode.alarm_name,
        "alarmArn": episode.alarm_arn,
        "account": episode.account,
        "region": episode.region,
        "state": episode.state,
        "lastEventAt": iso(episode.last_event_at),
        "eventCount": episode.event_count,
    }


def event_view(event: AlarmEvent) -> EventView:
    """One row of the ledger, without the event itself."""
    return {
        "eventId": event.event_id,
        "deliveryId": event.row_id,
        "alarmName": event.alarm_name,
        "state": event.state,
        "receivedAt": iso(event.received_at),
        "occurredAt": time_of(event.occurred_at),
        "outcome": event.outcome,
        "reason": event.reason,
        "runId": event.run_id,
    }
