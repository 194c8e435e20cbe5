"""The rule of causes: cause and effect are each told by a record, tied to each other, and the cause did not come after its effect."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import names, times, words
from superbiz.domain.reading.parts import Record, Saying, pieces
from superbiz.domain.reading.times import Moment
from superbiz.domain.verification import CheckResult

_JOINT = re.compile(r"[-_./:]")
# The first side is the cause where the words say "A caused B", the effect where they say "B because of A".
_ONWARD = re.compile(
    r"\b(?:caus(?:ed|es|ing)|led to|leads to|leading to|result(?:ed|s|ing) in|triggered|triggers|triggering|brought about|brought down"
    r"|gave rise to|is (?:the )?(?:\w+ )?(?:root )?cause (?:of|for)|was (?:the )?(?:\w+ )?(?:root )?cause (?:of|for)|(?:is|was) behind"
    r"|is responsible for|was responsible for|provoked|induced)\b|导致|造成|引发|引起|致使|使得|触发",
    re.IGNORECASE,
)
_BACKWARD = re.compile(
    r"\b(?:(?:was|were|is|are|been|being)\s(?:\w+ly\s)?(?:caused|triggered|brought about|brought down|provoked|induced) by|caused by"
    r"|triggered by|because(?: of)?|due to|owing to|thanks to|as a result of|on account of|attributable to|result(?:ed|s|ing)? from"
    r"|stems? from|stemmed from)\b|是?由于|是?因为|归因于|源于",
    re.IGNORECASE,
)
_CHINESE_LEAD = re.compile(r"\A\s*(?:由于|因为)(?P<cause>[^，,]+)[，,]\s*(?:所以|因此)?(?P<effect>.+)", re.DOTALL)
_ENGLISH_LEAD = re.compile(
    r"\A\s*(?:because(?: of)?|due to|owing to|thanks to|as a result of)\s(?P<cause>[^,]+),\s(?P<effect>.+)", re.IGNORECASE | re.DOTALL
)


class Sides(NamedTuple):
    """What the claim calls cause and effect."""

    cause: str
    effect: str


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Records that hold names of the claim and share none of them are two stories, not a cause and its effect."""
    groups: list[frozenset[str]] = []
    for held in filter(None, (_held(said, r) for r in cited)):
        apart = [g for g in groups if g.isdisjoint(held)]
        groups = [*apart, held.union(*(g for g in groups if not g.isdisjoint(held)))]
    if len(groups) > 1:
        yield Complaint(CheckResult.PARTIAL, "nothing that is cited ties the one record to the other", said.text)
    if sides := of_claim(said.text):
        yield from _apart(sides, said, cited)
        yield from _untold(sides, cited)
        yield from _turned(sides, cited)


def of_claim(text: str) -> Sides | None:
    """Cause and effect by the claim's first word that joins them; None where there is no such word."""
    for lead in (_ENGLISH_LEAD, _CHINESE_LEAD):
        if found := lead.match(text):
            return Sides(found["cause"], found["effect"])
    back, on = _BACKWARD.search(text), _ONWARD.search(text)
    if back and (on is None or back.start() <= on.start()):
        return Sides(text[back.end() :], text[: back.start()])
    return Sides(text[: on.start()], text[on.end() :]) if on else None


def _apart(sides: Sides, said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """That one thing brought about another's state is told by a record that names them both: a call, a message, the way between them."""
    cause, effect = ([n.text for n in said.names if n.hard and n.text in side] for side in sides)
    if not cause or not effect or {n.casefold() for n in cause} & {n.casefold() for n in effect}:
        return
    for own in (names.of_record(r.texts) for r in cited):
        if any(names.stands_in(c, own) for c in cause) and any(names.stands_in(e, own) for e in effect):
            return
    yield Complaint(CheckResult.PARTIAL, f"no cited record speaks of both {cause[0]} and {effect[0]}", said.text)


def _untold(sides: Sides, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Each side that says something has a record that speaks of it."""
    for name, side in (("cause", sides.cause), ("effect", sides.effect)):
        told = frozenset(map(words.meaning, _telling(side)))
        if told and not any(told & r.words for r in cited):
            yield Complaint(CheckResult.UNSUPPORTED, f"no cited record tells of the {name}: {pieces(_telling(side))}", side.strip())


def _turned(sides: Sides, cited: Sequence[Record]) -> Iterator[Complaint]:
    """What came after is no cause of what came before: by the times of the records that tell of one side better than of the other."""
    cause, effect = _teller(sides.cause, sides.effect, cited), _teller(sides.effect, sides.cause, cited)
    if cause is None or effect is None or cause is effect:
        return
    began, over = _times(cause), _times(effect)
    if began and over and began[0].order > over[-1].order:
        yield Complaint(
            CheckResult.CONTRADICTED,
            f"what it calls the cause is of {began[0].text}, after what it calls the effect, which is of {over[-1].text}",
            sides.cause.strip(),
        )


def _teller(side: str, other: str, cited: Sequence[Record]) -> Record | None:
    """The one record that tells most of a side and little of the other."""
    own = frozenset(map(words.meaning, _telling(side)))
    apart = own - frozenset(map(words.meaning, _telling(other)))
    ranked = sorted(((len(apart & _own_words(r)), n) for n, r in enumerate(cited)), reverse=True)
    if not ranked or not ranked[0][0] or (len(ranked) > 1 and ranked[1][0] == ranked[0][0]):
        return None
    return cited[ranked[0][1]]


def _own_words(read: Record) -> frozenset[str]:
    """The record's words without those of its query."""
    return frozenset(words.meaning(w) for t in read.texts for w in words.words(t))


def _times(read: Record) -> list[Moment]:
    """The times that a record tells, in order, those of its query apart."""
    found = (m for t in read.texts for m in times.in_text(t) if m.day is not None and m.clock is not None)
    return sorted(found, key=lambda m: m.order)


def _telling(side: str) -> list[str]:
    return list(dict.fromkeys(words.content(side)))


def _held(said: Saying, read: Record) -> frozenset[str]:
    """The claim's names that stand in the record itself, and their parts, beyond those of kinds of things."""
    own = names.of_record(read.texts)
    whole = {n.text.casefold() for n in said.names if n.hard}
    parts = {p for name in whole for p in _JOINT.split(name)} - names.NAMING
    return frozenset(p for p in whole | parts if len(p) > 2 and names.stands_in(p, own))
