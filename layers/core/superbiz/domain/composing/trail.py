"""From any sentence of an answer to what it rests on: claim ids and citation numbers, which lead on to invocation, path and characters."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Literal

from superbiz.domain.composing import headings
from superbiz.domain.composing.markup import inert
from superbiz.domain.composing.sentences import Sentence, lines_of, split
from superbiz.domain.composing.template import UNCONFIRMED
from superbiz.domain.report import Report, ReportClaim
from superbiz.domain.verification import AnswerSentence

MAX_SENTENCES = 200


def trail(answer: str, report: Report) -> tuple[AnswerSentence, ...]:
    """One row a sentence, in order. A line that tells one claim is one sentence, however many full stops the claim has."""
    found = (part for line in lines_of(answer) for part in _parts(line, report))
    return tuple(_row(part, report) for _, part in zip(range(MAX_SENTENCES), found, strict=False))


def _parts(line: Sentence, report: Report) -> Iterator[Sentence]:
    said = line.said.removeprefix(UNCONFIRMED)
    whole = line.under not in headings.TOLD or any(inert(claim.claim_text) in said for claim in report.claims)
    yield from ([line] if whole else split(line))


def _row(part: Sentence, report: Report) -> AnswerSentence:
    claims = _claims(part, report)
    return AnswerSentence(
        start=part.start,
        end=part.end,
        sha256=sha256(part.text.encode("utf-8", "replace")).hexdigest(),
        basis=_basis(part, claims),
        claim_ids=tuple(claim.claim_id for claim in claims),
        citations=part.citations,
    )


def _basis(part: Sentence, claims: Sequence[ReportClaim]) -> Literal["claims", "record", "fixed"]:
    if claims:
        return "claims"
    return "record" if part.under in (headings.NOT_CHECKED, headings.NEXT_STEPS) else "fixed"


def _claims(part: Sentence, report: Report) -> list[ReportClaim]:
    """Those whose text it tells; else those of which it cites everything; else those of which it cites anything."""
    cited, said = set(part.citations), part.said
    resting = [c for c in report.claims if cited & {e.n for e in c.evidence}]
    told = [c for c in (resting or report.claims) if inert(c.claim_text) in said]
    whole = [c for c in resting if {e.n for e in c.evidence} <= cited]
    return told or whole or resting
