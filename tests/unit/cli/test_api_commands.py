"""Commands against an API: over the real handlers, and over what only looks like one."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from superbiz.errors import Invalid, NotFound, Rejected, Unavailable
from superbiz.services.intake import Delivery, take_in
from superbiz_cli.main import app
from support.http_api import served, serving
from support.recorded_runs import finished_run
from support.runbooks import POOL
from support.serving import EVENTS, Functions, clock_of, memory_ports, queue_of


class Stack:
    """An API over ports in memory whose intake queue is worked off as soon as an event is in it."""

    def __init__(self, url: str, functions: Functions) -> None:
        self.url, self.ports = url, functions.ports

    def run(self, *words: str) -> Result:
        return CliRunner().invoke(app, [*words, "--api", self.url])

    def told(self, *words: str) -> Any:
        done = self.run(*words, "--json")
        assert done.exception is None, done.exception
        return json.loads(done.stdout)


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stack]:
    """Here the functions share a stdout with the command: their logs and metrics must not."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    logging.disable(logging.CRITICAL)
    functions = Functions(monkeypatch, memory_ports())
    queue = queue_of(functions.ports)
    enqueue = queue.enqueue_alarm

    def worked_off(event: Any) -> None:
        enqueue(event)
        take_in(Delivery(f"delivery-{len(queue.alarms)}", clock_of(functions.ports).now(), json.dumps(event)), functions.ports)

    monkeypatch.setattr(queue, "enqueue_alarm", worked_off)
    with served(functions) as url:
        yield Stack(url, functions)
    logging.disable(logging.NOTSET)


def alarm_file(folder: Path, state: str, at: str = "2026-07-08T23:06:00.000+0000") -> str:
    event = json.loads((EVENTS / "alarm_action.json").read_text())
    event["time"] = at
    event["alarmData"]["state"] |= {"value": state, "timestamp": at}
    file = folder / f"{state}.json"
    file.write_text(json.dumps(event))
    return str(file)


def test_an_alarm_that_is_over_is_answered_with_what_became_of_it(stack: Stack, tmp_path: Path) -> None:
    assert "SUPPRESSED: a change to OK opens nothing" in stack.run("alarm", alarm_file(tmp_path, "OK")).stdout
    assert stack.told("alarm", alarm_file(tmp_path, "OK"))["outcome"] == "SUPPRESSED"


def test_the_run_of_an_earlier_episode_is_not_shown_for_a_later_alarm(stack: Stack, tmp_path: Path) -> None:
    earlier = json.loads(Path(alarm_file(tmp_path, "ALARM")).read_text())
    (opened,) = take_in(Delivery("earlier", clock_of(stack.ports).now(), json.dumps(earlier)), stack.ports)
    assert opened.run_id
    clock_of(stack.ports).sleep(7_200)
    assert stack.told("control", "pause", "intake")["intakePaused"] is True
    assert stack.run("alarm", alarm_file(tmp_path, "ALARM", "2026-07-09T01:09:00.000+0000")).stdout.startswith("DEFERRED: ")


@pytest.mark.parametrize("text", ['{"a": 1}', "[1]", '"x"'])
def test_what_is_no_alarm_is_refused_with_the_name_of_its_file(stack: Stack, tmp_path: Path, text: str) -> None:
    (tmp_path / "event.json").write_text(text)
    raised = stack.run("alarm", str(tmp_path / "event.json")).exception
    assert isinstance(raised, Invalid)
    assert "event.json: body: not a" in raised.message
    assert raised.mend


def test_feedback_is_acknowledged_in_the_language_of_the_command(stack: Stack) -> None:
    run = finished_run(stack.ports)
    assert stack.run("feedback", run.run_id, "not_useful").stdout.isascii()


def test_runs_and_documents_are_a_line_each_with_their_whole_id(stack: Stack, tmp_path: Path) -> None:
    run = finished_run(stack.ports)
    heading, _rule, line = (text for text in stack.run("runs").stdout.splitlines() if text.strip())
    assert heading.split()[0] == "run"
    assert line.split()[0] == run.run_id
    (tmp_path / "pool.md").write_text(POOL)
    (document,) = stack.told("knowledge", "add", str(tmp_path / "pool.md"))
    assert stack.run("knowledge", "list").stdout.count(document["documentId"]) == 1


@pytest.mark.parametrize(
    ("words", "error", "says"),
    [
        (["chat", " "], Rejected, "question: write a question"),
        (["chat", "x" * 2_001], Rejected, "question: "),
        (["chat", "why", "--session", "../x"], Rejected, "sessionId: "),
        (["trace", "unheard-of"], NotFound, "unheard-of"),
        (["feedback", "unheard-of", "useful"], NotFound, "unheard-of"),
        (["runs", "--status", "DONE"], Rejected, "status: "),
        (["runs", "--cursor", "x"], Rejected, "cursor: "),
    ],
)
def test_what_the_api_refuses_is_said_in_its_words(stack: Stack, words: list[str], error: type[Exception], says: str) -> None:
    raised = stack.run(*words).exception
    assert isinstance(raised, error)
    assert str(raised).startswith(says) or says in str(raised)


@contextmanager
def stranger(status: int, body: str) -> Iterator[str]:
    """Something else that speaks HTTP."""

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None: ...

    with serving(Server) as url:
        yield url


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [(200, "<html>", Rejected), (404, "<html>", Rejected), (403, '{"message": "Forbidden"}', Rejected), (502, "<html>", Unavailable)],
)
def test_an_address_where_something_else_answers_is_doubted(status: int, body: str, error: type[Exception]) -> None:
    with stranger(status, body) as url:
        raised = CliRunner().invoke(app, ["runs", "--api", url]).exception
    assert isinstance(raised, error)
    assert "Forbidden" in str(raised) if "Forbidden" in body else "answer" in str(raised)
