"""The rule of turns: what a record tells as "from A to B" was not from B to A."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import quantities
from superbiz.domain.reading.parts import Record, Saying
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.verification import CheckResult

TO = re.compile(r"\W*(?:->|→|=>|to)\W*\Z", re.IGNORECASE)
WAS = re.compile(r"\W*(?:was|previously|formerly|before|instead of|old(?: value)?)\W*\Z", re.IGNORECASE)


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Each "from A to B" of the claim against each of the records."""
    told = [pair for r in cited for text in r.texts for pair in of_record(text)]
    for old, new in of_claim(said):
        turned = any(quantities.same(old, b) and quantities.same(new, a) for a, b in told)
        if turned and not any(quantities.same(old, a) and quantities.same(new, b) for a, b in told):
            yield Complaint(CheckResult.CONTRADICTED, f"the record tells it the other way round: from {new.text} to {old.text}", old.text)


def of_claim(said: Saying) -> Iterator[tuple[Quantity, Quantity]]:
    """Numbers told as "from A to B"."""
    for a, b in pairwise(said.numbers):
        before, between = said.text[: a.span[0]].rstrip().lower(), said.text[a.span[1] : b.span[0]].strip().lower()
        if before.endswith("from") and between.split()[-1:] == ["to"]:
            yield a, b


def of_record(text: str) -> Iterator[tuple[Quantity, Quantity]]:
    """(old, new) of "from A to B", "A -> B" and "B (was A)"."""
    for a, b in pairwise(quantities.in_text(text.replace("=", " "))):
        between = text[a.span[1] : b.span[0]]
        if TO.fullmatch(between):
            yield a, b
        elif WAS.fullmatch(between):
            yield b, a
