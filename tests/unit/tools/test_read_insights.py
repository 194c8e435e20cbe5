"""`read_insights` over incidents in memory."""

import pytest

from superbiz.domain.evidence import EvidenceStatus, InvocationStatus
from superbiz.ports import SourceUnavailable
from support.incidents import Incident, run_tool, toolbox

LOADED = {
    "performance_insights": {
        "db_instance": "orders-db",
        "db_load": [1.0, 12.0],
        "max_vcpus": 4,
        "top_waits": [{"wait": f"Lock:w{n}", "load": float(10 - n)} for n in range(10)],
        "top_sql": [{"sql": "UPDATE orders SET a = 1", "load": 11.0}],
        "sessions": [{"pid": 1, "state": "idle in transaction", "xact_start": "2026-07-01T10:00:00Z"}],
    }
}


def test_load_is_told_against_the_processors_there_are() -> None:
    found = run_tool("read_insights", Incident(documents=LOADED))
    assert found["databases"] == [{"database": "orders-db", "load": 6.5, "peak_load": 12, "max_vcpus": 4, "load_to_vcpus": 3}]
    assert found["sql"] == [{"database": "orders-db", "sql": "UPDATE orders SET a = 1", "load": 11, "share": 1}]
    assert found["sessions"] == [{"database": "orders-db", "state": "idle in transaction", "since": "2026-07-01T10:00:00Z"}]


def test_waits_come_with_their_kind_and_what_is_left_out_is_counted() -> None:
    found = run_tool("read_insights", Incident(documents=LOADED), top=3)
    assert [(w["wait"], w["kind"]) for w in found["waits"]] == [("Lock:w0", "lock"), ("Lock:w1", "lock"), ("Lock:w2", "lock")]
    assert found["left_out"] == {"waits": 7}


def test_a_document_without_a_name_is_of_the_database_that_was_asked_for() -> None:
    found = run_tool(
        "read_insights", Incident(documents={"performance_insights": {"top_waits": [{"wait": "CPU", "load": 1.0}]}}), database="a-db"
    )
    assert found["waits"][0]["database"] == "a-db"


def test_a_source_without_insights_is_a_failure_and_so_are_insights_without_load() -> None:
    for incident in (Incident(), Incident(documents={"something_else": {}})):
        with pytest.raises(SourceUnavailable):
            run_tool("read_insights", incident)


def test_it_counts_as_evidence_of_metrics() -> None:
    call = toolbox(Incident(documents=LOADED)).call("read_insights", {}).invocation
    assert call.status is InvocationStatus.SUCCESS
    assert call.retrieval_details.evidence_status is EvidenceStatus.SUPPORTED
