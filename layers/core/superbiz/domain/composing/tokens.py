"""What in a text has to be founded: timestamps, numbers and identifiers."""

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from superbiz.domain.composing.markup import one_line

LONG = 40
_DATE = re.compile(r"(?<![\d-])\d{4}-\d{2}-\d{2}(?!\d)")
_CLOCK = re.compile(r"(?<![\d.:])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?![\d:])")
_TOKEN = re.compile(r"[A-Za-z0-9_./:@#$-]+")
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)\d+(?:,\d{3}(?!\d))*(?:\.\d+)*(?:[eE][+-]?\d+)?")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_QUANTITY = re.compile(r"[-+]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?[A-Za-z]{0,5}(?:/[a-z]{1,3})?")
_SHAPED = re.compile(r"[A-Za-z]\d|\d[A-Za-z]|[A-Za-z0-9][_./:@#$-]+[A-Za-z0-9]|[a-z][A-Z]|^[/$]")
_LETTER = re.compile(r"[A-Za-z]")
_COMPOUND = re.compile(r"[A-Za-z]+(?:[-/][A-Za-z]+)+")
_EDGES = ".,:;!?-"

# Parts of everyday compounds ("time-out", "read-only", "and/or"): a token made of these alone is no identifier.
_EVERYDAY_WORDS = """
a an and any as at back based be below bound by case cause confidence cross day deep down driven e end error every facing fail far fast
first follow free full g half hand heavy high hour i in is it kind last latency level light like line live load long low made man
memory mid middle minute multi near no non not of off on one only open or out over own part peak per point post pre read real
recent related request right root run second self semi set short side single slow so start state step still sub term the then
third three through time to top two un under up use user wait warm way week well wide with write yet zero
"""
_EVERYDAY = frozenset(_EVERYDAY_WORDS.split())


class Tokens(NamedTuple):
    dates: frozenset[str]
    clocks: frozenset[str]
    numbers: frozenset[str]
    identifiers: frozenset[str]


def tokens(text: str) -> Tokens:
    """Each kind once; what is part of a date, a time or an identifier is not a number too."""
    dates = frozenset(_DATE.findall(text))
    rest = _DATE.sub(" ", text)
    clocks = frozenset(_clock(*found.groups()) for found in _CLOCK.finditer(rest))
    rest = _CLOCK.sub(" ", rest)
    names = frozenset(name for found in _TOKEN.finditer(rest) if (name := found[0].strip(_EDGES)) and _is_identifier(name))
    rest = _TOKEN.sub(lambda found: " " if _is_identifier(found[0].strip(_EDGES)) else found[0], rest)
    return Tokens(dates, clocks, frozenset(_value(n) for n in _NUMBER.findall(rest)), names)


class Ground:
    """What a text may draw on: the dates, times, numbers and words of what is allowed."""

    def __init__(self, allowed: Iterable[str]) -> None:
        self.text = "\n".join(map(one_line, allowed)).casefold()
        found = [_clock(*match.groups()) for match in _CLOCK.finditer(self.text)]
        self._dates = frozenset(_DATE.findall(self.text))
        self._clocks = frozenset(shorter for clock in found for shorter in (clock, clock[:8], clock[:5]))
        rest = _CLOCK.sub(" ", _DATE.sub(" ", _UUID.sub(" ", self.text)))
        self._numbers = frozenset(_value(n) for n in _NUMBER.findall(rest))

    def unfounded(self, text: str) -> tuple[str, ...]:
        """Tokens of the text that are nowhere in what is allowed, in no special order but always the same."""
        said = tokens(text)
        strange = {name for name in said.identifiers if not self.has(name)}
        return tuple(sorted({*self.loose_figures(text), *strange}))

    def loose_figures(self, text: str) -> tuple[str, ...]:
        """The same for dates, times and numbers alone."""
        said = tokens(text)
        return tuple(sorted((said.dates - self._dates) | (said.clocks - self._clocks) | (said.numbers - self._numbers)))

    def has(self, name: str) -> bool:
        """As a whole word or passage, case aside."""
        pattern = rf"(?<![a-z0-9_])(?<![a-z0-9]-){re.escape(name.casefold())}(?![a-z0-9_]|-[a-z0-9])"
        return name.casefold() in self.text and re.search(pattern, self.text) is not None

    def quotes(self, passage: str) -> bool:
        """A long passage may begin or end inside a word, as a shortened quotation does."""
        return self.has(passage) or (len(passage) >= LONG and passage.casefold() in self.text)


def _is_identifier(token: str) -> bool:
    if not _SHAPED.search(token) or _QUANTITY.fullmatch(token) or not _LETTER.search(token):
        return False
    if _COMPOUND.fullmatch(token):
        return not all(part in _EVERYDAY for part in re.split(r"[-/]", token.lower()))
    return token.lower() not in ("e.g", "i.e")


def _clock(hour: str, minute: str, second: str | None, fraction: str | None) -> str:
    parts = [hour.zfill(2), minute, *([second] if second else [])]
    return ":".join(parts) + (f".{fraction}" if fraction else "")


def _value(number: str) -> str:
    """`1,234`, `1234` and `1234.0` are one number; `10.0.0.1` stays a text."""
    try:
        return format(Decimal(number.replace(",", "")).normalize(), "f")
    except InvalidOperation:
        return number
