"""`superbiz verify`: the Gatekeeper, the offline Verifier and the verdict over anybody's dossier. One round, no retry."""

from superbiz.domain import dossier, entailment, gatekeeper, verdict
from superbiz.domain.dossier import Dossier
from superbiz.domain.gatekeeper import EvidenceBook
from superbiz.domain.values import JsonObject
from superbiz.engines.offline import verifier


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
    said = verifier.reply(claims, gate, gatekeeper.excerpts(claims, gate, book), named)
    judged = verdict.judge(given.claims, given.parse, gate, said, round_=1, invocations=calls, summary=(), last_round=1)
    return {
        "run_id": given.run_id,
        "verdict": judged.verdict.value,
        "groundedness_score": judged.groundedness_score,
        "gatekeeper_result": gate.to_json(),
        "claim_checks": [c.to_json() for c in judged.claim_checks],
    }
