"""The files of a world: the same rows are the same bytes, on every machine."""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from superbiz.domain.observations import LogLine, Series, Span
from superbiz.domain.values import JsonObject, iso

LOGS, TRACES = "logs.jsonl.gz", "traces.jsonl.gz"
LINES_A_WRITE = 2_000
LONE = "replace"  # a lone surrogate has no UTF-8: it becomes a question mark
COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


def write_json(file: Path, document: Any) -> None:
    """For people to read."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", errors=LONE)


def write_series(file: Path, series: Iterable[Series]) -> None:
    """One series a line. Times that several series share are spelled once."""
    spelled: dict[tuple[datetime, ...], str] = {}
    lines = []
    for one in series:
        if one.timestamps not in spelled:
            spelled[one.timestamps] = compact([iso(t) for t in one.timestamps])
        head = one.model_dump(include={"namespace", "metric_name", "dimensions", "stat", "period", "unit"})
        lines.append(series_line(head, spelled[one.timestamps], one.values))
    write_lines(file, lines)


def series_line(head: JsonObject, times: str, values: Sequence[float | None]) -> str:
    """A series as JSON; `times` is its list of times as JSON already."""
    return compact(head)[:-1] + f',"timestamps":{times},"values":{compact(values)}}}'


def write_lines(file: Path, rows: Iterable[str]) -> None:
    """A JSON list, one row a line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8", errors=LONE)


def write_log_lines(file: Path, lines: Iterable[LogLine]) -> None:
    """Sorted by time by whoever calls."""
    _write_rows(file, (x._asdict() for x in lines))


def write_spans(file: Path, spans: Iterable[Span]) -> None:
    """In the order given."""
    _write_rows(file, (s._asdict() for s in spans))


def write_runbooks(folder: Path, runbooks: Mapping[str, str]) -> None:
    """File names and their texts."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in runbooks.items():
        (folder / Path(name).name).write_text(text, encoding="utf-8", errors=LONE)


def compact(value: Any) -> str:
    """JSON without spaces."""
    return COMPACT.encode(value)


def _write_rows(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # no name and no time in the header: the same lines are the same bytes
    with file.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=5, mtime=0) as out:
        for block in _blocks(COMPACT.encode(row) + "\n" for row in rows):
            out.write("".join(block).encode("utf-8", LONE))


def _blocks(rows: Iterable[str]) -> Iterator[list[str]]:
    block: list[str] = []
    for row in rows:
        block.append(row)
        if len(block) == LINES_A_WRITE:
            yield block
            block = []
    yield block
