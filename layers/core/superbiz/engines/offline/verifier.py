"""The Verifier without a model: rules of entailment over the citations that the Gatekeeper found real."""

from collections.abc import Iterable, Sequence

from superbiz.domain import entailment
from superbiz.domain.claims import Claim
from superbiz.domain.entailment import Cited, Entailment
from superbiz.domain.gatekeeper import Excerpt, is_critical
from superbiz.domain.verdict import PASS_SCORE
from superbiz.domain.verification import (
    CheckResult,
    ClaimCheck,
    ClaimStatus,
    FactCheck,
    GatekeeperResult,
    Verdict,
    VerifierReply,
)
from superbiz.ports import Brief, Dossier, Verification

MAX_FACTS = 100


class OfflineVerifier:
    """Implements `ports.Verifier`. It reads nothing but claims, the Gatekeeper's result and the excerpts (REQ-078)."""

    def verify(self, dossier: Dossier, brief: Brief) -> Verification:  # noqa: ARG002 - the port's; rules need no brief
        """A check for every claim whose citations are real. The others are the Gatekeeper's."""
        if dossier.structured is None:
            return Verification(reply=_nothing())
        return Verification(reply=reply(dossier.structured.claims, dossier.gatekeeper, dossier.excerpts))


def reply(
    claims: Sequence[Claim], gate: GatekeeperResult, excerpts: Sequence[Excerpt], named: frozenset[str] = frozenset()
) -> VerifierReply:
    """The Verifier's reply, in the terms of requirements section 4. `named` are further names of things, beside those that are cited."""
    verified = {g.claim_id for g in gate.claims if g.status is ClaimStatus.VERIFIED}
    cited = _by_claim(excerpts)
    own = entailment.known_in([c for group in cited.values() for c in group])
    known = named if own <= named else named | own
    found = {c.claim_id: entailment.judge(c, cited.get(c.claim_id, []), known) for c in claims if c.claim_id in verified}
    gates = {g.claim_id: g for g in gate.claims}
    critical = [c.claim_id for c in claims if c.claim_id in gates and is_critical(c, gates[c.claim_id])]
    supported = sum(i in found and found[i].result is CheckResult.SUPPORTED for i in critical)
    return VerifierReply(
        verdict=_verdict(critical, supported, found),
        groundedness_score=supported / len(critical) if critical else 0.0,
        critical_fact_count=len(critical),
        claim_checks=tuple(ClaimCheck(claim_id=i, result=e.result, expressible=e.expressible, reason=e.reason) for i, e in found.items()),
        facts_checked=tuple(_facts(claims, found))[:MAX_FACTS],
        rationale=_rationale(len(critical), supported, found),
    )


def _by_claim(excerpts: Iterable[Excerpt]) -> dict[str, list[Cited]]:
    groups: dict[str, list[Cited]] = {}
    for e in excerpts:
        groups.setdefault(e.claim_id, []).append(Cited(e.excerpt, e.text, e.around, e.params, e.tool_name))
    return groups


def _verdict(critical: Sequence[str], supported: int, found: dict[str, Entailment]) -> Verdict:
    """REJECT where a critical claim is contradicted; whether silence ends in REJECT is for code to say, which knows the rounds."""
    contradicted = {i for i, e in found.items() if e.result is CheckResult.CONTRADICTED}
    if contradicted.intersection(critical):
        return Verdict.REJECT
    passes = critical and supported / len(critical) >= PASS_SCORE and supported == len(critical) and not contradicted
    return Verdict.PASS if passes else Verdict.LOW_CONFID


def _facts(claims: Iterable[Claim], found: dict[str, Entailment]) -> Iterable[FactCheck]:
    for claim in claims:
        for fact, result in found[claim.claim_id].facts if claim.claim_id in found else ():
            yield FactCheck(fact=fact, critical=claim.must_hold, result=result, claim_id=claim.claim_id)


def _rationale(critical: int, supported: int, found: dict[str, Entailment]) -> str:
    first = f"{supported} of {critical} critical facts are carried by their citations"
    short = [f"{i}: {e.reason}" for i, e in found.items() if e.result is not CheckResult.SUPPORTED]
    return ". ".join([first, *short[:5]]) + "."


def _nothing() -> VerifierReply:
    return VerifierReply(
        verdict=Verdict.LOW_CONFID, groundedness_score=0.0, critical_fact_count=0, rationale="There is no structured output to judge."
    )
