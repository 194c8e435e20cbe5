"""Alarm events, and the incidents and episodes that they belong to."""

from enum import StrEnum

from pydantic import Field

from superbiz.domain.values import JsonObject, UtcTime, Value


class AlarmState(StrEnum):
    OK = "OK"
    ALARM = "ALARM"
    INSUFFICIENT_DATA = "INSUFFICIENT_DATA"


class AlarmMetric(Value):
    """The one metric behind a plain metric alarm; composite and metric-math alarms may have none or several."""

    namespace: str = ""
    metric_name: str = ""
    dimensions: dict[str, str] = Field(default_factory=dict)
    stat: str = ""
    period: int | None = None


class AlarmNotice(Value):
    """One state change of one alarm, whichever way it came. `event_id` is the sender's id of the change, the same on redelivery.

    `contributor` names the one series of a multi-series alarm that changed; `occurred_at` is the sender's time, kept as data.
    """

    event_id: str
    via: str
    alarm_name: str
    alarm_arn: str
    account: str
    region: str
    state: AlarmState
    previous_state: AlarmState | None = None
    reason: str = ""
    description: str = ""
    contributor: str | None = None
    metrics: tuple[AlarmMetric, ...] = ()
    threshold: float | None = None
    comparison: str | None = None
    recent_datapoints: tuple[float, ...] = ()
    occurred_at: UtcTime
    muted: bool = False


class Outcome(StrEnum):
    """What became of an event that arrived. Received = the sum of these and of what went to the dead-letter queue."""

    OPENED = "OPENED"
    DEDUPED = "DEDUPED"
    SUPPRESSED = "SUPPRESSED"
    REJECTED = "REJECTED"
    DEFERRED = "DEFERRED"


class AlarmEvent(Value):
    """A ledger row: an event as it arrived (`raw`), and its outcome with the reason.

    A row belongs to one delivery: the same event delivered twice is two rows (of one `event_id`), so that received = the sum of outcomes.
    """

    event_id: str
    delivery_id: str = ""
    incident_id: str
    alarm_name: str
    state: AlarmState | None = None
    received_at: UtcTime
    occurred_at: UtcTime | None = None
    outcome: Outcome | None = None
    reason: str = ""
    run_id: str | None = None
    raw: JsonObject = Field(default_factory=dict)
    expires_at: UtcTime | None = None

    @property
    def row_id(self) -> str:
        """What names the row, beside its incident and `received_at`."""
        return self.delivery_id or self.event_id


class Episode(Value):
    """One spell of trouble of one alarm, from its first ALARM until it has been quiet for the cool-down.

    `session_id` is the session of its runs.
    """

    incident_id: str
    opened_at: UtcTime
    session_id: str
    alarm_name: str
    alarm_arn: str = ""
    account: str = ""
    region: str = ""
    state: AlarmState = AlarmState.ALARM
    last_event_at: UtcTime
    event_count: int = 1
    run_id: str | None = None


class IncidentRecord(Value):
    """An incident with its episodes (newest first) and the events of the newest ones."""

    incident_id: str
    episodes: tuple[Episode, ...] = ()
    events: tuple[AlarmEvent, ...] = ()
