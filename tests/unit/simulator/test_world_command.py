"""`superbiz world`: one scenario, all of them, or a list."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from superbiz.adapters.snapshot import SnapshotSource
from superbiz.errors import Invalid
from superbiz_cli.main import app
from superbiz_cli.simulator import catalogue
from superbiz_cli.simulator.catalogue import CATALOGUE


def superbiz(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["world", *arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def test_a_scenario_is_written_by_its_name(tmp_path: Path) -> None:
    superbiz(str(tmp_path / "w"), "--scenario", "unclear-edge-only", "--seed", "5")
    world = SnapshotSource(tmp_path / "w")
    world.check()
    assert world.world.id == "unclear-edge-only"


def test_all_are_written_with_their_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "CATALOGUE", {"unclear-edge-only": CATALOGUE["unclear-edge-only"]})
    superbiz(str(tmp_path / "set"), "--all")
    assert (tmp_path / "set" / "unclear-edge-only" / "world.json").is_file()
    assert json.loads((tmp_path / "set" / "truth.json").read_text())["unclear-edge-only"]["expect"] == "inconclusive"


def test_the_list_tells_what_each_is_about() -> None:
    told = superbiz("--list")
    assert [name for name in CATALOGUE if name not in told] == []
    assert "names no cause" in told


@pytest.mark.parametrize(
    "wrong", [(), ("--all",), ("x", "--all", "--scenario", "rds-failover"), ("x", "--list"), ("x", "--scenario", "no-such")]
)
def test_what_is_not_clear_is_refused(wrong: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Invalid):
        superbiz(*wrong)
    assert list(tmp_path.iterdir()) == []
