"""Comparisons that a claim makes between its own numbers: what is said to exceed does exceed, what doubled did double."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from superbiz.domain.entailment import turns
from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import labels, words
from superbiz.domain.reading.parts import Record, Saying
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.verification import CheckResult

REACH = 48
_HEAD = "(?:is|was|were|are|rose|fell|went|stayed|far|well)?\\s?"
_ABOVE = rf"exceed\w*|{_HEAD}above|(?:greater|higher|larger|longer|slower) than|surpass\w*|crossed|超过|超出(?!量)|高于|大于|突破"
_BELOW = rf"{_HEAD}below|(?:lower|smaller|shorter|faster|less) than|under(?= (?:its|the))|低于|小于|少于"
COMPARES = re.compile(rf"(?P<above>{_ABOVE})|(?P<below>{_BELOW})", re.IGNORECASE)
STOPS = re.compile(r"[.;!?。；！？]\s?|\b(?:because|while|but|whereas)\b")
# How much of the first the second is, at least and below which.
MULTIPLIED = {"doubled": (1.75, 2.6), "tripled": (2.6, 3.6), "quadrupled": (3.5, 4.6), "halved": (0.38, 0.6)}
OF_WHICH = re.compile(r"[，,]\s?(?:其中|of (?:which|them|those|these)\b)[^，,。.]{0,12}\Z", re.IGNORECASE)
MORE_THAN = re.compile(r"\b(?:more than|over)\s\Z", re.IGNORECASE)


def complaints(said: Saying, _cited: Sequence[Record]) -> Iterator[Complaint]:
    """By arithmetic alone: what the record holds, other rules ask."""
    for sign, denied, a, b in pairs(said):
        if a.amount != b.amount and ((a.amount > b.amount) != (sign > 0)) != denied:
            word = "above" if sign > 0 else "below"
            yield Complaint(CheckResult.CONTRADICTED, f"{a.text} is not {word} {b.text}", a.text)
    yield from _parts(said)
    yield from _multiplied(said)


def pairs(said: Saying) -> Iterator[tuple[int, bool, Quantity, Quantity]]:
    """(+1 or -1, whether denied, the one, the other) of "A is above its limit of B"."""
    for found in COMPARES.finditer(said.text):
        before = [q for q in said.numbers if q.span[1] <= found.start()]
        after = [q for q in said.numbers if found.end() <= q.span[0] <= found.end() + REACH]
        if before and after and _comparable(before[-1], after[0], said.text[before[-1].span[1] : after[0].span[0]]):
            ahead = words.words(said.text[before[-1].span[1] : found.start()])
            yield (1 if found["above"] else -1), any(w in words.NEGATIONS for w in ahead), before[-1], after[0]


def _comparable(a: Quantity, b: Quantity, between: str) -> bool:
    return not STOPS.search(between) and a.dimension == b.dimension and a.per == b.per and not (a.multiple or b.multiple)


def _parts(said: Saying) -> Iterator[Complaint]:
    """ "12 of the 310": a part is no larger than its whole."""
    for a, b in pairwise(said.numbers):
        between = said.text[a.span[1] : b.span[0]]
        if OF_WHICH.search(between) and a.dimension == b.dimension and b.amount > a.amount:
            yield Complaint(CheckResult.CONTRADICTED, f"{b.text} is no part of {a.text}", b.text)
        if labels.WHOLE.fullmatch(between) and a.dimension == b.dimension and a.amount > b.amount:
            yield Complaint(CheckResult.CONTRADICTED, f"{a.text} is no part of {b.text}", a.text)


def _multiplied(said: Saying) -> Iterator[Complaint]:
    for clause in said.clauses:
        for verb in MULTIPLIED.keys() & {*clause.words}:
            low, high = MULTIPLIED[verb]
            for a, b in turns.of_claim(said):
                factor = b.amount / a.amount if a.amount else 0.0
                over = bool(MORE_THAN.search(said.text[: max(0, said.text.lower().find(verb))]))
                if not low <= factor < (high * 1.5 if over else high) and not clause.denies:
                    yield Complaint(CheckResult.CONTRADICTED, f"from {a.text} to {b.text} is not {verb}", verb)
