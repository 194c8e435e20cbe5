"""A scripted OpenAI-compatible endpoint over real HTTP on loopback, with the quirks that such endpoints have.

    with ModelServer() as server:
        server.script(error(429, headers={"retry-after": "1"}), chat('{"a": 1}'))
        … ask server.base_url …
        assert len(server.requests) == 2

Answers come from the script in order; when it is used up, from `server.model`, a function of the request, where one is set.
"""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from superbiz.domain.values import JsonObject

MODEL = "scripted-1"


@dataclass(frozen=True)
class Answer:
    """One HTTP answer. `cut_at` bytes are sent before the line is reset; `chunked_close` ends the body early without a length;
    `drip` seconds of white space come before the body."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut_at: int | None = None
    early_close: int | None = None
    drip: float = 0.0


Model = Callable[[JsonObject], Answer]


def chat(content: Any, finish: str = "stop", usage: tuple[int, int] | None = (100, 20), **message: Any) -> Answer:
    """A chat completion. An object is given as its JSON text; a list (of parts) and None stay as they are."""
    text = json.dumps(content, ensure_ascii=False) if isinstance(content, dict) else content
    document: JsonObject = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": MODEL,
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text} | message}],
    }
    if usage is not None:
        document["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return Answer(json.dumps(document).encode())


def error(status: int, message: str = "failed", headers: Mapping[str, str] | None = None, **fields: Any) -> Answer:
    """An error document as OpenAI writes it; `code`, `type` and `param` as fields."""
    return Answer(json.dumps({"error": {"message": message, **fields}}).encode(), status, headers or {})


def raw(body: bytes, status: int = 200, content_type: str = "application/json") -> Answer:
    return Answer(body, status, {"content-type": content_type})


def cut(answer: Answer, at: int = 40) -> Answer:
    """The line is reset in the middle of the body."""
    return replace(answer, cut_at=at)


def cut_quietly(answer: Answer, at: int = 40) -> Answer:
    """The body ends early, and nothing but its JSON tells."""
    return replace(answer, early_close=at)


def slow(answer: Answer, seconds: float) -> Answer:
    return replace(answer, delay=seconds)


def dripping(answer: Answer, seconds: float) -> Answer:
    """White space keeps the line open, as some gateways do, while no answer comes."""
    return replace(answer, drip=seconds)


def refuses_response_format(request: JsonObject) -> Answer | None:
    if "response_format" in request:
        return error(400, "Unknown parameter: 'response_format'.", param="response_format", type="invalid_request_error")
    return None


def refuses_json_schema(request: JsonObject) -> Answer | None:
    if request.get("response_format", {}).get("type") == "json_schema":
        return error(400, "response_format.type json_schema is not supported", type="invalid_request_error")
    return None


class ModelServer:
    """`requests` holds the bodies in order of arrival, `keys` the bearer tokens, `times` when they came (monotonic)."""

    def __init__(self) -> None:
        self.requests: list[JsonObject] = []
        self.keys: list[str] = []
        self.times: list[float] = []
        self.model: Model | None = None
        self.refuses: Callable[[JsonObject], Answer | None] = lambda _request: None
        self._script: list[Answer] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def script(self, *answers: Answer) -> "ModelServer":
        self._script.extend(answers)
        return self

    def prompt(self, n: int = -1) -> str:
        """All that the model was shown in one request."""
        return "\n".join(str(m["content"]) for m in self.requests[n]["messages"])

    def stop(self) -> None:
        """From now on connections are refused."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def answer(self, request: JsonObject, key: str) -> Answer:
        with self._lock:
            self.requests.append(request)
            self.keys.append(key)
            self.times.append(time.monotonic())
            refused = self.refuses(request)
            if refused:
                return refused
            if self._script:
                return self._script.pop(0)
        return self.model(request) if self.model else error(500, "the script is used up")


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            key = self.headers.get("authorization", "").removeprefix("Bearer ")
            answer = server.answer(request, key) if self.path == "/v1/chat/completions" else error(404, "no such route")
            with _hung_up():
                self._send(answer)

        def _send(self, answer: Answer) -> None:
            time.sleep(answer.delay)
            self.send_response(answer.status)
            for name, value in ({"content-type": "application/json"} | dict(answer.headers)).items():
                self.send_header(name, value)
            if answer.early_close is not None or answer.drip:
                self.send_header("connection", "close")
                self.close_connection = True
            else:
                self.send_header("content-length", str(len(answer.body)))
            self.end_headers()
            self._drip(answer.drip)
            self._body(answer)

        def _drip(self, seconds: float) -> None:
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.05)

        def _body(self, answer: Answer) -> None:
            part = answer.cut_at if answer.cut_at is not None else answer.early_close
            self.wfile.write(answer.body[:part])
            self.wfile.flush()
            if answer.cut_at is not None:
                _reset(self.connection)
                self.close_connection = True

    return Handler


@contextmanager
def _hung_up() -> Iterator[None]:
    """The client may give up first; that is what some tests are about."""
    try:
        yield
    except (BrokenPipeError, ConnectionResetError, OSError):
        return


def _reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
