"""Trace shifts, and spans that are broken."""

from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis import traces, weighing
from superbiz.analysis.traces import Operation, Timing
from superbiz.domain.observations import Span
from support.incidents import build_span


def call(number: int, gap: float) -> list[Span]:
    """A caller's span and its callee's, the one longer by the gap."""
    return [
        build_span(number, service="gateway", name="GET /", duration_ms=50 + gap),
        build_span(number + 1, parent=number, service="orders", name="POST /orders/17", duration_ms=50),
    ]


def calls(count: int, gap: float) -> list[Span]:
    return [span for n in range(count) for span in call(n * 100, gap)]


def test_own_time_is_without_the_callees() -> None:
    found = traces.period(calls(1, 12))
    assert found.operations[Operation("gateway", "GET /")].own == [12]
    assert found.operations[Operation("orders", "POST /orders/*")].own == [50]


def test_the_gap_between_caller_and_callee_belongs_to_the_callee() -> None:
    assert traces.period(calls(2, 12)).gaps == {"orders": [12, 12]}


def chain(count: int, per_caller: int) -> list[Span]:
    """Callers with so many callees each."""
    below = [build_span(n * 100 + k + 1, parent=n * 100, service="orders", name="SELECT") for n in range(count) for k in range(per_caller)]
    return [*(build_span(n * 100, service="gateway", name="GET /") for n in range(count)), *below]


def test_children_that_are_missing_are_told_with_their_counts() -> None:
    [found] = traces.call_shifts(traces.period(chain(20, 0)), traces.period(chain(20, 1)))
    assert (found.change, found.calling, found.spans, found.normal_calling, found.normal_spans) == ("missing", 0, 20, 20, 20)
    assert found.score < -5
    assert weighing.called(found) > 1


def test_many_times_as_many_children_are_a_fan_out() -> None:
    [found] = traces.call_shifts(traces.period(chain(20, 40)), traces.period(chain(20, 2)))
    assert (found.change, found.fan_out) == ("fan-out", 20)
    assert weighing.called(found) > 1


def test_as_many_children_as_ever_weigh_nothing() -> None:
    [found] = traces.call_shifts(traces.period(chain(20, 3)), traces.period(chain(50, 3)))
    assert weighing.called(found) == 0


def test_most_calls_must_slow_down_for_a_growth() -> None:
    normal = [float(n % 5) for n in range(50)]
    all_slow, few_slow = [v + 2_000 for v in normal], [*normal[:44], *[2_000.0] * 6]
    slowed, retried = traces.growth(all_slow, normal), traces.growth(few_slow, normal)
    assert slowed is not None
    assert retried is not None
    assert slowed.score > 50
    assert retried.score < 0.5


def test_fewer_than_three_durations_say_nothing() -> None:
    assert traces.growth([1, 2], [1, 2, 3]) is None
    assert traces.growth([1, 2, 3], []) is None


def test_errors_count_against_the_normal_period() -> None:
    failing, sound = Timing([1.0] * 20, [1.0] * 20, 10), Timing([1.0] * 20, [1.0] * 20, 0)
    assert traces.error_growth(failing, sound) > 3
    assert traces.error_growth(failing, failing) == 0
    assert traces.error_growth(failing, None) > 3


def test_a_span_that_is_its_own_parent_and_a_cycle_are_harmless() -> None:
    spans = [build_span(1, parent=1), build_span(2, parent=3, service="a"), build_span(3, parent=2, service="b"), build_span(4, parent=99)]
    found = traces.period(spans)
    assert found.spans == 4
    assert all(own >= 0 for timing in found.operations.values() for own in timing.own)


def test_spans_draw_their_own_map() -> None:
    assert traces.edges(calls(2, 1)) == {"gateway": {"orders"}, "orders": set()}


SPANS = st.builds(
    build_span,
    st.integers(0, 9),
    parent=st.one_of(st.none(), st.integers(0, 9)),
    service=st.sampled_from(["a", "b", "c"]),
    name=st.text(max_size=10),
    duration_ms=st.floats(-1e6, 1e6),
    start_ms=st.floats(0, 1e12),
    error=st.booleans(),
)


@given(st.lists(SPANS, max_size=30), st.lists(SPANS, max_size=30))
def test_any_spans_give_finite_times(now: list[Span], normal: list[Span]) -> None:
    a, b = traces.period(now), traces.period(normal)
    for operation, timing in a.operations.items():
        assert all(own >= 0 for own in timing.own)
        usual = b.operations.get(operation)
        found = traces.growth(timing.own, usual.own) if usual else None
        assert found is None or abs(found.score) < 1e9
    assert all(callee in {s.service for s in now} for callee in a.gaps)


def test_too_many_spans_are_sampled_by_whole_traces() -> None:
    spans = [build_span(n, service="orders", trace_id=f"{n // 4:032x}") for n in range(4_000)]
    found = traces.sample(spans, most=1_000)
    assert 0 < len(found.spans) <= 1_000
    assert found.one_in >= 4
    whole = {s.trace_id for s in found.spans}
    assert len(found.spans) == 4 * len(whole), "a trace is kept whole or not at all"
    assert traces.sample(spans, most=4_000) == traces.Sample(spans, 1)
