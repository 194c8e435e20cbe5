"""`superbiz` as a program: what it exits with, what it prints where, and what its complaints name."""

import json
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from superbiz import wiring
from superbiz.settings import settings
from superbiz_cli import main
from support.vectors import free_port

DOSSIER = {
    "schema": "dossier/1",
    "run_id": "run-1",
    "question": "Why do orders fail?",
    "invocations": [
        {
            "invocation_id": "t1",
            "run_id": "run-1",
            "tool_name": "logs",
            "category": "LOG",
            "status": "SUCCESS",
            "input_params": {"service": "orders"},
            "output": {"lines": ["23:05:28 ERROR orders Connection is not available"]},
            "truncated": False,
        }
    ],
    "claims": [],
}


class Done(NamedTuple):
    """A command that has ended."""

    code: int
    stdout: str
    stderr: str


Program = Callable[..., Done]


@pytest.fixture
def superbiz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    """The console script in a folder of its own, in this process: a start of Python for each complaint would take a second."""
    monkeypatch.chdir(tmp_path)
    for name in ("SUPERBIZ_API", "TABLE_NAME"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str) -> Done:
        settings.cache_clear()
        wiring.ports.cache_clear()
        monkeypatch.setattr(sys, "argv", ["superbiz", *words])
        with pytest.raises(SystemExit) as ended:
            main.run()
        return Done(int(ended.value.code or 0), *capsys.readouterr())

    return run


def test_the_program_exits_with_what_its_command_says(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "superbiz_cli.main", "verify", "nowhere.json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("superbiz: can not read nowhere.json")


def test_a_dossier_is_verified_and_its_json_stands_alone(tmp_path: Path, superbiz: Program) -> None:
    (tmp_path / "d.json").write_text(json.dumps(DOSSIER))
    done = superbiz("verify", "d.json", "--json")
    assert (done.code, done.stderr) == (0, "")
    assert json.loads(done.stdout)["verdict"] == "REJECT"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["verify", "nowhere.json"], ["nowhere.json", "mend: "]),
        (["verify", "text.json"], ["text.json", "not JSON", "mend: "]),
        (["verify", "empty.json"], ["empty.json", "schema", "mend: "]),
        (["verify", "--jsonl", "nowhere.jsonl", "out.jsonl"], ["nowhere.jsonl", "mend: "]),
        (["verify", "--jsonl", "empty.json", "no/out.jsonl"], ["no/out.jsonl", "mend: "]),
        (["diagnose", "nowhere"], ["nowhere", "mend: "]),
        (["diagnose", "--all", ".", "--out", "r", "--json"], ["--json", "mend: "]),
        (["diagnose", "w", "--out", "r"], ["--out", "mend: "]),
        (["diagnose", "--all", "worlds", "--out", "text.json/r"], ["--out text.json/r", "mend: "]),
        (["up", "--world", "worlds/broken"], ["world.json", "schema", "mend: "]),
        (["up", "--ready-file", "text.json/ready.json"], ["text.json/ready.json", "mend: "]),
        (["alarm", "nowhere.json", "--api", "http://127.0.0.1:1"], ["nowhere.json", "mend: "]),
        (["alarm", "text.json", "--api", "http://127.0.0.1:1"], ["text.json", "not JSON", "mend: "]),
        (["legacy", "import", "empty.json"], ["empty.json:1", "session_id", "mend: "]),
        (["legacy", "import", "row.jsonl"], ["TABLE_NAME", "mend: "]),
        (["knowledge", "rebuild"], ["TABLE_NAME", "mend: "]),
        (["runs"], ["which API?", "mend: "]),
        (["runs", "--api", "here"], ["'here'", "mend: "]),
        (["runs", "--api", "http://[::1"], ["http://[::1", "mend: "]),
        (["runs", "--api", "http://host:port"], ["http://host:port", "mend: "]),
        (["control", "pause", "--api", "http://127.0.0.1:1"], ["which switch", "mend: "]),
        (["world", "."], ["not empty", "mend: "]),
    ],
    ids=lambda value: " ".join(value) if value and "mend: " not in value else "",
)
def test_bad_input_exits_with_2_and_names_what_is_wrong(tmp_path: Path, superbiz: Program, words: list[str], says: list[str]) -> None:
    (tmp_path / "text.json").write_text("no JSON")
    (tmp_path / "empty.json").write_text("{}")
    (tmp_path / "row.jsonl").write_text('{"session_id": "s-1"}')
    (tmp_path / "worlds" / "broken").mkdir(parents=True)
    (tmp_path / "worlds" / "broken" / "world.json").write_text("{}")
    done = superbiz(*words)
    assert (done.code, done.stdout) == (2, "")
    assert [said for said in says if said not in done.stderr] == []


@pytest.mark.parametrize("text", ["{", "{}", "[]", '"x"'])
def test_a_spoilt_ready_file_is_named(tmp_path: Path, superbiz: Program, text: str) -> None:
    (tmp_path / ".superbiz").mkdir()
    (tmp_path / ".superbiz" / "ready.json").write_text(text)
    done = superbiz("runs")
    assert done.code == 2
    assert ".superbiz/ready.json" in done.stderr


def test_an_api_that_does_not_answer_is_a_failure_and_no_bad_input(superbiz: Program) -> None:
    done = superbiz("runs", "--api", f"http://127.0.0.1:{free_port()}")
    assert (done.code, done.stdout) == (1, "")
    assert "nothing answers" in done.stderr


def test_a_port_that_is_taken_is_said_without_the_insides(superbiz: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = superbiz("up", "--port", str(port))
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith(f"superbiz: port {port} is already in use")


def test_lines_that_are_no_dossier_do_not_keep_others_from_being_verified(tmp_path: Path, superbiz: Program) -> None:
    (tmp_path / "in.jsonl").write_text(f"no JSON\n{json.dumps(DOSSIER)}\n")
    done = superbiz("verify", "--jsonl", "in.jsonl", "out.jsonl")
    assert done.code == 2
    assert "in.jsonl:1" in done.stderr
    first, second = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert (first["line"], second["verdict"]) == (1, "REJECT")


def test_a_broken_world_is_named_and_the_others_are_diagnosed(tmp_path: Path, superbiz: Program) -> None:
    assert superbiz("world", "worlds/good").code == 0
    (tmp_path / "worlds" / "broken").mkdir()
    (tmp_path / "worlds" / "broken" / "world.json").write_text("{")
    done = superbiz("diagnose", "--all", "worlds", "--out", "reports")
    assert done.code == 2
    assert "broken: broken world: " in done.stderr
    assert [p.name for p in (tmp_path / "reports").iterdir()] == ["good.json"]
    assert json.loads((tmp_path / "reports" / "good.json").read_text())["conclusion"] == "root_cause"


@pytest.mark.parametrize("ends", ["2>&1 <&-", "2>&1 >/dev/full", "2>&1 >&-"])
def test_streams_that_can_not_be_used_are_named_without_the_insides(tmp_path: Path, ends: str) -> None:
    (tmp_path / "in.log").write_text("a 1\n")
    file = "-" if "<" in ends else "in.log"
    line = f"{shlex.quote(sys.executable)} -m superbiz_cli.main logs templates {file} --json {ends}"
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == (2 if file == "-" else 1)
    assert done.stdout.startswith(f"superbiz: can not {'read' if file == '-' else 'write'} ")
    assert len(done.stdout.splitlines()) == 2
