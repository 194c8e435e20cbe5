"""`superbiz record`, over an account that answers with what a simulated incident held."""

import gzip
import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from superbiz import wiring
from superbiz.adapters.cloudwatch import session
from superbiz.adapters.cloudwatch.session import Clients, Limits, Subject
from superbiz.adapters.cloudwatch.source import CloudWatchSource
from superbiz.adapters.snapshot import SnapshotSource, rows, writing
from superbiz.domain import alarms, ids
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.runs import Flow, Run, RunRequest, Session
from superbiz.domain.values import JsonObject, Window, iso
from superbiz.flow import run_in_process
from superbiz.ports import SourceUnavailable
from superbiz.settings import Settings
from superbiz.tools import TOOLS
from superbiz.tools.tool import ToolContext
from superbiz_cli import main, record
from superbiz_cli.simulator.demo import write_demo_world
from superbiz_cli.worlds import diagnose
from support.fake_account import DENIED, FakeAccount
from support.unconnected import Unconnected
from support.world_account import world_account

ALARM = "shop-gateway-availability-low"
SPOKEN = ("shop-gateway", "order-service")  # whose logs the account keeps: enough of them for a diagnosis, few enough for a test
EVERY = 4


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SnapshotSource:
    folder = tmp_path_factory.mktemp("account") / "world"
    write_demo_world(folder)
    for file in (folder / writing.LOGS, folder / "normal" / writing.LOGS):
        lines = [line for batch in rows.read_log_lines(file) for line in batch[0] if any(name in line.log_group for name in SPOKEN)]
        writing.write_log_lines(file, [x for n, x in enumerate(lines) if n % EVERY == 0 or "password" in x.message])
    return SnapshotSource(folder)


@pytest.fixture
def superbiz(world: SnapshotSource, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """The command over an account of one's choice, at the time of the incident."""

    def run(*words: str, account: FakeAccount | None = None) -> Done:
        given = account or world_account(world)
        monkeypatch.setattr(record, "_clients", lambda reach: Clients(reach, given.make))
        monkeypatch.setattr(record, "_now", world.now)
        monkeypatch.setattr(sys, "argv", ["superbiz", "record", "--region", "eu-west-1", *words])
        with pytest.raises(SystemExit) as ended:
            main.run()
        told = capsys.readouterr()
        return Done(int(ended.value.code or 0), told.out, told.err)

    return run


@pytest.fixture
def span(world: SnapshotSource) -> str:
    window = world.window()
    assert window is not None
    return f"{iso(window.start)}/{iso(window.end)}"


def live_report(world: SnapshotSource, event: JsonObject, **answers: Any) -> JsonObject:
    """The report of a run over the account itself."""
    notice = alarms.parse(event, stack_name="")
    assert isinstance(notice, AlarmNotice)
    subject = replace(Subject.of_notice(notice), window=world.window())
    source = CloudWatchSource(world_account(world, **answers).clients(), subject, world.now(), Limits(), clock=world.now)
    ports = wiring.in_process(source, Settings())
    run = Run(run_id=ids.new_run_id(), session_id=ids.new_session_id(), agent_flow=Flow.AI_OPS, created_at=world.now())
    request = RunRequest(query=alarms.summary(notice), trigger=event)
    ports.ledger.open_run(run, request, Session(session_id=run.session_id, last_active_at=run.created_at))
    run_in_process(run.run_id, ports)
    told = ports.ledger.record(run.run_id)
    assert told is not None
    assert told.report is not None
    return told.report


def without_ids(report: JsonObject) -> JsonObject:
    """The report without what differs from run to run: ids, and hashes of outputs, which hold the placeholders of their run."""
    text = re.sub(r"sha256:[0-9a-f]{64}", "HASH", json.dumps(report))
    text = re.sub(r"run-[0-9a-f-]{36}|\b[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b", "ID", text)
    told: JsonObject = json.loads(text)
    return {key: value for key, value in told.items() if key not in ("cost", "generated_at")}


def test_a_recorded_world_diagnoses_the_same_as_the_account_did(
    world: SnapshotSource, superbiz: Callable[..., Done], span: str, tmp_path: Path
):
    done = superbiz("--alarm", ALARM, "--window", span, "--out", str(tmp_path / "shop"))
    assert done.code == 0, done.err
    made = SnapshotSource(tmp_path / "shop")
    event = made.world.trigger
    assert event is not None
    live, recorded = live_report(world, event), diagnose(tmp_path / "shop").record.report
    assert live["conclusion"] == "root_cause"
    assert 0 < live["cost"]["evidence"] < 0.1
    assert recorded["cost"]["evidence"] == 0
    assert len(live["claims"]) >= 8
    assert without_ids(live) == without_ids(recorded)
    assert made.window() == world.window()
    assert "log lines" not in done.out
    assert "not read: knowledge" in done.out
    texts = [gzip.decompress(f.read_bytes()).decode() for f in (tmp_path / "shop").rglob("*.gz")]
    assert any("<PASSWORD:" in text for text in texts)
    assert not any("EXAMPLE-not-a-password" in text for text in texts)


def test_what_is_denied_is_told_with_the_policy_that_mends_it(
    world: SnapshotSource, superbiz: Callable[..., Done], span: str, tmp_path: Path
):
    denied = {"logs_DescribeLogGroups": DENIED, "cloudtrail_LookupEvents": DENIED, "xray_GetTraceSummaries": DENIED}
    account = world_account(world, **denied)
    done = superbiz("--alarm", ALARM, "--window", span, "--out", str(tmp_path / "shop"), account=account)
    assert done.code == 0, done.err
    assert "Missing permissions: logs:DescribeLogGroups, xray:GetTraceSummaries, cloudtrail:LookupEvents" in done.out
    policy = json.loads(done.out[done.out.index("{\n") :])
    assert {a for s in policy["Statement"] if s["Effect"] == "Allow" for a in s["Action"]} == {
        "logs:DescribeLogGroups", "xray:GetTraceSummaries", "cloudtrail:LookupEvents",
    }  # fmt: skip
    report = diagnose(tmp_path / "shop").record.report
    told = {(row["what"], row["why"]) for row in report["not_checked"]}
    assert told >= {
        ("log groups", "AccessDenied: logs:DescribeLogGroups"),
        ("traces", "AccessDenied: xray:GetTraceSummaries"),
        ("CloudTrail events", "AccessDenied: cloudtrail:LookupEvents"),
    }
    assert without_ids(live_report(world, read(tmp_path / "shop").trigger, **denied)) == without_ids(report)


def test_a_question_is_recorded_as_one(world: SnapshotSource, superbiz: Callable[..., Done], span: str, tmp_path: Path):
    account = world_account(world, logs_DescribeLogGroups=DENIED)
    done = superbiz("--question", "Why is order-service slow?", "--window", span, "--out", str(tmp_path / "Why slow?"), account=account)
    assert done.code == 0, done.err
    made = read(tmp_path / "Why slow?")
    assert (made.question, made.trigger, made.id) == ("Why is order-service slow?", None, "Why-slow")
    assert (made.account, made.region) == ("111122223333", "eu-west-1")


def read(folder: Path) -> Any:
    return SnapshotSource(folder).world


def test_an_account_that_answers_nothing_makes_no_world(superbiz: Callable[..., Done], tmp_path: Path):
    account = FakeAccount({("sts", "GetCallerIdentity"): {"Account": "111122223333"}})
    done = superbiz("--question", "Why?", "--out", str(tmp_path / "shop"), account=account)
    assert done.code == 1
    assert "cloudwatch:DescribeAlarms" in done.out
    assert "nothing could be read" in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name one --alarm, or ask one --question"),
        (("--alarm", "a", "--question", "b"), "name one --alarm, or ask one --question"),
        (("--question", " "), "name one --alarm, or ask one --question"),
        (("--question", "q", "--window", "soon"), "is neither a length nor two times"),
        (("--question", "q", "--window", "2026-05-19T13:50:00Z"), "is neither a length nor two times"),
        (("--question", "q", "--region", "Ireland"), "it reads like eu-west-1"),
        (("--question", "q", "--account", "1111-2222-3333"), "it has 12 digits"),
        (("--question", "q", "--external-id", "x"), "name the role with --role-arn"),
        (("--question", "q", "--window", "0m"), "it must begin before it ends"),
        (("--question", "q", "--window", "99d"), "14 days at most"),
        (("--question", "q", "--window", "2026-05-19T13:50:00/2026-05-19T14:00:00"), "time without a zone"),
        (("--question", "q", "--window", "2099-01-01T00:00:00Z/2099-01-02T00:00:00Z"), "before now"),
        (("--question", "q", "--role-arn", "superbiz"), "is no role's ARN"),
        (("--question", "q", "--account", "444455556666", "--role-arn", "arn:aws:iam::111122223333:role/r"), "of account 111122223333"),
        (("--question", "q", "--account", "444455556666"), "your credentials are of account 111122223333"),
        (("--alarm", "no-such-alarm"), "it is not in region eu-west-1"),
    ],
)
def test_bad_input_is_refused_before_anything_is_read(superbiz: Callable[..., Done], tmp_path: Path, words: tuple[str, ...], said: str):
    done = superbiz("--out", str(tmp_path / "shop"), *words)
    assert done.code == 2
    assert said in done.err
    assert list(tmp_path.iterdir()) == []


def test_without_credentials_the_mend_is_told(superbiz: Callable[..., Done], tmp_path: Path):
    done = superbiz("--question", "q", "--out", str(tmp_path / "shop"), account=FakeAccount({}))
    assert done.code == 1
    assert "log in to AWS" in done.err


def never(_reach: object) -> Clients:
    raise AssertionError("the account was asked")


@pytest.mark.parametrize("place", ["file/shop", "file/deep/shop"])
def test_an_unwritable_folder_is_told_before_credentials_are_asked_for(
    superbiz: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str
):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(record, "_connected", never)
    done = superbiz("--question", "q", "--out", str(tmp_path / place))
    assert done.code == 2
    assert f"can not make --out {tmp_path / place}: Not a directory" in done.err


def test_trying_a_folder_leaves_nothing_behind(tmp_path: Path):
    (tmp_path / "kept").mkdir()
    record._try_out(tmp_path / "kept" / "a" / "b")
    record._try_out(tmp_path / "kept")
    assert [p.name for p in tmp_path.rglob("*")] == ["kept"]


def run_unconnected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, *words: str, **environ: str
) -> Done:
    """The command with boto3 as it is, and an environment of one's choice."""
    for name in [n for n in os.environ if n.startswith("AWS_")]:
        monkeypatch.delenv(name)
    home = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": str(tmp_path / "config")}
    home |= {"AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"), "AWS_MAX_ATTEMPTS": "1"}
    for name, value in (home | environ).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(session, "ATTEMPTS", 1)
    monkeypatch.setattr(Clients.of, "__defaults__", (1,))
    monkeypatch.setattr(sys, "argv", ["superbiz", "record", "--question", "q", "--out", str(tmp_path / "shop"), *words])
    with pytest.raises(SystemExit) as ended:
        main.run()
    return Done(int(ended.value.code or 0), *capsys.readouterr())


REGION = ("--region", "eu-west-1")
KEYS = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}


@pytest.mark.parametrize(("words", "environ", "said"), [
    ((), {"AWS_PROFILE": "nope"}, "AWS is not set up: The config profile (nope) could not be found"),
    (REGION, {"AWS_PROFILE": "nope"}, "AWS is not set up: The config profile (nope) could not be found"),
    (REGION, {"AWS_ACCESS_KEY_ID": "k"}, "AWS is not set up: Partial credentials found in env"),
    ((*REGION, "--role-arn", "arn:aws:iam::111122223333:role/r"), {"AWS_ACCESS_KEY_ID": "k"}, "AWS is not set up: Partial"),
    (REGION, KEYS | {"AWS_ENDPOINT_URL": "nonsense"}, "AWS is not set up: Invalid endpoint"),
    (REGION, KEYS | {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "can not reach AWS: sts:GetCallerIdentity: Could not connect"),
    (REGION, {}, "Unable to locate credentials\n  mend: log in to AWS"),
])  # fmt: skip
def test_what_keeps_an_account_out_of_reach_is_told_in_two_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...],
    environ: dict[str, str], said: str,
):  # fmt: skip
    done = run_unconnected(monkeypatch, capsys, tmp_path, *words, **environ)
    assert (done.code, len(done.err.splitlines())) == (1, 2), done.err
    assert said in done.err


def test_a_spoilt_config_file_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    (tmp_path / "config").write_text("[default\nregion")
    done = run_unconnected(monkeypatch, capsys, tmp_path)
    assert (done.code, len(done.err.splitlines())) == (1, 2), done.err
    assert f"AWS is not set up: Unable to parse config file: {tmp_path / 'config'}" in done.err


def test_a_world_that_stands_there_is_kept_unless_forced(world: SnapshotSource, superbiz: Callable[..., Done], tmp_path: Path):
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "world.json").write_text("{}")
    words = ("--question", "q", "--out", str(folder))
    done = superbiz(*words)
    assert (done.code, (folder / "world.json").read_text()) == (2, "{}")
    assert superbiz(*words, "--force", account=world_account(world, logs_DescribeLogGroups=DENIED)).code == 0
    assert read(folder).question == "q"


@pytest.mark.parametrize(("window", "start", "now"), [
    ("45m", timedelta(minutes=45), timedelta(0)), ("3h", timedelta(hours=3), timedelta(0)), ("2d", timedelta(days=2), timedelta(0)),
])  # fmt: skip
def test_a_length_counts_back_from_now(window: str, start: timedelta, now: timedelta):
    at = datetime(2026, 5, 19, 15, 0, tzinfo=UTC)
    wanted = record._wanted(None, "q", window, at)
    assert (at - wanted.window.start, at - wanted.window.end, at - wanted.now) == (start, now, now)


def test_a_window_of_the_past_is_seen_from_shortly_after_it():
    at = datetime(2026, 5, 19, 15, 0, tzinfo=UTC)
    wanted = record._wanted("a", None, "2026-05-18T10:00:00Z/2026-05-18T10:30:00Z", at)
    assert wanted.now == datetime(2026, 5, 18, 10, 40, tzinfo=UTC)


NEEDED = {"rank_suspects": {"metric": "Availability"}, "lookup_knowledge": {"query": "q"}}


class Spy(Unconnected):
    """A source without a normal period that keeps the windows it is asked for."""

    def __init__(self, world: SnapshotSource) -> None:
        self.asked: dict[str, list[Window]] = {}
        for name in ("metrics", "logs", "traces", "changes"):
            setattr(self, name, self._spied(name, getattr(world, name)))
        self.service_map, self.alarms = world.service_map, world.alarms

    def _spied(self, name: str, read: Callable[[Window], Any]) -> Callable[[Window], Any]:
        def spied(window: Window) -> Any:
            self.asked.setdefault(name, []).append(window)
            return read(window)

        return spied

    def normal_metrics(self) -> None:
        return None

    normal_logs = normal_traces = normal_metrics


def test_every_window_that_the_tools_ask_for_is_recorded(world: SnapshotSource):
    spy, window = Spy(world), world.window()
    assert window is not None
    for tool in TOOLS.values():
        with suppress(SourceUnavailable):
            tool.run(tool.input_model.model_validate(NEEDED.get(tool.name, {})), ToolContext(spy, None, world.now(), window))
    reads = record._reads(record.Wanted("a", None, window, world.now()))
    allowed = {"metrics": (reads.metrics,), "logs": reads.logs, "traces": reads.traces, "changes": (reads.changes,)}
    assert set(spy.asked) == set(allowed)
    for part, asked in spy.asked.items():
        for one in asked:
            assert any(w.start <= one.start and one.end <= w.end for w in allowed[part]), (part, one)
