"""Numbers that a claim works out from recorded ones: shares, totals, factors and the time between two events."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from superbiz.domain.reading import measured, quantities, words
from superbiz.domain.reading.parts import BASE, CLAUSE, META, Record, is_base
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.reading.times import Moment

MOST = 24  # numbers of a record that are tried with each other
NEAR = 32
GAP = words.table("after later before earlier within between lasted lasting for took takes taking long duration ran until")
BY = words.table("by")
FAILED = frozenset(map(words.meaning, words.FAILURES))
GOOD = frozenset(map(words.meaning, words.table("availability available success succeeded successful uptime healthy passed")))


def follows(number: Quantity, text: str, cited: Sequence[Record]) -> bool:
    """Whether the number follows from one record's numbers, or from the times of the records."""
    spoken = _spoken(number, text)
    return (
        _elapsed(number, text, cited)
        or _difference(number, text, cited)
        or any(
            quantities.recomputed(number, _compared(number, text, r)) or _is_share(number, spoken, text, r) or _is_total(number, text, r)
            for r in cited
        )
    )


MORE = re.compile(r"\A\s(?:longer|more|higher|larger|slower|shorter|less|fewer|lower|faster|above|below|beyond)\b")
LOST = re.compile(r"\b(?:lost|gained|added|removed)\s\Z", re.IGNORECASE)


def _difference(number: Quantity, text: str, cited: Sequence[Record]) -> bool:
    """ "12 s longer than", "lost 7 of its 8": by how much two numbers of one record and one dimension differ."""
    if not (MORE.match(text[number.span[1] :]) or LOST.search(text[: number.span[0]])):
        return False
    pairs = ((a, b) for r in cited for n, a in enumerate(r.numbers[:MOST]) for b in r.numbers[n + 1 : MOST] if a.within == b.within)
    slack = quantities.tolerance(number) * number.factor if number.dimension else 0.0
    return any(a.dimension == b.dimension == number.dimension and abs(abs(a.amount - b.amount) - number.amount) <= slack for a, b in pairs)


def _compared(number: Quantity, text: str, read: Record) -> Sequence[Quantity]:
    """The numbers that "N times its baseline" is of: the measured and the normal one, where the record calls one so."""
    if not number.multiple or not any(BASE.issuperset(words.words(q.field)) for q in read.numbers if q.typed):
        return read.numbers
    if BASE.isdisjoint(words.words(text[number.span[1] : number.span[1] + NEAR])):
        return read.numbers
    return [
        q
        for q in read.numbers
        if q.typed and measured.measures(q.field) and (not is_base(q.field) or BASE.issuperset(words.words(q.field)))
    ]


def _spoken(number: Quantity, text: str) -> frozenset[str]:
    """What the clause of a number speaks of."""
    start, end = 0, len(text)
    for found in CLAUSE.finditer(text):
        if found.end() <= number.span[0]:
            start = found.end()
        elif found.start() >= number.span[1]:
            end = found.start()
            break
    return frozenset(map(words.meaning, words.words(text[start:end])))


def crosses(number: Quantity, text: str, found: Quantity) -> bool:
    """Whether a share of failures is read off a field that holds the share of successes, or the other way round."""
    if number.dimension != "share":
        return False
    spoken, field = _spoken(number, text), _field_words(found)
    return not spoken.isdisjoint(FAILED) and not field.isdisjoint(GOOD) and spoken.isdisjoint(GOOD)


def _is_share(number: Quantity, spoken: frozenset[str], text: str, read: Record) -> bool:
    """A share is that of a part which the clause names, in another number or in the sum of both; "by" tells how much was lost or won."""
    if number.dimension != "share":
        return False
    said, tolerance = number.value * number.factor, quantities.tolerance(number) * number.factor
    counts = _counts(read)
    if BY.intersection(words.words(text[max(0, number.span[0] - 20) : number.span[0]])):
        return any(abs(abs(a.value - b.value) / b.value - said) <= tolerance for a, b in _pairs(counts) if is_base(b.field))
    named = [q for q in counts if not is_base(q.field) and not spoken.isdisjoint(_field_words(q))]
    wholes = [
        (part.value, whole) for part in named for other in counts if other.field != part.field for whole in _wholes(part, other, spoken)
    ]
    return any(abs(part / whole - said) <= tolerance for part, whole in wholes)


def _wholes(part: Quantity, other: Quantity, spoken: frozenset[str]) -> Iterator[float]:
    """The other number where the clause or its size lets it hold the part; the sum where both are kinds of one thing (hits and misses)."""
    if abs(other.value) > abs(part.value) and not spoken.isdisjoint(_field_words(other)) and not kin(part, other):
        yield other.value
    if kin(part, other) and part.value + other.value:
        yield part.value + other.value
    if is_base(other.field) and other.value:
        yield other.value


def kin(a: Quantity, b: Quantity) -> bool:
    """`keyspace_hits` and `keyspace_misses`, `healthy` and `unhealthy` are parts of one whole."""
    one, other = a.field.lower(), b.field.lower()
    if one in (f"un{other}", f"non_{other}") or other in (f"un{one}", f"non_{one}"):
        return True
    return "_" in one and one.split("_")[0] == other.split("_")[0] and one.split("_")[1:] != other.split("_")[1:]


def _is_total(number: Quantity, text: str, read: Record) -> bool:
    """ "4 of the 6": the whole is the sum of the record's parts."""
    before = [w for w in words.words(text[: number.span[0]]) if w != "the"]
    if before[-1:] != ["of"] or number.unit or number.value == 0:
        return False
    return any((kin(a, b) or _two_of_all(a, b, read)) and a.value + b.value == number.value for a, b in _pairs(_counts(read)))


def _two_of_all(a: Quantity, b: Quantity, read: Record) -> bool:
    """Two whole numbers that alone stand in their object: `ok` and `failed`."""
    beside = {q.field for q in read.numbers if q.typed and q.within == a.within}
    return a.typed and b.typed and a.within == b.within and a.whole and b.whole and beside == {a.field, b.field}


def _elapsed(number: Quantity, text: str, cited: Sequence[Record]) -> bool:
    """ "four minutes after": the time between two events of the records, to the unit that is shown."""
    around = f"{text[max(0, number.span[0] - NEAR) : number.span[0]]} {text[number.span[1] : number.span[1] + NEAR]}"
    if number.dimension != "time" or GAP.isdisjoint(words.words(around)):
        return False
    least = 0.75 if number.hedged else 0.5 if number.whole else 0.0
    said, slack = number.value * number.factor, max(quantities.tolerance(number), least) * number.factor
    known = {at for r in cited for m in (*r.moments, *(p for p, _ in r.points[:MOST])) if (at := instant(m))}
    moments = sorted(known)[:MOST]
    return any(abs((b - a).total_seconds() - said) <= slack for n, a in enumerate(moments) for b in moments[n + 1 :])


def instant(moment: Moment) -> datetime | None:
    """None for what tells no day or no clock."""
    if moment.day is None or moment.clock is None:
        return None
    return datetime.fromisoformat(f"{moment.day}T{moment.clock[0]:02}:{moment.clock[1]:02}:{moment.second or 0:02}")


def _counts(read: Record) -> list[Quantity]:
    unique = {(q.field, q.value): q for q in read.numbers if q.field and META.isdisjoint(q.field.lower().split("_"))}
    return list(unique.values())[:MOST]


def _pairs(found: Sequence[Quantity]) -> Iterator[tuple[Quantity, Quantity]]:
    return ((a, b) for a in found for b in found if a is not b and b.value)


def _field_words(number: Quantity) -> frozenset[str]:
    return frozenset(map(words.meaning, words.words(number.field)))
