"""A symptom that travels up the calls, with nobody to tell who calls whom: no health is claimed, and the missing map is told."""

import json
import shutil
from pathlib import Path

import pytest

from superbiz_cli.simulator.demo import write_demo_world
from superbiz_cli.worlds import diagnose

SOURCES = ("service_map.json", "logs.jsonl.gz", "traces.jsonl.gz", "events.json", "alarms.json")


@pytest.fixture(scope="module")
def metrics_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's world with nothing but metrics, its fault kept out of every resource but the symptom."""
    world = tmp_path_factory.mktemp("blind") / "world"
    write_demo_world(world)
    for name in SOURCES:
        (world / name).unlink()
    shutil.rmtree(world / "knowledge")
    kept = [s for s in json.loads((world / "metrics.json").read_text()) if s["metric_name"] in {"Availability", "RequestCount"}]
    (world / "metrics.json").write_text(json.dumps(kept))
    return world


def test_without_a_map_nobody_is_cleared_and_nobody_is_accused(metrics_alone: Path):
    report = diagnose(metrics_alone).record.report
    assert report["conclusion"] != "no_fault"
    assert {"what": "service map", "why": "world shop-order-pool has no service_map.json"} in report["not_checked"]
