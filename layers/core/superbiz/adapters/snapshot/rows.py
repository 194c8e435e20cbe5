"""Rows of a world's files as values. Rows come by the ten thousand, so their fields are checked by hand and not by pydantic."""

import json
import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from superbiz.adapters.snapshot import files
from superbiz.domain.observations import LogLine, Series, Span
from superbiz.domain.values import to_utc

FIRST_MS, LAST_MS = -62_135_596_800_000, 253_402_300_799_000  # the years 1 to 9999: a clock may be wrong, but it is a clock
PLAIN = frozenset({float, type(None)})
TEXTS = ("namespace", "metric_name", "stat")
SPAN_TEXTS = ("trace_id", "span_id", "service", "name")
LINE_BREAK = "\n"
_LOG_FIELDS = itemgetter("log_group", "log_stream", "timestamp", "message")
LINE_SHAPE = 'write {"log_group","log_stream","timestamp" (epoch ms),"message"}'
SPAN_SHAPE = 'write {"trace_id","span_id","parent_id","service","resource","name","start_ms","duration_ms","error","attributes"}'


class SeriesFile(NamedTuple):
    """`unusable` counts values that are no numbers (NaN, infinity: read as no datapoint), `reordered` series out of order."""

    series: tuple[Series, ...]
    unusable: int
    reordered: int


class _Points(NamedTuple):
    times: tuple[datetime, ...]
    values: tuple[float | None, ...]
    unusable: int
    reordered: bool


class _Clock(NamedTuple):
    """Series share their times: each spelling is parsed once a file, and each whole list of them. `lists`: moments, and if in order."""

    moments: dict[str, datetime]
    lists: dict[tuple[str, ...], tuple[tuple[datetime, ...], bool]]

    def read(self, times: list[Any]) -> tuple[tuple[datetime, ...], bool]:
        """The moments of a list, and whether each is later than the one before it."""
        key = tuple(times)
        found = self.lists.get(key)
        if found is None:
            moments = tuple(self._moment(t) for t in times)
            found = self.lists[key] = (moments, all(a < b for a, b in pairwise(moments)))
        return found

    def _moment(self, text: Any) -> datetime:
        found = self.moments.get(text) if isinstance(text, str) else None
        if found is None:
            found = self.moments[text] = moment(text)
        return found


def read_series(file: Path) -> SeriesFile:
    """All series of a metrics file."""
    rows = files.table(file)
    if not isinstance(rows, list):
        raise files.broken(file, "", "not a list of series", "write [{…}, …]")
    known = _Clock({}, {})
    series, unusable, reordered = [], 0, 0
    for n, row in enumerate(rows):
        try:
            points = _points(row, known)
            series.append(_series(row, points))
        except (KeyError, TypeError, ValueError) as e:
            raise files.broken(file, f"series {n + 1}", _said(e), "follow the shape of a series in world/1") from e
        unusable += points.unusable
        reordered += points.reordered
    return SeriesFile(tuple(series), unusable, reordered)


class LogBatch(NamedTuple):
    """Lines as they come; in how many of them bytes that are no UTF-8 had to be replaced."""

    lines: Sequence[LogLine]
    repaired: int


def read_log_lines(file: Path, watch: files.Watch = files.unwatched) -> Iterator[LogBatch]:
    """The lines of a log file, in batches of whatever size."""
    for first, block in files.blocks(file, watch):
        sound = _sound_lines(block)
        yield LogBatch(sound, 0) if sound is not None else _doubtful_lines(file, first, block)


def read_spans(file: Path, watch: files.Watch = files.unwatched) -> Iterator[Span]:
    """The spans of a traces file, as they come."""
    for first, block in files.blocks(file, watch):
        for n, row in _rows(file, first, block, SPAN_SHAPE):
            try:
                yield _span(row)
            except (KeyError, TypeError, ValueError) as e:
                raise files.broken(file, f"line {n}", _said(e), SPAN_SHAPE) from e


def _sound_lines(block: bytes) -> list[LogLine] | None:
    """A block's lines, read and checked all at once; None where anything about one of them needs a closer look."""
    rows = _all_at_once(block)
    if rows is None:
        return None
    try:
        fields = list(map(_LOG_FIELDS, rows))
    except (KeyError, TypeError, IndexError):
        return None
    groups, streams, times, messages = zip(*fields, strict=True)
    texts = {*map(type, groups), *map(type, streams), *map(type, messages)}
    if texts != {str} or set(map(type, times)) != {int} or not FIRST_MS <= min(times) <= max(times) <= LAST_MS:
        return None
    return list(map(LogLine._make, fields))


def _all_at_once(block: bytes) -> list[Any] | None:
    """A block's rows, parsed as one list: a line break within a row would be no JSON."""
    try:
        rows = json.loads(f"[{block.decode('utf-8').replace(LINE_BREAK, ',')}]")
    except (ValueError, RecursionError):
        return None
    return rows if len(rows) == block.count(b"\n") + 1 else None


def _doubtful_lines(file: Path, first: int, block: bytes) -> LogBatch:
    """Line by line: bad bytes are replaced, blank lines passed over, and anything else is refused with its place."""
    lines, repaired = [], 0
    for n, raw in enumerate(block.split(b"\n"), first):
        if not raw.strip():
            continue
        try:
            row, was_repaired = _row(raw)
            lines.append(_log_line(row))
        except (KeyError, TypeError, ValueError, RecursionError) as e:
            raise files.broken(file, f"line {n}", _said(e), LINE_SHAPE) from e
        repaired += was_repaired
    return LogBatch(lines, repaired)


def _rows(file: Path, first: int, block: bytes, shape: str) -> Iterator[tuple[int, Any]]:
    """(line number, row)"""
    rows = _all_at_once(block)
    if rows is not None and all(isinstance(row, dict) for row in rows):
        yield from enumerate(rows, first)
        return
    for n, raw in enumerate(block.split(b"\n"), first):
        if raw.strip():
            try:
                row = _row(raw)[0]
            except (TypeError, ValueError, RecursionError) as e:
                raise files.broken(file, f"line {n}", _said(e), shape) from e
            yield n, row


def _log_line(row: dict[str, Any]) -> LogLine:
    return LogLine(_text(row, "log_group"), _text(row, "log_stream"), int(_milliseconds(row, "timestamp")), _text(row, "message"))


def moment(text: Any) -> datetime:
    """An ISO-8601 time with a zone, in UTC."""
    if not isinstance(text, str):
        raise TypeError(f"time {text!r} is not a text")
    try:
        return to_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as e:
        raise ValueError(f"time {text!r} is not ISO-8601 with Z: {e}") from e


def _series(row: dict[str, Any], points: _Points) -> Series:
    namespace, metric_name, stat = (_text(row, field) for field in TEXTS)
    period, dimensions, unit = row["period"], row.get("dimensions") or {}, row.get("unit") or "None"
    if not isinstance(period, int | float) or isinstance(period, bool) or not 0 < period < 1e9:
        raise ValueError(f"period {period!r} is no number of seconds")
    if not isinstance(dimensions, dict) or not all(isinstance(v, str) for v in dimensions.values()):
        raise TypeError("dimensions are not an object of texts")
    if not isinstance(unit, str):
        raise TypeError(f"unit {unit!r} is not a text")
    # model_construct: every field was checked above, and pydantic would take ten times as long over the points
    return Series.model_construct(namespace=namespace, metric_name=metric_name, dimensions=dimensions, stat=stat, period=int(period) or 1,
                                  unit=unit, timestamps=points.times, values=points.values)  # fmt: skip


def _points(row: Any, known: _Clock) -> _Points:
    """Points in order of time, one for a time (the last one given), whatever the order of the file."""
    if not isinstance(row, dict):
        raise TypeError("not an object")
    times, values = row["timestamps"], row["values"]
    if not isinstance(times, list) or not isinstance(values, list):
        raise TypeError("timestamps and values are not both lists")
    if len(times) != len(values):
        raise ValueError(f"{len(times)} timestamps and {len(values)} values; every time has one value or null")
    (moments, in_order), (numbers, unusable) = known.read(times), _numbers(values)
    if in_order:
        return _Points(moments, numbers, unusable, False)
    by_time = dict(sorted(zip(moments, numbers, strict=True), key=lambda point: point[0]))
    return _Points(tuple(by_time), tuple(by_time.values()), unusable, True)


def _numbers(values: list[Any]) -> tuple[tuple[float | None, ...], int]:
    """The values as numbers, and how many are none. Nearly all lists are plain, which is seen without looking at each value by hand."""
    if PLAIN.issuperset(map(type, values)) and all(map(math.isfinite, filter(None, values))):
        return tuple(values), 0
    numbers = tuple(map(_number, values))
    return numbers, sum(a is None and b is not None for a, b in zip(numbers, values, strict=True))


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"value {value!r} is no number")
    try:
        return value if math.isfinite(value) else None
    except OverflowError:
        return None


def _span(row: dict[str, Any]) -> Span:
    parent, attributes, error = row.get("parent_id"), row.get("attributes") or {}, row.get("error", False)
    duration, resource = row["duration_ms"], row.get("resource") or ""
    if not isinstance(parent or "", str) or not isinstance(resource, str):
        raise TypeError(f"parent_id {parent!r} or resource {resource!r} is neither a text nor null")
    if not isinstance(attributes, dict):
        raise TypeError("attributes are not an object")
    if not isinstance(error, bool):
        raise TypeError(f"error {error!r} is not true or false")
    if isinstance(duration, bool) or not isinstance(duration, int | float) or not abs(duration) < LAST_MS:
        raise ValueError(f"duration_ms {duration!r} is no number of milliseconds")
    trace, span, service, name = (_text(row, field) for field in SPAN_TEXTS)
    return Span(trace, span, parent or None, service, resource, name, _milliseconds(row, "start_ms"), duration, error, attributes)


def _row(raw: bytes) -> tuple[dict[str, Any], bool]:
    try:
        text, repaired = raw.decode("utf-8"), False
    except UnicodeDecodeError:
        text, repaired = raw.decode("utf-8", "replace"), True
    row = json.loads(text)
    if not isinstance(row, dict):
        raise TypeError("not a JSON object")
    return row, repaired


def _text(row: dict[str, Any], field: str) -> str:
    value = row[field]
    if not isinstance(value, str):
        raise TypeError(f"{field} {value!r:.60} is not a text")
    return value


def _milliseconds(row: dict[str, Any], field: str) -> float:
    value = row[field]
    if isinstance(value, bool) or not isinstance(value, int | float) or not FIRST_MS <= value <= LAST_MS:
        raise ValueError(f"{field} {value!r:.60} is no time in epoch milliseconds")
    return value


def _said(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"field {error.args[0]!r} is missing"
    return f"not JSON: {error}" if isinstance(error, json.JSONDecodeError) else str(error)
