"""What services log when nobody asks them anything: health checks, jobs, collections, warnings that are always there; and what a fault
makes them say over and over."""

import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from superbiz.domain.observations import LogLine
from superbiz_cli.simulator.system import System
from superbiz_cli.simulator.voices import stamp


class Rollout(NamedTuple):
    """From then on a service runs in other tasks; those that are not `alive` end before they do or say anything of their own."""

    service: str
    at: datetime
    tasks: tuple[str, ...]
    alive: bool = True


class Habit(NamedTuple):
    """A line every so many seconds, give or take a third, always or between two times.

    `{…}` are filled: stamp, plain, comma, zone (the time in four spellings), task, n (a drawn number).
    """

    service: str
    every: float
    template: str
    low: int = 1
    high: int = 100
    since: datetime | None = None
    until: datetime | None = None
    group: str = ""


def chatter(
    system: System, habits: Sequence[Habit], rollouts: Sequence[Rollout], start: datetime, end: datetime, seed: int
) -> Iterator[LogLine]:
    """All habits' lines between two times, from the tasks that run then."""
    services = system.by_name
    for number, habit in enumerate(habits):
        chance = random.Random(f"{seed}/{start.isoformat()}/{number}")
        service = services[habit.service]
        last = min(end, habit.until or end)
        at = max(start, habit.since or start) + timedelta(seconds=habit.every * chance.random())
        while at < last:
            tasks = running(rollouts, service.name, at, service.tasks or (habit.service,))
            task = chance.choice(tasks or service.tasks)
            ms = at.timestamp() * 1000
            text = habit.template.format(stamp=stamp(ms), plain=stamp(ms, " "), comma=stamp(ms, " ", ","), zone=stamp(ms,
                " ")[:19] + " UTC",
                                         task=task, n=chance.randint(habit.low, habit.high))  # fmt: skip
            if tasks:
                yield LogLine(habit.group or service.log_group, task, int(ms), text)
            at += timedelta(seconds=habit.every * chance.uniform(0.67, 1.33))


def running(rollouts: Sequence[Rollout], service: str, moment: datetime, usual: Sequence[str]) -> Sequence[str]:
    """The tasks that speak for a service at a time."""
    last = next((r for r in reversed(rollouts) if r.service == service and r.at <= moment), None)
    if last is None:
        return usual
    return last.tasks if last.alive else ()
