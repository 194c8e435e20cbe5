"""The event that an alarm's change of state sent, made again from its definition and its history as EventBridge would have it."""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from superbiz.adapters.cloudwatch import alarms
from superbiz.adapters.cloudwatch.asking import listed
from superbiz.adapters.cloudwatch.session import Clients, utc
from superbiz.domain.values import JsonObject, Window, iso
from superbiz.ports import SourceUnavailable

ALARM = "ALARM"
PAGES = 2
BEFORE = timedelta(days=14)  # an alarm may have been in ALARM for long when the window begins
NOT_FOUND = "NOT_FOUND"


def event_of(clients: Clients, name: str, window: Window) -> JsonObject:
    """The first change to ALARM in the window, else the last one before it, else the alarm as it stands.

    Raises SourceUnavailable (NOT_FOUND) where there is no such alarm.
    """
    definition = alarms.family(clients, name).own
    if not definition:
        raise SourceUnavailable(f"alarm {name}", f"it is not in region {clients.reach.region} of this account", NOT_FOUND)
    changes = [*_changes(clients, name, window)]
    inside = [c for c in changes if window.holds(c["at"])]
    chosen = next(iter(inside), None) or next(reversed(changes), None) or _as_it_stands(definition)
    arn = str(definition["AlarmArn"])
    return {
        "version": "0",
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{arn}/{iso(chosen['at'])}")),
        "detail-type": "CloudWatch Alarm State Change",
        "source": "aws.cloudwatch",
        "account": arn.split(":")[4],
        "time": iso(chosen["at"]),
        "region": arn.split(":")[3],
        "resources": [arn],
        "detail": {
            "alarmName": name,
            "state": chosen["state"],
            "previousState": chosen["before"],
            "configuration": {"description": definition.get("AlarmDescription") or ""} | _configured(definition),
        },
    }


def _changes(clients: Clients, name: str, window: Window) -> Iterator[JsonObject]:
    """Changes to ALARM up to the window's end, in order. Where the history is refused, the alarm as it stands has to do."""
    try:
        found = listed(clients, alarms.HISTORY, "cloudwatch", "DescribeAlarmHistory", "AlarmHistoryItems", "NextToken", PAGES,
                       AlarmName=name, AlarmTypes=list(alarms.TYPES), HistoryItemType="StateUpdate", StartDate=window.start - BEFORE,
                       EndDate=window.end, ScanBy="TimestampDescending", MaxRecords=alarms.PAGE)  # fmt: skip
    except SourceUnavailable:
        return
    for item in reversed(found.rows):
        change = _change(item)
        if change is not None and change["state"]["value"] == ALARM:
            yield change


def _change(item: JsonObject) -> JsonObject | None:
    try:
        data = json.loads(item.get("HistoryData") or "{}")
        new, old = data.get("newState") or {}, data.get("oldState") or {}
    except (ValueError, AttributeError):  # AWS cuts long data off
        return None
    if not isinstance(item.get("Timestamp"), datetime) or not new.get("stateValue"):
        return None
    at = utc(item["Timestamp"])
    return {"at": at, "state": _state(new, at), "before": _state(old, at)}


def _state(given: Mapping[str, Any], at: datetime) -> JsonObject:
    """As history keeps a state, in EventBridge's spelling: `reasonData` is a JSON text."""
    state = {"value": given.get("stateValue") or "INSUFFICIENT_DATA", "reason": given.get("stateReason") or ""}
    data = given.get("stateReasonData")
    if data:
        state["reasonData"] = data if isinstance(data, str) else json.dumps(data, separators=(",", ":"))
    return state | {"timestamp": _stamp(at)}


def _as_it_stands(definition: JsonObject) -> JsonObject:
    at = utc(
        definition["StateTransitionedTimestamp"] if "StateTransitionedTimestamp" in definition else definition["StateUpdatedTimestamp"]
    )
    now = {"stateValue": definition.get("StateValue"), "stateReason": definition.get("StateReason"),
           "stateReasonData": definition.get("StateReasonData")}  # fmt: skip
    return {"at": at, "state": _state(now, at), "before": _state({}, at)}


def _configured(definition: JsonObject) -> JsonObject:
    """A plain metric, the queries of metric math, or the rule of a composite alarm."""
    if definition.get("AlarmRule"):
        return {"alarmRule": definition["AlarmRule"]}
    if definition.get("MetricName"):
        stat = definition.get("Statistic") or definition.get("ExtendedStatistic") or ""
        return {"metrics": [_metric({"Id": "m1", "ReturnData": True}, definition, stat, definition.get("Period"))]}
    return {"metrics": [_query(query) for query in definition.get("Metrics", ())]}


def _query(query: JsonObject) -> JsonObject:
    of = query.get("MetricStat")
    if of:
        return _metric(query, of["Metric"], of.get("Stat", ""), of.get("Period"))
    return _head(query) | {"expression": query.get("Expression") or "", "label": query.get("Label") or ""}


def _metric(query: JsonObject, metric: JsonObject, stat: str, period: Any) -> JsonObject:
    dimensions: Sequence[JsonObject] = metric.get("Dimensions", ())
    named = {"namespace": metric.get("Namespace") or "", "name": metric.get("MetricName") or "",
             "dimensions": {d["Name"]: d["Value"] for d in dimensions}}  # fmt: skip
    return _head(query) | {"metricStat": {"metric": named, "period": period, "stat": stat}}


def _head(query: JsonObject) -> JsonObject:
    return {"id": query.get("Id") or "", "returnData": bool(query.get("ReturnData", True))}


def _stamp(at: datetime) -> str:
    """EventBridge's inner times: milliseconds, and an offset without a colon."""
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}+0000"
