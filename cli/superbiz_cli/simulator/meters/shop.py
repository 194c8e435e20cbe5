"""The demo's metric series: what the services' callers see, and the gauges of the things they run on."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from superbiz_cli.simulator import faults
from superbiz_cli.simulator.meters.meter import Number, Row
from superbiz_cli.simulator.system import Service
from superbiz_cli.simulator.weather import Climate, Weather


class Gauge(NamedTuple):
    """A reading of a service's minute. `reading` gets the weather and a source of chance."""

    namespace: str
    metric_name: str
    dimension: str
    stat: str
    unit: str
    reading: Callable[[Weather, random.Random], Number]


def rows(climate: Climate, minutes: Sequence[Weather], cluster: str) -> Iterator[Row]:
    """All series, in the order of the system's services."""
    for service in climate.system.services:
        dimensions = {"ClusterName": cluster} if service.tasks else {}
        for gauge in _gauges(climate, service):
            chance = random.Random(f"{climate.seed}/{minutes[0].at.isoformat()}/{service.name}/{gauge.metric_name}/{gauge.stat}")
            values = [gauge.reading(w, chance) for w in minutes]
            own = {gauge.dimension: service.name} | (dimensions if gauge.namespace == "AWS/ECS" else {})
            yield Row(gauge.namespace, gauge.metric_name, own, gauge.stat, gauge.unit, values)
    yield from _pools(climate, minutes)


def _gauges(climate: Climate, service: Service) -> Iterator[Gauge]:
    name = service.name
    if service.kind in ("service", "gateway"):
        yield from _callers_view(name)
        yield _percent("AWS/ECS", "CPUUtilization", "ServiceName", climate, service, "cpu", service.cpu)
        yield _percent("AWS/ECS", "MemoryUtilization", "ServiceName", climate, service, "memory", service.memory)
    elif service.kind == "database":
        yield _percent("AWS/RDS", "CPUUtilization", "DBInstanceIdentifier", climate, service, "cpu", service.cpu)
        yield Gauge(
            "AWS/RDS", "DatabaseConnections", "DBInstanceIdentifier", "Average", "Count", lambda w, _c: _connections(climate, name, w)
        )
        yield Gauge("AWS/RDS", "ReadIOPS", "DBInstanceIdentifier", "Average", "Count/Second", lambda w, c: _iops(climate, name, w, c))
        yield Gauge(
            "AWS/RDS", "ReadLatency", "DBInstanceIdentifier", "Average", "Seconds", lambda _w, c: round(abs(c.gauss(0.0011, 0.0001)), 6)
        )
        yield Gauge("AWS/RDS", "FreeStorageSpace", "DBInstanceIdentifier", "Average", "Bytes", lambda _w, c: round(c.gauss(81.2e9, 2e6)))
    elif service.kind == "queue":
        yield Gauge("AWS/SQS", "ApproximateAgeOfOldestMessage", "QueueName", "Maximum", "Seconds",
                    lambda w, c: round(max(0.0, 12 + c.gauss(0, 3) + faults.busy(climate.faults, name, "queue_age", w.at)), 1))  # fmt: skip
    elif service.kind == "cache":
        yield Gauge(
            "AWS/ElastiCache", "CacheHitRate", "CacheClusterId", "Average", "Percent", lambda _w, c: round(min(100, c.gauss(93.5, 0.8)), 3)
        )
        yield _percent("AWS/ElastiCache", "EngineCPUUtilization", "CacheClusterId", climate, service, "cpu", service.cpu)


def _callers_view(name: str) -> Iterator[Gauge]:
    """Requests, errors and latency as a mesh or a load balancer counts them."""
    common = ("Shop/Services",)
    yield Gauge(*common, "Requests", "ServiceName", "Sum", "Count", lambda w, c: _requests(name, w, c))
    yield Gauge(*common, "Errors", "ServiceName", "Sum", "Count", lambda w, c: _failed(name, w, c))
    yield Gauge(*common, "Availability", "ServiceName", "Average", "Percent", lambda w, c: _availability(name, w, c))
    for stat, factor, noise in (("Average", 1.06, 0.03), ("p50", 1.0, 0.03), ("p90", 1.55, 0.05), ("p99", 2.6, 0.12)):
        yield Gauge(*common, "Latency", "ServiceName", stat, "Seconds", _latency(name, factor, noise))


def _requests(name: str, w: Weather, chance: random.Random) -> float:
    mean = w.services[name].rps * 60
    return float(max(0, round(chance.gauss(mean, mean**0.5))))


def _failed(name: str, w: Weather, chance: random.Random) -> float:
    mean = w.services[name].rps * 60 * w.services[name].failed
    return float(max(0, round(chance.gauss(mean, mean**0.5))))


def _availability(name: str, w: Weather, chance: random.Random) -> Number:
    state = w.services[name]
    requests = state.rps * 60
    if requests < 1:
        return None
    failed = max(0.0, chance.gauss(requests * state.failed, (requests * state.failed) ** 0.5))
    return round(100 * (1 - min(1.0, failed / requests)), 6)


def _latency(name: str, factor: float, noise: float) -> Callable[[Weather, random.Random], Number]:
    return lambda w, chance: (
        round(w.services[name].typical_ms / 1000 * factor * abs(chance.gauss(1, noise)), 6) if w.services[name].rps else None
    )


def _percent(namespace: str, metric: str, dimension: str, climate: Climate, service: Service, gauge: str, level: float) -> Gauge:
    def reading(w: Weather, chance: random.Random) -> Number:
        busy = faults.busy(climate.faults, service.name, gauge, w.at)
        share = w.rps / climate.load.rps if gauge == "cpu" else 1.0
        return round(min(100.0, max(0.1, level * share + busy + chance.gauss(0, level * 0.04))), 3)

    return Gauge(namespace, metric, dimension, "Average", "Percent", reading)


def _connections(climate: Climate, database: str, w: Weather) -> float:
    """A pool keeps its connections open whether they are used or not."""
    return float(4 + sum(w.pools[p.name].size for p in climate.system.pools if p.database == database))


def _iops(climate: Climate, database: str, w: Weather, chance: random.Random) -> float:
    level = 14 * w.services[database].rps / 10 + 20
    return round(max(0.0, chance.gauss(level, level * 0.05) + faults.busy(climate.faults, database, "iops", w.at)), 3)


def _pools(climate: Climate, minutes: Sequence[Weather]) -> Iterator[Row]:
    """What a pool's own gauges say."""
    for pool in climate.system.pools:
        states = [w.pools[pool.name] for w in minutes]
        chance = random.Random(f"{climate.seed}/{minutes[0].at.isoformat()}/{pool.name}")
        readings: Sequence[tuple[str, str, list[Number]]] = (
            ("PoolActiveConnections", "Average", [round(min(s.size, max(0, chance.gauss(s.active, 0.25))), 3) for s in states]),
            ("PoolMaxConnections", "Maximum", [float(s.size) for s in states]),
            (
                "PoolPendingThreads",
                "Maximum",
                [float(round(max(0, chance.gauss(s.waiting * 4, 0.6)))) if s.wait_ms > 1 else 0.0 for s in states],
            ),
        )
        for metric, stat, values in readings:
            yield Row("Shop/Pools", metric, {"ServiceName": pool.service, "Pool": pool.name}, stat, "Count", values)
