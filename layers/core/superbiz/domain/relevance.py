"""How related texts are to a query: by their words (BM25), by their meaning (cosines from an encoder), and by both.

A word's weight falls with the number of texts that hold it. What a text shares with a query is told as a share of the most it could.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

SATURATION = 1.2
LENGTH_WEIGHT = 0.75
WORDS_WEIGHT = 0.6
RELATED_BY_MEANING = 0.3
RELATED_BY_WORDS = 0.2
KEPT_SHARE = 0.5


class Bm25:
    """An index of texts, each given by its words."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._count = len(texts)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        mean = sum(map(len, texts)) / max(self._count, 1) or 1.0
        for n, words in enumerate(texts):
            damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * len(words) / mean)
            for word, times in Counter(words).items():
                self._postings[word].append((n, times * (SATURATION + 1) / (times + damping)))

    def coverage(self, query: Sequence[str]) -> list[float]:
        """For each text the share of the query that it covers, from 0 to 1."""
        scores = [0.0] * self._count
        most = 0.0
        for word in set(query):
            weight = self._weight(word)
            most += weight * (SATURATION + 1)
            for n, strength in self._postings.get(word, ()):
                scores[n] += weight * strength
        return [score / most for score in scores] if most else scores

    def _weight(self, word: str) -> float:
        holders = len(self._postings.get(word, ()))
        return math.log(1 + (self._count - holders + 0.5) / (holders + 0.5))


def related(meanings: Sequence[float], words: Sequence[float]) -> list[tuple[int, float]]:
    """(index, score) of the texts worth showing, best first: none where not even the best is related to the query, else those that come
    within half of the best. Equal scores keep their order."""
    if max(meanings, default=0.0) < RELATED_BY_MEANING and max(words, default=0.0) < RELATED_BY_WORDS:
        return []
    scores = blend(meanings, words)
    least = max(scores) * KEPT_SHARE
    return sorted(((n, score) for n, score in enumerate(scores) if score >= least), key=lambda found: -found[1])


def blend(meanings: Sequence[float], words: Sequence[float]) -> list[float]:
    """One score for each text, from 0 to 1: each side counts relative to its best, and the best text keeps the better side's measure."""
    best_meaning, best_words = max(meanings, default=0.0), max(words, default=0.0)
    if best_meaning <= 0 or best_words <= 0:
        return [max(m, w, 0.0) for m, w in zip(meanings, words, strict=True)]
    scale = min(max(best_meaning, best_words), 1.0)
    return [
        scale * ((1 - WORDS_WEIGHT) * max(m, 0.0) / best_meaning + WORDS_WEIGHT * w / best_words)
        for m, w in zip(meanings, words, strict=True)
    ]
