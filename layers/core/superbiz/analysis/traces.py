"""Trace shifts by operation: errors, durations, own time, and the time lost between a caller's span and its callee's."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from superbiz.analysis.statistics import surprise
from superbiz.domain.observations import Span

FEWEST = 3  # durations on either side that are compared
LEAST_WIDTH = 20.0  # milliseconds: what clocks, retransmits and garbage collection do on any day
_PARAMETER = re.compile(r"[0-9a-f-]{8,}|\d+", re.I)


class Operation(NamedTuple):
    """A service's operation, its name freed from ids."""

    service: str
    name: str


class Timing(NamedTuple):
    """Milliseconds, as recorded. `own` is a span's time less its callees'. `errors` counts the spans that failed."""

    durations: Sequence[float]
    own: Sequence[float]
    errors: int


class Call(NamedTuple):
    """One operation as another one calls it."""

    caller: Operation
    callee: Operation


class Children(NamedTuple):
    """`calling` of the caller's spans have such a callee's span below them, `total` callee's spans in all."""

    calling: int
    total: int


class Period(NamedTuple):
    """A period's traces. `gaps` are, by callee, the caller's span less the callee's: network, queueing and (de)serialising."""

    operations: Mapping[Operation, Timing]
    gaps: Mapping[str, Sequence[float]]
    spans: int
    calls: Mapping[Call, Children] = {}


class CallShift(NamedTuple):
    """How many spans of a caller have a callee's span below them, now and in the normal period, and how many of these a calling span has.

    `score` is signed, about a standard normal where nothing changed; `fan_out` is how many times as many callees a calling span has.
    """

    call: Call
    calling: int
    spans: int
    normal_calling: int
    normal_spans: int
    score: float
    fan_out: float

    @property
    def change(self) -> str:
        """Missing or new children, or more of them."""
        if abs(self.score) < 1 and self.fan_out > 1:
            return "fan-out"
        return "missing" if self.score < 0 else "new"


class Growth(NamedTuple):
    """Median and 90th percentile in milliseconds, now and in the normal period. `score` is the median's growth in ordinary widths."""

    median: float
    p90: float
    normal_median: float
    normal_p90: float
    calls: int
    normal_calls: int
    score: float


@lru_cache(maxsize=8_192)
def operation_of(name: str) -> str:
    """A span's name without ids and numbers."""
    return _PARAMETER.sub("*", name)


def period(spans: Iterable[Span]) -> Period:
    """Only one step up is ever taken, so that orphans, cycles and spans that are their own parent do no harm."""
    known = {s.span_id: s for s in spans}
    below: dict[str, float] = defaultdict(float)
    gaps: dict[str, list[float]] = defaultdict(list)
    children: dict[Call, Counter[str]] = defaultdict(Counter)
    for span in known.values():
        parent = known.get(span.parent_id or "")
        if parent is None or parent is span:
            continue
        below[parent.span_id] += max(span.duration_ms, 0.0)
        children[Call(_operation(parent), _operation(span))][parent.span_id] += 1
        if parent.service != span.service and not _works(parent, known):
            gaps[span.service].append(max(parent.duration_ms - span.duration_ms, 0.0))
    calls = {call: Children(len(parents), parents.total()) for call, parents in children.items()}
    return Period(_operations(known.values(), below), gaps, len(known), calls)


def _works(caller: Span, known: Mapping[str, Span]) -> bool:
    """A span by which its service was entered does work of its own beside the call; one further in does nothing but call."""
    above = known.get(caller.parent_id or "")
    return above is not None and above.service != caller.service


def call_shifts(now: Period, normal: Period) -> list[CallShift]:
    """Every call's shift between callers that both periods know, largest first."""
    found = []
    for call in {*now.calls, *normal.calls}:
        here, there = now.operations.get(call.caller), normal.operations.get(call.caller)
        if here and there and min(len(here.durations), len(there.durations)) >= FEWEST:
            found.append(_shifted(call, now, normal, len(here.durations), len(there.durations)))
    return sorted(found, key=lambda s: (-abs(s.score), -s.fan_out, s.call))


def _shifted(call: Call, now: Period, normal: Period, spans: int, normal_spans: int) -> CallShift:
    nobody = Children(0, 0)
    here, there = now.calls.get(call, nobody), normal.calls.get(call, nobody)
    fan_out = (here.total / here.calling) / (there.total / there.calling) if here.calling and there.calling else 1.0
    score = surprise(here.calling, spans, there.calling, normal_spans)
    return CallShift(call, here.calling, spans, there.calling, normal_spans, score, fan_out)


def _operation(span: Span) -> Operation:
    return Operation(span.service, operation_of(span.name))


def growth(now: Sequence[float], normal: Sequence[float]) -> Growth | None:
    """None for fewer than three durations on either side. Most calls must have become slower: a few slow ones happen on any day."""
    if min(len(now), len(normal)) < FEWEST:
        return None
    (median, p90), (usual, usual_p90, p95) = np.quantile(now, (0.5, 0.9)), np.quantile(normal, (0.5, 0.9, 0.95))
    width = float(p95 - usual) + LEAST_WIDTH
    return Growth(float(median), float(p90), float(usual), float(usual_p90), len(now), len(normal), float(median - usual) / width)


def error_growth(now: Timing, normal: Timing | None) -> float:
    """How surprising an operation's errors are; without a normal period, against as many spans without errors."""
    spans = len(now.durations)
    usual, usual_errors = (len(normal.durations), normal.errors) if normal else (spans, 0)
    return surprise(now.errors, spans, usual_errors, usual)


def edges(spans: Iterable[Span]) -> dict[str, set[str]]:
    """The service map that the spans themselves draw."""
    given = list(spans)
    services = {s.span_id: s.service for s in given}
    out: dict[str, set[str]] = {name: set() for name in services.values()}
    for span in given:
        caller = services.get(span.parent_id or "")
        if caller and caller != span.service:
            out[caller].add(span.service)
    return out


def _operations(spans: Iterable[Span], below: Mapping[str, float]) -> dict[Operation, Timing]:
    grouped: dict[Operation, list[Span]] = defaultdict(list)
    for span in spans:
        grouped[_operation(span)].append(span)
    return {
        operation: Timing(
            [s.duration_ms for s in same], [max(s.duration_ms - below.get(s.span_id, 0.0), 0.0) for s in same], sum(s.error for s in same)
        )
        for operation, same in grouped.items()
    }
