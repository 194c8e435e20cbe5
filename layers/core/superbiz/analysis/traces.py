"""Trace shifts by operation: errors, durations, own time, and the time lost between a caller's span and its callee's."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

import numpy as np

from superbiz.analysis.statistics import surprise
from superbiz.domain.observations import Span

FEWEST = 3  # durations on either side that are compared
LONGEST_MS = 31 * 86_400_000.0  # a span that lasts longer was not measured
LOST = 0.05  # a share of the spans, beyond what is ordinary, from which too much is missing to compare who calls whom
MOST_SPANS = 200_000  # held at once; beyond that, a sample of traces
ALL = 1 << 32
LEAST_WIDTH = 20.0  # milliseconds: what clocks, retransmits and garbage collection do on any day
_PARAMETER = re.compile(r"[0-9a-f-]{8,}|\d+", re.I)


class Operation(NamedTuple):
    """A service's operation, its name freed from ids."""

    service: str
    name: str


class Timing(NamedTuple):
    """Milliseconds, as recorded. `own` is a span's time less its callees'. `errors` counts the spans that failed.

    `untimed` counts the spans whose duration can not be: they are known to have been, and nothing else.
    """

    durations: Sequence[float]
    own: Sequence[float]
    errors: int
    untimed: int = 0

    @property
    def spans(self) -> int:
        """With a usable duration or without."""
        return len(self.durations) + self.untimed


class Call(NamedTuple):
    """One operation as another one calls it."""

    caller: Operation
    callee: Operation


class Children(NamedTuple):
    """`calling` of the caller's spans have such a callee's span below them, `total` callee's spans in all."""

    calling: int
    total: int


class Flaws(NamedTuple):
    """How many spans name a parent that is not there, share their id with another one, are their own ancestor, have a duration that
    can not be, or are longer than their parent."""

    orphans: int = 0
    repeated: int = 0
    circular: int = 0
    untimed: int = 0
    longer: int = 0


class Period(NamedTuple):
    """A period's traces. `gaps` are, by callee, the caller's span less the callee's: network, queueing and (de)serialising."""

    operations: Mapping[Operation, Timing]
    gaps: Mapping[str, Sequence[float]]
    spans: int
    calls: Mapping[Call, Children] = {}
    flaws: Flaws = Flaws()


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


class Sample(NamedTuple):
    """Whole traces: all of them, or one in so many where there are too many spans to hold."""

    spans: list[Span]
    one_in: int


def sample(spans: Iterable[Span], most: int = MOST_SPANS) -> Sample:
    """The choice depends on the trace's id alone, so that both periods and every call choose alike."""
    kept: list[Span] = []
    one_in = 1
    for span in spans:
        if one_in == 1 or _is_chosen(span, one_in):
            kept.append(span)
        while len(kept) > most and one_in < ALL:
            one_in *= 2
            kept = [s for s in kept if _is_chosen(s, one_in)]
    return Sample(kept, one_in)


def _is_chosen(span: Span, one_in: int) -> bool:
    return crc32(span.trace_id.encode("utf-8", "replace")) % one_in == 0


def period(spans: Iterable[Span]) -> Period:
    """Only one step up is ever taken, so that orphans, cycles and spans that are their own parent do no harm."""
    given = list(spans)
    known = {s.span_id: s for s in given}
    below: dict[str, float] = defaultdict(float)
    gaps: dict[str, list[float]] = defaultdict(list)
    children: dict[Call, Counter[str]] = defaultdict(Counter)
    for span in known.values():
        parent = known.get(span.parent_id or "")
        if parent is None or parent is span:
            continue
        below[parent.span_id] += span.duration_ms if timed(span) else 0.0
        children[Call(_operation(parent), _operation(span))][parent.span_id] += 1
        if parent.service != span.service and timed(parent) and timed(span) and not _works(parent, known):
            gaps[span.service].append(max(parent.duration_ms - span.duration_ms, 0.0))
    calls = {call: Children(len(parents), parents.total()) for call, parents in children.items()}
    return Period(_operations(known.values(), below), gaps, len(known), calls, _flaws(known, len(given)))


def timed(span: Span) -> bool:
    """Whether its duration can be."""
    return 0.0 <= span.duration_ms <= LONGEST_MS


def _flaws(known: Mapping[str, Span], given: int) -> Flaws:
    parents = [(s, known.get(s.parent_id)) for s in known.values() if s.parent_id]
    return Flaws(
        orphans=sum(parent is None for _, parent in parents),
        repeated=given - len(known),
        circular=_circular(known),
        untimed=sum(not timed(s) for s in known.values()),
        longer=sum(parent is not None and timed(s) and s.duration_ms > parent.duration_ms + LEAST_WIDTH for s, parent in parents),
    )


def _circular(known: Mapping[str, Span]) -> int:
    """How many spans are met again on the way up from them; each is walked over once."""
    done: set[str] = set()
    found = 0
    for start in known:
        path: dict[str, int] = {}
        at: str | None = start
        while at is not None and at in known and at not in done and at not in path:
            path[at] = len(path)
            at = known[at].parent_id
        if at is not None and at in path:
            found += len(path) - path[at]
        done.update(path)
    return found


def is_more(now: int, spans: int, normal: int, normal_spans: int) -> bool:
    """Whether so many of the spans are clearly more than so many of the normal ones."""
    return now / max(spans, 1) > normal / max(normal_spans, 1) + LOST


def is_torn(now: Period, normal: Period | None) -> bool:
    """Whether more spans than ordinary have lost their parents: then a call or time that is missing may be lost as well."""
    usual = normal or Period({}, {}, 0)
    return is_more(now.flaws.orphans, now.spans, usual.flaws.orphans, usual.spans) or is_more(
        usual.flaws.orphans, usual.spans, now.flaws.orphans, now.spans
    )


def _works(caller: Span, known: Mapping[str, Span]) -> bool:
    """A span by which its service was entered does work of its own beside the call; one further in does nothing but call."""
    above = known.get(caller.parent_id or "")
    return above is not None and above.service != caller.service


def call_shifts(now: Period, normal: Period) -> list[CallShift]:
    """Every call's shift between callers that both periods know, largest first; none where either period has lost too many spans."""
    found: list[CallShift] = []
    if is_torn(now, normal):
        return found
    for call in {*now.calls, *normal.calls}:
        here, there = now.operations.get(call.caller), normal.operations.get(call.caller)
        if here and there and min(here.spans, there.spans) >= FEWEST:
            found.append(_shifted(call, now, normal, here.spans, there.spans))
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
    spans = now.spans
    usual, usual_errors = (normal.spans, normal.errors) if normal else (spans, 0)
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
        operation: _timing([s for s in same if timed(s)], below, sum(s.error for s in same), len(same))
        for operation, same in grouped.items()
    }


def _timing(known: Sequence[Span], below: Mapping[str, float], errors: int, spans: int) -> Timing:
    own = [max(s.duration_ms - below.get(s.span_id, 0.0), 0.0) for s in known]
    return Timing([s.duration_ms for s in known], own, errors, spans - len(known))
