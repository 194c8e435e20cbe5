"""Processes that the stack starts: each with its log, ended by id, gone when their parent is."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

HOST = "127.0.0.1"
_POLL_SECONDS = 0.02


class StackFailed(Exception):
    """A process of the stack did not start, or ended; its last words are in the message."""


class Child:
    """One Python module run as a process of its own, leader of a group that its workers belong to."""

    def __init__(self, module: str, arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.module, self._log = module, log
        with log.open("wb") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                env=environment,
                stdin=subprocess.PIPE,  # held open: when this process is gone, however it went, the child sees the end and stops
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.pid = self._process.pid

    def check(self) -> None:
        """Raises StackFailed where the process has ended."""
        if self._process.poll() is not None:
            raise StackFailed(f"{self.module} ended with {self._process.returncode}: {self._last_words()}")

    def wait_for_port(self, port: int, give_up: float) -> None:
        """Until it listens there."""
        while time.monotonic() < give_up:
            self.check()
            with socket.socket() as probe:
                if probe.connect_ex((HOST, port)) == 0:
                    return
            time.sleep(_POLL_SECONDS)
        raise StackFailed(f"{self.module} does not listen on port {port}: {self._last_words()}")

    def ask_to_end(self) -> None:
        """Its own clean end begins."""
        self._process.terminate()

    def end(self, give_up: float) -> None:
        """Wait for its own clean end; after that, end its group, workers included."""
        try:
            self._process.wait(max(0.0, give_up - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        if self._process.stdin:
            self._process.stdin.close()

    def _last_words(self) -> str:
        return self._log.read_text(errors="replace")[-2_000:].strip() or "it said nothing"


def check_free(port: int) -> None:
    """Raises StackFailed where somebody listens on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as e:
            raise StackFailed(f"port {port} is already in use: choose another, or none for a free one") from e


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
