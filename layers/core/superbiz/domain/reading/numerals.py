"""Numbers written as words, in English and in Chinese."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_SMALL = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen",
          "sixteen", "seventeen", "eighteen", "nineteen")  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
COUNTED = {w: n for n, w in enumerate(_SMALL, 2)} | {w: 10 * n for n, w in enumerate(_TENS, 2)}
_ALONE = {"twice": 2.0, "thrice": 3.0, "zero": 0.0, "hundred": 100.0, "dozen": 12.0}
_ORDINALS = {w: n for n, w in enumerate(("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), 2)}
PARTS = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "tenth": 0.1}
_PART = re.compile(r"\b(?:(?:a|one)\s(?P<part>half|third|quarter|fifth|tenth)|(?P<alone>half))\sof\b", re.IGNORECASE)
_WORD = re.compile(
    rf"(?<![\w-])(?P<word>{'|'.join(sorted([*COUNTED, *_ALONE], key=len, reverse=True))})"
    rf"(?:-(?P<one>{'|'.join(('one', *_SMALL[:8]))}))?(?![\w-])"
    r"(?:\s(?P<hundred>hundred|thousand|million)\b)?(?:\s(?P<unit>(?:second|minute|hour|day)s|percent|milliseconds)\b)?",
    re.IGNORECASE,
)
_TRY = re.compile(rf"\b(?P<word>{'|'.join(_ORDINALS)})(?=\s(?:attempt|try|retry|time|restart|failure)\b)", re.IGNORECASE)
_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_PLACES = {"十": 10, "百": 100, "千": 1000}
_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]{1,12}"
_CHINESE = re.compile(
    rf"百分之(?P<percent>{_NUMERAL}(?:点[零一二三四五六七八九]{{1,4}})?)|(?P<whole>{_NUMERAL})分之(?P<part>{_NUMERAL})|(?P<half>一半)"
    rf"|(?P<number>{_NUMERAL})(?=(?P<unit>毫秒|秒钟?|分钟|个?小时|天)|(?:[个台条次倍名项行笔位条轮批])|[^\w\s]|\Z)"
)
_TIME = {"毫秒": "ms", "秒": "s", "秒钟": "s", "分钟": "min", "小时": "h", "个小时": "h", "天": "day"}
_MANY = {"hundred": 100, "thousand": 1000, "million": 1_000_000}


class Spelled(NamedTuple):
    value: float
    unit: str | None
    precision: float
    span: tuple[int, int]


def in_text(text: str) -> Iterator[Spelled]:
    """What is written in words; "one" is an article as often as a number."""
    for found in _WORD.finditer(text):
        word, one = found["word"].lower(), found["one"]
        value = _ALONE.get(word, float(COUNTED.get(word, 0))) + (0 if not one else COUNTED.get(one.lower(), 1))
        many = _MANY.get((found["hundred"] or "").lower(), 1)
        yield Spelled(value * many, found["unit"].lower() if found["unit"] else None, 0.5, found.span())
    for found in _TRY.finditer(text):
        yield Spelled(float(_ORDINALS[found["word"].lower()]), None, 0.0, found.span())
    for found in _PART.finditer(text):
        yield Spelled(PARTS[(found["part"] or found["alone"]).lower()], "share", 0.02, (found.start(), found.end() - len(" of")))
    for found in _CHINESE.finditer(text):
        yield from _chinese(found)


def _chinese(found: re.Match[str]) -> Iterator[Spelled]:
    if found["half"]:
        yield Spelled(0.5, "share", 0.02, found.span())
    elif found["percent"]:
        whole, _, decimals = found["percent"].partition("点")
        digits = "".join(str(_DIGITS[c]) for c in decimals)
        yield Spelled(float(f"{value_of(whole)}.{digits or 0}"), "%", 0.5 * 10.0 ** -len(digits), found.span())
    elif found["part"]:
        whole_ = value_of(found["whole"])
        yield Spelled(value_of(found["part"]) / whole_ if whole_ else 0.0, "share", 0.02, found.span())
    elif found["number"] not in ("一", "万", "亿", "百", "千", "零"):
        unit = found["unit"]
        yield Spelled(float(value_of(found["number"])), _TIME[unit] if unit else None, 0.5, (found.start(), found.end() + len(unit or "")))


def value_of(numeral: str) -> int:
    """二十三 is 23, 一百二十万 is 1,200,000."""
    total, section, digit = 0, 0, 0
    for sign in numeral:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in _PLACES:
            section, digit = section + (digit or 1) * _PLACES[sign], 0
        else:
            total, section, digit = (total + section + digit) * (10_000 if sign == "万" else 100_000_000), 0, 0
    return total + section + digit
