"""`query_logs`: what the logs say now against a normal period, by statement, service and operation; raw lines to cite."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from pydantic import Field

from superbiz.analysis import logs, signatures, traces, weighing
from superbiz.analysis.logs import END, START, Burst, InSpan, Said, Shift, Sighting, Step, Tally
from superbiz.analysis.templates import Miner, level_of, masked
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.observations import LogLine, Span
from superbiz.domain.values import JsonObject, Window
from superbiz.ports import EvidenceSource, SourceUnavailable
from superbiz.tools.reading import BEFORE, NORMAL, Windowed, frame, hour_before, named, top, unusable, when_ms, whole, window_of
from superbiz.tools.tool import ToolContext, ToolInput

SHOWN = 300  # characters of a template or raw line
NOTABLE = 0.25  # the weight from which a shift is worth its place
_ID = re.compile(r"\b[0-9a-f]{16,32}\b")
# Parts of a log group's name that say what is logged, not who logs.
GENERIC = frozenset(
    {"aws", "log", "logs", "error", "errors", "application", "app", "host", "dataplane", "performance", "audit", "slowquery", "general",
     "postgresql", "access", "stdout", "stderr", "prod", "production", "lambda", "ecs", "eks", "rds", "instance", "cluster",
     "containerinsights", "apigateway", "vendedlogs", "service", "services"}
)  # fmt: skip


class LogsQuery(Windowed):
    """Filters are literal texts; no query language is taken."""

    services: tuple[str, ...] = Field(default=(), max_length=20, description="services, by the last telling part of their log group")
    contains: str | None = Field(default=None, max_length=200, description="a literal text that the line contains, case aside")
    levels: tuple[str, ...] = Field(default=(), max_length=8, description="levels such as ERROR; empty for all")
    top: int = Field(default=12, ge=1, le=50)
    lines: int = Field(default=12, ge=1, le=50, description="raw lines to show")


class _Read(NamedTuple):
    """Both periods of one window, counted by one miner. `basis` says where `normal` was taken from."""

    now: Tally
    normal: Tally | None
    miner: Miner
    basis: str


class QueryLogs:
    """Every line is counted, none is cut away; what is shown is the statements that changed most, and their raw lines.

    What was counted of a source is kept as long as the source lives, so that a closer look at some services reads nothing again.
    """

    name = "query_logs"
    category = ToolCategory.LOG
    description = (
        "Log statements that are new, gone, more or fewer against the normal period, statements that no longer follow one another within "
        "an operation, services whose errors grew, and raw lines. Filters: services, a literal text, levels."
    )
    input_model: type[ToolInput] = LogsQuery

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[EvidenceSource, tuple[Window, _Read]] = WeakKeyDictionary()

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:
        """Raises SourceUnavailable where there are no logs."""
        asked = LogsQuery.model_validate(params)
        window = window_of(asked, context)
        read = (
            _counted(context.source, window, _line_filter(asked)) if asked.contains or asked.levels else self._whole(context.source, window)
        )
        return _answer(_of_services(read, asked.services), asked, window, unusable(context.source))

    def _whole(self, source: EvidenceSource, window: Window) -> _Read:
        kept = self._kept.get(source)
        if kept is None or kept[0] != window:
            kept = (window, _counted(source, window, None))
            self._kept[source] = kept
        return kept[1]


@lru_cache(maxsize=4_096)
def _named_service(log_group: str, log_stream: str) -> str:
    telling = [p for p in log_group.split("/") if p and p.lower() not in GENERIC]
    return telling[-1] if telling else log_stream.split("/")[0] or log_group


def service_of(line: LogLine) -> str:
    """The last part of the log group's name that tells who logs; else the stream, else the group."""
    return _named_service(line.log_group, line.log_stream)


def _line_filter(asked: LogsQuery) -> Callable[[LogLine], bool]:
    text, levels = (asked.contains or "").casefold(), {level.upper() for level in asked.levels}
    return lambda line: text in line.message.casefold() and (not levels or level_of(line.message) in levels)


def _counted(source: EvidenceSource, window: Window, keeps: Callable[[LogLine], bool] | None) -> _Read:
    miner = Miner()

    def tallied(lines: Iterable[LogLine], spans: Callable[[], Iterable[Span] | None]) -> Tally:
        return logs.tally(filter(keeps, lines) if keeps else lines, miner, service_of, _spans(spans))

    now = tallied(source.logs(window), lambda: source.traces(window))
    usual = source.normal_logs()
    if usual is not None:
        return _Read(now, tallied(usual, source.normal_traces), miner, NORMAL)
    before = hour_before(window)
    earlier = tallied(source.logs(before), lambda: source.traces(before))
    return _Read(now, earlier if earlier.lines else None, miner, BEFORE)


def _of_services(read: _Read, services: Sequence[str]) -> _Read:
    if not services:
        return read
    is_service = named(services)
    return read._replace(now=read.now.of(is_service), normal=read.normal.of(is_service) if read.normal else None)


def _spans(read: Callable[[], Iterable[Span] | None]) -> logs.SpanOf:
    """Finds the span whose id a line carries. Without traces, lines belong to no span."""
    try:
        known = {s.span_id: InSpan(s.trace_id, s.span_id, traces.operation_of(s.name)) for s in read() or ()}
    except SourceUnavailable:
        known = {}
    if not known:
        return lambda _: None
    return lambda message: next((known[i] for i in _ID.findall(message) if i in known), None)


def _answer(read: _Read, asked: LogsQuery, window: Window, notes: list[str]) -> JsonObject:
    now, normal, miner, basis = read
    told = _Telling(now, normal or Tally(), miner)
    statements, steps = _weighed(logs.statements(now, told.normal), told), _weighed(logs.steps(now, told.normal), told)
    bursts, more_bursts = top(logs.bursts(now, normal), asked.top)
    shown, more = told.statements(statements, asked.top)
    followed, more_steps = top(steps, asked.top)
    if normal is None:
        notes = [*notes, "there are no logs of a normal period to compare with"]
    return {
        "errors": [_burst(b, told) for b in bursts],
        "templates": shown,
        "steps": [told.step(s, w) for s, w in followed],
        "logs": told.lines([s.what for s, _ in [*statements[: asked.top], *followed]], asked.lines),
        "quiet": [_quiet(b) for b in logs.quiet(now, normal)[: asked.top]],
        "matched": now.lines,
        **({"basis": basis} if normal and now.lines else {}),
    } | frame(window, {"templates": more, "steps": more_steps, "errors": more_bursts}, notes)


class _Telling(NamedTuple):
    """Shifts as records that can be cited."""

    now: Tally
    normal: Tally
    miner: Miner

    def sighting(self, said: Said) -> Sighting | None:
        return self.now.said.get(said) or self.normal.said.get(said)

    def weight(self, shift: Shift) -> float:
        what = shift.what
        if isinstance(what, Said):
            seen = self.sighting(what)
            return weighing.line(shift, bool(seen and seen.statement.bad))
        then = self.sighting(Said(what.place, what.then))
        return weighing.step(shift, what.then, bool(then and then.statement.bad))

    def statement(self, shift: Shift, weight: float) -> JsonObject:
        what = shift.what
        assert isinstance(what, Said)
        return _shifted(shift, what.place, self.sighting(what), weight) | {"template": self.text(what)}

    def step(self, shift: Shift, weight: float) -> JsonObject:
        what = shift.what
        assert isinstance(what, Step)
        record = _shifted(shift, what.place, self.sighting(Said(what.place, what.then)), weight, "step")
        return record | {"then": self.edge(what.place, what.then), "after": self.edge(what.place, what.after)}

    def edge(self, place: logs.Place, key: str) -> str:
        return {START: "the start", END: "the end"}.get(key) or self.text(Said(place, key))

    def text(self, said: Said) -> str:
        """Where the line names its place in the code, its own text, masked; else the template."""
        seen = self.sighting(said)
        located = seen is not None and seen.statement.location
        return (masked(seen.sample) if seen and located else self.miner.template(said.key))[:SHOWN]

    def statements(self, shifts: Sequence[tuple[Shift, float]], limit: int) -> tuple[list[JsonObject], int]:
        """Those that shifted; where none did, or there is nothing to compare with, bad ones first, then the loudest."""
        if shifts:
            shown, more = top(shifts, limit)
            return [self.statement(s, w) for s, w in shown], more
        loud, more = top(sorted(self.now.said.items(), key=lambda row: (not row[1].statement.bad, -row[1].count, row[0])), limit)
        return [self.loud(said, seen) for said, seen in loud], more

    def loud(self, said: Said, seen: Sighting) -> JsonObject:
        counts = {"count": seen.count, "of": self.now.lines_at[said.place]}
        return _place(said.place) | counts | _traits(seen) | {"template": self.text(said)}

    def lines(self, told: Sequence[Said | Step], limit: int) -> list[str]:
        """Raw lines of what was told, bad ones of other statements after them; each statement once."""
        wanted = [what if isinstance(what, Said) else Said(what.place, what.then) for what in told]
        bad = sorted((s for s, seen in self.now.said.items() if seen.statement.bad), key=lambda s: -self.now.said[s].count)
        samples = [seen.sample[: 4 * SHOWN] for s in dict.fromkeys([*wanted, *bad]) if (seen := self.now.said.get(s))]
        return samples[:limit]


def _weighed(shifts: Sequence[Shift], told: _Telling) -> list[tuple[Shift, float]]:
    """Shifts worth telling, heaviest first."""
    rows = [(s, told.weight(s)) for s in shifts]
    return sorted((r for r in rows if r[1] >= NOTABLE), key=lambda r: -r[1])


def _place(place: logs.Place) -> dict[str, Any]:
    return {"service": place.service} | ({"operation": place.operation} if place.operation else {})


def _shifted(shift: Shift, place: logs.Place, seen: Sighting | None, weight: float, kind: str = "change") -> JsonObject:
    """Short fields first, so that an excerpt holds them together."""
    counts = {"count": shift.times, "of": shift.of, "normal": shift.normal, "normal_of": shift.normal_of}
    judged = {"score": whole(round(shift.score, 2)), "weight": whole(weight)}
    return _place(place) | {kind: shift.change} | counts | (_traits(seen) if seen else {}) | judged


def _traits(seen: Sighting) -> dict[str, Any]:
    """What the statement says of itself, and when it was made."""
    statement, known = seen.statement, signatures.signature_of(seen.sample) if seen.statement.bad else None
    out = {
        "level": statement.level or None,
        "exception": statement.exception,
        "location": statement.location,
        "signature": known.name if known else None,
        "category": known.category.value if known else None,
        "first": when_ms(seen.first),
        "last": when_ms(seen.last),
    }
    return {name: value for name, value in out.items() if value is not None}


def _burst(burst: Burst, told: _Telling) -> JsonObject:
    worst = max((row for row in told.now.said.items() if row[0].place.service == burst.service and row[1].statement.bad),
                key=lambda row: row[1].count, default=None)  # fmt: skip
    record: JsonObject = {
        "service": burst.service,
        "bad_lines": burst.bad,
        "lines": burst.lines,
        "normal_bad_lines": burst.normal_bad,
        "normal_lines": burst.normal_lines,
        "score": whole(round(burst.score, 2)),
        "weight": whole(weighing.burst(burst)),
    }
    if worst is None:
        return record
    said, seen = worst
    return record | _traits(seen) | {"statement": told.text(said), "line": seen.sample[:SHOWN]}


def _quiet(burst: Burst) -> JsonObject:
    return {"service": burst.service, "bad_lines": 0, "lines": burst.lines}
