"""Metric deviation: how far a series left what is ordinary for it, in which direction, since when, and how rare that is.

A baseline is the normal period where there is one, else the time before the incident. Distances are measured in *ordinary widths*
of the side the value moved to, so that a series with a heavy tail has to move further, and a series that never moved
(MAD 0) does not give infinite scores.
"""

import math
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from superbiz.domain.observations import Series

Array = NDArray[np.float64]
OUTLYING = 3.0  # widths from which a point is no longer ordinary
DEVIATION_CAP = 1_000.0  # beyond this, more says nothing
RELATIVE_FLOOR = 0.02  # a width is at least this share of the median
FEWEST = 4  # points that make a baseline
RAREST = 1e-6
DAY = 86_400.0
DAYS_KNOWN = 20 * 3_600.0  # seconds that a reference spans before a daily rhythm can be told
HOURS_AROUND = 2 * 3_600.0  # of the same hours of other days, on either side
SEASONAL_POINTS = 12
CALMER = 0.6  # of a day's spread, within which the same hours stay where there is a daily rhythm
CALM = 3  # ordinary points in a row that make a recovery
FAR_OUT = np.errstate(all="ignore")  # values near the limits of a float overflow on the way; what comes of it is bounded below
LARGEST = float(np.finfo(np.float64).max)
MANY_WINDOWS = 20  # as many side by side, and overlapping ones may be counted as they are
_STATISTIC = re.compile(r"[\s._-]*(?:p(?:ercentile)?[\s._-]?\d{1,3}(?:\.\d+)?|average|avg|mean|median|max(?:imum)?|min(?:imum)?)$", re.I)


class Points(NamedTuple):
    """Datapoints in order of time, finite, one for a time. `times` are epoch seconds."""

    times: Array
    values: Array


class Baseline(NamedTuple):
    """What is ordinary: median, widths above (`up`) and below (`down`) it, and the 1st and 99th percentile (`low`, `high`)."""

    median: float
    up: float
    down: float
    low: float
    high: float


class Deviation(NamedTuple):
    """`score` is signed, in ordinary widths. `rarity` is the share of ordinary values at least as extreme. Times are epoch seconds.

    `recovered` is when it came back to stay, at least three datapoints long; None where it did not, or never left.
    """

    baseline: Baseline
    worst: float
    worst_at: float
    onset: float
    score: float
    rarity: float
    recovered: float | None = None

    @property
    def direction(self) -> str:
        """Rose or fell, or steady where it stayed within its ordinary widths."""
        if abs(self.score) < 1:
            return "steady"
        return "rose" if self.score > 0 else "fell"


@FAR_OUT
def points(times: Iterable[float], values: Iterable[float | None]) -> Points:
    """Clean datapoints: no gaps, NaN or infinity, in order, and of several values at one time their mean."""
    at = times if isinstance(times, np.ndarray) else np.fromiter(times, dtype=np.float64)
    seen = np.array(list(values), dtype=np.float64)  # None becomes NaN
    length = min(len(at), len(seen))
    kept = np.isfinite(at[:length]) & np.isfinite(seen[:length])
    at, seen = at[:length][kept], seen[:length][kept]
    if (np.diff(at) > 0).all():
        return Points(at, seen)
    unique, where = np.unique(at, return_inverse=True)
    # a running mean, since a sum of huge values would overflow
    counts = np.bincount(where)
    return Points(unique, np.clip(np.bincount(where, weights=seen / counts[where]), -LARGEST, LARGEST))


def points_of(series: Series) -> Points:
    """The datapoints of a recorded series."""
    return points(_epochs(series.timestamps), series.values)


@lru_cache(maxsize=64)
def _epochs(times: tuple[datetime, ...]) -> Array:
    """Series share their times, and are read several times."""
    return np.fromiter((t.timestamp() for t in times), dtype=np.float64)


def between(given: Points, start: float, end: float) -> Points:
    """The points with `start <= time < end`."""
    kept = (given.times >= start) & (given.times < end)
    return Points(given.times[kept], given.values[kept])


def seasonal(usual: Points, start: float, end: float) -> Points | None:
    """The ordinary points of the same hours of the day, where days are known and those hours vary far less than a whole day does."""
    if len(usual.times) < SEASONAL_POINTS or usual.times[-1] - usual.times[0] < DAYS_KNOWN:
        return None
    middle = (start + end) / 2
    apart = np.abs((usual.times - middle + DAY / 2) % DAY - DAY / 2)
    same = apart <= (end - start) / 2 + HOURS_AROUND
    if same.sum() < SEASONAL_POINTS or _spread(usual.values[same]) > CALMER * _spread(usual.values):
        return None
    return Points(usual.times[same], usual.values[same])


@FAR_OUT
def _spread(values: Array) -> float:
    low, high = np.quantile(values, (0.1, 0.9))
    return float(high - low)


def moment(epoch: float) -> datetime:
    """Epoch seconds as a UTC time."""
    return datetime.fromtimestamp(epoch, UTC)


@FAR_OUT
def baseline(values: Array) -> Baseline | None:
    """None for fewer than four finite values."""
    given = values[np.isfinite(values)]
    if len(given) < FEWEST:
        return None
    q01, q25, median, q75, q99 = (float(q) for q in np.quantile(given, (0.01, 0.25, 0.5, 0.75, 0.99)))
    mad = 1.4826 * float(np.median(np.abs(given - median)))
    common = max(mad, _half(q75, q25) / 0.6745, RELATIVE_FLOOR * abs(median), _step(given))
    return Baseline(median, max(common, (q99 - median) / 2.326), max(common, (median - q01) / 2.326), q01, q99)


@FAR_OUT
def deviation(seen: Points, ordinary: Array, falling: bool | None = None) -> Deviation | None:
    """The worst point against what is ordinary, or None without points or a baseline. `falling` fixes the side that counts as bad."""
    base = baseline(ordinary)
    if base is None or len(seen.values) == 0:
        return None
    scores, apart = widths(seen.values, base), seen.values - base.median
    judged = {None: np.abs(scores), True: -scores, False: scores}[falling]
    at = int(np.lexsort((-np.abs(apart), -judged))[0])  # scores are capped: of those at the cap, the farthest, and the first of equals
    worst, sign = float(seen.values[at]), (1.0 if scores[at] >= 0 else -1.0)
    onset, back = float(seen.times[_start(sign * scores, at)]), _back(sign * scores)
    recovered = float(seen.times[back]) if back is not None else None
    return Deviation(base, worst, float(seen.times[at]), onset, float(scores[at]), tail(worst, ordinary, sign), recovered)


def widths(values: Array, base: Baseline) -> Array:
    """Signed distances from the median in ordinary widths of that side, capped."""
    apart = values - base.median
    scaled = apart / np.where(apart >= 0, base.up, base.down)
    capped: Array = np.clip(np.nan_to_num(scaled, nan=0.0, posinf=DEVIATION_CAP, neginf=-DEVIATION_CAP), -DEVIATION_CAP, DEVIATION_CAP)
    return capped


@FAR_OUT
def tail(value: float, ordinary: Array, sign: float = 1.0) -> float:
    """The chance of an ordinary value at least this extreme: counted where there are such values, else an exponential tail beyond them."""
    given = np.sort(sign * ordinary[np.isfinite(ordinary)])
    if len(given) == 0:
        return 1.0
    reached = len(given) - int(np.searchsorted(given, sign * value, side="left"))
    share = (1 + reached) / (1 + len(given))
    if reached:
        return share
    base = baseline(given)
    width = base.up if base else max(float(given[-1] - given[0]), RELATIVE_FLOOR * abs(float(given[-1])), 1e-12)
    return max(share * math.exp(-min((sign * value - float(given[-1])) / width, 700.0)), RAREST)


@FAR_OUT
def window_tail(worst: float, ordinary: Array, length: int) -> float:
    """The chance that an ordinary window of so many datapoints has a worst (highest) value at least this extreme.

    Overlapping windows are many but not independent: unless there are plenty, only those side by side count.
    """
    given = ordinary[np.isfinite(ordinary)]
    if not 0 < length <= len(given):
        return tail(worst, given)
    peaks = sliding_window_view(given, length).max(axis=1)
    reached = int((peaks >= worst).sum())
    apart = len(given) / length
    share = max((1 + reached) / (1 + len(peaks)), 1 / (1 + (len(peaks) if apart >= MANY_WINDOWS else apart)))
    if reached:
        return share
    base = baseline(given)
    width = base.up if base else 1e-12
    return max(share * math.exp(-min((worst - float(peaks.max())) / width, 700.0)), RAREST)


def metric_base(name: str) -> str:
    """The metric behind its statistics: `LatencyP90`, `Latency p99` and `Latency` are one signal."""
    return _STATISTIC.sub("", name) or name


def signals(rows: Sequence[tuple[Series, Deviation]]) -> list[tuple[Series, Deviation, tuple[str, ...]]]:
    """One row a signal, the one that moved most, with the names of the others; most deviating first."""
    grouped: dict[Any, list[tuple[Series, Deviation]]] = {}
    for series, found in rows:
        key = (series.namespace, metric_base(series.metric_name), tuple(sorted(series.dimensions.items())), _is_count(series.stat))
        grouped.setdefault(key, []).append((series, found))
    out = []
    for same in grouped.values():
        same.sort(key=lambda row: (-abs(row[1].score), row[0].metric_name, row[0].stat))
        out.append((*same[0], tuple(f"{s.metric_name} {s.stat}" for s, _ in same[1:])))
    return sorted(out, key=lambda row: (-abs(row[1].score), row[1].rarity, row[0].metric_name, str(sorted(row[0].dimensions.items()))))


def _is_count(stat: str) -> bool:
    return stat.lower() in ("sum", "samplecount")


def _half(high: float, low: float) -> float:
    return (high - low) / 2


def _step(given: Array) -> float:
    """The smallest step a constant series could take: the resolution of what was recorded, else a millionth."""
    steps = np.diff(np.unique(given))
    return max(float(steps.min()) if len(steps) else 0.0, 1e-6 * float(np.max(np.abs(given))), 1e-9)


def _back(scores: Array) -> int | None:
    """The first point of an ordinary rest of the series, where points before it were outlying and the rest is long enough to tell."""
    out = np.flatnonzero(scores >= OUTLYING)
    back = int(out[-1]) + 1 if len(out) else 0
    return back if 0 < back <= len(scores) - CALM else None


def _start(scores: Array, at: int) -> int:
    """Walk back from the worst point while points stay outlying, over gaps of one point."""
    start = at
    for n in range(at - 1, -1, -1):
        if scores[n] >= OUTLYING:
            start = n
        elif start - n > 1:
            break
    return start
