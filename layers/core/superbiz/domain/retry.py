"""What round 2 is told: which claims stand, which are still missing evidence, and which calls were already made."""

from collections.abc import Mapping, Sequence

from superbiz.domain.claims import Claim, ClaimType
from superbiz.domain.evidence import Invocation
from superbiz.domain.verification import (
    CheckResult,
    ClaimCheck,
    ClaimGate,
    ClaimStatus,
    MissingClaim,
    RetryContext,
    TriedCall,
    VerifierEvaluation,
)

NEEDS = {
    "MISSING_EVIDENCE": "a citation of a recorded output that states it",
    "INVOCATION_NOT_FOUND": "a citation of a call that this run made",
    "INVOCATION_FAILED": "another source that states it; the cited call failed",
    "RAW_PATH_NOT_FOUND": "the exact path of the record that states it",
    "EXCERPT_TOO_SHORT": "a longer passage of the record that states it",
    "EXCERPT_MISMATCH": "the passage as the record has it, character by character",
    "EXCERPT_CUT": "the passage in whole words and numbers",
    "EXCERPT_BOILERPLATE": "a passage that says more than every line does",
    "OUTPUT_ALTERED": "another call that states it; the cited output was altered",
    "NUMBER_MISMATCH": "a record that has its numbers",
    "FACT_INVALID": "typed facts that can be read",
    "FACT_MISMATCH": "typed facts that the record bears out",
    "FACT_SWAPPED": "each number under the name that the record gives it",
    "TIME_MISMATCH": "a record that has its times",
    "TIME_OUTSIDE_WINDOW": "a query whose window holds its times",
    "ENTITY_MISMATCH": "a record of the very things that it names",
    "DIRECTION_MISMATCH": "a record that shows this direction",
    "ABSENCE_UNFOUNDED": "a record that denies it or counts zero of it",
    "WHOLE_OF_A_PART": "a count over a complete output",
    "UNSUPPORTED": "a record that states it; the cited one does not",
}
OTHER_NEED = "evidence that carries it"


def context(evaluation: VerifierEvaluation, invocations: Sequence[Invocation]) -> RetryContext:
    """The `retry_context` of a LOW_CONFID evaluation, for the round after it."""
    structured = evaluation.executor_structured_output
    claims = structured.claims if structured and evaluation.executor_output_parse_status.valid else ()
    gates = {gate.claim_id: gate for gate in evaluation.gatekeeper_result.claims}
    checks = {check.claim_id: check for check in evaluation.claim_checks}
    keep = [c.claim_id for c in claims if _stands(c, gates, checks)]
    lacking = [c for c in claims if c.claim_id not in keep and c.claim_type is not ClaimType.ACTION]
    return RetryContext(
        from_round=evaluation.round,
        next_round=evaluation.round + 1,
        keep_claim_ids=tuple(keep),
        missing=tuple(_missing(c, gates, checks) for c in sorted(lacking, key=lambda c: not c.must_hold)),
        already_tried=_tried(invocations),
    )


def _stands(claim: Claim, gates: Mapping[str, ClaimGate], checks: Mapping[str, ClaimCheck]) -> bool:
    gate, check = gates.get(claim.claim_id), checks.get(claim.claim_id)
    if gate is None or check is None or gate.status is not ClaimStatus.VERIFIED:
        return False
    return check.result is CheckResult.SUPPORTED or (gate.absence_only and check.result is CheckResult.PARTIAL)


def _missing(claim: Claim, gates: Mapping[str, ClaimGate], checks: Mapping[str, ClaimCheck]) -> MissingClaim:
    gate, check = gates.get(claim.claim_id), checks.get(claim.claim_id)
    codes = (gate.codes if gate else ()) or ((check.result.value,) if check else ())
    need = NEEDS.get(codes[0], OTHER_NEED) if codes else OTHER_NEED
    return MissingClaim(
        claim_id=claim.claim_id, claim_text=claim.claim_text, critical=claim.must_hold, codes=codes, need=f"{need}: {claim.claim_text}"
    )


def _tried(invocations: Sequence[Invocation]) -> tuple[TriedCall, ...]:
    """Each call once, by tool and input."""
    calls = {(call.tool_name, call.input_digest): call.retrieval_details.evidence_status.value for call in invocations}
    return tuple(TriedCall(tool_name=tool, input_digest=digest, evidence_status=status) for (tool, digest), status in calls.items())
