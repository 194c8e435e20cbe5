"""What the tools share: the window of a query, numbers fit to be cited, series with what is ordinary for them."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from pydantic import Field, model_validator

from superbiz.analysis import metrics
from superbiz.analysis.metrics import Array, Points
from superbiz.domain.observations import Series
from superbiz.domain.values import UtcTime, Window, iso
from superbiz.errors import Invalid
from superbiz.ports import EvidenceSource
from superbiz.tools.tool import ToolContext, ToolInput

T = TypeVar("T")
LOOKBACK = timedelta(hours=3)  # before the window: what a baseline is taken from where there is no normal period
AFTERMATH = timedelta(minutes=5)  # after it: datapoints that began inside it
LAST_HOUR = timedelta(hours=1)
LONGEST = timedelta(days=14)
EARLY_SHARE = 0.4  # of a window, where nothing before it is known
SIGNIFICANT_DIGITS = 6
FIRST_MOMENT, LAST_MOMENT = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
NORMAL, BEFORE, EARLY = "normal period", "time before the window", "first part of the window"
SAME_HOURS = "same hours of the normal period"


class Windowed(ToolInput):
    """Where neither end is given, the incident's own window is meant."""

    start: UtcTime | None = Field(default=None, description="start of the window, ISO-8601 with Z")
    end: UtcTime | None = Field(default=None, description="end of the window, exclusive")

    @model_validator(mode="after")
    def _in_order(self) -> "Windowed":
        if self.start and self.end and not timedelta(0) < self.end - self.start <= LONGEST:
            raise ValueError(f"start must be before end, and at most {LONGEST.days} days before it")
        return self


class Measured(NamedTuple):
    """A series with its datapoints in the window, and those that are ordinary for it. `basis` says where these were taken from.

    `same_hours` are those of the same hours of other days, where the series has a daily rhythm.
    """

    series: Series
    seen: Points
    usual: Points
    basis: str
    same_hours: Points | None = None

    @property
    def ordinary(self) -> Array:
        """The ordinary values, of this hour where that matters."""
        return (self.same_hours or self.usual).values


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


def measured(source: EvidenceSource, window: Window, now: datetime, wanted: Callable[[Series], bool]) -> list[Measured]:
    """The wanted series that have a datapoint in the window."""
    read = Window(start=earlier(window.start, LOOKBACK), end=max(min(later(window.end, AFTERMATH), later(now, AFTERMATH)), window.end))
    usual = {_key(s): s for s in source.normal_metrics() or () if wanted(s)}
    found = (_measured(s, usual.get(_key(s)), window) for s in source.metrics(read) if wanted(s))
    return [m for m in found if len(m.seen.values)]


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


def _key(series: Series) -> tuple[str, str, str, tuple[tuple[str, str], ...]]:
    return series.namespace, series.metric_name, series.stat, tuple(sorted(series.dimensions.items()))


def _measured(series: Series, usual: Series | None, window: Window) -> Measured:
    """A datapoint stands for the period that begins at its time, so those that overlap the window belong to it; one more on either
    side does too, since clocks and periods never fit exactly."""
    given = metrics.points_of(series)
    start, end = window.start.timestamp() - 2 * series.period, window.end.timestamp() + series.period
    seen = metrics.between(given, start + 1e-6, end)
    if usual is not None:
        ordinary = metrics.points_of(usual)
        if len(ordinary.values) >= metrics.FEWEST:
            same_hours = metrics.seasonal(ordinary, window.start.timestamp(), window.end.timestamp())
            return Measured(series, seen, ordinary, NORMAL if same_hours is None else SAME_HOURS, same_hours)
    before = metrics.between(given, float("-inf"), start + 1e-6)
    if len(before.values) >= metrics.FEWEST:
        return Measured(series, seen, before, BEFORE)
    early = int(len(seen.values) * EARLY_SHARE)
    return Measured(series, seen, Points(seen.times[:early], seen.values[:early]), EARLY)
