"""Spans of time as calls and outputs tell them, and which moments lie in them."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from superbiz.domain.reading.times import EPOCHS, Moment
from superbiz.domain.values import Window

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
_ENDS = (("start", "end"), ("start_time", "end_time"), ("startTime", "endTime"), ("from", "to"), ("since", "until"))
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?\Z")


def told(document: Any) -> Window | None:
    """The span in a `window` field, or in fields that name a start and an end; ISO times and epoch seconds or milliseconds."""
    if not isinstance(document, Mapping):
        return None
    within = document.get("window")
    for place in (p for p in (within, document) if isinstance(p, Mapping)):
        for first, last in _ENDS:
            start, end = _instant(place.get(first)), _instant(place.get(last))
            if start and end and start <= end:
                return Window(start=start, end=end)
    return None


def overlap(one: Window, other: Window) -> bool:
    """Whether they share a moment; ends that meet do."""
    return one.start <= other.end and other.start <= one.end


def holds(window: Window, moment: Moment) -> bool:
    """Whether a moment, to the minute, lies in the window, its last minute included. One that tells no day may be of any day of it."""
    if moment.clock is None:
        return any(_fits(moment.day, day) for day in _days(window))
    clock = moment.clock
    fitting = (_at(day, clock) for day in _days(window) if _fits(moment.day, day))
    return any(window.start - MINUTE < at <= window.end + MINUTE for at in fitting)


def _at(day: date, clock: tuple[int, int]) -> datetime:
    return datetime(day.year, day.month, day.day, *clock, tzinfo=UTC)


def _days(window: Window) -> Iterator[date]:
    """At most a year of them: a longer window holds every clock."""
    day, last = window.start.date(), window.end.date()
    for _ in range(367):
        if day > last:
            return
        yield day
        day += DAY


def _fits(told_day: str | None, day: date) -> bool:
    return not told_day or day.isoformat().endswith(told_day)


def _instant(given: Any) -> datetime | None:
    if isinstance(given, str) and _ISO.match(given):
        try:
            at = datetime.fromisoformat(given.replace("Z", "+00:00").replace(",", "."))
        except ValueError:
            return None
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    if isinstance(given, int | float) and not isinstance(given, bool):
        return next((datetime.fromtimestamp(given * scale, UTC) for low, high, scale in EPOCHS if low <= given < high), None)
    return None
