"""Incidents in memory: an evidence source made of rows, and the builders of such rows. What is not given is not available."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from superbiz.adapters.memory import MemoryLedger
from superbiz.adapters.redaction import SecretRedactor
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.observations import AlarmListing, Change, LogLine, Series, Service, Span
from superbiz.domain.runs import Cost
from superbiz.domain.values import JsonObject, Window
from superbiz.ports import Brief, EvidenceSource, SourceUnavailable
from superbiz.tools import TOOLS
from superbiz.tools.recorder import RecordingToolbox
from superbiz.tools.tool import ToolContext
from support.builders import NOW, build_run

START = NOW - timedelta(minutes=40)
END = NOW - timedelta(minutes=10)  # long enough ago that all data has arrived
INCIDENT = Window(start=START, end=END)
DAY_BEFORE = timedelta(days=1)


@dataclass(eq=False)
class Incident:
    """An evidence source. A field left None is a source that is not there."""

    series: Sequence[Series] | None = None
    normal_series: Sequence[Series] | None = None
    lines: Sequence[LogLine] | None = None
    normal_lines: Sequence[LogLine] | None = None
    spans: Sequence[Span] | None = None
    normal_spans: Sequence[Span] | None = None
    services: Sequence[Service] | None = None
    listing: AlarmListing | None = None
    events: Sequence[Change] | None = None
    documents: Mapping[str, Any] | None = None
    clock: datetime = NOW
    span: Window | None = INCIDENT
    notes: Sequence[str] = ()

    def now(self) -> datetime:
        return self.clock

    def window(self) -> Window | None:
        return self.span

    def metrics(self, window: Window | None) -> Sequence[Series]:
        return [_cut(s, window) for s in _there(self.series, "metrics")]

    def normal_metrics(self) -> Sequence[Series] | None:
        return self.normal_series

    def logs(self, window: Window | None) -> Iterable[LogLine]:
        return [x for x in _there(self.lines, "logs") if window is None or _ms(window.start) <= x.timestamp < _ms(window.end)]

    def normal_logs(self) -> Iterable[LogLine] | None:
        return self.normal_lines

    def traces(self, window: Window | None) -> Iterable[Span]:
        return [s for s in _there(self.spans, "traces") if window is None or _ms(window.start) <= s.start_ms < _ms(window.end)]

    def normal_traces(self) -> Iterable[Span] | None:
        return self.normal_spans

    def service_map(self) -> Sequence[Service]:
        return _there(self.services, "service map")

    def alarms(self) -> AlarmListing:
        return _there(self.listing, "alarms")

    def changes(self, window: Window | None) -> Sequence[Change]:
        return [c for c in _there(self.events, "events") if window is None or window.holds(c.time)]

    def document(self, name: str) -> Any:
        return _there(self.documents, "insights").get(name)

    def runbooks(self) -> Sequence[tuple[str, str]]:
        raise SourceUnavailable("knowledge", "there are no runbooks")

    def partial(self, category: ToolCategory) -> Sequence[str]:
        return ()

    def unusable(self) -> Sequence[str]:
        return self.notes

    def cost(self) -> Cost:
        return Cost()


class NoKnowledge:
    """A knowledge base without documents."""

    def find(self, keys: Sequence[str], query: str, limit: int = 5) -> Sequence[Any]:
        return []


class StillClock:
    def now(self) -> datetime:
        return NOW

    def sleep(self, seconds: float) -> None:
        raise AssertionError("nothing here waits")


def run_tool(name: str, incident: EvidenceSource, **params: Any) -> JsonObject:
    """A tool's output, without the recorder."""
    tool = TOOLS[name]
    return tool.run(tool.input_model.model_validate(params), ToolContext(incident, None, incident.now(), incident.window()))


def toolbox(incident: EvidenceSource, knowledge: Any = None, **fields: Any) -> RecordingToolbox:
    """The real tools behind the real recorder, over the in-memory ledger."""
    return RecordingToolbox(
        build_run(), fields.pop("step_index", 1), fields.pop("round", 1), TOOLS, incident, fields.pop("ledger", MemoryLedger()),
        SecretRedactor(b"test"), StillClock(), knowledge or NoKnowledge(), fields.pop("limit", None),
    )  # fmt: skip


def brief(alarm: AlarmNotice | None = None, query: str = "Why are orders slow?", **fields: Any) -> Brief:
    """What an Executor is asked about the incident."""
    defaults = {"run": build_run(), "round": 1, "history": (), "now": NOW, "window": INCIDENT, "retry": None, "kept": None}
    return Brief(**(defaults | {"query": query, "alarm": alarm} | fields))


def build_series(
    values: Sequence[float | None], *, subject: str = "orders", metric: str = "Latency", start: datetime = START, **fields: Any
) -> Series:
    """Datapoints a minute apart, from the incident's start on."""
    step = timedelta(seconds=fields.get("period", 60))
    defaults: dict[str, Any] = {
        "namespace": "Shop",
        "dimensions": {"ServiceName": subject},
        "stat": "Average",
        "period": 60,
        "unit": "Seconds",
    }
    times = tuple(start + step * n for n in range(len(values)))
    return Series(metric_name=metric, timestamps=times, values=tuple(values), **(defaults | fields))


def normal_series(values: Sequence[float | None], **fields: Any) -> Series:
    """The same, a day earlier."""
    return build_series(values, start=START - DAY_BEFORE, **fields)


def build_line(message: str, *, minute: float = 1.0, service: str = "orders", **fields: Any) -> LogLine:
    at = int(_ms(START) + minute * 60_000)
    return LogLine(
        fields.get("log_group", f"/shop/{service}"), fields.get("log_stream", f"{service}-1"), fields.get("timestamp", at), message
    )


def build_span(number: int, *, parent: int | None = None, service: str = "orders", name: str = "POST /orders", **fields: Any) -> Span:
    """Span ids are sixteen hexadecimal digits that end in the number; a trace is a hundred numbers."""
    return Span(
        trace_id=fields.get("trace_id", f"{number // 100:032x}"),
        span_id=span_id(number),
        parent_id=None if parent is None else span_id(parent),
        service=service,
        resource=f"{service}-pod",
        name=name,
        start_ms=fields.get("start_ms", _ms(START) + 60_000),
        duration_ms=fields.get("duration_ms", 20.0),
        error=fields.get("error", False),
        attributes={},
    )


def span_id(number: int) -> str:
    return f"abcdef{number:010x}"


def build_change(minutes_before: float = 12.0, **fields: Any) -> Change:
    """By default a deploy of orders, twelve minutes before the incident's start."""
    defaults = {"source": "deploy", "name": "DeployService", "resource": "orders", "actor": "ci", "message": "orders 1.4.2"}
    return Change(time=START - timedelta(minutes=minutes_before), **(defaults | fields))


def calls(**services: Sequence[str]) -> list[Service]:
    """A service map."""
    return [Service(name=name, calls=tuple(callees)) for name, callees in services.items()]


def wavering(base: float, count: int, width: float = 0.05) -> list[float]:
    """Ordinary values around a base: the same ones each time, no two neighbours alike."""
    return [base * (1 + width * ((n * 7919 % 13) - 6) / 6) for n in range(count)]


def _there(rows: Any, what: str) -> Any:
    if rows is None:
        raise SourceUnavailable(what, f"the incident has no {what}")
    return rows


def _cut(series: Series, window: Window | None) -> Series:
    kept = [n for n, t in enumerate(series.timestamps) if window is None or window.holds(t)]
    return series.model_copy(
        update={"timestamps": tuple(series.timestamps[n] for n in kept), "values": tuple(series.values[n] for n in kept)}
    )


def _ms(moment: datetime) -> float:
    return moment.timestamp() * 1000
