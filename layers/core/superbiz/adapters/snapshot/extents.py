"""Which rows of a file belong to a window, by their times in epoch milliseconds, and from when to when a file reaches."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from superbiz.domain.observations import LogLine
from superbiz.domain.values import Window


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
