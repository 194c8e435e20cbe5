"""The files of a world: the same bytes for the same content, on every machine."""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from superbiz.domain.observations import LogLine, Span
from superbiz.domain.values import iso
from superbiz_cli.simulator.meters import Row

LOGS, TRACES = "logs.jsonl.gz", "traces.jsonl.gz"
LINES_A_WRITE = 2_000
COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


def write_json(file: Path, document: Any) -> None:
    """For people to read."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_series(file: Path, rows: Iterable[Row], times: Sequence[datetime], period: int) -> None:
    """One series a line."""
    spelled = compact([iso(t) for t in times])
    lines = [_series(row, spelled, period) for row in rows]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def write_log_lines(file: Path, lines: Iterable[LogLine]) -> None:
    """Sorted by time by whoever calls."""
    _write_lines(
        file, ({"log_group": x.log_group, "log_stream": x.log_stream, "timestamp": x.timestamp, "message": x.message} for x in lines)
    )


def write_spans(file: Path, spans: Iterable[Span]) -> None:
    """In the order given."""
    _write_lines(file, (s._asdict() for s in spans))


def write_runbooks(folder: Path, runbooks: Mapping[str, str]) -> None:
    """File names and their texts."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in runbooks.items():
        (folder / name).write_text(text, encoding="utf-8")


def _series(row: Row, times: str, period: int) -> str:
    head = {"namespace": row.namespace, "metric_name": row.metric_name, "dimensions": row.dimensions, "stat": row.stat, "period": period,
            "unit": row.unit}  # fmt: skip
    return compact(head)[:-1] + f',"timestamps":{times},"values":{compact(row.values)}}}'


def _write_lines(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # no name and no time in the header: the same lines are the same bytes
    with file.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=5, mtime=0) as out:
        for block in _blocks(COMPACT.encode(row) + "\n" for row in rows):
            out.write("".join(block).encode("utf-8"))


def _blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    block: list[str] = []
    for line in lines:
        block.append(line)
        if len(block) == LINES_A_WRITE:
            yield block
            block = []
    if block:
        yield block


def compact(document: Any) -> str:
    """JSON inside a JSON string, as AWS sends it."""
    return COMPACT.encode(document)
