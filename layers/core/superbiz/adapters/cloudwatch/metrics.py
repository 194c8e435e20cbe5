"""CloudWatch metrics: which there are of the resources, and their datapoints."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from superbiz.adapters.cloudwatch import measures
from superbiz.adapters.cloudwatch.asking import listed
from superbiz.adapters.cloudwatch.catalog import BREAKDOWNS, Resource, measured_in
from superbiz.adapters.cloudwatch.session import ACCESS_DENIED, DENIED, UNAVAILABLE, Clients, Found, Limits, each, utc
from superbiz.domain.incidents import AlarmMetric
from superbiz.domain.observations import Series
from superbiz.domain.values import JsonObject, Window
from superbiz.ports import SourceUnavailable

WHAT = "metrics"
LIST_PAGES = 4  # of 500 metrics
QUERIES_A_CALL = 500
POINTS_A_CALL = 100_800
DATA_PAGES = 50
# How long CloudWatch keeps datapoints of a period (GetMetricData): seconds of the period, and the age up to which they are there.
RETENTION = (
    (1, timedelta(hours=3)),
    (60, timedelta(days=15)),
    (300, timedelta(days=63)),
    (3600, timedelta(days=455)),
)
HIGH_RESOLUTION = frozenset({1, 5, 10, 20, 30})
COARSEST = 300  # seconds: where an alarm's own period is longer, the others are still read this finely
SETTLING = timedelta(minutes=1)  # a sum is not whole before
STATUSES = {"PartialData": "in part", "InternalError": "in part (CloudWatch failed)", "Forbidden": "not at all (access is denied)"}


class Metric(NamedTuple):
    """One metric as CloudWatch names it; hashable."""

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...]

    def request(self) -> JsonObject:
        """The `Metric` of a request."""
        return {
            "Namespace": self.namespace,
            "MetricName": self.name,
            "Dimensions": [{"Name": name, "Value": value} for name, value in self.dimensions],
        }


class Wanted(NamedTuple):
    """A metric by one statistic."""

    metric: Metric
    stat: str


def period_for(asked: int | None, age: timedelta) -> int:
    """The shortest period, of at least the one asked for, whose datapoints are still kept at that age. A minute where none is asked for."""
    wanted = min(asked or 60, COARSEST)
    kept = next((period for period, until in RETENTION if age <= until), RETENTION[-1][0])
    return max(wanted if wanted in HIGH_RESOLUTION else -(-wanted // 60) * 60, kept)


def available(clients: Clients, resources: Sequence[Resource], own: Sequence[AlarmMetric], recent: bool, limits: Limits) -> Found[Wanted]:
    """The alarm's own metrics first, then all of the resources in their order, then those of the alarm's kind that other resources have.

    The alarm's own are read whether they are listed or not. Raises SourceUnavailable where there is nothing to read.
    """
    named = [m for m in own if m.namespace and m.metric_name]
    chosen = {Wanted(_named(m), m.stat or "Average"): None for m in named}
    active: JsonObject = {"RecentlyActive": "PT3H"} if recent else {}
    asked: list[JsonObject] = [
        {"Namespace": r.namespace, "Dimensions": _filters(r)} for one in resources for r in measured_in(one) if r.namespace
    ]
    asked += [{"Namespace": m.namespace, "MetricName": m.metric_name, "Dimensions": _alike(m)} for m in named if m.dimensions]
    found = each(lambda request: _listed(clients, request | active, limits), asked, limits.workers)
    of_resources = _whole([m for one in found for m in one.rows])
    compared = {(m.namespace, m.metric_name): (m.stat,) for m in named if m.stat}  # by the alarm's own statistic too
    for metric in of_resources:
        stats = (*compared.get((metric.namespace, metric.name), ()), *measures.stats_of(metric.namespace, metric.name))
        chosen |= dict.fromkeys(Wanted(metric, stat) for stat in stats)
    notes = tuple(dict.fromkeys(n for one in found for n in one.notes))
    if not chosen:
        denied = any(DENIED in n for n in notes)
        raise SourceUnavailable(
            WHAT, "; ".join(notes) or "none is listed of the alarm's resources", ACCESS_DENIED if denied else UNAVAILABLE
        )
    rows, over = tuple(chosen), len(chosen) - limits.metrics
    partial = [f"metrics: {over} of {len(rows)} series were left out, those farthest from the alarm"] if over > 0 else []
    return Found(rows[: limits.metrics], tuple(partial), notes)


def read(clients: Clients, wanted: Sequence[Wanted], window: Window, period: int, limits: Limits) -> Found[Series]:
    """The datapoints of the window, whose ends are widened to whole periods. Series without any are left out."""
    start, end = aligned(window, period)
    grid = tuple(start + n * timedelta(seconds=period) for n in range((end - start) // timedelta(seconds=period)))
    size = max(min(QUERIES_A_CALL, POINTS_A_CALL // max(len(grid), 1)), 1)
    batches = [wanted[n : n + size] for n in range(0, len(wanted), size)]
    span: JsonObject = {"StartTime": start, "EndTime": end, "ScanBy": "TimestampAscending"}
    answers = each(lambda some: _batch(clients, some, period, span), batches, limits.workers)
    series = [_with_zeros(s, grid) for answer in answers for s in answer.rows]
    return Found(tuple(s for s in series if s.timestamps), tuple(dict.fromkeys(p for answer in answers for p in answer.partial)))


def settled(series: Iterable[Series], now: datetime) -> list[Series]:
    """Without datapoints whose period has not ended, or ended only just: their sums are still growing."""
    return [s for one in series if (s := _until(one, now - SETTLING - timedelta(seconds=one.period))).timestamps]


def between(one: Series, window: Window) -> Series:
    """With the datapoints of the window alone."""
    if not one.timestamps or (window.holds(one.timestamps[0]) and window.holds(one.timestamps[-1])):
        return one
    kept = [(t, v) for t, v in zip(one.timestamps, one.values, strict=True) if window.holds(t)]
    return one.model_copy(update={"timestamps": tuple(t for t, _ in kept), "values": tuple(v for _, v in kept)})


def joined(series: Sequence[Series]) -> list[Series]:
    """Readings of several periods as one series each."""
    known: dict[tuple[object, ...], dict[datetime, float | None]] = {}
    first: dict[tuple[object, ...], Series] = {}
    for one in series:
        key = (one.namespace, one.metric_name, one.stat, *sorted(one.dimensions.items()))
        first.setdefault(key, one)
        known.setdefault(key, {}).update(zip(one.timestamps, one.values, strict=True))
    return [
        first[k].model_copy(update={"timestamps": tuple(sorted(p)), "values": tuple(p[t] for t in sorted(p))}) for k, p in known.items()
    ]


def aligned(window: Window, period: int) -> tuple[datetime, datetime]:
    """The window's ends on whole periods, outwards."""
    step = timedelta(seconds=period)
    epoch = window.start.replace(year=1970, month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
    start = window.start - (window.start - epoch) % step
    return start, window.end + (epoch - window.end) % step


def _whole(given: Sequence[Metric]) -> list[Metric]:
    """Each once, without breakdowns, and by operation only where there is no sum over the operations."""
    known = dict.fromkeys(m for m in given if not BREAKDOWNS & {name for name, _ in m.dimensions})
    return [m for m in known if (over := _over_operations(m)) == m or over not in known]


def _over_operations(metric: Metric) -> Metric:
    return metric._replace(dimensions=tuple(d for d in metric.dimensions if d[0] != "Operation"))


def _named(metric: AlarmMetric) -> Metric:
    return Metric(metric.namespace, metric.metric_name, tuple(sorted(metric.dimensions.items())))


def _alike(metric: AlarmMetric) -> list[JsonObject]:
    """Filters for the same metric of other resources."""
    return [{"Name": name} for name in sorted(metric.dimensions)]


def _listed(clients: Clients, request: JsonObject, limits: Limits) -> Found[Metric]:
    """A refusal is noted, not raised: what the alarm names can be read unlisted. Of a metric that many resources have, so many."""
    try:
        page = listed(clients, WHAT, "cloudwatch", "ListMetrics", "Metrics", "NextToken", LIST_PAGES, **request)
    except SourceUnavailable as e:
        return Found((), (), (f"metrics were not listed: {e.why}",))
    rows = tuple(_metric(m) for m in page.rows)
    notes = [f"{request['Namespace']}: only the first {len(rows)} metrics were listed"] if page.more else []
    if "MetricName" not in request:
        return Found(rows, (), tuple(notes))
    names = {d["Name"] for d in request["Dimensions"]}
    alike = tuple(m for m in rows if {name for name, _ in m.dimensions} == names)
    if len(alike) > limits.siblings:
        notes.append(f"{len(alike) - limits.siblings} more resources have {request['MetricName']}; they were not compared")
    return Found(alike[: limits.siblings], (), tuple(notes))


def _metric(row: JsonObject) -> Metric:
    return Metric(row["Namespace"], row["MetricName"], tuple(sorted((d["Name"], d["Value"]) for d in row.get("Dimensions", ()))))


def _batch(clients: Clients, some: Sequence[Wanted], period: int, span: JsonObject) -> Found[Series]:
    """One call, and its pages. A query's last page says whether its datapoints are all."""
    by_id = {f"m{n}": wanted for n, wanted in enumerate(some)}
    queries = [{"Id": i, "MetricStat": {"Metric": w.metric.request(), "Period": period, "Stat": w.stat}} for i, w in by_id.items()]
    page = listed(
        clients, WHAT, "cloudwatch", "GetMetricData", "MetricDataResults", "NextToken", DATA_PAGES, MetricDataQueries=queries, **span
    )
    points: dict[str, dict[datetime, float]] = {i: {} for i in by_id}
    status: dict[str, str] = {}
    for row in page.rows:
        points[row["Id"]] |= {utc(t): v for t, v in zip(row.get("Timestamps", ()), row.get("Values", ()), strict=False)}
        status[row["Id"]] = row.get("StatusCode", "Complete")
    series = tuple(_series(by_id[i], points[i], period) for i in by_id)
    partial = [f"metrics: {_told(by_id[i])} was read {STATUSES[s]}" for i, s in status.items() if s in STATUSES]
    return Found(series, (*partial, *(("metrics: CloudWatch has more datapoints than were read",) if page.more else ())))


def _series(wanted: Wanted, points: dict[datetime, float], period: int) -> Series:
    metric, times = wanted.metric, tuple(sorted(points))
    return Series(
        namespace=metric.namespace,
        metric_name=metric.name,
        dimensions=dict(metric.dimensions),
        stat=wanted.stat,
        period=period,
        unit=measures.unit_of(metric.namespace, metric.name, wanted.stat),
        timestamps=times,
        values=tuple(points[t] for t in times),
    )


def _with_zeros(one: Series, grid: Sequence[datetime]) -> Series:
    if not measures.missing_is_zero(one.namespace, one.metric_name, one.stat):
        return one
    known = dict(zip(one.timestamps, one.values, strict=True))
    return one.model_copy(update={"timestamps": tuple(grid), "values": tuple(known.get(t, 0.0) for t in grid)})


def _until(one: Series, end: datetime) -> Series:
    count = sum(t <= end for t in one.timestamps)
    if count == len(one.timestamps):
        return one
    return one.model_copy(update={"timestamps": one.timestamps[:count], "values": one.values[:count]})


def _filters(resource: Resource) -> list[JsonObject]:
    return [{"Name": name, "Value": value} for name, value in resource.dimensions]


def _told(wanted: Wanted) -> str:
    dimensions = ", ".join(value for _, value in wanted.metric.dimensions)
    return f"{wanted.stat} of {wanted.metric.namespace} {wanted.metric.name} ({dimensions})"
