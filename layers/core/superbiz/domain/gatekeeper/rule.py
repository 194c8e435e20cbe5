"""What a rule of the Gatekeeper is, and what it sees: one citation, one claim with its citations, or all claims of a run."""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from superbiz.domain import entailment
from superbiz.domain.claims import Binding, Claim, ClaimType
from superbiz.domain.entailment import Cited
from superbiz.domain.evidence import Invocation
from superbiz.domain.gatekeeper.book import EvidenceBook, is_no_evidence, normalised
from superbiz.domain.reading.parts import Record, Saying


class Severity(StrEnum):
    """REJECT: the claim is not verified. LOW: it may be said with a hedge at most."""

    REJECT = "REJECT"
    LOW = "LOW"


class Citation(NamedTuple):
    """One binding of one claim, and the run's evidence."""

    claim: Claim
    binding: Binding
    book: EvidenceBook

    @property
    def call(self) -> Invocation:
        return self.book.invocations[self.binding.invocation_id]

    @property
    def text(self) -> str:
        return self.book.normalised_text(self.binding.invocation_id, self.binding.raw_path) or ""

    @property
    def excerpt(self) -> str:
        return normalised(self.binding.evidence_excerpt)

    @property
    def silent(self) -> bool:
        return is_no_evidence(self.binding.raw_path)

    @property
    def where(self) -> str:
        return f"{self.binding.raw_path} of {self.call.tool_name} ({self.call.invocation_id})"


class Statement:
    """A claim whose every citation is real, read once for all rules."""

    def __init__(self, claim: Claim, book: EvidenceBook) -> None:
        self.claim, self.book = claim, book
        self.citations = tuple(Citation(claim, bound, book) for bound in claim.evidence)

    @cached_property
    def cited(self) -> tuple[Cited, ...]:
        return tuple(self.book.cited(c.binding) for c in self.citations)

    @cached_property
    def said(self) -> Saying:
        return entailment.read(self.claim, self.book.known)

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The cited records that speak of what the claim says; all of them where none does."""
        return entailment.about(self.said, self.cited) or self.everything

    @cached_property
    def everything(self) -> tuple[Record, ...]:
        """All cited records."""
        return entailment.taken_apart(self.cited)


STATING = frozenset(ClaimType) - {ClaimType.ABSENCE}
TOLD = STATING - {ClaimType.ACTION}


class Rule(NamedTuple):
    """One row of the table. `demands` says what has to hold. One of the three checks is given; it answers with reasons for a person.

    A rule on citations may rely on those before it: after INVOCATION_NOT_FOUND the call is there, after RAW_PATH_NOT_FOUND the text is.
    Rules on claims see only claims whose citations are all real, and which are `of` these types. A claim of absence says nothing about the
    world that a record could hold: it has rules of its own.
    """

    number: int
    code: str
    severity: Severity
    demands: str
    citation: Callable[[Citation], str | None] | None = None
    claim: Callable[[Statement], Iterable[str]] | None = None
    of: frozenset[ClaimType] = STATING
    claims: Callable[[Sequence[Statement]], Iterable[tuple[str, str]]] | None = None  # (claim id, reason)
