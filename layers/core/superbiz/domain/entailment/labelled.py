"""Whether a number of a claim stands in the record under the name that the claim gives it."""

import re
from collections.abc import Sequence

from superbiz.domain.entailment import turns
from superbiz.domain.reading import labels, quantities, words
from superbiz.domain.reading.parts import BASE, META, Record, Saying, is_base
from superbiz.domain.reading.quantities import Quantity

COUNTING = words.table(
    "count replicas attempts retries code status errors requests samples users partition invocations messages rows entries jobs tasks "
    "hosts pods connections active idle waiting threads workers port"
)
MOST = 200


def words_of(number: Quantity, said: Saying, found: Record) -> tuple[str, ...]:
    """The meanings of what the claim says that its number is of."""
    spans = [q.span for q in said.numbers]
    at = spans.index(number.span)
    text = _without_names(said, found)
    left, right = labels.beside(text, spans)[at]
    if at + 1 < len(spans) and turns.WHOLE.fullmatch(right):  # "12 of the 310 jobs failed": what failed is the 12
        after = labels.beside(text, spans)[at + 1][1]
        return labels.of_text(left, " ".join(after.split()[1:]))
    if at and turns.WHOLE.fullmatch(text[spans[at - 1][1] : number.span[0]]):
        return labels.of_text("", " ".join(right.split()[:1]))
    return labels.of_text(left, right)


def _without_names(said: Saying, found: Record) -> str:
    """Names of things are no labels, names of fields are."""
    fields = {part for q in found.numbers for part in (q.field.casefold(), *words.words(q.field), *words.words(q.within))}
    text = said.text
    for start, end in [m.span for m in said.moments] + [n.span for n in said.names if n.text.casefold() not in fields]:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


HTTP = frozenset((*range(200, 208), *range(300, 309), *range(400, 432), 451, 499, *range(500, 512), *range(520, 531)))
CODES = words.table("code status exit")
BEFORE_CODE = re.compile(r"\b(?:of|with|answered|returned|got|http|status|code)\s\Z", re.IGNORECASE)
AFTER_CODE = re.compile(r"\A\s?(?:responses?|errors?|status|replies|requests?|请求|错误|响应)")
FORMER = re.compile(r"\b(?:from|against|versus|vs\.?|compared|than|instead of|or)\b|[从由比]|基线|平时|正常|之前|此前|原来", re.IGNORECASE)
AGO = 40  # characters


def is_code(number: Quantity, said: Saying, holders: Sequence[Quantity]) -> bool:
    """ "The rate of 503 responses": a code is no amount of what it is said with."""
    start, end = number.span
    told = BEFORE_CODE.search(said.text[max(0, start - 12) : start]) or AFTER_CODE.match(said.text[end:])
    return bool(told) and number.value in HTTP and any(not CODES.isdisjoint(words.words(q.field)) or not q.typed for q in holders)


def is_former(number: Quantity, said: Saying, found: Record, holders: Sequence[Quantity]) -> Quantity | None:
    """The present value beside a former or normal one, where the claim tells the former as the present."""
    start, end = number.span
    around = said.text[max(0, start - AGO) : start], said.text[end : end + AGO // 2]
    if not holders or not all(is_base(q.field) for q in holders) or FORMER.search(around[0]):
        return None
    if not BASE.isdisjoint(words.words(" ".join(around))):
        return None
    rests = [frozenset(words.words(q.field)) - BASE for q in holders]
    return next(
        (q for q in found.numbers if not is_base(q.field) and q.within == holders[0].within and frozenset(words.words(q.field)) in rests),
        None,
    )


def mislabels(number: Quantity, said: Saying, found: Record, holders: Sequence[Quantity]) -> Quantity | None:
    """The record's number that the words beside the claim's number name better than any that has its value."""
    if former := is_former(number, said, found, holders):
        return former
    named = words_of(number, said, found)
    if not named or is_code(number, said, holders) or (number.per and all(q.per for q in holders)):
        return None
    own = {q.value * q.factor for q in holders}
    best = [_named(named, q) for q in holders]
    for q in found.numbers[:MOST]:
        if META.isdisjoint(q.field.lower().split("_")) and q.value * q.factor not in own and not quantities.same(number, q):
            meant = _named(named, q)
            if meant and all(meant > had for had in best):
                return q
            if (
                meant
                and _whole(meant, q)
                and all(len(meant) >= len(had) and not _whole(had, h) for had, h in zip(best, holders, strict=True))
            ):
                return q
    return None


def _whole(meant: frozenset[str], found: Quantity) -> bool:
    """Whether the claim says all that a text calls its number."""
    return not found.typed and meant >= frozenset(found.label)


def unit_fits(number: Quantity, held: Quantity, said: Saying, found: Record) -> bool:
    """A record that writes this kind of unit elsewhere leaves it out only where the name is that of the claim."""
    if held.unit or not number.dimension or not any(q.dimension == number.dimension and q.typed == held.typed for q in found.numbers):
        return True
    return bool(_named(words_of(number, said, found), held))


def counts(number: Quantity, held: Quantity) -> bool:
    """A field that counts things holds no time and no bytes."""
    return number.dimension in ("time", "bytes", "bits") and held.typed and not COUNTING.isdisjoint(words.words(held.field))


def _named(named: tuple[str, ...], found: Quantity) -> frozenset[str]:
    label = frozenset(found.label)
    return frozenset(w for w in named if w in label or not label.isdisjoint(words.ALSO_BY_STEM.get(w, ())))
