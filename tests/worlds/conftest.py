"""Worlds of the catalogue, written and diagnosed when they are first asked for, once a test process."""

from functools import cache
from pathlib import Path

import pytest

from superbiz.domain.values import JsonObject
from superbiz_cli.simulator import scenario
from superbiz_cli.simulator.catalogue import CATALOGUE
from superbiz_cli.worlds import diagnose
from worlds.reporting import SEED, Reported, Written


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("worlds")

    @cache
    def world(name: str, seed: int = SEED) -> Path:
        scenario.write(folder / f"{name}-{seed}", CATALOGUE[name]().scenario, seed)
        return folder / f"{name}-{seed}"

    return world


@pytest.fixture(scope="session")
def reported(written: Written) -> Reported:
    @cache
    def report(name: str, seed: int = SEED) -> JsonObject:
        return diagnose(written(name, seed)).record.report

    return report
