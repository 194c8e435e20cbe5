"""The rule of directions: what rose did rise."""

import re
from collections.abc import Iterator, Sequence

from superbiz.domain.entailment import compared, turns
from superbiz.domain.entailment.complaint import Complaint, owned
from superbiz.domain.reading import quantities, words
from superbiz.domain.reading.parts import BASE, META, Clause, Record, Saying, is_base
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.verification import CheckResult

REACH = 16  # characters before a word in which a "not" denies it
CAME = re.compile(r"\b(?:(?P<up>up)|down) from\b", re.IGNORECASE)
# "went up" tells a direction, "went down" an outage as often: such words are held against what is told, and need not be shown.
PHRASAL = re.compile(
    r"\b(?:went|gone|go(?:es|ing)?|came|come|moved|scaled|scaling|ramped|shot|crept|edged|ticked|driven|pushed|brought|turned|dialled|dialed)"
    r"\s(?:\w{1,20}ly\s)?(?:(?P<up>up)|down)\b",
    re.IGNORECASE,
)
MOST = 100  # numbers of a record that are set against each other
DIRECTED = words.table("direction trend movement")
VALUES = words.table("worst value current peak actual latest now")
BESIDE = words.table("above below exceed exceeds exceeded exceeding greater higher lower less fewer")  # tell a place, not a move


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """What rose did rise: by the order of the claim's own numbers, by what the record calls normal, or in the record's words."""
    for clause in said.clauses:
        sign = sign_of(clause.words, words.CLAIM_UP, words.CLAIM_DOWN)
        if sign:
            yield from _against(sign, clause, said, cited)
    yield from _phrases(said, cited)


def _phrases(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    for found in CAME.finditer(said.text):
        sign, told = (1 if found["up"] else -1), _ordered(said)
        if told and told != sign:
            yield Complaint(CheckResult.CONTRADICTED, f"the claim says {found[0]!r}, its numbers tell the other way", found[0])
    for found in PHRASAL.finditer(said.text):
        sign, told = (1 if found["up"] else -1), _ordered(said) or _measured(said, cited) or _moved(cited)
        denied = not words.NEGATIONS.isdisjoint(words.words(said.text[max(0, found.start() - REACH) : found.start()]))
        if told and (told != sign) != denied:
            yield Complaint(CheckResult.CONTRADICTED, f"the claim says {found[0]!r} where the record tells the other way", found[0])


def _moved(cited: Sequence[Record]) -> int:
    """Which way alone the records' own phrases go: "Scaled up replica set"."""
    ways = {bool(f["up"]) for r in cited for f in PHRASAL.finditer(r.flat)}
    return 0 if len(ways) != 1 else 1 if ways.pop() else -1


def _against(sign: int, clause: Clause, said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    verb = next(w for w in clause.words if w in (words.CLAIM_UP if sign > 0 else words.CLAIM_DOWN))
    told = [
        s
        for s in (
            _ordered(said),
            _compared(said) if verb in BESIDE else 0,
            _measured(said, cited),
            _multiplied(said, cited),
            _bounded(said, cited),
            _worded(cited),
            _recorded(cited),
        )
        if s
    ]
    if told and (told[0] != sign) != clause.denies:
        way, not_ = "rise" if told[0] > 0 else "fall", "not " if clause.denies else ""
        yield Complaint(CheckResult.CONTRADICTED, f"the claim says '{not_}{verb}' where the record's numbers or words tell a {way}", verb)
    elif not told:
        yield Complaint(CheckResult.PARTIAL, f"nothing in the cited record shows that it {verb}", verb)


def _ordered(said: Saying) -> int:
    """The order of the claim's own two numbers."""
    return next((_step(a.value * a.factor, b.value * b.factor) for a, b in turns.of_claim(said)), 0)


def _compared(said: Saying) -> int:
    """What the claim itself sets its number against."""
    return next((_step(b.amount, a.amount) for _, _, a, b in compared.pairs(said)), 0)


def _bounded(said: Saying, cited: Sequence[Record]) -> int:
    """ "Over 90 %" of a recorded 93.4 %."""
    return next((n.bound for n in said.numbers if n.bound and any(quantities.within(n, q) for r in cited for q in r.numbers)), 0)


def _measured(said: Saying, cited: Sequence[Record]) -> int:
    """How the record's value that the claim names lies to what the record holds for normal."""
    for number in said.numbers:
        for r in owned(number.span[0], said, cited):
            base = _base_of(number, r)
            if base is not None:
                return _step(
                    base.value * base.factor, number.value * (number.factor if number.unit and base.unit else 1.0) * _scale(number, base)
                )
    return 0


def _multiplied(said: Saying, cited: Sequence[Record]) -> int:
    """ "13 times", "by 40 %": which way the record's value lies to what it holds for normal, where the number is told of the two."""
    for number in (n for n in said.numbers if n.multiple or n.dimension == "share"):
        for r in cited:
            values = [q for q in r.numbers if not is_base(q.field) and META.isdisjoint(q.field.lower().split("_"))]
            for value, base in ((v, b) for v in values for b in r.numbers if is_base(b.field) and b.value):
                if quantities.recomputed(number, (value, base)) or _moved_by(number, value, base):
                    return _step(base.value, value.value)
    return 0


def _moved_by(number: Quantity, value: Quantity, base: Quantity) -> bool:
    moved = abs(value.value - base.value) / abs(base.value)
    return number.dimension == "share" and abs(moved - number.value * number.factor) <= quantities.tolerance(number) * number.factor


def _scale(number: Quantity, base: Quantity) -> float:
    """Without a unit of its own the claim's number is in the record's."""
    return base.factor if number.unit is None and base.unit else 1.0


def _base_of(number: Quantity, read: Record) -> Quantity | None:
    """The normal value for the claim's number, where that number is not itself a normal one and only one can be meant."""
    meant = turns.meant(number, read)
    if not meant or all(is_base(q.field) for q in meant):
        return None
    bases = [q for q in read.numbers if is_base(q.field)]
    stems = {q.field.lower() for q in meant}
    paired = [q for q in bases if q.field.lower().split("_", 1)[-1] in stems]
    plain = [q for q in bases if q.field.lower() in BASE]
    return next((found[0] for found in (paired, plain, bases) if len(found) == 1), None)


def _recorded(cited: Sequence[Record]) -> int:
    """By a field that is named for it, else by a value and its baseline, where the records have one pair alone."""
    fields = [t.partition(" ")[2].lower() for r in cited for t in r.texts if t.partition(" ")[0].lower() in DIRECTED]
    if fields:
        return sign_of([w for f in fields for w in words.words(f)], words.UP_FIELD, words.DOWN_FIELD)
    pairs = {
        _step(base.value, q.value)
        for r in cited
        for base in r.numbers[:MOST]
        for q in r.numbers[:MOST]
        if "baseline" in words.words(base.field) and not VALUES.isdisjoint(words.words(q.field)) and q.within == base.within
    }
    return next(iter(pairs)) if len(pairs) == 1 else 0


def _worded(cited: Sequence[Record]) -> int:
    return sign_of([w for r in cited for w in r.raw_words], words.UP_FIELD, words.DOWN_FIELD)


def sign_of(found: Sequence[str], up: frozenset[str], down: frozenset[str]) -> int:
    """+1 or -1 where the words tell one direction alone."""
    rises, falls = any(w in up for w in found), any(w in down for w in found)
    return 0 if rises == falls else 1 if rises else -1


def _step(a: float, b: float) -> int:
    return (b > a) - (b < a)
