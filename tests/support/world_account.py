"""An AWS account that answers with what a world holds: the APIs' shapes over a recorded incident."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from superbiz.adapters.cloudwatch.actions import ACTIONS
from superbiz.adapters.snapshot import SnapshotSource
from superbiz.domain.observations import LogLine, Series, Span, at
from support.fake_account import ACCOUNT, REGION, Answer, FakeAccount, Json

LIMIT = re.compile(r"\| limit (\d+)")
WRITTEN = ("deploy", "ecs", "cloudtrail")  # sources of changes that CloudTrail would tell of


def world_account(world: SnapshotSource, **answers: Answer) -> FakeAccount:
    """Every operation of the adapter answers, those that the world says nothing of with nothing. `answers` replace some
    (`logs_StartQuery=DENIED`)."""
    own = {tuple(key.split("_")): answer for key, answer in answers.items()}
    nothing: dict[tuple[str, str], Answer] = {(a.service, a.operation): {} for a in ACTIONS}
    return FakeAccount({**nothing, ("sts", "GetCallerIdentity"): {"Account": ACCOUNT}, **_World(world).answers(), **own})


class _World:
    def __init__(self, source: SnapshotSource) -> None:
        self._source = source
        self._queries: list[Json] = []

    def answers(self) -> dict[tuple[str, str], Callable[[Json], Json]]:
        return {
            ("cloudwatch", "DescribeAlarms"): self.describe_alarms,
            ("cloudwatch", "DescribeAlarmHistory"): self.alarm_history,
            ("cloudwatch", "ListMetrics"): self.list_metrics,
            ("cloudwatch", "GetMetricData"): self.metric_data,
            ("logs", "DescribeLogGroups"): self.log_groups,
            ("logs", "StartQuery"): self.start_query,
            ("logs", "GetQueryResults"): self.query_results,
            ("xray", "GetServiceGraph"): self.service_graph,
            ("xray", "GetTraceSummaries"): self.trace_summaries,
            ("xray", "BatchGetTraces"): self.traces,
            ("cloudtrail", "LookupEvents"): self.trail,
            ("rds", "DescribeEvents"): self.rds_events,
        }

    # ------------------------------------------------------------ alarms

    def describe_alarms(self, request: Json) -> Json:
        if request.get("AlarmTypes") == ["CompositeAlarm"]:
            return {"CompositeAlarms": []}
        names, state = request.get("AlarmNames"), request.get("StateValue")
        rows = [r for r in self._source.alarms().alarms if (not names or r.name in names) and state in (None, r.state)]
        return {"MetricAlarms": [self._alarm(row) for row in rows]}

    def _alarm(self, row: Any) -> Json:
        namespace, _, metric = row.metric.rpartition(" ")
        moment = row.updated or self._source.now()
        return {
            "AlarmName": row.name, "AlarmArn": f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{row.name}", "StateValue": row.state,
            "StateReason": row.reason, "StateUpdatedTimestamp": moment, "StateTransitionedTimestamp": moment, "MetricName": metric,
            "Namespace": namespace, "Statistic": "Average", "Period": 60, "Threshold": 98.0, "ComparisonOperator": "LessThanThreshold",
            "Dimensions": [{"Name": name, "Value": value} for name, value in row.dimensions.items()],
        }  # fmt: skip

    def alarm_history(self, request: Json) -> Json:
        asked = request.get("AlarmName")
        if request.get("AlarmTypes") == ["CompositeAlarm"]:
            return {"AlarmHistoryItems": []}
        rows = [
            c
            for c in self._source.alarms().history
            if asked in (None, c.alarm) and request["StartDate"] <= c.timestamp < request["EndDate"]
        ]
        return {"AlarmHistoryItems": [self._changed(c) for c in sorted(rows, key=lambda c: c.timestamp, reverse=True)]}

    def _changed(self, change: Any) -> Json:
        data = {"oldState": {"stateValue": change.from_}, "newState": {"stateValue": change.to, "stateReason": change.reason}}
        trigger = self._source.world.trigger or {}
        told = trigger.get("detail", {})
        if told.get("alarmName") == change.alarm:
            data["newState"]["stateReasonData"] = json.loads(told["state"]["reasonData"])
        return {"AlarmName": change.alarm, "Timestamp": change.timestamp, "HistoryItemType": "StateUpdate", "HistoryData": json.dumps(data)}

    # ------------------------------------------------------------ metrics

    @cached_property
    def _series(self) -> dict[tuple[Any, ...], list[Series]]:
        found: dict[tuple[Any, ...], list[Series]] = defaultdict(list)
        for one in [*(self._source.normal_metrics() or ()), *self._source.metrics(None)]:
            found[one.namespace, one.metric_name, one.stat, _sorted(one.dimensions)].append(one)
        return found

    def list_metrics(self, request: Json) -> Json:
        known = {(namespace, metric, dimensions) for namespace, metric, _, dimensions in self._series}
        rows = [k for k in sorted(known) if request.get("Namespace") in (None, k[0]) and request.get("MetricName") in (None, k[1])
                and all(_has(dict(k[2]), d) for d in request.get("Dimensions", ()))]  # fmt: skip
        return {"Metrics": [{"Namespace": n, "MetricName": m, "Dimensions": [{"Name": k, "Value": v} for k, v in d]} for n, m, d in rows]}

    def metric_data(self, request: Json) -> Json:
        return {"MetricDataResults": [self._result(query, request) for query in request["MetricDataQueries"]]}

    def _result(self, query: Json, request: Json) -> Json:
        asked = query["MetricStat"]
        assert asked["Period"] == 60, "the worlds' series have a datapoint a minute"
        metric = asked["Metric"]
        dimensions = _sorted({d["Name"]: d["Value"] for d in metric.get("Dimensions", ())})
        series = self._series.get((metric["Namespace"], metric["MetricName"], asked["Stat"], dimensions), [])
        points = [(t, v) for s in series for t, v in zip(s.timestamps, s.values, strict=True)
                  if v is not None and request["StartTime"] <= t < request["EndTime"]]  # fmt: skip
        return {"Id": query["Id"], "StatusCode": "Complete", "Timestamps": [t for t, _ in points], "Values": [v for _, v in points]}

    # ------------------------------------------------------------ logs

    @cached_property
    def _lines(self) -> list[LogLine]:
        return sorted([*(self._source.normal_logs() or ()), *self._source.logs(None)], key=lambda line: line.timestamp)

    def log_groups(self, request: Json) -> Json:
        begin, part = request.get("logGroupNamePrefix", ""), request.get("logGroupNamePattern", "")
        names = sorted({line.log_group for line in self._lines})
        return {"logGroups": [{"logGroupName": n, "creationTime": 1} for n in names if n.startswith(begin) and part.lower() in n.lower()]}

    def start_query(self, request: Json) -> Json:
        self._queries.append(request)
        return {"queryId": str(len(self._queries) - 1)}

    def query_results(self, request: Json) -> Json:
        query = self._queries[int(request["queryId"])]
        groups, start, end = query["logGroupNames"], query["startTime"] * 1000, query["endTime"] * 1000
        wanted = [line for line in self._lines if line.log_group in groups and start <= line.timestamp <= end]
        limit = LIMIT.search(query["queryString"])
        assert limit is not None
        rows = [_row(line, n) for n, line in enumerate(wanted[: int(limit[1])])]
        return {"status": "Complete", "results": rows, "statistics": {"recordsMatched": len(wanted), "bytesScanned": 1e6}}

    # ------------------------------------------------------------ traces

    @cached_property
    def _traces(self) -> dict[str, list[Span]]:
        found: dict[str, list[Span]] = defaultdict(list)
        for span in [*(self._source.normal_traces() or ()), *self._source.traces(None)]:
            found[span.trace_id].append(span)
        return found

    def service_graph(self, request: Json) -> Json:
        services = self._source.service_map()
        number = {s.name: n for n, s in enumerate(services)}
        span = {"StartTime": request["StartTime"], "EndTime": request["EndTime"]}
        rows = [{"ReferenceId": number[s.name], "Name": s.name, "Type": "AWS::ECS::Fargate" if s.type in ("service", "gateway") else s.type,
                 "Edges": [{"ReferenceId": number[c], **span} for c in s.calls], **span} for s in services]  # fmt: skip
        return {"Services": rows, **span}

    def trace_summaries(self, request: Json) -> Json:
        begun = {trace_id: at(min(s.start_ms for s in spans)) for trace_id, spans in self._traces.items()}
        return {"TraceSummaries": [{"Id": i, "StartTime": t} for i, t in begun.items() if request["StartTime"] <= t < request["EndTime"]]}

    def traces(self, request: Json) -> Json:
        return {"Traces": [{"Id": i, "Segments": [{"Id": s.span_id, "Document": _segment(s)} for s in self._traces[i]]}
                           for i in request["TraceIds"]]}  # fmt: skip

    # ------------------------------------------------------------ changes

    def trail(self, request: Json) -> Json:
        (attribute,) = request["LookupAttributes"]
        if attribute["AttributeKey"] != "ReadOnly":
            return {"Events": []}
        rows = [
            (n, c)
            for n, c in enumerate(self._source.changes(None))
            if c.source in WRITTEN and _inside(c.time, request, "StartTime", "EndTime")
        ]
        return {"Events": [_trail_event(n, c) for n, c in reversed(rows)]}

    def rds_events(self, request: Json) -> Json:
        rows = [c for c in self._source.changes(None) if c.source == "rds" and _inside(c.time, request, "StartTime", "EndTime")]
        named = request.get("SourceIdentifier")
        return {"Events": [{"SourceIdentifier": c.resource, "SourceType": "db-instance", "Message": c.message, "Date": c.time,
                            "EventCategories": ["backup" if "Backup" in c.name else "notification"]}
                           for c in rows if named in (None, c.resource)]}  # fmt: skip


def _trail_event(number: int, change: Any) -> Json:
    detail = {
        "userIdentity": {"type": "IAMUser", "userName": change.actor},
        "requestParameters": {"service": change.resource, "note": change.message},
    }
    return {
        "EventId": str(number),
        "EventName": change.name,
        "EventTime": change.time,
        "EventSource": "ecs.amazonaws.com",
        "ReadOnly": "false",
        "Username": change.actor,
        "Resources": [{"ResourceName": change.resource}],
        "CloudTrailEvent": json.dumps(detail),
    }


def _segment(span: Span) -> str:
    start = span.start_ms / 1000
    document = {"id": span.span_id, "trace_id": span.trace_id, "parent_id": span.parent_id, "name": span.service, "start_time": start,
                "end_time": start + span.duration_ms / 1000, "fault": span.error,
                "aws": {"operation": span.name, "ecs": {"container": span.resource}}}  # fmt: skip
    return json.dumps(document)


def _row(line: LogLine, number: int) -> list[Json]:
    moment = datetime.fromtimestamp(line.timestamp / 1000, UTC)
    fields = {"@timestamp": f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d}", "@message": line.message,
              "@logStream": line.log_stream, "@log": f"{ACCOUNT}:{line.log_group}", "@ptr": f"{line.timestamp}/{number}"}  # fmt: skip
    return [{"field": name, "value": value} for name, value in fields.items()]


def _inside(moment: datetime, request: Json, start: str, end: str) -> bool:
    return bool(request[start] <= moment <= request[end])


def _has(dimensions: Mapping[str, str], asked: Json) -> bool:
    return asked["Name"] in dimensions and asked.get("Value") in (None, dimensions[asked["Name"]])


def _sorted(dimensions: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(dimensions.items()))
