"""The functions behind a real HTTP address, as a gateway serves them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

from support.serving import Functions


@contextmanager
def served(functions: Functions) -> Iterator[str]:
    """Its URL. One request after the other: the ports in memory stand in for one deployment."""

    class Gateway(BaseHTTPRequestHandler):
        def answer(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
            query, headers = dict(parse_qsl(parts.query)), {"accept-language": self.headers.get("accept-language", "")}
            raw = functions.call(self.command, unquote(parts.path), body or None, query=query, headers=headers).raw
            data = (raw.get("body") or "").encode()
            self.send_response(raw["statusCode"])
            for name, value in raw["headers"].items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = answer

        def log_message(self, *_: object) -> None: ...

    with serving(Gateway) as url:
        yield url


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a server on a free port, which ends with the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
