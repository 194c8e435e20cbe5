"""Pure functions of numbers over whatever may come: no exception, bounded numbers, the same answer to the same question."""

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.analysis import deciding, kinds, metrics, statistics, suspects, weighing
from superbiz.analysis.deciding import Candidate, Channel, Picture, Sign, Symptom
from superbiz.analysis.logs import END, Burst, Place, Said, Shift
from superbiz.analysis.metrics import Deviation, Points
from superbiz.analysis.suspects import Track
from superbiz.analysis.traces import Call, CallShift, Growth, Operation
from superbiz.domain.claims import Conclusion, FaultCategory
from superbiz.domain.observations import Series
from support.incidents import START, build_series

FEW = settings(max_examples=40, deadline=None)
EXTREME = st.sampled_from([0.0, -0.0, 1.0, -1.0, 5e-324, 1e308, -1e308, 1.7976931348623157e308, 100.0, 1e-300])
NUMBER = EXTREME | st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1e3, 1e3)
ANYTHING = NUMBER | st.sampled_from([float("nan"), float("inf"), float("-inf")])
VALUES = st.lists(ANYTHING, max_size=25).map(lambda v: np.array(v, dtype=float))
SHARE = st.floats(0.0, 1.0)
NAMES = st.sampled_from(["gateway", "orders", "payments", "", "db", "名"])


@st.composite
def deviations(draw: st.DrawFn) -> Deviation | None:
    seen = draw(VALUES)
    return metrics.deviation(metrics.points(range(len(seen)), seen.tolist()), draw(VALUES), draw(st.sampled_from([None, True, False])))


@FEW
@given(deviations())
def test_a_deviation_is_finite_and_bounded(found: Deviation | None) -> None:
    if found is None:
        return
    assert abs(found.score) <= metrics.DEVIATION_CAP
    assert 0 < found.rarity <= 1
    assert all(
        map(math.isfinite, (found.worst, found.worst_at, found.onset, found.baseline.median, found.baseline.low, found.baseline.high))
    )
    assert min(found.baseline.up, found.baseline.down) > 0
    assert found.direction in ("rose", "fell", "steady")
    assert found.onset <= found.worst_at
    assert found.recovered is None or found.recovered > found.worst_at or abs(found.score) >= metrics.OUTLYING


@FEW
@given(st.lists(st.tuples(st.integers(0, 40), ANYTHING), max_size=30), st.randoms(use_true_random=False))
def test_points_do_not_depend_on_the_order_of_rows(rows: list[tuple[int, float]], random: Any) -> None:
    once = list(dict(rows).items())
    mixed = random.sample(once, len(once))
    first, second = (metrics.points(*zip(*r, strict=True)) if r else metrics.points((), ()) for r in (once, mixed))
    assert first.times.tolist() == second.times.tolist() == sorted(first.times.tolist())
    assert first.values.tolist() == second.values.tolist()
    twice = metrics.points(*zip(*rows, strict=True)) if rows else first
    assert len(set(twice.times.tolist())) == len(twice.times)


def test_the_mean_of_the_largest_numbers_is_finite() -> None:
    largest = 1.7976931348623157e308
    assert np.isfinite(metrics.points([0, 0, 0], [largest] * 3).values).all()


@FEW
@given(NUMBER, VALUES, st.integers(-3, 40))
def test_a_rarity_is_a_probability_and_never_nothing(worst: float, ordinary: Any, length: int) -> None:
    for found in (metrics.tail(worst, ordinary), metrics.tail(worst, ordinary, -1.0), metrics.window_tail(worst, ordinary, length)):
        assert 0 < found <= 1


@FEW
@given(
    st.lists(st.tuples(NAMES, NAMES, st.sampled_from(["Average", "Sum", "p99"]), deviations()), max_size=8),
    st.randoms(use_true_random=False),
)
def test_signals_are_the_same_whatever_the_order(rows: list[tuple[str, str, str, Deviation | None]], random: Any) -> None:
    known = {(s, m, stat): d for s, m, stat, d in rows if d}
    given_ = [(build_series([], subject=s, metric=m, stat=stat), d) for (s, m, stat), d in known.items()]
    first, second = metrics.signals(given_), metrics.signals(random.sample(given_, len(given_)))
    assert [_name(r) for r in first] == [_name(r) for r in second]
    assert sum(1 + len(others) for _, _, others in first) == len(given_)


def _name(row: tuple[Series, Deviation, tuple[str, ...]]) -> tuple[Any, ...]:
    return row[0].dimensions["ServiceName"], row[0].metric_name, row[0].stat, row[1].score, row[2]


COUNT = st.integers(0, 10**12) | st.integers(0, 5)


@FEW
@given(COUNT, COUNT, COUNT, COUNT)
def test_a_surprise_is_finite_and_turns_with_its_sides(x: int, of_x: int, y: int, of_y: int) -> None:
    score = statistics.surprise(x, of_x, y, of_y)
    assert math.isfinite(score)
    assert math.isclose(abs(score), abs(statistics.surprise(y, of_y, x, of_x)), rel_tol=1e-6, abs_tol=1e-6)


@FEW
@given(st.lists(st.floats(-1e6, 1e6), max_size=30), SHARE, SHARE)
def test_small_statistics_stay_in_their_bounds(scores: list[float], first: float, second: float) -> None:
    spread = statistics.overdispersion(scores)
    assert 1 <= spread < math.inf
    assert spread == statistics.overdispersion(reversed(scores))
    assert 0 <= statistics.joint(first, second) <= 1
    assert statistics.joint(first, second) == statistics.joint(second, first)


MAPS = st.dictionaries(NAMES, st.lists(NAMES, max_size=6), max_size=6)


@st.composite
def tracks(draw: st.DrawFn, numbers: st.SearchStrategy[float]) -> dict[str, Track]:
    """As `excess` makes them: without gaps, on two grids that all share."""
    now, usual = draw(st.integers(0, 8)), draw(st.integers(0, 12))

    def track(length: int) -> Any:
        values = draw(st.lists(numbers, min_size=length, max_size=length))
        return suspects.excess(np.array(values, dtype=float), draw(numbers), None, draw(st.booleans()))

    return {name: Track(track(now), track(usual)) for name in draw(st.lists(NAMES, unique=True, max_size=5))}


@FEW
@given(tracks(st.floats(-1e150, 1e150)), MAPS, st.none() | NAMES)
def test_suspects_of_any_map_are_ranked_once_each_and_alike(
    given_: dict[str, Track], calls: dict[str, list[str]], target: str | None
) -> None:
    """Maps may have cycles, self-calls and names that nobody measured."""
    found = suspects.rank(given_, calls, target)
    assert {s.resource for s in found} <= given_.keys()
    assert len({s.resource for s in found}) == len(found)
    assert [s.surplus for s in found] == sorted((s.surplus for s in found), reverse=True)
    assert all(0 < s.rarity <= 1 and math.isfinite(s.surplus) for s in found)
    backwards = {name: list(reversed(calls[name])) for name in reversed(calls)}
    assert found == suspects.rank(dict(reversed(given_.items())), backwards, target)


def test_a_share_of_next_to_nothing_is_finite() -> None:
    found = suspects.rank({"gateway": Track(np.array([2e-273]), np.array([3.6e35]))}, {}, None)
    assert math.isfinite(found[0].share)


@FEW
@given(MAPS, NAMES, st.lists(NAMES))
def test_whatever_the_map_calls_lead_somewhere_in_the_end(calls: dict[str, list[str]], target: str, measured: list[str]) -> None:
    shown = suspects.visible(calls, measured)
    assert shown.keys() == set(measured)
    assert all(callees <= set(measured) - {name} for name, callees in shown.items())
    assert target in suspects.reachable(calls, target)


SERIES = st.builds(
    build_series,
    st.just([1.0]),
    metric=st.sampled_from(["CPUUtilization", "FreeStorageSpace", "Errors", "Latency", "ReplicaLag", "ThrottledRequests", "x", ""]),
    unit=st.sampled_from(["Percent", "%", "Bytes", "Count", "", "None"]),
)


@FEW
@given(SERIES, deviations(), st.floats(-1e6, 1e6), COUNT, COUNT, st.floats(0, 1e9), SHARE)
def test_weights_are_bounded(series: Series, found: Deviation | None, score: float, x: int, y: int, fan_out: float, share: float) -> None:
    kind, percent = kinds.rule_of(series.metric_name).kind, kinds.is_percent(series)
    place = Place("a", "b")
    shift = Shift(Said(place, "k"), x, x + y, y, x + y, score)
    called = CallShift(Call(Operation("a", "b"), Operation("c", "d")), x, x + y, y, x + y, score, fan_out)
    weights = [
        weighing.line(shift, True), weighing.line(shift, False), weighing.step(shift, END, False), weighing.step(shift, "k", True),
        weighing.burst(Burst("a", x, x + y, y, x + y, score)), weighing.slower(Growth(1.0, 1.0, 1.0, 1.0, x, y, score)),
        weighing.called(called), weighing.excess(share, share),
        *([weighing.condition(kind, found, percent)] if found else []),
    ]  # fmt: skip
    assert all(0 <= weight <= weighing.MOST for weight in weights)
    assert found is None or weighing.at_limit(kind, found, percent) in (True, False)


SIGNS = st.lists(
    st.builds(
        Sign,
        resource=NAMES,
        channel=st.sampled_from(Channel),
        strength=st.floats(0, weighing.MOST) | st.sampled_from([0.0, 1e-9, 1.0]),
        category=st.sampled_from(FaultCategory),
        operation=st.none() | NAMES,
        key=st.sampled_from(["a", "b", "c"]),
    ),
    max_size=12,
)


@FEW
@given(SIGNS, st.randoms(use_true_random=False))
def test_candidates_are_ranked_alike_in_any_order_with_scores_within_one(signs: list[Sign], random: Any) -> None:
    found = deciding.rank(signs)
    mixed = deciding.rank(random.sample(signs, len(signs)))
    assert [_ranked(c) for c in found] == [_ranked(c) for c in mixed]
    assert all(0 <= c.score <= 1 for c in found)
    assert [c.strength for c in found] == sorted((c.strength for c in found), reverse=True)
    assert {c.resource for c in found} == {s.resource for s in signs if s.strength > deciding.NOISE}


def _ranked(candidate: Candidate) -> tuple[Any, ...]:
    return candidate.resource, candidate.strength, candidate.score, sorted(s.key for s in candidate.signs)


SYMPTOM = st.builds(
    Symptom, rarity=SHARE, suspect_rarity=SHARE, nodes=st.integers(1, 1_000), recovered=st.booleans(), pressed=st.booleans()
)


@FEW
@given(st.none() | SYMPTOM, SIGNS, st.booleans())
def test_every_picture_ends_in_one_conclusion_and_no_cause_without_a_candidate(
    symptom: Symptom | None, signs: list[Sign], seen: bool
) -> None:
    picture = Picture(symptom, deciding.rank(signs), seen)
    rule = deciding.decide(picture)
    assert rule == deciding.decide(picture)
    assert rule.reason
    if not picture.candidates or not seen:
        assert rule.conclusion is not Conclusion.ROOT_CAUSE


@FEW
@given(st.lists(st.tuples(st.integers(0, 3_000), st.none() | ANYTHING), max_size=20))
def test_the_points_of_a_series_lie_between_two_times(rows: list[tuple[int, float | None]]) -> None:
    series = build_series([v for _, v in rows])
    found = metrics.between(metrics.points_of(series), START.timestamp(), START.timestamp() + 300)
    assert isinstance(found, Points)
    assert all(0 <= t - START.timestamp() < 300 for t in found.times)
