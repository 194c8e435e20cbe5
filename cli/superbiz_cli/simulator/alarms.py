"""The alarm of a scenario: when its datapoints set it off and whether it has gone back since, and what the account's alarms say then."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from superbiz.domain.values import JsonObject, iso
from superbiz_cli.simulator.meters import Number, Row

DELAY = timedelta(seconds=84)  # from the start of the last datapoint to the change of state


class AlarmRule(NamedTuple):
    """Goes off when that many datapoints in a row lie below (or above) the threshold."""

    name: str
    namespace: str
    metric_name: str
    stat: str
    service: str
    threshold: float
    below: bool
    datapoints: int
    description: str

    @property
    def words(self) -> str:
        """As CloudWatch words it."""
        return "less than" if self.below else "greater than"

    def beyond(self, value: Number) -> bool:
        """Whether a datapoint breaches."""
        return value is not None and (value < self.threshold if self.below else value > self.threshold)


class Turn(NamedTuple):
    """A change of the alarm's state, and the datapoints that made it."""

    at: datetime
    state: str
    points: tuple[tuple[datetime, float], ...]


class Crossing(NamedTuple):
    """When the alarm went off last, the datapoints that did it, the metric's dimensions, all turns till now, and the way back, if any."""

    at: datetime
    points: tuple[tuple[datetime, float], ...]
    dimensions: dict[str, str]
    after: Turn | None = None
    turns: tuple[Turn, ...] = ()


def crossing(rule: AlarmRule, series: Sequence[Row], times: Sequence[datetime], now: datetime) -> Crossing:
    """The last time it went off. A scenario whose fault does not set off its alarm is a mistake."""
    row = _row(rule, series)
    turns = [t for t in _turns(rule, row.values, times) if t.at <= now]
    off = next((n for n in range(len(turns) - 1, -1, -1) if turns[n].state == "ALARM"), None)
    if off is None:
        raise ValueError(f"the faults do not set off {rule.name}: mend load, fault or threshold")
    return Crossing(turns[off].at, turns[off].points, row.dimensions, turns[off + 1] if off + 1 < len(turns) else None, tuple(turns))


def _row(rule: AlarmRule, series: Sequence[Row]) -> Row:
    wanted = (rule.namespace, rule.metric_name, rule.stat)
    return next(r for r in series if (r.namespace, r.metric_name, r.stat) == wanted and rule.service in r.dimensions.values())


def _turns(rule: AlarmRule, values: Sequence[Number], times: Sequence[datetime]) -> Iterator[Turn]:
    state, run = "OK", list[tuple[datetime, float]]()
    for moment, value in zip(times, values, strict=True):
        if value is None:  # CloudWatch keeps the state where data is missing
            continue
        beyond = rule.beyond(value)
        run = [*run, (moment, value)] if beyond else []
        if state == "OK" and len(run) == rule.datapoints:
            state = "ALARM"
            yield Turn(moment + DELAY, state, tuple(run))
        elif state == "ALARM" and not beyond:
            state = "OK"
            yield Turn(moment + DELAY, state, ((moment, value),))


def listing(rule: AlarmRule, found: Crossing, others: Sequence[JsonObject]) -> JsonObject:
    """`alarms.json`: this alarm, and those that stand beside it."""
    own = {"name": rule.name, "state": "ALARM", "reason": reason(rule, found), "metric": f"{rule.namespace} {rule.metric_name}",
           "dimensions": found.dimensions, "updated": iso(found.at)}  # fmt: skip
    history = [_turned(rule, turn) for turn in reversed(found.turns)]
    if found.after:
        own |= {"state": "OK", "reason": _told(rule, found.after), "updated": iso(found.after.at)}
    older = [
        {"timestamp": o["updated"], "alarm": o["name"], "from": "OK", "to": "ALARM", "reason": o["reason"]}
        for o in others
        if o["state"] == "ALARM"
    ]
    return {"alarms": [own, *others], "history": [*history, *older]}


def _turned(rule: AlarmRule, turn: Turn) -> JsonObject:
    before = "OK" if turn.state == "ALARM" else "ALARM"
    return {"timestamp": iso(turn.at), "alarm": rule.name, "from": before, "to": turn.state, "reason": _told(rule, turn)}


def reason(rule: AlarmRule, found: Crossing) -> str:
    """CloudWatch's sentence of the alarm, newest datapoint first."""
    return _off(rule, found.points)


def _told(rule: AlarmRule, turn: Turn) -> str:
    return _off(rule, turn.points) if turn.state == "ALARM" else _back(rule, turn)


def _off(rule: AlarmRule, points: Sequence[tuple[datetime, float]]) -> str:
    count = rule.datapoints
    beyond = f"{'datapoint' if count == 1 else 'datapoints'} {_shown(points)} {'was' if count == 1 else 'were'}"
    return (
        f"Threshold Crossed: {count} out of the last {count} {beyond} {rule.words} the threshold ({rule.threshold}) "
        f"(minimum {count} {'datapoint' if count == 1 else 'datapoints'} for OK -> ALARM transition)."
    )


def _back(rule: AlarmRule, turn: Turn) -> str:
    return (
        f"Threshold Crossed: 1 out of the last {rule.datapoints} datapoints {_shown(turn.points)} was not {rule.words} the threshold "
        f"({rule.threshold}) (minimum 1 datapoint for ALARM -> OK transition)."
    )


def _shown(points: Sequence[tuple[datetime, float]]) -> str:
    return f"[{', '.join(f'{value} ({moment:%d/%m/%y %H:%M:%S})' for moment, value in reversed(points))}]"
