"""Metrics of a live account: which are chosen, by which period, and what their datapoints say."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.adapters.cloudwatch import measures, metrics
from superbiz.adapters.cloudwatch.catalog import Resource
from superbiz.adapters.cloudwatch.metrics import Metric, Wanted
from superbiz.adapters.cloudwatch.session import Clients, Limits
from superbiz.domain.incidents import AlarmMetric
from superbiz.domain.observations import Series
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable
from support.fake_account import DENIED, FakeAccount, refusal

START = datetime(2026, 5, 19, 14, 0, tzinfo=UTC)
WINDOW = Window(start=START, end=START + timedelta(minutes=30))
LIMITS = Limits(workers=1)
DATABASE = Resource("AWS/RDS", (("DBInstanceIdentifier", "orders"),))
CPU = AlarmMetric(namespace="AWS/RDS", metric_name="CPUUtilization", dimensions={"DBInstanceIdentifier": "orders"}, stat="p95", period=60)
Json = dict[str, Any]


def listed_metric(name: str, namespace: str = "AWS/RDS", **dimensions: str) -> Json:
    return {"Namespace": namespace, "MetricName": name, "Dimensions": [{"Name": k, "Value": v} for k, v in dimensions.items()]}


def wanted(name: str = "CPUUtilization", stat: str = "Average", namespace: str = "AWS/RDS") -> Wanted:
    return Wanted(Metric(namespace, name, (("DBInstanceIdentifier", "orders"),)), stat)


def data(request: Json, points: int = 1, status: str = "Complete") -> Json:
    times = [request["StartTime"] + n * timedelta(minutes=1) for n in range(points)]
    return {
        "MetricDataResults": [
            {"Id": q["Id"], "Timestamps": times, "Values": [float(n) for n in range(points)], "StatusCode": status}
            for q in request["MetricDataQueries"]
        ]
    }


def test_the_alarms_own_metric_stands_first_then_its_resources_then_its_kind_elsewhere() -> None:
    def answer(request: Json) -> Json:
        if "MetricName" in request:
            return {"Metrics": [listed_metric("CPUUtilization", DBInstanceIdentifier=n) for n in ("orders", "stock")]}
        return {"Metrics": [listed_metric("FreeableMemory", DBInstanceIdentifier="orders")]}

    account = FakeAccount({("cloudwatch", "ListMetrics"): answer})
    found = metrics.available(account.clients(), [DATABASE], [CPU], True, LIMITS)
    assert [(w.metric.name, dict(w.metric.dimensions)["DBInstanceIdentifier"], w.stat) for w in found.rows] == [
        ("CPUUtilization", "orders", "p95"),
        ("FreeableMemory", "orders", "Average"),
        ("FreeableMemory", "orders", "Minimum"),
        ("CPUUtilization", "orders", "Average"),
        ("CPUUtilization", "orders", "Maximum"),
        ("CPUUtilization", "stock", "p95"),
        ("CPUUtilization", "stock", "Average"),
        ("CPUUtilization", "stock", "Maximum"),
    ]
    assert [r.get("RecentlyActive") for r in account.requests("cloudwatch", "ListMetrics")] == ["PT3H", "PT3H"]


def test_a_companion_namespace_is_listed_by_its_own_dimension_names() -> None:
    account = FakeAccount({("cloudwatch", "ListMetrics"): {"Metrics": [listed_metric("Errors", "AWS/Lambda", FunctionName="pay")]}})
    metrics.available(account.clients(), [Resource("AWS/Lambda", (("FunctionName", "pay"),))], [], False, LIMITS)
    asked = [(r["Namespace"], r["Dimensions"]) for r in account.requests("cloudwatch", "ListMetrics")]
    assert asked == [
        ("AWS/Lambda", [{"Name": "FunctionName", "Value": "pay"}]),
        ("LambdaInsights", [{"Name": "function_name", "Value": "pay"}]),
    ]


def test_breakdowns_of_a_whole_are_left_out() -> None:
    rows = [listed_metric("RequestCount", "AWS/ApplicationELB", LoadBalancer="app/x/1"),
            listed_metric("RequestCount", "AWS/ApplicationELB", LoadBalancer="app/x/1", AvailabilityZone="eu-west-1a")]  # fmt: skip
    account = FakeAccount({("cloudwatch", "ListMetrics"): {"Metrics": rows}})
    found = metrics.available(account.clients(), [Resource("AWS/ApplicationELB", (("LoadBalancer", "app/x/1"),))], [], False, LIMITS)
    assert [dict(w.metric.dimensions) for w in found.rows] == [{"LoadBalancer": "app/x/1"}]


def test_operations_are_read_where_there_is_no_sum_over_them() -> None:
    rows = [
        listed_metric("Latency", "ApplicationSignals", Service="cart", Environment="prod"),
        listed_metric("Latency", "ApplicationSignals", Service="cart", Environment="prod", Operation="GET /cart"),
        listed_metric("Latency", "ApplicationSignals", Service="cart", Environment="prod", RemoteService="orders"),
        listed_metric("Fault", "ApplicationSignals", Service="cart", Environment="prod", Operation="GET /cart"),
    ]
    account = FakeAccount({("cloudwatch", "ListMetrics"): {"Metrics": rows}})
    found = metrics.available(account.clients(), [Resource("ApplicationSignals", (("Service", "cart"),))], [], False, LIMITS)
    assert {(w.metric.name, tuple(sorted(dict(w.metric.dimensions)))) for w in found.rows} == {
        ("Latency", ("Environment", "Service")),
        ("Fault", ("Environment", "Operation", "Service")),
    }


def test_a_denied_listing_still_reads_what_the_alarm_names() -> None:
    found = metrics.available(FakeAccount({}).clients(), [DATABASE], [CPU], False, LIMITS)
    assert [w.metric.name for w in found.rows] == ["CPUUtilization"]
    assert found.notes == ("metrics were not listed: AccessDenied: cloudwatch:ListMetrics",)


def test_a_denied_listing_without_a_metric_names_the_missing_action() -> None:
    with pytest.raises(SourceUnavailable, match="AccessDenied: cloudwatch:ListMetrics") as refused:
        metrics.available(FakeAccount({}).clients(), [DATABASE], [], False, LIMITS)
    assert refused.value.code == "ACCESS_DENIED"


def test_a_resource_without_metrics_is_no_empty_answer() -> None:
    account = FakeAccount({("cloudwatch", "ListMetrics"): {"Metrics": []}})
    with pytest.raises(SourceUnavailable, match="none is listed"):
        metrics.available(account.clients(), [DATABASE], [], False, LIMITS)


def test_series_beyond_the_limit_are_left_out_from_the_far_end_and_counted() -> None:
    rows = [listed_metric(f"Custom{n}", DBInstanceIdentifier="orders") for n in range(10)]
    account = FakeAccount({("cloudwatch", "ListMetrics"): {"Metrics": rows}})
    found = metrics.available(account.clients(), [DATABASE], [CPU], False, Limits(metrics=5, workers=1))
    assert found.rows[0].stat == "p95"
    assert len(found.rows) == 5
    assert found.partial == ("metrics: 16 of 21 series were left out, those farthest from the alarm",)


def test_listing_is_paged_and_its_end_is_told() -> None:
    account = FakeAccount(
        {("cloudwatch", "ListMetrics"): lambda _: {"Metrics": [listed_metric("A", DBInstanceIdentifier="orders")], "NextToken": "t"}}
    )
    found = metrics.available(account.clients(), [DATABASE], [], False, LIMITS)
    assert len(account.requests("cloudwatch", "ListMetrics")) == metrics.LIST_PAGES
    assert "only the first" in found.notes[0]


def test_501_metrics_are_two_calls() -> None:
    account = FakeAccount({("cloudwatch", "GetMetricData"): data})
    found = metrics.read(account.clients(), [wanted(f"Custom{n}") for n in range(501)], WINDOW, 60, LIMITS)
    assert [len(r["MetricDataQueries"]) for r in account.requests("cloudwatch", "GetMetricData")] == [500, 1]
    assert [s.metric_name for s in found.rows] == [f"Custom{n}" for n in range(501)]


@given(st.integers(1, 700), st.integers(1, 14 * 24), st.sampled_from([60, 300, 3600]))
@settings(max_examples=15, deadline=None)
def test_no_call_asks_for_more_than_500_metrics_or_100800_datapoints(count: int, hours: int, period: int) -> None:
    window = Window(start=START, end=START + timedelta(hours=hours))
    account = FakeAccount({("cloudwatch", "GetMetricData"): {"MetricDataResults": []}})
    metrics.read(account.clients(), [wanted(f"M{n}") for n in range(count)], window, period, LIMITS)
    asked = account.requests("cloudwatch", "GetMetricData")
    assert sum(len(r["MetricDataQueries"]) for r in asked) == count
    for request in asked:
        points = (request["EndTime"] - request["StartTime"]).total_seconds() / period
        assert len(request["MetricDataQueries"]) <= 500
        assert len(request["MetricDataQueries"]) * points <= 100_800 or len(request["MetricDataQueries"]) == 1


def test_pages_of_one_call_are_put_together_in_time() -> None:
    later, earlier = START + timedelta(minutes=1), START
    pages = [
        {"MetricDataResults": [{"Id": "m0", "Timestamps": [later], "Values": [2.0], "StatusCode": "PartialData"}], "NextToken": "t"},
        {"MetricDataResults": [{"Id": "m0", "Timestamps": [earlier], "Values": [1.0], "StatusCode": "Complete"}]},
    ]
    found = metrics.read(FakeAccount({("cloudwatch", "GetMetricData"): pages}).clients(), [wanted()], WINDOW, 60, LIMITS)
    assert (found.rows[0].timestamps, found.rows[0].values) == ((earlier, later), (1.0, 2.0))
    assert found.partial == ()


@pytest.mark.parametrize(("status", "said"), [("PartialData", "in part"), ("InternalError", "CloudWatch failed"), ("Forbidden", "denied")])
def test_datapoints_that_are_not_all_are_told(status: str, said: str) -> None:
    account = FakeAccount({("cloudwatch", "GetMetricData"): lambda request: data(request, status=status)})
    found = metrics.read(account.clients(), [wanted()], WINDOW, 60, LIMITS)
    assert said in found.partial[0]
    assert "CPUUtilization (orders)" in found.partial[0]


def test_a_series_without_datapoints_is_left_out() -> None:
    account = FakeAccount({("cloudwatch", "GetMetricData"): lambda request: data(request, points=0)})
    assert metrics.read(account.clients(), [wanted()], WINDOW, 60, LIMITS).rows == ()


def test_a_count_that_is_only_written_where_there_is_one_is_zero_elsewhere() -> None:
    balancer = Wanted(Metric("AWS/ApplicationELB", "HTTPCode_Target_5XX_Count", (("LoadBalancer", "app/x/1"),)), "Sum")
    account = FakeAccount({("cloudwatch", "GetMetricData"): lambda request: data(request, points=2)})
    found = metrics.read(account.clients(), [balancer, wanted("Deadlocks", "Sum")], WINDOW, 60, LIMITS)
    assert [len(s.values) for s in found.rows] == [30, 2]
    assert found.rows[0].values[:4] == (0.0, 1.0, 0.0, 0.0)


def test_a_denied_reading_names_the_missing_action() -> None:
    with pytest.raises(SourceUnavailable, match="AccessDenied: cloudwatch:GetMetricData"):
        metrics.read(FakeAccount({("cloudwatch", "GetMetricData"): DENIED}).clients(), [wanted()], WINDOW, 60, LIMITS)


def test_a_throttled_reading_may_work_later() -> None:
    account = FakeAccount({("cloudwatch", "GetMetricData"): refusal("Throttling", "Rate exceeded")})
    with pytest.raises(SourceUnavailable, match="throttled") as refused:
        metrics.read(account.clients(), [wanted()], WINDOW, 60, LIMITS)
    assert refused.value.code == "UNAVAILABLE"


def test_several_calls_at_once_give_the_same() -> None:
    account = FakeAccount({("cloudwatch", "GetMetricData"): data})
    some = [wanted(f"M{n}") for n in range(1200)]
    found = [metrics.read(account.clients(), some, WINDOW, 60, Limits(workers=w)).rows for w in (1, 8)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("asked", "age", "period"),
    [
        (None, timedelta(hours=8), 60),
        (60, timedelta(days=15), 60),
        (60, timedelta(days=15, seconds=1), 300),
        (60, timedelta(days=63, seconds=1), 3600),
        (60, timedelta(days=900), 3600),
        (300, timedelta(hours=8), 300),
        (90, timedelta(hours=8), 120),
        (86_400, timedelta(hours=8), 300),
        (10, timedelta(hours=1), 10),
        (1, timedelta(hours=3), 1),
        (10, timedelta(hours=3, seconds=1), 60),
        (7, timedelta(hours=1), 60),
    ],
)
def test_the_period_is_one_whose_datapoints_are_still_kept(asked: int | None, age: timedelta, period: int) -> None:
    assert metrics.period_for(asked, age) == period


@given(st.integers(1_600_000_000, 1_900_000_000), st.integers(1, 10_000), st.sampled_from([60, 300, 3600]))
def test_a_windows_ends_are_widened_to_whole_periods(start: int, minutes: int, period: int) -> None:
    begin = datetime.fromtimestamp(start, UTC)
    window = Window(start=begin, end=begin + timedelta(minutes=minutes))
    first, last = metrics.aligned(window, period)
    assert first <= window.start < window.end <= last
    assert first.timestamp() % period == last.timestamp() % period == 0
    assert window.start - first < timedelta(seconds=period)
    assert last - window.end < timedelta(seconds=period)


def series(*minutes: int, **fields: Any) -> Series:
    times = tuple(START + timedelta(minutes=m) for m in minutes)
    given: Json = {"namespace": "N", "metric_name": "M", "stat": "Sum", "period": 60} | fields
    return Series(timestamps=times, values=tuple(float(m) for m in minutes), **given)


def test_a_sum_that_is_still_growing_is_no_datapoint() -> None:
    now = START + timedelta(minutes=10, seconds=30)
    assert [s.values for s in metrics.settled([series(0, 8, 9, 10), series(10)], now)] == [(0.0, 8.0)]


def test_readings_of_two_days_are_one_series() -> None:
    joined = metrics.joined([series(5, 6), series(1, 2), series(1, metric_name="Other")])
    assert [(s.metric_name, s.values) for s in joined] == [("M", (1.0, 2.0, 5.0, 6.0)), ("Other", (1.0,))]


@pytest.mark.parametrize(
    ("namespace", "metric", "stats", "unit"),
    [
        ("AWS/RDS", "CPUUtilization", ("Average", "Maximum"), "Percent"),
        ("AWS/RDS", "FreeStorageSpace", ("Average", "Minimum"), "Bytes"),
        ("AWS/RDS", "ReadLatency", ("Average", "p99"), "Seconds"),
        ("AWS/RDS", "DatabaseConnections", ("Average", "Maximum"), "Count"),
        ("AWS/RDS", "AuroraReplicaLag", ("Average", "Maximum"), "Milliseconds"),
        ("AWS/RDS", "SwapUsage", ("Average", "Maximum"), "Bytes"),
        ("AWS/Lambda", "Duration", ("Average", "p99"), "Milliseconds"),
        ("AWS/Lambda", "Errors", ("Sum",), "Count"),
        ("AWS/Lambda", "Throttles", ("Sum",), "Count"),
        ("AWS/Lambda", "IteratorAge", ("Maximum",), "Milliseconds"),
        ("AWS/ApplicationELB", "TargetResponseTime", ("Average", "p99"), "Seconds"),
        ("AWS/ApplicationELB", "HTTPCode_Target_5XX_Count", ("Sum",), "Count"),
        ("AWS/ApplicationELB", "UnHealthyHostCount", ("Maximum", "Minimum"), "Count"),
        ("AWS/ApplicationELB", "RequestCount", ("Sum",), "Count"),
        ("AWS/ApplicationELB", "ActiveConnectionCount", ("Sum",), "Count"),
        ("AWS/ApplicationELB", "RejectedConnectionCount", ("Sum",), "Count"),
        ("AWS/ApiGateway", "5XXError", ("Sum", "Average"), "Count"),
        ("AWS/ApiGateway", "Latency", ("Average", "p99"), "Milliseconds"),
        ("AWS/SQS", "ApproximateNumberOfMessagesVisible", ("Average", "Maximum"), "Count"),
        ("AWS/SQS", "ApproximateAgeOfOldestMessage", ("Average", "Maximum"), "Seconds"),
        ("AWS/SQS", "NumberOfMessagesSent", ("Sum",), "Count"),
        ("AWS/DynamoDB", "ThrottledRequests", ("Sum",), "Count"),
        ("AWS/DynamoDB", "SuccessfulRequestLatency", ("Average", "p99"), "Milliseconds"),
        ("AWS/ElastiCache", "Evictions", ("Average", "Maximum"), "Count"),
        ("AWS/EC2", "StatusCheckFailed", ("Maximum",), "Count"),
        ("AWS/EC2", "CPUCreditBalance", ("Average",), "Count"),
        ("AWS/EBS", "BurstBalance", ("Average", "Maximum"), "Percent"),
        ("AWS/States", "ExecutionsFailed", ("Sum",), "Count"),
        ("AWS/States", "ExecutionTime", ("Average", "p99"), "Milliseconds"),
        ("ECS/ContainerInsights", "MemoryUtilized", ("Average", "Maximum"), "Megabytes"),
        ("ECS/ContainerInsights", "RunningTaskCount", ("Average", "Maximum"), "Count"),
        ("ContainerInsights", "pod_cpu_utilization_over_pod_limit", ("Average", "Maximum"), "Percent"),
        ("ContainerInsights", "pod_number_of_container_restarts", ("Average", "Maximum"), "Count"),
        ("ApplicationSignals", "Fault", ("Sum",), "Count"),
        ("Shop", "checkout_latency", ("Average", "p99"), "None"),
        ("Shop", "basket_size", ("Average", "Maximum"), "None"),
    ],
)  # fmt: skip
def test_a_metric_is_read_by_the_statistics_that_mean_something(namespace: str, metric: str, stats: tuple[str, ...], unit: str) -> None:
    assert measures.stats_of(namespace, metric) == stats
    assert measures.unit_of(namespace, metric, stats[0]) == unit


def test_the_average_of_an_apis_errors_is_a_share_and_no_count() -> None:
    assert measures.unit_of("AWS/ApiGateway", "5XXError", "Average") == "None"


def test_what_was_put_is_listed_and_read(moto_clients: Clients) -> None:
    """Against moto's own CloudWatch, which knows nothing of our answers."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    dimensions = [{"Name": "DBInstanceIdentifier", "Value": "orders"}]
    moto_clients.of("cloudwatch").put_metric_data(
        Namespace="AWS/RDS",
        MetricData=[
            {
                "MetricName": "CPUUtilization",
                "Dimensions": dimensions,
                "Timestamp": now - timedelta(minutes=m),
                "Value": 10.0 * m,
                "Unit": "Percent",
            }
            for m in (3, 2, 1)
        ],
    )
    found = metrics.available(moto_clients, [DATABASE], [], False, LIMITS)
    read = metrics.read(moto_clients, found.rows, Window(start=now - timedelta(minutes=5), end=now), 60, LIMITS)
    average = next(s for s in read.rows if s.stat == "Average")
    assert (average.dimensions, average.unit) == ({"DBInstanceIdentifier": "orders"}, "Percent")
    assert dict(zip(average.timestamps, average.values, strict=True)) == {now - timedelta(minutes=m): 10.0 * m for m in (3, 2, 1)}
