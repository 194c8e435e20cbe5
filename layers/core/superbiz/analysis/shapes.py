"""What a log line's parts look like: values such as numbers, ids, times, addresses, paths and names against the words of its statement.

The patterns read skeletons (see `collapsing`): every run of digits is one 0 there. Each pattern starts at the beginning of a part only and
nowhere within it, so that a hostile line can not make it quadratic.
"""

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

VALUE = "\x01"  # what stands in a text for something variable
PARAMETER = "<*>"  # and what people read for it
KEPT = str.maketrans("0123456789", "".join(map(chr, range(0xE000, 0xE00A))))  # digits that are no variable: private characters
SHOWN = str.maketrans({chr(0xE000 + n): str(n) for n in range(10)} | {VALUE: PARAMETER})

_DAY = r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?"
    r"|Dec(?:ember)?)"
)
_CLOCK = r"0:0(?::0)?(?:[.,]0)?(?: ?[AP]M\b)?"
_ZONE = r"(?: ?(?:[A-Z]{3,4}|[+-]0(?::0)?|Z)\b)?"
_UNITS = (
    r"(?:[num\u00b5]?s|msecs?|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|(?:milli|micro|nano)seconds?|MILLISECONDS|SECONDS"
    r"|[KMGTP]?i?B|[kKMGTP]|[KMGT]?[Bb]ytes?|bits?|[kMG]?Hz|[KMG]bps|%)"
)
_TOP_DOMAINS = (
    r"(?:com|org|net|edu|gov|mil|int|info|biz|io|local|internal|localdomain|lan|corp|cloud|dev|app"
    r"|us|uk|de|jp|cn|hk|tw|kr|ru|br|in|fr|it|nl|au|ca|pl|se|no|fi|dk|at|be|cz|hu|ro|es|pt|gr|tr|il|za|mx|ar|cl|sg|th|vn|my|nz|ie|ua)"
)
_IN_PATH = r"[\w+~%@#$*{}\x01-]|/|\.(?=[\w/.])|:(?=[\w/])"
_BEFORE_NAME = r"(?<![\w.+/\\\x01-])"
_AROUND = r"[#*%&~|^$!]"


class _Mask(NamedTuple):
    """What one kind of value looks like. A text that holds none of `needs` is not searched for it."""

    needs: tuple[str, ...]
    pattern: re.Pattern[str]
    put: str = VALUE


def _mask(pattern: str, *needs: str, put: str = VALUE) -> _Mask:
    return _Mask(needs, re.compile(pattern), put)


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# In this order: a later one sees what the earlier ones left.
_MASKS = (
    _mask(rf"{_BEFORE_NAME}[A-Za-z][A-Za-z0+.-]*://[^\s\"'<>,;)\]}}]*", "://"),  # URL
    _mask(rf"\b{_DAY},? {_MONTH} +0 +{_CLOCK}{_ZONE} 0\b", *_MONTHS),  # Sun Jul 10 03:55:15 PDT 2005
    _mask(rf"\b(?:{_DAY},? )?0[ -]{_MONTH}[ -]0(?: +{_CLOCK}{_ZONE})?", *_MONTHS),  # 10 Jul 2005
    _mask(rf"\b{_MONTH} +0(?:,? 0(?![:\w]))?(?: +{_CLOCK}{_ZONE})?\b", *_MONTHS),  # Jul 10, 2005
    _mask(rf"(?<![\w.-])0[-/]0[-/]0(?:[T: ]{_CLOCK}{_ZONE})?(?![\w-])", "0-0", "0/0"),  # 2005-07-10T03:55:15Z
    _mask(r"(?<![\w.+-])[\w.+-]+@[\w.:-]+", "@"),  # name@host, Class@hash
    _mask(r"(?<!\w)[A-Za-z]:\\[^\s\"'<>|,;]*|\\\\?[\w?]+(?:\\[^\s\"'<>|,;\\]*)+", "\\"),  # C:\path, \\share\path
    _mask(r"(?<=[\"'])/[^\"']*(?=[\"'])", "/"),  # "/path with blanks"
    _mask(rf"(?<![\w.)\]\x01])(?:~|\.\.?)?/(?:{_IN_PATH})*(?:\?[^\s\"'<>]*)?", "/"),  # /path, ./path, /path?query
    _mask(rf"{_BEFORE_NAME}[\w.+-]+/[\w.+-]*(?:/|\.(?=\w))[\w./+-]*", "/"),  # a/b/c, a/b.txt
    _mask(r"(?<![\w:])[0a-fA-F]{1,4}(?:::?[0a-fA-F]{1,4}){3,}(?![\w:])|::(?:[0a-fA-F]{1,4}:?)+(?!\w)", ":"),  # MAC, IPv6
    _mask(rf"(?<![\w.-])(?:[\w-]+\.){{2,}}{_TOP_DOMAINS}(?![\w.])", "."),  # a.host.com
    _mask(rf"[<>~]?(?<![\w.])[+-]?0(?:[.,]0)* ?{_UNITS}(?![\w/])", "0"),  # 3.5 KB, <1 sec
    _mask(r"\b0[xX][0a-fA-F]*\b", "0x", "0X"),
    _mask(r"(?<!\w)[+-]?0(?:[.,:/x+-]0)*(?!\w)", "0"),
    _mask(r"\b[a-fA-F]*0[0a-fA-F]*\b(?!\.\w)", "0"),  # hexadecimal
    _mask(r"\b(?:[a-f]{8,}|[A-F]{8,})\b"),
    _mask(r"0", "0"),
    _mask(r"(?<=[=:(\[,])\s?(?:true|false|null|nil|none|True|False|None|NULL|TRUE|FALSE)\b(?!\()", *"=:(["),
    _mask(rf"(?<![^\s=:(\[,]){_AROUND}*\x01(?:{_AROUND}+\x01)*{_AROUND}*(?![^\s=:,)\];\"'.])", *"#*%&~|^$!"),  # #5#, 1##2##3
    _mask(r"(?<=[\s=:])\(\)", "()", put=f"({VALUE})"),
    _mask(r"(?<=[\s=:])\[\]", "[]", put=f"[{VALUE}]"),
    _mask(r"(?<=[\s=:])\{\}", "{}", put=f"{{{VALUE}}}"),
)
_WORDS = rf"\w\uE000-\uE009{VALUE}"
_TOKEN = re.compile(rf"[{_WORDS}](?:[{_WORDS}$@#/\\~+*.-]*[{_WORDS}$*+-])?(?:\({VALUE}?\))?|[^\w\s]")
# Nothing but a value and signs, a letter beside a value (`v2`, `5m`), or several values in one word (`job_1_2`).
_ALL_VALUE = re.compile(r"[^A-Za-z]*\x01[^A-Za-z]*|[A-Za-z]?\x01[A-Za-z]?|[^\x01]*\x01.*[^\x01].*\x01.*")
_UPPER = re.compile(r"[A-Z][A-Z_\x01]+")
_NAMELIKE = re.compile(r"[\x01.$@/\\(]")
_SEPARATING = frozenset(",/+-.:")


class Shape(Enum):
    """What a token looks like. A NAME holds a digit or an inner dot or slash; UPPER words are states, codes and verbs of protocols."""

    VALUE, NAME, WORD, UPPER, SIGN = range(5)


def masked(skeleton: str) -> str:
    """The skeleton with every part that is variable by its looks as one `VALUE`."""
    for needs, pattern, put in _MASKS:
        if not needs or any(part in skeleton for part in needs):
            skeleton = pattern.sub(put, skeleton)
    return skeleton


def tokens(text: str) -> tuple[str, ...]:
    """Words, values and signs of a masked text; values without a word between them are one, as in lists of any length."""
    return joined(map(_token, _TOKEN.findall(text)))


def joined(given: Iterable[str]) -> tuple[str, ...]:
    """The tokens with neighbouring values, and repeated names that hold a number, as one value."""
    return tuple(token for _, token in _joined(given))


def rendered(text: str, template: Sequence[str]) -> str:
    """A template for people, set as a text of it is: `text` masked, and `template` of its tokens."""
    found = list(_TOKEN.finditer(text))
    kept = _joined(_token(m[0]) for m in found)
    if len(kept) != len(template):
        return shown(" ".join(template))
    out: list[str] = []
    for (at, _), token in zip(kept, template, strict=True):
        before = text[found[at - 1].end() : found[at].start()] if at else ""
        out += [" " if before else "", token]
    return shown("".join(out))


def _token(text: str) -> str:
    return VALUE if VALUE in text and _ALL_VALUE.fullmatch(text) else text


def _joined(given: Iterable[str]) -> list[tuple[int, str]]:
    """(place among those given, token)"""
    out: list[tuple[int, str]] = []
    before = ""
    for at, token in enumerate(given):
        if VALUE in token and token == before:
            out[-1] = (out[-1][0], VALUE)
        elif token == VALUE and len(out) > 1 and out[-1][1] in _SEPARATING and out[-2][1] == VALUE:
            out.pop()
        else:
            out.append((at, token))
        before = token
    return out


@lru_cache(maxsize=65_536)
def shape_of(token: str) -> Shape:
    """How a token is to be judged where it differs between lines that are otherwise alike."""
    if token == VALUE:
        return Shape.VALUE
    if not (token[0].isalnum() or token[0] in f"_{VALUE}"):
        return Shape.SIGN
    if _UPPER.fullmatch(token):
        return Shape.UPPER
    return Shape.NAME if _NAMELIKE.search(token) else Shape.WORD


def shown(text: str) -> str:
    """A masked text for people."""
    return text.translate(SHOWN)
