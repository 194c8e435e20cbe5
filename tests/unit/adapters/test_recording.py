"""Any source written as a world: what it has, what it lacks, and no secret of either."""

import gzip
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.adapters.redaction import SecretRedactor
from superbiz.adapters.snapshot import SnapshotSource, recording
from superbiz.adapters.snapshot.recording import Head, Reads, make_room, replace, write_world
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.observations import AlarmChange, AlarmListing, AlarmRow, Change, LogLine, Series, Service, Span
from superbiz.domain.values import Window
from superbiz.errors import Invalid
from superbiz.ports import SourceUnavailable
from support.unconnected import Unconnected

NOW = datetime(2026, 5, 19, 14, 31, tzinfo=UTC)
WINDOW = Window(start=NOW - timedelta(minutes=45), end=NOW)
EARLIER = Window(start=WINDOW.start - timedelta(hours=1), end=WINDOW.start)
READS = Reads(WINDOW, Window(start=WINDOW.start - timedelta(hours=3), end=NOW), (EARLIER, WINDOW), (EARLIER, WINDOW),
              Window(start=NOW - timedelta(days=7), end=NOW))  # fmt: skip
HEAD = Head("recorded", "eu-west-1", "111122223333", "a test", {"detail": {"password": "password=hunter2-and-more"}})
SECRET = "hunter2-and-more"
START_MS = int(WINDOW.start.timestamp() * 1000)


class Full(Unconnected):
    """A source that has everything, with a secret in each text."""

    def now(self) -> datetime:
        return NOW

    def metrics(self, window: Window | None) -> Sequence[Series]:
        points = (WINDOW.start, WINDOW.start + timedelta(seconds=60, microseconds=5))
        return [Series(namespace="AWS/RDS", metric_name="CPU", dimensions={"Name": f"password={SECRET}"}, stat="Average", period=60,
                       timestamps=points, values=(0.1 + 0.2, None))]  # fmt: skip

    def normal_metrics(self) -> Sequence[Series] | None:
        return [s.model_copy(update={"timestamps": tuple(t - timedelta(days=1) for t in s.timestamps)}) for s in self.metrics(None)]

    def logs(self, window: Window | None) -> Iterable[LogLine]:
        assert window is not None
        at = int(window.start.timestamp() * 1000)
        return [LogLine("/ecs/orders", "s", at + 1, f"late password={SECRET}"), LogLine("/ecs/orders", "s", at, "Grüße\tfrüh")]

    def normal_logs(self) -> Iterable[LogLine] | None:
        return None

    def traces(self, window: Window | None) -> Iterable[Span]:
        return [Span("t", "a", None, "orders", "", f"GET /?password={SECRET}", START_MS + 0.25, 1.5, True, {"url": [f"password={SECRET}"]})]

    def normal_traces(self) -> Iterable[Span] | None:
        return [Span("n", "a", "p", "orders", "pod", "GET /", START_MS - 86_400_000, 1.25, False, {})]

    def service_map(self) -> Sequence[Service]:
        return [Service(name="orders", type="service", calls=("orders-db",))]

    def alarms(self) -> AlarmListing:
        change = AlarmChange(timestamp=NOW, alarm="a", from_="OK", to="ALARM", reason=f"password={SECRET}")
        return AlarmListing(alarms=(AlarmRow(name="a", state="ALARM", updated=NOW), AlarmRow(name="b", state="OK")), history=(change,))

    def changes(self, window: Window | None) -> Sequence[Change]:
        return [Change(time=NOW, source="rds", name="failover", message=f"password={SECRET}", raw={"n": 1, "x": [f"password={SECRET}"]})]

    def document(self, name: str) -> Any:
        return {"db_instance": "orders-db", "top_sql": [{"sql": f"password={SECRET}", "load": 1.5}]}

    def runbooks(self) -> Sequence[tuple[str, str]]:
        return [("orders.md", f"# Orders\npassword={SECRET}")]


class Partly(Full):
    """Denied in three places, read in part in one."""

    def logs(self, window: Window | None) -> Iterable[LogLine]:
        raise SourceUnavailable("log groups", "AccessDenied: logs:DescribeLogGroups", "ACCESS_DENIED")

    def alarms(self) -> AlarmListing:
        raise SourceUnavailable("alarms", "AccessDenied: cloudwatch:DescribeAlarms", "ACCESS_DENIED")

    def normal_metrics(self) -> Sequence[Series] | None:
        return None

    def partial(self, category: ToolCategory) -> Sequence[str]:
        return ("could not read CloudTrail events: AccessDenied: cloudtrail:LookupEvents",) if category is ToolCategory.CHANGE else ()


def write(folder: Path, source: Any, head: Head = HEAD) -> recording.Recorded:
    return write_world(folder, source, head, READS, SecretRedactor(b"key"), lambda _line: None)


def test_a_world_reads_back_as_the_source_was(tmp_path: Path):
    found = write(tmp_path, Full())
    world, full = SnapshotSource(tmp_path), Full()
    world.check()
    assert (world.now(), world.window(), found.missing) == (NOW, WINDOW, {})
    (series,), (given_series,) = world.metrics(None), full.metrics(None)
    assert (series.timestamps, series.values) == (given_series.timestamps, given_series.values)
    assert next(x.message for x in world.logs(WINDOW)) == "Grüße\tfrüh"
    assert len(list(world.logs(EARLIER))) == 2
    assert next(iter(world.traces(None)))._replace(name="", attributes={}) == next(iter(full.traces(None)))._replace(name="", attributes={})
    assert list(world.normal_traces() or ()) == full.normal_traces()
    assert world.normal_logs() is None
    assert len(world.normal_metrics() or ()) == 1
    assert list(world.service_map()) == full.service_map()
    assert [a.name for a in world.alarms().alarms] == ["a", "b"]
    assert world.alarms().history[0].from_ == "OK"
    assert world.changes(None)[0].raw["n"] == 1
    assert world.document("performance_insights")["db_instance"] == "orders-db"
    assert [name for name, _ in world.runbooks()] == ["orders.md"]


def test_no_file_holds_a_secret(tmp_path: Path):  # REQ-205
    write(tmp_path, Full(), HEAD._replace(question=f"password={SECRET}?"))
    files = [f for f in tmp_path.rglob("*") if f.is_file()]
    texts = {f.name: (gzip.decompress(f.read_bytes()) if f.suffix == ".gz" else f.read_bytes()).decode() for f in files}
    assert {name for name, text in texts.items() if SECRET in text} == set()
    assert sum("<PASSWORD:" in text for text in texts.values()) >= 8


def test_what_could_not_be_read_gives_the_same_reason_from_the_world(tmp_path: Path):
    found = write(tmp_path, Partly())
    world = SnapshotSource(tmp_path)
    assert set(found.missing) == {"logs", "alarms"}
    assert world.world.missing == (
        "logs: log groups: AccessDenied: logs:DescribeLogGroups",
        "alarms: alarms: AccessDenied: cloudwatch:DescribeAlarms",
    )
    with pytest.raises(SourceUnavailable) as refused:
        world.logs(None)
    assert (refused.value.what, refused.value.why) == ("log groups", "AccessDenied: logs:DescribeLogGroups")
    assert world.partial(ToolCategory.CHANGE) == Partly().partial(ToolCategory.CHANGE)
    assert world.partial(ToolCategory.LOG) == ()
    assert world.normal_metrics() is None


def test_a_source_that_has_nothing_makes_a_world_of_reasons(tmp_path: Path):
    found = write(tmp_path, Unconnected())
    assert found.counts == {}
    assert set(found.missing) == {"metrics", "logs", "traces", "service_map", "alarms", "events", "insights", "knowledge"}
    SnapshotSource(tmp_path).check()


def test_the_head_is_written_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_given: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("superbiz.adapters.snapshot.writing.write_spans", fail)
    with pytest.raises(OSError, match="disk full"):
        write(tmp_path, Full())
    assert not (tmp_path / "world.json").exists()


def test_nothing_is_replaced_but_a_world_and_only_by_force(tmp_path: Path):
    make_room(tmp_path / "new", force=False)
    (tmp_path / "empty").mkdir()
    make_room(tmp_path / "empty", force=False)
    write(tmp_path / "world", Full())
    with pytest.raises(Invalid, match="is there already"):
        make_room(tmp_path / "world", force=False)
    make_room(tmp_path / "world", force=True)
    (tmp_path / "home").mkdir()
    (tmp_path / "home/letter.txt").write_text("dear")
    (tmp_path / "file").write_text("x")
    for other in ("home", "file"):
        with pytest.raises(Invalid, match="no world"):
            make_room(tmp_path / other, force=True)


def test_a_finished_folder_takes_the_place_of_the_old_one(tmp_path: Path):
    write(tmp_path / "old", Partly())
    write(tmp_path / "part", Full())
    replace(tmp_path / "old", tmp_path / "part")
    assert SnapshotSource(tmp_path / "old").world.missing == ()
    assert not (tmp_path / "part").exists()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2**41), st.text(max_size=30)), max_size=8))
def test_any_lines_come_back_by_time(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str]]):
    class Lines(Full):
        def logs(self, window: Window | None) -> Iterable[LogLine]:
            return [LogLine("g", "s", at, text) for at, text in rows] if window == WINDOW else []

    folder = tmp_path_factory.mktemp("lines")
    write(folder, Lines())
    read = list(SnapshotSource(folder).logs(None))
    assert [line.timestamp for line in read] == sorted(at for at, _ in rows)
    assert sorted(line.message for line in read) == sorted(SecretRedactor(b"key").text(text) for _, text in rows)


def test_a_lone_surrogate_becomes_a_question_mark(tmp_path: Path):
    class Broken(Full):
        def logs(self, window: Window | None) -> Iterable[LogLine]:
            return [LogLine("g", "s", START_MS, "half \ud83d a smile")] if window == WINDOW else []

    write(tmp_path, Broken(), HEAD._replace(question="half \ud83d?"))
    assert [line.message for line in SnapshotSource(tmp_path).logs(None)] == ["half ? a smile"]


def test_the_same_source_gives_the_same_bytes(tmp_path: Path):
    for name in ("one", "two"):
        write(tmp_path / name, Full())
    one, two = ({f.relative_to(tmp_path / n): f.read_bytes() for f in (tmp_path / n).rglob("*") if f.is_file()} for n in ("one", "two"))
    assert one == two
    assert json.loads(one[Path("world.json")])["schema"] == "world/1"
