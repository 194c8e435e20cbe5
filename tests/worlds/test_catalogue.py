"""The catalogue itself: what it covers, and that its right answers can be told from what its worlds hold."""

import gzip
import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from superbiz.domain import alarms
from superbiz.domain.claims import FaultCategory
from superbiz.domain.incidents import AlarmNotice
from superbiz_cli.simulator import alarms as rules
from superbiz_cli.simulator import catalogue, meters
from superbiz_cli.simulator.catalogue import CATALOGUE, notes
from superbiz_cli.simulator.weather import Climate
from worlds.reporting import SEED, Written

# what must be told apart, and the worlds that are about it
COVERED = {
    "connection pool or connection limit": {"rds-connections-leaked"},
    "CPU saturation": {"ecs-cpu-saturated", "rds-slow-query", "ec2-credits-spent"},
    "memory, out of memory, restarts": {"k8s-out-of-memory", "two-faults"},
    "disk full and IO": {"rds-storage-full", "rds-storage-full-unmeasured", "rds-io-burst-spent"},
    "replication lag": {"rds-replica-lag"},
    "lock and slow query": {"mysql-metadata-lock", "rds-slow-query"},
    "failover and replaced nodes": {"rds-failover", "cache-emptied"},
    "network and firewall": {"network-lossy", "security-group-closed"},
    "DNS": {"k8s-dns"},
    "TLS or credential expiry": {"certificate-expired", "secret-rotated"},
    "throttling and quotas": {"dynamodb-throttled", "lambda-concurrency-reserved"},
    "image pull and crash loop": {"k8s-image-missing", "k8s-crash-loop"},
    "probe failure": {"k8s-probe-too-strict"},
    "unschedulable": {"k8s-unschedulable"},
    "node lost": {"k8s-node-lost"},
    "deploy regression": {"deploy-regression", "deploy-regression-unmapped"},
    "dependency down": {"maps-provider-down", "two-faults"},
    "queue backlog": {"queue-backlog"},
    "cold start and time-out": {"lambda-cold-starts"},
    "traffic surge": {"traffic-surge"},
    "no fault": {"quiet-tight-alarm", "quiet-recovered", "quiet-healthy-rollout", "quiet-batch-window", "quiet-noisy-healthy"},
    "not to be told": {"unclear-edge-only", "unclear-twin-rollouts"},
}
SCENARIOS = {name: teller().scenario for name, teller in CATALOGUE.items()}
TRUTHS = {name: teller().truth for name, teller in CATALOGUE.items()}


def test_every_kind_of_fault_has_a_world() -> None:
    assert set().union(*COVERED.values()) == set(CATALOGUE)


def test_every_world_is_told_about() -> None:
    for name in CATALOGUE:
        assert len(notes(name)) > 150, name


def test_the_truth_stands_beside_the_worlds_and_not_inside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    few = ("rds-failover", "unclear-edge-only")
    monkeypatch.setattr(catalogue, "CATALOGUE", {name: CATALOGUE[name] for name in few})
    catalogue.write_all(tmp_path, SEED)
    truth = json.loads((tmp_path / "truth.json").read_text())
    assert set(truth) == {f.parent.name for f in tmp_path.glob("*/world.json")} == set(few)
    assert truth["rds-failover"] == TRUTHS["rds-failover"].as_row(notes("rds-failover"))
    assert not [f for f in tmp_path.glob("*/**/*.json") if "fault_category" in f.read_text()]


def test_every_truth_is_whole() -> None:
    for name, truth in TRUTHS.items():
        row = truth.as_row(notes(name))
        assert row["expect"] in {"root_cause", "no_fault", "inconclusive"}
        assert row["fault_category"] in FaultCategory.__members__
        assert bool(row["resources"]) == (row["fault_category"] != "NONE") == (row["expect"] == "root_cause")


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_true_resource_is_to_be_found_in_its_world(name: str, written: Written) -> None:
    truth = TRUTHS[name]
    held = "".join(_texts(written(name)))
    for resources in filter(None, (truth.resources, truth.second)):
        assert [r for r in resources if r in held]


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_alarm_rings_in_the_window_with_another_seed(name: str) -> None:
    scenario = SCENARIOS[name]
    if scenario.alarm is None:
        assert scenario.question
        return
    found = rules.crossing(scenario.alarm, *_series(name, SEED + 1), scenario.now)  # writing tries the usual seed
    assert scenario.start < found.at <= scenario.now


@pytest.mark.parametrize("name", CATALOGUE)
def test_metrics_stay_in_their_bounds(name: str) -> None:
    rows, times = _series(name, SEED)
    assert len({(r.namespace, r.metric_name, r.stat, *r.dimensions.items()) for r in rows}) == len(rows)
    for row in rows:
        assert len(row.values) == len(times)
        assert all(v is None or 0 <= v <= (100 if row.unit == "Percent" else float("inf")) for v in row.values), row.metric_name


def test_eventbridge_and_sns_are_read_as_alarms(written: Written) -> None:
    for name, scenario in SCENARIOS.items():
        if scenario.alarm and scenario.notice in {"eventbridge", "sns"}:
            notice = alarms.parse(json.loads((written(name) / "trigger.json").read_text()), stack_name="superbiz")
            assert isinstance(notice, AlarmNotice)
            assert (notice.alarm_name, notice.threshold) == (scenario.alarm.name, scenario.alarm.threshold)


def test_what_is_missing_is_missing(written: Written) -> None:
    assert not (written("unclear-edge-only") / "logs.jsonl.gz").exists()
    assert not (written("deploy-regression-unmapped") / "service_map.json").exists()
    rows = json.loads((written("rds-storage-full-unmeasured") / "metrics.json").read_text())
    assert "FreeStorageSpace" not in {r["metric_name"] for r in rows}
    holes = [r["values"].count(None) for r in rows if r["metric_name"] == "WriteIOPS"]
    assert 20 < holes[0] < 50


@cache
def _series(name: str, seed: int) -> tuple[list[meters.Row], list[datetime]]:
    scenario = SCENARIOS[name]
    climate = Climate(scenario.system, scenario.load, scenario.always + scenario.faults, seed)
    weather = list(climate.minutes(scenario.start - timedelta(minutes=20), scenario.end))
    return list(meters.rows(climate, weather, scenario.cluster)), [w.at for w in weather]


def _texts(world: Path) -> Iterator[str]:
    for file in world.rglob("*.json"):
        yield file.read_text()
    for file in world.glob("*.gz"):
        with gzip.open(file, "rt") as lines:
            yield lines.read()


def test_the_reference_lists_every_world() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "simulator.md").read_text()
    assert [name for name in CATALOGUE if f"| `{name}` |" not in page] == []
    assert page.count("\n| `") == len(CATALOGUE) + 4  # and the four rows of injectors
