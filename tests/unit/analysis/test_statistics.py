"""Small statistics hold at the edges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis.statistics import joint, overdispersion, surprise

COUNTS = st.integers(0, 10_000)


def test_equal_rates_surprise_nobody() -> None:
    assert surprise(5, 10, 50, 100) == pytest.approx(0, abs=1e-6)


def test_all_against_none_surprises_more_the_more_there_were() -> None:
    assert surprise(3, 3, 0, 3) < surprise(10, 10, 0, 10)
    assert surprise(0, 10, 10, 10) == pytest.approx(-surprise(10, 10, 0, 10))


def test_one_of_one_is_no_proof() -> None:
    assert surprise(1, 1, 0, 1) < 2


def test_nothing_to_compare_with_is_no_surprise() -> None:
    assert surprise(5, 5, 0, 0) == 0
    assert surprise(0, 5, 0, 5) == 0


def test_scores_as_wide_as_chance_are_left_alone() -> None:
    assert overdispersion([0.1, -0.5, 0.7, 1.0, -1.2, 0.3, 0.2, -0.6, 0.9, -0.1, 1.5]) == 1.0
    assert overdispersion([9.0] * 20) > 10
    assert overdispersion([9.0] * 5) == 1.0, "too few to tell"


def test_a_joint_rarity_is_less_than_either_where_both_are_rare() -> None:
    assert joint(0.01, 0.01) < 0.01
    assert joint(1.0, 0.01) > 0.01
    assert joint(1.0, 1.0) == 1.0


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_a_surprise_is_finite_and_signed_by_the_rates(a: int, b: int, c: int, d: int) -> None:
    x, of, y, normal_of = min(a, b), b, min(c, d), d
    score = surprise(x, of, y, normal_of)
    if of and normal_of:
        assert (score > 0) <= (x / of >= y / normal_of)
        assert (score < 0) <= (x / of <= y / normal_of)
    assert abs(score) < 1_000


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_joint_rarity_is_a_probability(a: float, b: float) -> None:
    assert 0 <= joint(a, b) <= 1
