"""State machine, queues and notifier in this process's memory: for the command line, and for tests. Safe for threads."""

import threading

from superbiz.domain.values import JsonObject
from superbiz.errors import SuperBizError
from superbiz.ports import ExecutionState

RUNNING = ExecutionState("RUNNING", None)


class _Failing:
    """`failure`, where it is set, is raised by every call: what is not reachable."""

    def __init__(self) -> None:
        self.failure: SuperBizError | None = None
        self._lock = threading.Lock()

    def _check(self) -> None:
        if self.failure is not None:
            raise self.failure


class MemoryMachine(_Failing):
    """`ports.Machine`. Executions do not run by themselves: `end` says how one ended."""

    def __init__(self) -> None:
        super().__init__()
        self.executions: dict[str, ExecutionState] = {}

    def start(self, run_id: str) -> None:
        """Once for each name."""
        with self._lock:
            self._check()
            self.executions.setdefault(run_id, RUNNING)

    def describe(self, run_id: str) -> ExecutionState | None:
        """As it stands."""
        with self._lock:
            self._check()
            return self.executions.get(run_id)

    def end(self, run_id: str, status: str, cause: str | None = None) -> None:
        """Close the execution."""
        with self._lock:
            self.executions[run_id] = ExecutionState(status, cause)


class MemoryQueue(_Failing):
    """`ports.Queue`. Messages stay in order until they are taken."""

    def __init__(self) -> None:
        super().__init__()
        self.evaluations: list[str] = []
        self.alarms: list[JsonObject] = []

    def enqueue_evaluation(self, run_id: str) -> None:
        """At the end."""
        with self._lock:
            self._check()
            self.evaluations.append(run_id)

    def enqueue_alarm(self, event: JsonObject) -> None:
        """At the end."""
        with self._lock:
            self._check()
            self.alarms.append(event)


class MemoryNotifier(_Failing):
    """`ports.Notifier`."""

    def __init__(self) -> None:
        super().__init__()
        self.notices: list[JsonObject] = []

    def run_completed(self, notice: JsonObject) -> None:
        """Kept."""
        with self._lock:
            self._check()
            self.notices.append(notice)
