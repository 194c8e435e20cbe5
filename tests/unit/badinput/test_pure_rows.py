"""Pure functions of lines, spans, changes and graphs over whatever may come: no exception, bounded, the same answer each time."""

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.analysis import changes, faults, logs, traces
from superbiz.analysis.faults import Feature, Seen
from superbiz.analysis.logs import Count, Tally
from superbiz.analysis.sampling import SpanIndex
from superbiz.analysis.templates import Miner, level_of, template_of
from superbiz.domain.naming import names, owner_of
from superbiz.domain.observations import Change, LogLine, Span
from superbiz.domain.service_map import ServiceMap
from superbiz.tools.query_logs import service_of
from support.incidents import START

FEW = settings(max_examples=30, deadline=None)
LAST_MS = 253_402_300_799_000
NAMES = st.sampled_from(["orders", "gateway", "payments-7f9c4d5b6c-x2x4z", "", " ", "/", "a" * 300, "名前", "\x00", "arn:aws:x:::y/z"])
TEXT = st.text(max_size=40) | st.sampled_from(
    ["", " ", "\n", "\r\n", "ERROR x failed", "\tat a.B.c(B.java:3)", "Caused by: x", '{"level":"error","a":1e999}', "{", '{"a":' * 99,
     "\x1b[31mERROR\x1b[0m", "a\x0bb\x0cc\x85d\u2028e", "Order#41 java.lang.IllegalStateException: x\n\tat a.B.c(B.java:3)", "\ud800",
     "0000000000000001", "1" * 3_000, "%s {0} $1 \\1", "\ufeffINFO a"]
)  # fmt: skip
MOMENT_MS = st.integers(0, 1_800_000).map(lambda ms: int(START.timestamp() * 1000) + ms) | st.integers(-62_135_596_800_000, LAST_MS)
LINES = st.lists(st.builds(LogLine, log_group=NAMES, log_stream=NAMES, timestamp=MOMENT_MS, message=TEXT), max_size=25)
IDS = st.sampled_from([f"{n:016x}" for n in range(5)] + [""])
SPANS = st.lists(
    st.builds(
        Span,
        trace_id=IDS,
        span_id=IDS | st.uuids().map(str),
        parent_id=st.none() | IDS,
        service=NAMES,
        resource=NAMES,
        name=st.sampled_from(["GET /orders/17", "", "x"]) | st.text(max_size=5),
        start_ms=MOMENT_MS,
        duration_ms=st.floats(-1e15, 1e15) | st.sampled_from([0.0, 10.0, -5.0]),
        error=st.booleans(),
        attributes=st.just({}),
    ),
    max_size=25,
)


@FEW
@given(st.lists(TEXT, max_size=20))
def test_every_line_is_one_statement_whatever_it_holds(messages: list[str]) -> None:
    first, second = Miner(), Miner()
    read = first.read(messages)
    assert len(read) == len(messages)
    assert [s.number for s in read] == [s.number for s in second.read(messages)]
    alone = Miner()
    assert [alone.read([m])[0].level for m in messages] == [s.level for s in read]
    for statement in read:
        key = first.key(statement.number)
        assert first.template(key) == second.template(key)
        assert len(first.template(key)) <= 1_000


@FEW
@given(TEXT)
def test_a_template_of_any_line_can_be_told(message: str) -> None:
    told = template_of(message)
    assert told == template_of(message)
    told.encode("utf-8")
    assert level_of(message) == level_of(message).upper()


def counted(lines: Iterable[LogLine], spans: Sequence[Span], miner: Miner) -> Count:
    return Count(miner, service_of, SpanIndex(spans)).read(lines)


def tallies(now: Sequence[LogLine], normal: Sequence[LogLine], spans: Sequence[Span]) -> tuple[Tally, Tally]:
    miner = Miner()
    both = [counted(lines, spans, miner) for lines in (now, normal)]
    return both[0].tally(), both[1].tally()


@FEW
@given(LINES, LINES, SPANS)
def test_shifts_of_any_lines_are_finite_and_the_same_each_time(now: list[LogLine], normal: list[LogLine], spans: list[Span]) -> None:
    here, there = tallies(now, normal, spans)
    assert (here.lines, there.lines) == (len(now), len(normal))
    shifts = [*logs.statements(here, there), *logs.steps(here, there)]
    assert all(math.isfinite(s.score) and s.times >= 0 and s.normal >= 0 for s in shifts)
    assert all(b.bad <= b.lines and math.isfinite(b.score) for b in (*logs.bursts(here, there), *logs.quiet(here, there)))
    again = tallies(now, normal, spans)
    assert shifts == [*logs.statements(*again), *logs.steps(*again)]


@FEW
@given(LINES)
def test_the_same_lines_in_both_periods_shift_nothing(lines: list[LogLine]) -> None:
    here, there = tallies(lines, lines, ())
    assert all(abs(shift.score) < 1e-6 for shift in (*logs.statements(here, there), *logs.bursts(here, there)))


@FEW
@given(SPANS, st.randoms(use_true_random=False))
def test_a_period_of_any_spans_has_no_negative_times(spans: list[Span], random: Any) -> None:
    found = traces.period(spans)
    assert found.spans == len({s.span_id for s in spans})
    assert all(own >= 0 for t in found.operations.values() for own in t.own)
    assert all(gap >= 0 for gaps in found.gaps.values() for gap in gaps)
    assert all(c.calling <= c.total for c in found.calls.values())
    unique = list({s.span_id: s for s in spans}.values())
    mixed = traces.period(random.sample(unique, len(unique)))
    assert _sorted(mixed) == _sorted(traces.period(unique))
    assert all(service not in callees for service, callees in traces.edges(spans).items())


def _sorted(period: traces.Period) -> Any:
    operations = {o: (sorted(t.durations), t.errors) for o, t in period.operations.items()}
    return operations, {s: sorted(g) for s, g in period.gaps.items()}, dict(period.calls)


@FEW
@given(SPANS, SPANS)
def test_shifts_of_any_spans_are_bounded(now: list[Span], normal: list[Span]) -> None:
    here, there = traces.period(now), traces.period(normal)
    shifts = traces.call_shifts(here, there)
    assert all(math.isfinite(s.score) and s.fan_out >= 0 for s in shifts)
    assert shifts == traces.call_shifts(here, there)
    assert all(s.score == 0 and s.fan_out == 1 for s in traces.call_shifts(here, here))
    for operation, timing in here.operations.items():
        usual = there.operations.get(operation)
        assert math.isfinite(traces.error_growth(timing, usual))
        grown = traces.growth(timing.own, usual.own) if usual else None
        assert grown is None or math.isfinite(grown.score)


MOMENT = st.datetimes(timezones=st.just(UTC)) | st.integers(-90, 90).map(lambda m: START + timedelta(minutes=m))
CHANGES = st.lists(
    st.builds(
        Change,
        time=MOMENT,
        source=st.sampled_from(["deploy", "rds", ""]),
        name=st.sampled_from(["UpdateService", "OOMKilling", "failover", "Backup", ""]) | st.text(max_size=5),
        resource=NAMES,
        actor=NAMES,
        message=TEXT,
    ),
    max_size=12,
)


@FEW
@given(CHANGES, MOMENT, st.lists(NAMES, max_size=4), st.randoms(use_true_random=False))
def test_changes_of_any_time_are_all_told_with_bounded_strength(
    given_: list[Change], onset: datetime, suspects: list[str], random: Any
) -> None:
    found = changes.align(given_, onset, suspects)
    assert sum(a.times for a in found) == len(given_)
    assert all(0 <= a.strength <= changes.MOST and math.isfinite(a.minutes) for a in found)
    assert found == changes.align(given_, onset, suspects)
    mixed = changes.align(random.sample(given_, len(given_)), onset, suspects)
    assert sorted(map(_telling, found)) == sorted(map(_telling, mixed))


def _telling(aligned: changes.Aligned) -> tuple[Any, ...]:
    return aligned.relation, aligned.strength, aligned.times, aligned.touches or ""


FEATURES = st.lists(st.builds(Feature, NAMES, st.sampled_from(Seen), st.floats(0, 3), st.sampled_from(["a", "b"])), max_size=15)
GRAPH = st.dictionaries(NAMES, st.lists(NAMES, max_size=5), max_size=6)


@FEW
@given(FEATURES, GRAPH)
def test_known_faults_are_recognised_on_any_map(features: list[Feature], calls: dict[str, list[str]]) -> None:
    found = faults.recognise(features, calls)
    assert found == faults.recognise(features, calls)
    assert all(m.resource in {f.resource for f in features} and 0 < m.strength < 10 for m in found.causes)
    assert not ({(m.resource, m.fault.name) for m in found.causes} & {(e.match.resource, e.match.fault.name) for e in found.effects})


@FEW
@given(GRAPH, NAMES, NAMES, TEXT)
def test_names_and_maps_answer_whatever_they_are_asked(calls: dict[str, list[str]], one: str, other: str, text: str) -> None:
    known = ServiceMap((caller, callee) for caller, callees in calls.items() for callee in callees)
    assert known.reaches(one, other) in (True, False)
    assert names(text, one) in (True, False)
    assert owner_of(one, list(calls)) is None or isinstance(owner_of(one, list(calls)), str)
