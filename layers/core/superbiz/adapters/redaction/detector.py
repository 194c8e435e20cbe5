"""A row of the detectors' tables."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

Check = Callable[[str, str, str], bool]
"""(what was found, up to 48 characters before it, up to 12 after it) -> whether it is what its form says."""


class Detector(NamedTuple):
    """Nothing can match without one of the `hints`, sought in the lower-cased text, or where `cased` in the text as it is.

    The named group that matched, else the whole match, is replaced where `check` agrees.
    """

    kind: str
    hints: tuple[str, ...]
    patterns: tuple[str, ...]
    cased: bool = False
    check: Check | None = None


def own(kind: str, hints: Iterable[str], *patterns: str, check: Check | None = None) -> Detector:
    """Patterns of this project; word characters are ASCII's, so that Chinese text beside a value is no part of it."""
    wanted = tuple(hints)
    return Detector(kind, wanted, patterns, any(h != h.lower() for h in wanted), check)


NUMBERED = "\0number"
"""The hint of texts in which stands something that could be the number of a person, a phone, or a card."""


def token(kind: str, prefix: str, rest: str, hint: str = "") -> Detector:
    """A token that is known by its beginning, between token boundaries: a longer id that happens to hold one is left whole."""
    wanted = hint or prefix
    pattern = rf"(?<![A-Za-z0-9_-]){prefix}{rest}(?![A-Za-z0-9_-])"
    return Detector(kind, (wanted,), (pattern,), wanted != wanted.lower())


def kept(kind: str, hints: Iterable[str], plugin: Any, chosen: slice = slice(None)) -> Detector:
    """The patterns that detect-secrets keeps, between token boundaries."""
    wanted = tuple(hints)
    bounded = tuple(rf"{_inline(p.flags)}(?<![\w-])(?:{p.pattern})(?![\w-])" for p in list(plugin.denylist)[chosen])
    return Detector(kind, wanted, bounded, any(h != h.lower() for h in wanted))


def _inline(flags: int) -> str:
    letters = "".join(letter for letter, flag in (("i", re.I), ("m", re.M), ("s", re.S), ("x", re.X)) if flags & flag)
    return f"(?{letters})" if letters else ""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """On first use: most patterns are never needed in a process, and compiling all of them takes longer than a question."""
    return re.compile(pattern, re.ASCII)
