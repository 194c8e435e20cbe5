"""How lists are ordered and filtered, the same in every ledger."""

from datetime import UTC, datetime

from superbiz.domain.runs import Run
from superbiz.ports import RunFilter

FIELDS = {"flow": "agent_flow", "alarm": "alarm_name"}


def key_time(moment: datetime) -> str:
    """UTC with all six digits of a second's fraction: as text these sort as the times do."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def wanted(run: Run, filters: RunFilter) -> bool:
    """Whether the run has every value that the filter names."""
    return all(value is None or getattr(run, FIELDS.get(name, name)) == value for name, value in filters._asdict().items())
