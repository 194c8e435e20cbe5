"""Small statistics that hold for few counts, zeros and heavy tails."""

import math
from collections.abc import Iterable

import numpy as np

EXPECTED_MEDIAN = 0.4549  # the median of chi-square with one degree of freedom


def surprise(x: int, of_x: int, y: int, of_y: int) -> float:
    """Signed root of the likelihood ratio that x of `of_x` and y of `of_y` are of one rate: about a standard normal where they are."""
    if min(of_x, of_y) <= 0 or x + y == 0:
        return 0.0
    rate = (x + y) / (of_x + of_y)
    gain = _term(x, rate * of_x) + _term(y, rate * of_y) + _term(of_x - x, (1 - rate) * of_x) + _term(of_y - y, (1 - rate) * of_y)
    return math.copysign(math.sqrt(max(2 * gain, 0.0)), x / of_x - y / of_y)


def overdispersion(scores: Iterable[float]) -> float:
    """How much wider than chance scores spread, by their median, and never below 1; of fewer than ten nothing is known."""
    squares = [s * s for s in scores if s]
    return max(1.0, math.sqrt(float(np.median(squares)) / EXPECTED_MEDIAN)) if len(squares) >= 10 else 1.0


def joint(first: float, second: float) -> float:
    """Fisher's probability of two independent rarities at once."""
    product = min(max(first * second, 1e-300), 1.0)
    return product * (1 - math.log(product))


def _term(observed: float, expected: float) -> float:
    return observed * math.log(observed / expected) if observed > 0 and expected > 0 else 0.0
