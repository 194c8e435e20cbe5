"""What the tools share: the window of a query, numbers fit to be cited, and how every output ends."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from pydantic import Field, model_validator

from superbiz.analysis import metrics
from superbiz.domain.values import UtcTime, Window, iso
from superbiz.errors import Invalid
from superbiz.ports import EvidenceSource
from superbiz.tools.tool import ToolContext, ToolInput

T = TypeVar("T")
LOOKBACK = timedelta(hours=3)  # before the window: what a baseline is taken from where there is no normal period
AFTERMATH = timedelta(minutes=5)  # after it: datapoints that began inside it
LAST_HOUR = timedelta(hours=1)
LONGEST = timedelta(days=14)
SIGNIFICANT_DIGITS = 6
NORMAL, BEFORE, EARLY = "normal period", "time before the window", "first part of the window"
SAME_HOURS = "same hours of the normal period"
FIRST_MOMENT, LAST_MOMENT = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class Windowed(ToolInput):
    """Where neither end is given, the incident's own window is meant."""

    start: UtcTime | None = Field(default=None, description="start of the window, ISO-8601 with Z")
    end: UtcTime | None = Field(default=None, description="end of the window, exclusive")

    @model_validator(mode="after")
    def _in_order(self) -> "Windowed":
        if self.start and self.end and not timedelta(0) < self.end - self.start <= LONGEST:
            raise ValueError(f"start must be before end, and at most {LONGEST.days} days before it")
        return self


def window_of(params: Windowed, context: ToolContext) -> Window:
    """The window asked for, else the incident's, else the hour before now."""
    given = context.window or Window(start=earlier(context.now, LAST_HOUR), end=context.now)
    start, end = params.start or given.start, params.end or given.end
    if start >= end:
        raise Invalid("the window ends before it starts", code="INVALID_INPUT", mend="give both start and end")
    return Window(start=start, end=end)


def whole(value: float) -> int | float:
    """A number to six significant digits, without a fraction where it has none."""
    if not math.isfinite(value):
        return 0
    shown = float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    return int(shown) if shown == int(shown) and abs(shown) < 1e15 else shown


def when(epoch: float) -> str:
    """Epoch seconds as ISO-8601."""
    return iso(metrics.moment(epoch))


def when_ms(milliseconds: float) -> str | None:
    """Epoch milliseconds as ISO-8601; None for clocks that are out of all reason."""
    try:
        return iso(datetime.fromisoformat("1970-01-01T00:00:00+00:00") + timedelta(milliseconds=milliseconds))
    except OverflowError:
        return None


def earlier(moment: datetime, by: timedelta) -> datetime:
    """So much before it, but never before the calendar begins."""
    return moment - by if moment - FIRST_MOMENT > by else FIRST_MOMENT


def later(moment: datetime, by: timedelta) -> datetime:
    """So much after it, but never after the calendar ends."""
    return moment + by if LAST_MOMENT - moment > by else LAST_MOMENT


def hour_before(window: Window) -> Window:
    """What logs and traces are compared with where there is no normal period."""
    return Window(start=earlier(window.start, LAST_HOUR), end=window.start)


def named(names: Sequence[str]) -> Callable[[str], bool]:
    """Whether a name is one of those asked for, case aside; any is, where none are."""
    wanted = {n.casefold() for n in names}
    return lambda name: not wanted or name.casefold() in wanted


def top(rows: Sequence[T], limit: int) -> tuple[list[T], int]:
    """The first rows, and how many were left out."""
    return list(rows[:limit]), max(len(rows) - limit, 0)


def called(calls: Mapping[str, Collection[str]]) -> list[dict[str, Any]]:
    """Who calls whom, as rows: those that call somebody."""
    return [{"name": name, "calls": sorted(calls[name])} for name in sorted(calls) if calls[name]]


def unusable(source: EvidenceSource) -> list[str]:
    """What the source could not use, in its own sentences."""
    return list(source.unusable())


def frame(window: Window, left_out: Mapping[str, int] | None = None, notes: Iterable[str] = ()) -> dict[str, Any]:
    """The fields that every output ends with; the recorder adds when it was queried and whether it is complete."""
    out: dict[str, Any] = {"window": window.to_json()}
    if left_out and any(left_out.values()):
        out["left_out"] = {name: count for name, count in left_out.items() if count}
    said = list(notes)
    return out | ({"notes": said} if said else {})
