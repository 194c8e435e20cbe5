"""Bad series among healthy ones: the run ends, nobody is accused, and what could not be used is said."""

import json
import re
from typing import Any

import pytest

from support.worlds import (
    DAY,
    GATEWAY,
    METRICS,
    NORMAL_METRICS,
    ORDERS,
    PAYMENTS,
    START,
    Files,
    Row,
    assert_honest,
    one_series,
    ordinary,
    said,
    tool_notes,
    unchecked,
)

BOTH = (METRICS, NORMAL_METRICS)


def added(files: Files, *now: Row, normal: tuple[Row, ...] = ()) -> Files:
    return files | {METRICS: [*files[METRICS], *now], NORMAL_METRICS: [*files[NORMAL_METRICS], *normal]}


def beside(files: Files, metric: str, now: list[Any], normal: list[Any], **fields: Any) -> Files:
    """One more resource with both periods of one metric."""
    days_before = one_series("cart", metric, normal, start=START - DAY, **fields)
    return added(files, one_series("cart", metric, now, **fields), normal=(days_before,))


def rewritten(files: Files, names: tuple[str, ...], metric: str, change: Any, unit: str | None = None, of: str = "") -> Files:
    """The values of a metric through a function, maybe under another unit."""

    def row(r: Row) -> Row:
        meant = r["metric_name"] == metric and (not of or of in r["dimensions"].values())
        return r | {"values": [change(n, v) for n, v in enumerate(r["values"])], "unit": unit or r["unit"]} if meant else r

    return files | {name: [row(r) for r in files[name]] for name in names}


def in_unit(files: Files, names: tuple[str, ...], metric: str, by: float, unit: str, of: str = "") -> Files:
    """The same quantity in another unit."""
    return rewritten(files, names, metric, lambda _, v: v * by, unit, of)


def reordered(files: Files, twice: bool = False) -> Files:
    def row(r: Row) -> Row:
        order = sorted(range(len(r["values"])), key=lambda n: n * 37 % len(r["values"])) * (2 if twice else 1)
        return r | {"timestamps": [r["timestamps"][n] for n in order], "values": [r["values"][n] for n in order]}

    return files | {name: [row(r) for r in files[name]] for name in BOTH}


def every_value(files: Files, value: Any, names: tuple[str, ...] = BOTH) -> Files:
    return files | {name: [r | {"values": [value] * len(r["values"])} for r in files[name]] for name in names}


def by_five_minutes(files: Files, name: str) -> Files:
    """One period's datapoints five minutes apart: averages stay, sums grow fivefold."""

    def row(r: Row) -> Row:
        groups = [r["values"][n : n + 5] for n in range(0, len(r["values"]), 5)]
        values = [sum(g) if r["stat"] == "Sum" else sum(g) / len(g) for g in groups]
        return r | {"period": 300, "timestamps": r["timestamps"][::5], "values": values}

    return files | {name: [row(r) for r in files[name]]}


def with_far_points(files: Files) -> Files:
    row = one_series("cart", "Latency", ordinary(0.1, 30), unit="Seconds")
    times = ["0001-01-01T00:00:00Z", *row["timestamps"][1:-1], "9999-12-31T23:59:59Z"]
    return added(files, row | {"timestamps": times})


def latency_twice(files: Files, names: tuple[str, ...]) -> Files:
    """Every latency in seconds and once more in milliseconds."""

    def twin(r: Row) -> Row:
        return r | {"unit": "Milliseconds", "values": [v * 1000 for v in r["values"]]}

    return files | {name: [*files[name], *(twin(r) for r in files[name] if r["metric_name"] == "Latency")] for name in names}


def day_of_huge_values(files: Files) -> Files:
    """A normal period long enough for a daily rhythm."""
    normal = [(-1) ** n * 1.7e308 for n in range(120)]
    usual = one_series("cart", "Latency", normal, start=START - 2 * DAY, period=900)
    return added(files, one_series("cart", "Latency", normal[:30]), normal=(usual,))


def spoilt(value: Any, at: int) -> Any:
    return lambda n, v: value if n == at else v


ONE_RESOURCE_MORE = {
    "one point": lambda w: added(w, one_series("cart", "Latency", [0.1], unit="Seconds")),
    "one point in the normal period": lambda w: beside(w, "Latency", ordinary(0.1, 30), [0.1], unit="Seconds"),
    "no point": lambda w: added(w, one_series("cart", "Latency", [])),
    "all null": lambda w: added(w, one_series("cart", "Latency", [None] * 30)),
    "no name": lambda w: added(w, one_series("", "", ordinary(0.1, 30), namespace="", stat="", dimensions={})),
    "names of control characters": lambda w: added(w, one_series("\x00\x1b[31m", "Lat\nency\u202e", ordinary(0.1, 30))),
    "names of 5,000 letters": lambda w: added(w, one_series("x" * 5_000, "y" * 5_000, ordinary(0.1, 30))),
    "times a year later": lambda w: added(w, one_series("cart", "Latency", ordinary(0.1, 30), start=START + 365 * DAY)),
    "times in the years 1 and 9999": with_far_points,
    "periods from a second to a year": lambda w: added(
        w, *[one_series("cart", "Latency", ordinary(0.1, n), period=p) for p, n in ((1, 900), (300, 6), (31_536_000, 1))]
    ),
    "huge values": lambda w: beside(w, "Latency", ordinary(1e308, 30), ordinary(1e308, 180)),
    "huge values of either sign": lambda w: beside(w, "Latency", [(-1) ** n * 1.7e308 for n in range(30)], ordinary(1e308, 180)),
    "huge values all day": day_of_huge_values,
    "huge counts": lambda w: beside(w, "RequestCount", ordinary(1e308, 30), ordinary(1e308, 180), stat="Sum", unit="Count"),
    "an integer of 400 digits": lambda w: added(w, one_series("cart", "Latency", [10**400] * 30)),
    "a huge count among zeros": lambda w: beside(
        w, "ThrottledRequests", [0] * 15 + [1e308] + [0] * 14, [0] * 180, stat="Sum", unit="Count"
    ),
    "negative errors": lambda w: beside(w, "Errors", [0] * 10 + [-500] * 5 + [0] * 15, [0] * 180, stat="Sum", unit="Count"),
    "a negative free space": lambda w: beside(w, "FreeStorageSpace", [*ordinary(1e9, 29), -1], ordinary(1e9, 180), unit="Bytes"),
}
ALL_SERIES = {
    "unsorted times": reordered,
    "duplicate times": lambda w: reordered(w, twice=True),
    "duplicate series": lambda w: w | {name: w[name] * 2 for name in BOTH},
    "all null everywhere": lambda w: every_value(w, None),
    "all null in the normal period": lambda w: every_value(w, None, (NORMAL_METRICS,)),
    "all zero": lambda w: every_value(w, 0),
    "all smallest": lambda w: every_value(w, 5e-324),
    "all huge": lambda w: every_value(w, 1.7e308),
    "NaN": lambda w: rewritten(w, (METRICS,), "Latency", spoilt(float("nan"), 3)),
    "infinity": lambda w: rewritten(w, (METRICS,), "Latency", spoilt(float("inf"), 3)),
    "negative infinity": lambda w: rewritten(w, (METRICS,), "Latency", spoilt(float("-inf"), 3)),
    "some negative counts": lambda w: rewritten(w, (METRICS,), "RequestCount", lambda n, v: -v if n == 7 else v),
    "all negative counts": lambda w: rewritten(w, BOTH, "RequestCount", lambda _, v: -v),
    "a coarser period now": lambda w: by_five_minutes(w, METRICS),
    "a coarser normal period": lambda w: by_five_minutes(w, NORMAL_METRICS),
}
UNITS = {
    "milliseconds now, seconds normally": lambda w: in_unit(w, (METRICS,), "Latency", 1_000, "Milliseconds"),
    "seconds now, milliseconds normally": lambda w: in_unit(w, (NORMAL_METRICS,), "Latency", 1_000, "Milliseconds"),
    "milliseconds now at one service": lambda w: in_unit(w, (METRICS,), "Latency", 1_000, "Milliseconds", ORDERS),
    "milliseconds at one service": lambda w: in_unit(w, BOTH, "Latency", 1_000, "Milliseconds", PAYMENTS),
    "both units": lambda w: latency_twice(w, BOTH),
    "both units now, seconds normally": lambda w: latency_twice(w, (METRICS,)),
    "availability as a ratio now": lambda w: in_unit(w, (METRICS,), "Availability", 0.01, "None"),
    "availability as a ratio that is called percent": lambda w: in_unit(w, (METRICS,), "Availability", 0.01, "Percent"),
    "cpu as a ratio normally": lambda w: in_unit(w, (NORMAL_METRICS,), "CPUUtilization", 0.01, "None"),
    "megabytes now, bytes normally": lambda w: in_unit(w, (METRICS,), "FreeableMemory", 1e-6, "Megabytes"),
}
SPOILED = ONE_RESOURCE_MORE | ALL_SERIES | UNITS
# A question has no metric of its own: the one that moved most is taken for the symptom, so these are tried once more.
ASKED = [
    *UNITS,
    "all null everywhere",
    "unsorted times",
    "all zero",
    "NaN",
    "huge values",
    "a huge count among zeros",
    "a negative free space",
]


@pytest.mark.parametrize("name", SPOILED)
def test_an_alarm_over_bad_series_accuses_nobody(spoiled: Any, name: str) -> None:
    assert_honest(spoiled(SPOILED[name]))


@pytest.mark.parametrize("name", ASKED)
def test_a_question_over_bad_series_accuses_nobody(spoiled: Any, name: str) -> None:
    assert_honest(spoiled(SPOILED[name], question=True))


SAID = {
    "one point": r"1 series have too few datapoints",
    "all null": r"no datapoint|null|empty",
    "all null everywhere": r"no datapoint|null|empty",
    "unsorted times": r"series were out of order",
    "duplicate times": r"had a time twice",
    "NaN": r"3 values were NaN or infinite",
    "infinity": r"3 values were NaN or infinite",
    "an integer of 400 digits": r"30 values were NaN or infinite",
    "some negative counts": r"negative",
    "a negative free space": r"negative",
    "milliseconds now, seconds normally": r"\bunit",
    "both units now, seconds normally": r"\bunit",
    "megabytes now, bytes normally": r"\bunit",
    "a coarser normal period": r"\bperiod of\b|300",
}


@pytest.mark.parametrize("name", SAID)
def test_what_of_the_series_could_not_be_used_is_said(spoiled: Any, name: str) -> None:
    assert re.search(SAID[name], said(spoiled(SPOILED[name])), re.IGNORECASE)


def test_the_report_itself_says_that_values_were_no_numbers(spoiled: Any) -> None:
    diagnosis = spoiled(SPOILED["NaN"])
    assert any("NaN" in note for note in tool_notes(diagnosis))
    assert any("NaN" in row for row in unchecked(diagnosis))


def test_an_alarm_on_a_metric_without_datapoints_ends_inconclusive(spoiled: Any) -> None:
    for values in ([None] * 30, [0.1]):
        assert spoiled(without_symptom(json.dumps(values))).record.report["conclusion"] == "inconclusive"


def without_symptom(values: str) -> Any:
    """The gateway's latency has nothing to judge by, in the incident and on ordinary days."""

    def spoil(files: Files) -> Files:
        kept = {name: [r for r in files[name] if not _is_symptom(r)] for name in BOTH}
        return added(files | kept, one_series(GATEWAY, "Latency", json.loads(values), unit="Seconds"))

    return spoil


def _is_symptom(row: Row) -> bool:
    return row["metric_name"] == "Latency" and row["dimensions"] == {"ServiceName": GATEWAY}


def test_a_latency_that_halved_is_nobodys_fault(spoiled: Any) -> None:
    assert_honest(spoiled(lambda w: rewritten(w, (METRICS,), "Latency", lambda _, v: v / 2), question=True))


def test_the_healthy_world_itself_is_called_healthy(spoiled: Any) -> None:
    """Otherwise nothing above would say anything."""
    for question in (False, True):
        report = spoiled(dict, question).record.report
        assert (report["verdict"], report["conclusion"]) == ("PASS", "no_fault")


def test_a_real_fault_among_bad_series_is_still_found(spoiled: Any) -> None:
    def spoil(files: Files) -> Files:
        slow = rewritten(files, (METRICS,), "Latency", lambda n, v: v + (2.0 if n >= 20 else 0.0), of=ORDERS)
        slow = rewritten(slow, (METRICS,), "Latency", lambda n, v: v + (2.0 if n >= 20 else 0.0), of=GATEWAY)
        return reordered(ALL_SERIES["NaN"](ONE_RESOURCE_MORE["huge values"](slow)), twice=True)

    report = spoiled(spoil).record.report
    assert report["root_causes"][0]["resource"] == ORDERS
