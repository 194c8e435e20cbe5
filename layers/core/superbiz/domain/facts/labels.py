"""Whether a sentence tells each number under the name of its own fact: swapped numbers are found by the words around them.

Two numbers are taken for swapped only where the words that tell their facts apart stand clearly nearer to the other one, or where a part is
told to be more than its whole. Facts may be listed in any order.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, combinations, pairwise
from typing import NamedTuple

from superbiz.domain.facts import amounts, clock, naming
from superbiz.domain.facts.amounts import Amount
from superbiz.domain.facts.fact import Aggregate, Fact, Op, readable
from superbiz.domain.facts.source import Misfit
from superbiz.domain.reading import times
from superbiz.domain.reading.parts import CLAUSE, QUOTE, Saying
from superbiz.domain.reading.times import Moment

CLEAR = 0.2  # by how much nearer the words have to be
PER_CLAUSE, PER_BRACKET, PER_NUMBER = 0.25, 0.5, 0.25  # what a boundary or a number in between leaves of a word's weight
MOST_SLOTS = 30
_BRACKETS = ("(", ")", "（", "）")
_WORD = re.compile(r"[^\W\d_]\w*")
_ELSEWHERE = "from|to|at|in|on|by|with|and|or|against|than|over|under|above|below|versus|vs|its|an?|the"
_OF = re.compile(rf"\s*(?:(?!(?:{_ELSEWHERE})\b)[^\W\d_]+\s+){{0,3}}?(?:out\s+)?of\s+(?:the\s+)?\Z", re.IGNORECASE)


class Slot(NamedTuple):
    """A number or time of the sentence, and the places of its own and of other words, counted in words."""

    span: tuple[int, int]
    text: str
    amount: Amount | None
    moment: Moment | None

    def holds(self, fact: Fact) -> bool:
        """Whether it is the fact's value, or the time at which the fact holds."""
        if self.moment is not None:
            return any(t and any(times.same(self.moment, m) for m in times.in_text(t)) for t in _times(fact))
        if self.amount is None or fact.other is not None:
            return False
        said = _amount(fact)
        if said is None:
            return False
        forms = (self.amount, self.amount._replace(unit=None)) if said.unit is None else (self.amount,)
        return any(form.meets(said._replace(slack=amounts.ZERO)) for form in forms)


class Sentence:
    """A claim's sentence with its words, numbers and times in their places."""

    def __init__(self, said: Saying) -> None:
        self.text = QUOTE.sub(lambda found: " " * len(found[0]), said.text)
        numbers = [Slot(q.span, q.text, amounts.of_saying(q), None) for q in said.numbers]
        moments = [Slot(m.span, m.text, None, m) for m in said.moments]
        self._near: dict[tuple[tuple[int, int], frozenset[str], frozenset[str]], float] = {}
        self._told: dict[frozenset[str], tuple[list[int], list[int]]] = {}
        self.slots = sorted((*numbers, *moments))[:MOST_SLOTS]

    @cached_property
    def _words(self) -> list[tuple[int, int, frozenset[str]]]:
        taken = [s.span for s in self.slots]
        free = (m for m in _WORD.finditer(self.text) if not any(a <= m.start() < b for a, b in taken))
        return [(m.start(), m.end(), naming.roots(m[0])) for m in free]

    @cached_property
    def _bounds(self) -> list[tuple[int, float]]:
        return [(m.start(), PER_BRACKET if m[0].strip() in _BRACKETS else PER_CLAUSE) for m in CLAUSE.finditer(self.text)]

    @cached_property
    def _wholes(self) -> frozenset[tuple[int, int]]:
        """The parts of "a of b", which share their words: a is no number between b and what stands before both."""
        return frozenset(a.span for a, b in pairwise(self.slots) if _OF.match(self.text, a.span[1], b.span[0]))

    def nearness(self, slot: Slot, words: frozenset[str], label: frozenset[str] = frozenset()) -> float:
        """How near the words stand to the slot: 1 beside it, less with each word, clause and other number in between.

        Words of the whole `label` that they belong to stand for no distance.
        """
        if not words:
            return 0.0
        key = (slot.span, words, label)
        if key not in self._near:
            self._near[key] = self._nearness(slot, words, label)
        return self._near[key]

    def _nearness(self, slot: Slot, words: frozenset[str], label: frozenset[str]) -> float:
        best = dict.fromkeys(words, 0.0)
        for start, end, roots in self._words:
            for word in roots & words:
                best[word] = max(best[word], self._weight(slot, start, end, label))
        return sum(best.values()) / len(words)

    def _weight(self, slot: Slot, start: int, end: int, label: frozenset[str]) -> float:
        low, high = (end, slot.span[0]) if end <= slot.span[0] else (slot.span[1], start)
        starts, told = self._counted(label)
        between = max(0, told[bisect_left(starts, high)] - told[bisect_left(starts, low)])
        others = sum(low <= s.span[0] and s.span[1] <= high and s.span not in self._wholes for s in self.slots if s is not slot)
        return math.prod(left for at, left in self._bounds if low <= at < high) * PER_NUMBER**others / (1 + between)

    def _counted(self, label: frozenset[str]) -> tuple[list[int], list[int]]:
        """Where words begin, and before each how many there are that are words of something else."""
        if label not in self._told:
            counts = (bool(roots) and not roots & label for _, _, roots in self._words)
            self._told[label] = ([a for a, _, _ in self._words], list(accumulate(counts, initial=0)))
        return self._told[label]


def swapped(said: Saying, facts: Sequence[Fact]) -> Iterator[str]:
    """What a person would say of each pair that is told the wrong way round."""
    sentence = Sentence(said)
    told = _told(sentence, facts)
    for (a, f), (b, g) in combinations(told, 2):
        if (a.moment is None) is not (b.moment is None) or f is g or a.holds(g) or b.holds(f):
            continue
        if _crossed(sentence, a, f, b, g) or _exceeds(sentence, a, b):
            yield f"expected {_named(f)} {a.text} and {_named(g)} {b.text}; the sentence tells them the other way round"
    yield from _mislabelled(sentence, told, facts)


def carried(said: Saying, facts: Iterable[Fact]) -> frozenset[tuple[int, int]]:
    """The places of the numbers and times of a sentence that these facts, which hold, are told by: each under a word of its fact's name."""
    sentence = Sentence(said)
    return frozenset(s.span for f in facts for s in sentence.slots if s.holds(f) and sentence.nearness(s, naming.roots(f.metric)) > 0)


def untyped(said: Saying, given: Iterable[object]) -> Saying:
    """The sentence without the numbers that aggregates tell, which stand in no record. The Gatekeeper has recomputed them before."""
    read = [f for f in map(readable, given) if f and f.aggregate is not Aggregate.VALUE]
    spans = carried(said, read) if read else frozenset()
    return said._replace(numbers=tuple(q for q in said.numbers if q.span not in spans))


def _told(sentence: Sentence, facts: Sequence[Fact]) -> list[tuple[Slot, Fact]]:
    """Each slot with the fact that it tells: of those with its value the nearest, and first one that no other slot tells."""
    pairs = [(slot, n) for slot in sentence.slots for n, f in enumerate(facts) if slot.holds(f)]
    fitting = [(sentence.nearness(slot, roots := _roots(facts[n], slot), roots), slot, n) for slot, n in pairs]
    told: dict[tuple[int, int], tuple[Slot, Fact]] = {}
    for again in (False, True):
        taken: set[int] = set()
        for _, slot, n in sorted(fitting, key=lambda row: -row[0]):
            if slot.span not in told and (again or n not in taken):
                told[slot.span] = (slot, facts[n])
                taken.add(n)
    return sorted(told.values(), key=lambda row: row[0].span)


def _crossed(sentence: Sentence, a: Slot, f: Fact, b: Slot, g: Fact) -> bool:
    """Whether the words that tell the two facts apart stand nearer to the other number each."""
    mine, theirs = _roots(f, a), _roots(g, b)
    one, other = mine - theirs, theirs - mine
    as_told = sentence.nearness(a, one, mine) + sentence.nearness(b, other, theirs)
    crossed = sentence.nearness(a, other, theirs) + sentence.nearness(b, one, mine)
    return crossed >= as_told + CLEAR


def _exceeds(sentence: Sentence, a: Slot, b: Slot) -> bool:
    """ "40 of 2": no part is more than its whole."""
    if a.amount is None or b.amount is None or a.amount.unit != b.amount.unit:
        return False
    return a.amount.value > b.amount.value >= 0 and _OF.match(sentence.text, a.span[1], b.span[0]) is not None


def _mislabelled(sentence: Sentence, told: Sequence[tuple[Slot, Fact]], facts: Sequence[Fact]) -> Iterator[str]:
    """A number right beside the whole name of a fact of another value, whose own value is not told."""
    values = [f for _, f in told]
    for slot, own in told:
        for other in facts:
            if other in values or slot.holds(other) or (slot.moment is None) is not (_is_number(other)):
                continue
            if _beside(sentence, slot, own, other):
                yield f"expected {_named(own)} {slot.text}; the sentence tells it as {_named(other)}, which is {other.value}"


def _beside(sentence: Sentence, slot: Slot, own: Fact, other: Fact) -> bool:
    """Whether the words that tell the other fact from its own stand right beside the number, and none of its own near it."""
    mine, theirs = _roots(own, slot), _roots(other, slot)
    near = sentence.nearness(slot, theirs - mine, theirs)
    return near == 1 and sentence.nearness(slot, mine - theirs, mine) < CLEAR / 2


def _roots(fact: Fact, slot: Slot) -> frozenset[str]:
    """The words of its metric; for the time of a value, also those of its place, for subjects that share a metric, the subject's."""
    how = frozenset() if fact.aggregate is Aggregate.VALUE else naming.roots(fact.aggregate.value)
    return naming.roots(fact.metric) | how | naming.roots(fact.subject) | (naming.roots("at") if slot.moment else frozenset())


def _times(fact: Fact) -> tuple[str, ...]:
    own = fact.value if isinstance(fact.value, str) and clock.instant(fact.value) else ""
    return (own, fact.time)


def _is_number(fact: Fact) -> bool:
    return fact.op is not Op.NE and fact.other is None and _amount(fact) is not None


def _amount(fact: Fact) -> Amount | None:
    """None for what is no number, or one of two units at once."""
    try:
        return amounts.of_fact(fact.value, fact.unit)
    except Misfit:
        return None


def _named(fact: Fact) -> str:
    return f"{fact.metric} of {fact.subject}" if fact.subject else fact.metric
