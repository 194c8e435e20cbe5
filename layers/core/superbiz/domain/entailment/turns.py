"""The rule of turns: what a record tells as "from A to B" was not from B to A."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import quantities
from superbiz.domain.reading.parts import META, Record, Saying, is_base
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.verification import CheckResult

TO = re.compile(r"\W*(?:->|→|=>|to)\W*\Z", re.IGNORECASE)
WAS = re.compile(r"\W*(?:was|previously|formerly|before|instead of|old(?: value)?)\W*\Z", re.IGNORECASE)
WHOLE = re.compile(r"\s?(?:[^\W\d]+\s)?(?:out\s)?of\s(?:(?:the|its|all|their|those|these)\s)*\Z", re.IGNORECASE)
FROM = re.compile(r"(?:\bfrom|[从由])\s*(?:about|around|roughly|约|大约)?\s*\Z", re.IGNORECASE)
UNTIL = re.compile(r"(?:\bto\s*(?:about|around|roughly)?|[到至为])\s*(?:约|大约)?\s*\Z", re.IGNORECASE)
CAME_FROM = re.compile(r"\A[^.;。；]{0,40}(?:\b(?:up|down|increased|decreased|changed|reduced|raised|lowered)\s)?\bfrom\s\Z", re.IGNORECASE)
LONGEST = 60  # characters between the two numbers


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Each "from A to B" of the claim against each of the records."""
    told = [pair for r in cited for text in r.texts for pair in of_record(text)]
    for old, new in of_claim(said):
        turned = any(quantities.same(old, b) and quantities.same(new, a) for a, b in told)
        if turned and not any(quantities.same(old, a) and quantities.same(new, b) for a, b in told):
            yield Complaint(CheckResult.CONTRADICTED, f"the record tells it the other way round: from {new.text} to {old.text}", old.text)
        elif old.amount == new.amount and old.dimension == new.dimension:
            yield Complaint(CheckResult.CONTRADICTED, f"from {old.text} to {new.text} is no change", old.text)
        elif any(_turned(old, new, r) for r in cited):
            yield Complaint(CheckResult.CONTRADICTED, f"the record calls {new.text}, not {old.text}, what was before", old.text)


def _turned(old: Quantity, new: Quantity, found: Record) -> bool:
    """Where the claim ends at what the record calls normal or former, and begins at what it does not."""
    starts, ends = meant(old, found), meant(new, found)
    if (
        starts
        and ends
        and not any(is_base(q.field) for q in (*starts, *ends))
        and not any(quantities.same(old, v) for _, v in found.points)
    ):
        return any(is_base(q.field) and q.within == ends[0].within and q.dimension == ends[0].dimension for q in found.numbers)
    return bool(starts and ends) and not any(is_base(q.field) for q in starts) and all(is_base(q.field) for q in ends)


def meant(number: Quantity, read: Record) -> list[Quantity]:
    """The record's numbers that a number of the claim can stand for."""
    return [q for q in read.numbers if quantities.same(number, q) and not META.intersection(q.field.lower().split("_"))]


def of_claim(said: Saying) -> Iterator[tuple[Quantity, Quantity]]:
    """(old, new) of numbers told as "from A to B" and "B, up from A"."""
    for a, b in pairwise(said.numbers):
        before, between = said.text[max(0, a.span[0] - 16) : a.span[0]], said.text[a.span[1] : b.span[0]]
        if len(between) > LONGEST:
            continue
        if FROM.search(before) and UNTIL.search(between):
            yield a, b
        elif CAME_FROM.search(between) and not FROM.search(before):
            yield b, a


def of_record(text: str) -> Iterator[tuple[Quantity, Quantity]]:
    """(old, new) of "from A to B", "A -> B" and "B (was A)"."""
    for a, b in pairwise(quantities.in_text(text.replace("=", " "))):
        between = text[a.span[1] : b.span[0]]
        if TO.fullmatch(between):
            yield a, b
        elif WAS.fullmatch(between):
            yield b, a
