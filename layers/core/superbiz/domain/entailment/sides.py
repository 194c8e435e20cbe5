"""The rule of sides: what lay beyond the ordinary did not lie within it, and nothing falls above or rises below."""

import re
from collections.abc import Iterator, Sequence
from math import isclose

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import words
from superbiz.domain.reading.parts import CLAUSE, Record, Saying, is_base
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.reading.units import UNITS
from superbiz.domain.verification import CheckResult

_MEASURE = (
    r"(?:ordinary|normal|usual|expected|typical|baselines?|range|limits?|bounds?|thresholds?|quotas?|budgets?|targets?"
    r"|callees|tolerance|band)"
)
_HEAD = r"(?:\s(?:(?:of|what|is|are|was|it|its|the|their|an?|that|own|all)\s){0,4})"
_FURTHER = r"(?:[a-z]+\s){0,2}?"
WITHIN = re.compile(
    rf"\b(?:within|inside){_HEAD}{_FURTHER}{_MEASURE}\b|(?:正常|平时|预期|基线|允许)[^，。；]{{0,6}}(?:之内|以内|范围内|内)", re.IGNORECASE
)
BEYOND = re.compile(
    rf"\b(?:beyond|outside|out\sof|exceed(?:s|ed|ing)?|in\sexcess\sof){_HEAD}{_FURTHER}{_MEASURE}\b"
    r"|(?:正常|平时|预期|基线|允许)[^，。；]{0,6}(?:之外|以外|范围外|外)|超出(?:了)?(?:正常|平时|预期|基线)",
    re.IGNORECASE,
)
_RISES = r"(?:rose|risen|rises?|climb(?:ed|s)?|grew|grown|increased|went up|jumped|surged)"
_FALLS = r"(?:fell|fallen|falls?|dropped|drops?|declined|decreased|sank|went down|plunged)"
TORN = re.compile(rf"\b(?:{_RISES}\s(?:\w+\s)?(?:below|under)|{_FALLS}\s(?:above|over))\s(?:its|the|their|an?|what)\b", re.IGNORECASE)
LOWER = re.compile(r"\b(?:shortfall|deficit)\s(?:\w{1,12}\s){0,2}\Z|(?:低于|不足|少于)[量额值]?[为是]?\s?\Z", re.IGNORECASE)
EVEN = 1e-6  # a quotient that is the number itself lies on no side
MOST = 100  # numbers of a record that are set against each other
NEARLY = 2.0  # how far a quotient may be off to be the one that is told
_VALUES = words.table("value worst current actual peak")
NEAR = re.compile(r"\b(?:to|back|just|still|remain\w*|stay\w*)\b", re.IGNORECASE)
REACH = 24  # characters before a side in which a "not" denies it
_BASES = words.table("ordinary normal usual expected typical baseline limit threshold max allowed")


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Each side that the claim tells against the record's own words, else against its value and what it holds for normal."""
    for sign, pattern in ((-1, WITHIN), (1, BEYOND)):
        for found in pattern.finditer(said.text):
            told = _told(found[0], _clause_of(said, found.start()), cited)
            denied = not words.NEGATIONS.isdisjoint(words.words(said.text[max(0, found.start() - REACH) : found.start()]))
            if told and (told != sign) != denied:
                yield Complaint(CheckResult.CONTRADICTED, f"the record tells the other side than {found[0]!r}", found[0])
            elif not told:
                yield Complaint(CheckResult.PARTIAL, f"no cited record tells on which side it lay: {found[0]!r}", found[0])
    yield from times_over(said, cited)
    yield from excesses(said, cited)
    for found in TORN.finditer(said.text):
        if not NEAR.search(found[0]):
            yield Complaint(CheckResult.CONTRADICTED, f"{found[0]!r} goes two ways at once", found[0])


def _clause_of(said: Saying, place: int) -> frozenset[str]:
    """The words of the claim's clause around a place."""
    ends = [0, *(f.end() for f in CLAUSE.finditer(said.text)), len(said.text)]
    at = next(n for n in range(1, len(ends)) if ends[n] > place or n == len(ends) - 1)
    return frozenset(words.words(said.text[ends[at - 1] : ends[at]]))


def _told(side: str, spoken: frozenset[str], cited: Sequence[Record]) -> int:
    """+1 beyond, -1 within: of the records that tell one side alone."""
    return next((s for s in (_worded(side, cited), _measured(spoken, cited)) if s), 0)


def _worded(side: str, cited: Sequence[Record]) -> int:
    """By the records' words, those on the same measure first."""
    measure = words.words(side)[-1:]
    found = [(sign, f[0]) for r in cited for sign, p in ((-1, WITHIN), (1, BEYOND)) for f in p.finditer(r.flat)]
    near = {sign for sign, text in found if words.words(text)[-1:] == measure} or {sign for sign, _ in found}
    return next(iter(near)) if len(near) == 1 else 0


def _measured(spoken: frozenset[str], cited: Sequence[Record]) -> int:
    """By a value and its like that is called ordinary: `own_excess` and `ordinary_excess`; those that the clause names first."""
    found = [step for r in cited for step in _steps([q for q in r.numbers if q.typed and q.field][:MOST])]
    named = [(rest, step) for rest, step in found if rest and rest <= spoken]
    closest = max((len(rest) for rest, _ in named), default=0)
    steps = {step for rest, step in named or found if not named or len(rest) == closest}
    return next(iter(steps)) if len(steps) == 1 else 0


def _steps(numbers: Sequence[Quantity]) -> Iterator[tuple[frozenset[str], int]]:
    """What is measured, and on which side of its ordinary value it lies."""
    for base in (q for q in numbers if not _BASES.isdisjoint(_parts(q))):
        rest = _parts(base) - _BASES
        like = [q for q in numbers if not is_base(q.field) and _BASES.isdisjoint(_parts(q)) and q.within == base.within]
        named = [q for q in like if rest and rest <= _parts(q) and len(_parts(q)) <= len(rest) + 1 and "whole" not in _parts(q)]
        for q in named if rest else [q for q in like if _parts(q) & _VALUES]:
            yield rest - UNITS.keys(), 1 if q.value > base.value else -1


def times_over(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """ "Less than 3 times its baseline": the records' own quotients near that number lie on the side that is told."""
    for number in (n for n in said.numbers if n.bound and (n.multiple or n.ratio) and n.value):
        quotients = [
            q.value / base.value
            for r in cited
            for base in r.numbers[:MOST]
            for q in r.numbers[:MOST]
            if is_base(base.field) and base.value and not is_base(q.field) and q.typed and _parts(q) & _VALUES
        ]
        near = [q for q in quotients if not isclose(q, number.value, rel_tol=EVEN) and 1 / NEARLY <= q / number.value <= NEARLY]
        denied = not words.NEGATIONS.isdisjoint(words.words(said.text[max(0, number.span[0] - REACH) : number.span[0]]))
        if near and all(((q > number.value) == (number.bound > 0)) == denied for q in near):
            yield Complaint(
                CheckResult.CONTRADICTED, f"the records make it {near[0]:.3g} times, on the other side of {number.text}", number.text
            )


def excesses(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """What a record calls an excess does not lie below."""
    for number in said.numbers:
        if LOWER.search(said.text, max(0, number.span[0] - REACH), number.span[0]):
            held = [q for r in cited for q in r.numbers if q.value == number.value]
            if held and all({"excess", "surplus"} & _parts(q) for q in held):
                yield Complaint(CheckResult.CONTRADICTED, f"the record calls {number.text} its {held[0].field}", number.text)


def _parts(number: Quantity) -> frozenset[str]:
    return frozenset(words.words(number.field))
