"""Incidents: their episodes with events and runs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from superbiz.domain.incidents import IncidentRecord
from superbiz.domain.runs import Run
from superbiz.errors import NotFound
from superbiz.ports import Ports

EPISODES_WITH_RUNS = 10
RUNS_AN_EPISODE = 20


class Incident(NamedTuple):
    """`runs` are those of the newest episodes, by the episode's session."""

    record: IncidentRecord
    runs: Mapping[str, Sequence[Run]]


def find(incident_id: str, ports: Ports) -> Incident:
    """Raises NotFound where nothing was ever recorded under this id."""
    record = ports.ledger.incident(incident_id)
    if record is None:
        raise NotFound(f"no incident {incident_id}")
    sessions = [episode.session_id for episode in record.episodes[:EPISODES_WITH_RUNS]]
    return Incident(record, {s: ports.ledger.session_runs(s, RUNS_AN_EPISODE, None).items for s in sessions})
