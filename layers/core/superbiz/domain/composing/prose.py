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
from superbiz.domain.composing import figures, taken, vocabulary
from superbiz.domain.composing.markup import inert
from superbiz.domain.composing.taken import unquoted
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
_RELATION = re.compile(r"\b(before|after|since|from|until|till|by|between|through|past|以前|之前|以后|之后)\s*\Z", re.IGNORECASE)
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
    """Quoted passages stand in the claim or its excerpts; names, numbers and times in the claim's own text."""
    yield from (f"says {token[:SHOWN]}, which no claim cited there holds" for token in p.basis.ground.unfounded(p.text))
    own = Ground([p.basis.text])
    yield from (f"names {n.text}, of which no claim cited there speaks" for n in p.said.names if n.hard and not own.has(n.text))
    yield from (f"says {token[:SHOWN]}, which no claim cited there says" for token in own.unfounded(p.unquoted))


def _signs(p: Passage) -> Iterator[str]:
    """Nothing is said by a sign or asked by a mark, and what is quoted is quoted exactly."""
    found = taken.strange(p.unquoted, p.basis.text)
    if found:
        yield f"says {found!r}, which is no plain word: {p.text[:SHOWN]}"
    yield from (f"quotes {q[:SHOWN]}, which stands in no claim cited there" for q in p.said.quotes if not p.basis.ground.quotes(inert(q)))


def _taken(p: Passage) -> Iterator[str]:
    """What is taken from a clause of the claim is taken whole, and in its order."""
    yield from (f"{reason}: {p.text[:SHOWN]}" for reason in taken.torn(p.text, p.said, p.basis.text, p.known))
    yield from (f"says {word} in another tense than the claim: {p.text[:SHOWN]}" for word in taken.tense(p.text, p.said, p.basis.text))
    if turned := taken.turned(p.text, p.said, p.basis.text):
        yield f"turns the claim's words round ({turned}): {p.text[:SHOWN]}"


def _units(p: Passage) -> Iterator[str]:
    """A number that the claim tells in one unit is not told in another. What is normal has the unit of what is compared with it."""
    compared = {(q.dimension, q.factor) for q in p.basis.told.numbers if q.unit}
    for number, base in zip(p.said.numbers, figures.normal(p.unquoted, p.said.numbers), strict=True):
        there = [q for q in p.basis.told.numbers if q.value == number.value]
        if base and not any(q.unit for q in there) and (number.dimension, number.factor) in compared:
            continue
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
    """No word of weight that the claim does not use, or one of its family: what an excerpt says is told as a quotation of it."""
    own = words.words(p.basis.text)
    have = frozenset(words.meaning(w) for w in own if w not in vocabulary.KEPT)  # "deviates" is not of a claim's "deviation 7"
    light = vocabulary.SMALL | vocabulary.NEUTRAL | vocabulary.granted(p.text, p.basis.own_words) | vocabulary.KEPT & frozenset(own)
    told = [w for clause in p.said.clauses for w in clause.words if w not in light]
    for word in dict.fromkeys(w for w in told if not (w.isdigit() or words.meaning(w) in have)):
        yield f"says {word}, which the claims cited there do not: {p.text[:SHOWN]}"


def _order(p: Passage) -> Iterator[str]:
    """Resources and numbers keep the claim's order: who is told of whom, from what to what."""
    things, text = p.basis.owners, p.basis.text.casefold()
    named = dict.fromkeys(n.text.casefold() for n in p.said.names if n.text.casefold() in things)
    if not _rising([at for n in named if (at := _place(n, text)) is not None]):
        yield f"turns names of a claim round: {p.text[:SHOWN]}"
    for base in (False, True):
        held = _numbers(p.basis.text, p.basis.told, normal=base)
        spots = [[i for i, q in enumerate(held) if quantities.same(n, q)] for n in _numbers(p.text, p.said, normal=base)]
        if not _rising([found[0] for found in spots if len(found) == 1]):
            yield f"turns numbers of a claim round: {p.text[:SHOWN]}"


def _numbers(text: str, said: Saying, *, normal: bool) -> list[Quantity]:
    """Those that are told as normal, or the others: "from a baseline of 2 to 98" and "98, baseline 2" are one."""
    return [q for q, base in zip(said.numbers, figures.normal(unquoted(text), said.numbers), strict=True) if base is normal]


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
        found = re.match(r"[`*]*(?:\s\([^()]*\))?\s+([a-z]{2,})\b", text[name.span[1] :])
        if found and found[1] not in _NO_DEEDS:
            yield name.text.casefold(), found[1]


def _owned(p: Passage) -> Iterator[str]:
    """What is told of a resource that the claim is about names it: one that stands in a passage it quotes is not its subject."""
    told = unquoted(p.basis.text).casefold()
    own = {owner for owner in p.basis.owners if _place(owner, told) is not None}
    if own and not any(_place(owner, p.text.casefold()) is not None for owner in own):
        yield f"does not name {min(own)}, which the claim cited there is about: {p.text[:SHOWN]}"


def _figures(p: Passage) -> Iterator[str]:
    """Each number is called what the claim calls it."""
    told = unquoted(p.basis.text)
    yield from (f"{reason}: {p.text[:SHOWN]}" for reason in figures.complaints(unquoted(p.text), p.said, told, p.basis.told))


def _together(p: Passage) -> Iterator[str]:
    """What stands in one clause with a time does so in the claim, and is before or after it as there."""
    quoted = [q for passage in p.basis.told.quotes for q in quantities_of(passage)]  # what a claim quotes is of its own time
    there = [(times_of(c), [*quantities_of(c), *quoted], taken.meanings(c)) for c in _pieces(p.basis.text)]
    for clause in _pieces(p.text):
        numbers, told = quantities_of(clause), taken.weight(clause)
        for moment in times_of(clause):
            near = [(have, said) for at, have, said in there if any(times.same(moment, m) for m in at)]
            apart = [said for at, _, said in there if at and not any(times.same(moment, m) for m in at)]
            if near and numbers and not any(quantities.same(n, q) for have, _ in near for q in have for n in numbers):
                yield f"puts {moment.text} to another value than the claim does: {p.text[:SHOWN]}"
            if near and any(told & said for said in apart) and not any(told & said for _, said in near):
                yield f"puts {moment.text} to something else than the claim does: {p.text[:SHOWN]}"
    if (before := _relations(p.text)) - _relations(p.basis.text):
        yield f"tells {min(before)} a time, which the claim does not: {p.text[:SHOWN]}"


def _relations(text: str) -> frozenset[str]:
    """Words that put something before or after a time, or from it on."""
    found = ((_RELATION.search(text[: m.span[0]])) for m in times_of(text))
    return frozenset(r[1].lower() for r in found if r)


RULES: tuple[Rule, ...] = (
    _unfounded, _signs, _units, _unentailed, _causal, _words, _taken, _order, _doer, _owned, _figures, _together,
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


def times_of(text: str) -> list[Moment]:
    return list(times.in_text(text))


def quantities_of(text: str) -> list[Quantity]:
    return list(parts.saying(text, frozenset()).numbers)
