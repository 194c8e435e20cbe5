"""Memory and speed of counting logs that are larger than memory should be: as a process of its own, on made-up worlds of two sizes.

Requests of four services: lines that name their span or their trace, JSON lines, names and paths that never repeat, errors with stack
traces. The larger world holds more traces than are kept, so that a sample of them is followed.
"""

import gzip
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.rows import Row

SIZES = (32, 256)  # megabytes of logs
MOST_MEMORY = 600.0
SERVICES = ("orders", "billing", "stock", "mail")
START, SECONDS = 1_783_549_800_000, 1_800
BYTES_OF_A_REQUEST = 1_130
# What is asked, and at its end how many lines that were and the peak memory in KB.
PROGRAM = """
import json, re, sys
from pathlib import Path
from superbiz.adapters.snapshot import SnapshotSource
from superbiz.tools import TOOLS
from superbiz.tools.tool import ToolContext
source, tool = SnapshotSource(Path(sys.argv[1])), TOOLS["query_logs"]
found = tool.run(tool.input_model.model_validate({}), ToolContext(source, None, source.now(), source.window()))
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
print(json.dumps([found["matched"], int(peak), "complete" in found]))
"""


def measure() -> Iterator[Row]:
    """Each size once; the time includes reading the traces and the normal period, an eighth as large."""
    for megabytes in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            world = Path(folder) / "world"
            write(world, megabytes << 20)
            started = time.perf_counter()
            lines, peak, sampled = _counted(world)
            seconds = time.perf_counter() - started
        what = f"{megabytes} MB of logs{', traces sampled' if sampled else ''}"
        yield Row(f"{what}: peak memory", peak / 1024, "MB", MOST_MEMORY)
        yield Row(f"{what}: lines a second, as a process", lines / seconds, "/s")


def write(folder: Path, size: int) -> None:
    """A world whose billing loses its connections now and then."""
    (folder / "normal").mkdir(parents=True)
    head = {"schema": "world/1", "id": "stream", "now": "2026-07-08T23:10:00Z", "normal": "normal",
            "window": {"start": "2026-07-08T22:30:00Z", "end": "2026-07-08T23:00:00Z"}}  # fmt: skip
    (folder / "world.json").write_text(json.dumps(head), encoding="utf-8")
    _write_period(folder, START, size // BYTES_OF_A_REQUEST, failing=True)
    _write_period(folder / "normal", START - 86_400_000, size // BYTES_OF_A_REQUEST // 8, failing=False)


def _counted(world: Path) -> tuple[int, int, bool]:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(world)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"query_logs failed on {world}: {done.stderr[-500:]}")
    lines, peak, sampled = json.loads(done.stdout)
    return lines, peak, sampled


def _write_period(folder: Path, start: int, requests: int, *, failing: bool) -> None:
    rng = random.Random(start)
    with gzip.open(folder / "logs.jsonl.gz", "wt", 1) as logs, gzip.open(folder / "traces.jsonl.gz", "wt", 1) as traces:
        for n in range(requests):
            service, at = SERVICES[n % 4], start + n * SECONDS * 1_000 // requests
            trace, span, stream = f"{rng.getrandbits(128):032x}", f"{rng.getrandbits(64):016x}", f"{service}-{n % 7}"
            row = {"trace_id": trace, "span_id": span, "service": service, "resource": stream, "name": f"POST /{service}", "start_ms": at,
                   "duration_ms": 20.5}  # fmt: skip
            traces.write(json.dumps(row) + "\n")
            for i, message in enumerate(_messages(rng, service, f"trace={trace} span={span}", trace, failing and n % 40 == 1)):
                line = {"log_group": f"/ecs/{service}", "log_stream": stream, "timestamp": at + i, "message": message}
                logs.write(json.dumps(line) + "\n")


def _messages(rng: random.Random, service: str, ids: str, trace: str, fails: bool) -> list[str]:
    name = "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(8))
    told = [
        f"INFO c.shop.Controller {ids} received the cart {rng.randrange(10**6)} of client {name} with {rng.randrange(9)} items",
        f"INFO c.shop.Service {ids} reserved stock in warehouse {rng.randrange(30)} for order {rng.getrandbits(40):x}",
        json.dumps({"level": "info", "trace_id": trace, "msg": "price computed", "status": 200, "total": rng.random(), "service": service}),
        f"DEBUG pool-{rng.randrange(8)} cache lookup key=/carts/{rng.getrandbits(32):x}/{name} hit=true",
    ]
    if not fails:
        return [*told, f"INFO c.shop.Controller {ids} answered after all was done in {rng.random():.1f} ms"]
    return [
        *told,
        f"ERROR c.shop.Service {ids} could not charge the card of client {name}",
        "java.lang.IllegalStateException: HikariPool-1 - Connection is not available, request timed out after 30000ms",
        "\tat com.shop.billing.Charges.charge(Charges.java:88)",
        "\tat org.springframework.aop.Invoker.invoke(Invoker.java:12)",
    ]
