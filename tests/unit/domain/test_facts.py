"""Typed facts: how they are read, and what code recomputes from the recorded JSON."""

from typing import Any

import pytest

from superbiz.domain import canonical, facts
from superbiz.domain.facts import Outcome, Source
from superbiz.errors import Invalid

OUTPUT = {
    "window": {"start": "2026-03-02T10:00:00Z", "end": "2026-03-02T10:10:00Z"},
    "complete": True,
    "series": [
        {
            "subject": "orders-db", "metric": "PoolUtilization", "unit": "Percent", "worst": 98.23, "worst_at": "2026-03-02T10:06:00Z",
            "baseline": 40.5, "deviation": 12, "onset": "2026-03-02T10:05:00Z", "recovered_at": None,
            "points": [
                ["2026-03-02T10:05:00Z", 41.0], ["2026-03-02T10:04:00Z", 40.0], ["2026-03-02T10:06:00Z", 98.23],
                ["2026-03-02T10:07:00Z", None], ["2026-03-02T10:08:00Z", 60.0],
            ],
        },
        {"subject": "orders-api", "metric": "Latency", "p99_ms": 1843.2, "normal_p99_ms": 20, "bad_lines": 3, "lines": 40},
    ],
    "calls": [
        {"service": "orders", "ms": 10, "at": "2026-03-02T10:03:00Z"},
        {"service": "orders", "ms": 30, "at": "2026-03-02T10:01:00+00:00"},
        {"service": "orders", "ms": 20, "at": "2026-03-02T12:02:00+02:00"},
        {"service": "payments", "ms": 500, "at": "2026-03-02T10:02:30Z"},
        {"service": "orders", "ms": None, "at": "2026-03-02T10:09:00Z"},
    ],
    "logs": ["2026-03-02T10:05:01Z ERROR orders timeout after 5000 ms", "2026-03-02T10:05:02Z INFO orders accepted order 17",
             "2026-03-02T10:05:07Z ERROR orders timeout after 5000 ms"],
    "odd": {"mixed": [1, "two", True], "sizes": [1048576, 2097152], "text": "12", "flag": True, "big": 10**40, "error_rate": 0.983,
            "memory_mb": 512, "rows": []},
}  # fmt: skip


def source(output: Any = OUTPUT, **fields: Any) -> Source:
    return Source(**({"invocation_id": "t1", "output": output, "params": {"service": "orders"}, "tool": "query"} | fields))


def recomputed(*calls: Source, **fact: Any) -> Outcome:
    return facts.recompute(facts.parse(fact), calls or (source(),))


POOL = {"subject": "orders-db", "metric": "worst of PoolUtilization", "path": "$.series[0].worst"}
POINTS = {"subject": "orders-db", "metric": "PoolUtilization", "path": "$.series[0].points"}
CALLS = {"subject": "orders", "metric": "ms", "path": "$.calls"}
TIMES = {"subject": "orders", "metric": "at", "path": "$.calls"}
LINES = {"subject": "orders", "metric": "ERROR", "path": "$.logs"}
RATE = {"metric": "error rate", "path": "$.odd.error_rate"}
ODD = {"metric": "memory mb", "path": "$.odd.memory_mb"}
BIG = {"metric": "big", "path": "$.odd.big"}

HOLDS: list[dict[str, Any]] = [
    POOL | {"value": 98.23, "unit": "%"},
    POOL | {"value": 98.2},
    POOL | {"value": "98 %"},
    POOL | {"value": "about 98 percent"},
    POOL | {"value": 98.23, "time": "2026-03-02T10:06:00Z"},
    POOL | {"value": 98.23, "time": "2026-03-02T12:06:00+02:00"},
    POOL | {"op": "gte", "value": 98},
    POOL | {"op": "<", "value": 100},
    POOL | {"op": "!=", "value": 97},
    POOL | {"op": "rose"},
    POOL | {"op": ">", "value": "$.series[0].baseline"},
    {"subject": "orders-db", "metric": "worst", "value": 98.23, "path": "$.series[0]"},
    {"subject": "orders-db", "metric": "onset", "op": "before", "value": "$.series[0].worst_at", "path": "$.series[0].onset"},
    {"subject": "orders-db", "metric": "worst at", "op": "after", "value": "2026-03-02T10:05:30Z", "path": "$.series[0].worst_at"},
    {"subject": "orders-db", "metric": "onset", "value": "2026-03-02 10:05 UTC", "path": "$.series[0].onset"},
    {"subject": "orders-api", "metric": "p99", "value": "about 2 s", "path": "$.series[1].p99_ms"},
    {"subject": "orders-api", "metric": "p99", "value": 1.8432, "unit": "s", "path": "$.series[1].p99_ms"},
    {"subject": "orders-api", "metric": "p99", "value": "1.8k", "unit": "ms", "path": "$.series[1].p99_ms"},
    {"subject": "orders-api", "metric": "p99 ms", "op": "rose", "path": "$.series[1].p99_ms"},
    POINTS | {"aggregate": "max", "value": 98.23, "time": "2026-03-02T10:06:00Z"},
    POINTS | {"aggregate": "min", "value": 40, "time": "2026-03-02T10:04:00Z"},
    POINTS | {"aggregate": "first", "value": 40},
    POINTS | {"aggregate": "last", "value": 60},
    POINTS | {"aggregate": "count", "value": 4},
    POINTS | {"aggregate": "median", "value": 50.5},
    POINTS | {"value": 98.23, "time": "2026-03-02T10:06:00Z"},
    POINTS | {"op": "rose"},
    CALLS | {"aggregate": "count", "value": 3},
    CALLS | {"aggregate": "sum", "value": 60, "unit": "ms"},
    CALLS | {"aggregate": "sum", "value": 0.06, "unit": "s"},
    CALLS | {"aggregate": "avg", "value": 20},
    CALLS | {"aggregate": "median", "value": 20},
    CALLS | {"aggregate": "max", "value": 30},
    CALLS | {"aggregate": "first", "value": 30},
    CALLS | {"aggregate": "last", "value": 10},
    CALLS | {"subject": "payments", "aggregate": "max", "value": 500},
    TIMES | {"aggregate": "first", "value": "2026-03-02T10:01:00Z"},
    TIMES | {"aggregate": "max", "value": "2026-03-02T10:09:00Z"},
    TIMES | {"aggregate": "last", "op": "after", "value": "$.series[0].onset"},
    LINES | {"aggregate": "count", "value": 2},
    LINES | {"aggregate": "count", "op": ">=", "value": 2},
    LINES | {"aggregate": "rate", "value": 0.2, "unit": "errors per minute"},
    LINES | {"aggregate": "rate", "value": 12, "unit": "1/h"},
    {"subject": "orders", "metric": "timeout", "value": "5 s", "path": "$.logs[0]"},
    {"subject": "orders", "metric": "timeout", "value": 5000, "unit": "ms", "time": "2026-03-02T10:05:01Z", "path": "$.logs[0]"},
    RATE | {"value": "98 %"},
    RATE | {"value": 0.983},
    RATE | {"value": 98.3, "unit": "percent"},
    ODD | {"value": 512, "unit": "MB"},
    ODD | {"value": "0.512 GB"},
    ODD | {"value": "0.5 GiB"},
    {"metric": "sizes", "aggregate": "sum", "value": "3 MiB", "path": "$.odd.sizes"},
    {"metric": "text", "value": 12, "path": "$.odd.text"},
    {"metric": "flag", "value": True, "path": "$.odd.flag"},
    {"metric": "mixed", "aggregate": "count", "value": 3, "path": "$.odd.mixed"},
    {"metric": "rows", "aggregate": "count", "value": 0, "path": "$.odd.rows"},
    BIG | {"value": 10**40},
    {"subject": "orders-db", "metric": "metric", "value": "PoolUtilization", "path": "$.series[0].metric"},
]
FAILS: dict[str, tuple[dict[str, Any], str]] = {
    "another value": (POOL | {"value": 98.3}, "found 98.23 at $.series[0].worst of query (t1)"),
    "beyond the shown precision": (POOL | {"value": "97 %"}, "found 98.23"),
    "another unit": (POOL | {"value": 98.23, "unit": "ms"}, "found 98.23"),
    "another subject": (POOL | {"subject": "orders-api", "value": 98.23}, "is not about orders-api"),
    "another field's name": (POOL | {"metric": "baseline", "value": 98.23}, "expected the field 'baseline'"),
    "a baseline told as the metric": (POINTS | {"path": "$.series[0].baseline", "value": 40.5}, "what is normal"),
    "a name that the record lacks": (POOL | {"metric": "latency", "value": 98.23}, "speaks of 'latency'"),
    "lines told as bad lines": ({"metric": "bad lines", "value": 40, "path": "$.series[1].lines"}, "expected the field 'bad_lines'"),
    "another time": (POOL | {"value": 98.23, "time": "2026-03-02T10:05:00Z"}, "has 2026-03-02T10:06:00+00:00"),
    "no time": (POOL | {"value": 98.23, "time": "later"}, "is no time"),
    "a fall that rose": (POOL | {"op": "fell"}, "found 40.5 and then 98.23"),
    "a node that is not there": (POOL | {"path": "$.series[9].worst", "value": 1}, "no cited call has a node there"),
    "a call that is not cited": (POOL | {"value": 98.23, "invocation_id": "t9"}, "cites no call t9"),
    "the wrong order": ({"metric": "onset", "op": "after", "value": "$.series[0].worst_at", "path": "$.series[0].onset"}, "found"),
    "a time compared with a number": (POOL | {"op": "before", "value": "2026-03-02T10:05Z"}, "no time"),
    "the maximum at another time": (POINTS | {"aggregate": "max", "value": 98.23, "time": "2026-03-02T10:05:00Z"}, "found at"),
    "a gap counted": (POINTS | {"aggregate": "count", "value": 5}, "found 4"),
    "a gap's value": (POINTS | {"value": 0, "time": "2026-03-02T10:07:00Z"}, ""),
    "a stranger's call counted": (CALLS | {"aggregate": "max", "value": 500}, "found 30"),
    "all lines told as errors": (LINES | {"aggregate": "count", "value": 3}, "found 2"),
    "a rate without a span": (LINES | {"aggregate": "rate", "value": 0.2, "unit": "errors"}, "a rate needs a unit"),
    "a rate by another span": (LINES | {"aggregate": "rate", "value": 0.2, "unit": "1/s"}, "found"),
    "a number that a line has not": ({"metric": "timeout", "value": "6 s", "path": "$.logs[0]"}, "reads"),
    "nothing for a little": (RATE | {"value": 0}, "found 0.983"),
    "a sum of mixed things": ({"metric": "mixed", "aggregate": "sum", "value": 1, "path": "$.odd.mixed"}, "is no number"),
    "a minimum of nothing": ({"metric": "rows", "aggregate": "min", "value": 0, "path": "$.odd.rows"}, "no element"),
    "a truth value as a number": ({"metric": "flag", "value": 1, "path": "$.odd.flag"}, "found true"),
    "a number as a truth value": ({"metric": "deviation", "value": True, "path": "$.series[0].deviation"}, "found 12"),
    "null": ({"metric": "recovered at", "value": "2026-03-02T10:08:00Z", "path": "$.series[0].recovered_at"}, ""),
    "one more of a huge number": (BIG | {"value": 10**40 + 1}, "found"),
    "an aggregate of a number": (POOL | {"aggregate": "max", "value": 98.23}, "expected an array"),
    "a kibibyte's thousand": (ODD | {"value": "0.6 GB"}, "found 512"),
}  # fmt: skip


@pytest.mark.parametrize("fact", HOLDS, ids=lambda f: f"{f['path']} {f.get('aggregate', '')} {f.get('op', '=')} {f.get('value')}")
def test_what_the_record_says_holds(fact: dict[str, Any]) -> None:
    outcome = recomputed(**fact)
    assert (outcome.holds, outcome.reason) == (True, "")


@pytest.mark.parametrize("name", FAILS)
def test_what_the_record_does_not_say_is_told_with_what_it_says(name: str) -> None:
    fact, why = FAILS[name]
    outcome = recomputed(**fact)
    assert not outcome.holds
    assert outcome.reason.startswith("expected ")
    assert why in outcome.reason


def test_a_part_of_an_output_counts_nothing() -> None:
    fact = LINES | {"aggregate": "count", "value": 2}
    assert "cut short" in recomputed(source(complete=False), **fact).reason
    assert "cut short" in recomputed(source(OUTPUT | {"complete": False}), **fact).reason
    assert "cut short" in recomputed(source(OUTPUT | {"truncated": True}), **fact).reason
    assert "holds 3 of 900" in recomputed(source({"logs": OUTPUT["logs"], "matched": 900}), **fact).reason


def test_any_cited_call_may_bear_a_fact_that_names_none() -> None:
    other = source({"series": [{"subject": "orders-db", "worst": 1}]}, invocation_id="t0")
    outcome = recomputed(other, source(), **POOL, value=98.23)
    assert (outcome.holds, outcome.invocation_id) == (True, "t1")
    assert not recomputed(other, source(), **POOL, value=98.23, invocation_id="t0").holds


def test_a_subject_may_be_what_was_asked_where_the_record_names_nobody() -> None:
    named_nowhere = source({"ms": [1, 2]})
    fact = {"metric": "ms", "aggregate": "max", "value": 2, "path": "$.ms"}
    assert recomputed(named_nowhere, subject="orders", **fact).holds
    assert not recomputed(named_nowhere, subject="payments", **fact).holds


def test_a_float_keeps_its_spelling() -> None:
    spelled = canonical.loads('{"subject": "x", "ms": 1e-7, "rate": 1.50}')
    assert recomputed(source(spelled), metric="rate", value=canonical.loads("1.50"), path="$.rate").holds
    assert recomputed(source(spelled), metric="ms", value=1e-7, path="$.ms").holds
    assert not recomputed(source(spelled), metric="ms", value=2e-7, path="$.ms").holds


MALFORMED: dict[str, tuple[Any, str]] = {
    "a text": ("rose", "a fact is a JSON object"),
    "no metric": ({"value": 1, "path": "$.a"}, "metric"),
    "no path": ({"metric": "a", "value": 1}, "path"),
    "a filter": ({"metric": "a", "value": 1, "path": "$.a[?(@.b)]"}, "no singular path"),
    "another op": ({"metric": "a", "op": "~", "value": 1, "path": "$.a"}, "op: expected one of =, !="),
    "an op that is no text": ({"metric": "a", "op": ["="], "value": 1, "path": "$.a"}, "op: expected one of"),
    "another aggregate": ({"metric": "a", "aggregate": "mode", "value": 1, "path": "$.a"}, "aggregate: expected one of value, count"),
    "no value": ({"metric": "a", "path": "$.a"}, "= needs a value"),
    "a list as value": ({"metric": "a", "value": [1], "path": "$.a"}, "neither a number"),
    "infinity": ({"metric": "a", "value": float("inf"), "path": "$.a"}, "neither a number"),
    "no number": ({"metric": "a", "value": float("nan"), "path": "$.a"}, "neither a number"),
    "a turn of a maximum": ({"metric": "a", "op": "rose", "aggregate": "max", "path": "$.a"}, "takes no aggregate"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_fact_is_told_by_its_field(name: str) -> None:
    given, why = MALFORMED[name]
    with pytest.raises(Invalid) as caught:
        facts.parse(given)
    assert caught.value.code == "FACT_INVALID"
    assert why in caught.value.message


def test_null_is_not_given() -> None:
    fact = facts.parse(
        {"subject": None, "metric": "a", "op": None, "value": 1, "unit": None, "time": None, "aggregate": None, "path": "$.a"}
    )
    assert (fact.subject, fact.op, fact.unit, fact.time, fact.aggregate, fact.invocation_id) == ("", "=", "", "", "value", "")


def test_labels_within_a_record_name_its_owner() -> None:
    call = source(
        {"result": [{"metric": {"pod": "fare-7", "container": "app"}, "value": 508.4}, {"metric": {"pod": "cart-1"}, "value": 9}]}
    )
    fact = {"metric": "value", "path": "$.result[0].value", "value": 508.4}
    assert recomputed(call, **fact, subject="fare-7").holds
    assert not recomputed(call, **fact, subject="cart-1").holds


def test_points_may_have_epochs_and_numbers_in_quotes() -> None:
    call = source({"values": [[1784288280, "0.578"], [1784290200, "0.967"]], "ms": [[1789702260000, 204], [1789705920000, 3425]]})
    share = {"metric": "values", "path": "$.values"}
    assert recomputed(call, **share, op="rose").holds
    assert not recomputed(call, **share, op="fell").holds
    assert recomputed(call, **share, aggregate="max", value="96.7 %").holds
    assert recomputed(call, metric="ms", path="$.ms", aggregate="last", value=3425).holds
    assert not recomputed(call, metric="ms", path="$.ms", aggregate="first", value=3425).holds


def test_an_object_under_a_name_is_about_it() -> None:
    call = source({"zones": {"az-2": {"failed": 0}, "az.3's": {"failed": 12}}})
    assert recomputed(call, subject="az-2", metric="failed", path="$.zones['az-2'].failed", value=0).holds
    assert recomputed(call, subject="az.3's", metric="failed", path="$.zones['az.3\\'s'].failed", value=12).holds
    assert not recomputed(call, subject="az-2", metric="failed", path="$.zones['az.3\\'s'].failed", value=12).holds
