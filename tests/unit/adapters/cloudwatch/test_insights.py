"""Performance Insights as a document, against answers that botocore's models hold to be possible."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.adapters.cloudwatch.insights import _vcpus, document
from superbiz.adapters.cloudwatch.session import Subject
from superbiz.domain.incidents import AlarmMetric
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable
from support.fake_account import FakeAccount, refusal

END = datetime(2026, 5, 19, 15, 0, tzinfo=UTC)
WINDOW = Window(start=END - timedelta(minutes=30), end=END)
TIMES = (END - timedelta(minutes=2), END - timedelta(minutes=1))
SUBJECT = Subject(metrics=(AlarmMetric(namespace="AWS/RDS", dimensions={"DBInstanceIdentifier": "orders-db"}),))
CORES = [{"Name": "coreCount", "Value": "2"}, {"Name": "threadsPerCore", "Value": "1"}]


def instance(name: str = "orders-db", **fields: Any) -> dict[str, Any]:
    return {
        "DBInstanceIdentifier": name, "DbiResourceId": f"db-{name.upper().replace('-', '')}", "DBInstanceClass": "db.r6g.xlarge",
        "Engine": "postgres", "PerformanceInsightsEnabled": True,
    } | fields  # fmt: skip


def series(*values: float, kind: str = "", name: str = "") -> dict[str, Any]:
    key: dict[str, Any] = {"Metric": "db.load.avg"}
    if name:
        key["Dimensions"] = {"db.wait_event.type": kind, "db.wait_event.name": name}
    return {"Key": key, "DataPoints": [{"Timestamp": t, "Value": v} for t, v in zip(TIMES, values, strict=True)]}


def account(*instances: dict[str, Any], **answers: Any) -> FakeAccount:
    waits = [series(6.0, 8.0), series(1.0, 1.0, kind="CPU", name="CPU"), series(5.0, 7.0, kind="Lock", name="transactionid")]
    keys = [
        {"Dimensions": {"db.sql_tokenized.statement": "SELECT ?"}, "Total": 0.5},
        {"Dimensions": {"db.sql_tokenized.statement": "UPDATE orders SET state = ? WHERE id = ?"}, "Total": 5.25},
    ]
    return FakeAccount(
        {
            ("rds", "DescribeDBInstances"): {"DBInstances": list(instances or (instance(),))},
            ("pi", "GetResourceMetrics"): answers.get("metrics", {"MetricList": waits}),
            ("pi", "DescribeDimensionKeys"): answers.get("keys", {"Keys": keys}),
        }
    )


def test_the_document_has_load_waits_and_statements_heaviest_first():
    assert document(account().clients(), "performance_insights", SUBJECT, WINDOW) == {
        "db_instance": "orders-db",
        "engine": "postgres",
        "window": {"start": "2026-05-19T14:30:00Z", "end": "2026-05-19T15:00:00Z"},
        "db_load": [["2026-05-19T14:58:00Z", 6.0], ["2026-05-19T14:59:00Z", 8.0]],
        "top_waits": [{"wait": "Lock:transactionid", "load": 6.0}, {"wait": "CPU", "load": 1.0}],
        "top_sql": [{"sql": "UPDATE orders SET state = ? WHERE id = ?", "load": 5.25}, {"sql": "SELECT ?", "load": 0.5}],
        "max_vcpus": 4,
    }


def test_statements_are_asked_for_without_their_literals():
    made = account()
    document(made.clients(), "performance_insights", SUBJECT, WINDOW)
    (asked,) = made.requests("pi", "DescribeDimensionKeys")
    assert asked["GroupBy"]["Group"] == "db.sql_tokenized"


@pytest.mark.parametrize(("dimension", "asked"), [
    ("DBInstanceIdentifier", {"DBInstanceIdentifier": "x"}),
    ("DBClusterIdentifier", {"Filters": [{"Name": "db-cluster-id", "Values": ["x"]}]}),
    ("FunctionName", {}),
])  # fmt: skip
def test_the_instances_are_those_of_the_alarm(dimension: str, asked: dict[str, Any]):
    made = account()
    document(made.clients(), "performance_insights", Subject(metrics=(AlarmMetric(dimensions={dimension: "x"}),)), WINDOW)
    assert made.requests("rds", "DescribeDBInstances") == [asked]


def test_of_several_the_busiest_for_its_size_is_told():
    def load(request: dict[str, Any]) -> dict[str, Any]:
        return {"MetricList": [series(*((3.0, 3.0) if request["Identifier"] == "db-SMALL" else (5.0, 5.0)))]}

    made = account(instance("big", DBInstanceClass="db.r6g.4xlarge"), instance("small", DBInstanceClass="db.t4g.medium"), metrics=load)
    assert document(made.clients(), "performance_insights", Subject(), WINDOW)["db_instance"] == "small"


def test_a_wait_without_load_is_none():
    idle = [series(0.0, 0.0), series(0.0, 0.0, kind="CPU", name="CPU")]
    found = document(account(metrics={"MetricList": idle}, keys={"Keys": []}).clients(), "performance_insights", SUBJECT, WINDOW)
    assert (found["top_waits"], found["top_sql"]) == ([], [])
    assert [value for _, value in found["db_load"]] == [0.0, 0.0]


@pytest.mark.parametrize(("hours", "seconds"), [(1, 60), (12, 300), (72, 3600), (24 * 30, 3600)])
def test_the_period_grows_with_the_window(hours: int, seconds: int):
    made = account()
    document(made.clients(), "performance_insights", SUBJECT, Window(start=END - timedelta(hours=hours), end=END))
    assert made.requests("pi", "GetResourceMetrics")[0]["PeriodInSeconds"] == seconds


@pytest.mark.parametrize("fields", [{"PerformanceInsightsEnabled": False}, {"Engine": "docdb"}])
def test_a_database_without_it_is_a_source_that_is_not_there(fields: dict[str, Any]):
    with pytest.raises(SourceUnavailable, match=r"not enabled on any database that was looked at \(orders-db\)"):
        document(account(instance(**fields)).clients(), "performance_insights", SUBJECT, WINDOW)


def test_a_denied_action_is_named():
    with pytest.raises(SourceUnavailable, match=r"performance insights: AccessDenied: pi:GetResourceMetrics"):
        document(account(metrics=refusal("NotAuthorizedException")).clients(), "performance_insights", SUBJECT, WINDOW)


def test_there_is_no_other_document():
    made = account()
    with pytest.raises(SourceUnavailable):
        document(made.clients(), "slow_log", SUBJECT, WINDOW)
    assert made.asked == []


@pytest.mark.parametrize(("of", "vcpus"), [
    ({"DBInstanceClass": "db.t4g.medium"}, 2), ({"DBInstanceClass": "db.r5.large"}, 2), ({"DBInstanceClass": "db.r5.xlarge"}, 4),
    ({"DBInstanceClass": "db.r7g.16xlarge"}, 64), ({"DBInstanceClass": "db.r5.4xlarge.tpc2.mem2x"}, 16),
    ({"DBInstanceClass": "db.serverless"}, None), ({}, None),
    ({"DBInstanceClass": "db.r5.xlarge", "ProcessorFeatures": CORES}, 2),
])  # fmt: skip
def test_processors_are_counted_by_configuration_then_by_size(of: dict[str, Any], vcpus: int | None):
    assert _vcpus(of) == vcpus


@given(st.text(max_size=40))
def test_any_class_has_processors_or_none(name: str):
    found = _vcpus({"DBInstanceClass": name})
    assert found is None or found >= 0
