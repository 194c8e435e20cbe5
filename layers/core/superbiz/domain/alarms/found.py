"""What an alarm event says, whichever form it came in."""

from typing import Any, NamedTuple

from superbiz.domain.incidents import AlarmMetric
from superbiz.domain.values import JsonObject


class Found(NamedTuple):
    """What a form says, before it is judged. Texts may be empty, `times` holds candidates, the best first."""

    via: str
    event_id: str
    name: str
    arn: str
    account: str
    region: str
    state: str
    previous: str
    reason: str
    reason_data: JsonObject
    description: str
    contributor: str
    metrics: tuple[AlarmMetric, ...]
    threshold: float | None
    comparison: str
    times: tuple[Any, ...]
    muted: bool
    tags: JsonObject
