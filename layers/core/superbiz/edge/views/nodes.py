"""The evaluation nodes, typed. A node that is missing or still to come says so; a node of an odd old form is read as far as it goes."""

from collections.abc import Mapping
from typing import Any, Literal

from typing_extensions import TypedDict

from superbiz.domain.runs import Flow, Run, Status, Work
from superbiz.domain.values import JsonObject
from superbiz.edge.views.shapes import camel_keys

State = Literal["present", "pending", "absent", "not_applicable"]
RULE, VERIFIER, AIOPS = "rule_evaluation", "verifier_evaluation", "aiops_rule_evaluation"


class Factor(TypedDict):
    """A rule that fired."""

    name: str
    delta: int
    description: str


class RuleNode(TypedDict):
    """Was evidence sought, and did retrieval hit. Never whether the answer is true."""

    type: Literal["rule_evaluation"]
    state: State
    evidenceScore: int | None
    source: str | None
    factors: list[Factor]


class ClaimCheckView(TypedDict):
    """Can the claim be derived from what it cites."""

    claimId: str
    result: str
    expressible: str
    reason: str


class FactCheckView(TypedDict):
    """One fact of a claim."""

    fact: str
    critical: bool
    result: str
    claimId: str


class VerifierNode(TypedDict):
    """What the Verifier found; `gatekeeper` is the stored result of the citation checks."""

    type: Literal["verifier_evaluation"]
    state: State
    verdict: str | None
    groundednessScore: float | None
    criticalFactCount: int | None
    round: int | None
    rationale: str | None
    claimChecks: list[ClaimCheckView]
    factsChecked: list[FactCheckView]
    gatekeeper: JsonObject | None
    composer: JsonObject | None
    adjustments: list[str]


class AiopsCheck(TypedDict):
    """One light check."""

    name: str
    status: str
    severity: str
    detail: str


class AiopsNode(TypedDict):
    """Light rule checks of a run that an alarm started."""

    type: Literal["aiops_rule_evaluation"]
    state: State
    verdict: str | None
    checks: list[AiopsCheck]


class Nodes(TypedDict):
    """The evidence view: each source by itself."""

    rule: RuleNode
    verifier: VerifierNode
    aiops: AiopsNode


def nodes(container: JsonObject | None, run: Run | None) -> Nodes:
    """Typed nodes of a normalised container. Without a run (a row of the old system) nothing is to come any more."""
    rule, verifier, aiops = (_node(container, name) for name in (RULE, VERIFIER, AIOPS))
    later = "pending" if run is not None and (run.status is Status.RUNNING or run.work is Work.EVAL) else "absent"
    verifying = "pending" if run is not None and run.status is Status.RUNNING else "absent"
    checking = "not_applicable" if run is not None and run.agent_flow is Flow.CHAT else later
    return {"rule": _rule(rule, later), "verifier": _verifier(verifier, verifying), "aiops": _aiops(aiops, checking)}


def _rule(node: JsonObject, otherwise: Any) -> RuleNode:
    return {
        "type": "rule_evaluation",
        "state": "present" if node else otherwise,
        "evidenceScore": node.get("evidence_score"),
        "source": node.get("source"),
        "factors": _rows(node.get("factors")),
    }


def _verifier(node: JsonObject, otherwise: Any) -> VerifierNode:
    return {
        "type": "verifier_evaluation",
        "state": "present" if node else otherwise,
        "verdict": node.get("verdict"),
        "groundednessScore": node.get("groundedness_score"),
        "criticalFactCount": node.get("critical_fact_count"),
        "round": node.get("round"),
        "rationale": node.get("rationale"),
        "claimChecks": _rows(node.get("claim_checks")),
        "factsChecked": _rows(node.get("facts_checked")),
        "gatekeeper": node.get("gatekeeper_result"),
        "composer": node.get("composer_output"),
        "adjustments": _texts(node.get("adjustments")),
    }


def _aiops(node: JsonObject, otherwise: Any) -> AiopsNode:
    return {
        "type": "aiops_rule_evaluation",
        "state": "present" if node else otherwise,
        "verdict": node.get("verdict"),
        "checks": _rows(node.get("checks")),
    }


def _node(container: JsonObject | None, name: str) -> JsonObject:
    found = (container or {}).get(name)
    return dict(found) if isinstance(found, Mapping) else {}


def _rows(given: Any) -> list[Any]:
    return [camel_keys(dict(row)) for row in given if isinstance(row, Mapping)] if isinstance(given, list | tuple) else []


def _texts(given: Any) -> list[str]:
    return [str(text) for text in given] if isinstance(given, list | tuple) else []
