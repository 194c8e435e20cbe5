"""Words that any engineer may use of any system: they name no single thing, so a record need not hold them as a name."""

import re
from functools import lru_cache
from importlib.resources import files

from superbiz.domain.reading import chinese, words

_WORD = re.compile(r"[a-z]{2,}")


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """Stems of the words of every table here, and of the vocabulary of operations."""
    told = [*words.STOP, *words.FRAMING, *words.NEGATIONS, *words.FAILURES, *words.UP, *words.DOWN, *words.ALSO]
    told += [w for family in (*words.FAMILIES, *words.ALSO.values()) for w in family.split()]
    told += [w for pair in words.OPPOSITES for side in pair for w in side]
    told += [w for english in chinese.vocabulary().values() for w in english]
    told += _WORD.findall(files("superbiz.domain").joinpath("operations.txt").read_text(encoding="utf-8").lower())
    return frozenset(map(words.stem, told))


def is_general(word: str) -> bool:
    return words.stem(word.lower()) in vocabulary()
