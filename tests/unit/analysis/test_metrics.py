"""Deviation of series: sound on ordinary series, and on rubbish."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis import metrics
from superbiz.analysis.metrics import Points
from support.incidents import build_series, wavering

ORDINARY = np.array(wavering(100.0, 50))
ANY_VALUE = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True))
ANY_TIME = st.floats(min_value=-1e12, max_value=1e12)


def seen(*values: float) -> Points:
    return Points(np.arange(len(values), dtype=float), np.array(values, dtype=float))


def test_gaps_nan_and_infinity_are_no_datapoints() -> None:
    found = metrics.points([1, 2, 3, 4, 5], [1.0, None, float("nan"), float("inf"), 5.0])
    assert found.times.tolist() == [1, 5]
    assert found.values.tolist() == [1, 5]


def test_points_come_in_order_and_one_for_a_time() -> None:
    found = metrics.points([3, 1, 3, 2], [30.0, 10.0, 50.0, 20.0])
    assert found.times.tolist() == [1, 2, 3]
    assert found.values.tolist() == [10, 20, 40]


def test_a_baseline_needs_four_values() -> None:
    assert metrics.baseline(np.array([1.0, 2.0, 3.0])) is None
    assert metrics.baseline(np.array([1.0, 2.0, 3.0, np.nan])) is None
    assert metrics.baseline(np.array([1.0, 2.0, 3.0, 4.0])) is not None


def test_a_series_that_never_moved_gives_a_finite_score() -> None:
    found = metrics.deviation(seen(7, 7, 9), np.full(20, 7.0))
    assert found is not None
    assert found.direction == "rose"
    assert 0 < found.score <= metrics.DEVIATION_CAP


def test_an_all_zero_series_gives_a_finite_score() -> None:
    found = metrics.deviation(seen(0, 0, 3), np.zeros(20))
    assert found is not None
    assert math.isfinite(found.score)


def test_a_heavy_tail_makes_the_same_move_less_deviant() -> None:
    calm = metrics.deviation(seen(200), ORDINARY)
    wild = metrics.deviation(seen(200), np.concatenate([ORDINARY, [150, 180, 190]]))
    assert calm is not None
    assert wild is not None
    assert wild.score < calm.score / 2
    assert wild.rarity > calm.rarity


def test_the_onset_is_the_first_point_of_the_run_that_holds_the_worst() -> None:
    found = metrics.deviation(seen(100, 300, 100, 100, 300, 310, 100, 500, 320), ORDINARY)
    assert found is not None
    assert found.worst == 500
    assert found.worst_at == 7
    assert found.onset == 4, "one ordinary point does not end a run, two do"


def test_of_capped_scores_the_farthest_is_the_worst() -> None:
    found = metrics.deviation(seen(1, 2, 3, 2), np.zeros(20))
    assert found is not None
    assert found.worst == 3


def test_the_bad_side_can_be_fixed() -> None:
    fell = metrics.deviation(seen(100, 180, 60), ORDINARY, falling=True)
    rose = metrics.deviation(seen(100, 180, 60), ORDINARY, falling=False)
    assert fell is not None
    assert rose is not None
    assert (fell.worst, fell.direction) == (60, "fell")
    assert (rose.worst, rose.direction) == (180, "rose")


def test_an_ordinary_value_is_steady_and_common() -> None:
    found = metrics.deviation(seen(101, 99.5), ORDINARY)
    assert found is not None
    assert found.direction == "steady"
    assert found.rarity > 0.2


def test_a_tail_counts_what_reached_and_shrinks_beyond() -> None:
    ordinary = np.arange(1.0, 101.0)
    assert metrics.tail(100, ordinary) == pytest.approx(2 / 101)
    assert metrics.tail(50, ordinary) == pytest.approx(52 / 101)
    assert metrics.tail(1, ordinary, -1.0) == pytest.approx(2 / 101)
    assert metrics.tail(130, ordinary) < metrics.tail(110, ordinary) < 1 / 101
    assert metrics.tail(1e300, ordinary) == metrics.RAREST


def test_few_windows_side_by_side_make_nothing_rare() -> None:
    """Thirty-one overlapping windows of sixty points are two windows, not thirty-one."""
    ordinary = np.array(wavering(100.0, 60))
    just_beyond = float(ordinary.max()) * 1.0001
    assert metrics.window_tail(just_beyond, ordinary, 30) > 0.2
    assert metrics.window_tail(just_beyond, ordinary, 1) < 0.02


def test_a_longer_window_has_a_higher_worst() -> None:
    ordinary = np.array([*wavering(100.0, 300), 130.0])
    assert metrics.window_tail(130, ordinary, 10) > metrics.window_tail(130, ordinary, 1)


@pytest.mark.parametrize("name", ["LatencyP90", "Latency p99", "Latency_p99.9", "LatencyAverage", "Latency Max", "Latency"])
def test_statistics_of_one_metric_have_one_base(name: str) -> None:
    assert metrics.metric_base(name) == "Latency"


def test_percentiles_and_averages_are_one_signal() -> None:
    rows = [(build_series([1.0], metric=m, stat=s), d) for m, s, d in _statistics()]
    found = metrics.signals(rows)
    assert [(s.metric_name, s.stat) for s, _, _ in found] == [("LatencyP99", "Average"), ("Latency", "Sum")]
    assert found[0][2] == ("Latency p50", "Latency Average")


def _statistics() -> list[tuple[str, str, metrics.Deviation]]:
    def moved(to: float) -> metrics.Deviation:
        found = metrics.deviation(seen(to), ORDINARY)
        assert found is not None
        return found

    return [
        ("Latency", "Average", moved(150)),
        ("LatencyP99", "Average", moved(300)),
        ("Latency", "p50", moved(160)),
        ("Latency", "Sum", moved(110)),
    ]


@given(st.lists(st.tuples(ANY_TIME, ANY_VALUE), max_size=60), st.lists(ANY_VALUE, max_size=60), st.sampled_from([None, True, False]))
def test_rubbish_gives_a_finite_deviation_or_none(
    rows: list[tuple[float, float | None]], usual: list[float | None], falling: bool | None
) -> None:
    given_points = metrics.points([t for t, _ in rows], [v for _, v in rows])
    ordinary = np.array([np.nan if v is None else v for v in usual], dtype=float)
    found = metrics.deviation(given_points, ordinary, falling)
    if found is not None:
        assert abs(found.score) <= metrics.DEVIATION_CAP
        assert 0 < found.rarity <= 1
        assert found.onset <= found.worst_at
        assert found.worst in given_points.values


@given(st.lists(st.tuples(ANY_TIME, ANY_VALUE), max_size=60))
def test_points_are_sorted_unique_and_finite(rows: list[tuple[float, float | None]]) -> None:
    found = metrics.points([t for t, _ in rows], [v for _, v in rows])
    assert (np.diff(found.times) > 0).all()
    assert np.isfinite(found.values).all()


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50), st.floats(-1e9, 1e9), st.integers(1, 60))
def test_a_rarity_is_a_probability(ordinary: list[float], value: float, length: int) -> None:
    given_values = np.array(ordinary)
    assert 0 < metrics.tail(value, given_values) <= 1
    assert 0 < metrics.window_tail(value, given_values, length) <= 1


def days(count: int, swing: float, noise: float = 1.0) -> Points:
    """A datapoint every ten minutes, with a daily rhythm."""
    times = np.arange(0, count * 86_400, 600.0)
    chance = np.random.default_rng(7)
    return Points(times, 100 + swing * np.sin(2 * np.pi * times / 86_400) + chance.normal(0, noise, len(times)))


def test_a_daily_rhythm_is_compared_with_the_same_hours() -> None:
    peak = 2 * 86_400 + 6 * 3_600.0
    same = metrics.seasonal(days(2, swing=40), peak, peak + 1_800)
    assert same is not None
    assert same.values.min() > 125
    quiet_noon = Points(np.array([peak]), np.array([100.0]))
    found = metrics.deviation(quiet_noon, same.values)
    assert found is not None
    assert found.score < -3, "what is ordinary at midnight is not at the peak"


def test_without_a_rhythm_or_a_day_all_hours_count() -> None:
    assert metrics.seasonal(days(2, swing=0), 7 * 3_600.0, 8 * 3_600.0) is None
    assert metrics.seasonal(days(1, swing=40)._replace(times=np.arange(144) * 60.0), 0.0, 600.0) is None


def test_a_recovery_is_three_ordinary_points_that_stay() -> None:
    ordinary = np.array([10.0, 11, 9, 10, 12, 10, 9, 11])
    came_back = Points(np.arange(8) * 60.0, np.array([10.0, 80, 90, 10, 11, 10, 9, 10]))
    found = metrics.deviation(came_back, ordinary)
    assert found is not None
    assert found.recovered == 180
    still_out = metrics.deviation(Points(np.arange(5) * 60.0, np.array([10.0, 80, 90, 10, 11])), ordinary)
    assert still_out is not None
    assert still_out.recovered is None, "two points are no recovery"
