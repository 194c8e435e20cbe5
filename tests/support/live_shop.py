"""A whole account as AWS would answer for it: a function that fails because somebody took its table's write capacity away.

`api` calls `pay` calls the table `orders`. At FAULT the table's capacity is lowered; three minutes later the alarm on `pay`'s errors is on.
"""

import json
import math
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from support.fake_account import ACCOUNT, REGION, FakeAccount, Json
from support.insights import Insights, Line

NOW = datetime(2026, 5, 19, 15, 0, tzinfo=UTC)
CHANGED = NOW - timedelta(minutes=2)
FAULT = NOW - timedelta(minutes=20)
DAY = timedelta(days=1)
ALARM, GROUP = "pay-errors", "/aws/lambda/pay"
MINUTE = timedelta(minutes=1)
T0 = int(NOW.timestamp())

FAILURE = (
    "ERROR RequestId: {n} ProvisionedThroughputExceededException: The level of configured throughput for the table orders was exceeded"
)

TRIGGER: Json = {
    "version": "0",
    "id": "9a4b3c1d-0000-4000-8000-000000000001",
    "detail-type": "CloudWatch Alarm State Change",
    "source": "aws.cloudwatch",
    "account": ACCOUNT,
    "time": CHANGED.isoformat().replace("+00:00", "Z"),
    "region": REGION,
    "resources": [f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{ALARM}"],
    "detail": {
        "alarmName": ALARM,
        "state": {
            "value": "ALARM",
            "reason": "Threshold Crossed: 3 out of the last 3 datapoints were greater than the threshold (5.0).",
            "timestamp": CHANGED.strftime("%Y-%m-%dT%H:%M:%S.000+0000"),
        },
        "previousState": {"value": "OK", "reason": "", "timestamp": "2026-05-18T09:00:00.000+0000"},
        "configuration": {
            "metrics": [
                {
                    "id": "m1",
                    "metricStat": {
                        "metric": {"namespace": "AWS/Lambda", "name": "Errors", "dimensions": {"FunctionName": "pay"}},
                        "period": 60,
                        "stat": "Sum",
                    },
                    "returnData": True,
                }
            ]
        },
    },
}

# Ordinary value, how far it swings, and the value under the fault.
LEVELS: dict[tuple[str, str, str], tuple[float, float, float]] = {
    ("pay", "Errors", "Sum"): (0.0, 0.0, 140.0),
    ("pay", "Invocations", "Sum"): (600.0, 40.0, 600.0),
    ("pay", "Duration", "Average"): (35.0, 4.0, 460.0),
    ("pay", "Duration", "p99"): (90.0, 9.0, 2900.0),
    ("pay", "Throttles", "Sum"): (0.0, 0.0, 0.0),
    ("orders", "WriteThrottleEvents", "Sum"): (0.0, 0.0, 260.0),
    ("orders", "ConsumedWriteCapacityUnits", "Sum"): (3100.0, 200.0, 300.0),
    ("orders", "SuccessfulRequestLatency", "Average"): (4.0, 0.4, 4.0),
    ("orders", "SuccessfulRequestLatency", "p99"): (9.0, 0.9, 9.0),
}
METRICS = {"pay": ("AWS/Lambda", "FunctionName"), "orders": ("AWS/DynamoDB", "TableName")}


def account() -> FakeAccount:
    """All that the live source asks is answered."""
    return FakeAccount(answers())


def answers() -> dict[tuple[str, str], Any]:
    """For a FakeAccount, so that a test can take some away."""
    return {
        ("cloudwatch", "DescribeAlarms"): _alarms,
        ("cloudwatch", "DescribeAlarmHistory"): _history,
        ("cloudwatch", "ListMetrics"): _list_metrics,
        ("cloudwatch", "GetMetricData"): _metric_data,
        ("logs", "DescribeLogGroups"): _log_groups,
        **Insights(lines()).answers(),
        ("xray", "GetServiceGraph"): {"Services": GRAPH},
        ("xray", "GetTimeSeriesServiceStatistics"): _statistics,
        ("xray", "GetTraceSummaries"): _summaries,
        ("xray", "BatchGetTraces"): _traces,
        ("lambda", "GetFunctionConfiguration"): {"FunctionName": "pay", "LoggingConfig": {"LogFormat": "Text", "LogGroup": GROUP}},
        ("lambda", "ListEventSourceMappings"): {"EventSourceMappings": []},
        ("resourcegroupstaggingapi", "GetResources"): {"ResourceTagMappingList": []},
        ("cloudtrail", "LookupEvents"): _trail,
        ("rds", "DescribeEvents"): {"Events": []},
        ("rds", "DescribeDBInstances"): {"DBInstances": []},
        ("codedeploy", "ListDeployments"): {"deployments": []},
        ("health", "DescribeEvents"): {"events": []},
        ("autoscaling", "DescribeScalingActivities"): {"Activities": []},
        ("application-autoscaling", "DescribeScalingActivities"): {"ScalingActivities": []},
    }


GRAPH = [
    {"ReferenceId": 0, "Name": "api", "Type": "client", "Edges": [{"ReferenceId": 1}]},
    {"ReferenceId": 1, "Name": "api", "Type": "AWS::ECS::Fargate", "Edges": [{"ReferenceId": 2}]},
    {"ReferenceId": 2, "Name": "pay", "Type": "AWS::Lambda", "Edges": [{"ReferenceId": 3}]},
    {"ReferenceId": 3, "Name": "pay", "Type": "AWS::Lambda::Function", "Edges": [{"ReferenceId": 4}]},
    {"ReferenceId": 4, "Name": "orders", "Type": "AWS::DynamoDB::Table", "Edges": []},
]


def _broken(moment: datetime) -> bool:
    return FAULT <= moment < NOW + timedelta(hours=1)


def _alarms(request: Json) -> Json:
    if request["AlarmTypes"] != ["MetricAlarm"]:
        return {"CompositeAlarms": []}
    own = {
        "AlarmName": ALARM,
        "AlarmArn": f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{ALARM}",
        "StateValue": "ALARM",
        "StateReason": TRIGGER["detail"]["state"]["reason"],
        "StateTransitionedTimestamp": CHANGED,
        "StateUpdatedTimestamp": CHANGED,
        "Namespace": "AWS/Lambda",
        "MetricName": "Errors",
        "Dimensions": [{"Name": "FunctionName", "Value": "pay"}],
        "Statistic": "Sum",
        "Period": 60,
    }
    return {"MetricAlarms": [own] if request.get("StateValue", "ALARM") == "ALARM" else []}


def _history(request: Json) -> Json:
    item = {
        "AlarmName": ALARM,
        "Timestamp": CHANGED,
        "HistoryItemType": "StateUpdate",
        "HistorySummary": "Alarm updated from OK to ALARM",
        "HistoryData": json.dumps(
            {"oldState": {"stateValue": "OK"}, "newState": {"stateValue": "ALARM", "stateReason": "Threshold Crossed"}}
        ),
    }
    return {"AlarmHistoryItems": [item] if request["AlarmTypes"] != ["CompositeAlarm"] else []}


def _list_metrics(request: Json) -> Json:
    wanted = {d["Name"]: d.get("Value") for d in request.get("Dimensions", ())}
    names = dict.fromkeys((name, metric) for name, metric, _ in LEVELS)
    rows = [
        {"Namespace": namespace, "MetricName": metric, "Dimensions": [{"Name": dimension, "Value": name}]}
        for name, metric in names
        for namespace, dimension in [METRICS[name]]
        if namespace == request["Namespace"]
        and metric == request.get("MetricName", metric)
        and wanted.get(dimension, name) in (name, None)
        and set(wanted) <= {dimension}
    ]
    return {"Metrics": rows}


def _metric_data(request: Json) -> Json:
    return {"MetricDataResults": [_datapoints(query, request["StartTime"], request["EndTime"]) for query in request["MetricDataQueries"]]}


def _datapoints(query: Json, start: datetime, end: datetime) -> Json:
    metric, stat = query["MetricStat"]["Metric"], query["MetricStat"]["Stat"]
    level = LEVELS.get((metric["Dimensions"][0]["Value"], metric["MetricName"], stat))
    times = list(_steps(start, min(end, NOW), query["MetricStat"]["Period"])) if level else []
    points = [(t, _value(t, *level)) for t in times] if level else []
    kept = [(t, v) for t, v in points if v or metric["MetricName"] != "WriteThrottleEvents"]  # written only where there are some
    return {"Id": query["Id"], "Timestamps": [t for t, _ in kept], "Values": [v for _, v in kept], "StatusCode": "Complete"}


def _steps(start: datetime, end: datetime, seconds: int) -> Iterator[datetime]:
    while start < end:
        yield start
        start += timedelta(seconds=seconds)


def _value(moment: datetime, usual: float, swing: float, broken: float) -> float:
    wave = math.sin(moment.timestamp() / 777)
    return round(broken * (1 + wave / 20) if _broken(moment) else usual + swing * wave, 3)


def _log_groups(request: Json) -> Json:
    prefix, part = request.get("logGroupNamePrefix", ""), request.get("logGroupNamePattern", "")
    return {"logGroups": [{"logGroupName": GROUP, "creationTime": 1}] if GROUP.startswith(prefix) and part in GROUP else []}


def lines() -> Iterable[Line]:
    """Two requests a minute, today, and the day before at the same hours; half of them fail under the fault."""
    for day in (timedelta(0), DAY):
        for n in range(240):
            moment = NOW - day - timedelta(seconds=30 * (n + 1))
            at = int(moment.timestamp() * 1000)
            yield Line(GROUP, at, f"START RequestId: {n} Version: 7")
            yield Line(GROUP, at + 5, FAILURE.format(n=n) if _broken(moment) and n % 2 else f"INFO RequestId: {n} order stored")


def _statistics(request: Json) -> Json:
    failing = "api" in request["EntitySelectorExpression"] or "pay" in request["EntitySelectorExpression"]

    def counts(moment: datetime) -> Json:
        broken = _broken(moment) and failing
        return {
            "TotalCount": 100,
            "FaultStatistics": {"TotalCount": 25 if broken else 0},
            "ErrorStatistics": {"ThrottleCount": 0},
            "TotalResponseTime": 46.0 if broken else 3.5 + math.sin(moment.timestamp() / 777) / 4,
        }

    times = _steps(request["StartTime"].replace(second=0), min(request["EndTime"], NOW), request["Period"])
    return {"TimeSeriesServiceStatistics": [{"Timestamp": t, "ServiceSummaryStatistics": counts(t)} for t in times]}


def _summaries(request: Json) -> Json:
    start, end = int(request["StartTime"].timestamp()), int(request["EndTime"].timestamp())
    return {"TraceSummaries": [{"Id": f"1-{s:08x}-{s:024x}"} for s in range(start - start % 60, end, 60) if s >= start]}


def _traces(request: Json) -> Json:
    return {"Traces": [{"Id": i, "Segments": _segments(i)} for i in request["TraceIds"]]}


def _segments(identity: str) -> list[Json]:
    start = int(identity.split("-")[1], 16)
    failed = _broken(datetime.fromtimestamp(start, UTC)) and (start // 60) % 2 == 0
    took = 2.8 if failed else 0.04
    ids = [f"{letter}{start:015x}" for letter in "abcd"]
    call = {"id": ids[1], "name": "DynamoDB", "namespace": "aws", "aws": {"operation": "PutItem", "table_name": "orders"},
            "start_time": start + 0.01, "end_time": start + took - 0.01, "throttle": failed, "error": failed}  # fmt: skip
    pay = {"id": ids[0], "trace_id": identity, "name": "pay", "origin": "AWS::Lambda::Function", "start_time": start,
           "end_time": start + took, "fault": failed, "subsegments": [call]}  # fmt: skip
    table = {"id": ids[2], "trace_id": identity, "parent_id": ids[1], "name": "orders", "origin": "AWS::DynamoDB::Table",
             "inferred": True, "aws": call["aws"],
             "start_time": start + 0.01, "end_time": start + took - 0.01, "throttle": failed}  # fmt: skip
    return [{"Id": s["id"], "Document": json.dumps(s)} for s in (pay, table)]


def _trail(request: Json) -> Json:
    moment = FAULT - timedelta(minutes=1)
    event = {
        "EventId": "e1",
        "EventName": "UpdateTable",
        "EventTime": moment,
        "EventSource": "dynamodb.amazonaws.com",
        "ReadOnly": "false",
        "Username": "anna",
        "Resources": [{"ResourceType": "AWS::DynamoDB::Table", "ResourceName": "orders"}],
        "CloudTrailEvent": json.dumps({"requestParameters": {"tableName": "orders", "provisionedThroughput": {"writeCapacityUnits": 5}}}),
    }
    return {"Events": [event] if request["StartTime"] <= moment < request["EndTime"] else []}
