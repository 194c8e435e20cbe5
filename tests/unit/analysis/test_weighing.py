"""One unit for all kinds of evidence."""

import numpy as np
import pytest

from superbiz.analysis import metrics, weighing
from superbiz.analysis.kinds import Kind
from superbiz.analysis.logs import END, Burst, Place, Said, Shift, Step
from superbiz.analysis.metrics import Deviation, Points
from superbiz.analysis.traces import Growth
from support.incidents import wavering

PLACE = Place("orders", "POST /orders")


def shift(times: int, of: int, normal: int, normal_of: int, score: float, then: str = "b") -> Shift:
    return Shift(Step(PLACE, "a", then), times, of, normal, normal_of, score)


def moved(base: float, to: float) -> Deviation:
    found = metrics.deviation(Points(np.array([0.0]), np.array([to])), np.array(wavering(base, 40)))
    assert found is not None
    return found


def test_going_wrong_weighs_more_than_stopping_and_stopping_more_than_another_way() -> None:
    new = shift(9, 9, 0, 9, 5.0)
    assert weighing.step(new, "b", bad=True) > weighing.step(new, END, bad=False) > weighing.step(new, "b", bad=False)


def test_good_news_is_weak_evidence() -> None:
    recovered, broken = shift(0, 9, 9, 9, -5.0), shift(0, 9, 9, 9, -5.0)
    assert weighing.step(recovered, END, bad=False) < weighing.step(broken, "b", bad=False) / 2


def test_a_share_that_only_shifted_weighs_less_than_what_is_new() -> None:
    assert weighing.step(shift(5, 9, 1, 9, 4.0), "b", bad=False) < weighing.step(shift(5, 9, 0, 9, 4.0), "b", bad=False)


def test_lines_without_spans_weigh_by_what_they_say() -> None:
    new = Shift(Said(PLACE, "a"), 9, 99, 0, 99, 4.0)
    assert weighing.line(new, bad=True) > 1
    assert weighing.line(new, bad=False) < 0.5


def test_near_the_limit_the_weight_of_a_load_rises_steeply() -> None:
    half, high, full = (weighing.condition(Kind.SATURATION, moved(10, to), percent=True) for to in (50, 85, 99))
    assert half < 0.3
    assert high > 1
    assert full > 10
    assert weighing.condition(Kind.SATURATION, moved(90, 91), percent=True) == 0, "always as full"


def test_a_load_without_a_limit_never_weighs_more_than_one() -> None:
    assert 0 < weighing.condition(Kind.SATURATION, moved(100, 100_000), percent=False) <= 1


def test_free_space_weighs_by_how_much_of_it_is_gone() -> None:
    assert weighing.condition(Kind.HEADROOM, moved(100, 50), percent=False) < 0.5
    assert weighing.condition(Kind.HEADROOM, moved(100, 1), percent=False) > 5
    assert weighing.condition(Kind.HEADROOM, moved(100, 300), percent=False) == 0


@pytest.mark.parametrize(("share", "rarity"), [(0.0, 0.001), (-1.0, 0.001), (5.0, 0.5)])
def test_no_surplus_or_a_common_one_weighs_nothing(share: float, rarity: float) -> None:
    assert weighing.excess(share, rarity) == 0


def test_a_larger_share_weighs_more_without_bound_of_order() -> None:
    weights = [weighing.excess(share, 0.001) for share in (0.1, 0.9, 1.5, 20.0)]
    assert weights == sorted(weights)
    assert len(set(weights)) == 4


def test_other_growth_weighs_by_its_score() -> None:
    assert weighing.slower(Growth(0, 0, 0, 0, 9, 9, -3.0)) == 0
    assert weighing.slower(Growth(0, 0, 0, 0, 9, 9, 1e9)) == weighing.MOST
    assert weighing.burst(Burst("orders", 9, 9, 0, 9, 4.0)) == 1
