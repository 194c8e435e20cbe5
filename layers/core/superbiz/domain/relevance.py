"""How related texts are to a query: by its words (BM25), by other words of its matter, by spelling, and by meaning.

A word's weight falls with the number of texts that hold it. What a text shares with a query is told as a share of the most it could.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

SATURATION = 1.2
LENGTH_WEIGHT = 0.75
RELATED_BY_MEANING = 0.3
RELATED_BY_WORDS = 0.15
KEPT_SHARE = 0.5
BACKGROUND = 20  # texts that hold none of the words, added to those at hand: of two or three pages, nothing tells how rare a word is


class Bm25:
    """An index of texts, each given by its words."""

    def __init__(self, texts: Sequence[Sequence[str]], length_weight: float = LENGTH_WEIGHT) -> None:
        self._count = len(texts)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        mean = sum(map(len, texts)) / max(self._count, 1) or 1.0
        for n, words in enumerate(texts):
            damping = SATURATION * (1 - length_weight + length_weight * len(words) / mean)
            for word, times in Counter(words).items():
                self._postings[word].append((n, times * (SATURATION + 1) / (times + damping)))

    def __contains__(self, word: str) -> bool:
        return word in self._postings

    def coverage(self, query: Sequence[str]) -> list[float]:
        """For each text the share of the query that it covers, from 0 to 1; each word of it counts alike."""
        return self.shares(dict.fromkeys(query, 1.0))

    def shares(self, query: Mapping[str, float]) -> list[float]:
        """The same of weighed words."""
        scores = [0.0] * self._count
        most = 0.0
        for word, asked in query.items():
            holders = self._postings.get(word, ())
            weight = asked * self._weight(len(holders))
            most += weight * (SATURATION + 1)
            for n, strength in holders:
                scores[n] += weight * strength
        return [score / most for score in scores] if most else scores

    def _weight(self, holders: int) -> float:
        return math.log(1 + (self._count + BACKGROUND - holders + 0.5) / (holders + 0.5))


class Measures(NamedTuple):
    """What a text shares with a query, each from 0 to 1: its words, other words of the matter, pieces of spelling, and meaning."""

    words: float = 0.0
    matter: float = 0.0
    spelling: float = 0.0
    meaning: float = 0.0

    def score(self, weights: "Measures") -> float:
        """Their mean by these weights."""
        return sum(max(own, 0.0) * weight for own, weight in zip(self, weights, strict=True)) / sum(weights)

    @property
    def is_related(self) -> bool:
        """Whether the text has to do with the query at all: what is below is chance."""
        return self.meaning >= RELATED_BY_MEANING or self.words >= RELATED_BY_WORDS


# Chosen on halves of alerts and their runbooks and measured on the other halves: `python -m bench retrieval`.
WEIGHTS = Measures(words=1.0, matter=0.8, spelling=1.0, meaning=0.5)


def likeness(one: Counter[str], others: Sequence[Mapping[str, float]]) -> list[float]:
    """How alike the pieces of a text are to those of others (as `of_length_one`), where a piece that many of these have counts for less."""
    holders = {piece: sum(piece in other for other in others) for piece in one}
    rarity = {piece: math.log(1 + len(others) / held) ** 0.5 for piece, held in holders.items() if held}
    mine = _scaled({piece: (1 + math.log(one[piece])) * rare for piece, rare in rarity.items()})
    return [sum(weight * rarity[piece] * other.get(piece, 0.0) for piece, weight in mine.items()) for other in others]


def of_length_one(pieces: Counter[str]) -> dict[str, float]:
    """A text's pieces as a vector: a piece that stands there twice counts for less than two."""
    return _scaled({piece: 1 + math.log(times) for piece, times in pieces.items()})


def _scaled(weights: Mapping[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {piece: weight / length for piece, weight in weights.items()}


def worth_showing(scores: Sequence[float]) -> list[int]:
    """Places of the scores that come within half of the best, best first. Equal scores keep their order."""
    least = max(scores, default=0.0) * KEPT_SHARE
    return sorted((n for n, score in enumerate(scores) if score >= least and score > 0), key=lambda n: -scores[n])
