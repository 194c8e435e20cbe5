"""Worlds without a fault, cut by a seed from the fault-free days of a set with alarms: what a diagnosis must not name a cause for.

`any` takes windows as they come, under an alarm that the worst of their datapoints just trips (one on the bad side of the median);
`worst` only those with a datapoint among the worst fiftieth of its metric, as an alarm on a percentile would; `elsewhere` the same with
the alarm on another resource.
"""

import json
import random
import statistics
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from bench import recorded
from bench.diagnosing import Case
from bench.sets import RECORDED

SEED = 20261130
WINDOWS = {"any": 60, "worst": 40, "elsewhere": 60}  # at most; windows of one alarm share no row
FIRST = 2  # rows of a window before the alarm may trip
LEAST_MEASURED = 0.9  # the share of datapoints that a resource must have for an alarm on it
FIFTIETH = 0.02
TIGHT = 0.05  # of the way from the datapoint that trips the alarm to the median: how tight its level is
QUIET: dict[str, Any] = {"expect": "no_fault", "resources": [], "fault_category": "NONE", "operation": None}
Row = dict[str, Any]


class Days(NamedTuple):
    """The fault-free days, and the form of the set's worlds. `rows` is the length of a window."""

    series: Sequence[Row]
    rows: int
    example: Path
    head: Row
    trigger: Row
    taken: Sequence[tuple[str, str]]

    @property
    def times(self) -> Sequence[str]:
        """Of every row."""
        times: Sequence[str] = self.series[0]["timestamps"]
        return times

    def free(self, start: int) -> bool:
        """Whether a window that starts at this row lies inside the days and shares no row with a world of the set."""
        end = start + self.rows
        return (
            start >= 0
            and end < len(self.times)
            and all(self.times[end] <= first or self.times[start] >= last for first, last in self.taken)
        )


class Alarm(NamedTuple):
    """A series that an alarm is on. `bad` is -1 where low values are."""

    row: Row
    bad: int

    def trips(self, start: int, rows: int) -> int:
        """The row of a window with its worst datapoint."""
        values = self.row["values"]
        known = [n for n in range(start + FIRST, start + rows) if values[n] is not None]
        return max(known, key=lambda n: self.bad * values[n], default=start + FIRST)

    @property
    def median(self) -> float:
        """Of all datapoints."""
        return float(statistics.median(v for v in self.row["values"] if v is not None))

    def is_bad(self, row: int) -> bool:
        """Whether a datapoint is on the bad side of the median: no alarm's level lies on the other."""
        value = self.row["values"][row]
        return value is not None and self.bad * (value - self.median) > 0

    def worst(self) -> list[int]:
        """The rows of the worst fiftieth."""
        known = [n for n, v in enumerate(self.row["values"]) if v is not None]
        return sorted(known, key=lambda n: -self.bad * self.row["values"][n])[: round(len(known) * FIFTIETH)]


def windows(name: str, out: Path) -> list[Case]:
    """Written into a folder of their own; none where the set is not on this machine."""
    place = recorded.folder(name)
    if place is None:
        return []
    days = _days(place / "worlds", out)
    own, others = _alarms(days)
    chance, cases = random.Random(SEED), []
    for kind, count in WINDOWS.items():
        found = _starts(days, others if kind == "elsewhere" else own, any_row=kind == "any")
        for n, (alarm, start) in enumerate(_apart(chance.sample(found, len(found)), days.rows)[:count]):
            folder = _write(out / f"{name}-{kind}-{n:03d}", days, alarm, start)
            cases.append(Case(RECORDED.get(name, name), folder.name, folder, QUIET, str(alarm.row["metric_name"]), kind))
    return cases


def _days(worlds: Path, out: Path) -> Days:
    own = sorted(f.parent for f in worlds.glob("*/trigger.json"))
    heads = [read(world / "world.json") for world in own]
    normal = (own[0] / heads[0]["metrics_normal"]).resolve()
    (out / "normal.json").symlink_to(normal)
    rows = max(len(row["timestamps"]) for row in read(own[0] / "metrics.json"))
    taken = [(h["window"]["start"], h["window"]["end"]) for h in heads]
    return Days(read(normal), rows, own[0], heads[0], read(own[0] / "trigger.json"), taken)


def _alarms(days: Days) -> tuple[list[Alarm], list[Alarm]]:
    """(on the resource that the set's alarms are on, on others that have nearly all datapoints, and not always the same)."""
    asked = _asked(days.trigger)
    on = [read(f) for f in days.example.parent.glob("*/trigger.json")]
    known = {(_asked(t)["metric"]["name"], _asked(t)["stat"], _falls(t)) for t in on}
    bad = {(metric, stat): -1 if falls else 1 for metric, stat, falls in known}
    alarms = [Alarm(row, bad[row["metric_name"], row["stat"]]) for row in days.series if (row["metric_name"], row["stat"]) in bad]
    own = [a for a in alarms if a.row["dimensions"] == asked["metric"]["dimensions"]]
    return own, [a for a in alarms if a not in own and _lively(a.row["values"])]


def _lively(values: Sequence[float | None]) -> bool:
    known = [v for v in values if v is not None]
    return len(known) >= LEAST_MEASURED * len(values) and len(set(known)) > len(known) * FIFTIETH


def _starts(days: Days, alarms: Sequence[Alarm], *, any_row: bool) -> list[tuple[Alarm, int]]:
    """Windows that may be taken, each with its alarm."""
    if any_row:
        found = ((alarm, start) for alarm in alarms for start in range(len(days.times)))
    else:
        found = ((alarm, row - n) for alarm in alarms for row in alarm.worst() for n in range(FIRST, days.rows))
    return [(alarm, start) for alarm, start in found if days.free(start) and alarm.is_bad(alarm.trips(start, days.rows))]


def _apart(found: Sequence[tuple[Alarm, int]], rows: int) -> list[tuple[Alarm, int]]:
    """Of windows of one alarm that share a row, the first: the same bad moment counts once."""
    kept: list[tuple[Alarm, int]] = []
    for alarm, start in found:
        if all(alarm is not other or abs(start - begun) >= rows for other, begun in kept):
            kept.append((alarm, start))
    return kept


def _write(folder: Path, days: Days, alarm: Alarm, start: int) -> Path:
    folder.mkdir()
    end, trips = start + days.rows, alarm.trips(start, days.rows)
    now = moment(days.times[end]) + timedelta(minutes=1)
    window = {"start": days.times[start], "end": days.times[end]}
    head = {**days.head, "id": folder.name, "now": text(now), "window": window, "metrics_normal": "../normal.json"}
    cut = [{**row, "timestamps": days.times[start:end], "values": row["values"][start:end]} for row in days.series]
    documents = {
        "world": head,
        "metrics": [row for row in cut if any(v is not None for v in row["values"])],
        "trigger": _event(days.trigger, alarm, days.times, trips),
    }
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "service_map.json").symlink_to((days.example / "service_map.json").resolve())
    return folder


def _event(like: Row, alarm: Alarm, times: Sequence[str], trips: int) -> Row:
    """The event of the set's own alarms, with another metric, level and time."""
    row, values = alarm.row, alarm.row["values"]
    value, at = values[trips], moment(times[trips])
    level = round(value + TIGHT * (alarm.median - value), 9)
    side, metric, stat = ("less" if alarm.bad < 0 else "greater"), row["metric_name"], row["stat"]
    resource = next(iter(row["dimensions"].values()))
    stated = (
        f"Threshold Crossed: 1 out of the last 1 datapoints [{value} ({at:%d/%m/%y %H:%M:%S})] was {side} than the threshold ({level})."
    )
    asked = {
        "metric": {"namespace": row["namespace"], "name": metric, "dimensions": row["dimensions"]},
        "period": row["period"],
        "stat": stat,
    }
    fired = at + timedelta(seconds=row["period"] + 40)
    detail = {
        "alarmName": f"{resource}-{metric}-{stat}",
        "state": {"value": "ALARM", "reason": stated, "timestamp": f"{fired:%Y-%m-%dT%H:%M:%S.000+0000}"},
        "previousState": {**like["detail"]["previousState"], "timestamp": f"{at:%Y-%m-%dT%H:%M:%S.000+0000}"},
        "configuration": {"description": f"{metric} of {resource}", "metrics": [{"id": "m1", "metricStat": asked, "returnData": True}]},
    }
    arn = like["resources"][0].rpartition(":")[0]
    return {**like, "time": text(fired), "resources": [f"{arn}:{detail['alarmName']}"], "detail": detail}


def _asked(trigger: Row) -> Row:
    asked: Row = trigger["detail"]["configuration"]["metrics"][0]["metricStat"]
    return asked


def _falls(trigger: Row) -> bool:
    return " less than " in trigger["detail"]["state"]["reason"]


def read(file: Path) -> Any:
    """A JSON file."""
    return json.loads(file.read_text(encoding="utf-8"))


def moment(stamp: str) -> datetime:
    """A time as worlds write it."""
    return datetime.fromisoformat(stamp)


def text(at: datetime) -> str:
    """As worlds write it."""
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
