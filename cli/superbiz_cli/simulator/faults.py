"""What goes wrong. An injector is a small value that changes what a service or a pool is, for a while.

Red herrings are injectors too: `Busy` moves a gauge and hurts no request.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple


class PoolResize(NamedTuple):
    """From then on the pool has another size in each task."""

    pool: str
    at: datetime
    size: int


class Slowdown(NamedTuple):
    """The service itself takes `factor` times as long."""

    service: str
    start: datetime
    end: datetime
    factor: float


class Failing(NamedTuple):
    """A share of the service's calls ends in an error of that wording."""

    service: str
    start: datetime
    end: datetime
    share: float
    message: str


class Busy(NamedTuple):
    """A gauge of the service (`cpu`, `memory`, `iops`, `queue_age`) is that much higher."""

    service: str
    start: datetime
    end: datetime
    gauge: str
    by: float


Fault = PoolResize | Slowdown | Failing | Busy


def pool_size(faults: Iterable[Fault], pool: str, size: int, moment: datetime) -> int:
    """The pool's size at that time; the last change counts."""
    changes = sorted((f for f in faults if isinstance(f, PoolResize) and f.pool == pool and f.at <= moment), key=lambda f: f.at)
    return changes[-1].size if changes else size


def slowness(faults: Iterable[Fault], service: str, moment: datetime) -> float:
    """How many times as long the service takes."""
    factor = 1.0
    for fault in faults:
        if isinstance(fault, Slowdown) and fault.service == service and fault.start <= moment < fault.end:
            factor *= fault.factor
    return factor


def failing(faults: Iterable[Fault], service: str, moment: datetime) -> Failing | None:
    """The injected failure of a service at that time."""
    return next((f for f in faults if isinstance(f, Failing) and f.service == service and f.start <= moment < f.end), None)


def busy(faults: Iterable[Fault], service: str, gauge: str, moment: datetime) -> float:
    """How much higher a gauge stands, rising and falling over the span."""
    total = 0.0
    for fault in faults:
        if isinstance(fault, Busy) and (fault.service, fault.gauge) == (service, gauge) and fault.start <= moment < fault.end:
            span = (fault.end - fault.start).total_seconds()
            edge = min((moment - fault.start).total_seconds() + 60, (fault.end - moment).total_seconds()) / max(span / 4, 60)
            total += fault.by * min(1.0, edge)
    return total
