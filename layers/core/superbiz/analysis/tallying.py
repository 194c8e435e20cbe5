"""A period's logs, counted: statements by service and operation, by requests (distinct traces) where lines name their spans, and the
order of statements within one operation. Stack traces belong to the line before them.

Lines are counted under the miner's numbers while they are read; a tally puts its keys in their place once all periods are read.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice
from typing import NamedTuple

from superbiz.analysis.sampling import InSpan, SpanIndex
from superbiz.analysis.settling import Statement
from superbiz.analysis.stacktraces import Thrown, continues, exception_of, may_continue, thrown
from superbiz.analysis.templates import Miner, is_worse, level_of
from superbiz.domain.observations import LogLine

BATCH = 1_000  # lines that the miner reads at once
SAMPLED = 4_000  # characters of a raw line that are kept
TRACED = 200  # lines of a stack trace that are kept
AT_ONCE = 1_000  # milliseconds between lines of one stack trace
MOST_MEMBERS = 700_000  # traces in all sets together
MOST_SIGHTINGS = 100_000
MOST_PLACES = 20_000
START, END = "", "$"  # what stands before an operation's first statement and after its last
_START, _END = -1, -2
NOTHING_THROWN = Thrown()


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


@dataclass
class Sighting:
    """How often a statement was made, when (epoch milliseconds), its first raw line, and what its first stack trace tells."""

    statement: Statement
    first: int
    last: int
    sample: str
    count: int = 0
    requests: set[int] = field(default_factory=set)
    thrown: Thrown = NOTHING_THROWN

    @property
    def bad(self) -> bool:
        """Whether the statement, or what follows it, says that something went wrong."""
        return self.statement.bad or self.thrown.exception is not None

    @property
    def exception(self) -> str | None:
        """The type of what went wrong."""
        return self.statement.exception or self.thrown.exception

    def merged(self, other: "Sighting") -> "Sighting":
        """Both as one: the earlier one's line, the worse one's statement."""
        early = self if self.first <= other.first else other
        return Sighting(
            statement=self.statement if self.statement.bad >= other.statement.bad else other.statement,
            first=early.first,
            last=max(self.last, other.last),
            sample=early.sample,
            count=self.count + other.count,
            requests=self.requests | other.requests,
            thrown=self.thrown or other.thrown,
        )


@dataclass
class Tally:
    """A period's logs, counted. The sets hold numbers of traces; they are empty where lines name no spans.

    `share` is that of the traces that are in them; `untold` lines made statements beyond those that can be kept, and `unindexed` spans
    are beyond those that lines are matched with.
    """

    lines: int = 0
    said: dict[Said, Sighting] = field(default_factory=dict)
    by_service: Counter[str] = field(default_factory=Counter)
    bad_by_service: Counter[str] = field(default_factory=Counter)
    lines_at: Counter[Place] = field(default_factory=Counter)
    requests_at: dict[Place, set[int]] = field(default_factory=lambda: defaultdict(set))
    steps: dict[Step, set[int]] = field(default_factory=lambda: defaultdict(set))
    leaving: dict[Said, set[int]] = field(default_factory=lambda: defaultdict(set))
    traces_at: dict[Place, int] = field(default_factory=dict)
    share: float = 1.0
    untold: int = 0
    unindexed: int = 0

    def requests(self, place: Place) -> int:
        """How many were at a place: those whose spans were, even if they said nothing there, as long as the service spoke at all."""
        spoke = len(self.requests_at.get(place, ()))
        return max(spoke, self.traces_at.get(place, 0)) if self.by_service[place.service] else spoke

    def left(self, said: Said) -> int:
        """How many requests made a statement, or came to an operation, and so could go on from there."""
        return self.requests(said.place) if said.key == START else len(self.leaving.get(said, ()))

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
            traces_at={p: n for p, n in self.traces_at.items() if is_service(p.service)},
            share=self.share,
            untold=self.untold,
            unindexed=self.unindexed,
        )


ServiceOf = Callable[[LogLine], str]


class Count:
    """Counts the lines of one period, which come in order of time. `lines` is how many there were so far."""

    def __init__(self, miner: Miner, service_of: ServiceOf, spans: SpanIndex) -> None:
        self._miner, self._service_of, self._spans = miner, service_of, spans
        self._spots: dict[tuple[str, str], _Spot] = {}
        self._traces_at: dict[Place, int] = {}
        self._sightings = self._members = self.lines = self._untold = 0
        self._before: dict[tuple[str, str], _Before] = {}
        self._begun: dict[tuple[str, str], tuple[_Spot, Sighting]] = {}
        self._frames: dict[tuple[str, str], list[str]] = {}

    def read(self, lines: Iterable[LogLine]) -> "Count":
        """Count these lines, which are all of the period."""
        left = iter(lines)
        while batch := list(islice(left, BATCH)):
            self._read(batch)
            self.lines += len(batch)
        for stream in list(self._frames):
            self._end(stream)
        for spot in self._spots.values():
            spot.close()
        self._traces_at = {Place(*at): n for at, n in self._spans.traces_at().items()}
        self._spans.close()
        self._before, self._begun = {}, {}
        return self

    def tally(self) -> Tally:
        """What was counted, by the miner's keys: to be asked for when all periods are read."""
        out = Tally(
            lines=self.lines, traces_at=self._traces_at, share=self._spans.share, untold=self._untold, unindexed=self._spans.unknown
        )
        for (service, operation), spot in self._spots.items():
            place = Place(service, operation)
            out.by_service[place.service] += spot.lines
            out.bad_by_service[place.service] += spot.bad
            out.lines_at[place] = spot.lines
            out.requests_at[place] = spot.requests
            self._tell(out, place, spot)
        return out

    def _tell(self, out: Tally, place: Place, spot: "_Spot") -> None:
        key = self._miner.key
        for number, seen in spot.said.items():
            said = Said(place, key(number))
            known = out.said.get(said)
            out.said[said] = known.merged(seen) if known else seen
        for (after, then), requests in spot.steps.items():
            step = Step(place, START if after == _START else key(after), END if then == _END else key(then))
            out.steps[step] |= requests
            out.leaving[Said(place, step.after)] |= requests

    def _read(self, batch: Sequence[LogLine]) -> None:
        streams = [(line.log_group, line.log_stream) for line in batch]
        heads = [not self._continues(line, stream) for line, stream in zip(batch, streams, strict=True)]
        begun = list(compress(batch, heads))
        messages = [line.message for line in begun]
        services = list(map(self._service_of, begun))
        rest = zip(self._miner.read(messages), services, self._spans.find(messages, services), strict=True)
        for line, stream, head in zip(batch, streams, heads, strict=True):
            if head:
                self._count(line, stream, *next(rest))
            elif len(self._frames.setdefault(stream, [])) < TRACED:
                self._frames[stream].append(line.message)

    def _continues(self, line: LogLine, stream: tuple[str, str]) -> bool:
        """Whether the line belongs to the one before it in its stream. A thrown thing's own line does where that tells of an error."""
        message = line.message[:SAMPLED]
        before = self._before.get(stream)
        continued = continues(message) or (
            before is not None and may_continue(message) and line.timestamp - before.timestamp <= AT_ONCE and before.tells_of_an_error()
        )
        self._before[stream] = _Before(line.timestamp, message, continued)
        return continued

    def _count(self, line: LogLine, stream: tuple[str, str], statement: Statement, service: str, span: InSpan | None) -> None:
        if stream in self._frames:
            self._end(stream)
        spot = self._spot((service, span.operation if span else ""))
        spot.lines += 1
        spot.bad += statement.bad
        seen = self._seen(spot, line, statement)
        if seen is None:
            self._untold += 1
            return
        self._begun[stream] = spot, seen
        if "\n" in line.message:
            self._frames[stream] = [line.message.partition("\n")[2]]
        if span and self._spans.counts(span.trace):
            self._members += spot.follow(seen, statement.number, span)
            if self._members > MOST_MEMBERS:
                self._thin_out()

    def _seen(self, spot: "_Spot", line: LogLine, statement: Statement) -> Sighting | None:
        at = line.timestamp
        seen = spot.said.get(statement.number)
        if seen is None:
            if self._sightings >= MOST_SIGHTINGS:
                return None
            self._sightings += 1
            seen = spot.said[statement.number] = Sighting(statement, at, at, line.message[:SAMPLED])
        seen.count += 1
        if at > seen.last:
            seen.last = at
        elif at < seen.first:
            seen.first = at
        return seen

    def _spot(self, place: tuple[str, str]) -> "_Spot":
        spot = self._spots.get(place)
        if spot is None:
            if len(self._spots) >= MOST_PLACES:
                place = place[0], ""
            spot = self._spots.setdefault(Place(*place), _Spot())
        return spot

    def _end(self, stream: tuple[str, str]) -> None:
        """A stack trace is complete: it tells of the line that it follows."""
        frames = self._frames.pop(stream)
        spot, seen = self._begun.get(stream, (None, None))
        if spot is None or seen is None:
            return
        if not seen.thrown:
            seen.thrown = thrown("\n".join(frames))
        spot.bad += seen.bad and not seen.statement.bad

    def _thin_out(self) -> None:
        self._spans.halve()
        self._members = sum(spot.thin_out(self._spans.counts) for spot in self._spots.values())


class _Spot:
    """What is counted at one place while lines are read: by plain keys, since this is done for every line."""

    def __init__(self) -> None:
        self.lines = self.bad = 0
        self.said: dict[int, Sighting] = {}
        self.requests: set[int] = set()
        self.steps: dict[tuple[int, int], set[int]] = defaultdict(set)
        self.latest: dict[int, tuple[int, int]] = {}

    def follow(self, seen: Sighting, number: int, span: InSpan) -> int:
        """Count a request, and the step that its span took; how many traces were added to sets."""
        before = self.latest.get(span.span)
        self.latest[span.span] = (number, span.trace)
        self.requests.add(span.trace)
        taken = self.steps[before[0] if before else _START, number]
        members = len(seen.requests) + len(taken)
        seen.requests.add(span.trace)
        taken.add(span.trace)
        return len(seen.requests) + len(taken) - members

    def close(self) -> None:
        """All is read: what each span did last ended it."""
        for number, trace in self.latest.values():
            self.steps[number, _END].add(trace)
        self.latest = {}

    def thin_out(self, counts: Callable[[int], bool]) -> int:
        """Forget the traces that count no more; how many members are left in sets."""
        self.requests = set(filter(counts, self.requests))
        self.latest = {span: last for span, last in self.latest.items() if counts(last[1])}
        for seen in self.said.values():
            seen.requests = set(filter(counts, seen.requests))
        thinned = {step: kept for step, traces in self.steps.items() if (kept := set(filter(counts, traces)))}
        self.steps = defaultdict(set, thinned)
        return sum(len(s.requests) for s in self.said.values()) + sum(map(len, thinned.values()))


class _Before(NamedTuple):
    """The line before, in a stream."""

    timestamp: int
    message: str
    continued: bool

    def tells_of_an_error(self) -> bool:
        return self.continued or is_worse(level_of(self.message)) or exception_of(self.message) is not None
