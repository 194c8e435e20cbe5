"""A world of the catalogue: the scenario, and what a good engineer concludes from it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from superbiz.domain.values import JsonObject, iso
from superbiz_cli.simulator.scenario import Scenario

DAY = datetime(2026, 6, 9, tzinfo=UTC)  # a Tuesday


class Truth(NamedTuple):
    """The right answer. Any of `resources` counts as the cause; in a double fault `second` holds those of the other cause.

    `also` are categories that are as right as `fault_category`, `rank` the place by which a true resource must have come. `ruled_out` and
    `not_checked` are words that a report must name there; `telling` words events that speak for the cause and must never be ruled out.
    """

    expect: str
    resources: tuple[str, ...] = ()
    fault_category: str = "NONE"
    operation: str | None = None
    also: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    second_category: str = ""
    rank: int = 1
    ruled_out: tuple[str, ...] = ()
    not_checked: tuple[str, ...] = ()
    telling: tuple[str, ...] = ()

    def as_row(self, notes: str) -> JsonObject:
        """A row of truth.json."""
        return {
            "expect": self.expect,
            "resources": [*self.resources, *self.second],
            "fault_category": self.fault_category,
            "operation": self.operation,
            "notes": notes,
        }


class Story(NamedTuple):
    """One world."""

    scenario: Scenario
    truth: Truth


Teller = Callable[[], Story]


def at(hour: int, minute: int, second: int = 0) -> datetime:
    """A time of the catalogue's day."""
    return DAY.replace(hour=hour, minute=minute, second=second)


def change(moment: datetime, source: str, name: str, resource: str, message: str, actor: str = "", **raw: object) -> JsonObject:
    """A row of events.json."""
    return {"time": iso(moment), "source": source, "name": name, "resource": resource, "actor": actor, "message": message, "raw": raw}


def standing(name: str, metric: str, dimensions: dict[str, str], since: datetime, threshold: float, *, ringing: bool = False) -> JsonObject:
    """Another alarm of the account, as it stands."""
    words = "Threshold Crossed: 3 datapoints were" if ringing else "Threshold Crossed: 1 datapoint was not"
    told = f"{words} greater than the threshold ({threshold})."
    return {
        "name": name,
        "state": "ALARM" if ringing else "OK",
        "reason": told,
        "metric": metric,
        "dimensions": dimensions,
        "updated": iso(since),
    }
