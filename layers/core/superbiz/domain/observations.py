"""What an evidence source yields: series, log lines, spans, the service map, alarms, changes. The rows of `world/1`.

Log lines and spans come by the ten thousand, so they are named tuples; the rest are values.
"""

from datetime import UTC, datetime
from typing import NamedTuple

from pydantic import ConfigDict, Field

from superbiz.domain.values import JsonObject, UtcTime, Value


class Series(Value):
    """One metric under one statistic. `values` may hold None (no datapoint); times and values have the same length."""

    namespace: str
    metric_name: str
    dimensions: dict[str, str] = Field(default_factory=dict)
    stat: str
    period: int
    unit: str = "None"
    timestamps: tuple[UtcTime, ...] = ()
    values: tuple[float | None, ...] = ()


class LogLine(NamedTuple):
    """`timestamp` is epoch milliseconds."""

    log_group: str
    log_stream: str
    timestamp: int
    message: str


class Span(NamedTuple):
    trace_id: str
    span_id: str
    parent_id: str | None
    service: str
    resource: str
    name: str
    start_ms: float
    duration_ms: float
    error: bool
    attributes: JsonObject


class Service(Value):
    name: str
    type: str = ""
    calls: tuple[str, ...] = ()


class AlarmRow(Value):
    name: str
    state: str
    reason: str = ""
    metric: str = ""
    dimensions: dict[str, str] = Field(default_factory=dict)
    updated: UtcTime | None = None


class AlarmChange(Value):
    timestamp: UtcTime
    alarm: str
    from_: str = Field(alias="from")
    to: str
    reason: str = ""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, serialize_by_alias=True)


class AlarmListing(Value):
    alarms: tuple[AlarmRow, ...] = ()
    history: tuple[AlarmChange, ...] = ()


class Change(Value):
    """A change or a resource event. `source` is cloudtrail, rds, ecs, kubernetes, deploy, health, …"""

    time: UtcTime
    source: str
    name: str
    resource: str = ""
    actor: str = ""
    message: str = ""
    raw: JsonObject = Field(default_factory=dict)


def at(milliseconds: float) -> datetime:
    """Epoch milliseconds as a UTC time."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
