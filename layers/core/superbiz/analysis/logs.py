"""Log shifts: which statements come more often, less often, for the first time or no longer, and which no longer follow another.

Counts are compared by *requests* (distinct traces) where lines name their spans, else by lines. Where spans are known, so is the order
of statements within one operation: that Y no longer follows X is evidence of its own, and many a code fault shows in no other way.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from superbiz.analysis.statistics import overdispersion, surprise
from superbiz.analysis.templates import Miner, Statement, continues
from superbiz.domain.observations import LogLine

FEWEST = 2  # requests on either side that are compared
START, END = "", "$"  # what stands before an operation's first statement and after its last


class Place(NamedTuple):
    """Where a statement is made. `operation` is empty where the line names no span."""

    service: str
    operation: str


class Said(NamedTuple):
    """One statement at one place. `key` is the miner's."""

    place: Place
    key: str


class Step(NamedTuple):
    """At one place, `then` directly after `after`; either may be the edge of the operation."""

    place: Place
    after: str
    then: str


class InSpan(NamedTuple):
    """The span that a line belongs to."""

    trace_id: str
    span_id: str
    operation: str


@dataclass
class Sighting:
    """How often a statement was made, when (epoch milliseconds), and its first raw line."""

    statement: Statement
    first: int
    last: int
    sample: str
    count: int = 0
    requests: set[str] = field(default_factory=set)


@dataclass
class Tally:
    """A period's logs, counted. The sets hold trace ids; they are empty where lines name no spans."""

    lines: int = 0
    said: dict[Said, Sighting] = field(default_factory=dict)
    by_service: Counter[str] = field(default_factory=Counter)
    bad_by_service: Counter[str] = field(default_factory=Counter)
    lines_at: Counter[Place] = field(default_factory=Counter)
    requests_at: dict[Place, set[str]] = field(default_factory=lambda: defaultdict(set))
    steps: dict[Step, set[str]] = field(default_factory=lambda: defaultdict(set))
    leaving: dict[Said, set[str]] = field(default_factory=lambda: defaultdict(set))

    def of(self, is_service: Callable[[str], bool]) -> "Tally":
        """What some services said of it."""
        by_service = Counter({s: n for s, n in self.by_service.items() if is_service(s)})
        return Tally(
            lines=by_service.total(),
            said={k: v for k, v in self.said.items() if is_service(k.place.service)},
            by_service=by_service,
            bad_by_service=Counter({s: n for s, n in self.bad_by_service.items() if is_service(s)}),
            lines_at=Counter({p: n for p, n in self.lines_at.items() if is_service(p.service)}),
            requests_at={p: v for p, v in self.requests_at.items() if is_service(p.service)},
            steps={k: v for k, v in self.steps.items() if is_service(k.place.service)},
            leaving={k: v for k, v in self.leaving.items() if is_service(k.place.service)},
        )


class Shift(NamedTuple):
    """`times` of `of` now, `normal` of `normal_of` then. `score` is signed, about a standard normal where nothing changed."""

    what: Said | Step
    times: int
    of: int
    normal: int
    normal_of: int
    score: float

    @property
    def change(self) -> str:
        """New, gone, more or fewer."""
        if not (self.times and self.normal):
            return "gone" if self.normal else "new"
        return "more" if self.score > 0 else "fewer"


ServiceOf = Callable[[LogLine], str]
SpanOf = Callable[[str], InSpan | None]


def tally(lines: Iterable[LogLine], miner: Miner, service_of: ServiceOf, span_of: SpanOf) -> Tally:
    """Count a period's lines, which come in order of time; the frames of a stack trace belong to the line before them."""
    spots: dict[tuple[str, str], _Spot] = {}
    count = 0
    for count, line in enumerate(lines, 1):  # noqa: B007 - the count is what is wanted after the loop
        if continues(line.message):
            continue
        span, service = span_of(line.message), service_of(line)
        where = (service, span.operation if span else "")
        spot = spots.get(where)
        if spot is None:
            spot = spots[where] = _Spot()
        spot.count(line, miner.read(line.message), span)
    return _tallied(count, spots)


class _Spot:
    """What is counted at one place while lines are read: by plain keys, since this is done for every line."""

    def __init__(self) -> None:
        self.lines = self.bad = 0
        self.said: dict[str, Sighting] = {}
        self.requests: set[str] = set()
        self.steps: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.latest: dict[str, tuple[str, str]] = {}

    def count(self, line: LogLine, statement: Statement, span: InSpan | None) -> None:
        key, at = statement.key, line.timestamp
        seen = self.said.get(key)
        if seen is None:
            seen = self.said[key] = Sighting(statement, at, at, line.message)
        seen.count += 1
        if at > seen.last:
            seen.last = at
        elif at < seen.first:
            seen.first = at
        self.lines += 1
        self.bad += statement.bad
        if span:
            seen.requests.add(span.trace_id)
            self.requests.add(span.trace_id)
            before = self.latest.get(span.span_id)
            self.steps[before[0] if before else START, key].add(span.trace_id)
            self.latest[span.span_id] = (key, span.trace_id)

    def close(self) -> None:
        for key, trace_id in self.latest.values():
            self.steps[key, END].add(trace_id)


def _tallied(count: int, spots: Mapping[tuple[str, str], _Spot]) -> Tally:
    out = Tally(lines=count)
    for (service, operation), spot in spots.items():
        place = Place(service, operation)
        spot.close()
        out.by_service[service] += spot.lines
        out.bad_by_service[service] += spot.bad
        out.lines_at[place] = spot.lines
        out.requests_at[place] = spot.requests
        out.said |= {Said(place, key): seen for key, seen in spot.said.items()}
        for (after, then), requests in spot.steps.items():
            out.steps[Step(place, after, then)] = requests
            out.leaving[Said(place, after)] |= requests
    return out


def statements(now: Tally, normal: Tally) -> list[Shift]:
    """Every statement's shift at every place that both periods know, largest first."""
    found = []
    for said in {*now.said, *normal.said}:
        of, normal_of = _exposure(now, said.place), _exposure(normal, said.place)
        found.append(_shift(said, _times(now, said), of, _times(normal, said), normal_of))
    return _calmed(found)


def steps(now: Tally, normal: Tally) -> list[Shift]:
    """How often one statement follows another, by requests that make the first one at all; largest shift first."""
    found = []
    for step in {*now.steps, *normal.steps}:
        leaving = Said(step.place, step.after)
        x, y = len(now.steps.get(step, ())), len(normal.steps.get(step, ()))
        found.append(_shift(step, x, len(now.leaving.get(leaving, ())), y, len(normal.leaving.get(leaving, ()))))
    return _ordered(found)


class Burst(NamedTuple):
    """A service's bad lines among all its lines, now and in the normal period."""

    service: str
    bad: int
    lines: int
    normal_bad: int
    normal_lines: int
    score: float


def bursts(now: Tally, normal: Tally | None) -> list[Burst]:
    """Services whose share of bad lines grew, largest first; without a normal period those that have bad lines."""
    rows = [_burst(service, now, normal) for service in now.by_service]
    return sorted((r for r in rows if r.score > 0), key=lambda r: (-r.score, -r.bad, r.service))


def quiet(now: Tally, normal: Tally | None) -> list[Burst]:
    """Services that spoke and said nothing bad: positive observations, most lines first."""
    rows = [_burst(service, now, normal) for service in now.by_service if not now.bad_by_service[service]]
    return sorted(rows, key=lambda r: (-r.lines, r.service))


def _burst(service: str, now: Tally, normal: Tally | None) -> Burst:
    bad, lines = now.bad_by_service[service], now.by_service[service]
    normal_bad, normal_lines = (normal.bad_by_service[service], normal.by_service[service]) if normal else (0, 0)
    # where nothing is known of ordinary days, bad lines are taken against an equal number of good ones
    score = surprise(bad, lines, normal_bad, normal_lines or lines)
    return Burst(service, bad, lines, normal_bad, normal_lines, score)


def _exposure(period: Tally, place: Place) -> int:
    """Requests where lines name them; lines of the service where they do not."""
    return len(period.requests_at.get(place, ())) or period.lines_at[place]


def _times(period: Tally, said: Said) -> int:
    seen = period.said.get(said)
    return 0 if seen is None else len(seen.requests) or seen.count


def _shift(what: Said | Step, x: int, of: int, y: int, normal_of: int) -> Shift:
    return Shift(what, x, of, y, normal_of, surprise(min(x, of), of, min(y, normal_of), normal_of))


def _calmed(shifts: list[Shift]) -> list[Shift]:
    """Requests differ, so statements vary more than chance: scores are divided by how much they do over all."""
    spread = overdispersion(s.score for s in shifts)
    return _ordered([s._replace(score=s.score / spread) for s in shifts])


def _ordered(shifts: list[Shift]) -> list[Shift]:
    kept = [s for s in shifts if min(s.of, s.normal_of) >= FEWEST and s.score]
    return sorted(kept, key=lambda s: (-abs(s.score), _key(s.what)))


def _key(what: Said | Step) -> tuple[str, ...]:
    return tuple(map(str, what))
