"""The forms of an alarm's state change, each read into the same `Found`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from superbiz.domain.alarms import reading
from superbiz.domain.alarms.found import Found
from superbiz.domain.alarms.reading import at, inner_json, items, mapping, text
from superbiz.domain.alarms.webhooks import alertmanager
from superbiz.domain.incidents import AlarmMetric
from superbiz.domain.values import JsonObject

STATE_CHANGES = ("CloudWatch Alarm State Change", "CloudWatch Alarm Contributor State Change")
CONFIGURATION_CHANGE = "CloudWatch Alarm Configuration Change"
# A composite alarm in its wait period is not muted yet: its suppressor may never come, and then nobody would have looked.
UNDECIDED_SUPPRESSION = ("", "WaitPeriod")
STATISTICS = {name.upper(): name for name in ("Average", "Sum", "Minimum", "Maximum", "SampleCount")}


def eventbridge(event: JsonObject) -> Found | None:
    """`CloudWatch Alarm State Change`, and the same of one contributor of a multi-series alarm."""
    if at(event, "source") != "aws.cloudwatch" or at(event, "detail-type") not in STATE_CHANGES:
        return None
    resources = items(event, "resources")
    return _cloudwatch(
        mapping(event, "detail"),
        via="eventbridge",
        event_id=text(event, "id", limit=reading.ID_CHARS),
        arn=text(resources[0]) if resources else "",
        account=text(event, "account"),
        region=text(event, "region"),
        time=at(event, "time"),
    )


def lambda_action(event: JsonObject) -> Found | None:
    """What an alarm sends to its Lambda action. It has no id of its own."""
    if at(event, "source") != "aws.cloudwatch" or not isinstance(at(event, "alarmData"), Mapping):
        return None
    return _cloudwatch(
        mapping(event, "alarmData"),
        via="lambda",
        event_id="",
        arn=text(event, "alarmArn"),
        account=text(event, "accountId"),
        region=text(event, "region"),
        time=at(event, "time"),
    )


def sns_message(message: JsonObject) -> Found | None:
    """The alarm's SNS message, with or without its envelope. A composite alarm has an `AlarmRule` and no `Trigger`."""
    envelope, body = message, inner_json(at(message, "Message"))
    if not body:
        envelope, body = {}, message
    if not isinstance(at(body, "NewStateValue"), str):
        return None
    trigger = mapping(body, "Trigger")
    return Found(
        via="sns",
        event_id=text(envelope, "MessageId", limit=reading.ID_CHARS),
        name=text(body, "AlarmName", limit=reading.NAME_CHARS + 1),
        arn=text(body, "AlarmArn"),
        account=text(body, "AWSAccountId"),
        region=reading.region(text(body, "Region"), *text(envelope, "TopicArn").split(":")[3:4]),
        state=text(body, "NewStateValue"),
        previous=text(body, "OldStateValue"),
        reason=text(body, "NewStateReason"),
        reason_data=inner_json(at(body, "NewStateReasonData")),
        description=text(body, "AlarmDescription"),
        contributor=text(body, "AlarmContributorId", limit=reading.ID_CHARS),
        metrics=_sns_metrics(trigger),
        threshold=reading.number(at(trigger, "Threshold")),
        comparison=text(trigger, "ComparisonOperator", limit=100),
        times=(at(body, "StateChangeTime"), at(envelope, "Timestamp")),
        muted=text(body, "ActionsSuppressedBy") not in UNDECIDED_SUPPRESSION,
        tags=mapping(body, "AlarmTags"),
    )


FORMS: tuple[Callable[[JsonObject], Found | None], ...] = (eventbridge, lambda_action, sns_message, alertmanager)


def _cloudwatch(detail: JsonObject, *, via: str, event_id: str, arn: str, account: str, region: str, time: Any) -> Found:
    """The shape that EventBridge's `detail` and the Lambda action's `alarmData` share."""
    state = mapping(detail, "state")
    reason_data = inner_json(at(state, "reasonData"))
    return Found(
        via=via,
        event_id=event_id,
        name=text(detail, "alarmName", limit=reading.NAME_CHARS + 1),
        arn=arn,
        account=account,
        region=region,
        state=text(state, "value"),
        previous=text(detail, "previousState", "value"),
        reason=text(state, "reason"),
        reason_data=reason_data,
        description=text(detail, "configuration", "description"),
        contributor=text(detail, "alarmContributor", "id", limit=reading.ID_CHARS),
        metrics=_configured_metrics(items(detail, "configuration", "metrics")),
        threshold=reading.number(at(detail, "configuration", "threshold")),
        comparison=text(detail, "configuration", "comparisonOperator", limit=100),
        times=(at(state, "timestamp"), time),
        muted=bool(mapping(detail, "muteDetail")) or text(state, "actionsSuppressedBy") not in UNDECIDED_SUPPRESSION,
        tags=mapping(detail, "alarmTags"),
    )


def _configured_metrics(queries: Sequence[Any]) -> tuple[AlarmMetric, ...]:
    """The metrics behind an alarm. An expression (metric math, anomaly band, query) is none; what it is made of is."""
    return tuple(_metric(q["metricStat"]) for q in queries if isinstance(at(q, "metricStat", "metric"), Mapping))


def _sns_metrics(trigger: JsonObject) -> tuple[AlarmMetric, ...]:
    """The same out of an SNS `Trigger`, which is one metric or, for metric math, a list of queries."""
    queries = [q["MetricStat"] for q in items(trigger, "Metrics") if isinstance(at(q, "MetricStat", "Metric"), Mapping)]
    if not queries and text(trigger, "MetricName"):
        queries = [{"Metric": trigger, "Period": at(trigger, "Period"), "Stat": _either(trigger, "ExtendedStatistic", "Statistic")}]
    return tuple(_metric(q) for q in queries)


def _metric(query: JsonObject) -> AlarmMetric:
    """EventBridge spells keys in camelCase, SNS in PascalCase."""
    metric = mapping(query, "metric") or mapping(query, "Metric")
    return AlarmMetric(
        namespace=_either(metric, "namespace", "Namespace")[: reading.NAME_CHARS],
        metric_name=_either(metric, "name", "MetricName")[: reading.NAME_CHARS],
        dimensions=_dimensions(at(metric, "dimensions") or at(metric, "Dimensions")),
        stat=_stat(_either(query, "stat", "Stat")),
        period=reading.whole(at(query, "period") or at(query, "Period")),
    )


def _stat(given: str) -> str:
    """SNS writes a statistic in capitals; everywhere else it is `Average`. Percentiles (`p99`) stay as they are."""
    return STATISTICS.get(given.upper(), given[: reading.NAME_CHARS])


def _dimensions(given: Any) -> dict[str, str]:
    """A map (EventBridge) or a list of `{name, value}` (SNS)."""
    if isinstance(given, Mapping):
        pairs = [(key, value) for key, value in given.items() if isinstance(key, str)]
    else:
        pairs = [(_either(d, "name", "Name"), at(d, "value") or at(d, "Value")) for d in items({"given": given}, "given")]
    return {text(key): text(value) for key, value in pairs[: reading.ITEMS] if key and isinstance(value, str)}


def _either(value: Any, *keys: str) -> str:
    return next((found for key in keys if (found := text(value, key))), "")
