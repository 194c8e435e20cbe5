"""The local stack: emulator, vector store and deployed template, started and stopped as one."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from superbiz_local.deploy import deploy
from superbiz_local.packaging import Sources, from_source

HOST = "127.0.0.1"
REGION = "us-east-1"
ROOT = Path(__file__).resolve().parents[3]
# A stack's processes are given these of the user's variables and no other: AWS_*, MODEL_* or proxies of a shell must not reach a handler.
KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
_START_SECONDS = 60.0
_STOP_SECONDS = 8.0


class StackFailed(Exception):
    """A process of the stack did not start; its last words are in the message."""


class LocalStack:
    """`with LocalStack(world_dir=…) as stack:` or start() and stop(). Nothing is left behind: no process, no folder.

    `parameters` are the template's, by name. `api_url` is where the API's paths begin; `client(name)` talks to the emulated AWS.
    """

    def __init__(
        self,
        *,
        port: int | None = None,
        world_dir: Path | None = None,
        parameters: Mapping[str, str] | None = None,
        vectors: bool = True,
        template: Path = ROOT / "template.yaml",
        sources: Sources | None = None,
        interpreter: str = sys.executable,
        stack_name: str = "superbiz",
    ) -> None:
        self.port = port or free_port()
        self.stack_name = stack_name
        self.outputs: dict[str, str] = {}
        self._parameters = {**({"WorldDir": str(world_dir.resolve())} if world_dir else {}), **(parameters or {})}
        self._vectors, self._template = vectors, template
        self._sources = sources or from_source(ROOT)
        self._interpreter = interpreter
        self._folder: Path | None = None
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def url(self) -> str:
        """The emulated AWS."""
        return f"http://{HOST}:{self.port}"

    @property
    def api_url(self) -> str:
        """Where the API's paths begin."""
        return f"{self.url}/_aws/execute-api/{self.outputs['ApiId']}/$default"

    def session(self) -> Any:
        """A boto3 session bound to this stack, whatever the shell says."""
        import boto3
        from botocore.session import Session

        core = Session(session_vars={"profile": (None, None, None, None), "config_file": (None, None, os.devnull, None)})
        core.set_config_variable("region", REGION)
        core.set_credentials("test", "test")
        return _Endpoint(boto3.Session(botocore_session=core), self.url)

    def client(self, service: str) -> Any:
        """A boto3 client of the emulated AWS."""
        return self.session().client(service)

    def start(self) -> Self:
        """Start the processes together, then deploy. A failure leaves nothing running."""
        self._folder = Path(tempfile.mkdtemp(prefix="superbiz-stack-"))
        try:
            self._start_processes()
            self.outputs = deploy(self.session(), self._template, self.stack_name, self._sources, self._parameters)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End what was started, by id, and remove its folder. A second call does nothing."""
        for process in self._processes:
            process.terminate()
        give_up = time.monotonic() + _STOP_SECONDS
        for process in self._processes:
            _end(process, give_up)
        self._processes.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def pids(self) -> tuple[int, ...]:
        """Of the processes that this stack started."""
        return tuple(process.pid for process in self._processes)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _start_processes(self) -> None:
        ports = {self.port: self._spawn("superbiz_local.server")}
        if self._vectors:
            port = free_port()
            self._parameters.setdefault("MilvusUri", f"http://{HOST}:{port}")
            ports[port] = self._spawn("superbiz_local.vectors", str(self._dir("vectors")), str(port))
        for port, process in ports.items():
            _wait_for(port, process, self._log(process))
        _wait_for_health(self.url)

    def _spawn(self, module: str, *args: str) -> subprocess.Popen[bytes]:
        log = self._dir("logs") / f"{len(self._processes)}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *args],
                env=self._environment(),
                stdin=subprocess.PIPE,  # held open: when this process is gone, however it went, the child sees the end and stops
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def _environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        return kept | {
            "GATEWAY_PORT": str(self.port),
            "BIND_HOST": HOST,
            "MINISTACK_HOST": "localhost",
            "LOG_LEVEL": "WARNING",
            "TMPDIR": str(self._dir("tmp")),
            "LAMBDA_WARM_TTL_SECONDS": "86400",
            "AWS_ENDPOINT_URL": self.url,
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_SESSION_TOKEN": "test",
            "AWS_EC2_METADATA_DISABLED": "true",
            "SUPERBIZ_LAMBDA_PYTHON": self._interpreter,
        }

    def _dir(self, name: str) -> Path:
        assert self._folder is not None
        folder = self._folder / name
        folder.mkdir(exist_ok=True)
        return folder

    def _log(self, process: subprocess.Popen[bytes]) -> Path:
        return self._dir("logs") / f"{self._processes.index(process)}.log"


class _Endpoint:
    """A boto3 session whose clients all talk to one address."""

    def __init__(self, session: Any, url: str) -> None:
        self._session, self._url = session, url

    def client(self, service: str) -> Any:
        from botocore.config import Config

        config = Config(retries={"mode": "standard", "max_attempts": 2}, inject_host_prefix=False, proxies={})
        return self._session.client(service, endpoint_url=self._url, region_name=REGION, config=config)


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    give_up = time.monotonic() + _START_SECONDS
    while time.monotonic() < give_up:
        if process.poll() is not None:
            raise StackFailed(f"{process.args[2]} ended with {process.returncode}: {_last_words(log)}")  # type: ignore[index]
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.02)
    raise StackFailed(f"nothing answers on port {port} after {_START_SECONDS:g} s: {_last_words(log)}")


def _wait_for_health(url: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    give_up = time.monotonic() + _START_SECONDS
    while time.monotonic() < give_up:
        try:
            opener.open(f"{url}/_ministack/health", timeout=2).close()
        except (OSError, urllib.error.URLError):
            time.sleep(0.02)
        else:
            return
    raise StackFailed(f"{url} is not healthy after {_START_SECONDS:g} s")


def _last_words(log: Path) -> str:
    return log.read_text(errors="replace")[-2_000:].strip() or "it said nothing"


def _end(process: subprocess.Popen[bytes], give_up: float) -> None:
    """Wait for its own clean end; then end the group that it leads, workers included."""
    try:
        process.wait(max(0.0, give_up - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if process.stdin:
        process.stdin.close()
