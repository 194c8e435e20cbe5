"""`SnapshotSource`: a world as an evidence source. What a world does not hold is SourceUnavailable, never an empty result."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from superbiz.adapters.snapshot import files, rows
from superbiz.adapters.snapshot.extents import NOTHING, About, Cut, Extent
from superbiz.adapters.snapshot.world import World, beside, read_world
from superbiz.analysis.templates import LONGEST_JSON
from superbiz.domain import canonical
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.observations import AlarmListing, Change, LogLine, Series, Service, Span
from superbiz.domain.runs import Cost
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable

M = TypeVar("M", bound=BaseModel)
REPLACED = "\ufffd"
ASTRAY = "a time after the incident's clock or weeks before its window, as from a wrong clock, and tell nothing of it"
LOGS, TRACES, METRICS = "logs.jsonl.gz", "traces.jsonl.gz", "metrics.json"


class SnapshotSource:
    """Reads one world. Metrics are kept once read; logs and traces are streamed anew by every call. `watch` is told how far that is."""

    def __init__(self, folder: Path, watch: files.Watch = files.unwatched) -> None:
        self.folder, self._watch = folder, watch
        self.world: World = read_world(folder)
        self._series: dict[Path, tuple[Series, ...]] = {}
        self._notes: dict[str, str] = {}
        self._extents: dict[Path, Extent] = {}

    def now(self) -> datetime:
        return self.world.now

    def window(self) -> Window | None:
        return self.world.window

    def metrics(self, window: Window | None) -> Sequence[Series]:
        series = self._read_series(self._file(METRICS, "metrics"))
        return series if window is None else _kept(series, window.holds)

    def normal_metrics(self) -> Sequence[Series] | None:
        file = self._normal(METRICS, "metrics_normal.json", self.world.metrics_normal)
        return None if file is None else _kept(self._read_series(file), self._outside)

    def logs(self, window: Window | None) -> Iterable[LogLine]:
        return self._log_lines(self._file(LOGS, "logs"), Cut.to(window))

    def normal_logs(self) -> Iterable[LogLine] | None:
        file = self._normal(LOGS)
        return None if file is None else self._log_lines(file, Cut.around(self.world.window))

    def traces(self, window: Window | None) -> Iterable[Span]:
        return self._spans(self._file(TRACES, "traces"), Cut.to(window))

    def normal_traces(self) -> Iterable[Span] | None:
        file = self._normal(TRACES)
        return None if file is None else self._spans(file, Cut.around(self.world.window))

    def service_map(self) -> Sequence[Service]:
        file = self._file("service_map.json", "service map")
        return [_valid(Service, row, file, f"services[{n}]") for n, row in enumerate(_list(file, "services"))]

    def alarms(self) -> AlarmListing:
        file = self._file("alarms.json", "alarms")
        shaped = {key: [_plain(row) for row in _list(file, key, optional=True)] for key in ("alarms", "history")}
        return _valid(AlarmListing, shaped, file, "")

    def changes(self, window: Window | None) -> Sequence[Change]:
        file = self._file("events.json", "events")
        found = [_valid(Change, _plain(row), file, f"event {n + 1}") for n, row in enumerate(_list(file, None))]
        return sorted((c for c in found if window is None or window.holds(c.time)), key=lambda c: c.time)

    def document(self, name: str) -> Any:
        """None where the world has documents, but none of this name."""
        file = self._file("insights.json", "insights")
        found = files.document(file)
        if not isinstance(found, dict):
            raise files.broken(file, "", "not a JSON object", 'write {"<name>": {…}}')
        return found.get(name)

    def runbooks(self) -> Sequence[tuple[str, str]]:
        folder = self.folder / "knowledge"
        if not folder.is_dir():
            raise self._absent("knowledge", "knowledge")
        found = [(f, f.read_bytes().decode("utf-8", "replace")) for f in sorted(folder.glob("*.md"))]
        for file, text in found:
            self._note(
                file,
                "bytes",
                sum(REPLACED in line for line in text.splitlines()),
                "lines held bytes that are no UTF-8, which were replaced",
            )
        return [(file.name, text) for file, text in found]

    def unusable(self) -> Sequence[str]:
        """What could not be used of the files read so far, in sentences."""
        return tuple(self._notes.values())

    def partial(self, category: ToolCategory) -> Sequence[str]:
        """A world is read whole, but it may have been recorded in part."""
        return self.world.in_part.get(category, ())

    def cost(self) -> Cost:
        """Files cost nothing."""
        return Cost()

    def check(self) -> None:
        """Read every file through once. Raises Invalid with file and place for the first that is broken."""
        rest: list[Callable[[], Any]] = [
            self.normal_metrics,
            self.normal_logs,
            self.normal_traces,
            self.service_map,
            self.alarms,
            self.runbooks,
        ]
        for read in (self.metrics, self.logs, self.traces, self.changes):
            _drained(partial(read, None))
        for read_rest in rest:
            _drained(read_rest)
        _drained(partial(self.document, ""))

    def _file(self, name: str, what: str) -> Path:
        file = self.folder / name
        if not file.is_file():
            raise self._absent(name, what)
        return file

    def _absent(self, name: str, what: str) -> SourceUnavailable:
        """With the reason that was met when the world was recorded, where it tells one."""
        part = f"{name.partition('.')[0]}: "
        told = next((m.removeprefix(part) for m in self.world.missing if m.startswith(part)), "")
        source, _, why = told.partition(": ")
        return SourceUnavailable(source, why) if why else SourceUnavailable(what, told or f"world {self.world.id} has no {name}")

    def _normal(self, name: str, own: str | None = None, named: str | None = None) -> Path | None:
        """The file of the normal period: as `world.json` names it, else the world's own, else the one in the `normal` folder."""
        candidates = [beside(self.folder, named)] if named else []
        if own:
            candidates.append(self.folder / own)
        if self.world.normal:
            candidates.append(beside(self.folder, self.world.normal) / name)
        found = next((f for f in candidates if f.is_file()), None)
        if found is None and named:
            self._notes["normal"] = f"world.json names {named} as normal period, which is not there"
        return found

    def _outside(self, moment: datetime) -> bool:
        window = self.world.window
        return window is None or not window.start <= moment <= window.end

    def _read_series(self, file: Path) -> tuple[Series, ...]:
        if file not in self._series:
            found = rows.read_series(file)
            self._series[file] = found.series
            self._note(file, "values", found.unusable, "values were NaN or infinite and count as no datapoint")
            self._note(file, "order", found.reordered, "series were out of order or had a time twice and were put in order")
        return self._series[file]

    def _log_lines(self, file: Path, cut: Cut) -> Iterator[LogLine]:
        """Once a file was read to its end, it is known when nothing more of a window can come."""
        known, extent, repaired, astray, cut_short = self._extents.get(file), NOTHING, 0, 0, 0
        if known and cut.misses(known):
            return
        for batch in rows.read_log_lines(file, self._watch):
            repaired += batch.repaired
            if known is None:
                times = [line.timestamp for line in batch.lines]
                extent = extent.with_times(times)
                astray += self._about.astray(times) if cut.inside else 0
                cut_short += sum(len(line.message) > LONGEST_JSON for line in batch.lines)
            yield from cut.kept(batch.lines)
            if known and known.in_order and batch.lines and cut.is_over(batch.lines[-1].timestamp):
                return
        self._extents[file] = known or extent
        self._note(file, "bytes", repaired, "lines held bytes that are no UTF-8, which were replaced")
        self._note(file, "clock", astray, f"lines have {ASTRAY}")
        self._note(file, "long", cut_short, f"lines have over {LONGEST_JSON:,} characters, and only their beginning was compared")

    def _spans(self, file: Path, cut: Cut) -> Iterator[Span]:
        astray = 0
        for span in rows.read_spans(file, self._watch):
            if cut.holds(span.start_ms):
                yield span
            else:
                astray += cut.inside and self._about.is_astray(span.start_ms)
        self._note(file, "clock", astray, f"spans have {ASTRAY}")

    @cached_property
    def _about(self) -> About:
        return About.of(self.world.window, self.world.now)

    def _note(self, file: Path, kind: str, count: int, what: str) -> None:
        if count:
            self._notes[f"{file}#{kind}"] = f"{file.name}: {count} {what}"


def _kept(series: Sequence[Series], holds: Callable[[datetime], bool]) -> Sequence[Series]:
    """The series with only the points that hold; series without any left are dropped."""
    known: dict[tuple[datetime, ...], tuple[int, ...]] = {}
    kept = []
    for one in series:
        if one.timestamps not in known:
            known[one.timestamps] = tuple(n for n, t in enumerate(one.timestamps) if holds(t))
        chosen = known[one.timestamps]
        if len(chosen) == len(one.timestamps):
            kept.append(one)
        elif chosen:
            times, values = tuple(one.timestamps[n] for n in chosen), tuple(one.values[n] for n in chosen)
            kept.append(one.model_copy(update={"timestamps": times, "values": values}))
    return kept


def _list(file: Path, key: str | None, *, optional: bool = False) -> list[Any]:
    """The list that is the file, or the one that stands under a key of its object."""
    found = files.document(file)
    if key:
        found = found.get(key) if isinstance(found, dict) else {}
    if found is None and optional:
        return []
    if not isinstance(found, list):
        raise files.broken(file, key or "", "not a list", f'write {{"{key}":[…]}}' if key else "write [{…}, …]")
    return found


def _plain(row: Any) -> Any:
    """Nulls stand for what is absent, and a number or object where a text is expected for its JSON text."""
    if not isinstance(row, dict):
        return row
    return {k: v if k in ("raw", "dimensions") else _as_text(v) for k, v in row.items() if v is not None}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else canonical.dumps(value)


def _valid(model: type[M], row: Any, file: Path, place: str) -> M:
    try:
        return model.model_validate({k: v for k, v in row.items() if v is not None} if isinstance(row, dict) else row)
    except ValidationError as e:
        raise files.broken(file, place, files.first_complaint(e), "follow the shape of world/1") from e


def _drained(read: Callable[[], Any]) -> None:
    try:
        for _ in read() or ():
            pass
    except SourceUnavailable:
        return
