"""Whether a number of a claim stands in the record under the name that the claim gives it."""

from collections.abc import Sequence

from superbiz.domain.entailment import turns
from superbiz.domain.reading import labels, quantities, words
from superbiz.domain.reading.parts import META, Record, Saying
from superbiz.domain.reading.quantities import Quantity

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
    fields = {q.field.casefold() for q in found.numbers}
    text = said.text
    for start, end in [m.span for m in said.moments] + [n.span for n in said.names if n.hard and n.text.casefold() not in fields]:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def mislabels(number: Quantity, said: Saying, found: Record, holders: Sequence[Quantity]) -> Quantity | None:
    """The record's number that the words beside the claim's number name better than any that has its value."""
    named = words_of(number, said, found)
    if not named:
        return None
    own = {q.value * q.factor for q in holders}
    best = [_named(named, q) for q in holders]
    for q in found.numbers[:MOST]:
        if META.isdisjoint(q.field.lower().split("_")) and q.value * q.factor not in own and not quantities.same(number, q):
            meant = _named(named, q)
            if meant and all(meant > had for had in best):
                return q
    return None


def unit_fits(number: Quantity, held: Quantity, said: Saying, found: Record) -> bool:
    """A record that writes this kind of unit elsewhere leaves it out only where the name is that of the claim."""
    if held.unit or not number.dimension or not any(q.dimension == number.dimension and q.typed == held.typed for q in found.numbers):
        return True
    return bool(_named(words_of(number, said, found), held))


def _named(named: tuple[str, ...], found: Quantity) -> frozenset[str]:
    label = frozenset(found.label)
    return frozenset(w for w in named if w in label or not label.isdisjoint(words.ALSO_BY_STEM.get(w, ())))
