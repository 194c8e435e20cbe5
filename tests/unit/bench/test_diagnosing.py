"""A benchmark's diagnosis is the command's, with the picture that it was decided on; parts that are left out are told as unread."""

from pathlib import Path

import pytest
from bench.diagnosing import Case, diagnose, outcomes
from bench.without import PARTS, Without

from superbiz.adapters.snapshot import SnapshotSource
from superbiz.ports import SourceUnavailable
from superbiz_cli.simulator.demo import write_demo_world
from superbiz_cli.worlds import diagnose as by_command

TRUTH = {"expect": "root_cause", "resources": ["payments-prod"], "fault_category": "RESOURCE_EXHAUSTION", "operation": None}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("worlds") / "demo"
    write_demo_world(folder)
    return folder


def test_the_report_is_the_commands_and_its_picture_is_kept(world: Path) -> None:
    report, picture, reason = diagnose(world)
    told = by_command(world).record.report

    assert told is not None
    assert [report["conclusion"], report["root_causes"]] == [told["conclusion"], told["root_causes"]]
    assert picture is not None
    assert picture.candidates[0].resource == report["root_causes"][0]["resource"]
    assert reason not in ("not seen", "")


def test_a_part_that_is_left_out_is_refused_and_told(world: Path) -> None:
    report, _, _ = diagnose(world, ("logs",))

    assert any("logs" in row["what"] and "left out" in row["why"] for row in report["not_checked"])


@pytest.mark.parametrize("part", [p for p in PARTS if p != "normal"])
def test_every_part_can_be_refused(world: Path, part: str) -> None:
    source = Without(SnapshotSource(world), (part,))

    for method in PARTS[part]:
        with pytest.raises(SourceUnavailable, match="left out"):
            getattr(source, method)(*((None,) if method not in ("service_map", "alarms") else ()))


def test_without_a_normal_period_there_is_none_and_the_rest_stands(world: Path) -> None:
    source = Without(SnapshotSource(world), ("normal",))

    assert source.normal_metrics() is None
    assert source.normal_logs() is None
    assert list(source.metrics(None))


def test_a_part_without_a_name_is_a_mistake(world: Path) -> None:
    with pytest.raises(ValueError, match="no part weather"):
        Without(SnapshotSource(world), ("weather",))


def test_a_world_that_fails_is_a_wrong_answer(tmp_path: Path) -> None:
    (found,) = outcomes([Case("set", "none", tmp_path / "none", TRUTH)])

    assert found.scored.said == "missing"
    assert "no world" in found.error
