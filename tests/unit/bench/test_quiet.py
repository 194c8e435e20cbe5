"""Quiet windows hold nothing but ordinary time, an ordinary datapoint trips their alarm, and what they are compared with is apart."""

import gzip
import json
import math
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from bench import minutes, quiet

from superbiz.adapters.snapshot import SnapshotSource
from superbiz.domain import alarms
from superbiz.domain.incidents import AlarmNotice

START, ROWS, WINDOW = 1_700_000_000, 300, 5


def stamp(row: int, period: int = 300) -> str:
    return datetime.fromtimestamp(START + row * period, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def series(service: str, metric: str, first: int, count: int, period: int = 300) -> dict[str, Any]:
    values = [round(10 + math.sin(n * 12.9898 + len(service + metric)) * 43758.5453 % 1, 6) for n in range(first, first + count)]
    return {
        "namespace": "X", "metric_name": metric, "dimensions": {"ServiceName": service}, "stat": "Average", "period": period,
        "unit": "None", "timestamps": [stamp(n, period) for n in range(first, first + count)], "values": values,
    }  # fmt: skip


def event(metric: str, side: str) -> dict[str, Any]:
    asked = {
        "metric": {"namespace": "X", "name": metric, "dimensions": {"ServiceName": "edge"}},
        "period": 300,
        "stat": "Average",
    }
    return {
        "version": "0", "id": "1", "detail-type": "CloudWatch Alarm State Change", "source": "aws.cloudwatch", "account": "111122223333",
        "time": stamp(1_003), "region": "eu-west-1", "resources": ["arn:aws:cloudwatch:eu-west-1:111122223333:alarm:a"],
        "detail": {
            "alarmName": "a",
            "state": {"value": "ALARM", "reason": f"Threshold Crossed: [1] was {side} than the threshold (2).", "timestamp": stamp(1_003)},
            "previousState": {"value": "OK", "reason": "fine", "timestamp": stamp(1_002)},
            "configuration": {"description": "d", "metrics": [{"id": "m1", "metricStat": asked, "returnData": True}]},
        },
    }  # fmt: skip


def write(file: Path, document: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document), encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUPERBIZ_RECORDED_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def alarmed(data: Path) -> Path:
    worlds = data / "somewhere" / "worlds"
    kinds = [(s, m) for s in ("edge", "shop", "store") for m in ("Latency", "Availability")]
    write(worlds / "shared" / "metrics_normal.json", [series(s, m, 0, ROWS) for s, m in kinds])
    for n, (metric, side, row) in enumerate((("Latency", "greater", 1_000), ("Availability", "less", 100))):
        folder = worlds / f"w-{n}"
        window = {"start": stamp(row), "end": stamp(row + WINDOW)}
        head = {"schema": "world/1", "id": f"w-{n}", "now": stamp(row + 6), "window": window}
        write(folder / "world.json", {**head, "metrics_normal": "../shared/metrics_normal.json"})
        write(folder / "trigger.json", event(metric, side))
        write(folder / "metrics.json", [series(s, m, row, WINDOW) for s, m in kinds])
        write(folder / "service_map.json", {"services": [{"name": "edge", "type": "x", "calls": ["shop"]}]})
    return worlds


def test_quiet_windows_are_read_as_worlds_whose_normal_period_does_not_hold_them(alarmed: Path, tmp_path: Path) -> None:
    cases = quiet.windows("somewhere", tmp_path)

    assert {c.kind for c in cases} == {"any", "worst", "elsewhere"}
    for case in cases[::7]:
        source = SnapshotSource(case.folder)
        source.check()
        window, normal = source.window(), source.normal_metrics()
        assert window is not None
        assert normal is not None
        assert not any(window.start <= t <= window.end for s in normal for t in s.timestamps)
        assert {len(s.timestamps) for s in source.metrics(None)} == {WINDOW}


def test_the_alarm_is_tripped_by_a_datapoint_of_its_window_and_only_just(alarmed: Path, tmp_path: Path) -> None:
    for case in quiet.windows("somewhere", tmp_path):
        source = SnapshotSource(case.folder)
        notice = alarms.parse(source.world.trigger or {}, stack_name="s")
        assert isinstance(notice, AlarmNotice)
        (metric,) = notice.metrics
        reason = notice.reason
        value, level = float(reason.split("[")[1].split()[0]), float(reason.rsplit("(", 1)[1].rstrip(").").rstrip(")"))
        (seen,) = [s for s in source.metrics(None) if (s.metric_name, s.dimensions) == (metric.metric_name, metric.dimensions)]

        assert value in seen.values[quiet.FIRST :]
        assert (value < level) == (metric.metric_name == "Availability")
        assert value == (min if metric.metric_name == "Availability" else max)(seen.values[quiet.FIRST :])
        assert (metric.dimensions["ServiceName"] == "edge") == (case.kind != "elsewhere")


def test_no_two_windows_of_an_alarm_share_a_row_and_none_is_a_world_of_the_set(alarmed: Path, tmp_path: Path) -> None:
    taken: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for case in quiet.windows("somewhere", tmp_path):
        head = quiet.read(case.folder / "world.json")["window"]
        name = quiet.read(case.folder / "trigger.json")["detail"]["alarmName"]
        taken.setdefault((case.kind, name), []).append((head["start"], head["end"]))

    for windows in taken.values():
        ordered = sorted(windows)
        assert all(a[1] <= b[0] for a, b in pairwise(ordered))
        assert all(end <= stamp(100) or start >= stamp(105) for start, end in ordered)


def test_the_same_windows_are_cut_every_time(alarmed: Path, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    told = [[(c.world, (c.folder / "trigger.json").read_text()) for c in quiet.windows("somewhere", tmp_path / n)] for n in "ab"]

    assert told[0] == told[1]


@pytest.fixture
def asked(data: Path) -> Path:
    worlds = data / "somewhere" / "worlds"
    for day in ("1", "2"):
        normal = worlds / f"normal_{day}"
        normal.mkdir(parents=True)
        first = (START + int(day) * 86_400) * 1000
        logs = [{"log_group": "g", "log_stream": "s", "timestamp": first + n * 500, "message": f"{day} {n}"} for n in range(120)]
        spans = [
            {"trace_id": f"t{n}", "span_id": f"s{n}", "parent_id": None, "service": "a", "resource": "p", "name": "x",
             "start_ms": first + n * 500, "duration_ms": 1.0, "error": False, "attributes": {}}
            for n in range(120)
        ]  # fmt: skip
        for file, rows in (("logs.jsonl.gz", logs), ("traces.jsonl.gz", spans)):
            with gzip.open(normal / file, "wt", encoding="utf-8") as out:
                out.writelines(f"{json.dumps(row)}\n" for row in rows)
        write(normal / "metrics.json", [series("a", "CPU", 0, 60, 60)])
        window = {"start": stamp(500, 60), "end": stamp(501, 60)}
        head = {"schema": "world/1", "id": f"w-{day}", "now": stamp(502, 60), "window": window, "normal": f"../normal_{day}"}
        write(worlds / f"w-{day}" / "world.json", head)
        write(worlds / f"w-{day}" / "question.json", {"question": f"Slow since {window['start']}; why?"})
    return worlds


def test_a_part_of_a_minute_is_compared_with_the_rest_of_it(asked: Path, tmp_path: Path) -> None:
    cases = minutes.windows("somewhere", tmp_path)
    parts, days = [c for c in cases if c.kind == "part"], [c for c in cases if c.kind == "day"]

    assert (len(parts), len(days)) == (2 * minutes.PARTS_A_DAY, 2)
    for case in parts:
        source = SnapshotSource(case.folder)
        source.check()
        inside = {line.message for line in source.logs(source.window())}
        usual = {line.message for line in source.normal_logs() or ()}
        assert 35 <= len(inside) <= 41
        assert not inside & usual
        assert len(inside | usual) == 120
        assert len(list(source.traces(source.window()))) == len(inside)


def test_a_whole_minute_is_compared_with_the_other_days(asked: Path, tmp_path: Path) -> None:
    for case in (c for c in minutes.windows("somewhere", tmp_path) if c.kind == "day"):
        source = SnapshotSource(case.folder)
        inside = {line.message.split()[0] for line in source.logs(source.window())}
        usual = {line.message.split()[0] for line in source.normal_logs() or ()}
        assert inside | usual == {"1", "2"}
        assert not inside & usual


def test_a_question_names_the_windows_start_and_its_metrics_are_not_its_normal_period(asked: Path, tmp_path: Path) -> None:
    for case in minutes.windows("somewhere", tmp_path):
        source = SnapshotSource(case.folder)
        window = source.window()
        assert window is not None
        assert source.world.question == f"Slow since {quiet.text(window.start)}; why?"
        seen = {t for s in source.metrics(None) for t in s.timestamps}
        assert seen
        assert not seen & {t for s in source.normal_metrics() or () for t in s.timestamps}


def test_where_a_set_is_not_here_there_are_no_windows(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert quiet.windows("nowhere", tmp_path) == []
    assert minutes.windows("nowhere", tmp_path) == []
    assert "not on this machine" in capsys.readouterr().out
