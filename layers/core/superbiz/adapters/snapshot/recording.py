"""Any evidence source, written as a world: what can be read is in it, what can not is told in `missing`."""

import shutil
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from superbiz.adapters.snapshot import writing
from superbiz.adapters.snapshot.world import HEAD, is_world
from superbiz.adapters.snapshot.writing import LOGS, TRACES, write_json
from superbiz.domain import leaves
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.observations import Series, Span
from superbiz.domain.values import JsonObject, Window, iso
from superbiz.errors import Invalid
from superbiz.ports import EvidenceSource, Redactor, SourceUnavailable

T = TypeVar("T")
METRICS, METRICS_NORMAL, NORMAL = "metrics.json", "metrics_normal.json", "normal"
DOCUMENTS = ("performance_insights",)


class Head(NamedTuple):
    """What the source can not tell: the world's name and place, and what started its run."""

    id: str
    region: str
    account: str
    origin: str
    trigger: JsonObject | None = None
    question: str | None = None


class Reads(NamedTuple):
    """The windows that tools ask for: what is not read here is not in the world."""

    window: Window
    metrics: Window
    logs: tuple[Window, ...]
    traces: tuple[Window, ...]
    changes: Window


class Recorded(NamedTuple):
    """`counts` is how many rows each part has; `missing` the parts that could not be read; `notes` what was read in part or not used."""

    counts: Mapping[str, int]
    missing: Mapping[str, SourceUnavailable]
    notes: tuple[str, ...]


def write_world(
    folder: Path, source: EvidenceSource, head: Head, reads: Reads, redactor: Redactor, tell: Callable[[str], None]
) -> Recorded:
    """Read every part of the source and write what there is; `world.json` comes last, so that a folder is a world only once it is whole.

    Texts are redacted, keys too; numbers are not. `tell` is told of each part once it is read.
    """
    recording = _Recording(folder, source, redactor, tell)
    if head.trigger is not None:
        write_json(folder / "trigger.json", recording.clean(head.trigger))
    if head.question is not None:
        write_json(folder / "question.json", {"question": redactor.text(head.question)})
    recording.metrics(reads)
    recording.logs(reads)
    recording.traces(reads)
    recording.documents(reads)
    normal = any((folder / NORMAL / name).is_file() for name in (LOGS, TRACES))
    partial = {c.value: list(source.partial(c)) for c in ToolCategory if source.partial(c)}
    about = {
        "schema": "world/1",
        "id": head.id,
        "region": head.region,
        "account": head.account,
        "now": iso(source.now()),
        "window": reads.window.to_json(),
        "source": {"name": head.origin, "licence": "", "commit": ""},
        "missing": [f"{part}: {e.what}: {e.why}" for part, e in recording.missing.items()],
    }
    about |= ({"normal": NORMAL} if normal else {}) | ({"in_part": partial} if partial else {})
    write_json(folder / HEAD, recording.clean(about))
    return Recorded(recording.counts, recording.missing, (*chain(*partial.values()), *source.unusable()))


class _Recording:
    """The parts of one world as they are read."""

    def __init__(self, folder: Path, source: EvidenceSource, redactor: Redactor, tell: Callable[[str], None]) -> None:
        self._folder, self._source, self._redactor, self._tell = folder, source, redactor, tell
        self.counts: dict[str, int] = {}
        self.missing: dict[str, SourceUnavailable] = {}

    def metrics(self, reads: Reads) -> None:
        found = self._read("metrics", lambda: list(self._source.metrics(reads.metrics)))
        usual = self._read("metrics_normal", lambda: list(self._source.normal_metrics() or ()), optional=True)
        for name, series in ((METRICS, found), (METRICS_NORMAL, usual)):
            if series is not None and (series or name == METRICS):
                writing.write_series(self._folder / name, (self._series(s) for s in series))

    def logs(self, reads: Reads) -> None:
        found = self._read("logs", lambda: [line for w in reads.logs for line in self._source.logs(w)])
        usual = self._read("logs_normal", lambda: list(self._source.normal_logs() or ()), optional=True)
        for folder, lines in ((self._folder, found), (self._folder / NORMAL, usual)):
            if lines is not None and (lines or folder == self._folder):
                cleaned = (x._replace(message=self._redactor.text(x.message)) for x in sorted(lines, key=lambda x: x.timestamp))
                writing.write_log_lines(folder / LOGS, cleaned)

    def traces(self, reads: Reads) -> None:
        found = self._read("traces", lambda: [span for w in reads.traces for span in self._source.traces(w)])
        usual = self._read("traces_normal", lambda: list(self._source.normal_traces() or ()), optional=True)
        for folder, spans in ((self._folder, found), (self._folder / NORMAL, usual)):
            if spans is not None and (spans or folder == self._folder):
                writing.write_spans(folder / TRACES, map(self._span, sorted(spans, key=lambda s: s.start_ms)))

    def documents(self, reads: Reads) -> None:
        """The parts that are one small JSON document each."""
        services = self._read("service_map", lambda: [s.to_json() for s in self._source.service_map()])
        listing = self._read("alarms", self._source.alarms, size=lambda found: len(found.alarms))
        changes = self._read("events", lambda: [c.to_json() for c in self._source.changes(reads.changes)])
        insights = self._read("insights", lambda: {name: self._source.document(name) for name in DOCUMENTS})
        runbooks = self._read("knowledge", lambda: dict(self._source.runbooks()))
        parts = {
            "service_map.json": None if services is None else {"services": services},
            "alarms.json": None if listing is None else listing.to_json(),
            "events.json": changes,
            "insights.json": insights,
        }
        for name, document in parts.items():
            if document is not None:
                write_json(self._folder / name, self.clean(document))
        if runbooks is not None:
            writing.write_runbooks(self._folder / "knowledge", {name: self._redactor.text(text) for name, text in runbooks.items()})

    def clean(self, node: Any) -> Any:
        """The same JSON with redacted texts."""
        return leaves.changed(node, self._redactor.text)

    def _read(self, part: str, read: Callable[[], T], *, optional: bool = False, size: Callable[[T], int] = len) -> T | None:  # type: ignore[assignment]
        """None where the part can not be read. A normal period that is not there is no part that is missing."""
        try:
            found = read()
        except SourceUnavailable as e:
            if not optional:
                self.missing[part] = e
            self._tell(f"{part}: not read ({e})")
            return None
        if not optional or size(found):
            self.counts[part] = size(found)
            self._tell(f"{part}: {self.counts[part]}")
        return found

    def _series(self, series: Series) -> Series:
        dimensions = {name: self._redactor.text(value, name) for name, value in series.dimensions.items()}
        return series.model_copy(update={"dimensions": dimensions})

    def _span(self, span: Span) -> Span:
        return span._replace(name=self._redactor.text(span.name), attributes=self.clean(span.attributes))


def make_room(folder: Path, *, force: bool) -> None:
    """Raises Invalid where something stands there already. With `force` a world gives way, and nothing else does."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not force:
        raise Invalid(f"{folder} is there already", code="EXISTS", mend="name another folder, or give --force to replace the world in it")
    if not is_world(folder):
        raise Invalid(f"{folder} is no world, and is not replaced", code="EXISTS", mend="name another folder")


def replace(folder: Path, whole: Path) -> None:
    """Put a finished folder where the world is to stand."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        shutil.rmtree(folder)
    whole.replace(folder)
