"""`superbiz metrics explain`: the numbers are the tools' own, the tables fit a terminal, and what can not be asked is said."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from superbiz.adapters.snapshot import SnapshotSource
from superbiz.errors import Invalid
from superbiz.tools import TOOLS
from superbiz.tools.tool import ToolContext
from superbiz_cli import output
from superbiz_cli.main import app

START, PERIOD = 1_700_000_000, 60
EDGE, SHOP, STORE = "edge", "shop", "store"


def stamp(row: int) -> str:
    return datetime.fromtimestamp(START + row * PERIOD, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def series(service: str, metric: str, stat: str, unit: str, values: list[float | None], first: int = 0) -> dict[str, Any]:
    return {
        "namespace": "AWS/X-Ray", "metric_name": metric, "dimensions": {"ServiceName": service}, "stat": stat, "period": PERIOD,
        "unit": unit, "timestamps": [stamp(first + n) for n in range(len(values))], "values": values,
    }  # fmt: skip


def usual(at: float) -> list[float | None]:
    return [at * (1 + 0.02 * ((n * 7) % 5 - 2)) for n in range(60)]


def slow(at: float, more: float) -> list[float | None]:
    return [*usual(at)[:7], *(at + more for _ in range(5))]


LATENCIES = {EDGE: 0.1, SHOP: 0.08, STORE: 0.02}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """The store is slower by 60 ms, and so are all who wait for it."""
    folder = tmp_path / "w-1"
    folder.mkdir()
    files: dict[str, Any] = {
        "world.json": {
            "schema": "world/1", "id": "w-1", "region": "eu-west-1", "account": "111122223333", "now": stamp(213),
            "window": {"start": stamp(200), "end": stamp(212)},
        },
        "metrics.json": [
            *(series(name, "Latency", "Average", "Seconds", slow(at, 0.06), 200) for name, at in LATENCIES.items()),
            *(series(name, "Requests", "Sum", "Count", [100.0] * 12, 200) for name in LATENCIES),
            series(STORE, "CPUUtilization", "Average", "Percent", [*usual(30)[:7], *[99.0] * 5], 200),
        ],
        "metrics_normal.json": [
            *(series(name, "Latency", "Average", "Seconds", usual(at)) for name, at in LATENCIES.items()),
            *(series(name, "Requests", "Sum", "Count", [100.0] * 60) for name in LATENCIES),
            series(STORE, "CPUUtilization", "Average", "Percent", usual(30)),
        ],
        "service_map.json": {
            "services": [
                {"name": EDGE, "type": "x", "calls": [SHOP]}, {"name": SHOP, "type": "x", "calls": [STORE]},
                {"name": STORE, "type": "x", "calls": []},
            ]
        },
    }  # fmt: skip
    for name, document in files.items():
        (folder / name).write_text(json.dumps(document))
    return folder


def alarm(folder: Path) -> None:
    asked = {
        "metric": {"namespace": "AWS/X-Ray", "name": "Latency", "dimensions": {"ServiceName": EDGE}},
        "period": 60,
        "stat": "Average",
    }
    event = {
        "version": "0", "id": "1", "detail-type": "CloudWatch Alarm State Change", "source": "aws.cloudwatch", "account": "111122223333",
        "time": stamp(209), "region": "eu-west-1", "resources": ["arn:aws:cloudwatch:eu-west-1:111122223333:alarm:slow"],
        "detail": {
            "alarmName": "slow",
            "state": {"value": "ALARM", "reason": "Threshold Crossed: greater than the threshold", "timestamp": stamp(209)},
            "configuration": {"metrics": [{"id": "m1", "metricStat": asked, "returnData": True}]},
        },
    }  # fmt: skip
    (folder / "trigger.json").write_text(json.dumps(event))


def asked(*words: str) -> Any:
    done = CliRunner().invoke(app, ["metrics", "explain", *words, "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    return json.loads(done.stdout)


def test_the_alarms_symptom_is_asked_about_and_the_numbers_are_the_tools_own(world: Path) -> None:
    alarm(world)
    found = asked(str(world))
    source = SnapshotSource(world)
    context = ToolContext(source, None, source.now(), source.window())
    tools = {
        "query_metrics": TOOLS["query_metrics"].run(TOOLS["query_metrics"].input_model(), context),
        "rank_suspects": TOOLS["rank_suspects"].run(
            TOOLS["rank_suspects"].input_model.model_validate({"metric": "Latency", "target": EDGE, "falling": False, "top": 12}), context
        ),
    }

    assert found["asked"] == {"metric": "Latency", "stat": "Average", "target": EDGE, "falling": False}
    assert found["window"] == {"start": stamp(200), "end": stamp(212)}
    assert found["series"] == tools["query_metrics"]["series"]
    assert [found[k] for k in ("symptom", "suspects", "quiet")] == [tools["rank_suspects"][k] for k in ("symptom", "suspects", "quiet")]
    assert [(s["resource"], s["rank"]) for s in found["suspects"]] == [(STORE, 1)]
    assert {q["resource"] for q in found["quiet"]} == {EDGE, SHOP}
    assert [c["metric"] for c in found["conditions"]] == ["CPUUtilization"]


def test_without_an_alarm_nobody_is_suspected_until_a_symptom_is_named(world: Path) -> None:
    quiet, found = asked(str(world)), asked(str(world), "--metric", "latency")

    assert (quiet["asked"], quiet["symptom"], quiet["suspects"]) == (None, None, [])
    assert quiet["series"]
    assert (found["asked"]["target"], found["suspects"][0]["resource"]) == (None, STORE)


def test_another_symptom_may_be_asked_about_than_the_alarms(world: Path) -> None:
    alarm(world)

    assert asked(str(world), "--target", SHOP)["symptom"]["subject"] == SHOP
    assert asked(str(world), "--target", SHOP)["asked"]["falling"] is False
    assert "falling" not in asked(str(world), "--metric", "CPUUtilization", "--target", STORE)["asked"]


def test_top_bounds_what_is_shown_and_the_rest_is_counted(world: Path) -> None:
    found = asked(str(world), "--top", "1")

    assert len(found["series"]) == 1
    assert found["left_out"]["signals"] > 0


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--metric", "Humidity"), "no series of Humidity"),
        (("--metric", "Latency", "--target", "nobody"), "nobody has no Latency"),
        (("--target", SHOP), "no alarm that says which metric"),
    ],
)
def test_what_nobody_measures_is_the_callers_to_mend(world: Path, words: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(Invalid, match=complaint) as e:
        CliRunner().invoke(app, ["metrics", "explain", str(world), *words], catch_exceptions=False)
    assert e.value.mend


def test_a_world_without_metrics_and_one_that_is_broken_are_bad_input(world: Path) -> None:
    (world / "metrics.json").unlink()
    with pytest.raises(Invalid, match=r"no metrics\.json"):
        CliRunner().invoke(app, ["metrics", "explain", str(world)], catch_exceptions=False)
    (world / "metrics.json").write_text('[{"namespace": 3}]')
    with pytest.raises(Invalid, match=r"metrics\.json, series 1"):
        CliRunner().invoke(app, ["metrics", "explain", str(world)], catch_exceptions=False)


def shown(*words: str) -> str:
    done = CliRunner().invoke(app, ["metrics", "explain", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_people_see_the_same_numbers_short_with_their_units(world: Path) -> None:
    alarm(world)
    text = shown(str(world))

    assert "Latency Average of edge rose since" in text
    assert "CPUUtilization Average of store" in text
    assert "99%" in text
    assert "0.16 s" in text
    assert "surplus: own less ordinary" in text


def test_a_terminal_of_eighty_columns_holds_every_table(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alarm(world)
    long = json.loads((world / "metrics.json").read_text().replace(STORE, STORE * 12))
    (world / "metrics.json").write_text(json.dumps(long))
    (world / "metrics_normal.json").write_text((world / "metrics_normal.json").read_text().replace(STORE, STORE * 12))
    (world / "service_map.json").write_text((world / "service_map.json").read_text().replace(STORE, STORE * 12))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(type(output.out), "is_terminal", True)

    rows = [line for line in re.sub(r"\x1b\[[0-9;]*m", "", shown(str(world))).splitlines() if "  " in line]

    assert rows
    assert max(map(len, rows)) <= 80
    assert not any("…" in row for row in rows)


def test_pipes_get_whole_lines(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")

    assert any("CPUUtilization Average of store" in line and "rose" in line for line in shown(str(world)).splitlines())


@pytest.mark.parametrize("words", [("--metric", "Latency"), ("--metric", "Latency", "--target", SHOP)])
def test_a_statistic_that_is_not_there_is_refused_with_those_that_are(world: Path, words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, ["metrics", "explain", str(world), *words, "--stat", "p999x"])

    assert isinstance(done.exception, Invalid)
    assert "no statistic p999x" in done.exception.message
    assert done.exception.mend == "--stat one of: Average"
    assert asked(str(world), *words, "--stat", "average")["suspects"]


def test_without_an_alarm_the_worst_symptoms_are_suggested_as_commands_that_work(world: Path) -> None:
    lines = [line.split() for line in shown(str(world)).splitlines() if line.startswith("  superbiz metrics explain")]

    assert [line[-1] for line in lines[:1]] == [STORE]
    assert {(line[5], line[-1]) for line in lines} == {("Latency", EDGE), ("Latency", SHOP), ("Latency", STORE)}
    assert asked(*lines[0][3:])["symptom"]["subject"] == STORE
    alarm(world)
    assert "No alarm says" not in shown(str(world))
