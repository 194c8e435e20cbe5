"""`superbiz verify`: the Gatekeeper, the offline Verifier and the verdict over anybody's dossier. One round, no retry."""

from collections.abc import Callable

from superbiz.domain import dossier, gatekeeper, verdict
from superbiz.domain.dossier import Dossier
from superbiz.domain.gatekeeper import EvidenceBook
from superbiz.domain.values import JsonObject
from superbiz.engines.offline import verifier


def verify_text(text: str | bytes, tell: Callable[[str], None] = lambda _: None) -> JsonObject:
    """The result of a dossier. Fields that look like slips are told. Raises Invalid where the text is no dossier."""
    given = dossier.read(text)
    for note in given.notes:
        tell(note)
    return check(given)


def check(given: Dossier) -> JsonObject:
    """`{"run_id","verdict","groundedness_score","rationale","gatekeeper_result","claim_checks","facts_checked"}`."""
    book = EvidenceBook(given.run_id, given.invocations, given.outputs, given.incident, given.altered.__contains__)
    gate = gatekeeper.admit(given.claims, given.parse, book, 1)
    claims = given.claims.claims if given.claims and given.parse.valid else ()
    calls = tuple(book.invocations.values())
    said = verifier.reply(claims, gate, gatekeeper.excerpts(claims, gate, book), book.known if claims else frozenset())
    judged = verdict.judge(given.claims, given.parse, gate, said, round_=1, invocations=calls, summary=(), last_round=1)
    return {
        "run_id": given.run_id,
        "verdict": judged.verdict.value,
        "groundedness_score": judged.groundedness_score,
        "rationale": judged.rationale,
        "gatekeeper_result": gate.to_json(),
        "claim_checks": [c.to_json() for c in judged.claim_checks],
        "facts_checked": [f.to_json() for f in judged.facts_checked],
    }
