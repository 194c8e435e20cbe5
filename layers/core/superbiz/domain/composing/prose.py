"""Whether a sentence says no more than the claims that it cites: stricter than any judge of claims, since a paraphrase needs no licence.

Every rule looks at the cited claims alone: their texts, and the excerpts that they rest on. What one of them finds costs the draft, and the
template tells the claims in its place; so where wording is in doubt, it counts against the sentence.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from superbiz.domain import entailment
from superbiz.domain.claims import Claim, ClaimType
from superbiz.domain.composing import figures, vocabulary
from superbiz.domain.composing.markup import inert
from superbiz.domain.composing.tokens import Ground
from superbiz.domain.entailment import Cited
from superbiz.domain.reading import parts, quantities, times, words
from superbiz.domain.reading.parts import Saying, record
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.reading.times import Moment
from superbiz.domain.report import ReportClaim
from superbiz.domain.verification import CheckResult, Expressible

SHOWN = 80
_JOINT = re.compile(r";\s|,?\s(?:and|while|but)\s")
_NO_DEEDS = words.table("and or of at in to by on from was were are had has have for with that which as it its")
_COMMA = re.compile(r"[,;:]\s|\sand\s")
MAX_SENTENCE = 500  # of a claim's text; a longer sentence is none that a person would read at night


class Basis:
    """A cited claim with the records that it rests on, read once."""

    def __init__(self, claim: ReportClaim, cited: Sequence[Cited]) -> None:
        self.claim, self.cited = claim, tuple(cited)
        self.text = inert(claim.claim_text)
        self.excerpts = [inert(c.excerpt) for c in cited]

    @cached_property
    def ground(self) -> Ground:
        return Ground([self.text, *self.excerpts, *(c.tool for c in self.cited)])

    @cached_property
    def raw_words(self) -> frozenset[str]:
        """The words of the claim and of its excerpts, as they are spelled."""
        return frozenset(w for text in (self.text, *self.excerpts) for w in words.words(text))

    @cached_property
    def told(self) -> Saying:
        return parts.saying(self.text, entailment.known_in(self.cited))

    @cached_property
    def own_words(self) -> frozenset[str]:
        """The words of the claim's text, what it quotes left out."""
        return frozenset(words.words(unquoted(self.text)))

    @cached_property
    def owners(self) -> frozenset[str]:
        """The resources that its records are about."""
        return frozenset(owner for cited in self.cited for owner in record(cited).owners)

    @property
    def silent(self) -> bool:
        return self.claim.claim_type is ClaimType.ABSENCE


class Passage(NamedTuple):
    """A sentence, and a claim that it cites. `known` words are names."""

    text: str
    said: Saying
    basis: Basis
    known: frozenset[str]

    @property
    def told(self) -> frozenset[str]:
        return frozenset(words.words(self.text))

    @property
    def unquoted(self) -> str:
        """Without the passages that it quotes word for word."""
        return unquoted(self.text)


Rule = Callable[[Passage], Iterator[str]]


def complaints(text: str, bases: Sequence[Basis], known: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Why a sentence (as a reader reads it) is not carried by the claims that it cites; empty where it is.

    One claim carries the whole sentence, or each part of it that names its own subject is carried by one: what two claims hold between
    them may be put together to what neither says. `known` are words that are names here.
    """
    silent = [b for b in bases if b.silent]
    if silent:
        return () if text in {b.text for b in silent} else (f"retells an absence in other words: {text[:SHOWN]}",)
    if len(text) > MAX_SENTENCE:
        return (f"holds a sentence of {len(text)} characters",)
    known = known | entailment.known_in([c for b in bases for c in b.cited])
    whole = _least(text, bases, known)
    pieces = [part for part in _JOINT.split(text) if part.strip()] if whole and len(bases) > 1 else []
    if len(pieces) < 2 or not all(parts.saying(piece, known).names for piece in pieces):
        return whole
    return next((found for piece in pieces if (found := _least(piece, bases, known))), ())


def _least(text: str, bases: Sequence[Basis], known: frozenset[str]) -> tuple[str, ...]:
    """What the claim that comes nearest leaves to complain of."""
    if any(text.rstrip(". ") == b.text.rstrip(". ") for b in bases):
        return ()
    said = parts.saying(text, known)
    tried = (tuple(reason for rule in RULES for reason in rule(Passage(text, said, basis, known))) for basis in bases)
    return min(tried, key=len, default=("cites no claim",))


def _unfounded(p: Passage) -> Iterator[str]:
    """Names and quoted passages stand in the claim or its excerpts; numbers and times in the claim's own text."""
    yield from (f"says {token[:SHOWN]}, which no claim cited there holds" for token in p.basis.ground.unfounded(p.text))
    yield from (f"names {n.text}, of which no claim cited there speaks" for n in p.said.names if n.hard and not p.basis.ground.has(n.text))
    yield from (f"says {token[:SHOWN]}, which no claim cited there says" for token in Ground([p.basis.text]).loose_figures(p.unquoted))


def _units(p: Passage) -> Iterator[str]:
    """A number that the claim tells in one unit is not told in another."""
    for number in p.said.numbers:
        there = [q for q in p.basis.told.numbers if q.value == number.value]
        if number.unit and there and not any((q.dimension, q.factor) == (number.dimension, number.factor) for q in there):
            yield f"tells {number.text} in another unit than the claim: {p.text[:SHOWN]}"


def _unentailed(p: Passage) -> Iterator[str]:
    """The product's own entailment, over the claim's text, or over it and its records."""
    kind = ClaimType.CAUSE if vocabulary.CAUSAL.search(p.unquoted) else ClaimType.OBSERVATION
    claim = Claim(claim_id="sentence", claim_text=p.text, claim_type=kind, critical=False)
    alone = Cited(p.basis.text, p.basis.text, {}, {})
    judged = (entailment.judge(claim, records, p.known) for records in ([alone], [alone, *p.basis.cited]))
    failed = [found for found in judged if found.result not in (CheckResult.SUPPORTED, CheckResult.PARTIAL)]
    if len(failed) == 2:
        yield f"is not carried by what it cites ({failed[-1].reason[:200]}): {p.text[:SHOWN]}"


def _causal(p: Passage) -> Iterator[str]:
    """What caused what, only a claim of a cause may say."""
    found = vocabulary.CAUSAL.search(p.unquoted)
    if found and p.basis.claim.claim_type is not ClaimType.CAUSE:
        yield f"tells a cause ({found[0]}) that no claim of a cause carries: {p.text[:SHOWN]}"


def _words(p: Passage) -> Iterator[str]:
    """No word of weight that the claim and its excerpts do not use, or one of its family."""
    have = frozenset(map(words.meaning, p.basis.raw_words))
    told = [w for clause in p.said.clauses for w in clause.words if w not in vocabulary.SMALL | vocabulary.NEUTRAL]
    for word in dict.fromkeys(w for w in told if not (w.isdigit() or words.carried(w, have))):
        yield f"says {word}, which the claims cited there do not: {p.text[:SHOWN]}"


def _denial(p: Passage) -> Iterator[str]:
    """It denies where the claim does, and nowhere else."""
    told, denying = bool(p.told & words.NEGATIONS), bool(p.basis.own_words & words.NEGATIONS)
    if told and not denying:
        yield f"denies what no claim cited there denies: {p.text[:SHOWN]}"
    if denying and not told and not p.told & words.FAILURES:
        yield f"affirms what the claim cited there denies: {p.text[:SHOWN]}"


def _direction(p: Passage) -> Iterator[str]:
    """What rose in the claim rises in the sentence."""
    have, raw = p.basis.own_words, p.basis.raw_words
    up, down = words.UP - vocabulary.STATES, words.DOWN - vocabulary.STATES
    for way, other in ((up, down), (down, up)):
        verbs = sorted(p.told & way)
        if verbs and not have & way and (have & other or not raw & way):
            yield f"says that it {verbs[0]}, which the claims cited there do not: {p.text[:SHOWN]}"


def _order(p: Passage) -> Iterator[str]:
    """Resources and numbers keep the claim's order: who is told of whom, from what to what."""
    things, text = p.basis.owners, p.basis.text.casefold()
    named = dict.fromkeys(n.text.casefold() for n in p.said.names if n.text.casefold() in things)
    if not _rising([at for n in named if (at := _place(n, text)) is not None]):
        yield f"turns names of a claim round: {p.text[:SHOWN]}"
    held = p.basis.told.numbers
    spots = [[i for i, q in enumerate(held) if quantities.same(n, q)] for n in p.said.numbers]
    if not _rising([found[0] for found in spots if len(found) == 1]):
        yield f"turns numbers of a claim round: {p.text[:SHOWN]}"


def _doer(p: Passage) -> Iterator[str]:
    """Who does what in the claim does it in the sentence."""
    did: dict[str, set[str]] = {}
    for name, deed in _deeds(p.basis.text, p.basis.told):
        did.setdefault(deed, set()).add(name)
    for name, deed in _deeds(p.text, p.said):
        if deed in did and name not in did[deed]:
            yield f"says that {name} {deed}, which the claim cited there says of {min(did[deed])}: {p.text[:SHOWN]}"


def _deeds(text: str, said: Saying) -> Iterator[tuple[str, str]]:
    """Each name with the word right after it."""
    for name in said.names:
        found = re.match(r"[`*]*\s+([a-z]{2,})\b", text[name.span[1] :])
        if found and found[1] not in _NO_DEEDS:
            yield name.text.casefold(), found[1]


def _owned(p: Passage) -> Iterator[str]:
    """What is told of a resource that the claim is about names it: one that stands in a passage it quotes is not its subject."""
    told = unquoted(p.basis.text).casefold()
    own = {owner for owner in p.basis.owners if _place(owner, told) is not None}
    if own and p.said.names and not any(_place(owner, p.text.casefold()) is not None for owner in own):
        yield f"does not name {min(own)}, which the claim cited there is about: {p.text[:SHOWN]}"


def _figures(p: Passage) -> Iterator[str]:
    """Each number is called what the claim calls it."""
    told = unquoted(p.basis.text)
    yield from (f"{reason}: {p.text[:SHOWN]}" for reason in figures.complaints(unquoted(p.text), p.said, told, p.basis.told))


def _together(p: Passage) -> Iterator[str]:
    """A number and a time that stand in one clause do so in the claim."""
    there = [(times_of(c), quantities_of(c)) for c in _pieces(p.basis.text)]
    for clause in _pieces(p.text):
        numbers = quantities_of(clause)
        for moment in times_of(clause):
            near = [have for at, have in there if any(times.same(moment, m) for m in at)]
            if near and numbers and not any(quantities.same(n, q) for have in near for q in have for n in numbers):
                yield f"puts {moment.text} to another value than the claim does: {p.text[:SHOWN]}"


def _hedge(p: Passage) -> Iterator[str]:
    """Where the claim says that it may be so, the sentence does not say that it is."""
    if p.told & vocabulary.HEDGES:
        return
    told = frozenset(map(words.meaning, p.told))
    for clause in p.basis.told.clauses:
        hedged = sorted(frozenset(clause.words) & vocabulary.HEDGES)
        near = told & clause.meanings
        if hedged and (vocabulary.CAUSAL.search(p.unquoted) or (near and 2 * len(near) >= len(clause.meanings))):
            yield f"drops the claim's {hedged[0]!r}: {p.text[:SHOWN]}"
            return


RULES: tuple[Rule, ...] = (
    _unfounded, _units, _unentailed, _causal, _words, _denial, _direction, _order, _doer, _owned, _figures, _together, _hedge,
)  # fmt: skip


def doubtful(bases: Sequence[Basis]) -> bool:
    """Whether a cited claim may be told with a hedge only."""
    return any(b.claim.expressible is not Expressible.FULL and not b.silent for b in bases)


def _place(name: str, text: str) -> int | None:
    found = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
    return found.start() if found else None


def _rising(places: Sequence[int]) -> bool:
    return all(a <= b for a, b in pairwise(places))


def _pieces(text: str) -> list[str]:
    """The clauses of a text, quoted passages left out."""
    return _COMMA.split(unquoted(text))


def unquoted(text: str) -> str:
    """As long as it was, with blanks where it quotes."""
    return parts.QUOTE.sub(lambda found: " " * len(found[0]), text)


def times_of(text: str) -> list[Moment]:
    return list(times.in_text(text))


def quantities_of(text: str) -> list[Quantity]:
    return list(parts.saying(text, frozenset()).numbers)
