"""What goes wrong. An injector is a small value that changes what a service, a pool, the load or a gauge is, for a while.

Red herrings are injectors too: `Busy` and `Bend` move a gauge and hurt no request.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple


class PoolResize(NamedTuple):
    """From then on the pool has another size in each task."""

    pool: str
    at: datetime
    size: int


class Slowdown(NamedTuple):
    """The service itself takes `factor` times as long, reached in `rise` minutes."""

    service: str
    start: datetime
    end: datetime
    factor: float
    rise: float = 0.0


class Failing(NamedTuple):
    """A share of the service's calls (of one operation, where that is named) ends in an error of that wording, after `after_ms`.

    `seen` is what the caller gets, `trace` the lines below the message in a log that has them. The caller of a service that logs nothing
    logs the message and the trace itself. A call that is `unreached` never comes to the service: it has no line and no span of it.
    """

    service: str
    start: datetime
    end: datetime
    share: float
    message: str
    operation: str = ""
    after_ms: float = 0.0
    rise: float = 0.0
    seen: str = "503 Service Unavailable"
    trace: tuple[str, ...] = ()
    unreached: bool = False


class Delayed(NamedTuple):
    """A share of the service's calls begins that much later: a cold start, a look-up that is tried again."""

    service: str
    start: datetime
    end: datetime
    share: float
    by_ms: float


class Lag(NamedTuple):
    """Between two services a share of the calls is that long under way: the caller waits, the callee knows nothing of it."""

    caller: str
    callee: str
    start: datetime
    end: datetime
    share: float
    by_ms: float


class Surge(NamedTuple):
    """More is asked: `factor` times the requests, of one route where it is named, reached in `rise` minutes."""

    start: datetime
    end: datetime
    factor: float
    rise: float = 0.0
    route: str = ""


class Stopped(NamedTuple):
    """Nothing of the service runs: it takes no message and says nothing."""

    service: str
    start: datetime
    end: datetime


class Busy(NamedTuple):
    """A gauge of the service (`cpu`, `memory`, `iops`, `queue_age`) is that much higher."""

    service: str
    start: datetime
    end: datetime
    gauge: str
    by: float


class Bend(NamedTuple):
    """A quantity of the service is moved: to a value, by an amount or times a factor. `teeth` minutes long, it climbs and starts anew."""

    service: str
    quantity: str
    start: datetime
    end: datetime
    to: float | None = None
    by: float = 0.0
    times: float = 1.0
    rise: float = 0.0
    teeth: float = 0.0


Fault = PoolResize | Slowdown | Failing | Delayed | Lag | Surge | Stopped | Busy | Bend


def pool_size(faults: Iterable[Fault], pool: str, size: int, moment: datetime) -> int:
    """The pool's size at that time; the last change counts."""
    changes = sorted((f for f in faults if isinstance(f, PoolResize) and f.pool == pool and f.at <= moment), key=lambda f: f.at)
    return changes[-1].size if changes else size


def slowness(faults: Iterable[Fault], service: str, moment: datetime) -> float:
    """How many times as long the service takes."""
    factor = 1.0
    for fault in faults:
        if isinstance(fault, Slowdown) and fault.service == service:
            factor *= 1 + (fault.factor - 1) * _reached(fault, moment)
    return factor


def failing(faults: Iterable[Fault], service: str, operation: str, moment: datetime) -> Failing | None:
    """The injected failure of an operation at that time, with the share that it has reached."""
    for fault in faults:
        if (
            isinstance(fault, Failing)
            and fault.service == service
            and fault.operation in ("", operation)
            and (now := _reached(fault, moment))
        ):
            return fault._replace(share=fault.share * now)
    return None


def delayed(faults: Iterable[Fault], service: str, moment: datetime) -> Delayed | None:
    """What delays calls of the service at that time; the last one named counts."""
    found = [f for f in faults if isinstance(f, Delayed) and f.service == service and f.start <= moment < f.end]
    return found[-1] if found else None


def lag(faults: Iterable[Fault], caller: str, callee: str, moment: datetime) -> Lag | None:
    """What is in the way between two services at that time."""
    wanted = (caller, callee)
    return next((f for f in faults if isinstance(f, Lag) and (f.caller, f.callee) == wanted and f.start <= moment < f.end), None)


def demand(faults: Iterable[Fault], route: str, moment: datetime) -> float:
    """How many times as much is asked of a route."""
    factor = 1.0
    for fault in faults:
        if isinstance(fault, Surge) and fault.route in ("", route):
            factor *= 1 + (fault.factor - 1) * _reached(fault, moment)
    return factor


def stopped(faults: Iterable[Fault], service: str, moment: datetime) -> bool:
    """Whether nothing of the service runs."""
    return any(isinstance(f, Stopped) and f.service == service and f.start <= moment < f.end for f in faults)


def busy(faults: Iterable[Fault], service: str, gauge: str, moment: datetime) -> float:
    """How much higher a gauge stands, rising and falling over the span."""
    total = 0.0
    for fault in faults:
        if isinstance(fault, Busy) and (fault.service, fault.gauge) == (service, gauge) and fault.start <= moment < fault.end:
            span = (fault.end - fault.start).total_seconds()
            edge = min((moment - fault.start).total_seconds() + 60, (fault.end - moment).total_seconds()) / max(span / 4, 60)
            total += fault.by * min(1.0, edge)
    return total


def bends(faults: Iterable[Fault], service: str, quantity: str) -> Sequence[Bend]:
    """What moves one quantity of a service."""
    return [f for f in faults if isinstance(f, Bend) and (f.service, f.quantity) == (service, quantity)]


def bent(value: float, moving: Iterable[Bend], moment: datetime) -> float:
    """The quantity as the bends leave it."""
    for bend in moving:
        reached = _reached(bend, moment)
        if reached:
            value *= 1 + (bend.times - 1) * reached
            value += bend.by * reached + (0.0 if bend.to is None else (bend.to - value) * reached)
    return value


def _reached(fault: Slowdown | Failing | Surge | Bend, moment: datetime) -> float:
    """0 before and after, 1 once it has risen."""
    if not fault.start <= moment < fault.end:
        return 0.0
    minutes = (moment - fault.start).total_seconds() / 60 + 1
    if isinstance(fault, Bend) and fault.teeth:
        return ((minutes - 1) % fault.teeth + 1) / fault.teeth
    return min(1.0, minutes / fault.rise) if fault.rise else 1.0
