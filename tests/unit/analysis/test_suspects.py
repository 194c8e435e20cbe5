"""Own excess along the service map: what it tells, and that no map can break it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis import suspects
from superbiz.analysis.suspects import Track
from support.incidents import wavering

QUIET = np.array(wavering(1.0, 60)) - 1.0
NODES = ["a", "b", "c", "d", "e"]


def track(*now: float) -> Track:
    return Track(np.array(now), QUIET)


def test_a_caller_is_excused_by_its_callees_excess() -> None:
    found = suspects.rank({"gateway": track(10, 12), "orders": track(10, 11)}, {"gateway": ["orders"]}, "gateway")
    assert [s.resource for s in found] == ["orders", "gateway"]
    assert found[0].own == 11
    assert found[1].own == 1


def test_a_callee_that_does_better_than_usual_is_no_excuse() -> None:
    found = suspects.rank({"gateway": track(10), "orders": track(-50)}, {"gateway": ["orders"]}, "gateway")
    assert found[0].resource == "gateway"
    assert found[0].own == 10


def test_equal_evidence_is_equal_surplus() -> None:
    found = suspects.rank({"root": track(10), "x": track(5), "y": track(5)}, {"root": ["x", "y"]}, "root")
    assert found[0].surplus == found[1].surplus
    assert found[0].rarity == found[1].rarity


def test_what_is_ordinary_for_a_node_is_no_surplus() -> None:
    noisy = Track(np.array([8.0]), np.array(wavering(5.0, 60, 1.0)))
    found = suspects.rank({"root": track(9), "noisy": noisy, "odd": track(4)}, {"root": ["noisy", "odd"]}, "root")
    assert found[0].resource == "odd"
    assert next(s for s in found if s.resource == "noisy").surplus < 0


def test_a_node_without_data_hands_its_callees_up() -> None:
    found = suspects.rank({"gateway": track(10), "orders": track(9)}, {"gateway": ["hidden"], "hidden": ["orders"]}, "gateway")
    assert found[0].resource == "orders"
    assert found[1].own == 1


def test_only_what_the_target_depends_on_is_ranked() -> None:
    found = suspects.rank({"gateway": track(10), "orders": track(9), "batch": track(99)}, {"gateway": ["orders"]}, "gateway")
    assert {s.resource for s in found} == {"gateway", "orders"}


def test_without_a_known_target_the_whole_map_is_ranked() -> None:
    found = suspects.rank({"gateway": track(10), "batch": track(99)}, {}, "nobody")
    assert [s.resource for s in found] == ["batch", "gateway"]


def test_a_service_that_calls_itself_is_not_its_own_excuse() -> None:
    found = suspects.rank({"orders": track(10)}, {"orders": ["orders"]}, "orders")
    assert found[0].own == 10


def test_nodes_that_call_each_other_do_not_hang() -> None:
    calls = {"a": ["h"], "h": ["i"], "i": ["h", "b"], "b": ["a"]}
    found = suspects.rank({"a": track(10), "b": track(4)}, calls, "a")
    assert found[0].resource == "a"
    assert found[0].own == 6


def test_without_ordinary_days_nothing_is_rare() -> None:
    found = suspects.rank({"orders": Track(np.array([10.0]), np.array([]))}, {}, "orders")
    assert found[0].rarity == 1.0
    assert found[0].surplus == 10


def test_excess_is_weighted_and_gaps_are_nothing() -> None:
    values, weights = np.array([1.0, np.nan, 3.0]), np.array([10.0, 10.0, np.nan])
    assert suspects.excess(values, 0.5, weights, falling=False).tolist() == [5.0, 0.0, 0.0]
    assert suspects.excess(values, 2.0, None, falling=True).tolist() == [1.0, 0.0, -1.0]


@given(
    st.dictionaries(st.sampled_from(NODES), st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5), max_size=5),
    st.dictionaries(st.sampled_from([*NODES, "hidden"]), st.sets(st.sampled_from([*NODES, "hidden", "unknown"]))),
    st.sampled_from([*NODES, None]),
)
def test_any_map_gives_each_measured_node_at_most_once(now: dict[str, list[float]], calls: dict[str, set[str]], target: str | None) -> None:
    length = min((len(v) for v in now.values()), default=0)
    found = suspects.rank({n: Track(np.array(v[:length]), QUIET) for n, v in now.items()}, calls, target)
    names = [s.resource for s in found]
    assert len(names) == len(set(names))
    assert set(names) <= set(now)
    assert [s.surplus for s in found] == sorted((s.surplus for s in found), reverse=True)


def test_the_way_to_a_suspect_is_the_shortest_chain_of_calls() -> None:
    calls = {"a": {"b", "c"}, "b": {"d"}, "c": {"d", "e"}, "d": {"a"}, "e": {"f"}}
    assert suspects.path(calls, "a", "d") == ("a", "b", "d")
    assert suspects.path(calls, "a", "f") == ("a", "c", "e", "f")
    assert suspects.path(calls, "f", "a") == ()
    assert suspects.path(calls, "a", "a") == ("a",)
