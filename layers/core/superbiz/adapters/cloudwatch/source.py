"""`CloudWatchSource`: a live account as an evidence source. What AWS refuses is SourceUnavailable, never an empty result."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn, TypeVar

from superbiz.adapters.cloudwatch import alarms, discovery, groups, logs, metrics, tracing
from superbiz.adapters.cloudwatch.alarms import Family
from superbiz.adapters.cloudwatch.catalog import Resource
from superbiz.adapters.cloudwatch.discovery import Scope
from superbiz.adapters.cloudwatch.kept import Kept
from superbiz.adapters.cloudwatch.logs import LogGroup, Scanned
from superbiz.adapters.cloudwatch.metrics import Wanted
from superbiz.adapters.cloudwatch.session import Clients, Found, Limits, Subject, utc
from superbiz.adapters.cloudwatch.tracing import Node
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.keys import from_text
from superbiz.domain.observations import AlarmChange, AlarmListing, Change, LogLine, Series, Service, Span, at
from superbiz.domain.runs import Cost
from superbiz.domain.values import JsonObject, Window, iso
from superbiz.ports import SourceUnavailable

T = TypeVar("T")
LEAD = timedelta(minutes=30)  # before the alarm's change: a breach begins earlier than the alarm tells
PERIODS = 3  # of the alarm's metric, where that is longer
AFTER = timedelta(hours=2)  # the longest that a window goes on after the alarm's change
ASKED = timedelta(hours=1)  # before now, for a question
LOOKBACK = timedelta(hours=3)  # before the window: what a baseline is taken from
CHANGES = timedelta(days=7)  # before the window's end, where no window is given
AROUND = timedelta(hours=1)  # that a reference period is longer on either side
REFERENCES = (timedelta(days=1), timedelta(days=7))  # the same hours of the day before and of the week before
# US dollars, us-east-1 (aws.amazon.com/cloudwatch/pricing, aws.amazon.com/xray/pricing); other regions differ by some percent.
A_SERIES, A_GIGABYTE, A_TRACE = 0.01 / 1000, 0.005, 0.5 / 1_000_000


class CloudWatchSource:
    """Reads one account and region for one run. Whatever was read is kept, refusals too, so that nothing is asked twice.

    `now` is the run's clock; `clock` the wall's, by which AWS drops what is old.
    """

    def __init__(self, clients: Clients, subject: Subject, now: datetime, limits: Limits = Limits(),  # noqa: B008 - frozen
                 clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:  # fmt: skip
        self._clients, self._subject, self._limits = clients, subject, limits
        self._now, self._clock = utc(now), clock
        self._kept = Kept()
        self._scanned = Scanned()
        self._series = self._traces = 0

    def now(self) -> datetime:
        return self._now

    def window(self) -> Window:
        """The one that a person named; else from half an hour before the alarm changed to now; for a question, the last hour."""
        if self._subject.window is not None:
            return self._subject.window
        if self._subject.occurred_at is None:
            return Window(start=self._now - ASKED, end=self._now)
        changed = min(utc(self._subject.occurred_at), self._now)
        longest = max((m.period or 0 for m in self._subject.metrics), default=0)
        return Window(start=changed - max(LEAD, PERIODS * timedelta(seconds=longest)), end=min(self._now, changed + AFTER))

    def metrics(self, window: Window | None) -> Sequence[Series]:
        asked = window or Window(start=self.window().start - LOOKBACK, end=self.window().end)
        return _within(self._kept.reading("metrics", asked, self._read_metrics), asked)

    def normal_metrics(self) -> Sequence[Series] | None:
        """The same hours of the day before and of the week before, as far as the alarm was quiet then. None where there is nothing."""
        return self._kept.once("normal metrics", self._read_normal_metrics) or None

    def logs(self, window: Window | None) -> Iterable[LogLine]:
        asked = window or self.window()
        rows = self._kept.reading("logs", asked, self._read_logs)
        return tuple(line for line in rows if asked.holds(at(line.timestamp)))

    def normal_logs(self) -> Iterable[LogLine] | None:
        return self._reference("logs", self._read_logs)

    def traces(self, window: Window | None) -> Iterable[Span]:
        asked = window or self.window()
        rows = self._kept.reading("traces", asked, self._read_traces)
        return tuple(span for span in rows if asked.holds(at(span.start_ms)))

    def normal_traces(self) -> Iterable[Span] | None:
        return self._reference("traces", self._read_traces)

    def service_map(self) -> Sequence[Service]:
        """X-Ray's, and what definitions add to it. Without X-Ray a few ties are no map."""
        nodes = self._nodes()
        if not nodes:
            raise SourceUnavailable(tracing.MAP, "X-Ray has seen no service in the window")
        found = {s.name: s for s in tracing.services(nodes)}
        for caller, callee in self._scope().calls:
            for name in (caller, callee):
                found.setdefault(name, Service(name=name))
            calls = dict.fromkeys((*found[caller].calls, callee))
            found[caller] = found[caller].model_copy(update={"calls": tuple(calls)})
        return tuple(found.values())

    def alarms(self) -> AlarmListing:
        """Alarms without their history are still worth a list."""
        rows = self._alarm_rows()
        try:
            history = self._kept.once("history", self._read_history).rows
        except SourceUnavailable as e:
            self._kept.say(ToolCategory.ALERT, [str(e)])
            history = ()
        return alarms.listing_of(rows.rows, history)

    def changes(self, window: Window | None) -> Sequence[Change]:
        asked = window or Window(start=self.window().end - CHANGES, end=self.window().end)
        return tuple(c for c in self._kept.reading("changes", asked, self._read_changes) if asked.holds(c.time))

    def document(self, name: str) -> Any:
        from superbiz.adapters.cloudwatch import insights

        subject = replace(self._subject, metrics=self._scope().own)
        return self._kept.once(("document", name), lambda: insights.document(self._clients, name, subject, self.window()))

    def runbooks(self) -> NoReturn:
        raise SourceUnavailable("runbooks", "an account holds none; the knowledge base is asked for itself")

    def unusable(self) -> Sequence[str]:
        """What was not found, not asked, or could not be used so far, in sentences."""
        return self._kept.notes

    def partial(self, category: ToolCategory) -> Sequence[str]:
        return self._kept.partial(category)

    def cost(self) -> Cost:
        """What was read so far, at list prices."""
        scanned = self._scanned.bytes / 2**30
        return Cost(evidence=self._series * A_SERIES + scanned * A_GIGABYTE + self._traces * A_TRACE)

    def _nodes(self) -> tuple[Node, ...]:
        window = self.window()
        return self._kept.once("nodes", lambda: tracing.graph(self._clients, Window(start=window.start - LOOKBACK, end=window.end)))

    def _alarm_rows(self) -> Found[JsonObject]:
        names = [self._subject.alarm_name] if self._subject.alarm_name else []
        return self._kept.once("alarms", lambda: self._kept.told(ToolCategory.ALERT, alarms.rows(self._clients, names, self._limits)))

    def _definitions(self) -> Sequence[JsonObject]:
        """The alarm behind the run with what it is made of; for a question the alarms that it names, else those that are on."""
        if self._subject.alarm_name is None:
            rows = self._alarm_rows().rows
            named = discovery.named_alarms(self._words(), rows)
            return named if named or self._named() else discovery.active_alarms(rows)
        found: Family = self._kept.once("family", lambda: alarms.family(self._clients, self._subject.alarm_name or ""))
        self._kept.note(found.notes)
        return found.definitions

    def _named(self) -> Sequence[Resource]:
        """The resources that a question names: nodes of the map, owners of log groups."""
        words = self._words()
        return self._kept.once("named", lambda: self._find_named(words)) if words else ()

    def _find_named(self, words: Sequence[str]) -> Sequence[Resource]:
        nodes = self._kept.else_nothing("resources on the service map", self._nodes) or ()
        owners = self._kept.else_nothing("log groups", lambda: groups.named_by(self._clients, words, self._limits)) or ()
        return [*discovery.on_map(words, nodes), *owners]

    def _scope(self) -> Scope:
        return self._kept.once("scope", self._discover)

    def _discover(self) -> Scope:
        """The alarm's event alone is enough to begin with: what else is refused is told and done without."""
        definitions = self._kept.else_nothing("the alarm's definition", self._definitions) or ()
        nodes = self._kept.else_nothing("resources on the service map", self._nodes) or ()
        found = discovery.scope(self._clients, self._subject, definitions, nodes, self._named(), self._limits)
        self._kept.note(found.notes)
        return found

    def _words(self) -> tuple[str, ...]:
        """The names in a question; an alarm's own resources are told better by its dimensions."""
        return from_text(self._subject.question) if self._subject.alarm_name is None else ()

    def _log_groups(self) -> tuple[LogGroup, ...]:
        return self._kept.once("log groups", self._find_log_groups)

    def _find_log_groups(self) -> tuple[LogGroup, ...]:
        scope = self._scope()
        found = groups.found(self._clients, scope.resources, scope.groups, self._words(), self._limits)
        self._kept.note(found.notes)
        if not found.rows:
            about = ", ".join(r.name for r in scope.resources[:5]) or "the question"
            raise SourceUnavailable(logs.WHAT, f"no log group of {about} was found")
        return found.rows

    def _wanted(self) -> tuple[Wanted, ...]:
        scope, window = self._scope(), self.window()
        recent = self._clock() - window.start < LOOKBACK
        found = self._kept.told(ToolCategory.METRIC, metrics.available(self._clients, scope.resources, scope.own, recent, self._limits))
        return found.rows

    def _period(self) -> int:
        """One for all series, in the incident and in what it is compared with: sums of different periods can not be compared."""
        asked = next((m.period for m in self._scope().own if m.period), None)
        oldest = self.window().start - max(REFERENCES) - AROUND
        return metrics.period_for(asked, self._clock() - oldest)

    def _read_metrics(self, window: Window) -> Sequence[Series]:
        """CloudWatch's series and X-Ray's; one of the two is enough."""
        refused: list[SourceUnavailable] = []
        rows: list[Series] = []
        for reader in (self._cloudwatch_series, self._xray_series):
            try:
                rows += self._kept.told(ToolCategory.METRIC, reader(window)).rows
            except SourceUnavailable as e:
                refused.append(e)
        missing = [e for e in refused if e.what == metrics.WHAT]
        if missing and not rows:
            raise missing[0]
        self._kept.say(ToolCategory.METRIC, [f"{e.what}: {e.why}" for e in missing])
        self._kept.note([f"{e.what}: {e.why}" for e in refused if e not in missing])
        return metrics.settled(rows, self._now)

    def _cloudwatch_series(self, window: Window) -> Found[Series]:
        wanted = self._kept.once("wanted", self._wanted)
        self._series += len(wanted)
        return metrics.read(self._clients, wanted, window, self._period(), self._limits)

    def _xray_series(self, window: Window) -> Found[Series]:
        period = self._period()
        if period not in tracing.PERIODS:
            return Found()
        return tracing.statistics(self._clients, self._nodes(), window, period, self._limits)

    def _read_normal_metrics(self) -> Sequence[Series]:
        parts = [self._kept.reading("metrics", window, self._read_metrics) for window in self._references(AROUND)]
        return metrics.joined([s for part in parts for s in part])

    def _read_logs(self, window: Window) -> Sequence[LogLine]:
        return self._kept.told(ToolCategory.LOG, logs.read(self._clients, self._log_groups(), window, self._limits, self._scanned)).rows

    def _read_traces(self, window: Window) -> Sequence[Span]:
        rows = self._kept.told(ToolCategory.TRACE, tracing.spans(self._clients, window, self._limits)).rows
        self._traces += len({span.trace_id for span in rows})
        return rows

    def _read_history(self) -> Found[AlarmChange]:
        names = [self._subject.alarm_name] if self._subject.alarm_name else []
        return self._kept.told(ToolCategory.ALERT, alarms.history(self._clients, names, self.window(), self._limits))

    def _read_changes(self, window: Window) -> Sequence[Change]:
        from superbiz.adapters.cloudwatch import changes

        return self._kept.told(ToolCategory.CHANGE, changes.changes(self._clients, window, self._scope().resources, now=self._clock())).rows

    def _references(self, around: timedelta) -> list[Window]:
        """Reference periods in which the alarm was quiet, as far as its history tells."""
        window, name = self.window(), self._subject.alarm_name
        shifted = [Window(start=window.start - back - around, end=window.end - back + around) for back in REFERENCES]
        apart = [w for w in shifted if w.end <= window.start]
        if not name or (listing := self._kept.else_nothing("the alarm's history", self.alarms)) is None:
            return apart
        return [w for w in apart if not self._alarmed(listing, name, w)]

    def _alarmed(self, listing: AlarmListing, name: str, window: Window) -> bool:
        found = alarms.in_alarm(listing, name, window)
        if found:
            self._kept.note([f"the hours from {iso(window.start)} were not taken for normal: {name} was in ALARM then"])
        return found

    def _reference(self, kind: str, read: Callable[[Window], Sequence[T]]) -> Sequence[T] | None:
        """The nearest reference period; what it costs to read more would not tell more. None where it has nothing, or is refused."""
        found = next(iter(self._references(timedelta(0))), None)
        if found is None:
            return None
        return (
            self._kept.else_nothing(f"{kind} of {iso(found.start)} to {iso(found.end)}", lambda: self._kept.reading(kind, found, read))
            or None
        )


def _within(series: Sequence[Series], window: Window) -> Sequence[Series]:
    return [s for one in series if (s := metrics.between(one, window)).timestamps]
