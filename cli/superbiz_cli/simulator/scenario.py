"""An incident to be simulated, as one value, and the writing of its world."""

import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from superbiz.domain.observations import LogLine
from superbiz.domain.values import JsonObject, iso
from superbiz_cli.simulator import alarms, faults, meters, notices, writing
from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.chatter import Habit, Rollout, chatter
from superbiz_cli.simulator.faults import Fault
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.meters import Row
from superbiz_cli.simulator.requests import Walker
from superbiz_cli.simulator.system import Service, System
from superbiz_cli.simulator.weather import MINUTE, Climate, Weather


class Gap(NamedTuple):
    """A metric of a resource (all, where none is named) without datapoints: between two times a share of them, or the series altogether.

    What is gone altogether is gone from the normal period too.
    """

    metric_name: str
    resource: str = ""
    since: datetime | None = None
    until: datetime | None = None
    share: float = 1.0


class Scenario(NamedTuple):
    """`lookback` is how far before the window the metrics begin; the normal period is the day before, `normal_minutes` of it with metrics
    and `quiet_minutes` of these with logs and traces.

    An alarm arrives as `notice`; a scenario without one has a `question`. `without` names files (or `normal`) that do not exist.
    """

    id: str
    system: System
    cluster: str
    load: Load
    faults: tuple[Fault, ...]
    start: datetime
    end: datetime
    now: datetime
    alarm: AlarmRule | None = None
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
    notice: str = "eventbridge"
    labels: Mapping[str, str] = {}
    summary: str = ""
    question: str = ""
    without: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    always: tuple[Fault, ...] = ()


def write(folder: Path, scenario: Scenario, seed: int) -> None:
    """Write the scenario's world; `world.json` comes last, so that a folder is a world only once it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    climate = Climate(scenario.system, scenario.load, scenario.always + scenario.faults, seed)
    weather = list(climate.minutes(scenario.start - scenario.lookback, scenario.end))
    times = [w.at for w in weather]
    series = list(meters.rows(climate, weather, scenario.cluster))
    _write_trigger(folder, scenario, series, times, seed)
    _write_series(folder / "metrics.json", scenario, series, times, seed)
    _write_traffic(folder, scenario, climate, [w for w in weather if w.at >= scenario.start], incident=True)
    if "normal" not in scenario.without:
        _write_normal(folder / "normal", scenario, seed + 1)
    shown = [s for s in scenario.system.services if s.kind]
    _write(folder, scenario, "service_map.json", {"services": [_mapped(scenario.system, s) for s in shown]})
    _write(folder, scenario, "events.json", sorted(scenario.changes, key=lambda c: str(c["time"])))
    if scenario.insights:
        _write(folder, scenario, "insights.json", scenario.insights)
    if scenario.runbooks:
        writing.write_runbooks(folder / "knowledge", scenario.runbooks)
    writing.write_json(folder / "world.json", _head(scenario))


def _write(folder: Path, scenario: Scenario, name: str, document: object) -> None:
    if name.removesuffix(".json") not in scenario.without:
        writing.write_json(folder / name, document)


def _write_trigger(folder: Path, scenario: Scenario, series: Sequence[Row], times: Sequence[datetime], seed: int) -> None:
    """The event or the question, and the alarms as they stand."""
    if scenario.question:
        writing.write_json(folder / "question.json", {"question": scenario.question})
    if scenario.alarm is None:
        _write(folder, scenario, "alarms.json", {"alarms": list(scenario.other_alarms), "history": []})
        return
    found = alarms.crossing(scenario.alarm, series, times, scenario.now)
    place = notices.Place(scenario.region, scenario.account, seed, scenario.labels, scenario.summary)
    writing.write_json(folder / "trigger.json", notices.NOTICES[scenario.notice](scenario.alarm, found, place))
    _write(folder, scenario, "alarms.json", alarms.listing(scenario.alarm, found, scenario.other_alarms))


def _head(scenario: Scenario) -> JsonObject:
    head: JsonObject = {
        "schema": "world/1",
        "id": scenario.id,
        "region": scenario.region,
        "account": scenario.account,
        "now": iso(scenario.now),
        "window": {"start": iso(scenario.start), "end": iso(scenario.end)},
        "normal": "normal",
        "source": {"name": "superbiz simulator", "licence": "Apache-2.0", "commit": ""},
        "missing": list(scenario.without),
    }
    if "normal" in scenario.without:
        del head["normal"]
    return head


def _mapped(system: System, service: Service) -> JsonObject:
    return {"name": service.name, "type": service.kind, "calls": list(system.calls_of(service))}


def _write_series(file: Path, scenario: Scenario, series: Iterable[Row], times: Sequence[datetime], seed: int) -> None:
    if "metrics" in scenario.without:
        return
    chance = random.Random(f"{seed}/gaps")
    kept = [row for row in series if not any(_fits(g, row) and g.since is None and g.share == 1 for g in scenario.gaps)]
    for gap in scenario.gaps:
        for n, row in enumerate(kept):
            if _fits(gap, row):
                kept[n] = row._replace(values=[_kept(gap, t, v, chance) for t, v in zip(times, row.values, strict=True)])
    writing.write_series(file, kept, times, 60)


def _kept(gap: Gap, moment: datetime, value: meters.Number, chance: random.Random) -> meters.Number:
    inside = (gap.since is None or gap.since <= moment) and (gap.until is None or moment < gap.until)
    return None if inside and chance.random() < gap.share else value


def _fits(gap: Gap, row: Row) -> bool:
    return gap.metric_name in ("", row.metric_name) and (not gap.resource or gap.resource in row.dimensions.values())


def _write_traffic(folder: Path, scenario: Scenario, climate: Climate, weather: Sequence[Weather], *, incident: bool) -> None:
    """Logs and traces of those minutes."""
    walker = Walker(climate)
    rollouts = scenario.rollouts if incident else ()
    for minute in weather:
        walker.minute(minute, {r.service: r.tasks for r in rollouts if r.at <= minute.at})
    start, end = weather[0].at, weather[-1].at + MINUTE
    said = scenario.said if incident else ()
    lines = [*walker.traffic.lines, *chatter(scenario.system, scenario.habits, rollouts, start, end, climate.seed), *said]
    silent = [f for f in climate.faults if isinstance(f, faults.Stopped)]
    low, high = start.timestamp() * 1000, end.timestamp() * 1000
    kept = sorted((x for x in lines if low <= x.timestamp < high and not _silenced(x, silent, scenario.system)), key=lambda x: x.timestamp)
    if "logs" not in scenario.without:
        writing.write_log_lines(folder / writing.LOGS, kept)
    if "traces" not in scenario.without:
        writing.write_spans(folder / writing.TRACES, sorted(walker.traffic.spans, key=lambda s: s.start_ms))


def _silenced(line: LogLine, silent: Sequence[faults.Stopped], system: System) -> bool:
    return any(
        f.start.timestamp() * 1000 <= line.timestamp < f.end.timestamp() * 1000 and line.log_stream in system.by_name[f.service].tasks
        for f in silent
    )


def _write_normal(folder: Path, scenario: Scenario, seed: int) -> None:
    """The day before without a fault: metrics of the same hours, logs and traces of some minutes of them."""
    climate = Climate(scenario.system, scenario.load, _day_before(scenario.always), seed)
    start = scenario.start - scenario.lookback - timedelta(days=1)
    weather = list(climate.minutes(start, start + scenario.normal_minutes * MINUTE))
    times = [w.at for w in weather]
    _write_series(folder / "metrics.json", scenario, meters.rows(climate, weather, scenario.cluster), times, seed)
    first = (scenario.normal_minutes - scenario.quiet_minutes) // 2
    _write_traffic(folder, scenario, climate, weather[first : first + scenario.quiet_minutes], incident=False)


def _day_before(always: Iterable[Fault]) -> tuple[Fault, ...]:
    """What happens every day at that hour happened the day before too."""
    day = timedelta(days=1)
    return tuple(
        f._replace(at=f.at - day) if isinstance(f, faults.PoolResize) else f._replace(start=f.start - day, end=f.end - day) for f in always
    )
