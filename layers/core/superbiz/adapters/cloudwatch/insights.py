"""RDS Performance Insights as a recorded document: the load of a database, what it waits for, and its top statements."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from superbiz.adapters.cloudwatch.asking import ask, listed
from superbiz.adapters.cloudwatch.session import Clients, Subject
from superbiz.domain.values import JsonObject, Window, iso
from superbiz.ports import SourceUnavailable

PERFORMANCE_INSIGHTS = "performance_insights"
WHAT = "performance insights"
LOAD = "db.load.avg"
WAIT, SQL = "db.wait_event", "db.sql_tokenized"
TOP = 10
COMPARED = 5  # instances that are asked for their load where the alarm names none
PAGES = 5
# (longest window, period in seconds): the periods that Performance Insights knows, a few hundred points at most.
PERIODS = ((timedelta(hours=6), 60), (timedelta(days=1), 300), (timedelta(days=14), 3600))
_SIZE = re.compile(r"\.(?:(\d*)xlarge|large|medium)(?:\.|\Z)")
OTHER_DIMENSIONS = ("docdb",)  # engines whose load is split by other dimensions


def document(clients: Clients, name: str, subject: Subject, window: Window) -> JsonObject:
    """Of the instance that the alarm names, or the busiest of its cluster; where it names none, of the busiest instance of the region.

    Raises SourceUnavailable for any other document, and where no instance has Performance Insights.
    """
    if name != PERFORMANCE_INSIGHTS:
        raise SourceUnavailable(name, "a live account has no document of this name")
    found = [_read(clients, instance, window) for instance in _instances(clients, subject)[:COMPARED]]
    return max(found, key=_busy)


def _instances(clients: Clients, subject: Subject) -> list[JsonObject]:
    """With Performance Insights, by name."""
    request = _named(subject)
    found = listed(clients, WHAT, "rds", "DescribeDBInstances", "DBInstances", "Marker", PAGES, **request)
    able = [
        i for i in found.rows if i.get("PerformanceInsightsEnabled") and i.get("DbiResourceId") and i.get("Engine") not in OTHER_DIMENSIONS
    ]
    if not able:
        names = ", ".join(str(i.get("DBInstanceIdentifier")) for i in found.rows[:COMPARED]) or "there is no instance"
        raise SourceUnavailable(WHAT, f"not enabled on any database that was looked at ({names})")
    return sorted(able, key=lambda i: str(i.get("DBInstanceIdentifier")))


def _named(subject: Subject) -> dict[str, Any]:
    for metric in subject.metrics:
        if instance := metric.dimensions.get("DBInstanceIdentifier"):
            return {"DBInstanceIdentifier": instance}
        if cluster := metric.dimensions.get("DBClusterIdentifier"):
            return {"Filters": [{"Name": "db-cluster-id", "Values": [cluster]}]}
    return {}


def _read(clients: Clients, instance: JsonObject, window: Window) -> JsonObject:
    whose = {
        "ServiceType": "RDS",
        "Identifier": instance["DbiResourceId"],
        "StartTime": window.start,
        "EndTime": window.end,
        "PeriodInSeconds": _period(window),
    }
    by_wait = [{"Metric": LOAD, "GroupBy": {"Group": WAIT, "Limit": TOP}}]
    series = ask(clients, WHAT, "pi", "GetResourceMetrics", MetricQueries=by_wait, **whose).get("MetricList", ())
    by_sql = {"Group": SQL, "Dimensions": [f"{SQL}.statement"], "Limit": TOP}
    keys = ask(clients, WHAT, "pi", "DescribeDimensionKeys", Metric=LOAD, GroupBy=by_sql, **whose).get("Keys", ())
    return {
        "db_instance": instance["DBInstanceIdentifier"],
        "engine": instance.get("Engine", ""),
        "window": window.to_json(),
        "db_load": [[iso(p["Timestamp"]), p.get("Value")] for p in _whole(series)],
        "top_waits": _top(_waits(series), "wait"),
        "top_sql": _top(((k["Dimensions"].get(f"{SQL}.statement", ""), k.get("Total")) for k in keys), "sql"),
        "max_vcpus": _vcpus(instance),
    }


def _period(window: Window) -> int:
    return next((seconds for longest, seconds in PERIODS if window.end - window.start <= longest), PERIODS[-1][1])


def _whole(series: Sequence[JsonObject]) -> Sequence[JsonObject]:
    """The load that is not split by anything."""
    points: Sequence[JsonObject] = next((s.get("DataPoints", ()) for s in series if not s["Key"].get("Dimensions")), ())
    return points


def _waits(series: Sequence[JsonObject]) -> Iterator[tuple[str, float | None]]:
    for one in series:
        if dimensions := one["Key"].get("Dimensions"):
            yield _wait_name(dimensions), _mean([p.get("Value") for p in one.get("DataPoints", ())])


def _wait_name(dimensions: Mapping[str, str]) -> str:
    """`Lock:transactionid`: the event under its type, which some engines put into the name already."""
    kind, name = dimensions.get(f"{WAIT}.type", ""), dimensions.get(f"{WAIT}.name", "")
    return name if not kind or kind.casefold() in name.casefold() else f"{kind}:{name}"


def _top(rows: Any, key: str) -> list[JsonObject]:
    """Heaviest first; what has no load is none."""
    told: list[JsonObject] = [{key: str(name), "load": round(float(load), 4)} for name, load in rows if name and load]
    return sorted(told, key=lambda row: -row["load"])[:TOP]


def _mean(values: Sequence[float | None]) -> float | None:
    """Over all points of the window: one that is missing had no session in it."""
    return sum(v or 0.0 for v in values) / len(values) if values else None


def _busy(read: JsonObject) -> float:
    """Mean load a processor."""
    return (_mean([value for _, value in read["db_load"]]) or 0.0) / (read["max_vcpus"] or 1)


def _vcpus(instance: JsonObject) -> int | None:
    """As the instance is configured, else by its size: `large` has two, `xlarge` four, `4xlarge` sixteen. None for serverless ones."""
    features = {f.get("Name"): f.get("Value") for f in instance.get("ProcessorFeatures", ())}
    if features.get("coreCount") and features.get("threadsPerCore"):
        return int(features["coreCount"]) * int(features["threadsPerCore"])
    size = _SIZE.search(str(instance.get("DBInstanceClass", "")))
    if size is None:
        return None
    return 2 if size[1] is None else 4 * int(size[1] or 1)
