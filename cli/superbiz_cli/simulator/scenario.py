"""An incident to be simulated, as one value, and the writing of its world."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from superbiz.domain.observations import LogLine
from superbiz.domain.values import JsonObject, iso
from superbiz_cli.simulator import alarms, gauges, writing
from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.chatter import Habit, chatter
from superbiz_cli.simulator.faults import Fault
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.requests import Walker
from superbiz_cli.simulator.system import Service, System
from superbiz_cli.simulator.weather import MINUTE, Climate, Weather


class Rollout(NamedTuple):
    """From then on a service runs in other tasks."""

    service: str
    at: datetime
    tasks: tuple[str, ...]


class Scenario(NamedTuple):
    """`lookback` is how far before the window the metrics begin; the normal period is the day before, `normal_minutes` of it with metrics
    and `quiet_minutes` of these with logs and traces."""

    id: str
    system: System
    cluster: str
    load: Load
    faults: tuple[Fault, ...]
    start: datetime
    end: datetime
    now: datetime
    alarm: AlarmRule
    habits: tuple[Habit, ...] = ()
    rollouts: tuple[Rollout, ...] = ()
    said: tuple[LogLine, ...] = ()
    changes: tuple[JsonObject, ...] = ()
    other_alarms: tuple[JsonObject, ...] = ()
    insights: JsonObject = {}  # noqa: RUF012 - a default that nobody changes
    runbooks: Mapping[str, str] = {}
    region: str = "eu-west-1"
    account: str = "111122223333"
    lookback: timedelta = timedelta(minutes=65)
    normal_minutes: int = 150
    quiet_minutes: int = 12


def write(folder: Path, scenario: Scenario, seed: int) -> None:
    """Write the scenario's world; `world.json` comes last, so that a folder is a world only once it is whole."""
    climate = Climate(scenario.system, scenario.load, scenario.faults, seed)
    weather = list(climate.minutes(scenario.start - scenario.lookback, scenario.end))
    times = [w.at for w in weather]
    series = list(gauges.rows(climate, weather, scenario.cluster))
    crossing = alarms.crossing(scenario.alarm, series, times)
    writing.write_series(folder / "metrics.json", series, times, 60)
    _write_traffic(folder, scenario, climate, [w for w in weather if w.at >= scenario.start])
    _write_normal(folder / "normal", scenario, seed + 1)
    writing.write_json(folder / "service_map.json", {"services": [_mapped(scenario.system, s) for s in scenario.system.services]})
    writing.write_json(folder / "alarms.json", alarms.listing(scenario.alarm, crossing, scenario.other_alarms))
    writing.write_json(folder / "events.json", list(scenario.changes))
    writing.write_json(folder / "insights.json", scenario.insights)
    writing.write_json(folder / "trigger.json", alarms.trigger(scenario.alarm, crossing, scenario.region, scenario.account, seed))
    writing.write_runbooks(folder / "knowledge", scenario.runbooks)
    writing.write_json(folder / "world.json", _head(scenario))


def _head(scenario: Scenario) -> JsonObject:
    return {
        "schema": "world/1",
        "id": scenario.id,
        "region": scenario.region,
        "account": scenario.account,
        "now": iso(scenario.now),
        "window": {"start": iso(scenario.start), "end": iso(scenario.end)},
        "normal": "normal",
        "source": {"name": "superbiz simulator", "licence": "Apache-2.0", "commit": ""},
        "missing": [],
    }


def _mapped(system: System, service: Service) -> JsonObject:
    return {"name": service.name, "type": service.kind, "calls": list(system.calls_of(service))}


def _write_traffic(folder: Path, scenario: Scenario, climate: Climate, weather: Sequence[Weather]) -> None:
    """Logs and traces of those minutes."""
    walker = Walker(climate)
    for minute in weather:
        walker.minute(minute, {r.service: r.tasks for r in scenario.rollouts if climate.faults and r.at <= minute.at})
    start, end = weather[0].at, weather[-1].at + MINUTE
    said = scenario.said if climate.faults else ()
    lines = [*walker.traffic.lines, *chatter(scenario.system, scenario.habits, start, end, climate.seed), *said]
    low, high = start.timestamp() * 1000, end.timestamp() * 1000
    writing.write_log_lines(folder / writing.LOGS, sorted((x for x in lines if low <= x.timestamp < high), key=lambda x: x.timestamp))
    writing.write_spans(folder / writing.TRACES, sorted(walker.traffic.spans, key=lambda s: s.start_ms))


def _write_normal(folder: Path, scenario: Scenario, seed: int) -> None:
    """The day before without a fault: metrics of the same hours, logs and traces of some minutes of them."""
    climate = Climate(scenario.system, scenario.load, (), seed)
    start = scenario.start - scenario.lookback - timedelta(days=1)
    weather = list(climate.minutes(start, start + scenario.normal_minutes * MINUTE))
    writing.write_series(folder / "metrics.json", gauges.rows(climate, weather, scenario.cluster), [w.at for w in weather], 60)
    first = (scenario.normal_minutes - scenario.quiet_minutes) // 2
    _write_traffic(folder, scenario, climate, weather[first : first + scenario.quiet_minutes])
