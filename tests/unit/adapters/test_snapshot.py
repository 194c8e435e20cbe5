"""Incident worlds: what is there, what is not, and what is broken."""

import gzip
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.adapters.snapshot import SnapshotSource, files, find_worlds, read_world
from superbiz.domain.values import Window
from superbiz.errors import Invalid
from superbiz.ports import SourceUnavailable
from support.recorded import recorded

NOW = datetime(2026, 7, 8, 23, 10, tzinfo=UTC)
HEAD = {"schema": "world/1", "id": "w1", "region": "eu-west-1", "account": "111122223333", "now": "2026-07-08T23:10:00Z",
        "window": {"start": "2026-07-08T22:30:00Z", "end": "2026-07-08T23:00:00Z"}, "missing": []}  # fmt: skip
SERIES = {"namespace": "Shop", "metric_name": "Errors", "dimensions": {"ServiceName": "order-service"}, "stat": "Sum", "period": 60,
          "unit": "Count", "timestamps": ["2026-07-08T22:30:00Z", "2026-07-08T22:31:00Z"], "values": [0.0, 27.5]}  # fmt: skip
LINE = {"log_group": "/ecs/order-service", "log_stream": "a", "timestamp": 1783549800000, "message": "Connection is not available"}
SPAN = {"trace_id": "t", "span_id": "s", "parent_id": None, "service": "order-service", "resource": "pod-1", "name": "POST /orders",
        "start_ms": 1783549800000.5, "duration_ms": 3000.25, "error": True, "attributes": {"k": 1}}  # fmt: skip


def world(folder: Path, **files: Any) -> SnapshotSource:
    """A world with these files: a dict or list as JSON, bytes as they are, text as text."""
    write(
        folder,
        {"world.json": HEAD}
        | {name.replace("__", "/").replace("_json", ".json").replace("_gz", ".jsonl.gz"): f for name, f in files.items()},
    )
    return SnapshotSource(folder)


def write(folder: Path, files: dict[str, Any]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else (content if isinstance(content, str) else json.dumps(content)).encode()
        (folder / name).write_bytes(data)


def zipped(*rows: Any) -> bytes:
    return gzip.compress(b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows), mtime=0)


def test_a_world_reads_back_what_it_holds(tmp_path: Path) -> None:
    source = world(
        tmp_path,
        metrics_json=[SERIES],
        logs_gz=zipped(LINE),
        traces_gz=zipped(SPAN),
        service_map_json={"services": [{"name": "order-service", "type": None, "calls": ["orders-db"]}]},
        alarms_json={"alarms": [{"name": "a", "state": "ALARM", "metric": None, "updated": "2026-07-08T22:40:00Z"}],
                     "history": [{"timestamp": "2026-07-08T22:40:00Z", "alarm": "a", "from": "OK", "to": "ALARM"}]},
        events_json=[{"time": "2026-07-08T22:20:00Z", "source": "deploy", "name": "Update", "actor": None, "message": {"n": 1}, "raw": {}}],
        insights_json={"performance_insights": {"load": 0.4}},
        knowledge__pool_md="# Pool",
    )  # fmt: skip
    (tmp_path / "knowledge/pool_md").rename(tmp_path / "knowledge/pool.md")
    series = source.metrics(None)[0]
    assert (series.values, series.timestamps[1]) == ((0.0, 27.5), datetime(2026, 7, 8, 22, 31, tzinfo=UTC))
    assert [line.message for line in source.logs(None)] == ["Connection is not available"]
    assert next(iter(source.traces(None))).duration_ms == 3000.25
    assert source.metrics(None) is source.metrics(None)  # read once
    assert source.service_map()[0].calls == ("orders-db",)
    assert source.alarms().alarms[0].name == source.alarms().history[0].alarm == "a"
    change = source.changes(None)[0]
    assert (change.actor, change.message) == ("", '{"n":1}')
    assert source.document("performance_insights") == {"load": 0.4}
    assert source.document("other") is None
    assert source.runbooks() == [("pool.md", "# Pool")]
    assert source.now() == NOW
    source.check()


READS: tuple[Callable[[SnapshotSource], Any], ...] = (
    lambda s: s.metrics(None), lambda s: s.logs(None), lambda s: s.traces(None), lambda s: s.service_map(), lambda s: s.alarms(),
    lambda s: s.changes(None), lambda s: s.document("x"), lambda s: s.runbooks(),
)  # fmt: skip


@pytest.mark.parametrize("read", READS)
def test_what_is_missing_is_unavailable_and_never_empty(tmp_path: Path, read: Callable[[SnapshotSource], Any]) -> None:
    with pytest.raises(SourceUnavailable) as found:
        read(world(tmp_path))
    assert found.value.code == "SOURCE_UNAVAILABLE"


def test_what_is_there_without_rows_is_empty(tmp_path: Path) -> None:
    empty = {
        "metrics_json": [],
        "logs_gz": zipped(),
        "traces_gz": b"",
        "service_map_json": {"services": []},
        "alarms_json": {},
        "events_json": [],
    }
    source = world(tmp_path, **empty)
    (tmp_path / "knowledge").mkdir()
    assert [list(read(source)) for read in (READS[0], READS[1], READS[2], READS[3], READS[5], READS[7])] == [[]] * 6
    assert source.alarms().alarms == ()


def test_a_folder_without_a_head_is_no_world(tmp_path: Path) -> None:
    write(tmp_path, {"a/world.json": HEAD, "b/metrics.json": [], "c.txt": "x"})
    assert [f.name for f in find_worlds(tmp_path)] == ["a"]
    with pytest.raises(Invalid, match=r"no world\.json|has no world.json"):
        read_world(tmp_path / "b")
    with pytest.raises(Invalid, match="no such folder"):
        find_worlds(tmp_path / "nowhere")


BROKEN_HEADS = (
    ({**HEAD, "schema": "world/2"}, "schema"),
    ({**HEAD, "now": "2026-07-08T23:10:00"}, "without a zone"),
    ({**HEAD, "now": "yesterday"}, "now"),
    ({k: v for k, v in HEAD.items() if k != "id"}, "id: Field required"),
    ({**HEAD, "id": "../../etc"}, "id"),
    ({**HEAD, "window": {"start": "2026-07-08T23:00:00Z", "end": "2026-07-08T22:30:00Z"}}, "start is not before its end"),
    ([HEAD], "not a JSON object"),
    ('{"schema": "world/1", "schema": "world/1"}', "stands twice"),
    ('{"schema": "world/1",', "line 1 column"),
    (b"\xff\xfe{}", "not UTF-8"),
)


@pytest.mark.parametrize(("head", "said"), BROKEN_HEADS)
def test_a_broken_head_is_named(tmp_path: Path, head: Any, said: str) -> None:
    write(tmp_path, {"world.json": head})
    with pytest.raises(Invalid) as found:
        read_world(tmp_path)
    assert "world.json" in str(found.value)
    assert said in str(found.value)
    assert found.value.code == "BROKEN_WORLD"


def _series(**fields: Any) -> list[Any]:
    return [SERIES, {**SERIES, **fields}]


BROKEN_FILES = (
    ("metrics_json", {"series": []}, "metrics.json", "not a list of series"),
    ("metrics_json", _series(values=[1.0]), "series 2", "2 timestamps and 1 values"),
    ("metrics_json", _series(timestamps=["2026-07-08T22:30:00", "x"]), "series 2", "2026-07-08T22:30:00"),
    ("metrics_json", _series(timestamps=[1, 2]), "series 2", "time 1 is not a text"),
    ("metrics_json", _series(values=["a", 1]), "series 2", "'a' is no number"),
    ("metrics_json", _series(values=[True, 1]), "series 2", "True is no number"),
    ("metrics_json", _series(period=0), "series 2", "period 0"),
    ("metrics_json", _series(dimensions={"a": 1}), "series 2", "dimensions"),
    ("metrics_json", _series(stat=None), "series 2", "stat"),
    ("metrics_json", [{}], "series 1", "missing"),
    ("metrics_json", [7], "series 1", "not an object"),
    ("metrics_json", b"[{}, ", "metrics.json", "line 1 column"),
    ("metrics_json", "[" * 100_000, "metrics.json", "JSON"),
    ("logs_gz", zipped(LINE, b"{oops"), "line 2", "not JSON"),
    ("logs_gz", zipped(LINE, b"", {**LINE, "message": 7}), "line 3", "message 7 is not a text"),
    ("logs_gz", zipped({**LINE, "timestamp": "now"}), "line 1", "epoch milliseconds"),
    ("logs_gz", zipped({**LINE, "timestamp": True}), "line 1", "epoch milliseconds"),
    ("logs_gz", zipped({**LINE, "timestamp": 1e300}), "line 1", "epoch milliseconds"),
    ("logs_gz", zipped([1]), "line 1", "not a JSON object"),
    ("logs_gz", zipped({"message": "x"}), "line 1", "'log_group' is missing"),
    ("logs_gz", b"plain text", "after line 0", "gzip"),
    ("logs_gz", zipped(*[LINE] * 3_000)[:-200], "after line", "gzip"),
    ("traces_gz", zipped(SPAN, {**SPAN, "error": "yes"}), "line 2", "error 'yes'"),
    ("traces_gz", zipped({**SPAN, "duration_ms": None}), "line 1", "duration_ms"),
    ("traces_gz", zipped(b'{"start_ms": NaN}'), "line 1", "missing"),
    ("traces_gz", zipped({**SPAN, "parent_id": 7}), "line 1", "parent_id"),
    ("service_map_json", {"services": [{"name": "a"}, {"type": "x"}]}, "services[1]", "name: Field required"),
    ("service_map_json", [], "service_map.json", "not a list"),
    ("alarms_json", {"alarms": [{"name": "a", "state": "OK"}, {"name": "b"}]}, "alarms.json", "alarms[1].state"),
    ("alarms_json", {"alarms": 5}, "alarms", "not a list"),
    ("alarms_json", {"history": [{"timestamp": "2026-07-08T22:40:00", "alarm": "a", "from": "OK", "to": "ALARM"}]}, "history[0]", "zone"),
    ("events_json", [{"time": "2026-07-08T22:20:00Z", "source": "d", "name": "n"}, {"source": "d"}], "event 2", "time"),
    ("insights_json", [], "insights.json", "not a JSON object"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "content", "place", "said"), BROKEN_FILES)
def test_a_broken_file_is_told_with_its_place_and_mend(tmp_path: Path, name: str, content: Any, place: str, said: str) -> None:
    source = world(tmp_path, **{name: content})
    with pytest.raises(Invalid) as found:
        source.check()
    assert place in found.value.message
    assert said in found.value.message
    assert found.value.mend
    assert found.value.code == "BROKEN_WORLD"


def test_a_broken_question_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"world.json": HEAD, "question.json": {"question": " "}})
    with pytest.raises(Invalid, match=r"question.json, question: not a text"):
        SnapshotSource(tmp_path)


def test_values_that_are_no_numbers_count_as_no_datapoint_and_are_told(tmp_path: Path) -> None:
    text = json.dumps([{**SERIES, "values": [1.0, None]}]).replace("1.0", "NaN").replace("null", "1e999")
    source = world(tmp_path, metrics_json=text)
    assert source.metrics(None)[0].values == (None, None)
    assert source.unusable() == ("metrics.json: 2 values were NaN or infinite and count as no datapoint",)


def test_points_come_in_order_and_once(tmp_path: Path) -> None:
    times = ["2026-07-08T22:31:00Z", "2026-07-08T22:30:00Z", "2026-07-09T00:31:00+02:00"]
    source = world(tmp_path, metrics_json=[{**SERIES, "timestamps": times, "values": [1, 2, 3]}])
    series = source.metrics(None)[0]
    assert [t.minute for t in series.timestamps] == [30, 31]
    assert series.values == (2, 3)  # the last one given stands
    assert "1 series were out of order" in source.unusable()[0]


def test_invalid_utf8_in_a_line_is_replaced_and_counted(tmp_path: Path) -> None:
    source = world(tmp_path, logs_gz=zipped(json.dumps(LINE).encode().replace(b"not", b"n\xffot"), LINE))
    assert [line.message for line in source.logs(None)] == ["Connection is n\ufffdot available", "Connection is not available"]
    assert source.unusable() == ("logs.jsonl.gz: 1 lines held bytes that are no UTF-8, which were replaced",)


def test_a_clock_that_is_far_off_is_still_a_clock(tmp_path: Path) -> None:
    source = world(tmp_path, logs_gz=zipped({**LINE, "timestamp": -6795364578872}, LINE))
    assert len(list(source.logs(None))) == 2
    assert len(list(source.logs(source.window()))) == 1


def test_a_window_cuts_rows_half_open(tmp_path: Path) -> None:
    source = world(tmp_path, metrics_json=[SERIES], logs_gz=zipped(LINE), traces_gz=zipped(SPAN), events_json=[])
    at = datetime(2026, 7, 8, 22, 31, tzinfo=UTC)
    before, after = Window(start=at - timedelta(minutes=9), end=at), Window(start=at, end=at + timedelta(minutes=9))
    assert source.metrics(before)[0].values == (0.0,)
    assert source.metrics(after)[0].values == (27.5,)
    assert source.metrics(Window(start=NOW, end=NOW + timedelta(1))) == []
    assert len(list(source.logs(before))) == 1
    assert list(source.logs(after)) == []
    assert len(list(source.traces(before))) == 1
    assert list(source.traces(after)) == []


NORMAL_FORMS = (
    ({}, {"metrics_normal.json": [SERIES]}),
    ({"metrics_normal": "../shared/m.json"}, {"../shared/m.json": [SERIES]}),
    ({"normal": "../shared"}, {"../shared/metrics.json": [SERIES]}),
    ({"normal": "quiet"}, {"quiet/metrics.json": [SERIES]}),
)


@pytest.mark.parametrize(("head", "files"), NORMAL_FORMS)
def test_a_normal_period_may_stand_in_three_places(tmp_path: Path, head: dict[str, Any], files: dict[str, Any]) -> None:
    away = {**SERIES, "timestamps": ["2026-07-07T22:30:00Z", "2026-07-09T22:31:00Z"]}
    write(tmp_path / "w", {"world.json": HEAD | head} | {name: [away] for name in files})
    normal = SnapshotSource(tmp_path / "w").normal_metrics()
    assert normal is not None
    assert normal[0].values == (0.0, 27.5)  # before or after the incident, even after its now


def test_a_normal_period_never_holds_the_worlds_own_rows(tmp_path: Path) -> None:
    quiet = {**LINE, "timestamp": LINE["timestamp"] - 86_400_000}
    inside = {**SPAN, "start_ms": SPAN["start_ms"] - 86_400_000}
    write(
        tmp_path,
        {
            "world.json": HEAD | {"normal": "n"},
            "n/metrics.json": [SERIES],
            "n/logs.jsonl.gz": zipped(quiet, LINE),
            "n/traces.jsonl.gz": zipped(inside, SPAN),
        },
    )
    source = SnapshotSource(tmp_path)
    assert source.normal_metrics() == []
    assert [line.timestamp for line in source.normal_logs() or ()] == [quiet["timestamp"]]
    assert [span.start_ms for span in source.normal_traces() or ()] == [inside["start_ms"]]


def test_no_normal_period_is_none_and_a_lost_one_is_told(tmp_path: Path) -> None:
    assert world(tmp_path / "a").normal_metrics() is None
    assert world(tmp_path / "a").normal_logs() is None
    write(tmp_path / "b", {"world.json": HEAD | {"metrics_normal": "../gone.json"}})
    source = SnapshotSource(tmp_path / "b")
    assert source.normal_metrics() is None
    assert "../gone.json" in source.unusable()[0]
    write(tmp_path / "c", {"world.json": HEAD | {"metrics_normal": "/etc/passwd"}})
    with pytest.raises(Invalid, match="absolute path"):
        SnapshotSource(tmp_path / "c").normal_metrics()


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 10_000), st.none() | st.integers(-5, 5) | st.floats(allow_nan=True, allow_infinity=True)), max_size=12
    )
)
def test_any_points_come_out_sorted_unique_and_finite(tmp_path_factory: pytest.TempPathFactory, points: list[tuple[int, Any]]) -> None:
    start = datetime(2026, 7, 8, tzinfo=UTC)
    times = [(start + timedelta(seconds=s)).isoformat() for s, _ in points]
    source = world(
        tmp_path_factory.mktemp("w"), metrics_json=json.dumps([{**SERIES, "timestamps": times, "values": [v for _, v in points]}])
    )
    series = source.metrics(None)[0]
    assert list(series.timestamps) == sorted({start + timedelta(seconds=s) for s, _ in points})
    assert all(v is None or abs(v) < float("inf") for v in series.values)


@settings(max_examples=40, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["name", "time", "services", "alarms", "values", "timestamps", "state"]), inner, max_size=4)
        ),
        max_leaves=8,
    )
)
def test_rubbish_is_read_or_refused_and_never_crashes(tmp_path_factory: pytest.TempPathFactory, rubbish: Any) -> None:
    text = json.dumps(rubbish)
    names = ("metrics_json", "service_map_json", "alarms_json", "events_json", "insights_json")
    source = world(
        tmp_path_factory.mktemp("w"), **dict.fromkeys(names, text), logs_gz=zipped(text.encode()), traces_gz=zipped(text.encode())
    )
    for read in READS:
        with suppress(Invalid, SourceUnavailable):
            for _ in read(source) or ():
                pass


@pytest.mark.parametrize("folder", ["petshop", "trainticket"])
def test_recorded_worlds_read_whole(folder: str) -> None:
    worlds = find_worlds(recorded(folder, "worlds"))
    assert worlds
    for path in worlds[::3]:
        source = SnapshotSource(path)
        source.check()
        assert source.unusable() == ()
        assert source.world.trigger or source.world.question
        assert source.normal_metrics()


def test_a_normal_period_leaves_out_a_quiet_worlds_own_rows() -> None:
    # the worlds without a fault are cut from the quiet days that serve as their normal period
    source = SnapshotSource(recorded("petshop", "worlds", "petshop-low-q-001"))
    window = source.window()
    assert window is not None
    assert not any(window.start <= t <= window.end for s in source.normal_metrics() or () for t in s.timestamps)


def many(count: int, step: int = 1_000, **fields: Any) -> list[dict[str, Any]]:
    return [{**LINE, "timestamp": LINE["timestamp"] + n * step, "message": f"line {n}", **fields} for n in range(count)]


def test_lines_are_the_same_whatever_blocks_they_are_read_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [*many(50), b"", b"  ", {**LINE, "message": "x\ny\r\u2028z"}, json.dumps(LINE).encode().replace(b"not", b"n\xffot")]
    source = world(tmp_path, logs_gz=zipped(*rows), traces_gz=zipped(*[{**SPAN, "span_id": str(n)} for n in range(50)], b"", SPAN))
    lines, spans = list(source.logs(None)), list(source.traces(None))
    assert (len(lines), len(spans)) == (52, 51)
    for size in (1, 7, 100, 1_000):
        monkeypatch.setattr(files, "BLOCK", size)
        assert (list(source.logs(None)), list(source.traces(None))) == (lines, spans)


def test_a_last_line_without_a_line_break_is_read(tmp_path: Path) -> None:
    source = world(tmp_path, logs_gz=gzip.compress(json.dumps(LINE).encode() + b"\n" + json.dumps(LINE).encode()))
    assert len(list(source.logs(None))) == 2


SPLIT = (b'{"log_group":"g","log_stream":"s",', b'"timestamp":1,"message":"m"}')


@pytest.mark.parametrize("halves", [(b"[1", b"2]"), (b'{"a":1},{"b":2}',), SPLIT])
def test_rows_are_lines_and_nothing_else(tmp_path: Path, halves: tuple[bytes, ...]) -> None:
    source = world(tmp_path, logs_gz=zipped(LINE, *halves, LINE))
    with pytest.raises(Invalid, match="line 2"):
        source.check()


def test_a_row_that_is_longer_than_any_is_refused_before_it_is_all_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 10_000)
    monkeypatch.setattr(files, "BLOCK", 1_000)
    source = world(tmp_path, logs_gz=zipped(LINE, {**LINE, "message": "x" * 50_000}, LINE))
    with pytest.raises(Invalid, match="line 2: longer than"):
        list(source.logs(None))


def test_who_watches_is_told_how_far_reading_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK", 500)
    told: list[tuple[str, int, int]] = []
    world(tmp_path, logs_gz=zipped(*many(2_000)), traces_gz=zipped(SPAN))
    source = SnapshotSource(tmp_path, lambda file, read, size: told.append((file.name, read, size)))
    list(source.logs(None))
    assert {name for name, _, _ in told} == {"logs.jsonl.gz"}
    size = (tmp_path / "logs.jsonl.gz").stat().st_size
    assert [read for _, read, _ in told] == sorted(read for _, read, _ in told)
    assert told[-1][1:] == (size, size)


def blocks_read(source: SnapshotSource, window: Window) -> tuple[int, int]:
    """(blocks, lines) that a window takes."""
    count = 0

    def counted(*_: Any) -> None:
        nonlocal count
        count += 1

    source._watch = counted
    lines = len(list(source.logs(window)))
    return count, lines


def test_once_a_file_in_order_was_read_a_window_takes_no_more_than_it_must(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK", 1_000)
    source = world(tmp_path, logs_gz=zipped(*many(600)))
    start = datetime.fromtimestamp(LINE["timestamp"] / 1000, UTC)
    early = Window(start=start, end=start + timedelta(seconds=10))
    whole = blocks_read(source, early)[0]
    assert blocks_read(source, early)[0] < whole / 10, "it is known where the window's lines end"
    assert blocks_read(source, early)[1] == 10
    assert blocks_read(source, Window(start=start - timedelta(hours=1), end=start)) == (0, 0)
    assert blocks_read(source, Window(start=start + timedelta(hours=1), end=start + timedelta(hours=2))) == (0, 0)


def test_clocks_that_jump_cost_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK", 500)
    late = {**LINE, "timestamp": LINE["timestamp"] + 3_600_000}
    source = world(tmp_path, logs_gz=zipped(*many(20), *[late] * 20, *many(20)))
    start = datetime.fromtimestamp(LINE["timestamp"] / 1000, UTC)
    window = Window(start=start, end=start + timedelta(seconds=20))
    assert [len(list(source.logs(window))) for _ in range(3)] == [40, 40, 40]


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
ROWS = st.builds(dict, log_group=TEXTS, log_stream=TEXTS, timestamp=st.integers(-62_135_596_800_000, 253_402_300_799_000), message=TEXTS)


@settings(max_examples=40)
@given(st.lists(ROWS, max_size=20), st.integers(1, 200), st.booleans())
def test_any_lines_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], size: int, ascii_only: bool
) -> None:
    lines = b"".join(json.dumps(row, ensure_ascii=ascii_only).encode() + b"\n" for row in rows)
    source = world(tmp_path_factory.mktemp("w"), logs_gz=gzip.compress(lines, mtime=0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "BLOCK", size)
        for _ in range(2):
            assert [line._asdict() for line in source.logs(None)] == rows
