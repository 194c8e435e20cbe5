"""Single requests, walked through the call graph under a minute's weather: their spans, and what each service logs of them."""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from superbiz.domain.observations import LogLine, Span
from superbiz_cli.simulator.system import Key, Operation, Pool, Service
from superbiz_cli.simulator.voices import VOICES, Happening
from superbiz_cli.simulator.weather import BASE_FAILURES, Climate, Weather

HOP_MS = 0.6
SPREAD = 0.35
SLOW_MS = 2_000.0
HICCUP = "upstream connect error or disconnect/reset before headers"
UNAVAILABLE = "503 Service Unavailable"


class Traffic(NamedTuple):
    """`kept_traces` of a hundred requests keep their spans; slow and failed ones three times as many."""

    lines: list[LogLine]
    spans: list[Span]


class _End(NamedTuple):
    """How a call ended, and what its caller gets to see of it."""

    at_ms: float
    outcome: str
    cause: str = ""
    who: str = ""
    seen: str = UNAVAILABLE
    trace: tuple[str, ...] = ()
    reached: bool = True


class Walker:
    """Walks requests of one climate. Deterministic: everything is drawn from one seeded source, in order."""

    def __init__(self, climate: Climate, kept_traces: int = 6) -> None:
        self._climate, self._kept = climate, kept_traces
        self._services: Mapping[str, Service] = climate.system.by_name
        self._pools: Mapping[str, Pool] = {p.name: p for p in climate.system.pools}
        self._chance = random.Random(f"{climate.seed}/requests")
        self._order = 480_000
        self.traffic = Traffic([], [])

    def minute(self, weather: Weather, tasks: Mapping[str, Sequence[str]]) -> None:
        """All requests that arrive in that minute; `tasks` run then, where a service has others than usual."""
        start = weather.at.timestamp() * 1000
        count = max(0, round(self._chance.gauss(weather.rps * 60, (weather.rps * 60) ** 0.5)))
        if not weather.rps:
            return
        keys = self._chance.choices(list(weather.entering), list(weather.entering.values()), k=count)
        for key in keys:
            self._request(key, start + self._chance.random() * 60_000, weather, tasks)

    def _request(self, key: Key, start: float, weather: Weather, tasks: Mapping[str, Sequence[str]]) -> None:
        self._order += 1
        walk = _Walk(f"{self._chance.getrandbits(128):032x}", self._order, tasks, [], [], {})
        end = self._call(key, None, start, weather, walk)
        self.traffic.lines.extend(walk.lines)
        chance = self._kept * (3 if end.outcome != "ok" or end.at_ms - start > SLOW_MS else 1)
        if self._chance.random() * 100 < chance:
            self.traffic.spans.extend(walk.spans)

    def _tried(self, key: Key, parent: str, start: float, weather: Weather, walk: "_Walk") -> _End:
        """A call, and again as often as its caller tries."""
        end = self._call(key, parent, start, weather, walk)
        for _ in range(self._services[key[0]].retries):
            if end.outcome != "ok":
                end = self._call(key, parent, end.at_ms + HOP_MS, weather, walk)
        return end

    def _call(self, key: Key, parent: str | None, start: float, weather: Weather, walk: "_Walk") -> _End:
        operation, service = self._climate.operations[key], self._services[key[0]]
        span_id = f"{self._chance.getrandbits(64):016x}"
        task = self._chance.choice(walk.tasks.get(service.name) or service.tasks or (service.name,))
        place = len(walk.spans)
        end = self._inside(operation, service, span_id, start, weather, walk)
        if not end.reached:
            return end
        failed = end.outcome != "ok"
        took, attributes = end.at_ms - start, {"error.message": end.cause} if failed else {}
        span = Span(walk.trace_id, span_id, parent, service.name, task, operation.name, round(start, 3), round(took, 3), failed, attributes)
        walk.spans.insert(place, span)
        if service.voice:
            seen = Happening(
                end.at_ms, service.name, task, operation.name, took, walk.trace_id, span_id, walk.subject, end.outcome, end.cause,
                _told(operation, weather) if end.outcome == "pool" else "", end.who, end.trace, operation.said.format(n=walk.subject),
                walk.delays.get(service.name, 0.0),
            )  # fmt: skip
            walk.lines.extend(LogLine(service.log_group, task, int(end.at_ms), message) for message in VOICES[service.voice](seen))
        return end

    def _inside(self, operation: Operation, service: Service, span_id: str, start: float, weather: Weather, walk: "_Walk") -> _End:
        """Own work, then the pool, then the calls one after the other. The first failure ends the call."""
        state = weather.services[service.name]
        injected = weather.failures.get((service.name, operation.name))
        if injected and injected.unreached and self._chance.random() < injected.share:
            return _End(start + injected.after_ms, "failed", injected.message, service.name, injected.seen, injected.trace, reached=False)
        own = operation.own_ms * state.slow * self._chance.lognormvariate(0, SPREAD)
        now = start + own * 0.5 + walk.wait(service.name, weather, self._chance)
        if state.refused and self._chance.random() < state.refused:
            return _End(start + 1, "failed", service.overload, service.name)
        if operation.pool:
            now, refused = self._connection(operation.pool, now, weather)
            if refused:
                return _End(now, "pool", refused, service.name)
        for callee in operation.calls:
            now += self._under_way(service.name, callee[0], weather)
            below = self._tried(callee, span_id, now + HOP_MS, weather, walk)
            now = below.at_ms + HOP_MS
            if below.outcome != "ok":
                return self._passed_on(now, below, callee[0])
        return self._own_end(service, operation, now + own * 0.5, weather)

    def _under_way(self, caller: str, callee: str, weather: Weather) -> float:
        between = weather.lags.get((caller, callee))
        if between is None or self._chance.random() >= between.share:
            return 0.0
        return between.by_ms * self._chance.uniform(0.7, 1.4)

    def _passed_on(self, now: float, below: _End, callee: str) -> _End:
        """A callee that logs nothing is told about by its caller, in the words and with the trace of the driver."""
        if below.trace and (not self._services[callee].voice or not below.reached):
            return _End(now, "upstream", below.cause, callee, trace=below.trace)
        return _End(now, "upstream", below.seen, callee)

    def _connection(self, name: str, now: float, weather: Weather) -> tuple[float, str]:
        pool, state = self._pools[name], weather.pools[name]
        if self._chance.random() < state.refused:
            return now + pool.timeout_ms, f"{name} - Connection is not available, request timed out after {pool.timeout_ms:.0f}ms"
        wait = min(self._chance.expovariate(1 / state.wait_ms), pool.timeout_ms * 0.98) if state.wait_ms > 0.01 else 0.0
        return now + wait, ""

    def _own_end(self, service: Service, operation: Operation, now: float, weather: Weather) -> _End:
        injected = weather.failures.get((service.name, operation.name))
        if injected and not injected.unreached and self._chance.random() < injected.share:
            return _End(now + injected.after_ms, "failed", injected.message, service.name, injected.seen, injected.trace)
        if self._chance.random() < BASE_FAILURES:
            return _End(now, "failed", service.hiccup or HICCUP, service.name, service.hiccup or UNAVAILABLE)
        return _End(now, "ok")


class _Walk(NamedTuple):
    trace_id: str
    subject: int
    tasks: Mapping[str, Sequence[str]]
    spans: list[Span]
    lines: list[LogLine]
    delays: dict[str, float]

    def wait(self, service: str, weather: Weather, chance: random.Random) -> float:
        """How much later a call of the service begins; remembered, so that its log can tell."""
        delay = weather.delays.get(service)
        if delay is None:
            return 0.0
        self.delays[service] = delay.by_ms * chance.uniform(0.8, 1.25) if chance.random() < delay.share else 0.0
        return self.delays[service]


def _told(operation: Operation, weather: Weather) -> str:
    if not operation.pool:
        return ""
    state = weather.pools[operation.pool]
    return f"total={state.size}, active={state.active:.0f}, idle={max(0, state.size - round(state.active))}, waiting={state.waiting:.0f}"
