"""`rule_evaluation`: was evidence sought, and did retrieval hit? Sufficiency of evidence, never the truth of an answer.

Its only inputs are the run's status and its recorded calls: no answer, no model.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from superbiz.domain.evidence import Invocation, InvocationStatus, ToolCategory
from superbiz.domain.runs import Status
from superbiz.domain.values import JsonObject

SOURCE = "rule"


class Sought(NamedTuple):
    """What was done to find evidence. Utility calls do not count."""

    failed_run: bool
    calls: int
    successes: int
    retrievals: int
    l0: int
    l1: int


class Rule(NamedTuple):
    name: str
    delta: int
    fires: Callable[[Sought], bool]
    description: str


DECISIVE = (
    Rule("execution_failed", 0, lambda s: s.failed_run, "The run failed."),
    Rule("no_tool_call", 0, lambda s: s.calls == 0, "No tool was called that counts as evidence."),
)
WEIGHTED = (
    Rule("has_successful_tool_call", 30, lambda s: s.successes > 0, "{successes} of {calls} evidence calls succeeded."),
    Rule("l0_exact_match", 35, lambda s: s.l0 > 0, "Knowledge matched exactly ({l0} hits)."),
    Rule("l1_semantic_match", 20, lambda s: s.l0 == 0 and s.l1 > 0, "Knowledge matched by meaning ({l1} hits)."),
    Rule(
        "retrieval_no_hit",
        -10,
        lambda s: s.retrievals > 0 and s.l0 == s.l1 == 0,
        "Knowledge was looked up without a hit ({retrievals} calls).",
    ),
    Rule("all_tool_calls_failed", -20, lambda s: s.successes == 0, "All {calls} evidence calls failed."),
)


def evaluate(status: Status, invocations: Sequence[Invocation]) -> JsonObject:
    """The node: `evidence_score` (0-100), `source` and the `factors` that fired. A decisive rule ends it with 0."""
    sought = _sought(status, invocations)
    fired = [rule for rule in DECISIVE if rule.fires(sought)][:1] or [rule for rule in WEIGHTED if rule.fires(sought)]
    return {
        "evidence_score": max(0, min(100, sum(rule.delta for rule in fired))),
        "source": SOURCE,
        "factors": [{"name": rule.name, "delta": rule.delta, "description": rule.description.format(**sought._asdict())} for rule in fired],
    }


def _sought(status: Status, invocations: Sequence[Invocation]) -> Sought:
    calls = [call for call in invocations if call.counts_for_evidence]
    matches = [call.retrieval_details.match for call in calls]
    return Sought(
        failed_run=status is Status.FAILED,
        calls=len(calls),
        successes=sum(call.status is InvocationStatus.SUCCESS for call in calls),
        retrievals=sum(call.category is ToolCategory.KNOWLEDGE or call.retrieval_details.match.is_retrieval for call in calls),
        l0=sum(match.l0_hits for match in matches),
        l1=sum(match.l1_hits for match in matches),
    )
