"""Starting and stopping: nothing leaks in, nothing is left behind."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from superbiz_local.deploy import DeployFailed
from superbiz_local.packaging import from_source
from superbiz_local.processes import StackFailed
from superbiz_local.stack import ROOT, LocalStack
from support.local import TINY, call, eventually

pytestmark = pytest.mark.stack
SOURCES = from_source(ROOT)._replace(functions=TINY)
UP = f"""
import sys
from pathlib import Path
from superbiz_local import stack, up
stack.from_source = lambda root, real=stack.from_source: real(root)._replace(functions=Path({str(TINY)!r}))
up.up(ready_file=Path(sys.argv[1]), vectors=len(sys.argv) > 2)
"""


def groups() -> dict[int, int]:
    """Process id to the id of its group, of everything that runs."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                found[int(folder.name)] = os.getpgid(int(folder.name))
            except ProcessLookupError:
                continue
    return found


def gone(leaders: tuple[int, ...]) -> bool:
    return not set(leaders) & set(groups().values())


@pytest.fixture
def up(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    """`superbiz up` as a process of its own, ready, with one function awake."""
    ready, environment = tmp_path / "ready.json", {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen([sys.executable, "-c", UP, str(ready)], env=environment, stdout=subprocess.DEVNULL)
    try:
        eventually(lambda: ready.exists() or process.poll() is not None, "not ready", patience=60)
        told = json.loads(ready.read_text())
        assert told["pid"] == process.pid
        yield process, told
    finally:
        process.kill()
        process.wait()


def children_of(pid: int) -> tuple[int, ...]:
    stat = {
        p.name: (p / "stat").read_text().rsplit(")", 1)[1].split()[1]
        for p in Path("/proc").iterdir()
        if p.name.isdigit() and (p / "stat").exists()
    }
    return tuple(int(child) for child, parent in stat.items() if parent == str(pid))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly(up: tuple[subprocess.Popen[bytes], dict[str, Any]], tmp_path: Path, number: signal.Signals) -> None:
    process, _ = up
    leaders = children_of(process.pid)
    assert leaders
    process.send_signal(number)
    assert process.wait(15) == 0
    assert gone(leaders)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (tmp_path / "ready.json").exists()


def test_a_signal_while_it_starts_leaves_nothing(tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen([sys.executable, "-c", UP, str(ready)], env={**os.environ, "TMPDIR": str(tmp_path / "tmp")})
    eventually(lambda: children_of(process.pid), "nothing was started", patience=60)
    leaders = children_of(process.pid)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    assert gone(leaders)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not ready.exists()


def test_its_children_end_and_its_folder_goes_when_it_is_killed(up: tuple[subprocess.Popen[bytes], dict[str, Any]], tmp_path: Path) -> None:
    process, _ = up
    leaders = children_of(process.pid)
    process.kill()
    process.wait()
    eventually(lambda: gone(leaders), "its children live on")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_it_listens_on_this_machine_alone(up: tuple[subprocess.Popen[bytes], dict[str, Any]]) -> None:
    process, _ = up
    leaders = set(children_of(process.pid))
    inodes = {
        str(link.readlink()).partition("[")[2].rstrip("]")
        for pid, group in groups().items()
        if group in leaders
        for link in Path(f"/proc/{pid}/fd").iterdir()
        if "socket" in str(link.readlink())
    }
    listening = [line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]]
    addresses = {row[1].split(":")[0] for row in listening if row[3] == "0A" and row[9] in inodes}
    assert addresses == {socket.inet_aton("127.0.0.1")[::-1].hex().upper()}


def test_a_shells_variables_do_not_reach_a_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "AWS_PROFILE",
        "AWS_ENDPOINT_URL_DYNAMODB",
        "AWS_ENDPOINT_URL",
        "HTTP_PROXY",
        "MODEL_KEY_PARAMETER",
        "PYTHONPATH",
        "TABLE_NAME",
    ):
        monkeypatch.setenv(name, "http://198.51.100.1:9/of-the-shell")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAOFTHESHELL")
    with LocalStack(sources=SOURCES, vectors=False) as stack:
        environment = call(stack, "GET", "/api/health").body["environment"]
    assert "of-the-shell" not in json.dumps(environment)
    assert environment["AWS_ACCESS_KEY_ID"] == "000000000000"


def test_a_start_that_fails_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    template = tmp_path / "broken.yaml"
    template.write_text("Resources: {Queue: {Type: AWS::SQS::Queue, Properties: {RedrivePolicy: !GetAtt Nothing.Arn}}}")
    stack = LocalStack(template=template, sources=SOURCES, vectors=False)
    with pytest.raises(DeployFailed, match="Queue: Invalid value"):
        stack.start()
    assert stack.pids() == ()
    assert list(tmp_path.iterdir()) == [template]


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(StackFailed, match="already in use"):
            LocalStack(port=taken.getsockname()[1], sources=SOURCES, vectors=False).start()


def test_a_stack_that_loses_a_process_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalStack(sources=SOURCES, vectors=False) as stack:
        os.kill(stack.pids()[0], signal.SIGKILL)
        with pytest.raises(StackFailed, match=r"superbiz_local\.server ended with -9"):
            stack.wait()


def test_a_stack_can_be_started_again() -> None:
    stack = LocalStack(sources=SOURCES, vectors=False)
    for _ in range(2):
        with stack:
            assert call(stack, "GET", "/api/health").status == 200
        stack.stop()  # once more does nothing


def test_two_stacks_run_side_by_side() -> None:
    with LocalStack(sources=SOURCES, vectors=False) as one, LocalStack(sources=SOURCES, vectors=False) as other:
        assert call(one, "GET", "/api/health").body["environment"]["AWS_ENDPOINT_URL"] == one.url
        assert call(other, "GET", "/api/health").body["environment"]["AWS_ENDPOINT_URL"] == other.url
        assert one.url != other.url


def test_the_vector_store_serves_and_is_told_to_the_functions() -> None:
    with LocalStack(sources=SOURCES) as stack:
        uri = call(stack, "GET", "/api/health").body["environment"]["MILVUS_URI"]
        from pymilvus import MilvusClient

        client = MilvusClient(uri)
        client.create_collection("any", dimension=4)
        client.insert("any", [{"id": 1, "vector": [1.0, 0.0, 0.0, 0.0]}])
        assert client.search("any", [[1.0, 0.0, 0.0, 0.0]], limit=1)[0][0]["id"] == 1
        client.close()
