"""The rule of turns: what a record tells as "from A to B" was not from B to A."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import quantities, words
from superbiz.domain.reading.parts import META, Record, Saying, is_base
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.verification import CheckResult

TO = re.compile(r"\W*(?:->|→|=>|to)\W*\Z", re.IGNORECASE)
WAS = re.compile(r"\W*(?:was|previously|formerly|before|instead of|old(?: value)?)\W*\Z", re.IGNORECASE)
_OF = r"(?:\s(?:an?|its|the|their)\s(?:[a-z]{2,15}\s){1,2}of)?"  # "from a baseline of 2"
FROM = re.compile(rf"(?:\bfrom{_OF}|[从由](?:基线|平时的?|原来的?)?)\s{{0,3}}(?:about|around|roughly|约|大约)?\s{{0,3}}\Z", re.IGNORECASE)
UNTIL = re.compile(rf"(?:\bto{_OF}\s{{0,3}}(?:about|around|roughly)?|[到至为])\s{{0,3}}(?:约|大约)?\s{{0,3}}\Z", re.IGNORECASE)
CAME_FROM = re.compile(r"\A[^.;。；]{0,40}(?:\b(?:up|down|increased|decreased|changed|reduced|raised|lowered)\s)?\bfrom\s\Z", re.IGNORECASE)
LONGEST, BEFORE = 60, 48  # characters between the two numbers, and before the first
TO_FROM = re.compile(r"\s{1,3}from\s{1,3}\Z", re.IGNORECASE)
TO_AHEAD = re.compile(r"\bto\s{1,3}\Z", re.IGNORECASE)
# What a claim, or a record's text, tells as turned from one word into another.
_WORD = r"[\"'“‘`「]?(?P<{}>[A-Za-z0-9][\w./:@+-]{{0,60}})[\"'”’`」]?"
_BECAME = r"(?:变为|变成|转为|改为|切换为|切换到|升级到|回退到|到|至)"
_KIND = r"(?:(?:state|version|status)\s)?"
TURNED = re.compile(
    rf"\bfrom\s{_KIND}{_WORD.format('old')}\s(?:to|into)\s{_KIND}{_WORD.format('new')}"
    rf"|[从由]\s?(?:状态\s?)?{_WORD.format('old2')}\s?(?:状态\s?)?{_BECAME}\s?{_WORD.format('new2')}"
    rf"|(?<![\w>-]){_WORD.format('old3')}\s?(?:->|→|=>)\s?{_WORD.format('new3')}",
    re.IGNORECASE,
)
OLD_FIELDS = frozenset({"from", "old", "before", "previous", "prior", "prev", "former"})
NEW_FIELDS = frozenset({"to", "new", "after", "current", "now", "next"})


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Each "from A to B" of the claim against each of the records."""
    yield from of_words(said, cited)
    claimed = list(of_claim(said))
    told = [pair for r in cited for text in r.texts for pair in of_record(text)] if claimed else []
    for old, new in claimed:
        turned = any(quantities.same(old, b) and quantities.same(new, a) for a, b in told)
        if turned and not any(quantities.same(old, a) and quantities.same(new, b) for a, b in told):
            yield Complaint(CheckResult.CONTRADICTED, f"the record tells it the other way round: from {new.text} to {old.text}", old.text)
        elif old.amount == new.amount and old.dimension == new.dimension:
            yield Complaint(CheckResult.CONTRADICTED, f"from {old.text} to {new.text} is no change", old.text)
        elif any(_in_one_unit(old, new, r) for r in cited):
            yield Complaint(CheckResult.UNSUPPORTED, f"the record has {old.text} and {new.text} in one unit, not in two", new.text)
        elif any(_backwards(old, new, r) for r in cited):
            yield Complaint(CheckResult.CONTRADICTED, f"in the record {new.text} comes before {old.text}", old.text)
        elif any(_turned(old, new, r) for r in cited):
            yield Complaint(CheckResult.CONTRADICTED, f"the record calls {new.text}, not {old.text}, what was before", old.text)


def _in_one_unit(old: Quantity, new: Quantity, found: Record) -> bool:
    """Whether both numbers stand in the record as they are written, without a unit, where the claim gives them two."""
    if old.dimension != new.dimension or old.factor == new.factor:
        return False
    bare = {q.value for q in found.numbers if q.unit is None}
    return old.value in bare and new.value in bare


def of_words(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Each "from ALARM to OK" of the claim against the records' fields of old and new, and what their texts tell so."""
    for old, new in _told(said.text):
        held = [pair for r in cited for pair in (*_fields(r), *_told(r.flat))] if old != new else []
        if (new, old) in held and (old, new) not in held:
            yield Complaint(CheckResult.CONTRADICTED, f"the record tells it the other way round: from {new} to {old}", old)


def _told(text: str) -> Iterator[tuple[str, str]]:
    """(old, new) words of a text, case-folded."""
    for found in TURNED.finditer(text):
        old, new = (g.rstrip(".,:").casefold() for g in found.groups() if g)
        yield old, new


def _fields(read: Record) -> Iterator[tuple[str, str]]:
    """(old, new) of a field that is named for what was and the next that is named for what is."""
    old = None
    for label, _, value in (t.partition(" ") for t in read.texts):
        parts = frozenset(words.words(label))
        if len(value) > LONGEST or not value:
            continue
        if parts & OLD_FIELDS:
            old = value.casefold()
        elif parts & NEW_FIELDS and old:
            yield old, value.casefold()
            old = None


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


def _backwards(old: Quantity, new: Quantity, found: Record) -> bool:
    """Whether in the record's series every value that ends the turn lies before every one that begins it; a baseline is none of them."""
    if any(is_base(q.field) for q in meant(old, found)):
        return False
    for values in _series(found):
        starts = [n for n, v in enumerate(values) if quantities.same(old, v)]
        ends = [n for n, v in enumerate(values) if quantities.same(new, v)]
        if starts and ends:
            return max(ends) < min(starts)
    return False


def _series(found: Record) -> Iterator[list[Quantity]]:
    """Values in the order of their times: of points, and of a list beside as long a list of times."""
    if found.points:
        yield [value for _, value in sorted(found.points, key=lambda p: p[0].order)]
    ordered = [m.order for m in found.moments if m.field and m.day]
    for field in {q.field for q in found.numbers if q.typed} if len(ordered) > 1 else ():
        values = [q for q in found.numbers if q.field == field]
        if len(values) == len(ordered) and ordered in (sorted(ordered), sorted(ordered, reverse=True)):
            yield values if ordered[0] <= ordered[-1] else values[::-1]


def meant(number: Quantity, read: Record) -> list[Quantity]:
    """The record's numbers that a number of the claim can stand for."""
    return [q for q in read.numbers if quantities.same(number, q) and not META.intersection(q.field.lower().split("_"))]


def of_claim(said: Saying) -> Iterator[tuple[Quantity, Quantity]]:
    """(old, new) of numbers told as "from A to B" and "B, up from A"."""
    for a, b in pairwise(said.numbers):
        before, between = said.text[max(0, a.span[0] - BEFORE) : a.span[0]], said.text[a.span[1] : b.span[0]]
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
        elif WAS.fullmatch(between) or (TO_FROM.fullmatch(between) and TO_AHEAD.search(text, max(0, a.span[0] - 8), a.span[0])):
            yield b, a
