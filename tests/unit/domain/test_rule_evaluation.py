"""The evidence score: every vector, and what no run can reach."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import rule_evaluation
from superbiz.domain.evidence import Invocation, Match, ToolCategory
from superbiz.domain.runs import Status
from support.builders import build_call, build_failed_invocation


def hits(l0: int = 0, l1: int = 0) -> Match:
    return Match(is_retrieval=True, l0_hits=l0, l1_hits=l1)


def found(l0: int = 0, l1: int = 0, **fields: Any) -> Invocation:
    return build_call({"hits": []}, category="KNOWLEDGE", tool_name="lookup_knowledge", match=hits(l0, l1), **fields).invocation


def failed_lookup(l0: int = 0, l1: int = 0) -> Invocation:
    return build_failed_invocation(category="KNOWLEDGE", tool_name="lookup_knowledge", match=hits(l0, l1))


LOG = build_call().invocation
TIME = build_call({"now": "x"}, category="UTILITY", tool_name="current_time").invocation
SUCCESS, FAILED = Status.SUCCESS, Status.FAILED
HAS, L0, L1, NO_HIT, ALL_FAILED = (
    "has_successful_tool_call",
    "l0_exact_match",
    "l1_semantic_match",
    "retrieval_no_hit",
    "all_tool_calls_failed",
)
VECTORS = {
    1: (FAILED, [found(l0=1)], 0, ["execution_failed"]),  # REQ-023
    2: (FAILED, [], 0, ["execution_failed"]),
    3: (SUCCESS, [], 0, ["no_tool_call"]),  # REQ-024
    4: (SUCCESS, [TIME], 0, ["no_tool_call"]),  # REQ-038
    5: (SUCCESS, [LOG], 30, [HAS]),  # REQ-025
    6: (SUCCESS, [found()], 20, [HAS, NO_HIT]),  # REQ-029
    7: (SUCCESS, [found(l1=2)], 50, [HAS, L1]),  # REQ-027
    8: (SUCCESS, [found(l0=1)], 65, [HAS, L0]),  # REQ-026
    9: (SUCCESS, [found(l0=1), found(l1=3, seq=2)], 65, [HAS, L0]),  # REQ-028
    10: (SUCCESS, [build_failed_invocation()], 0, [ALL_FAILED]),  # REQ-030
    11: (SUCCESS, [failed_lookup()], 0, [NO_HIT, ALL_FAILED]),
    12: (SUCCESS, [failed_lookup(), LOG], 20, [HAS, NO_HIT]),
    13: (SUCCESS, [failed_lookup(l0=1)], 15, [L0, ALL_FAILED]),
    14: (SUCCESS, [failed_lookup(l1=1)], 0, [L1, ALL_FAILED]),
}


@pytest.mark.parametrize(("status", "calls", "score", "factors"), VECTORS.values(), ids=map(str, VECTORS))
def test_every_vector_of_the_requirements(status: Status, calls: list[Invocation], score: int, factors: list[str]) -> None:
    node = rule_evaluation.evaluate(status, calls)
    assert node["evidence_score"] == score
    assert [factor["name"] for factor in node["factors"]] == factors


# REQ-032
# REQ-033
# REQ-034
def test_the_node_has_its_three_fields_and_its_deltas_add_up() -> None:
    node = rule_evaluation.evaluate(SUCCESS, [found(l0=2), LOG, build_failed_invocation()])
    assert set(node) == {"evidence_score", "source", "factors"}
    assert node["source"] == "rule"
    assert sum(factor["delta"] for factor in node["factors"]) == node["evidence_score"] == 65
    assert node["factors"][0] == {"name": HAS, "delta": 30, "description": "2 of 3 evidence calls succeeded."}


# REQ-025
def test_twenty_successes_earn_what_one_earns() -> None:
    calls = [build_call(seq=n).invocation for n in range(1, 21)]
    assert rule_evaluation.evaluate(SUCCESS, calls)["evidence_score"] == 30


# REQ-031
def test_a_score_above_a_hundred_is_clipped(monkeypatch: pytest.MonkeyPatch) -> None:
    generous = rule_evaluation.Rule("generous", 200, lambda _: True, "")
    monkeypatch.setattr(rule_evaluation, "WEIGHTED", (generous,))
    assert rule_evaluation.evaluate(SUCCESS, [LOG])["evidence_score"] == 100


# REQ-022
# REQ-228
def test_a_run_that_is_still_running_is_scored_by_its_calls_alone() -> None:
    assert rule_evaluation.evaluate(Status.RUNNING, [LOG]) == rule_evaluation.evaluate(SUCCESS, [LOG])


consistent = st.one_of(
    st.sampled_from(list(ToolCategory)).map(lambda c: build_call({"x": 1}, category=c).invocation),
    st.sampled_from(list(ToolCategory)).map(lambda c: build_failed_invocation(category=c)),
    st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda n: found(*n)),
    st.just(failed_lookup()),
)


@given(status=st.sampled_from([SUCCESS, FAILED]), calls=st.lists(consistent, max_size=12), seed=st.randoms())
def test_consistent_records_reach_five_scores_in_any_order(status: Status, calls: list[Invocation], seed: Any) -> None:
    node = rule_evaluation.evaluate(status, calls)
    assert node["evidence_score"] in {0, 20, 30, 50, 65}
    assert type(node["evidence_score"]) is int
    seed.shuffle(calls)
    assert rule_evaluation.evaluate(status, calls) == node
