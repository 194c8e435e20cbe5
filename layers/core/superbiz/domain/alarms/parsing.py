"""From an event to a notice, or to the reason why it is none."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from superbiz.domain import ids
from superbiz.domain.alarms import forms, reading
from superbiz.domain.alarms.found import Found
from superbiz.domain.alarms.reading import at, inner_json, items, text
from superbiz.domain.incidents import AlarmNotice, AlarmState
from superbiz.domain.values import JsonObject

STACK_TAG = "aws:cloudformation:stack-name"
DATAPOINTS = 20
ENVELOPES = 3
RECORDS = 100


class Dropped(NamedTuple):
    """An event that is no alarm change to look into. `event_id` and `alarm_name` are empty where the event has none."""

    reason: str
    event_id: str = ""
    alarm_name: str = ""


def unpack(event: JsonObject) -> tuple[JsonObject, ...]:
    """The single events inside: an event in `Records` form (SNS to Lambda, SQS to Lambda) may carry several. Never empty.

    One with more than a hundred inside is nothing that AWS sends: it stays as it is, and will be dropped whole.
    """
    inner = [event]
    for _ in range(ENVELOPES):
        inner = [one for e in inner for one in _records(e)]
        if len(inner) > RECORDS:
            return (event,)
    return tuple(inner)


def parse(event: JsonObject, *, stack_name: str, received_at: datetime | None = None) -> AlarmNotice | Dropped:
    """Read one event; of several in `Records` form the first. `received_at` stands in where the event tells no usable time.

    The stack's own alarms (by name or by tag) are dropped: the product must not be set off by itself.
    """
    single = unpack(event)[0]
    found = next((f for form in forms.FORMS if (f := form(single))), None)
    if found is None:
        return _foreign(single)
    return _refused(found, stack_name) or _notice(found, received_at)


def _records(event: JsonObject) -> list[JsonObject]:
    """An SNS record yields its envelope, an SQS record its body where that is an object; anything else yields itself."""
    records = at(event, "Records")
    inner = [_inner(r) for r in records if isinstance(r, Mapping)] if isinstance(records, list) else []
    return inner or [event]


def _inner(record: Any) -> JsonObject:
    if isinstance(at(record, "Sns"), Mapping):
        return dict(record["Sns"])
    return inner_json(at(record, "body")) or dict(record)


def _foreign(event: JsonObject) -> Dropped:
    event_id = text(event, "id", limit=reading.ID_CHARS) or text(event, "MessageId", limit=reading.ID_CHARS)
    kind = text(event, "detail-type", limit=100)
    if kind == forms.CONFIGURATION_CHANGE:
        return Dropped("a change of the alarm's configuration, not of its state", event_id, text(event, "detail", "alarmName", limit=255))
    source = text(event, "source", limit=100)
    what = ", ".join(part for part in (source and f"source {source}", kind and f"type {kind}") if part)
    return Dropped(f"not a CloudWatch alarm's state change ({what or 'of no known form'})", event_id)


def _refused(found: Found, stack_name: str) -> Dropped | None:
    if not found.name:
        return Dropped("an alarm change without the alarm's name", found.event_id)
    if len(found.name) > reading.NAME_CHARS:
        return Dropped(f"an alarm's name of over {reading.NAME_CHARS} characters", found.event_id, found.name[: reading.NAME_CHARS])
    if found.state not in AlarmState.__members__:
        return Dropped(f"state {found.state[:40]!r} is none of {', '.join(AlarmState)}", found.event_id, found.name)
    if stack_name and (found.name.startswith(f"{stack_name}-") or found.tags.get(STACK_TAG) == stack_name):
        return Dropped("an alarm of this stack itself", found.event_id, found.name)
    return None


def _notice(found: Found, received_at: datetime | None) -> AlarmNotice | Dropped:
    occurred_at = next((t for given in found.times if (t := reading.moment(given))), received_at)
    if occurred_at is None:
        return Dropped("an alarm change without a usable time", found.event_id, found.name)
    region, account = _place(found)
    arn = found.arn if reading.arn_parts(found.arn) else f"arn:aws:cloudwatch:{region}:{account}:alarm:{found.name}"
    return AlarmNotice(
        event_id=found.event_id or ids.derived("alarm event", arn, found.contributor, found.state, occurred_at.isoformat()),
        via=found.via,
        alarm_name=found.name,
        alarm_arn=arn,
        account=account,
        region=region,
        state=AlarmState(found.state),
        previous_state=AlarmState(found.previous) if found.previous in AlarmState.__members__ else None,
        reason=found.reason,
        description=found.description,
        contributor=found.contributor or None,
        metrics=found.metrics,
        threshold=_first_number(found.threshold, at(found.reason_data, "threshold")),
        comparison=found.comparison or None,
        recent_datapoints=_datapoints(found.reason_data),
        occurred_at=occurred_at,
        muted=found.muted,
    )


def _place(found: Found) -> tuple[str, str]:
    """(region, account): the ARN's, so that one alarm is one incident whichever way it came."""
    owner = reading.arn_parts(found.arn)
    if owner:
        return owner[0], owner[1]
    pieces = found.arn.split(":")
    return reading.region(found.region, pieces[3] if len(pieces) > 3 else ""), found.account[:64]


def _first_number(*values: Any) -> float | None:
    return next((n for value in values if (n := reading.number(value)) is not None), None)


def _datapoints(reason_data: JsonObject) -> tuple[float, ...]:
    return tuple(n for value in items(reason_data, "recentDatapoints")[:DATAPOINTS] if (n := reading.number(value)) is not None)
