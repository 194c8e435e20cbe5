"""What must not change a diagnosis: rubbish about others, the order of rows, another time, another zone."""

import gzip
import json
import random
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.simulator.demo import write_demo_world
from superbiz_cli.worlds import Diagnosis
from support.worlds import LOGS, MAP, METRICS, TRACES, Files, diagnosed, first_cause, one_line, one_series, one_span, ranked_causes

ROWS = (LOGS, TRACES, METRICS, f"normal/{LOGS}", f"normal/{TRACES}", f"normal/{METRICS}", "events.json")
LATER = timedelta(days=37, hours=5, minutes=13)
ELSEWHERE = timezone(timedelta(hours=8))
MOMENTS = ("now", "start", "end", "time", "timestamp", "updated", "timestamps")  # fields that tell a time


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """With every third of its lines, in both periods, which is quicker."""
    folder = tmp_path_factory.mktemp("demo")
    write_demo_world(folder)
    files = {str(f.relative_to(folder)): _read(f) for f in sorted(folder.rglob("*")) if f.is_file()}
    return files | {name: files[name][::3] for name in (LOGS, f"normal/{LOGS}")}


@pytest.fixture(scope="module")
def as_it_is(demo: Files, tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    return diagnosed(tmp_path_factory.mktemp("world"), demo)


def _read(file: Path) -> Any:
    data = file.read_bytes()
    if file.suffix == ".gz":
        return [json.loads(line) for line in gzip.decompress(data).splitlines()]
    return json.loads(data) if file.suffix == ".json" else data


def shuffled(files: Files) -> Files:
    mixed = random.Random(3)
    services = files[MAP]["services"]
    rows = {name: mixed.sample(files[name], len(files[name])) for name in ROWS}
    alarms = {key: mixed.sample(listed, len(listed)) for key, listed in files["alarms.json"].items()}
    return files | rows | {MAP: {"services": mixed.sample(services, len(services))}, "alarms.json": alarms}


def at_another_time(files: Files) -> Files:
    """Everything later by the same time, but for what texts tell of it."""
    ms = int(LATER.total_seconds() * 1000)
    moved = {name: _through(f, lambda t: (t + LATER).isoformat()) for name, f in files.items() if name.endswith(".json")}
    for name in ROWS:
        field = "start_ms" if name.endswith(TRACES) else "timestamp"
        if name.endswith(".gz"):
            moved[name] = [row | {field: row[field] + ms} for row in files[name]]
    return files | moved


def in_another_zone(files: Files) -> Files:
    """The same times, spelled eight hours east of Greenwich."""
    return files | {name: _through(f, lambda t: t.astimezone(ELSEWHERE).isoformat()) for name, f in files.items() if name.endswith(".json")}


def _through(node: Any, respelled: Callable[[datetime], str]) -> Any:
    """A document with every time in a field of times spelled anew."""

    def value(name: str, found: Any) -> Any:
        if name in MOMENTS and isinstance(found, str):
            return respelled(datetime.fromisoformat(found))
        if name in MOMENTS and isinstance(found, list):
            return [respelled(datetime.fromisoformat(t)) for t in found]
        return _through(found, respelled)

    if isinstance(node, dict):
        return {name: value(name, found) for name, found in node.items()}
    return [_through(n, respelled) for n in node] if isinstance(node, list) else node


def shuffled_elsewhere(files: Files) -> Files:
    return in_another_zone(shuffled(files))


@pytest.mark.parametrize("changed", [shuffled_elsewhere, at_another_time])
def test_order_zone_and_time_change_no_cause(demo: Files, as_it_is: Diagnosis, tmp_path: Path, changed: Callable[[Files], Files]) -> None:
    found, expected = ranked_causes(diagnosed(tmp_path, changed(demo))), ranked_causes(as_it_is)
    assert [c[:3] for c in found] == [c[:3] for c in expected]
    assert [c[3] for c in found] == pytest.approx([c[3] for c in expected], abs=1e-4)


def with_rubbish(files: Files) -> Files:
    """Series, lines, spans, events and alarms of things that the incident has nothing to do with, none of them sound."""
    start = datetime.fromisoformat(files["world.json"]["window"]["start"])
    at = start + timedelta(minutes=20)
    series = [
        one_series("lighthouse", "Latency", [float("nan"), None, 1e308, -1e308] * 8, start=start),
        one_series("lighthouse", "RequestCount", [-1] * 30, start=start, stat="Sum", unit="Count"),
        one_series("", "", [0], start=start, dimensions={}),
        one_series("lighthouse", "CPUUtilization", [10**400, 5e-324], start=start + timedelta(days=4_000), unit="Percent"),
    ]
    lines = [one_line("".join(chr(n * k % 256) for k in range(1, 90)), service="lighthouse", at=at) for n in range(1, 40)]
    lines += [one_line("x" * 1_048_576, service="lighthouse", at=at), one_line("ERROR\x1b[31m", service="", at=at - timedelta(days=900))]
    spans = [
        one_span("lighthouse", "GET /", span_id=f"{n:016x}", parent_id=f"{(n + 1) % 9:016x}", duration_ms=-5.0, at=at) for n in range(9)
    ]
    event = {"time": "9999-12-31T23:59:59Z", "source": "deploy", "name": "UpdateService", "resource": "lighthouse", "message": "x" * 99_999}
    alarm = {"name": "\x00", "state": "BANANA", "metric": "///", "dimensions": {"": ""}}
    more = {METRICS: series, LOGS: lines, TRACES: spans, "events.json": [event]}
    services = [*files[MAP]["services"], {"name": "lighthouse", "calls": ["lighthouse", "", "nobody"]}]
    alarms = files["alarms.json"] | {"alarms": [*files["alarms.json"]["alarms"], alarm]}
    added = {name: [*files[name], *rows] for name, rows in more.items()}
    return files | added | {MAP: {"services": services}, "alarms.json": alarms}


def test_rubbish_about_others_changes_no_first_cause(demo: Files, as_it_is: Diagnosis, tmp_path: Path) -> None:
    found = diagnosed(tmp_path, with_rubbish(demo))
    assert as_it_is.record.report["conclusion"] == "root_cause"
    assert first_cause(found) == first_cause(as_it_is)
    assert "lighthouse" not in {c["resource"] for c in found.record.report["root_causes"]}
