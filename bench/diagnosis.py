"""How long and with how much memory `superbiz diagnose` works on recorded worlds, as a whole process."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench import recorded
from bench.rows import Row
from superbiz_cli.simulator.demo import write_demo_world

WORLDS = 5


class Bounds(NamedTuple):
    """Seconds and megabytes a world."""

    seconds: float
    megabytes: float


SETS = {"trainticket": Bounds(10.0, 600.0), "petshop": Bounds(1.5, 600.0)}


def measure() -> Iterator[Row]:
    """The median over the first worlds of each set, the largest memory."""
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder) / "demo"
        write_demo_world(world)
        yield from _rows("demo world", [world], None)
    for name, bounds in SETS.items():
        place = recorded.folder(name)
        if place is not None:
            worlds = sorted(p.parent for p in place.glob("worlds/*/world.json"))[:WORLDS]
            yield from _rows(f"{name}, {len(worlds)} worlds", worlds, bounds)


def _rows(what: str, worlds: list[Path], bounds: Bounds | None) -> Iterator[Row]:
    runs = [_one(world) for world in worlds]
    yield Row(f"{what}: seconds, median", statistics.median(seconds for seconds, _ in runs), "s", bounds and bounds.seconds)
    yield Row(f"{what}: peak memory, largest", max(megabytes for _, megabytes in runs), "MB", bounds and bounds.megabytes)


def _one(world: Path) -> tuple[float, float]:
    """(wall seconds, peak megabytes) of a process of its own."""
    command = [sys.executable, "-m", "superbiz_cli.main", "diagnose", str(world), "--json"]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"diagnose failed on {world}")
    return seconds, usage.ru_maxrss / 1024
