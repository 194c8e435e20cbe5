"""The local stack: emulator, vector store and deployed template, started and stopped as one."""

import os
import shutil
import sys
import tempfile
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from superbiz_local.deploy import deploy
from superbiz_local.names import FOLDER, INTERPRETER
from superbiz_local.packaging import Sources, from_source
from superbiz_local.processes import HOST, Child, StackFailed, check_free, free_port

REGION = "us-east-1"
ROOT = Path(__file__).resolve().parents[3]
# A stack's processes are given these of the user's variables and no other: AWS_*, MODEL_* or proxies of a shell must not reach a handler.
KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
_START_SECONDS = 60.0
_STOP_SECONDS = 8.0
_WATCH_SECONDS = 0.5


class LocalStack:
    """`with LocalStack(world_dir=…) as stack:` or start() and stop(). Nothing is left behind: no process, no folder.

    `parameters` are the template's, by name. `interpreter` and `sources` say with which Python the functions run, and from where.
    `wait_scale` shortens what the state machine waits before it tries again. `enforce_policies` lets each function do what its role
    allows and no more.
    """

    server = "superbiz_local.server"

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
        wait_scale: float = 1.0,
        enforce_policies: bool = False,
    ) -> None:
        self.port = port or free_port()
        self.stack_name = stack_name
        self.outputs: dict[str, str] = {}
        self.alarm_topic_arn = ""
        self._given = {**({"WorldDir": str(world_dir.resolve())} if world_dir else {}), **(parameters or {})}
        self._parameters: dict[str, str] = {}
        self._vectors, self._template = vectors, template
        self._sources = sources or from_source(ROOT)
        self._interpreter, self._wait_scale, self._enforce_policies = interpreter, wait_scale, enforce_policies
        self._folder: Path | None = None
        self._children: list[Child] = []
        self._clients: dict[str, Any] = {}

    @property
    def url(self) -> str:
        """The emulated AWS."""
        return f"http://{HOST}:{self.port}"

    @property
    def api_url(self) -> str:
        """Where the API's paths begin."""
        return f"{self.url}/_aws/execute-api/{self.outputs['ApiId']}/$default"

    def client(self, service: str) -> Any:
        """A boto3 client of the emulated AWS, made once, whatever the shell's AWS variables and profile say."""
        if service not in self._clients:
            self._clients[service] = _client(service, self.url)
        return self._clients[service]

    def start(self) -> Self:
        """Start the processes together, then deploy. A failure leaves nothing running."""
        check_free(self.port)
        self._folder = Path(tempfile.mkdtemp(prefix="superbiz-stack-"))
        self._parameters = dict(self._given)
        try:
            self._start_processes()
            self.alarm_topic_arn = self.client("sns").create_topic(Name=f"{self.stack_name}-local-alarms")["TopicArn"]
            self._parameters.setdefault("AlarmTopicArn", self.alarm_topic_arn)
            self.outputs = deploy(self.client, self._template, self.stack_name, self._sources, self._parameters)
        except BaseException:
            self.stop()
            raise
        return self

    def wait(self) -> None:
        """Until a process of the stack ends by itself, which raises StackFailed."""
        while True:
            for child in self._children:
                child.check()
            time.sleep(_WATCH_SECONDS)

    def stop(self) -> None:
        """End what was started, by id, and remove its folder. A second call does nothing."""
        give_up = time.monotonic() + _STOP_SECONDS
        for child in self._children:
            child.ask_to_end()
        for child in self._children:
            child.end(give_up)
        self._children.clear()
        for client in self._clients.values():
            client.close()
        self._clients.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def pids(self) -> tuple[int, ...]:
        """Of the processes that this stack started."""
        return tuple(child.pid for child in self._children)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _start_processes(self) -> None:
        give_up = time.monotonic() + _START_SECONDS
        listening = [(self._spawn(self.server), self.port)]
        if self._vectors:
            port = free_port()
            self._parameters.setdefault("MilvusUri", f"http://{HOST}:{port}")
            listening.append((self._spawn("superbiz_local.vectors", str(self._dir("vectors")), str(port)), port))
        for child, port in listening:
            child.wait_for_port(port, give_up)
        _wait_for_health(self.url, give_up)

    def _spawn(self, module: str, *arguments: str) -> Child:
        child = Child(module, arguments, self._environment(), self._dir("logs") / f"{module}.log")
        self._children.append(child)
        return child

    def _environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        return kept | {
            "GATEWAY_PORT": str(self.port),
            "BIND_HOST": HOST,
            "LOG_LEVEL": "WARNING",
            "AUTH": str(self._enforce_policies).lower(),
            "SFN_WAIT_SCALE": str(self._wait_scale),
            "TMPDIR": str(self._dir("tmp")),
            "STATE_DIR": str(self._dir("state")),
            "LAMBDA_WARM_TTL_SECONDS": "86400",
            "IOT_MTLS_ENABLED": "0",  # would listen on every interface
            "AWS_ENDPOINT_URL": self.url,
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_SESSION_TOKEN": "test",
            "AWS_EC2_METADATA_DISABLED": "true",
            FOLDER: str(self._folder),
            INTERPRETER: self._interpreter,
        }

    def _dir(self, name: str) -> Path:
        assert self._folder is not None
        folder = self._folder / name
        folder.mkdir(exist_ok=True)
        return folder


def _client(service: str, url: str) -> Any:
    import boto3
    from botocore.config import Config
    from botocore.session import Session

    core = Session(session_vars={"profile": (None, None, None, None), "config_file": (None, None, os.devnull, None)})
    core.set_credentials("test", "test")
    config = Config(retries={"mode": "standard", "max_attempts": 2}, inject_host_prefix=False, proxies={})
    return boto3.Session(botocore_session=core, region_name=REGION).client(service, endpoint_url=url, config=config)


def _wait_for_health(url: str, give_up: float) -> None:
    """A listening port comes a moment before the services behind it."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < give_up:
        try:
            opener.open(f"{url}/_ministack/health", timeout=2).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise StackFailed(f"{url} is not healthy")
