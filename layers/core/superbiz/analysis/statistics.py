"""Small statistics that hold for few counts, zeros and heavy tails."""

import math
from collections.abc import Iterable
from statistics import NormalDist

import numpy as np

FEW = 100  # events that are judged by their exact probability
LEAST = 1e-300
EXPECTED_MEDIAN = 0.4549  # the median of chi-square with one degree of freedom


def surprise(x: int, of_x: int, y: int, of_y: int) -> float:
    """Signed root of the likelihood ratio that x of `of_x` and y of `of_y` are of one rate: about a standard normal where they are."""
    if min(of_x, of_y) <= 0 or x + y == 0:
        return 0.0
    rate = (x + y) / (of_x + of_y)
    gain = _term(x, rate * of_x) + _term(y, rate * of_y) + _term(of_x - x, (1 - rate) * of_x) + _term(of_y - y, (1 - rate) * of_y)
    return math.copysign(math.sqrt(max(2 * gain, 0.0)), x / of_x - y / of_y)


def exact_surprise(x: int, of_x: int, y: int, of_y: int) -> float:
    """The same for few events, of which the likelihood ratio makes too much: Fisher's exact probability, the observed case counting half,
    as a standard normal deviate."""
    if x + y > FEW or min(of_x, of_y) <= 0 or x + y == 0:
        return surprise(x, of_x, y, of_y)
    more = x * of_y >= y * of_x
    tail = _tail(x, of_x, y, of_y) if more else _tail(y, of_y, x, of_x)
    deviate = -NormalDist().inv_cdf(min(max(tail, LEAST), 0.5))
    return deviate if more else -deviate


def overdispersion(scores: Iterable[float]) -> float:
    """How much wider than chance scores spread, by their median, and never below 1; of fewer than ten nothing is known."""
    squares = [s * s for s in scores if s]
    return max(1.0, math.sqrt(float(np.median(squares)) / EXPECTED_MEDIAN)) if len(squares) >= 10 else 1.0


def joint(first: float, second: float) -> float:
    """Fisher's probability of two independent rarities at once."""
    product = min(max(first * second, 1e-300), 1.0)
    return product * (1 - math.log(product))


def _tail(x: int, of_x: int, y: int, of_y: int) -> float:
    """How likely x or more of x + y events fall to the first side by chance, x itself counting half."""
    events = x + y
    share = math.exp(_choices(of_x, x) + _choices(of_y, y) - _choices(of_x + of_y, events))
    total = share / 2
    for n in range(x, min(events, of_x)):
        left = events - n
        share *= (of_x - n) * left / ((n + 1) * (of_y - left + 1))
        total += share
    return total


def _choices(n: int, k: int) -> float:
    """The logarithm of how many ways there are to choose k of n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _term(observed: float, expected: float) -> float:
    return observed * math.log(observed / expected) if observed > 0 and expected > 0 else 0.0
