"""`superbiz knowledge` against the real handlers over HTTP."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from superbiz.errors import Invalid, NotFound, Rejected, Unavailable
from superbiz_cli import knowledge as commands
from support.http_api import served
from support.runbooks import DISK, POOL
from support.serving import Functions, memory_ports
from support.vectors import free_port


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Here the functions share a stdout with the command: their logs and metrics must not."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    logging.disable(logging.CRITICAL)
    with served(Functions(monkeypatch, memory_ports())) as url:
        yield url
    logging.disable(logging.NOTSET)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "db").mkdir()
    (tmp_path / "pool.md").write_text(POOL)
    (tmp_path / "db" / "disk.txt").write_text(DISK)
    (tmp_path / "notes.pdf").write_bytes(b"%PDF")
    return tmp_path


def run(api: str, *words: str) -> Result:
    return CliRunner().invoke(commands.app, [*words, "--api", api])


def told(api: str, *words: str) -> Any:
    result = run(api, *words, "--json")
    assert result.exception is None, result.exception
    return json.loads(result.stdout)


def test_a_folder_is_added_listed_and_removed(api: str, folder: Path) -> None:
    added = told(api, "add", str(folder), "--domain", "shop")
    assert [(d["filename"], d["domainId"]) for d in added] == [("db/disk.txt", "shop"), ("pool.md", "shop")]
    assert told(api, "add", str(folder), "--domain", "shop") == added
    assert {d["documentId"] for d in told(api, "list")} == {d["documentId"] for d in added}
    assert told(api, "list", "--domain", "other") == []
    told(api, "remove", *(d["documentId"] for d in added))
    assert told(api, "list") == []


def test_a_key_finds_the_document_and_people_are_shown_text(api: str, folder: Path) -> None:
    shown = run(api, "add", str(folder / "pool.md"), "--key", "MyAlarm", "--key", "E-42")
    assert "pool.md: Connection pool exhausted, 2 chunks" in shown.stdout
    (added,) = told(api, "list")
    assert {"MyAlarm", "E-42", "orders-pool-dry"} <= set(added["keys"])


def test_more_than_a_page_is_listed(api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "PAGE", 2)
    for n in range(5):
        (tmp_path / f"{n}.txt").write_text(f"text {n}")
    told(api, "add", str(tmp_path))
    assert len(told(api, "list")) == 5


@pytest.mark.parametrize(
    ("words", "error", "says"),
    [
        (["add", "{}/nowhere.md"], Invalid, "can not read"),
        (["add", "{}/db", "{}/pool.md", "--key", "k"], Invalid, "--key names one document"),
        (["add", "{}/notes.pdf"], Rejected, "neither Markdown nor text"),
        (["remove", "unheard-of"], NotFound, "no document unheard-of"),
    ],
)
def test_bad_input_is_said_and_nothing_is_added(api: str, folder: Path, words: list[str], error: type[Exception], says: str) -> None:
    raised = run(api, *(word.replace("{}", str(folder)) for word in words)).exception
    assert isinstance(raised, error)
    assert says in str(raised)
    assert told(api, "list") == []


def test_what_can_not_be_sent_is_refused_before_anything_is(tmp_path: Path) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    assert isinstance(run(nowhere, "add", str(tmp_path)).exception, Invalid)
    (tmp_path / "big.md").write_bytes(b"x" * (2**20 + 1))
    assert isinstance(run(nowhere, "add", str(tmp_path)).exception, Invalid)
    assert isinstance(run(nowhere, "list").exception, Unavailable)
