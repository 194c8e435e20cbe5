"""The state of every service, minute by minute: what load, calls, pools and faults make of it.

A pool of c connections that are held for h seconds each serves at most c/h requests a second. Beyond that, callers wait until their
time-out and the surplus fails; close to it, they queue.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from superbiz_cli.simulator import faults
from superbiz_cli.simulator.faults import Failing, Fault
from superbiz_cli.simulator.load import Load, drift
from superbiz_cli.simulator.system import Key, Operation, Pool, System

MINUTE = timedelta(minutes=1)
FULL = 0.97
BASE_FAILURES = 0.0004


class PoolState(NamedTuple):
    """`wanted` is the mean number of connections that callers would hold; `refused` the share of callers that time out."""

    size: int
    wanted: float
    refused: float
    wait_ms: float

    @property
    def active(self) -> float:
        """Connections in use."""
        return min(self.wanted, float(self.size))

    @property
    def waiting(self) -> float:
        """Callers in line."""
        return max(0.0, self.wanted - self.size) + (0.2 if self.wait_ms > 1 else 0.0)


class ServiceState(NamedTuple):
    """Of one minute: `rps` arriving, the median time a request takes, the share that fails, and how much slower the service itself is."""

    rps: float
    typical_ms: float
    failed: float
    slow: float


class Weather(NamedTuple):
    """One minute of a system."""

    at: datetime
    rps: float
    services: Mapping[str, ServiceState]
    pools: Mapping[str, PoolState]
    failures: Mapping[str, Failing]


class _Trip(NamedTuple):
    typical_ms: float
    failed: float


class Climate:
    """A system under a load with its faults. The same seed gives the same weather."""

    def __init__(self, system: System, load: Load, injected: Sequence[Fault], seed: int) -> None:
        self.system, self.load, self.faults, self.seed = system, load, tuple(injected), seed
        self.operations: Mapping[Key, Operation] = system.operations

    def minutes(self, start: datetime, end: datetime) -> Iterator[Weather]:
        """The weather from start to end."""
        count = int((end - start) / MINUTE)
        noise = drift(f"{self.seed}/{start.isoformat()}/load", count, self.load.noise)
        for n in range(count):
            moment = start + n * MINUTE
            yield self._weather(moment, self.load.at(moment) * noise[n])

    def _weather(self, moment: datetime, rps: float) -> Weather:
        arriving = self._arriving(rps)
        slow = {s.name: faults.slowness(self.faults, s.name, moment) for s in self.system.services}
        failures = {s.name: f for s in self.system.services if (f := faults.failing(self.faults, s.name, moment))}
        pools = {p.name: self._pool(p, arriving, slow, moment) for p in self.system.pools}
        trips = {key: self._trip(key, slow, pools, failures) for key in arriving}
        states = {s.name: _state(s.name, arriving, trips, slow[s.name]) for s in self.system.services}
        return Weather(moment, rps, states, pools, failures)

    def _arriving(self, rps: float) -> dict[Key, float]:
        """Requests a second of every operation."""
        found: dict[Key, float] = {}

        def visit(key: Key, rate: float) -> None:
            found[key] = found.get(key, 0.0) + rate
            for callee in self.operations[key].calls:
                visit(callee, rate)

        for route in self.system.routes:
            visit(route.key, rps * route.share)
        return found

    def _pool(self, pool: Pool, arriving: Mapping[Key, float], slow: Mapping[str, float], moment: datetime) -> PoolState:
        wanted = 0.0
        for key, rate in arriving.items():
            operation = self.operations[key]
            if key[0] == pool.service and operation.pool == pool.name:
                held = operation.own_ms * slow[key[0]] + sum(self._unhindered(c, slow) for c in operation.calls)
                wanted += rate * held / 1000
        size = faults.pool_size(self.faults, pool.name, pool.size, moment) * pool.tasks
        pressure = wanted / size
        refused = max(0.0, 1 - FULL / pressure) if pressure else 0.0
        wait = 0.6 * pool.timeout_ms if refused else pool.timeout_ms * 0.02 * max(0.0, pressure - 0.6)
        return PoolState(size, wanted, refused, wait)

    def _unhindered(self, key: Key, slow: Mapping[str, float]) -> float:
        operation = self.operations[key]
        return operation.own_ms * slow[key[0]] + sum(self._unhindered(c, slow) for c in operation.calls)

    def _trip(self, key: Key, slow: Mapping[str, float], pools: Mapping[str, PoolState], failures: Mapping[str, Failing]) -> _Trip:
        operation = self.operations[key]
        below = [self._trip(c, slow, pools, failures) for c in operation.calls]
        fine = 1 - BASE_FAILURES - (failures[key[0]].share if key[0] in failures else 0.0)
        typical = operation.own_ms * slow[key[0]] + sum(t.typical_ms for t in below)
        for trip in below:
            fine *= 1 - trip.failed
        if operation.pool:
            fine *= 1 - pools[operation.pool].refused
            typical += pools[operation.pool].wait_ms
        return _Trip(typical, 1 - fine)


def _state(service: str, arriving: Mapping[Key, float], trips: Mapping[Key, _Trip], slow: float) -> ServiceState:
    """The mean over a service's operations, by how often each is called."""
    shares = [(rate, trips[key]) for key, rate in arriving.items() if key[0] == service]
    total = sum(rate for rate, _ in shares)
    if not total:
        return ServiceState(0.0, 0.0, 0.0, slow)
    typical = sum(rate * trip.typical_ms for rate, trip in shares) / total
    return ServiceState(total, typical, sum(rate * trip.failed for rate, trip in shares) / total, slow)
