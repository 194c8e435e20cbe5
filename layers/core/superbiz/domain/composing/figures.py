"""What numbers are called: those of a sentence bear the labels that the claim gives them."""

import re
from collections.abc import Iterator, Sequence

from superbiz.domain.composing import vocabulary
from superbiz.domain.reading import parts, quantities, words
from superbiz.domain.reading.parts import Saying
from superbiz.domain.reading.quantities import Quantity

_LINKS = words.table("of is was were are at to a an the its it about from with in by had has and where against than utc")
_BOUNDS = words.table("by over under above below than least most within")
_SHARE = re.compile(r"(?:\s[a-z]+){0,3}\s(?:out )?(?:of|in|among)\s(?:the\s)?")
_STOP = re.compile(r"[,:;]")
_NORMAL = re.compile(r"(?:\s(?:of|in)\s[\d.,]+)?\s(?:is|was|were|are)\s(\w+)")
Labels = tuple[str, str]


def complaints(text: str, said: Saying, claim: str, told: Saying) -> Iterator[str]:
    """`text` and `claim` without what they quote, and both taken apart."""
    yield from _misnamed(text, said, claim, told)
    yield from _counted_otherwise(text, said, claim, told)
    yield from _of_another_whole(text, said, claim, told)
    yield from _unlabelled(text, said, claim, told)
    yield from _whole_alone(said, claim, told)
    yield from _normal_or_not(text, said, claim, told)


def _misnamed(text: str, said: Saying, claim: str, told: Saying) -> Iterator[str]:
    """ "Bad lines" of one count are not those of another."""
    there = list(_labels(claim, told))
    for label, number in _labels(text, said):
        have = [q for word, q in there if word == label]
        if have and not any(quantities.same(number, q) for q in have):
            yield f"calls {number.text} {label[1]!r}, which the claim calls {have[0].text}"


def _labels(text: str, said: Saying) -> Iterator[tuple[Labels, Quantity]]:
    """Each number with the word on either side, links left out."""
    for number in said.numbers:
        before = [w for w in words.words(text[: number.span[0]]) if w not in _LINKS]
        after = _after(text, number)
        yield from ((("before", w), number) for w in before[-1:] if not w.isdigit())
        yield from ((("after", w), number) for w in after[:1] if w not in _LINKS and not w.isdigit())


def _counted_otherwise(text: str, said: Saying, claim: str, told: Saying) -> Iterator[str]:
    """What is counted, by how much rather than to what, and a number in words."""
    lines = frozenset(map(words.meaning, vocabulary.counted(frozenset(words.words(claim)))))
    for number in said.numbers:
        same = [q for q in told.numbers if quantities.same(number, q)]
        if number.spelled and number.value != 1 and not same:
            yield f"says {number.text}, which no claim cited there says"
        unit, units = _counted(text, number, said), {_counted(claim, q, told) for q in same}
        if unit and same and unit not in units | lines:
            yield f"counts {number.text} {unit}, which the claim does not"
        bound, bounds = _bound(text, number), {_bound(claim, q) for q in same}
        if bound and same and bound not in bounds:
            yield f"says {bound} {number.text}, which the claim does not"


def _counted(text: str, number: Quantity, said: Saying) -> str:
    """The word right after a number; nothing where a name or a word of grammar follows."""
    if any(0 <= name.span[0] - number.span[1] <= 2 for name in said.names):
        return ""
    after = _after(text, number)
    return words.meaning(after[0]) if after and after[0] not in vocabulary.SMALL | _LINKS and not after[0].isdigit() else ""


def _bound(text: str, number: Quantity) -> str:
    before = words.words(text[: number.span[0]])
    return before[-1] if before and before[-1] in _BOUNDS else ""


def _of_another_whole(text: str, said: Saying, claim: str, told: Saying) -> Iterator[str]:
    """ "So many of so many"."""
    pairs = list(_shares(claim, told))
    for part, whole in _shares(text, said):
        if not any(quantities.same(part, a) and quantities.same(whole, b) for a, b in pairs):
            yield f"tells {part.text} of {whole.text}, which the claim does not"


def _unlabelled(text: str, said: Saying, claim: str, told: Saying) -> Iterator[str]:
    """What is a deviation, a share or a rank in the claim is called so."""
    for number in said.numbers:
        labels = {_label(claim, q) for q in told.numbers if quantities.same(number, q)}
        if labels and labels <= vocabulary.KEPT and labels.isdisjoint(words.words(text)):
            yield f"tells {number.text} without saying that it is the {min(labels)}"


def _label(text: str, number: Quantity) -> str:
    before = [w for w in words.words(text[: number.span[0]]) if w not in _LINKS]
    return before[-1] if before else ""


def _whole_alone(said: Saying, claim: str, told: Saying) -> Iterator[str]:
    """Of "29 errors in 122 spans" the 122 are not told without the 29."""
    for part, whole in _shares(claim, told):
        has_part, has_whole = (any(quantities.same(q, n) for n in said.numbers) for q in (part, whole))
        if has_whole and not has_part:
            yield f"tells {whole.text} without {part.text}, which is of them"


def _shares(text: str, said: Saying) -> Iterator[tuple[Quantity, Quantity]]:
    for part, whole in zip(said.numbers, said.numbers[1:], strict=False):
        if _SHARE.fullmatch(text[part.span[1] : whole.span[0]]):
            yield part, whole


def _normal_or_not(text: str, said: Saying, claim: str, told: Saying) -> Iterator[str]:
    """What the claim calls normal is told as that, and nothing else is."""
    there = list(zip(told.numbers, normal(claim, told.numbers), strict=True))
    for number, base in zip(said.numbers, normal(text, said.numbers), strict=True):
        have = {was for q, was in there if quantities.same(number, q)}
        if have and base not in have:
            yield f"tells {number.text} {'as normal' if base else 'without saying that it is normal'}, unlike the claim"


def normal(text: str, numbers: Sequence[Quantity]) -> Iterator[bool]:
    """Of each number, whether it is called normal; "1 of 8" are so together."""
    at, before = 0, False
    for number in numbers:
        gap, rest = text[at : number.span[0]], _NORMAL.match(text, number.span[1])
        own = not parts.BASE.isdisjoint(words.words(_STOP.split(gap)[-1])) or (rest is not None and rest[1] in parts.BASE)
        before = before if _SHARE.fullmatch(gap) else own
        yield before
        at = number.span[1]


def _after(text: str, number: Quantity) -> Sequence[str]:
    return words.words(re.split(r"[,;:.]\s", text[number.span[1] :])[0][:80])
