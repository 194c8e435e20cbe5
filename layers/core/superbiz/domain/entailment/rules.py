"""The rules of entailment, as a table: each names what a claim says that its cited records do not.

A complaint caps the claim's result. Rules are independent of each other: all of them are asked, and the worst complaint stands.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from superbiz.domain.entailment import (
    compared,
    direction,
    moments,
    naming,
    numbers,
    opposites,
    predicates,
    present,
    roles,
    sides,
    turns,
    wording,
)
from superbiz.domain.entailment.complaint import Complaint, unsupported
from superbiz.domain.reading import quantities, times, words
from superbiz.domain.reading.parts import Clause, Record, Saying, pieces, widened
from superbiz.domain.reading.times import Moment
from superbiz.domain.verification import CheckResult

SCOPE = re.compile(r"\b(?:between|from|until|during|window|period|within|over|queried|throughout)\b", re.IGNORECASE)
ORDER_WORDS = {"before": -1, "preceded": -1, "after": 1, "following": 1, "followed": -1, "until": -1, "since": 1}


NOT_NORMAL = re.compile(
    r"\bnot\s(?:an?\s)?(?:ordinary|normal|usual|expected|typical)\b", re.IGNORECASE
)  # which no 0 of what is normal says


class Rule(NamedTuple):
    code: str
    complaints: Callable[[Saying, Sequence[Record]], Iterable[Complaint]]


Finds = Callable[[Saying, Sequence[Record]], Iterable[Complaint]]


def _by_the_node(finds: Finds) -> Finds:
    """What the excerpt's record lacks and the rest of its node has is doubted: the excerpt is beside it, and the claim may be true.

    A record that says whose it is speaks for no neighbour.
    """

    def found(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
        every = list(finds(said, cited))
        wide = [r if r.owners else widened(r) for r in cited] if any(c.result is not CheckResult.PARTIAL for c in every) else []
        if all(w.flat == r.flat for w, r in zip(wide, cited, strict=False)):
            yield from every
            return
        still = {c.fact for c in finds(said, wide) if c.result is not CheckResult.PARTIAL}
        yield from (c if c.fact in still else c._replace(result=CheckResult.PARTIAL) for c in every)

    return found


def _quotes(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """What a claim puts in quotation marks stands in a cited record, word for word; "…" at its end leaves out the rest."""
    for quote in said.quotes:
        wanted = " ".join(quote.rstrip(". ").rstrip("…").split())
        if not any(wanted in r.flat or any(wanted in " ".join(t.split()) for t in r.texts) for r in cited):
            yield unsupported(f"no cited record reads {quote!r}", quote)


def _times(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Every time of the claim stands in a cited record, in UTC, to the second or minute that the claim shows."""
    scoped = SCOPE.search(said.text) is not None
    for moment in said.moments:
        allowed = [m for r in cited for m in (*r.moments, *_point_times(said, r), *(r.window if scoped else ()))]
        if not any(times.same(moment, m) for m in allowed):
            have = pieces([m.text for m in allowed]) or "no time"
            yield unsupported(f"{moment.text} is not in the cited record, which has {have}", moment.text)


def _point_times(said: Saying, found: Record) -> Iterator[Moment]:
    """The times of those points whose value the claim tells."""
    for moment, value in found.points:
        if any(quantities.same(n, value) for n in said.numbers):
            yield moment


def _digits(said: Saying, _cited: Sequence[Record]) -> Iterator[Complaint]:
    """Digits of other scripts look like a number and match none."""
    if said.odd_digits:
        yield unsupported("the claim writes a number in other characters than 0-9", said.text)


def _order(said: Saying, _cited: Sequence[Record]) -> Iterator[Complaint]:
    """Two times joined by before or after stand in that order."""
    if len(said.moments) != 2:
        return
    first, second = sorted(said.moments, key=lambda m: m.span)
    ahead, between = said.text[: first.span[0]].lower().split(), said.text[first.span[1] : second.span[0]].lower().split()
    step = (first.order > second.order) - (first.order < second.order)
    if first.day is None or second.day is None:
        step = (first.order[1:] > second.order[1:]) - (first.order[1:] < second.order[1:])
    told = next((ORDER_WORDS[w.strip(",.")] for w in between if w.strip(",.") in ORDER_WORDS), 0)
    if not told and ahead:
        told = -next((ORDER_WORDS[w] for w in ahead if w in ("before", "after", "following")), 0)
    if told and step and step != told:
        yield Complaint(CheckResult.CONTRADICTED, f"{first.text} and {second.text} stand in the other order", first.text)


def _negation(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """What the record denies is not affirmed, and what it affirms is not denied."""
    for clause in said.clauses:
        if (clause.content or clause.denies) and (complaint := _parity(clause, said, cited)):
            yield complaint
        elif not clause.denies and predicates.is_none(clause, said, cited):
            yield Complaint(CheckResult.CONTRADICTED, f"the record counts none of it: {clause.text!r}", clause.text)


def _zero_said(said: Saying) -> bool:
    return any(not number.value for number in said.numbers)


def _parity(clause: Clause, said: Saying, cited: Sequence[Record]) -> Complaint | None:
    meant = clause.meanings
    near = [c for r in cited for c in r.clauses if not meant.isdisjoint(c.meanings)]
    if clause.denies and clause.fails:
        if any(c.fails and not c.denies for c in near) and not predicates.zero(meant, cited):
            return Complaint(
                CheckResult.CONTRADICTED, f"the claim denies a failure that the record tells: {near[0].text[:120]!r}", clause.text
            )
        return None if predicates.zero(meant, cited) or any(c.denies for c in near) else _undenied(clause)
    if clause.denies:
        every = [c for r in cited for c in r.clauses]
        denied = bool(clause.content) and any(c.denies or c.fails for c in near or every)
        if (
            denied
            or (predicates.zero(meant, cited) and not NOT_NORMAL.search(clause.text))
            or direction.sign_of(clause.words, words.CLAIM_UP, words.CLAIM_DOWN)
        ):
            return None
        echoed = not clause.content and any(r.raw_words.issuperset(clause.words) for r in cited)
        if echoed or predicates.empty(clause.words, cited) or direction.PHRASAL.search(clause.text):
            return None
        return _undenied(clause)
    if clause.fails and not _zero_said(said) and predicates.never_failed(clause.words, cited):
        return Complaint(CheckResult.CONTRADICTED, f"the record counts none of it: {clause.text!r}", clause.text)
    if predicates.is_able(clause.words) and not clause.fails and all(c.fails for r in cited for c in r.clauses if len(c.words) > 2):
        return Complaint(CheckResult.PARTIAL, f"the cited record tells of failure alone: {clause.text!r}", clause.text)
    opposed = [c for c in near if c.denies and c.fails == clause.fails]
    if near and len(opposed) == len(near):
        return Complaint(CheckResult.CONTRADICTED, f"the claim affirms what the record denies: {opposed[0].text[:120]!r}", clause.text)
    return None


def _undenied(clause: Clause) -> Complaint:
    """Of a denial that no record bears out or speaks against, a rule can not know."""
    return Complaint(CheckResult.PARTIAL, f"nothing in the cited record denies it: {clause.text!r}", clause.text)


RULES = (
    Rule("QUOTE", _quotes),
    Rule("NAME", _by_the_node(naming.complaints)),
    Rule("OWNER", _by_the_node(naming.owners)),
    Rule("NUMBER", _by_the_node(numbers.complaints)),
    Rule("TIME", _by_the_node(_times)),
    Rule("DIGITS", _digits),
    Rule("DIRECTION", direction.complaints),
    Rule("SIDE", sides.complaints),
    Rule("TURN", turns.complaints),
    Rule("ROLE", roles.complaints),
    Rule("COMPARED", compared.complaints),
    Rule("WHEN", moments.complaints),
    Rule("ORDER", _order),
    Rule("OPPOSITE", opposites.complaints),
    Rule("PRESENT", present.complaints),
    Rule("NEGATION", _negation),
    Rule("PREDICATE", predicates.complaints),
    Rule("UNDONE", predicates.undone),
    Rule("RECOVERY", predicates.recoveries),
    Rule("WHOLE", predicates.whole),
    Rule("COUNTED", predicates.counted),
    Rule("WORDING", wording.complaints),
)
