"""The state of every service, minute by minute: what load, calls, pools, queues and faults make of it.

A pool of c connections that are held for h seconds each serves at most c/h requests a second. Beyond that, callers wait until their
time-out and the surplus fails; close to it, they queue. A service with a capacity slows down as it nears it, and refuses what is above.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from superbiz_cli.simulator import faults
from superbiz_cli.simulator.backlog import EMPTY, QueueState, worked_off
from superbiz_cli.simulator.faults import Delayed, Failing, Fault, Lag
from superbiz_cli.simulator.load import Load, drift
from superbiz_cli.simulator.system import Key, Operation, Pool, Queue, System

MINUTE = timedelta(minutes=1)
FULL = 0.97
CROWDED = 0.97
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
    """Of one minute: `rps` arriving, the median time a request takes, the share that fails, how much slower the service itself is, the
    share of its capacity that is asked for, the share of requests that it refuses for that, and the share that never reaches it."""

    rps: float
    typical_ms: float
    failed: float
    slow: float
    asked: float = 0.0
    refused: float = 0.0
    unreached: float = 0.0

    @property
    def served(self) -> float:
        """Requests a second that reach it."""
        return self.rps * (1 - self.unreached)

    @property
    def failed_inside(self) -> float:
        """Requests a second that reach it and fail."""
        return self.rps * max(0.0, self.failed - self.unreached)


class Weather(NamedTuple):
    """One minute of a system. `entering` are the requests a second of each route and consumer."""

    at: datetime
    rps: float
    services: Mapping[str, ServiceState]
    pools: Mapping[str, PoolState]
    failures: Mapping[Key, Failing]
    queues: Mapping[str, QueueState]
    delays: Mapping[str, Delayed]
    lags: Mapping[tuple[str, str], Lag]
    entering: Mapping[Key, float]


class _Trip(NamedTuple):
    typical_ms: float
    failed: float


class _Minute(NamedTuple):
    """What is known before trips are made."""

    slow: Mapping[str, float]
    failures: Mapping[Key, Failing]
    refused: Mapping[str, float]
    pools: Mapping[str, PoolState]
    delays: Mapping[str, Delayed]
    lags: Mapping[tuple[str, str], Lag]


class Climate:
    """A system under a load with its faults. The same seed gives the same weather."""

    def __init__(self, system: System, load: Load, injected: Sequence[Fault], seed: int) -> None:
        self.system, self.load, self.faults, self.seed = system, load, tuple(injected), seed
        self.operations: Mapping[Key, Operation] = system.operations
        self.pairs = {(key[0], callee[0]) for key, o in self.operations.items() for callee in o.calls}
        self.retries: Mapping[str, int] = {s.name: s.retries for s in system.services}
        self.usual: Mapping[str, float] = self._usual()

    def minutes(self, start: datetime, end: datetime) -> Iterator[Weather]:
        """The weather from start to end."""
        count = int((end - start) / MINUTE)
        noise = drift(f"{self.seed}/{start.isoformat()}/load", count, self.load.noise)
        queues: Mapping[str, QueueState] = {q.name: EMPTY for q in self.system.queues}
        for n in range(count):
            moment = start + n * MINUTE
            weather = self._weather(moment, self.load.at(moment) * noise[n], queues)
            queues = weather.queues
            yield weather

    def _weather(self, moment: datetime, rps: float, before: Mapping[str, QueueState]) -> Weather:
        failures = {k: f for k in self.operations if (f := faults.failing(self.faults, *k, moment))}
        entering = {r.key: rps * r.share * faults.demand(self.faults, r.key[1], moment) for r in self.system.routes}
        sent = self._arriving(entering, failures)
        queues = {q.name: self._queue(q, before[q.name], sent, failures, moment) for q in self.system.queues}
        taken = {q.taken_by: queues[q.name].taken / 60 for q in self.system.queues}
        arriving = self._arriving(entering | taken, failures)
        asked = {s.name: self._asked(s.name, s.capacity, arriving, moment) for s in self.system.services}
        slow = {name: faults.slowness(self.faults, name, moment) * crowding(share) for name, share in asked.items()}
        refused = {name: max(0.0, 1 - 0.98 / share) if share > 1 else 0.0 for name, share in asked.items()}
        pools = {p.name: self._pool(p, arriving, slow, moment) for p in self.system.pools}
        delays = {s.name: d for s in self.system.services if (d := faults.delayed(self.faults, s.name, moment))}
        lags = {pair: found for pair in self.pairs if (found := faults.lag(self.faults, *pair, moment))}
        known = _Minute(slow, failures, refused, pools, delays, lags)
        trips = {key: self._trip(key, known) for key in arriving}
        states = {
            s.name: _state(s.name, arriving, trips, slow[s.name])._replace(
                asked=asked[s.name], refused=refused[s.name], unreached=_unreached(s.name, arriving, failures)
            )
            for s in self.system.services
        }
        return Weather(moment, sum(entering.values()), states, pools, failures, queues, delays, lags, entering | taken)

    def _usual(self) -> Mapping[str, float]:
        """Requests a second of every service on the day's mean, without a fault."""
        entering = {r.key: self.load.rps * r.share for r in self.system.routes}
        sent = self._arriving(entering, {})
        rates = self._arriving(entering | {q.taken_by: sent.get(q.sent_by, 0.0) for q in self.system.queues}, {})
        return {s.name: sum(rate for key, rate in rates.items() if key[0] == s.name) for s in self.system.services}

    def _arriving(self, entering: Mapping[Key, float], failures: Mapping[Key, Failing]) -> dict[Key, float]:
        """Requests a second of every operation; those that are tried again count again."""
        found: dict[Key, float] = {}

        def visit(key: Key, rate: float) -> None:
            share = failures[key].share if key in failures else 0.0
            rate *= sum(share**n for n in range(1 + self.retries[key[0]]))
            found[key] = found.get(key, 0.0) + rate
            for callee in self.operations[key].calls:
                visit(callee, rate)

        for key, rate in entering.items():
            visit(key, rate)
        return found

    def _queue(
        self, queue: Queue, before: QueueState, sent: Mapping[Key, float], failures: Mapping[Key, Failing], moment: datetime
    ) -> QueueState:
        consumer = queue.taken_by[0]
        able = 0.0 if faults.stopped(self.faults, consumer, moment) else queue.capacity / faults.slowness(self.faults, consumer, moment)
        return worked_off(before, sent.get(queue.sent_by, 0.0) * 60, able * 60, self._lost(queue.taken_by, failures))

    def _lost(self, key: Key, failures: Mapping[Key, Failing]) -> float:
        """The share of calls that an injected failure ends, of the operation itself or below it."""
        fine = 1 - (failures[key].share if key in failures else 0.0)
        for callee in self.operations[key].calls:
            fine *= 1 - self._lost(callee, failures)
        return 1 - fine

    def _asked(self, service: str, capacity: float, arriving: Mapping[Key, float], moment: datetime) -> float:
        if not capacity:
            return 0.0
        rate = sum(rate for key, rate in arriving.items() if key[0] == service)
        return rate * faults.slowness(self.faults, service, moment) / capacity

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

    def _trip(self, key: Key, known: _Minute) -> _Trip:
        operation, injected = self.operations[key], known.failures.get(key)
        fine = 1 - BASE_FAILURES - (injected.share if injected else 0.0)
        typical = operation.own_ms * known.slow[key[0]] + (injected.share * injected.after_ms if injected else 0.0)
        delay = known.delays.get(key[0])
        typical += delay.share * delay.by_ms if delay else 0.0
        for callee in operation.calls:
            below, again = self._trip(callee, known), self.retries[callee[0]]
            fine *= 1 - below.failed ** (1 + again)
            between = known.lags.get((key[0], callee[0]))
            typical += between.share * between.by_ms if between else 0.0
            typical += below.typical_ms * sum(below.failed**n for n in range(1 + again))
        fine *= 1 - known.refused[key[0]]
        if operation.pool:
            fine *= 1 - known.pools[operation.pool].refused
            typical += known.pools[operation.pool].wait_ms
        return _Trip(typical, 1 - max(0.0, fine))


def crowding(asked: float) -> float:
    """How much longer work takes at a share of the capacity: nothing to speak of below a half, thirty times at the limit."""
    share = min(asked, CROWDED)
    return 1 + share**6 / (1 - share)


def _state(service: str, arriving: Mapping[Key, float], trips: Mapping[Key, _Trip], slow: float) -> ServiceState:
    """The mean over a service's operations, by how often each is called."""
    shares = [(rate, trips[key]) for key, rate in arriving.items() if key[0] == service]
    total = sum(rate for rate, _ in shares)
    if not total:
        return ServiceState(0.0, 0.0, 0.0, slow)
    typical = sum(rate * trip.typical_ms for rate, trip in shares) / total
    return ServiceState(total, typical, sum(rate * trip.failed for rate, trip in shares) / total, slow)


def _unreached(service: str, arriving: Mapping[Key, float], failures: Mapping[Key, Failing]) -> float:
    """The share of a service's requests that never reach it."""
    rates = {key: rate for key, rate in arriving.items() if key[0] == service}
    lost = sum(rate * failures[key].share for key, rate in rates.items() if key in failures and failures[key].unreached)
    return lost / sum(rates.values()) if lost else 0.0
