"""Bad spans: nobody is accused of what only the recording did, and what could not be used is said."""

import re
from datetime import timedelta
from typing import Any

import pytest

from support.worlds import GATEWAY, NORMAL_TRACES, ORDERS, PAYMENTS, START, TRACES, Files, Row, assert_honest, one_span, said

AT = START + timedelta(minutes=5)
DAY_MS = 86_400_000
FIRST_MS, LAST_MS = -62_135_596_800_000, 253_402_300_799_000


def span(number: int, parent: int | None = None, service: str = ORDERS, **fields: Any) -> Row:
    above = None if parent is None else f"{0xABC0000 + parent:016x}"
    return one_span(service, "POST /orders", span_id=f"{0xABC0000 + number:016x}", parent_id=above, **fields)


def added(*rows: Row, normally: bool = True) -> Any:
    """To the incident, and the same ones a day earlier."""

    def spoil(files: Files) -> Files:
        usual = [row | {"start_ms": row["start_ms"] - DAY_MS} for row in rows] if normally else []
        return files | {TRACES: [*files[TRACES], *rows], NORMAL_TRACES: [*files[NORMAL_TRACES], *usual]}

    return spoil


def through(change: Any, names: tuple[str, ...] = (TRACES,)) -> Any:
    return lambda w: w | {name: [change(n, row) for n, row in enumerate(w[name])] for name in names}


def of(service: str, **fields: Any) -> Any:
    """Fields of one service's spans, in the incident alone."""
    return through(lambda _, row: row | fields if row["service"] == service else row)


def pairs(child_ms: float, child_starts: timedelta) -> tuple[Row, ...]:
    """Callers of 10 ms with a callee each."""
    return tuple(
        row
        for n in range(0, 40, 2)
        for row in (span(n, duration_ms=10.0), span(n + 1, n, PAYMENTS, duration_ms=child_ms, at=AT + child_starts))
    )


def short_ids(_: int, row: Row) -> Row:
    """Ids that are the same in every trace."""
    return row | {"span_id": row["span_id"][-2:], "parent_id": row["parent_id"] and row["parent_id"][-2:]}


SPOILED = {
    "a cycle of fifty": added(*(span(n, (n + 1) % 50, (ORDERS, PAYMENTS, GATEWAY)[n % 3]) for n in range(50))),
    "spans that are their own parent": added(*(span(n, n) for n in range(20))),
    "a chain of a thousand": added(*(span(n, n - 1 if n else None) for n in range(1_000))),
    "orphans": added(*(span(n, n + 1_000) for n in range(20))),
    "orphans now alone": added(*(span(n, n + 1_000) for n in range(20)), normally=False),
    "every span an orphan": through(lambda _, row: row | {"parent_id": "f" * 16} if row["parent_id"] else row),
    "every second span lost": lambda w: w | {TRACES: w[TRACES][::2]},
    "the callers' spans lost": lambda w: w | {TRACES: [row for row in w[TRACES] if row["service"] != ORDERS]},
    "every second span a day late": through(lambda n, row: row | {"start_ms": row["start_ms"] + DAY_MS * (n % 2)}),
    "all spans a day late": through(lambda _, row: row | {"start_ms": row["start_ms"] + DAY_MS}),
    "children before their parents": added(*pairs(5.0, timedelta(seconds=-30))),
    "children longer than their parents": added(*pairs(500.0, timedelta(0)), normally=False),
    "a callee's clock ten minutes ahead": through(lambda _, r: r | {"start_ms": r["start_ms"] + 600_000 * (r["service"] == PAYMENTS)}),
    "negative durations": added(*(span(n, duration_ms=-1_000.0) for n in range(20))),
    "negative durations now alone": added(*(span(n, duration_ms=-1_000.0) for n in range(20)), normally=False),
    "a service's durations negative": of(ORDERS, duration_ms=-50_000.0),
    "every duration negative": through(lambda _, row: row | {"duration_ms": -row["duration_ms"]}),
    "durations of 3,000 years": added(*(span(n, duration_ms=1e14) for n in range(5))),
    "one id for forty spans": added(*(span(1, service=(ORDERS, PAYMENTS)[n % 2]) for n in range(40))),
    "every span twice": lambda w: w | {name: w[name] * 2 for name in (TRACES, NORMAL_TRACES)},
    "ids that every trace has, now": through(short_ids),
    "ids that every trace has": through(short_ids, (TRACES, NORMAL_TRACES)),
    "no ids and no names": added(*[one_span("", "", span_id="", trace_id="", parent_id="")] * 5),
    "years 1 and 9999": added(span(1, start_ms=FIRST_MS), span(2, start_ms=LAST_MS), normally=False),
    "attributes of any shape": added(span(1, attributes={"": [{"a": None}, 1e308, "x" * 10_000]})),
}


@pytest.mark.parametrize("name", SPOILED)
def test_bad_spans_accuse_nobody(spoiled: Any, name: str) -> None:
    assert_honest(spoiled(SPOILED[name]))


SAID = {
    "every span an orphan": r"orphan|parent",
    "a service's durations negative": r"negative|duration",
    "negative durations": r"negative|duration",
    "one id for forty spans": r"\bid|twice|duplicate",
    "every span twice": r"\bid|twice|duplicate",
    "a cycle of fifty": r"cycle|circle|parent",
    "children longer than their parents": r"clock|longer",
    "years 1 and 9999": r"outside|clock|time",
    "all spans a day late": r"outside|clock|time",
}


@pytest.mark.parametrize("name", SAID)
def test_what_of_the_spans_could_not_be_used_is_said(spoiled: Any, name: str) -> None:
    told = "\n".join(line for line in said(spoiled(SPOILED[name])).splitlines() if re.search("trace|span", line))
    assert re.search(SAID[name], told, re.IGNORECASE)


def test_failing_spans_among_rubbish_are_still_found(spoiled: Any) -> None:
    def spoil(files: Files) -> Files:
        rotten = SPOILED["a cycle of fifty"](SPOILED["orphans"](files))
        return of(PAYMENTS, error=True)(rotten)

    assert spoiled(spoil).record.report["root_causes"][0]["resource"] == PAYMENTS
