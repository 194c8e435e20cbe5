"""Words that lines have had so far. A place where ever new words come, among known ones, is variable without a closer look.

This is what keeps logs of names that never repeat (users, hosts, products) fast and their skeletons few.
"""

from typing import NamedTuple

OFTEN = 50  # lines with new words at the same places, from which on the next one is taken for another case of them
MOST_NEW = 4  # new words in such a line; they are at most half of its words
MOST_WORDS = 200_000
MOST_PATTERNS = 50_000
NEW = b"\x02"


class Met(NamedTuple):
    """A line's words with the new ones left open, and the number of such lines; without a number where the line has to be read."""

    pattern: bytes | None = None
    number: int | None = None


class Vocabulary:
    """Bounded: words beyond the limit stay new, and patterns are forgotten all at once."""

    def __init__(self) -> None:
        self._words: set[bytes] = set()
        self._times: dict[bytes, int] = {}
        self._open: dict[bytes, int] = {}

    def meet(self, skeleton: bytes) -> Met:
        """Look at a skeleton that was never seen before."""
        words = skeleton.split(b" ")
        new = [n for n, word in enumerate(words) if word not in self._words]
        pattern = _opened(words, new) if _may_be_open(words, new) else None
        number = self._open.get(pattern) if pattern is not None else None
        if number is None and len(self._words) < MOST_WORDS:
            self._words.update([words[n] for n in new])
        return Met(pattern, number)

    def is_open(self, pattern: bytes) -> bool:
        """Count a line of this pattern, and say whether there have been enough of them."""
        if len(self._times) >= MOST_PATTERNS:
            self._times.clear()
        times = self._times[pattern] = self._times.get(pattern, 0) + 1
        return times >= OFTEN and len(self._open) < MOST_PATTERNS

    def open(self, pattern: bytes, number: int) -> None:
        """From now on lines of this pattern have this number."""
        self._open[pattern] = number


def _opened(words: list[bytes], new: list[int]) -> bytes:
    out = words.copy()
    for n in new:
        out[n] = NEW
    return b" ".join(out)


def _may_be_open(words: list[bytes], new: list[int]) -> bool:
    return 0 < len(new) <= MOST_NEW and 2 * len(new) <= len(words)
