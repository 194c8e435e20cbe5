"""How much of a claim's wording running prose carries, as one number: a logistic model over six measures.

Prose says one matter in many words, so that single words missing tell little; a structured record or a log line spells what it says, and is
read part by part. The weights are data, fitted by `python -m bench.wice --fit`, which prints them as they stand here.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import exp, log
from typing import NamedTuple

from superbiz.domain.reading import words
from superbiz.domain.reading.parts import Record, Saying

# Of prose: how long it is, and how many of its words only join others. Long passages may name more things.
RUNNING = ((15, 0.3), (60, 0.22))
MARKS, MARKS_SHARE = frozenset("=:{}[]<>/_|@#\\"), 0.06  # of structured text, by its characters
ALIKE = 0.55  # of two words by their groups of three letters, from which on one is a form of the other
_CAPITAL = re.compile(r"(?<=\s)[A-Z][\w’']*")
MOST = 4_000  # words of a record that are compared by their letters


class Measures(NamedTuple):
    """`coverage`: share of the claim's words that the records hold, rare ones weighing more. `pairs`: of its neighbouring words.

    The others count: names and numbers that no record holds, further words that none holds, and the logarithm of the claim's words.
    """

    coverage: float
    pairs: float
    names_missing: float
    numbers_missing: float
    words_missing: float
    length: float


WEIGHTS = Measures(coverage=1.55, pairs=1.80, names_missing=-0.72, numbers_missing=-0.98, words_missing=-0.07, length=-0.14)
BIAS = -0.41
SUPPORTED, PARTIAL = 0.4, 0.2


def is_prose(cited: Sequence[Record]) -> bool:
    """Whether what is cited is running text, all of it together; a record beside a page is still read as a record."""
    passages = [r.excerpt for r in cited]
    return not any(map(_is_structured, passages)) and _runs_on(tuple(passages))


def _is_structured(passage: str) -> bool:
    return '":' in passage or sum(c in MARKS for c in passage) > MARKS_SHARE * len(passage)


@lru_cache(maxsize=256)
def _runs_on(passages: tuple[str, ...]) -> bool:
    spoken = [w for p in passages for w in words.words(p)]
    joining = sum(w in words.STOP for w in spoken)
    return any(len(spoken) >= least and joining >= share * len(spoken) for least, share in RUNNING)


def likelihood(found: Measures) -> float:
    """0 to 1: how often a claim like this was supported, where as many were as were not."""
    return 1 / (1 + exp(-BIAS - sum(w * m for w, m in zip(WEIGHTS, found, strict=True))))


def measures(said: Saying, cited: Sequence[Record]) -> Measures:
    """What of the claim's own words, in order, the records hold."""
    spoken = [words.meaning(w) for w in words.words(said.text) if _tells(w)]
    bags = [[words.meaning(w) for w in c.words if _tells(w)] for c in {c.text: c for r in cited for c in r.clauses}.values()]
    carried = held(spoken, frozenset().union(*(r.words for r in cited)))
    weights = _weights(carried, bags)
    told = {pair for bag in bags for pair in pairwise(bag)}
    pairs = list(pairwise(spoken))
    capitals = {words.meaning(w) for found in _CAPITAL.findall(said.text) for w in words.words(found)}
    missing = [w for w, share in carried.items() if share < ALIKE]
    names = sum(w in capitals for w in missing)
    numbers = sum(share < 1 for w, share in carried.items() if w[0].isdigit())
    return Measures(
        coverage=sum(weights[w] * share for w, share in carried.items()) / (sum(weights.values()) or 1.0),
        pairs=sum(p in told for p in pairs) / max(1, len(pairs)),
        names_missing=names,
        numbers_missing=numbers,
        words_missing=sum(not w[0].isdigit() and w not in capitals for w in missing),
        length=log(1 + len(carried)),
    )


def _tells(word: str) -> bool:
    return word not in words.STOP and (len(word) > 1 or word.isdigit() or not word.isascii())


def _weights(spoken: dict[str, float], bags: Sequence[Sequence[str]]) -> dict[str, float]:
    """A word that few clauses of the records hold tells more."""
    holding = Counter(w for bag in bags for w in set(bag))
    return {w: log((len(bags) + 1.0) / (holding[w] + 0.5)) if holding[w] <= len(bags) else 0.0 for w in spoken}


def held(spoken: Sequence[str], have: frozenset[str]) -> dict[str, float]:
    """Each word of the claim with how much of it the records hold: 1, or how alike the most alike of their words is."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for word in sorted(have)[:MOST]:
        alike[word[:2]].append(word)
    return {w: 1.0 if w in have else _alike(w, alike[w[:2]]) for w in spoken}


def _alike(word: str, others: Sequence[str]) -> float:
    if len(word) < 4 or word[0].isdigit():
        return 0.0
    own = _threes(word)
    found = max((2 * len(own & theirs) / (len(own) + len(theirs)) for theirs in map(_threes, others)), default=0.0)
    return found if found >= ALIKE else 0.0


def _threes(word: str) -> frozenset[str]:
    marked = f"<{word[:40]}>"
    return frozenset(marked[n : n + 3] for n in range(len(marked) - 2))
