"""Which rows of a file belong to a window, by their times in epoch milliseconds, and from when to when a file reaches."""

import math
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from superbiz.domain.observations import LogLine
from superbiz.domain.values import Window

WEEKS_BEFORE, CLOCKS_DIFFER = 28 * 86_400.0, 600.0  # seconds


class Extent(NamedTuple):
    """The first and last time of a file, and whether its rows came in order."""

    first: float
    last: float
    in_order: bool

    def with_times(self, times: Sequence[float]) -> "Extent":
        """The same with the times of further rows."""
        if not times:
            return self
        in_order = self.in_order and self.last <= times[0] and all(a <= b for a, b in pairwise(times))
        return Extent(min(self.first, *times), max(self.last, *times), in_order)


NOTHING = Extent(math.inf, -math.inf, True)


class Cut(NamedTuple):
    """Rows from `start` on and before `end`; or, of a normal period, those before `start` and after `end`."""

    start: float = -math.inf
    end: float = math.inf
    inside: bool = True

    @classmethod
    def to(cls, window: Window | None) -> "Cut":
        """The rows of a window; all where there is none."""
        return cls() if window is None else cls(window.start.timestamp() * 1000, window.end.timestamp() * 1000)

    @classmethod
    def around(cls, window: Window | None) -> "Cut":
        """The rows outside a window; all where there is none."""
        return cls.to(window)._replace(inside=window is None)

    def holds(self, milliseconds: float) -> bool:
        """Whether a row of this time belongs to it."""
        return self.start <= milliseconds < self.end if self.inside else not self.start <= milliseconds <= self.end

    def kept(self, lines: Sequence[LogLine]) -> Sequence[LogLine]:
        """The lines that belong to it."""
        return lines if self == Cut() else [line for line in lines if self.holds(line.timestamp)]

    def misses(self, extent: Extent) -> bool:
        """Whether no row of a file can belong to it."""
        return self.inside and (extent.last < self.start or extent.first >= self.end)

    def is_over(self, milliseconds: float) -> bool:
        """Whether, in a file in order of time, nothing more belongs to it."""
        return self.inside and milliseconds >= self.end


class About(NamedTuple):
    """The times that rows recorded for an incident may have."""

    first: float
    last: float

    @classmethod
    def of(cls, window: Window | None, now: datetime) -> "About":
        """From some weeks before the window to a little after the incident's clock; all times where there is no window."""
        if window is None:
            return cls(-math.inf, math.inf)
        first, last = window.start.timestamp() - WEEKS_BEFORE, max(now, window.end).timestamp() + CLOCKS_DIFFER
        return cls(first * 1000, last * 1000)

    def is_astray(self, milliseconds: float) -> bool:
        """Whether a row of this time can not be about the incident."""
        return not self.first <= milliseconds <= self.last

    def astray(self, times: Sequence[float]) -> int:
        """How many of the times are."""
        if not times or (self.first <= min(times) and max(times) <= self.last):
            return 0
        return sum(map(self.is_astray, times))
