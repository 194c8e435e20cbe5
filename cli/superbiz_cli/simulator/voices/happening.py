"""What there is to log of one call, and how logs write a time."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple


class Happening(NamedTuple):
    """One call as the service saw it. `outcome` is ok, pool (no connection), failed (its own error) or upstream (a callee's error).

    `cause` is the wording of what failed, `waiting` tells the pool's state where that is what failed, `callee` who failed above, `trace`
    the lines below the error, `said` what the operation has to say of a success, `delay_ms` how much later it began.
    """

    at_ms: float
    service: str
    task: str
    operation: str
    took_ms: float
    trace_id: str
    span_id: str
    subject: int
    outcome: str
    cause: str = ""
    waiting: str = ""
    callee: str = ""
    trace: tuple[str, ...] = ()
    said: str = ""
    delay_ms: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the call ended well."""
        return self.outcome == "ok"


Voice = Callable[[Happening], list[str]]


def stamp(at_ms: float, between: str = "T", point: str = ".") -> str:
    """`2026-05-19T14:04:31.250Z`, or with a blank and no Z as plain logs write it."""
    second, part = divmod(int(at_ms), 1000)
    return f"{_second(second, between)}{point}{part:03}{'Z' if between == 'T' else ''}"


def access_stamp(at_ms: float) -> str:
    """`19/May/2026:14:04:31 +0000`, as access logs write it."""
    return _access_second(int(at_ms) // 1000)


def error_text(h: Happening) -> str:
    """What failed, with the callee where it was one."""
    return h.cause if h.outcome != "upstream" or h.trace else f"{h.callee}: {h.cause}"


@lru_cache(maxsize=20_000)
def _second(epoch: int, between: str) -> str:
    return datetime.fromtimestamp(epoch, UTC).strftime(f"%Y-%m-%d{between}%H:%M:%S")


@lru_cache(maxsize=20_000)
def _access_second(epoch: int) -> str:
    return datetime.fromtimestamp(epoch, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
