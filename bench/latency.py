"""From an alarm event to the finished report, through the local stack: EventBridge, queue, state machine, functions, table."""

import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.rows import Row
from superbiz_cli.client import ApiClient
from superbiz_cli.simulator.demo import write_demo_world
from superbiz_local.stack import LocalStack
from superbiz_local.triggers import put_alarm_event

ALARMS = 7
PATIENCE_SECONDS = 60.0
BOUND_SECONDS = 2.0


def measure() -> Iterator[Row]:
    """The first alarm meets cold functions and is told apart; the median is over the warm ones."""
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder) / "demo"
        write_demo_world(world)
        event = json.loads((world / "trigger.json").read_text(encoding="utf-8"))
        start = time.perf_counter()
        with LocalStack(world_dir=world) as stack:
            yield Row("local stack: ready", time.perf_counter() - start, "s")
            at = ApiClient(stack.api_url)
            seconds = [_one(stack, at, event, n) for n in range(ALARMS + 1)]
    yield Row("alarm to finished report: cold", seconds[0], "s")
    yield Row("alarm to finished report: warm, median", statistics.median(seconds[1:]), "s", BOUND_SECONDS)


def _one(stack: LocalStack, at: ApiClient, event: dict[str, Any], n: int) -> float:
    """Each alarm has a name of its own, so that each opens an episode."""
    name = f"{event['detail']['alarmName']}-{n}"
    arn = event["resources"][0].rpartition(":")[0] + f":{name}"
    start = time.perf_counter()
    put_alarm_event(stack, {**event, "id": f"{event['id']}-{n}", "resources": [arn], "detail": {**event["detail"], "alarmName": name}})
    while time.perf_counter() - start < PATIENCE_SECONDS:
        runs = at.call("GET", "/api/runs", query={"alarm": name})["items"]
        if runs and runs[0]["status"] != "RUNNING":
            return time.perf_counter() - start
        time.sleep(0.02)
    raise SystemExit(f"{name} did not end")
