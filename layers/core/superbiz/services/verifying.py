"""`superbiz verify`: the Gatekeeper, the offline Verifier and the verdict over anybody's dossier. One round, no retry."""

from superbiz.domain import dossier, entailment, gatekeeper, verdict
from superbiz.domain.dossier import Dossier
from superbiz.domain.gatekeeper import EvidenceBook
from superbiz.domain.values import JsonObject
from superbiz.domain.verification import ClaimStatus, GatekeeperResult
from superbiz.engines.offline import verifier
from superbiz.ports import Excerpt


def verify_text(text: str | bytes) -> JsonObject:
    """The result of a dossier. Raises Invalid where the text is none."""
    return check(dossier.read(text))


def check(given: Dossier) -> JsonObject:
    """`{"run_id","verdict","groundedness_score","gatekeeper_result","claim_checks"}`."""
    book = EvidenceBook(given.run_id, given.invocations, given.outputs)
    gate = gatekeeper.admit(given.claims, given.parse, book, 1)
    claims = given.claims.claims if given.claims and given.parse.valid else ()
    calls = tuple(book.invocations.values())
    named = entailment.named_in([*given.outputs.values(), *(call.input_params for call in calls)])
    said = verifier.reply(claims, gate, excerpts(given, book, gate), named)
    judged = verdict.judge(given.claims, given.parse, gate, said, round_=1, invocations=calls, summary=(), last_round=1)
    return {
        "run_id": given.run_id,
        "verdict": judged.verdict.value,
        "groundedness_score": judged.groundedness_score,
        "gatekeeper_result": gate.to_json(),
        "claim_checks": [c.to_json() for c in judged.claim_checks],
    }


def excerpts(given: Dossier, book: EvidenceBook, gate: GatekeeperResult) -> list[Excerpt]:
    """The citations of claims whose every citation is real, with what they stand in."""
    verified = {g.claim_id for g in gate.claims if g.status is ClaimStatus.VERIFIED}
    claims = given.claims.claims if given.claims else ()
    return [
        Excerpt(
            claim_id=claim.claim_id,
            invocation_id=bound.invocation_id,
            tool_name=book.invocations[bound.invocation_id].tool_name,
            raw_path=bound.raw_path,
            excerpt=bound.evidence_excerpt,
            text=book.ref_text(bound.invocation_id, bound.raw_path) or "",
            params=book.invocations[bound.invocation_id].input_params,
            around=book.surroundings(bound.invocation_id, bound.raw_path),
        )
        for claim in claims
        if claim.claim_id in verified
        for bound in claim.evidence
    ]
