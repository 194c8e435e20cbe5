"""An event without the secrets and personal data of its texts: it is stored so, and read again so."""

import json

from superbiz.domain import leaves
from superbiz.domain.values import JsonObject

# What an event is told apart by, and what the account is asked with: names, places and dimensions stay as they came.
NAMING = frozenset(
    [
        "alarmName",
        "AlarmName",
        "alarmArn",
        "AlarmArn",
        "resources",
        "AWSAccountId",
        "account",
        "accountId",
        "region",
        "Region",
        "id",
        "MessageId",
        "TopicArn",
        "dimensions",
        "Dimensions",
        "namespace",
        "Namespace",
        "time",
        "AlarmContributorId",
        "alertname",
        "fingerprint",
        "groupKey",
        "startsAt",
        "endsAt",
    ]
)
DEEPEST = 4


def cleaned(event: JsonObject, change: leaves.Change, depth: int = 0) -> JsonObject:
    """An event within an event's text (SNS, SQS) is cleaned as an event, so that it can be read as before."""

    def clean(text: str, name: str) -> str:
        inner = _object(text) if depth < DEEPEST else None
        return change(text, name) if inner is None else json.dumps(cleaned(inner, change, depth + 1), ensure_ascii=False)

    found: JsonObject = leaves.changed(event, clean, spared=NAMING)
    return found


def _object(text: str) -> JsonObject | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
