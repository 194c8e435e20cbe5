"""How strongly a finding speaks for a cause, in one unit for all kinds of evidence: at 1 a person would look there first."""

import math

from superbiz.analysis.kinds import Kind
from superbiz.analysis.logs import END, Burst, Shift
from superbiz.analysis.metrics import Deviation
from superbiz.analysis.traces import CallShift, Growth

# Children that an operation no longer has, or newly has, below its spans; and several times as many of them below each.
CALL_WEIGHTS = {"missing": 0.8, "new": 0.3, "fan-out": 0.4}
MANIFOLD = 2.0
SIGMAS = 4.0  # a log shift of this score weighs 1
WIDTHS = 5.0  # so does a median that grew by so many ordinary widths
PRESSURE = 5.0  # and a load at which queues grow fivefold (5/6 of a limit)
DEVIATIONS = 20.0  # and a condition without a known limit, so many ordinary widths away
MOST = 20.0
MIXED = 0.4  # statements that both periods know shift with the mix of requests
BY_ITSELF = (Kind.THROTTLING, Kind.RESTARTS, Kind.BACKLOG)  # conditions that have no limit and are trouble whatever their size
TELLING_BY_ITSELF = 1.0  # the most that these weigh
UNLIMITED = 0.6  # and what has a limit that is not known
LOUD = 0.45  # the most that lines weigh which say nothing bad: they follow the load
NEARLY = 0.03  # what is left at a limit

# What an operation newly does, or no longer does: (appears, then goes wrong or stops) -> weight. Good news is weak evidence.
STEP_WEIGHTS = {("appears", "bad"): 1.3, ("appears", "stops"): 1.0, ("appears", "goes on"): 0.7,
                ("goes", "bad"): 0.3, ("goes", "stops"): 0.3, ("goes", "goes on"): 1.0}  # fmt: skip
# The same for lines without spans, where new and missing lines may just follow the load.
LINE_WEIGHTS = {("appears", True): 1.3, ("appears", False): 0.3, ("goes", True): 0.1, ("goes", False): 0.5}


def step(shift: Shift, then: str, bad: bool) -> float:
    """A statement that newly follows another, or no longer does."""
    manner = "bad" if bad else "stops" if then == END else "goes on"
    return _log_weight(shift, STEP_WEIGHTS["appears" if shift.score > 0 else "goes", manner])


def line(shift: Shift, bad: bool) -> float:
    """A statement that comes more or less often."""
    weight = _log_weight(shift, LINE_WEIGHTS["appears" if shift.score > 0 else "goes", bad])
    return weight if bad else min(weight, LOUD)


def burst(found: Burst) -> float:
    """Errors that grew beyond their service's share."""
    return min(max(found.score, 0.0) / SIGMAS, MOST)


def slower(growth: Growth) -> float:
    """Calls that take longer than on ordinary days."""
    return min(max(growth.score, 0.0) / WIDTHS, MOST)


def called(shift: CallShift) -> float:
    """Calls that are no longer made (or newly made) by an operation, or many times as often by each of its spans."""
    rarer = abs(shift.score) * CALL_WEIGHTS["missing" if shift.score < 0 else "new"] / SIGMAS
    more = CALL_WEIGHTS["fan-out"] * math.log2(shift.fan_out) if shift.fan_out >= MANIFOLD else 0.0
    return min(max(rarer, more), MOST)


def condition(kind: Kind, found: Deviation, percent: bool) -> float:
    """A resource's own state: near its limit counts, and steeply so; without a known limit, how far from ordinary it is."""
    if kind is Kind.HEADROOM:
        return _pressed(1 - _share(found.worst, found.baseline.median), 0.0) if found.score < 0 else 0.0
    if found.score <= 0 or abs(found.score) < 3:
        return 0.0
    if percent:
        return _pressed(found.worst / 100, found.baseline.median / 100)
    return min(found.score / DEVIATIONS, TELLING_BY_ITSELF if kind in BY_ITSELF else UNLIMITED)


def at_limit(kind: Kind, found: Deviation, percent: bool) -> bool:
    """Whether nearly all of a thing is used up, however ordinary that may be."""
    if kind is Kind.HEADROOM:
        return _share(found.worst, max(found.baseline.high, found.baseline.median)) <= NEARLY
    return kind is Kind.SATURATION and percent and found.worst >= 100 * (1 - NEARLY)


def excess(share: float, rarity: float) -> float:
    """A node's surplus over its ordinary own excess, as a share of the symptom's, where it is rare at all."""
    return 0.0 if share <= 0 or rarity > 0.1 else 4 * share / (1 + share)


def _pressed(used: float, usual: float) -> float:
    """Load over what is left of the limit: how fast queues grow."""
    return min(max(_queue(used) - _queue(usual), 0.0) / PRESSURE, MOST)


def _queue(used: float) -> float:
    bounded = min(max(used, 0.0), 0.99)
    return bounded / (1 - bounded)


def _share(value: float, of: float) -> float:
    return value / of if of > 0 else 1.0


def _log_weight(shift: Shift, weight: float) -> float:
    mixed = MIXED if shift.times and shift.normal else 1.0
    return min(abs(shift.score) * weight * mixed / SIGMAS, MOST)
