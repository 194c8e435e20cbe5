"""What a sentence takes from a claim: in the claim's order, and never without the words beside it that make it true.

A claim falls into clauses. Whoever takes a word or a number of a clause takes all its words of weight: "its count deviates from normal"
can not become "its count is normal", nor "could not extend the file" its opposite. Names, times and labels may be left out.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from superbiz.domain.composing import vocabulary
from superbiz.domain.reading import parts, words
from superbiz.domain.reading.parts import Saying

PIECE = re.compile(r"[,;:—–]\s|\.\s|[，；。：、（）()]|\s(?:and|but|while|whereas)\s")
_COUNTED = re.compile(r"\s([a-z]+)(?=\s(?:of|in|out|at|among)\b|[,.;:]|\s*\Z)")
_ASIDE = re.compile(r"\s\([^()]*\)")
LIGHT = (vocabulary.SMALL | vocabulary.NEUTRAL) - words.NEGATIONS
_PLAIN = re.compile(r"[\w\s!-/:-@\[-`{-~–—‘’“”…·×→°、。，：；（）「」％]+")


class Clause(NamedTuple):
    """`held` are the meanings of everything that it says, `needed` of what must not be left out."""

    held: frozenset[str]
    numbers: frozenset[float]
    needed: frozenset[str]


def strange(text: str, claim: str) -> str:
    """Signs that say something without a word ("✅"), and the mark of a question; none where the claim has them."""
    return "".join(dict.fromkeys(c for c in _PLAIN.sub("", text) + "?" * ("?" in text or "？" in text) if c not in claim))


def torn(text: str, said: Saying, claim: str, known: frozenset[str]) -> Iterator[str]:
    """What is taken from a clause of the claim without what belongs to it: the word or number, and what is missing."""
    clauses, have = _clauses(claim, known), meanings(text)
    taken = [(w, [c for c in clauses if words.meaning(w) in c.held]) for w in _weighty(text, said)]
    taken += [(q.text, [c for c in clauses if q.value in c.numbers]) for q in said.numbers]
    for what, places in taken:
        missing = min((c.needed - have for c in places), key=len, default=frozenset())
        if missing:
            yield f"takes {what} from the claim without {min(missing)}"


def turned(text: str, said: Saying, claim: str) -> str:
    """A piece of the sentence whose words stand in the claim in another order; empty where there is none."""
    told = [words.meaning(w) for w in words.words(claim)]
    free = vocabulary.granted(text, frozenset(words.words(claim)))
    for piece in PIECE.split(_blanked(text, said)):
        if not _follows([words.meaning(w) for w in words.words(piece) if _weighs(w) and w not in free], told):
            return " ".join(piece.split())
    return ""


def tense(text: str, said: Saying, claim: str) -> Iterator[str]:
    """Words that tell as done what the claim quotes as to be done, or the other way round."""
    quoted = [w for passage in parts.saying(claim, frozenset()).quotes for w in words.words(passage)]
    told = [(words.stem(w), _ending(w)) for w in quoted]
    for word in _weighty(text, said):
        endings = {ending for root, ending in told if root == words.stem(word)}
        if endings and _ending(word) not in endings:
            yield word


def weight(text: str) -> frozenset[str]:
    """The meanings of its words of weight."""
    return frozenset(map(words.meaning, _weighty(text, parts.saying(text, frozenset()))))


def _ending(word: str) -> str:
    return next((ending for ending in ("ed", "ing") if word.endswith(ending)), "")


def meanings(text: str) -> frozenset[str]:
    return frozenset(map(words.meaning, words.words(text)))


def unquoted(text: str) -> str:
    """As long as it was, with blanks where it quotes."""
    return parts.QUOTE.sub(lambda found: " " * len(found[0]), text)


@lru_cache(maxsize=64)
def _clauses(claim: str, known: frozenset[str]) -> tuple[Clause, ...]:
    texts = [_ASIDE.sub(lambda found: " " * len(found[0]), unquoted(claim)), *parts.saying(claim, known).quotes]
    return tuple(_clause(part, known) for text in texts for part in PIECE.split(text) if part.strip())


def _clause(text: str, known: frozenset[str]) -> Clause:
    said = parts.saying(text, known)
    needed = frozenset(words.meaning(w) for w in _weighty(text, said) if w not in vocabulary.LABELS)
    return Clause(meanings(text), frozenset(q.value for q in said.numbers), needed)


def _weighty(text: str, said: Saying) -> list[str]:
    return [w for w in words.words(_blanked(text, said)) if _weighs(w)]


def _weighs(word: str) -> bool:
    return word not in LIGHT and not word.isdigit()


def _blanked(text: str, said: Saying) -> str:
    """Without what it quotes, its names, its times, its numbers and what they count."""
    counted = (found.span() for q in said.numbers if (found := _COUNTED.match(text, q.span[1])))
    spans = [*(n.span for n in said.names), *(m.span for m in said.moments), *(q.span for q in said.numbers)]
    chars = list(unquoted(text))
    for start, end in (*spans, *counted):
        chars[start:end] = " " * (end - start)
    return "".join(chars)


def _follows(some: Iterable[str], every: Sequence[str]) -> bool:
    rest = iter(every)
    return all(word in rest for word in some)
