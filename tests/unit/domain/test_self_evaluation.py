"""The container of nodes, and what old forms of it become."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import self_evaluation
from superbiz.domain.self_evaluation import NODES, assemble, has, normalise

RULE = {"evidence_score": 65, "source": "rule", "factors": [{"name": "l0_exact_match", "delta": 35}]}
VERIFIER = {"verdict": "PASS", "groundedness_score": 0.8, "claim_checks": [], "rationale": "it says so"}
AIOPS = {"verdict": "WARN", "checks": []}


# REQ-005
# REQ-010
# REQ-223
def test_the_container_has_the_three_nodes_and_nothing_else() -> None:
    assert assemble(RULE, VERIFIER, AIOPS) == {
        "rule_evaluation": RULE,
        "verifier_evaluation": VERIFIER,
        "aiops_rule_evaluation": AIOPS,
    }


# REQ-017
@pytest.mark.parametrize(("nodes", "names"), [((None, None, None), None), ((RULE, None, None), {"rule_evaluation"})])
def test_a_node_that_is_missing_is_absent(nodes: tuple[Any, Any, Any], names: set[str] | None) -> None:
    container = assemble(*nodes)
    assert (set(container) if container else None) == names


# REQ-012
def test_a_flat_score_is_wrapped_whole_with_its_factors() -> None:
    assert normalise(RULE | {"extra": 1}) == {"rule_evaluation": RULE | {"extra": 1}}


# REQ-013
@pytest.mark.parametrize("keys", [{"verdict"}, {"groundedness_score"}, {"verdict", "groundedness_score"}])
def test_a_flat_verdict_is_wrapped(keys: set[str]) -> None:
    flat = {key: VERIFIER[key] for key in keys} | {"rationale": "it says so"}
    assert normalise(flat) == {"verifier_evaluation": flat}


# REQ-014
def test_both_families_are_split_and_no_key_is_lost() -> None:
    assert normalise(RULE | VERIFIER | {"extra": 1}) == {"rule_evaluation": RULE | {"extra": 1}, "verifier_evaluation": VERIFIER}


# REQ-035
def test_an_opinion_of_a_model_in_old_data_is_kept() -> None:
    flat = RULE | {"llm_opinion": {"has_root_cause": True}}
    assert normalise(flat) == {"rule_evaluation": flat}


def test_a_layered_container_stays_as_it_is() -> None:
    container = assemble(RULE, VERIFIER, AIOPS)
    assert normalise(container) == container


def test_a_flat_score_beside_its_node_joins_it_and_the_node_counts() -> None:
    mixed = {"evidence_score": 30, "factors": [], "rule_evaluation": {"evidence_score": 65}}
    assert normalise(mixed) == {"rule_evaluation": {"evidence_score": 65, "factors": [], "legacy": {"evidence_score": 30}}}


def test_a_verdict_inside_a_node_is_no_flat_one() -> None:
    assert normalise({"aiops_rule_evaluation": AIOPS}) == {"aiops_rule_evaluation": AIOPS}


@pytest.mark.parametrize("nothing", [None, {}])
def test_nothing_is_null(nothing: Any) -> None:
    assert normalise(nothing) is None


# REQ-130
@pytest.mark.parametrize(("container", "there"), [(None, False), ({}, False), ({NODES[1]: None}, False), ({NODES[1]: {}}, False),
                                                   ({NODES[1]: "x"}, False), ({NODES[1]: VERIFIER}, True)])  # fmt: skip
def test_a_node_is_there_when_it_is_an_object_with_something_in_it(container: Any, there: bool) -> None:
    assert has(container, self_evaluation.VERIFIER) is there


keys = st.sampled_from([*NODES, "evidence_score", "verdict", "groundedness_score", "factors", "legacy", "legacy_", "claim_checks", "odd"])
leaves = st.none() | st.integers() | st.text(max_size=3)
inner = st.dictionaries(st.sampled_from(["evidence_score", "verdict", "legacy", "odd"]), leaves, max_size=3)
containers = st.dictionaries(keys, leaves | inner, max_size=8)


def leaf_pairs(value: Any) -> list[tuple[str, str]]:
    if not isinstance(value, dict):
        return []
    return [(key, repr(item)) for key, item in value.items() if not isinstance(item, dict)] + [
        pair for item in value.values() for pair in leaf_pairs(item)
    ]


@given(containers)
def test_normalising_loses_no_value_and_a_second_time_changes_nothing(container: dict[str, Any]) -> None:
    made = normalise(container)
    values = [value for key, value in leaf_pairs(container) if key not in NODES]
    kept = [value for _, value in leaf_pairs(made)]
    assert all(value in kept for value in values)
    assert normalise(made) == made
    assert not set(made or {}) & {"evidence_score", "verdict", "groundedness_score"}


# REQ-011
@given(st.permutations(["rule", "verifier", "aiops"]))
def test_the_order_of_writing_does_not_matter(order: list[str]) -> None:
    nodes = {"rule": RULE, "verifier": VERIFIER, "aiops": AIOPS}
    written = {name: nodes[name] for name in order}
    assert assemble(**written) == assemble(RULE, VERIFIER, AIOPS)
