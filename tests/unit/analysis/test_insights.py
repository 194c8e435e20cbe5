"""Database load, in the shapes in which it is recorded."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis import insights
from superbiz.analysis.insights import Load, Part, WaitKind

OURS = {
    "db_instance": "orders-db",
    "db_load": [["2026-07-01T10:00:00Z", 1.0], ["2026-07-01T10:01:00Z", 9.0]],
    "top_waits": [{"wait": "CPU", "load": 6.0}, {"wait": "IO:DataFileRead", "load": 2.0}],
    "top_sql": [{"sql": "SELECT  *\n FROM orders", "load": 7.0}],
    "max_vcpus": 4,
}
METRICS = {
    "Identifier": "db-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "MetricList": [
        {"Key": {"Metric": "db.load.avg"}, "DataPoints": [{"Timestamp": "t", "Value": 2.0}, {"Timestamp": "t", "Value": 4.0}]},
        {
            "Key": {"Metric": "db.load.avg", "Dimensions": {"db.wait_event.name": "transactionid", "db.wait_event.type": "Lock"}},
            "DataPoints": [{"Timestamp": "t", "Value": 3.0}, {"Timestamp": "t", "Value": None}],
        },
    ],
}
KEYS = {
    "AlignedStartTime": 1.0,
    "Keys": [
        {"Dimensions": {"db.wait_event.name": "wait/io/table/sql/handler"}, "Total": 1.5},
        {"Dimensions": {"db.sql_tokenized.statement": "UPDATE t SET a = ?", "db.sql_tokenized.id": "X1"}, "Total": 0.5},
    ],
}


def test_our_own_summary() -> None:
    found = insights.read(OURS)
    assert found.databases == (Load("orders-db", 5.0, 9.0, 4.0),)
    assert found.databases[0].ratio == 2.25
    assert found.waits == (Part("orders-db", "CPU", 6.0, 0.75), Part("orders-db", "IO:DataFileRead", 2.0, 0.25))
    assert found.statements == (Part("orders-db", "SELECT * FROM orders", 7.0, 1.0),)


def test_the_answer_of_get_resource_metrics() -> None:
    """Its identifier is one that nobody else knows, so that the instance's name has to be given."""
    found = insights.read(METRICS, "orders-db")
    assert found.databases == (Load("orders-db", 3.0, 4.0, None),)
    assert found.waits == (Part("orders-db", "Lock:transactionid", 3.0, 1.0),)


def test_the_answer_of_describe_dimension_keys() -> None:
    found = insights.read(KEYS, "orders-db")
    assert [p.name for p in found.waits] == ["wait/io/table/sql/handler"]
    assert [p.name for p in found.statements] == ["UPDATE t SET a = ?"]


@pytest.mark.parametrize(
    "document",
    [
        {"orders-db": {"db_load_average": 3, "max_vcpu": 2}},
        {"instances": [{"DBInstanceIdentifier": "orders-db", "dbLoad": 3, "vcpus": 2}]},
        {"db_instance": "orders-db", "db_load": [{"time": "t", "avg_active_sessions": 3}], "max_vcpus": 2},
        {"resource": "orders-db", "average_active_sessions": 3.0, "vCPU": 2},
    ],
)
def test_near_variants_of_the_load(document: Any) -> None:
    found = insights.read(document, "" if "orders-db" not in document else "orders-db")
    assert found.databases == (Load("orders-db", 3.0, 3.0, 2.0),)


@pytest.mark.parametrize(
    "waits",
    [
        {"top_waits": [{"event": "CPU", "load": 2.0}]},
        {"wait_events": [{"name": "CPU", "value": 2.0}]},
        {"waits": {"rows": [{"wait_event": "CPU", "aas": 2.0}]}},
    ],
)
def test_near_variants_of_waits(waits: Any) -> None:
    assert insights.read(waits, "db").waits == (Part("db", "CPU", 2.0, 1.0),)


def test_sessions_that_hold_a_transaction_open() -> None:
    row = {"pid": 7, "user": "app", "state": "idle in transaction", "xact_start": "2026-07-01T09:00:00Z", "query": "UPDATE t"}
    found = insights.read({"db_instance": "db", "sessions": [row]}).sessions
    assert [(s.database, s.user, s.since, s.statement) for s in found] == [("db", "app", "2026-07-01T09:00:00Z", "UPDATE t")]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("CPU", WaitKind.CPU),
        ("IO:DataFileRead", WaitKind.IO),
        ("io/aurora_redo_log_flush", WaitKind.COMMIT),
        ("IO:XactSync", WaitKind.COMMIT),
        ("Lock:transactionid", WaitKind.LOCK),
        ("wait/synch/cond/sql/MDL_context::COND_wait_status/metadata", WaitKind.LOCK),
        ("synch/mutex/innodb/row lock wait", WaitKind.LOCK),
        ("wait/io/table/sql/handler", WaitKind.IO),
        ("Client:ClientRead", WaitKind.CLIENT),
        ("IPC:ParallelFinish", WaitKind.OTHER),
    ],
)
def test_waits_are_told_apart_by_what_a_session_lacks(name: str, kind: WaitKind) -> None:
    assert insights.wait_kind(name) is kind


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["Keys", "load", "wait", "sql", "MetricList", "Key", "DataPoints", "db_instance", "x"]), inner)
    ),
    max_leaves=15,
)


@given(JSON)
def test_any_document_is_read_without_a_crash_and_without_strange_numbers(document: Any) -> None:
    found = insights.read(document)
    assert all(0 <= p.share <= 1 and 0 <= p.load < 1e9 for p in (*found.waits, *found.statements))
    assert all(0 <= load.average <= load.peak < 1e9 for load in found.databases)
