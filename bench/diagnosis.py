"""How long and with how much memory `superbiz diagnose` works on recorded worlds, as a whole process."""

import resource
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
from bench.sets import RECORDED
from superbiz_cli.simulator.demo import write_demo_world

WORLDS = 5
# The command as it is, and at its end its peak memory in KB: what the system tells of a finished child counts its parent's in.
PROGRAM = """
import atexit, re, sys
from superbiz_cli.main import run
atexit.register(lambda: print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1], file=sys.stderr))
run()
"""


class Bounds(NamedTuple):
    """Seconds and megabytes a world."""

    seconds: float
    megabytes: float


class Run(NamedTuple):
    """Wall and processor seconds, peak megabytes."""

    seconds: float
    processor: float
    megabytes: float


SETS = {"trainticket": Bounds(6.0, 600.0), "petshop": Bounds(1.0, 600.0)}


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
            yield from _rows(f"{RECORDED[name]}, {len(worlds)} worlds", worlds, bounds)


def _rows(what: str, worlds: list[Path], bounds: Bounds | None) -> Iterator[Row]:
    runs = [_one(world) for world in worlds]
    yield Row(f"{what}: seconds, median", statistics.median(r.seconds for r in runs), "s", bounds and bounds.seconds)
    yield Row(f"{what}: processor seconds, median", statistics.median(r.processor for r in runs), "s")
    yield Row(f"{what}: peak memory, largest", max(r.megabytes for r in runs), "MB", bounds and bounds.megabytes)


def _one(world: Path) -> Run:
    """In a process of its own."""
    command = [sys.executable, "-c", PROGRAM, "diagnose", str(world), "--json"]
    start, before = time.perf_counter(), _children()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"diagnose failed on {world}: {done.stderr[-500:]}")
    return Run(seconds, _children() - before, float(done.stderr.split()[-1]) / 1024)


def _children() -> float:
    """Processor time of all finished children: what a busy machine does not stretch."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
