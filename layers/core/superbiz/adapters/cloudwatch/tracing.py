"""X-Ray: who calls whom, how each service did over time, and a sample of traces as spans."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from superbiz.adapters.cloudwatch.asking import ask, listed
from superbiz.adapters.cloudwatch.session import Clients, Found, Limits, each, utc
from superbiz.domain.observations import Series, Service, Span
from superbiz.domain.values import JsonObject, Window

MAP, TRACES, STATISTICS = "service map", "traces", "X-Ray statistics"
NAMESPACE = "AWS/X-Ray"
PERIODS = (60, 300)  # seconds that X-Ray counts by
LONGEST = timedelta(hours=6)  # of one request; longer windows are asked in parts
A_CALL = 5  # traces that one BatchGetTraces takes
SLICES = 10  # of a window: where it has too many traces, no part of it is left out
SUMMARY_PAGES = 3  # a slice
GRAPH_PAGES = 20
STATISTICS_PAGES = 20
LATEST = 1e11  # epoch seconds, some three thousand years on
CLIENT = "client"  # a node for whoever calls from outside
OWN = frozenset({"id", "trace_id", "parent_id", "name", "start_time", "end_time", "subsegments", "in_progress", "metadata", "service"})


class Node(NamedTuple):
    """A service and its types in X-Ray: a Lambda function is two nodes of one name. `calls` are names."""

    name: str
    types: tuple[str, ...]
    calls: tuple[str, ...]


def graph(clients: Clients, window: Window) -> tuple[Node, ...]:
    """The nodes by name; callers from outside are left out. Raises SourceUnavailable where X-Ray can not be read."""
    types: dict[str, list[str]] = {}
    calls: dict[str, list[str]] = {}
    for part in _parts(window):
        rows = listed(clients, MAP, "xray", "GetServiceGraph", "Services", "NextToken", GRAPH_PAGES, **part).rows
        names = {row.get("ReferenceId"): str(row.get("Name") or "") for row in rows if row.get("Type") != CLIENT}
        for row in rows:
            name = names.get(row.get("ReferenceId"))
            if not name:
                continue
            types.setdefault(name, []).append(str(row.get("Type") or ""))
            callees = [names.get(edge.get("ReferenceId")) for edge in row.get("Edges", ())]
            calls.setdefault(name, []).extend(c for c in callees if c and c != name)
    return tuple(Node(n, tuple(dict.fromkeys(types[n])), tuple(dict.fromkeys(calls[n]))) for n in types)


def services(nodes: Sequence[Node]) -> tuple[Service, ...]:
    """The map as tools take it: nodes that are called are on it too."""
    return tuple(Service(name=n.name, type=next((t for t in n.types if t), ""), calls=n.calls) for n in nodes)


def statistics(clients: Clients, nodes: Sequence[Node], window: Window, period: int, limits: Limits) -> Found[Series]:
    """Requests, latency, availability and faults of each node, as X-Ray counted them from its sampled traces."""
    chosen = nodes[: limits.traced_services]

    def one(node: Node) -> list[JsonObject]:
        selector = f'service("{_quoted(node.name)}")'
        rows: list[JsonObject] = []
        for part in _parts(window):
            rows += listed(clients, STATISTICS, "xray", "GetTimeSeriesServiceStatistics", "TimeSeriesServiceStatistics", "NextToken",
                           STATISTICS_PAGES, EntitySelectorExpression=selector, Period=period, **part).rows  # fmt: skip
        return rows

    found = each(one, chosen, limits.workers)
    series = [s for node, rows in zip(chosen, found, strict=True) for s in _series(node.name, rows, period)]
    left_out = len(nodes) - len(chosen)
    return Found(tuple(series), (f"X-Ray statistics of {left_out} more services were not read",) if left_out else ())


def spans(clients: Clients, window: Window, limits: Limits) -> Found[Span]:
    """Spans of up to so many traces, taken evenly over the window. X-Ray itself keeps a sample of all requests."""
    summaries: dict[str, JsonObject] = {}
    more = False
    for part in _parts(window, min(LONGEST, (window.end - window.start) / SLICES)):
        page = listed(clients, TRACES, "xray", "GetTraceSummaries", "TraceSummaries", "NextToken", SUMMARY_PAGES,
                      TimeRangeType="Event", Sampling=False, **part)  # fmt: skip
        more = more or page.more
        summaries |= {row["Id"]: row for row in page.rows if row.get("Id")}
    ids = sorted(summaries, key=lambda i: (_when(summaries[i]), i))
    chosen = [ids[n * len(ids) // limits.traces] for n in range(limits.traces)] if len(ids) > limits.traces else ids
    documents, lost = _documents(clients, chosen, limits)
    known = "more than " if more else ""
    partial = (
        [f"traces: {len(chosen)} of {known}{len(ids)} traces were read, evenly over the window"] if len(chosen) < len(ids) or more else []
    )
    partial += [f"traces: X-Ray gave {lost} traces in part or not at all"] if lost else []
    return Found(tuple(s for trace_id, document in documents for s in spans_of(trace_id, document)), tuple(partial))


def spans_of(trace_id: str, document: str) -> Iterator[Span]:
    """A segment document with its subsegments. What is no JSON object, or has no times, yields nothing."""
    try:
        segment = json.loads(document)
    except ValueError:
        return
    if isinstance(segment, dict):
        waiting: list[tuple[JsonObject, str | None]] = [(segment, _text(segment.get("parent_id")))]
        while waiting:
            node, parent = waiting.pop()
            span = _span(trace_id, node, parent, segment)
            if span is not None:
                yield span
            children = node.get("subsegments")
            waiting += [(c, _text(node.get("id"))) for c in children if isinstance(c, dict)] if isinstance(children, list) else []


def _documents(clients: Clients, ids: Sequence[str], limits: Limits) -> tuple[list[tuple[str, str]], int]:
    """Segment documents with their trace's id, and of how many traces something is missing."""

    def batch(some: Sequence[str]) -> tuple[list[JsonObject], list[str]]:
        found: list[JsonObject] = []
        unprocessed: list[str] = []
        request: JsonObject = {"TraceIds": list(some)}
        while True:
            answer = ask(clients, TRACES, "xray", "BatchGetTraces", **request)
            found += answer.get("Traces", ())
            unprocessed += answer.get("UnprocessedTraceIds", ())
            if not answer.get("NextToken"):
                return found, unprocessed
            request["NextToken"] = answer["NextToken"]

    batches = [ids[n : n + A_CALL] for n in range(0, len(ids), A_CALL)]
    answers = each(batch, batches, limits.workers)
    again = [i for _, unprocessed in answers for i in unprocessed]
    answers += each(batch, [again[n : n + A_CALL] for n in range(0, len(again), A_CALL)], limits.workers)
    traces = {t["Id"]: t for found, _ in answers for t in found}
    whole = [t for t in traces.values() if not t.get("LimitExceeded")]
    return [(i, s["Document"]) for i, t in traces.items() for s in t.get("Segments", ()) if s.get("Document")], len(ids) - len(whole)


def _span(trace_id: str, node: JsonObject, parent: str | None, segment: JsonObject) -> Span | None:
    """Seconds become milliseconds. One that is still in progress has no end, and lasts as long as nothing."""
    start, end = _seconds(node.get("start_time")), _seconds(node.get("end_time"))
    if start is None or not node.get("id"):
        return None
    duration = 0.0 if end is None else max(end - start, 0.0)
    service = str(segment.get("name") or "")
    failed = any(node.get(flag) is True for flag in ("fault", "error", "throttle"))
    return Span(trace_id, str(node["id"]), parent, service, _host(segment) or service, _operation(node, segment), start * 1000.0,
                duration * 1000.0, failed, _attributes(node))  # fmt: skip


def _operation(node: JsonObject, segment: JsonObject) -> str:
    """What was called: method and path, an AWS operation, else the name."""
    http, aws = _mapping(_mapping(node.get("http")).get("request")), _mapping(node.get("aws"))
    if aws.get("operation") and node is not segment:
        return f"{node.get('name', '')} {aws['operation']}"
    if http.get("url"):
        path = str(http["url"]).split("://", 1)[-1].partition("/")[2].partition("?")[0]
        return f"{http.get('method', '')} /{path}".strip()
    return str(aws.get("operation") or node.get("name") or "")


def _host(segment: JsonObject) -> str:
    aws = _mapping(segment.get("aws"))
    found = (_mapping(aws.get(key)).get(name) for key, name in
             (("eks", "pod"), ("ecs", "container"), ("ec2", "instance_id"), ("elastic_beanstalk", "environment_name")))  # fmt: skip
    return next((str(name) for name in found if name), "") or str(segment.get("resource_arn") or "")


def _attributes(node: JsonObject) -> JsonObject:
    """What the segment says of itself beside its times, `metadata` aside, which is the application's own and may be anything."""
    return {key: value for key, value in node.items() if key not in OWN}


def _series(name: str, rows: Iterable[JsonObject], period: int) -> Iterator[Series]:
    counted = sorted((utc(r["Timestamp"]), _mapping(r.get("ServiceSummaryStatistics"))) for r in _timed(rows))
    for metric, stat, unit, value in MEASURES:
        points = [(moment, value(counts)) for moment, counts in counted]
        if any(v is not None for _, v in points):
            yield Series(namespace=NAMESPACE, metric_name=metric, dimensions={"ServiceName": name}, stat=stat, period=period, unit=unit,
                         timestamps=tuple(t for t, _ in points), values=tuple(v for _, v in points))  # fmt: skip


def _timed(rows: Iterable[JsonObject]) -> list[JsonObject]:
    """One row a time; where two parts of a window share one, the later part's."""
    return list({r["Timestamp"]: r for r in rows if isinstance(r.get("Timestamp"), datetime)}.values())


def _count(counts: Mapping[str, Any], *path: str) -> float:
    for key in path:
        counts = counts.get(key) or {}
    return float(counts) if isinstance(counts, int | float) else 0.0


def _latency(counts: Mapping[str, Any]) -> float | None:
    total = _count(counts, "TotalCount")
    return _count(counts, "TotalResponseTime") / total if total else None


def _availability(counts: Mapping[str, Any]) -> float | None:
    total = _count(counts, "TotalCount")
    return 100.0 * (1.0 - _count(counts, "FaultStatistics", "TotalCount") / total) if total else None


MEASURES: tuple[tuple[str, str, str, Callable[[Mapping[str, Any]], float | None]], ...] = (
    ("Requests", "Sum", "Count", lambda c: _count(c, "TotalCount")),
    ("Latency", "Average", "Seconds", _latency),
    ("Availability", "Average", "Percent", _availability),
    ("Faults", "Sum", "Count", lambda c: _count(c, "FaultStatistics", "TotalCount")),
    ("Throttles", "Sum", "Count", lambda c: _count(c, "ErrorStatistics", "ThrottleCount")),
)


def _parts(window: Window, longest: timedelta = LONGEST) -> Iterator[JsonObject]:
    start = window.start
    while start < window.end:
        end = min(start + longest, window.end)
        yield {"StartTime": start, "EndTime": end}
        start = end


def _when(summary: JsonObject) -> float:
    """The start that X-Ray gives, else the one in the trace's id (`1-<epoch seconds, hexadecimal>-…`)."""
    moment = summary.get("StartTime") or summary.get("MatchedEventTime")
    if isinstance(moment, datetime):
        return utc(moment).timestamp()
    try:
        return float(int(str(summary.get("Id", "")).split("-")[1], 16))
    except (IndexError, ValueError):
        return 0.0


def _seconds(value: Any) -> float | None:
    """Epoch seconds of this age of the world; None for anything else."""
    return float(value) if isinstance(value, int | float) and 0 < value < LATEST else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
