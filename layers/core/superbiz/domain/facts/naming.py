"""Whether the metric that a fact names is the field that its path leads to, and not a neighbour of it."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from superbiz.domain.facts.clock import instant
from superbiz.domain.facts.source import Misfit, Place, plain_texts
from superbiz.domain.reading import words
from superbiz.domain.reading.parts import is_base

LABEL_WORDS = 5  # a longer text describes, and names nothing
LOOSE = words.table("of the a an its in at for to by per number value and is was")


@lru_cache(maxsize=10_000)
def roots(text: str) -> frozenset[str]:
    """The words of a name, without endings."""
    return frozenset(words.stem(w) for w in words.words(text) if w not in LOOSE)


def check(metric: str, at: Place) -> None:
    """Misfit where the metric's words are neither the field's nor the record's, or are those of another field beside it."""
    said, own = roots(metric), roots(at.field)
    bare = roots(_without_names(metric, at))
    rival = next((f for o in at.own[:1] for f in o if _rivals(f, o[f], bare, own)), None)
    if rival is not None and rival != at.field:
        raise Misfit(f"expected the field {rival!r} for {metric!r}; the path leads to {at.field!r}")
    if is_base(at.field) and not _says_base(metric):
        raise Misfit(f"{at.where} is what is normal ({at.field!r}), which {metric!r} does not say")
    if not said <= own | _labels(at):
        missing = ", ".join(sorted(said - own - _labels(at)))
        raise Misfit(f"{at.where} is {at.field!r}; neither it nor its record speaks of {missing or metric!r}")


def _rivals(field: str, node: Any, said: frozenset[str], own: frozenset[str]) -> bool:
    """Whether another measured field is spelled by the metric, as the field itself is not."""
    if isinstance(node, bool) or not (isinstance(node, int | float) or instant(node)):
        return False
    theirs = roots(field)
    return bool(theirs) and theirs <= said and not theirs <= own and not (own <= said and theirs < own)


def _without_names(metric: str, at: Place) -> str:
    """`worst of RequestCount` without the name that the record has for what it measures."""
    rest = metric.casefold()
    for text in sorted((t.casefold() for o in at.own for t in _short(o) if t.strip()), key=len, reverse=True):
        rest = rest.replace(text, " ")
    return rest


def _says_base(metric: str) -> bool:
    return is_base("_".join(words.words(metric)))


def _labels(at: Place) -> frozenset[str]:
    """The words that a record calls itself by: names of fields and short texts, its own, those around it, and what was asked."""
    texts = [*(p for p in at.path if isinstance(p, str)), *(at.node.split() if isinstance(at.node, str) else ())]
    for o in (*at.own, *at.outer, at.source.params):
        texts += _short(o)
    return frozenset().union(*map(roots, texts))


def _short(node: Mapping[str, Any]) -> Iterable[str]:
    return (t for t in plain_texts(node) if t.count(" ") < LABEL_WORDS)
