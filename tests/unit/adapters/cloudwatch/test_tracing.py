"""X-Ray: the service map, statistics as series, and traces as spans."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.adapters.cloudwatch import tracing
from superbiz.adapters.cloudwatch.session import Limits
from superbiz.adapters.cloudwatch.tracing import Node
from superbiz.analysis import traces
from superbiz.domain.observations import at
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable
from support.fake_account import FakeAccount

START = datetime(2026, 5, 19, 14, 0, tzinfo=UTC)
WINDOW = Window(start=START, end=START + timedelta(minutes=30))
LIMITS = Limits(workers=1)
T0 = START.timestamp()
Json = dict[str, Any]


def node(reference: int, name: str, kind: str, *callees: int) -> Json:
    return {"ReferenceId": reference, "Name": name, "Type": kind, "Edges": [{"ReferenceId": c} for c in callees]}


def test_edges_become_names_and_callers_from_outside_are_left_out() -> None:
    rows = [node(0, "web", "client", 1), node(1, "web", "AWS::ECS::Fargate", 2, 3), node(2, "pay", "AWS::Lambda", 4),
            node(3, "orders", "AWS::DynamoDB::Table"), node(4, "pay", "AWS::Lambda::Function", 3)]  # fmt: skip
    account = FakeAccount({("xray", "GetServiceGraph"): [{"Services": rows[:2], "NextToken": "t"}, {"Services": rows[2:]}]})
    assert tracing.graph(account.clients(), WINDOW) == (
        Node("web", ("AWS::ECS::Fargate",), ("pay", "orders")),
        Node("pay", ("AWS::Lambda", "AWS::Lambda::Function"), ("orders",)),
        Node("orders", ("AWS::DynamoDB::Table",), ()),
    )


def test_a_longer_window_is_asked_in_parts_that_xray_takes() -> None:
    account = FakeAccount({("xray", "GetServiceGraph"): {"Services": []}})
    tracing.graph(account.clients(), Window(start=START, end=START + timedelta(hours=13)))
    asked = [(r["StartTime"], r["EndTime"]) for r in account.requests("xray", "GetServiceGraph")]
    assert [end - start for start, end in asked] == [timedelta(hours=6), timedelta(hours=6), timedelta(hours=1)]


def counts(minute: int, total: int, faults: int = 0, seconds: float = 1.0) -> Json:
    statistics = {
        "OkCount": total - faults,
        "FaultStatistics": {"TotalCount": faults},
        "ErrorStatistics": {"ThrottleCount": 1},
        "TotalCount": total,
        "TotalResponseTime": seconds,
    }
    return {"Timestamp": START + timedelta(minutes=minute), "ServiceSummaryStatistics": statistics}


def test_statistics_become_series_of_each_service() -> None:
    account = FakeAccount({("xray", "GetTimeSeriesServiceStatistics"): {"TimeSeriesServiceStatistics": [counts(1, 0), counts(0, 4, 1)]}})
    found = tracing.statistics(account.clients(), [Node('a"b', (), ())], WINDOW, 60, LIMITS)
    assert {(s.metric_name, s.stat, s.unit): s.values for s in found.rows} == {
        ("Requests", "Sum", "Count"): (4.0, 0.0),
        ("Latency", "Average", "Seconds"): (0.25, None),
        ("Availability", "Average", "Percent"): (75.0, None),
        ("Faults", "Sum", "Count"): (1.0, 0.0),
        ("Throttles", "Sum", "Count"): (1.0, 1.0),
    }
    assert all(s.dimensions == {"ServiceName": 'a"b'} for s in found.rows)
    (asked,) = account.requests("xray", "GetTimeSeriesServiceStatistics")
    assert asked["EntitySelectorExpression"] == 'service("a\\"b")'


def test_services_beyond_the_limit_are_told() -> None:
    account = FakeAccount({("xray", "GetTimeSeriesServiceStatistics"): {"TimeSeriesServiceStatistics": []}})
    found = tracing.statistics(
        account.clients(), [Node(str(n), (), ()) for n in range(5)], WINDOW, 60, Limits(traced_services=3, workers=1)
    )
    assert found.partial == ("X-Ray statistics of 2 more services were not read",)


def segment(name: str, identity: str, parent: str | None = None, **fields: Any) -> Json:
    return {"name": name, "id": identity, "parent_id": parent, "start_time": T0, "end_time": T0 + 0.5, "trace_id": "t"} | fields


DOCUMENT = segment(
    "web", "a1",
    http={"request": {"method": "GET", "url": "https://shop.example/orders/17?secret=x"}, "response": {"status": 502}},
    fault=True,
    aws={"ecs": {"container": "ip-10-0-0-1"}},
    metadata={"default": {"body": "private"}},
    subsegments=[
        {"name": "pay", "id": "b1", "start_time": T0 + 0.1, "end_time": T0 + 0.4, "namespace": "remote", "subsegments": [
            {"name": "DynamoDB", "id": "c1", "start_time": T0 + 0.2, "end_time": T0 + 0.3, "namespace": "aws",
             "aws": {"operation": "PutItem", "table_name": "orders"}, "throttle": True},
        ]},
        {"name": "odd", "id": "d1"},
    ],
)  # fmt: skip


def test_a_segment_and_its_subsegments_are_spans() -> None:
    spans = {s.span_id: s for s in tracing.spans_of("t", json.dumps(DOCUMENT))}
    assert set(spans) == {"a1", "b1", "c1"}
    web, pay, table = spans["a1"], spans["b1"], spans["c1"]
    assert (web.service, web.resource, web.name, web.error) == ("web", "ip-10-0-0-1", "GET /orders/17", True)
    assert (web.start_ms, web.duration_ms) == (T0 * 1000, pytest.approx(500))
    assert (pay.parent_id, pay.service, pay.name, pay.error) == ("a1", "web", "pay", False)
    assert (table.parent_id, table.name, table.error) == ("b1", "DynamoDB PutItem", True)
    assert "metadata" not in web.attributes


def test_a_callees_segment_hangs_below_the_callers_subsegment() -> None:
    callee = segment("pay", "e1", "b1")
    spans = [s for d in (DOCUMENT, callee) for s in tracing.spans_of("t", json.dumps(d))]
    assert traces.edges(spans) == {"web": {"pay"}, "pay": set()}


KEYS = st.sampled_from(["id", "name", "start_time", "end_time", "subsegments", "http", "aws", "request", "url", "x"])


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda c: st.lists(c, max_size=3) | st.dictionaries(KEYS, c, max_size=5),
        max_leaves=12,
    )
)
def test_no_document_breaks_the_reading(document: Any) -> None:
    for span in tracing.spans_of("t", json.dumps(document)):
        assert span.duration_ms >= 0
        assert at(span.start_ms)


@pytest.mark.parametrize("document", ["", "{", "[]", '"x"', "{}"])
def test_what_is_no_segment_yields_nothing(document: str) -> None:
    assert list(tracing.spans_of("t", document)) == []


def account_with(count: int, **batch: Any) -> FakeAccount:
    summaries = [{"Id": f"1-{int(T0) + n:x}-{n:024x}", "StartTime": START + timedelta(seconds=n)} for n in range(count)]

    def traces_of(request: Json) -> Json:
        found = [{"Id": i, "Segments": [{"Id": "s", "Document": json.dumps(segment("web", i[-16:]))}]} for i in request["TraceIds"]]
        return {"Traces": found} | batch

    return FakeAccount({("xray", "GetTraceSummaries"): {"TraceSummaries": summaries}, ("xray", "BatchGetTraces"): traces_of})


def test_traces_are_got_five_at_a_time() -> None:
    account = account_with(12)
    found = tracing.spans(account.clients(), WINDOW, LIMITS)
    assert len(found.rows) == 12
    assert found.partial == ()
    assert [len(r["TraceIds"]) for r in account.requests("xray", "BatchGetTraces")] == [5, 5, 2]


def test_more_traces_than_the_limit_are_sampled_evenly_and_said() -> None:
    account = account_with(100)
    found = tracing.spans(account.clients(), WINDOW, Limits(traces=10, workers=1))
    ids = [i for r in account.requests("xray", "BatchGetTraces") for i in r["TraceIds"]]
    assert [int(i[-24:], 16) for i in ids] == list(range(0, 100, 10))
    assert found.partial == ("traces: 10 of 100 traces were read, evenly over the window",)


def test_no_part_of_a_window_with_too_many_traces_is_left_out() -> None:
    """Each slice of the window gives its first pages; the first slices do not use up what is read of all."""

    def endless(request: Json) -> Json:
        start = int(request["StartTime"].timestamp()) + int(request.get("NextToken", "0"))
        return {"TraceSummaries": [{"Id": f"1-{start:08x}-{start:024x}"}], "NextToken": str(int(request.get("NextToken", "0")) + 1)}

    account = FakeAccount({("xray", "GetTraceSummaries"): endless, ("xray", "BatchGetTraces"): {"Traces": []}})
    found = tracing.spans(account.clients(), WINDOW, LIMITS)
    ids = [i for r in account.requests("xray", "BatchGetTraces") for i in r["TraceIds"]]
    minutes = {(int(i.split("-")[1], 16) - int(T0)) // 180 for i in ids}
    assert minutes == set(range(10))
    assert found.partial[0].startswith("traces: 30 of more than 30 traces were read")


def test_traces_that_xray_keeps_back_are_asked_again_and_told() -> None:
    identity = f"1-{int(T0):x}-{0:024x}"
    account = account_with(1, Traces=[], UnprocessedTraceIds=[identity])
    found = tracing.spans(account.clients(), WINDOW, LIMITS)
    assert [r["TraceIds"] for r in account.requests("xray", "BatchGetTraces")] == [[identity], [identity]]
    assert found == ((), ("traces: X-Ray gave 1 traces in part or not at all",), ())


def test_a_trace_that_is_too_long_for_xray_is_told() -> None:
    identity = f"1-{int(T0):x}-{0:024x}"
    found = tracing.spans(account_with(1, Traces=[{"Id": identity, "LimitExceeded": True, "Segments": []}]).clients(), WINDOW, LIMITS)
    assert found.partial == ("traces: X-Ray gave 1 traces in part or not at all",)


def test_a_window_without_traces_is_empty_and_no_failure() -> None:
    assert tracing.spans(account_with(0).clients(), WINDOW, LIMITS) == ((), (), ())


@pytest.mark.parametrize(("operation", "read"), [
    ("GetServiceGraph", lambda c: tracing.graph(c, WINDOW)),
    ("GetTraceSummaries", lambda c: tracing.spans(c, WINDOW, LIMITS)),
    ("GetTimeSeriesServiceStatistics", lambda c: tracing.statistics(c, [Node("web", (), ())], WINDOW, 60, LIMITS)),
])  # fmt: skip
def test_a_denied_reading_names_the_missing_action(operation: str, read: Any) -> None:
    with pytest.raises(SourceUnavailable, match=f"AccessDenied: xray:{operation}"):
        read(FakeAccount({}).clients())


def test_denied_documents_name_the_missing_action() -> None:
    summaries = {"TraceSummaries": [{"Id": f"1-{int(T0):x}-{0:024x}"}]}
    with pytest.raises(SourceUnavailable, match="AccessDenied: xray:BatchGetTraces"):
        tracing.spans(FakeAccount({("xray", "GetTraceSummaries"): summaries}).clients(), WINDOW, LIMITS)
