"""`query_logs`: what the logs say now against a normal period, by statement, service and operation; raw lines to cite."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

from pydantic import Field

from superbiz.analysis import logs, traces
from superbiz.analysis.logs import Count, Tally
from superbiz.analysis.sampling import SpanIndex
from superbiz.analysis.templates import Miner, level_of
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.naming import owner_of
from superbiz.domain.observations import LogLine, Span
from superbiz.domain.values import JsonObject, UtcTime, Window
from superbiz.ports import EvidenceSource, SourceUnavailable
from superbiz.tools.log_records import Telling, quiet
from superbiz.tools.reading import BEFORE, NORMAL, Windowed, frame, hour_before, named, top, unusable, window_of
from superbiz.tools.tool import Name, ToolContext, ToolInput

EARLY = timedelta(minutes=3)  # what leads to a symptom is often said before it is felt
LEAST_BEFORE = timedelta(minutes=5)
FEWEST_BEFORE = 20  # lines
BEFORE_ONSET = "time before the onset"
KUBERNETES = re.compile(r"(?:^|/)(?:eks|containerinsights|kubernetes|k8s)(?:/|$)", re.IGNORECASE)
CONTAINED = re.compile(r"containers\.([^_]+)_")  # how log shippers name a stream after the file of a pod's container
# Parts of a log group's name that say what is logged, not who logs.
GENERIC = frozenset(
    {"aws", "log", "logs", "error", "errors", "application", "app", "host", "dataplane", "performance", "audit", "slowquery", "general",
     "postgresql", "access", "stdout", "stderr", "prod", "production", "lambda", "ecs", "eks", "rds", "instance", "cluster",
     "containerinsights", "apigateway", "vendedlogs", "service", "services"}
)  # fmt: skip


class LogsQuery(Windowed):
    """Filters are literal texts; no query language is taken."""

    services: tuple[Name, ...] = Field(default=(), max_length=20, description="services, by the last telling part of their log group")
    contains: str | None = Field(default=None, max_length=200, description="a literal text that the line contains, case aside")
    levels: tuple[Name, ...] = Field(default=(), max_length=8, description="levels such as ERROR; empty for all")
    onset: UtcTime | None = Field(
        default=None, description="when the trouble began: where no fault-free period is known, what was said before is compared with"
    )
    top: int = Field(default=12, ge=1, le=50)
    lines: int = Field(default=12, ge=1, le=50, description="raw lines to show")


class _Read(NamedTuple):
    """Both periods of one window, counted by one miner. `basis` says where `normal` was taken from."""

    now: Tally
    normal: Tally | None
    miner: Miner
    basis: str


class QueryLogs:
    """Every line is counted, none is cut away; what is shown is the statements that changed most, and their raw lines. Where there are too
    many traces to keep, a sample of them stands for all, which is said.

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
        self._kept: WeakKeyDictionary[EvidenceSource, tuple[tuple[Window, datetime | None], _Read]] = WeakKeyDictionary()

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:
        """Raises SourceUnavailable where there are no logs."""
        asked = LogsQuery.model_validate(params)
        window = window_of(asked, context)
        if asked.contains or asked.levels:
            read = _counted(context.source, window, _line_filter(asked), asked.onset)
        else:
            read = self._whole(context.source, window, asked.onset)
        return _answer(_of_services(read, asked.services), asked, window, unusable(context.source))

    def _whole(self, source: EvidenceSource, window: Window, onset: datetime | None) -> _Read:
        kept = self._kept.get(source)
        if kept is None or kept[0] != (window, onset):
            kept = ((window, onset), _counted(source, window, None, onset))
            self._kept[source] = kept
        return kept[1]


@lru_cache(maxsize=4_096)
def _named_service(log_group: str, log_stream: str) -> str:
    if KUBERNETES.search(log_group) and log_stream:
        contained = CONTAINED.search(log_stream)
        pod = contained[1] if contained else log_stream.split("/")[0]
        return owner_of(f"pod/{pod}") or pod
    telling = [p for p in log_group.split("/") if p and p.lower() not in GENERIC and not p.lower().endswith(".log")]
    return telling[-1] if telling else log_stream.split("/")[0] or log_group


def service_of(line: LogLine) -> str:
    """The last part of the log group's name that tells who logs; else the stream, else the group. A cluster's group holds many workloads,
    whose pods name the streams."""
    return _named_service(line.log_group, line.log_stream)


def _line_filter(asked: LogsQuery) -> Callable[[LogLine], bool]:
    text, levels = (asked.contains or "").casefold(), {level.upper() for level in asked.levels}
    return lambda line: text in line.message.casefold() and (not levels or level_of(line.message) in levels)


def _counted(source: EvidenceSource, window: Window, keeps: Callable[[LogLine], bool] | None, onset: datetime | None) -> _Read:
    """Now against the normal period; where there is none, against the hour before, else against what was said before the onset.

    Tallies are taken when all is read, since only then the miner knows its keys.
    """
    miner = Miner()

    def count(lines: Iterable[LogLine], spans: Callable[[], Iterable[Span] | None]) -> Count:
        return Count(miner, service_of, _indexed(spans)).read(filter(keeps, lines) if keeps else lines)

    def within(part: Window) -> Count:
        return count(source.logs(part), lambda: source.traces(part))

    def compared(now: Count, normal: Count | None, basis: str) -> _Read:
        return _Read(now.tally(), normal.tally() if normal else None, miner, basis)

    usual = source.normal_logs()
    if usual is not None:
        return compared(within(window), count(usual, source.normal_traces), NORMAL)
    earlier = within(hour_before(window))
    if earlier.lines:
        return compared(within(window), earlier, BEFORE)
    began = _began(window, onset)
    if began:
        earlier, now = within(Window(start=window.start, end=began)), within(Window(start=began, end=window.end))
        if earlier.lines >= FEWEST_BEFORE:
            return compared(now, earlier, BEFORE_ONSET)
    return compared(within(window), None, BEFORE)


def _began(window: Window, onset: datetime | None) -> datetime | None:
    """The onset, a little early, where enough of the window lies before it."""
    began = onset - EARLY if onset else None
    return began if began and window.start + LEAST_BEFORE <= began < window.end else None


def _of_services(read: _Read, services: Sequence[str]) -> _Read:
    if not services:
        return read
    is_service = named(services)
    return read._replace(now=read.now.of(is_service), normal=read.normal.of(is_service) if read.normal else None)


def _indexed(read: Callable[[], Iterable[Span] | None]) -> SpanIndex:
    """Without traces, lines belong to no span."""
    try:
        return SpanIndex(read() or (), traces.operation_of)
    except SourceUnavailable:
        return SpanIndex()


def _answer(read: _Read, asked: LogsQuery, window: Window, notes: list[str]) -> JsonObject:
    now, normal, miner, basis = read
    told = Telling(now, normal or Tally(), miner)
    statements, steps = told.weighed(logs.statements(now, told.normal)), told.weighed(logs.steps(now, told.normal))
    bursts, more_bursts = top(logs.bursts(now, normal), asked.top)
    shown, more = told.statements(statements, asked.top)
    followed, more_steps = top(steps, asked.top)
    gaps = [*_gaps(now, "the window"), *(_gaps(normal, f"the {basis}") if normal else ())]
    if normal is None:
        notes = [*notes, "there are no logs of a normal period to compare with"]
    return {
        "errors": [told.burst(b) for b in bursts],
        "templates": shown,
        "steps": [told.step(s, w) for s, w in followed],
        "logs": told.lines([s.what for s, _ in [*statements[: asked.top], *followed]], asked.lines),
        "quiet": [quiet(b) for b in logs.quiet(now, normal)[: asked.top]],
        "matched": now.lines,
        **({"basis": basis} if normal and now.lines else {}),
        **({"complete": False} if gaps else {}),
    } | frame(window, {"templates": more, "steps": more_steps, "errors": more_bursts}, [*notes, *gaps])


def _gaps(period: Tally, name: str) -> list[str]:
    """What stands for all, and what could not be kept."""
    out = []
    if period.share < 1:
        out.append(f"of the traces of {name} a sample of one in {round(1 / period.share)} was followed; all lines were counted")
    if period.unindexed:
        out.append(f"{period.unindexed} spans of {name} are beyond those that lines are matched with")
    if period.untold:
        out.append(f"{period.untold} lines of {name} made statements beyond the {logs.MOST_SIGHTINGS} that are kept")
    return out
