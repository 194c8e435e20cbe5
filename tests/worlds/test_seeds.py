"""A world is its seed: the same bytes again, and the same answer from other bytes."""

import hashlib
from pathlib import Path

import pytest

from superbiz_cli.simulator import scenario
from superbiz_cli.simulator.catalogue import CATALOGUE
from worlds.reporting import SEED, Reported
from worlds.test_conclusions import TRUTHS, rank_of

SAMPLE = ("rds-slow-query", "rds-storage-full", "deploy-regression", "quiet-noisy-healthy", "unclear-twin-rollouts")


def digests(folder: Path) -> dict[str, str]:
    return {str(f.relative_to(folder)): hashlib.sha256(f.read_bytes()).hexdigest() for f in sorted(folder.rglob("*")) if f.is_file()}


@pytest.mark.parametrize("world", ["rds-failover", "k8s-node-lost", "quiet-batch-window"])
def test_the_same_seed_gives_the_same_bytes(world: str, tmp_path: Path) -> None:
    for name, seed in (("first", SEED), ("again", SEED), ("other", SEED + 1)):
        scenario.write(tmp_path / name, CATALOGUE[world]().scenario, seed)
    first, other = digests(tmp_path / "first"), digests(tmp_path / "other")
    assert digests(tmp_path / "again") == first
    assert first.keys() == other.keys()
    assert first["logs.jsonl.gz"] != other["logs.jsonl.gz"]
    assert first["metrics.json"] != other["metrics.json"]


@pytest.mark.parametrize("seed", [11, 23])
@pytest.mark.parametrize("world", SAMPLE)
def test_another_seed_has_the_same_answer(world: str, seed: int, reported: Reported) -> None:
    truth, report = TRUTHS[world], reported(world, seed)
    assert report["conclusion"] == truth.expect
    if truth.expect == "root_cause":
        assert rank_of(report, truth.resources) <= truth.rank
