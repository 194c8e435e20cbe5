"""What units say of values: how one converts into another, and which values can not be.

CloudWatch publishes its units without their sizes: kilo is a thousand here, as for its kB/s, and kibi is 1,024.
"""

import re

import numpy as np
from numpy.typing import NDArray

from superbiz.analysis import kinds
from superbiz.analysis.kinds import Kind
from superbiz.analysis.metrics import Array
from superbiz.domain.observations import Series

Unit = tuple[str, float]  # what it measures, and how many of the smallest of that it is
_PREFIXES = {
    "": 1.0,
    "kilo": 1e3,
    "mega": 1e6,
    "giga": 1e9,
    "tera": 1e12,
    "kibi": 2.0**10,
    "mebi": 2.0**20,
    "gibi": 2.0**30,
    "tebi": 2.0**40,
}
_TIMES = {"nanoseconds": 1e-9, "microseconds": 1e-6, "milliseconds": 1e-3, "seconds": 1.0, "minutes": 60.0, "hours": 3_600.0}
_SHORT = {
    "s": "seconds", "ms": "milliseconds", "us": "microseconds", "µs": "microseconds", "ns": "nanoseconds", "%": "percent", "b": "bytes",
    "kb": "kilobytes", "mb": "megabytes", "gb": "gigabytes", "tb": "terabytes", "kib": "kibibytes", "mib": "mebibytes", "gib": "gibibytes",
}  # fmt: skip
UNITS: dict[str, Unit] = {
    **{name: ("time", factor) for name, factor in _TIMES.items()},
    **{f"{prefix}bits": ("data", factor) for prefix, factor in _PREFIXES.items()},
    **{f"{prefix}bytes": ("data", 8 * factor) for prefix, factor in _PREFIXES.items()},
    **{f"{prefix}bits/second": ("data a second", factor) for prefix, factor in _PREFIXES.items()},
    **{f"{prefix}bytes/second": ("data a second", 8 * factor) for prefix, factor in _PREFIXES.items()},
    "count": ("count", 1.0),
    "count/second": ("count a second", 1.0),
    "percent": ("share", 1.0),
    "millicores": ("cores", 1e-3),
    "cores": ("cores", 1.0),
}
HUNDRED = (50.0, 200.0)  # between the medians of a ratio and of the same in percent
ALIKE = 20.0  # so many times apart may the medians be of which one has no unit
LEAST_PERCENT = 50.0  # of an availability that is written in percent
FARTHEST = 1e30  # nothing that is measured is as much
MOST_AVAILABLE, MOST_PERCENT = 200.0, 1e5  # a share may be computed a little wrong; a container may use a thousand cores
ROUNDING = 1e-9  # below zero
NEVER_NEGATIVE = (Kind.AVAILABILITY, Kind.LATENCY, Kind.THROTTLING, Kind.RESTARTS)
SIGNED = re.compile(
    r"offset|skew|drift|delta|diff|change|growth|trend|slope|balance|deviation|temperature|error.?budget|margin|to.?expir", re.I
)


def is_named(unit: str) -> bool:
    """Whether it says anything: CloudWatch writes None where there is no unit."""
    return unit.strip().casefold() not in ("", "none")


def factor(unit: str, into: str) -> float | None:
    """What values are multiplied by to be of the other unit; None where they measure something else, or where a unit is not known."""
    if unit == into:
        return 1.0
    one, other = _known(unit), _known(into)
    if one and other:
        return one[1] / other[1] if one[0] == other[0] else None
    return 1.0 if unit.strip().casefold() == into.strip().casefold() else None


def conversion(series: Series, values: Array, into: Series, wanted: Array) -> float | None:
    """What the values of a series are multiplied by to be compared with the other one's. Where the units do not tell, the values may."""
    known = factor(series.unit, into.unit)
    if known == 1 and _known(series.unit) != UNITS["percent"]:
        return 1.0
    if known is not None:
        return _mislabelled(series, values, wanted) or known
    if is_named(series.unit) and is_named(into.unit):
        return None
    return _unnamed(series.unit if is_named(series.unit) else into.unit, values, wanted)


def are_plain(values: Array) -> bool:
    """Whether nothing can be wrong with the values, whatever they measure."""
    return not len(values) or bool(values.min() >= 0 and values.max() <= MOST_AVAILABLE)


def impossible(series: Series, values: Array) -> NDArray[np.bool_]:
    """Which of the values can not be: far beyond all that is measured, or below zero where nothing is."""
    kind, unit = kinds.rule_of(series.metric_name).kind, _known(series.unit)
    wrong = np.abs(values) > FARTHEST
    if (unit or kind in NEVER_NEGATIVE) and not SIGNED.search(series.metric_name):
        wrong |= values < -ROUNDING
    if unit == UNITS["percent"]:
        wrong |= values > (MOST_AVAILABLE if kind is Kind.AVAILABILITY else MOST_PERCENT)
    return wrong


def _known(unit: str) -> Unit | None:
    name = unit.strip().casefold()
    return UNITS.get(_SHORT.get(name, name))


def _mislabelled(series: Series, values: Array, wanted: Array) -> float | None:
    """Of an availability that is called percent on both sides: 100 or a 100th where one of them is a ratio and means the same."""
    if _known(series.unit) != UNITS["percent"] or not len(values) or not len(wanted):
        return None
    if kinds.rule_of(series.metric_name).kind is not Kind.AVAILABILITY:
        return None
    low, high = (wanted, values) if wanted.max() <= 1 else (values, wanted)
    same = low.max() <= 1 and high.min() - 1 <= 100 * float(np.median(low)) <= high.max() + 1 and np.median(high) > LEAST_PERCENT
    return (100.0 if low is values else 0.01) if same else None


def _unnamed(unit: str, values: Array, wanted: Array) -> float | None:
    """One of both has no unit, the other one this. Counts are counts; of anything else the size must be about the same."""
    if not len(values) or not len(wanted):
        return None
    one, other = float(np.median(np.abs(values))), float(np.median(np.abs(wanted)))
    if (_known(unit) or ("", 0.0))[0].startswith("count") or min(one, other) <= 0:
        return 1.0
    apart = other / one
    if _known(unit) == UNITS["percent"] and HUNDRED[0] <= max(apart, 1 / apart) <= HUNDRED[1]:
        smaller = values if apart > 1 else wanted
        return None if np.abs(smaller).max() > 1 else 100.0 if apart > 1 else 0.01
    return 1.0 if 1 / ALIKE <= apart <= ALIKE else None
