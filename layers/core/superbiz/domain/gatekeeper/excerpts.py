"""What a Verifier may read: the citations that were found real, each with what it stands in."""

from collections.abc import Iterable
from typing import NamedTuple

from superbiz.domain.claims import Binding, Claim
from superbiz.domain.gatekeeper.book import EvidenceBook
from superbiz.domain.values import JsonObject
from superbiz.domain.verification import ClaimStatus, GatekeeperResult


class Excerpt(NamedTuple):
    """A citation that the Gatekeeper found real. `text` is the whole text of the ref, `around` the plain fields that stand around it."""

    claim_id: str
    invocation_id: str
    tool_name: str
    raw_path: str
    excerpt: str
    text: str
    params: JsonObject
    around: JsonObject = {}  # noqa: RUF012 - a default of a frozen tuple, which nobody changes


def excerpts(claims: Iterable[Claim], gate: GatekeeperResult, book: EvidenceBook) -> tuple[Excerpt, ...]:
    """Of claims whose every citation is real; one forged citation keeps all of its claim's from the Verifier."""
    verified = {g.claim_id for g in gate.claims if g.status is ClaimStatus.VERIFIED}
    return tuple(_excerpt(claim, bound, book) for claim in claims if claim.claim_id in verified for bound in claim.evidence)


def _excerpt(claim: Claim, bound: Binding, book: EvidenceBook) -> Excerpt:
    cited = book.cited(bound)
    return Excerpt(
        claim_id=claim.claim_id,
        invocation_id=bound.invocation_id,
        tool_name=cited.tool,
        raw_path=bound.raw_path,
        excerpt=cited.excerpt,
        text=cited.text,
        params=cited.params,
        around=cited.around,
    )
