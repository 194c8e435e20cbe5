"""Chinese read by the English that stands for it (`chinese.txt`), so that a claim in one language meets a record in the other."""

from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files

from superbiz.domain import operations

TABLE = "chinese.txt"


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, tuple[str, ...]]:
    """What is written in Chinese, and its English words: none for words that carry no fact."""
    found = {written: tuple(english.split()) for written, english in operations.vocabulary().english.items()}
    for line in files(__package__).joinpath(TABLE).read_text(encoding="utf-8").splitlines():
        written, is_row, english = line.partition("=")
        if is_row and not line.startswith("#"):
            found |= dict.fromkeys(written.split(), tuple(english.split()))
    return found


@lru_cache(maxsize=1)
def _longest() -> dict[str, int]:
    """The length of the longest word by its first character."""
    return {word[0]: len(word) for word in sorted(vocabulary(), key=len)}


def words(run: str) -> Iterator[str]:
    """The English of a run of Chinese, the longest word first; what is in no table stands as its pairs of characters."""
    table, longest, at, strange = vocabulary(), _longest(), 0, 0
    while at < len(run):
        size = next((n for n in range(min(longest.get(run[at], 0), len(run) - at), 0, -1) if run[at : at + n] in table), 0)
        if size:
            yield from _pairs(run[strange:at])
            yield from table[run[at : at + size]]
            strange = at + size
        at += size or 1
    yield from _pairs(run[strange:])


def _pairs(part: str) -> Iterator[str]:
    return (part[n : n + 2] for n in range(max(1, len(part) - 1))) if part else iter(())
