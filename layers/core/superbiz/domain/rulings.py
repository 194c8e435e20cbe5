"""Guards, claim by claim: what code makes of a Verifier's checks. It may only lower them, and says where it did."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from superbiz.domain.claims import Claim, ClaimType
from superbiz.domain.gatekeeper import is_critical
from superbiz.domain.verification import (
    CheckResult,
    ClaimCheck,
    ClaimGate,
    ClaimStatus,
    Expressible,
    GatekeeperResult,
    VerifierReply,
)

MAX_TEXT = 2_000
REASONS_SHOWN = 3
UNJUDGED = "the Verifier did not judge it"
PROPOSAL = "an action is a proposal, not a statement of fact"
GROUNDLESS = "no critical claim is supported, so no action is proposed"
WHOLE_CLAIM = {
    "MISSING_EVIDENCE": "expected at least one citation, found none: only an action may stand without",
    "DUPLICATE_CLAIM_ID": "expected an id of its own, found another claim of the same claim_id: both are refused",
}
_RESULTS = (
    CheckResult.CONTRADICTED,
    CheckResult.NOT_VERIFIED,
    CheckResult.UNSUPPORTED,
    CheckResult.PARTIAL,
    CheckResult.SUPPORTED,
)
_EXPRESSIBLE = (Expressible.NONE, Expressible.HEDGED, Expressible.FULL)
_SAYABLE = {CheckResult.SUPPORTED: Expressible.FULL, CheckResult.PARTIAL: Expressible.HEDGED}


class Guard(NamedTuple):
    """Where it applies, a claim's check is at most this. `why` is filled with the claim's gate codes."""

    applies: Callable[[Claim, ClaimGate], bool]
    result: CheckResult
    expressible: Expressible
    why: str


GUARDS = (
    Guard(
        lambda _claim, gate: gate.status is ClaimStatus.UNVERIFIED,
        CheckResult.NOT_VERIFIED,
        Expressible.NONE,
        "the Gatekeeper rejects it ({codes})",
    ),
    Guard(
        lambda claim, gate: gate.absence_only and claim.claim_type is ClaimType.ABSENCE,
        CheckResult.PARTIAL,
        Expressible.HEDGED,
        "a query that matched nothing is told as just that",
    ),
    Guard(
        lambda _claim, gate: bool(gate.lowered_by) and gate.status is not ClaimStatus.UNVERIFIED,
        CheckResult.PARTIAL,
        Expressible.HEDGED,
        "a rule lets it be said with a hedge at most ({codes})",
    ),
)


class Ruling(NamedTuple):
    check: ClaimCheck
    note: str | None


def rulings(claims: Sequence[Claim], gate: GatekeeperResult, reply: VerifierReply | None) -> tuple[Ruling, ...]:
    """One a claim id, in the claims' order. Actions without evidence hang on whether a critical claim stands."""
    gates, said = _gates(claims, gate), _said(reply)
    ruled = {
        claim.claim_id: _ruled(claim, gates[claim.claim_id], said.get(claim.claim_id))
        for claim in claims
        if gates[claim.claim_id].status is not ClaimStatus.EXEMPT
    }
    firm = any(
        is_critical(c, gates[c.claim_id]) and ruled[c.claim_id].check.result is CheckResult.SUPPORTED for c in claims if c.claim_id in ruled
    )
    unique = {claim.claim_id: claim for claim in claims}
    return tuple(ruled.get(key) or _exempt(claim, said.get(key), firm=firm) for key, claim in unique.items())


def critical(claims: Sequence[Claim], gate: GatekeeperResult) -> list[Claim]:
    """The critical facts of section 4, rule 3."""
    gates = _gates(claims, gate)
    return [claim for claim in claims if is_critical(claim, gates[claim.claim_id])]


def _gates(claims: Sequence[Claim], gate: GatekeeperResult) -> dict[str, ClaimGate]:
    """A claim that the Gatekeeper never saw is unverified."""
    found = {g.claim_id: g for g in gate.claims}
    return {c.claim_id: found.get(c.claim_id) or _unseen(c) for c in claims}


def _unseen(claim: Claim) -> ClaimGate:
    return ClaimGate(claim_id=claim.claim_id, critical=claim.must_hold, status=ClaimStatus.UNVERIFIED, codes=("NOT_CHECKED",))


def _said(reply: VerifierReply | None) -> dict[str, ClaimCheck]:
    """What the Verifier said of each claim; where it speaks twice of one, the worse counts."""
    said: dict[str, ClaimCheck] = {}
    for check in reply.claim_checks if reply else ():
        before = said.get(check.claim_id)
        said[check.claim_id] = check if before is None else at_most(check, before.result, before.expressible)
    return said


def _ruled(claim: Claim, gate: ClaimGate, said: ClaimCheck | None) -> Ruling:
    check = before = said or _silent(claim, gate)
    reasons = [UNJUDGED] if check.reason == UNJUDGED else []
    for guard in GUARDS:
        if guard.applies(claim, gate):
            check = at_most(check, guard.result, guard.expressible)
            reasons.append(guard.why.format(codes=", ".join((*gate.codes, *gate.lowered_by))))
    if gate.status is ClaimStatus.UNVERIFIED:
        check = check.model_copy(update={"result": CheckResult.NOT_VERIFIED})
    check = at_most(check, check.result, _SAYABLE.get(check.result, Expressible.NONE))
    return _noted(before, check, reasons, gate)


def _silent(claim: Claim, gate: ClaimGate) -> ClaimCheck:
    """What counts for a claim that the Verifier passed over. One without real citations was never its to judge."""
    unreal = gate.status is ClaimStatus.UNVERIFIED
    result, reason = (CheckResult.NOT_VERIFIED, "") if unreal else (CheckResult.UNSUPPORTED, UNJUDGED)
    return ClaimCheck(claim_id=claim.claim_id, result=result, expressible=Expressible.NONE, reason=reason)


def _noted(before: ClaimCheck, check: ClaimCheck, reasons: list[str], gate: ClaimGate) -> Ruling:
    """The check with its reason, and a sentence where code had a say in it."""
    changed = (check.result, check.expressible) != (before.result, before.expressible)
    if changed and not reasons:
        reasons = [f"a claim that is {check.result} is at most {check.expressible}"]
    broken = [
        *(WHOLE_CLAIM[code] for code in gate.codes if code in WHOLE_CLAIM),
        *(bound.reason for bound in gate.bindings if not bound.ok),
        *(breach.reason for breach in gate.breaches),
    ][:REASONS_SHOWN]
    own = [] if gate.status is ClaimStatus.UNVERIFIED else [before.reason]
    reason = "; ".join(dict.fromkeys(filter(None, (*own, *reasons, *broken))))[:MAX_TEXT]
    lowered = f" {before.result}/{before.expressible} lowered to {check.result}/{check.expressible}:" if changed else ""
    note = f"claim {check.claim_id}:{lowered} {'; '.join(reasons)}" if reasons else None
    return Ruling(check.model_copy(update={"reason": reason}), note)


def _exempt(claim: Claim, said: ClaimCheck | None, *, firm: bool) -> Ruling:
    """An action carries no evidence: it may be proposed where a critical claim stands, never stated. The Verifier may forbid it."""
    free = ClaimCheck(claim_id=claim.claim_id, result=CheckResult.NOT_VERIFIED, expressible=Expressible.HEDGED, reason=PROPOSAL)
    check = at_most(said or free, free.result, free.expressible if firm else Expressible.NONE)
    if check.result is CheckResult.CONTRADICTED:
        check = at_most(check, check.result, Expressible.NONE)
    reason = (check.reason or PROPOSAL) if firm else GROUNDLESS
    lowered = check.expressible is not (said or free).expressible
    note = f"claim {claim.claim_id}: {(said or free).expressible} lowered to {check.expressible}: {PROPOSAL if firm else GROUNDLESS}"
    return Ruling(check.model_copy(update={"reason": reason[:MAX_TEXT]}), note if lowered else None)


def at_most(check: ClaimCheck, result: CheckResult, expressible: Expressible) -> ClaimCheck:
    return check.model_copy(
        update={
            "result": min(check.result, result, key=_RESULTS.index),
            "expressible": min(check.expressible, expressible, key=_EXPRESSIBLE.index),
        }
    )
