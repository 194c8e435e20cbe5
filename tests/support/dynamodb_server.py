"""A DynamoDB that answers by script, over real HTTP: for refusals that no emulator makes."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Reply(NamedTuple):
    status: int
    body: str = "{}"


class Asked(NamedTuple):
    operation: str
    body: dict[str, Any]


class Script:
    """What is answered, in order (the last again and again), and what was asked."""

    def __init__(self, *replies: Reply) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self._replies = list(replies)
        self._lock = threading.Lock()

    def next(self, asked: Asked) -> Reply:
        with self._lock:
            self.asked.append(asked)
            return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


def refusal(code: str, status: int = 400) -> Reply:
    return Reply(status, json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "no"}))


def cancelled(*codes: str) -> Reply:
    """A transaction that was refused, with the reason of each of its items."""
    kind = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"
    return Reply(400, json.dumps({"__type": kind, "message": "no", "CancellationReasons": [{"Code": code} for code in codes]}))


@contextmanager
def answering(*replies: Reply) -> Iterator[Script]:
    """A server on loopback that keeps to the script."""
    script = Script(*replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            reply = script.next(Asked(self.headers["x-amz-target"].rsplit(".", 1)[-1], body))
            data = reply.body.encode()
            self.send_response(reply.status)
            self.send_header("content-type", "application/x-amz-json-1.0")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
