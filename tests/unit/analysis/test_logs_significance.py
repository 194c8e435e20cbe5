"""How surprising a statement's count is, where counts are small."""

import math
from itertools import product
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis.statistics import FEW, exact_surprise, surprise


def by_choosing(x: int, of_x: int, y: int, of_y: int) -> float:
    """The deviate of Fisher's probability of x or more, x itself counting half, by whole numbers."""
    ways = [math.comb(of_x, n) * math.comb(of_y, x + y - n) for n in range(min(x + y, of_x) + 1)]
    return -NormalDist().inv_cdf((sum(ways[x + 1 :]) + ways[x] / 2) / math.comb(of_x + of_y, x + y))


@pytest.mark.parametrize("counts", [(2, 2, 0, 6), (8, 8, 0, 8), (6, 6, 1, 6), (5, 5, 0, 100), (3, 40, 1, 90), (30, 50, 10, 60)])
def test_few_events_are_judged_by_fishers_probability(counts: tuple[int, int, int, int]) -> None:
    assert exact_surprise(*counts) == pytest.approx(by_choosing(*counts))


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize(("of_x", "of_y"), [(2, 6), (6, 6), (12, 5), (20, 20)])
def test_where_nothing_changed_few_counts_surprise_no_more_often_than_chance_has_it(rate: float, of_x: int, of_y: int) -> None:
    def chance(n: int, of: int) -> float:
        return math.comb(of, n) * rate**n * (1 - rate) ** (of - n)

    for limit in (2.0, 3.0, 4.0):
        outcomes = product(range(of_x + 1), range(of_y + 1))
        found = sum(chance(x, of_x) * chance(y, of_y) for x, y in outcomes if abs(exact_surprise(x, of_x, y, of_y)) >= limit)
        assert found <= 2 * NormalDist().cdf(-limit) * 1.25, f"{found} beyond {limit}"


def test_many_events_are_judged_by_their_likelihood_which_is_nearly_the_same() -> None:
    assert exact_surprise(FEW + 1, 900, 0, 900) == surprise(FEW + 1, 900, 0, 900)
    assert exact_surprise(FEW, 900, 0, 900) == pytest.approx(surprise(FEW, 900, 0, 900), rel=0.05)


COUNTS = st.integers(0, 300)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_any_counts_give_a_finite_score_that_changes_sign_with_the_sides(a: int, b: int, c: int, d: int) -> None:
    x, of_x, y, of_y = min(a, b), max(a, b), min(c, d), max(c, d)
    score = exact_surprise(x, of_x, y, of_y)
    assert math.isfinite(score)
    assert exact_surprise(y, of_y, x, of_x) == pytest.approx(-score, abs=1e-6)
