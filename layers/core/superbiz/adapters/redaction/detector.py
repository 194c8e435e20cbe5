"""A row of the detectors' tables."""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

Check = Callable[[str, str, str], bool]
"""(what was found, up to 48 characters before it, up to 12 after it) -> whether it is what its form says."""


class Detector(NamedTuple):
    """Nothing can match without one of the `hints`, sought in the lower-cased text, or where `cased` in the text as it is.

    The named group that matched, else the whole match, is replaced where `check` agrees.
    """

    kind: str
    hints: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]
    cased: bool = False
    check: Check | None = None


def own(kind: str, hints: Iterable[str], *patterns: str, check: Check | None = None) -> Detector:
    """Patterns of this project; word characters are ASCII's, so that Chinese text beside a value is no part of it."""
    wanted = tuple(hints)
    return Detector(kind, wanted, tuple(re.compile(p, re.ASCII) for p in patterns), any(h != h.lower() for h in wanted), check)


NUMBERED = "\0number"
"""The hint of texts in which stands something that could be the number of a person, a phone, or a card."""


def token(kind: str, prefix: str, rest: str, hint: str = "") -> Detector:
    """A token that is known by its beginning, between token boundaries: a longer id that happens to hold one is left whole."""
    wanted = hint or prefix
    pattern = re.compile(rf"(?<![A-Za-z0-9_-]){prefix}{rest}(?![A-Za-z0-9_-])", re.ASCII)
    return Detector(kind, (wanted,), (pattern,), wanted != wanted.lower())


def kept(kind: str, hints: Iterable[str], plugin: Any, chosen: slice = slice(None)) -> Detector:
    """The patterns that detect-secrets keeps, between token boundaries."""
    wanted = tuple(hints)
    bounded = (
        re.compile(rf"(?<![\w-])(?:{p.pattern})(?![\w-])", (p.flags & ~re.UNICODE) | re.ASCII) for p in list(plugin.denylist)[chosen]
    )
    return Detector(kind, wanted, tuple(bounded), cased=any(h != h.lower() for h in wanted))
