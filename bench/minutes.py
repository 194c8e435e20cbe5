"""Worlds without a fault for a set of questions: minutes without a fault, asked about as if there were one.

`part` holds a third of a day's fault-free minute against the rest of it (parts overlap), `day` the whole of it against the other day's.
The recorded metrics of fault-free minutes are of another hour than the logs and spans, so these are moved to a minute of the metrics.
"""

import gzip
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from bench import recorded
from bench.diagnosing import Case
from bench.quiet import QUIET, SEED, Row, moment, read, text
from bench.sets import RECORDED

PARTS_A_DAY = 8
MINUTE, PART = 60_000, 20_000  # milliseconds
AROUND = timedelta(minutes=2)  # of metrics on both sides of a window
STAMPS = {"logs.jsonl.gz": "timestamp", "traces.jsonl.gz": "start_ms"}
Rows = Mapping[str, Sequence[Row]]


class Day(NamedTuple):
    """A fault-free minute: rows of logs and spans by file, the metrics of other minutes, and the form of a world of that day."""

    name: str
    rows: Rows
    metrics: Sequence[Row]
    head: Row
    question: str
    start: float


class Minute(NamedTuple):
    """A window and what it is compared with. `start` and `length` are in milliseconds."""

    day: Day
    start: float
    length: int
    normal: Rows
    usual: Sequence[Row]


def windows(name: str, out: Path) -> list[Case]:
    """Written into a folder of their own; none where the set is not on this machine."""
    place = recorded.folder(name)
    if place is None:
        return []
    days = [_day(place / "worlds", normal) for normal in sorted((place / "worlds").glob("normal_*"))]
    chance, cases = random.Random(SEED), []
    for day, other in zip(days, [*days[1:], *days[:1]], strict=True):
        whole = Minute(day, day.start, MINUTE, other.rows, other.metrics)
        asked = {f"part-{n}": _part(day, n) for n in range(PARTS_A_DAY)} | {"day": whole}
        for kind, minute in asked.items():
            folder = _write(out / f"{name}-quiet-{day.name}-{kind}", minute, chance)
            cases.append(Case(RECORDED.get(name, name), folder.name, folder, QUIET, day.name, kind.partition("-")[0]))
    return cases


def _day(worlds: Path, normal: Path) -> Day:
    heads = [(world, read(world)) for world in sorted(worlds.glob("*/world.json"))]
    example, head = next((world, h) for world, h in heads if h.get("normal", "").endswith(normal.name))
    rows = {file: _unzipped(normal / file) for file in STAMPS}
    stamps = sorted(r["timestamp"] for r in rows["logs.jsonl.gz"])
    question = read(example.parent / "question.json")["question"].replace(head["window"]["start"], "{}")
    return Day(normal.name, rows, read(normal / "metrics.json"), head, question, stamps[len(stamps) // 2] - MINUTE / 2)


def _part(day: Day, n: int) -> Minute:
    start = day.start + n * (MINUTE - PART) / (PARTS_A_DAY - 1)
    rest = {f: [r for r in rows if not start <= r[STAMPS[f]] < start + PART] for f, rows in day.rows.items()}
    return Minute(day, start, PART, rest, day.metrics)


def _write(folder: Path, minute: Minute, chance: random.Random) -> Path:
    """A world at a minute of the metrics by chance, with a normal period of its own."""
    day, normal = minute.day, folder / "normal"
    start = moment(chance.choice(day.metrics[0]["timestamps"][2:-2]))
    end = start + timedelta(milliseconds=minute.length)
    around = text(start - AROUND), text(end + AROUND)
    normal.mkdir(parents=True)
    _write_rows(folder, minute, start.timestamp() * 1000)
    window = {"start": text(start), "end": text(end)}
    documents: dict[Path, Any] = {
        folder / "world.json": {**day.head, "id": folder.name, "now": around[1], "window": window, "normal": "normal"},
        folder / "question.json": {"question": day.question.format(text(start))},
        folder / "metrics.json": _between(day.metrics, *around, inside=True),
        normal / "metrics.json": _between(minute.usual, *around, inside=False),
    }
    for file, document in documents.items():
        file.write_text(json.dumps(document), encoding="utf-8")
    return folder


def _write_rows(folder: Path, minute: Minute, moved_to: float) -> None:
    for file, stamp in STAMPS.items():
        inside = (r for r in minute.day.rows[file] if minute.start <= r[stamp] < minute.start + minute.length)
        _zip(folder / file, ({**r, stamp: r[stamp] - minute.start + moved_to} for r in inside))
        _zip(folder / "normal" / file, minute.normal[file])


def _between(series: Sequence[Row], first: str, last: str, *, inside: bool) -> list[Row]:
    """The datapoints within these times, or those without."""
    out = []
    for row in series:
        kept = [(t, v) for t, v in zip(row["timestamps"], row["values"], strict=True) if (first <= t <= last) is inside]
        if kept:
            out.append({**row, "timestamps": [t for t, _ in kept], "values": [v for _, v in kept]})
    return out


def _zip(file: Path, rows: Iterable[Row]) -> None:
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=1) as out:
        out.writelines(f"{json.dumps(row)}\n" for row in rows)


def _unzipped(file: Path) -> list[Row]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
