"""What a run needs of the platform: objects, the state machine, queues, notices, the clock."""

from datetime import datetime
from typing import NamedTuple, Protocol

from superbiz.domain.values import JsonObject


class Objects(Protocol):
    def put(self, key: str, data: bytes) -> None: ...

    def get(self, key: str) -> bytes | None: ...


class ExecutionState(NamedTuple):
    """`status` is RUNNING, SUCCEEDED, FAILED, TIMED_OUT or ABORTED; `cause` says why it ended badly."""

    status: str
    cause: str | None


class Machine(Protocol):
    """The state machine. An execution's name is its run's id."""

    def start(self, run_id: str) -> None:
        """Start, or do nothing where that execution exists."""

    def describe(self, run_id: str) -> ExecutionState | None: ...


class Queue(Protocol):
    def enqueue_evaluation(self, run_id: str) -> None: ...

    def enqueue_alarm(self, event: JsonObject) -> None: ...


class Notifier(Protocol):
    def run_completed(self, notice: JsonObject) -> None:
        """Publish to the topic and as EventBridge event `RunCompleted`."""


class Clock(Protocol):
    def now(self) -> datetime: ...

    def sleep(self, seconds: float) -> None: ...
