"""A real milvus-lite server on a free loopback port, and sockets that only seem to be one."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 60


class VectorServer:
    """One server process over one folder. It can be killed and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.port = free_port()
        self.uri = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Raises RuntimeError with the server's last words where it does not come up."""
        command = [sys.executable, "-m", "milvus_lite", "server", "--data-dir", str(self._folder / "data"), "--host", "127.0.0.1"]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen([*command, "--port", str(self.port)], stdout=log, stderr=log)
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self._process.poll() is None:
            if listens(self.port):
                return
            time.sleep(0.05)
        self.kill()
        raise RuntimeError((self._folder / "log").read_text(errors="replace")[-500:])

    def kill(self) -> None:
        """As a power cut does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 0.2).close()
    except OSError:
        return False
    return True


@contextmanager
def silent_server() -> Iterator[str]:
    """Accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def slow_server(port: int, seconds: float) -> Iterator[str]:
    """Passes everything on to a real server, each piece of its answers so many seconds late."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        threading.Thread(target=_serve, args=(server, port, seconds), daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def _serve(server: socket.socket, port: int, seconds: float) -> None:
    while True:
        try:
            near, _ = server.accept()
        except OSError:
            return
        far = socket.create_connection(("127.0.0.1", port))
        threading.Thread(target=_pass_on, args=(near, far, 0.0), daemon=True).start()
        threading.Thread(target=_pass_on, args=(far, near, seconds), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket, seconds: float) -> None:
    with source, sink:
        try:
            while data := source.recv(65_536):
                time.sleep(seconds)
                sink.sendall(data)
        except OSError:
            return
