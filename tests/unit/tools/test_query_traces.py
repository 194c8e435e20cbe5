"""`query_traces` over incidents in memory."""

import pytest

from superbiz.domain import canonical
from superbiz.domain.observations import Span
from superbiz.ports import SourceUnavailable
from support.incidents import Incident, build_span, run_tool


def traffic(count: int, *, gap: float = 2.0, failing: int = 0, own: float = 10.0) -> list[Span]:
    spans = []
    for n in range(count):
        spans.append(build_span(n * 100, service="gateway", name="GET /cart", duration_ms=own + gap + 5))
        spans.append(build_span(n * 100 + 1, parent=n * 100, duration_ms=own + 5, error=n < failing))
    return spans


def test_time_lost_on_the_way_to_a_service_is_a_gap_of_that_service() -> None:
    found = run_tool("query_traces", Incident(spans=traffic(20, gap=2_000), normal_spans=traffic(20)))
    gap = found["gaps"][0]
    assert (gap["service"], gap["gap_median_ms"], gap["normal_gap_median_ms"], gap["calls"]) == ("orders", 2_000, 2, 20)
    assert gap["weight"] > 10


def test_failing_operations_come_first_with_rates_of_both_periods() -> None:
    operation = run_tool("query_traces", Incident(spans=traffic(20, failing=10), normal_spans=traffic(20)))["operations"][0]
    assert (operation["service"], operation["name"], operation["spans"], operation["errors"]) == ("orders", "POST /orders", 20, 10)
    assert (operation["error_rate"], operation["normal_error_rate"]) == (0.5, 0)


def test_own_time_is_told_apart_from_the_callees() -> None:
    found = run_tool("query_traces", Incident(spans=traffic(20, own=500), normal_spans=traffic(20)))
    slow = next(o for o in found["operations"] if o["service"] == "orders")
    caller = next(o for o in found["operations"] if o["service"] == "gateway")
    assert slow["own_median_ms"] == 505
    assert caller["own_median_ms"] == 2
    assert caller["p90_ms"] == 507


def test_samples_name_trace_and_span() -> None:
    sample = run_tool("query_traces", Incident(spans=traffic(3, failing=1), normal_spans=traffic(3)))["samples"][0]
    assert "orders POST /orders" in sample
    assert "failed trace 00000000000000000000000000000000 span abcdef0000000001" in sample


def test_without_a_normal_period_failures_are_told_and_gaps_are_not_guessed() -> None:
    found = run_tool("query_traces", Incident(spans=traffic(20, failing=10, gap=2_000)))
    assert found["operations"][0]["errors"] == 10
    assert found["gaps"] == []
    assert found["notes"] == ["there are no traces of a normal period to compare with"]


def test_without_a_normal_period_the_hour_before_is_what_is_ordinary() -> None:
    early = [
        s._replace(start_ms=s.start_ms - 1_800_000, span_id=f"b{s.span_id}", parent_id=s.parent_id and f"b{s.parent_id}")
        for s in traffic(20)
    ]
    found = run_tool("query_traces", Incident(spans=[*early, *traffic(20, gap=2_000)]))
    assert found["gaps"][0]["normal_gap_median_ms"] == 2
    assert "notes" not in found


def test_a_service_can_be_asked_for_alone() -> None:
    found = run_tool("query_traces", Incident(spans=traffic(3), normal_spans=traffic(3)), services=["ORDERS"])
    assert {o["service"] for o in found["operations"]} == {"orders"}
    assert found["matched"] == 3


def test_what_is_not_shown_is_counted() -> None:
    spans = [build_span(n, name=f"operation {'abcdefghijklmnop'[n]}") for n in range(12)]
    assert run_tool("query_traces", Incident(spans=spans), top=4)["left_out"] == {"operations": 8}


def test_orphans_cycles_and_clocks_that_jump_give_a_storable_answer() -> None:
    spans = [build_span(1, parent=1), build_span(2, parent=3), build_span(3, parent=2), build_span(4, parent=9, duration_ms=-5)]
    canonical.dumps(run_tool("query_traces", Incident(spans=spans, normal_spans=spans)))


def test_a_missing_source_is_unavailable() -> None:
    with pytest.raises(SourceUnavailable):
        run_tool("query_traces", Incident())
