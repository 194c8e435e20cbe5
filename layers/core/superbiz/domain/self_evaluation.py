"""`self_evaluation`: a container of nodes by source. Each source writes its own node; old flat forms are wrapped when read."""

from collections.abc import Mapping
from typing import Any

from superbiz.domain.values import JsonObject

RULE, VERIFIER, AIOPS = "rule_evaluation", "verifier_evaluation", "aiops_rule_evaluation"
NODES = (RULE, VERIFIER, AIOPS)
_RULE_MARKS = frozenset({"evidence_score"})
_VERIFIER_MARKS = frozenset({"verdict", "groundedness_score"})
_VERIFIER_KEYS = _VERIFIER_MARKS | {
    "critical_fact_count",
    "claim_checks",
    "facts_checked",
    "rationale",
    "round",
    "traceability_version",
    "executor_output_parse_status",
    "executor_structured_output",
    "gatekeeper_result",
    "composer_output",
    "tool_trace_summary",
    "model_verdict",
    "model_groundedness_score",
    "adjustments",
    "retry_context",
}
_CLASHES = "legacy"


def assemble(rule: JsonObject | None, verifier: JsonObject | None, aiops: JsonObject | None) -> JsonObject | None:
    """The container of the nodes that are there; None where there is none yet."""
    nodes = {name: node for name, node in zip(NODES, (rule, verifier, aiops), strict=True) if node is not None}
    return nodes or None


def normalise(legacy: JsonObject | None) -> JsonObject | None:
    """The layered form of any container, old or new. No key is lost; a layered container stays as it is.

    A root with one family of scores is wrapped whole into that family's node; one with both is split, and what belongs to neither
    goes with the rules. Where a node is there already, its own values stand and a clashing root value is kept under `legacy`.
    """
    if not legacy:
        return None
    flat = {key: value for key, value in legacy.items() if key not in NODES}
    nodes = {key: value for key, value in legacy.items() if key in NODES}
    for name, part in _families(flat).items():
        nodes[name] = _joined(part, nodes[name]) if name in nodes else part
        flat = {key: value for key, value in flat.items() if key not in part}
    return nodes | flat


def has(container: Mapping[str, Any] | None, node: str) -> bool:
    """A node counts as there when it is an object with something in it."""
    value = (container or {}).get(node)
    return isinstance(value, Mapping) and bool(value)


def _families(flat: JsonObject) -> dict[str, JsonObject]:
    by_rule, by_verifier = bool(_RULE_MARKS & flat.keys()), bool(_VERIFIER_MARKS & flat.keys())
    if by_rule and by_verifier:
        return {
            RULE: {key: value for key, value in flat.items() if key not in _VERIFIER_KEYS},
            VERIFIER: {key: value for key, value in flat.items() if key in _VERIFIER_KEYS},
        }
    return {RULE: flat} if by_rule else {VERIFIER: flat} if by_verifier else {}


def _joined(part: JsonObject, node: Any) -> JsonObject:
    if node is None:
        return part
    if not isinstance(node, dict):
        return part | {_free(_CLASHES, part): node}
    clashes = {key: value for key, value in part.items() if key in node and node[key] != value}
    joined = part | node
    return joined | ({_free(_CLASHES, joined): clashes} if clashes else {})


def _free(name: str, taken: Mapping[str, Any]) -> str:
    while name in taken:
        name += "_"
    return name
