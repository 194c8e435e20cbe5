"""Facts against a plain oracle on random series, and what must never hold whatever the numbers."""

import statistics
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.domain import canonical, facts
from superbiz.domain.facts import Fact, Outcome, Source, amounts

START = datetime(2026, 3, 2, 10, tzinfo=UTC)
VALUES = st.one_of(st.none(), st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 4)))
SERIES = st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=30, unique_by=lambda p: p[0])
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=12)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text("abc_mst", min_size=1, max_size=3), inner, max_size=4)),
    max_leaves=12,
)


def at(second: int) -> str:
    return (START + timedelta(seconds=second)).isoformat().replace("+00:00", "Z")


def outcome(points: list[tuple[int, Any]], **fact: Any) -> Outcome:
    output = {"subject": "x", "metric": "load", "points": [[at(s), v] for s, v in points]}
    return facts.recompute(
        facts.parse({"subject": "x", "metric": "load", "path": "$.points"} | fact), [Source("t1", output, {}, tool="query")]
    )


def oracle(points: list[tuple[int, Any]]) -> dict[str, float]:
    kept = sorted((s, float(v)) for s, v in points if v is not None)
    values = [v for _, v in kept]
    return {
        "count": len(values), "min": min(values), "max": max(values), "sum": sum(values), "mean": statistics.fmean(values),
        "median": statistics.median(values), "first": values[0], "last": values[-1],
    }  # fmt: skip


@given(SERIES.filter(lambda s: any(v is not None for _, v in s)))
def test_every_aggregate_is_what_plain_code_gives(points: list[tuple[int, Any]]) -> None:
    """Whatever the order in which the points stand, and with their gaps left out."""
    for how, expected in oracle(points).items():
        found = outcome(points, aggregate=how, value=0, op=">=" if expected >= 0 else "<")
        assert found.holds, (how, found.reason)
        assert abs(float(found.found) - expected) <= 1e-6 * max(1.0, abs(expected))


@given(SERIES.filter(lambda s: any(v is not None for _, v in s)), st.integers(1, 10**6))
def test_a_count_that_was_changed_never_holds(points: list[tuple[int, Any]], by: int) -> None:
    right = int(oracle(points)["count"])
    assert outcome(points, aggregate="count", value=right).holds
    assert not outcome(points, aggregate="count", value=right + by).holds


@given(st.integers(-(10**9), 10**9), st.integers(0, 6), st.integers(1, 10**6), st.sampled_from((1, -1)))
def test_a_value_that_was_changed_never_holds_beyond_its_precision(digits: int, places: int, by: int, way: int) -> None:
    recorded = canonical.loads(spelled(digits, places))
    source = Source("t1", {"load": recorded}, {})
    said = spelled(digits + way * by, places)
    assert facts.recompute(Fact(metric="load", value=canonical.loads(spelled(digits, places)), path="$.load"), [source]).holds
    assert not facts.recompute(Fact(metric="load", value=canonical.loads(said), path="$.load"), [source]).holds


@given(
    st.decimals("0.01", "99999", places=2), st.sampled_from(("ns", "us", "ms", "s", "min", "h")), st.sampled_from(("ns", "us", "ms", "s"))
)
def test_a_duration_is_the_same_in_every_unit(value: Any, recorded: str, told: str) -> None:
    one = amounts.of_fact(float(value), recorded)
    assert one is not None
    converted = one.base / amounts.per_base(told)
    source = Source("t1", {"wait": canonical.loads(f"{value}"), "unit": recorded}, {})
    fact = {"metric": "wait", "unit": told, "path": "$.wait"}
    assert facts.recompute(facts.parse(fact | {"value": float(converted)}), [source]).holds
    assert not facts.recompute(facts.parse(fact | {"value": float(converted * 3)}), [source]).holds


@given(st.lists(st.integers(0, 86_400), min_size=2, max_size=2, unique=True), st.integers(-12, 12))
def test_order_in_time_does_not_depend_on_the_zone(seconds: list[int], hours: int) -> None:
    moved = (START + timedelta(seconds=seconds[1])).astimezone(timezone(timedelta(hours=hours))).isoformat()
    source = Source("t1", {"onset": at(seconds[0]), "end": moved}, {})
    for op, expected in (("before", seconds[0] < seconds[1]), ("after", seconds[0] > seconds[1])):
        fact = facts.parse({"metric": "onset", "op": op, "value": "$.end", "path": "$.onset"})
        assert facts.recompute(fact, [source]).holds is expected


PATHS = ("$", "$.a", "$.m[0]", "$.a.s", "$[0]")
SAID = st.one_of(st.integers(), st.booleans(), st.text(max_size=8), st.sampled_from(("$.a", "2026-03-02T10:00:00Z", "5 ms")))
OPS, WAYS, UNITS = tuple(facts.Op), tuple(facts.Aggregate), ("", "s", "%", "1/s")


@settings(max_examples=150)
@given(JSON, st.sampled_from(OPS), st.sampled_from(WAYS), st.sampled_from(PATHS), SAID, st.sampled_from(UNITS))
def test_any_fact_over_any_output_gets_an_answer(node: Any, op: Any, how: Any, path: str, value: Any, unit: str) -> None:
    """It holds, or there is a reason; nothing is raised."""
    turns = op in ("rose", "fell")
    fact = Fact(metric="a", subject="t", op=op, value=value, unit=unit, aggregate="value" if turns else how, path=path)
    found = facts.recompute(fact, [Source("t1", node, {})])
    assert found.holds or found.reason


def spelled(digits: int, places: int) -> str:
    whole = f"{abs(digits):0{places + 1}}"
    text = f"{whole[: len(whole) - places]}.{whole[len(whole) - places :]}" if places else whole
    return f"{'-' if digits < 0 else ''}{text}"
