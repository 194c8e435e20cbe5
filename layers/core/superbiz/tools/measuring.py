"""Series with what is ordinary for them, in one unit each, freed from values that can not be; and what of them could not be used."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from superbiz.analysis import kinds, metrics, quantities
from superbiz.analysis.metrics import Array, Points
from superbiz.domain.observations import Series
from superbiz.domain.values import Window
from superbiz.ports import EvidenceSource
from superbiz.tools.reading import AFTERMATH, BEFORE, EARLY, LOOKBACK, NORMAL, SAME_HOURS, earlier, later

EARLY_SHARE = 0.4  # of a window, where nothing before it is known
COUNTED = ("sum", "samplecount")  # statistics that grow with the period
NAME_CHARS = 60
# What may be wrong with series, and how many of what are told of it.
EMPTY = "{n} series have no datapoint that can be used"
NEGATIVE = "{n} values are negative, which can not be, and count as no datapoint"
ABSURD = "{n} values are larger than can be and count as no datapoint"
CONVERTED = "{n} series have another unit than in the normal period, which was converted"
UNLIKE = "{n} series could not be compared with the normal period, which is in another unit"
TWICE = "{n} series are there in two units, and the first was read"
PERIODS = "{n} series have another period than normally, and sums were converted"

Key = tuple[str, str, str, tuple[tuple[str, str], ...]]


class Remark(NamedTuple):
    """One series that something is wrong with: how often, and an example's words."""

    sentence: str
    times: int
    example: str


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


class Measurements(NamedTuple):
    """The series that have a datapoint in the window, and in sentences what could not be used of them."""

    rows: list[Measured]
    notes: list[str]


def measured(source: EvidenceSource, window: Window, now: datetime, wanted: Callable[[Series], bool]) -> Measurements:
    """The wanted series, each with its normal period in the same unit."""
    read = Window(start=earlier(window.start, LOOKBACK), end=max(min(later(window.end, AFTERMATH), later(now, AFTERMATH)), window.end))
    normal: dict[Key, list[Series]] = defaultdict(list)
    for series in source.normal_metrics() or ():
        if wanted(series):
            normal[_key(series)].append(series)
    remarks: list[Remark] = []
    kept = _in_one_unit([s for s in source.metrics(read) if wanted(s)], remarks)
    found = [_measured(s, normal.get(_key(s), ()), window, remarks) for s in kept]
    return Measurements([m for m in found if len(m.seen.values)], _told(remarks))


def _key(series: Series) -> Key:
    return series.namespace, series.metric_name, series.stat, tuple(sorted(series.dimensions.items()))


def _in_one_unit(given: Sequence[Series], remarks: list[Remark]) -> list[Series]:
    """Without the copies of a series in another unit that converts into the first one's."""
    first: dict[Key, Series] = {}
    kept = []
    for series in given:
        known = first.setdefault(_key(series), series)
        if known.unit != series.unit and quantities.factor(series.unit, known.unit) is not None:
            remarks.append(Remark(TWICE, 1, f"{_name(series)}: {known.unit} and {series.unit}"))
        else:
            kept.append(series)
    return kept


def _measured(series: Series, normal: Sequence[Series], window: Window, remarks: list[Remark]) -> Measured:
    """A datapoint stands for the period that begins at its time, so those that overlap the window belong to it; one more on either
    side does too, since clocks and periods never fit exactly."""
    given = _sound(series, remarks)
    start, end = window.start.timestamp() - 2 * series.period, window.end.timestamp() + series.period
    seen = metrics.between(given, start + 1e-6, end)
    if series.values and not len(given.values):
        remarks.append(Remark(EMPTY, 1, _name(series)))
    ordinary = _ordinary(series, given, normal, remarks) if len(seen.values) else None
    if ordinary is not None and len(ordinary.values) >= metrics.FEWEST:
        same_hours = metrics.seasonal(ordinary, window.start.timestamp(), window.end.timestamp())
        return Measured(series, seen, ordinary, NORMAL if same_hours is None else SAME_HOURS, same_hours)
    before = metrics.between(given, float("-inf"), start + 1e-6)
    if len(before.values) >= metrics.FEWEST:
        return Measured(series, seen, before, BEFORE)
    early = int(len(seen.values) * EARLY_SHARE)
    return Measured(series, seen, Points(seen.times[:early], seen.values[:early]), EARLY)


def _ordinary(series: Series, given: Points, normal: Sequence[Series], remarks: list[Remark]) -> Points | None:
    """The normal period's points as the incident counts them; None where there are none, or none that compare."""
    if not normal:
        return None
    usual = max(enumerate(normal), key=lambda placed: (_nearness(placed[1], series), placed[0]))[1]
    found = _sound(usual, remarks)
    by = quantities.conversion(usual, found.values, series, given.values)
    if by is None:
        remarks.append(Remark(UNLIKE, 1, _units(series, usual)))
        return None
    if by != 1 or (usual.unit != series.unit and quantities.is_named(usual.unit)):
        remarks.append(Remark(CONVERTED, 1, _units(series, usual)))
    if usual.period != series.period:
        remarks.append(Remark(PERIODS, 1, f"{_name(series)}: {series.period} s now, {usual.period} s normally"))
        by *= series.period / usual.period if series.stat.lower() in COUNTED and min(series.period, usual.period) > 0 else 1.0
    return found if by == 1 else Points(found.times, found.values * by)


def _nearness(usual: Series, series: Series) -> int:
    """The same unit, else one that converts."""
    return 2 if usual.unit == series.unit else 1 if quantities.factor(usual.unit, series.unit) is not None else 0


def _sound(series: Series, remarks: list[Remark]) -> Points:
    """The datapoints whose values can be."""
    found = metrics.points_of(series)
    if quantities.are_plain(found.values):
        return found
    wrong = quantities.impossible(series, found.values)
    if not wrong.any():
        return found
    below = int((found.values[wrong] < 0).sum())
    remarks += [Remark(s, n, _name(series)) for s, n in ((NEGATIVE, below), (ABSURD, int(wrong.sum()) - below)) if n]
    return Points(found.times[~wrong], found.values[~wrong])


def _name(series: Series) -> str:
    return f"{series.metric_name} of {kinds.subject_of(series)}"[:NAME_CHARS]


def _units(series: Series, usual: Series) -> str:
    return f"{_name(series)}: {series.unit} now, {usual.unit} in the normal period"


def _told(remarks: Iterable[Remark]) -> list[str]:
    """One sentence for each thing that is wrong, with the first series that it is wrong with."""
    grouped: dict[str, list[Remark]] = defaultdict(list)
    for remark in remarks:
        grouped[remark.sentence].append(remark)
    return [f"metric data: {sentence.format(n=sum(r.times for r in same))} ({same[0].example})" for sentence, same in grouped.items()]
