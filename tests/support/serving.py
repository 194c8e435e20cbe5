"""Calling the functions as their triggers do: over ports in memory, with a clock that moves when it is slept on."""

import importlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from superbiz import wiring
from superbiz.adapters.memory_ports import MemoryMachine, MemoryNotifier, MemoryQueue
from superbiz.edge import routes
from superbiz.ports import Ports
from superbiz.settings import Settings
from support.clock import TestClock
from support.unconnected import Unconnected

EVENTS = Path(__file__).resolve().parents[2] / "events"
CONTEXT = SimpleNamespace(aws_request_id="00000000-0000-4000-8000-00000000c0de", function_name="test")


class Answer(NamedTuple):
    """`body` is the parsed JSON, or the text where it is none."""

    status: int
    body: Any
    headers: Mapping[str, str]
    raw: Mapping[str, Any]


def memory_ports(**settings: Any) -> Ports:
    """Ports in memory. Settings by name; the clock stands at the builders' NOW."""
    return replace(wiring.in_process(Unconnected(), Settings(**settings)), clock=TestClock())


def machine_of(ports: Ports) -> MemoryMachine:
    assert isinstance(ports.machine, MemoryMachine)
    return ports.machine


def queue_of(ports: Ports) -> MemoryQueue:
    assert isinstance(ports.queue, MemoryQueue)
    return ports.queue


def notifier_of(ports: Ports) -> MemoryNotifier:
    assert isinstance(ports.notifier, MemoryNotifier)
    return ports.notifier


def clock_of(ports: Ports) -> TestClock:
    assert isinstance(ports.clock, TestClock)
    return ports.clock


def event(name: str) -> Any:
    """One of the repository's own example events."""
    return json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))


class Functions:
    """The functions over one bag of ports."""

    def __init__(self, patch: pytest.MonkeyPatch, ports: Ports) -> None:
        self._patch, self.ports = patch, ports

    def invoke(self, function: str, given: Any) -> Any:
        """As Lambda does."""
        module = importlib.import_module(function)
        self._patch.setattr(module, "ports", lambda: self.ports)
        return module.handler(given, CONTEXT)

    def call(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        """A request to the API: to the function that the route table names, or to the one that answers what matches nothing."""
        matching = [route for route in routes.matching(path) if route.method == method]
        return self.ask(matching[0].function if matching else "traces", request(method, path, body, **more))

    def ask(self, function: str, given: Any) -> Answer:
        raw = self.invoke(function, given)
        text = raw.get("body") or ""
        media = raw["headers"].get("content-type", "")
        return Answer(
            raw["statusCode"], json.loads(text) if "json" in media and not raw.get("isBase64Encoded") else text, raw["headers"], raw
        )


def request(
    method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    """The gateway's event (payload 2.0), made from the example of `POST /api/chat`. `body` is JSON, unless it is text already."""
    given = event("chat")
    given |= {"rawPath": path, "routeKey": "$default", "headers": {"content-type": "application/json", **(headers or {})}}
    given["requestContext"]["http"] |= {"method": method, "path": path}
    given.pop("body")
    if body is not None:
        given["body"] = body if isinstance(body, str) else json.dumps(body)
    if query:
        given["queryStringParameters"] = dict(query)
    return given | more
