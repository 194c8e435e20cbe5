"""Numbers of claims and records, with their units: equal after conversion, at the precision that the claim shows."""

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from superbiz.domain.reading import times, words

# unit: (dimension, how much of the dimension's base one of it is)
UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), ("time", 1e-9)),
    **dict.fromkeys(("us", "µs", "μs", "microsecond", "microseconds"), ("time", 1e-6)),
    **dict.fromkeys(("ms", "millis", "msec", "millisecond", "milliseconds"), ("time", 1e-3)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("time", 1.0)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), ("time", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("time", 3600.0)),
    **dict.fromkeys(("day", "days"), ("time", 86400.0)),
    **dict.fromkeys(("b", "byte", "bytes"), ("bytes", 1.0)),
    **dict.fromkeys(("毫秒",), ("time", 1e-3)),
    **dict.fromkeys(("秒", "秒钟"), ("time", 1.0)),
    **dict.fromkeys(("分钟",), ("time", 60.0)),
    **dict.fromkeys(("小时",), ("time", 3600.0)),
    **dict.fromkeys(("kb", "kilobytes"), ("bytes", 1e3)),
    **dict.fromkeys(("mb", "megabytes"), ("bytes", 1e6)),
    **dict.fromkeys(("gb", "gigabytes"), ("bytes", 1e9)),
    **dict.fromkeys(("tb", "terabytes"), ("bytes", 1e12)),
    "g": ("bytes", 1e9),
    **dict.fromkeys(("kib", "ki"), ("bytes", 1024.0)),
    **dict.fromkeys(("mib", "mi"), ("bytes", 1024.0**2)),
    **dict.fromkeys(("gib", "gi"), ("bytes", 1024.0**3)),
    **dict.fromkeys(("tib", "ti"), ("bytes", 1024.0**4)),
    **dict.fromkeys(("%", "percent", "pct", "percentage"), ("share", 0.01)),
    **dict.fromkeys(("ratio", "rate", "share", "fraction"), ("share", 1.0)),
}
# What many write for powers of 1024 too.
BINARY = {"mb": 1024.0**2, "gb": 1024.0**3, "g": 1024.0**3, "tb": 1024.0**4}
SCALES = {"k": 1e3, "K": 1e3, "M": 1e6, "bn": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9}
COUNTED = {w: n for n, w in enumerate(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 2)}
COUNTED |= {w: 10 * n for n, w in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2)}
PARTS = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "tenth": 0.1}
PART = re.compile(r"\b(?:(?:a|one)\s(?P<part>half|third|quarter|fifth|tenth)|(?P<alone>half))\sof\b", re.IGNORECASE)
COUNT_WORD = re.compile(rf"(?<![\w-])(?P<word>{'|'.join(COUNTED)})(?![\w-])(?:\s(?P<unit>(?:second|minute|hour|day)s)\b)?", re.IGNORECASE)
MORE = re.compile(r"\b(?:more than|over|above|exceed(?:s|ed|ing)?|greater than|higher than|at least)\s*\Z", re.IGNORECASE)
LESS = re.compile(r"\b(?:less than|under|below|fewer than|lower than|at most)\s*\Z", re.IGNORECASE)
BOUND_REACH = 1.5  # "over 90 %" is said of 93.4 %, not of a number far away
HEDGES = re.compile(r"(?<!\w)(?:about|around|approximately|roughly|nearly|almost|some|circa|ca\.?|~|≈)\s*\Z", re.IGNORECASE)
MULTIPLE = re.compile(r"\s*(?:times\b|x\b|×|-?fold\b)", re.IGNORECASE)
NUMBER = re.compile(
    rf"(?<!{words.LETTER})(?<![.,:/#@-])(?P<sign>[-−+]?)(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?(?:[eE][-+]?\d{{1,3}})?)"
    rf"(?:(?P<scale>[kKM]|bn|\s(?:thousand|million|billion))(?!{words.LETTER}))?"
    rf"(?:\s?(?P<unit>%|毫秒|秒钟?|分钟|小时|[a-zA-Zµμ]+)(?!{words.LETTER}))?(?!\d|:\d)(?!\.\d)"
)
ODD_DIGIT = re.compile(r"(?=\d)[^0-9]")
SAME = 1e-12
# What follows digits to make a name or an ordinal of them.
NAMES = frozenset({"xx", "st", "nd", "rd", "th"})


class Quantity(NamedTuple):
    """`precision` is half of the last digit shown, in the number's own unit; `field` is the record's, `span` the place in the text."""

    value: float
    text: str
    unit: str | None
    precision: float
    hedged: bool = False
    multiple: bool = False
    field: str = ""
    span: tuple[int, int] = (0, 0)
    bound: int = 0

    @property
    def dimension(self) -> str | None:
        return UNITS[self.unit][0] if self.unit else None

    @property
    def factor(self) -> float:
        return UNITS[self.unit][1] if self.unit else 1.0

    @property
    def whole(self) -> bool:
        return self.value == int(self.value) if abs(self.value) < 1e15 else True


def in_text(text: str) -> Iterator[Quantity]:
    """The numbers that stand free in a text: not parts of names, times or versions."""
    for found in NUMBER.finditer(text):
        unit = (found["unit"] or "").lower()
        known, attached = unit in UNITS, bool(unit) and not text[found.start("unit") - 1].isspace()
        if attached and unit in NAMES:
            continue  # `5xx` and `3rd` are names
        digits = found["digits"].replace(",", "")
        scale = SCALES.get((found["scale"] or "").strip(), 1.0)
        end = found.end("unit") if known else found.end("scale") if found["scale"] else found.end("digits")
        yield Quantity(
            value=float(digits) * scale * (-1.0 if found["sign"] in ("-", "−") else 1.0),
            text=text[found.start() : end],
            unit=unit if known else None,
            precision=_precision(digits) * scale,
            hedged=bool(HEDGES.search(text, max(0, found.start() - 16), found.start())),
            multiple=bool(MULTIPLE.match(text, found.end("scale") if found["scale"] else found.end("digits"))),
            span=(found.start(), end),
            bound=_bound(text[max(0, found.start() - 16) : found.start()]),
        )


def spelled(text: str) -> Iterator[Quantity]:
    """The numbers of a claim that are written as words: "seven times", "a quarter of"."""
    for found in COUNT_WORD.finditer(text):
        unit, before = found["unit"], text[max(0, found.start() - 16) : found.start()]
        yield Quantity(
            value=float(COUNTED[found["word"].lower()]),
            text=found[0],
            unit=unit.lower() if unit else None,
            precision=0.5,
            hedged=bool(HEDGES.search(before)),
            multiple=bool(MULTIPLE.match(text, found.end())),
            span=found.span(),
            bound=_bound(before),
        )
    for found in PART.finditer(text):
        value = PARTS[(found["part"] or found["alone"]).lower()]
        yield Quantity(value, found[0], "share", 0.02, span=(found.start(), found.end() - len(" of")))


def _bound(before: str) -> int:
    return 1 if MORE.search(before) else -1 if LESS.search(before) else 0


def in_record(node: Any, field: str = "", unit: str | None = None) -> Iterator[Quantity]:
    """The numbers of a JSON record, each with its field, and the unit that the field's name or a `unit` beside it gives."""
    if isinstance(node, dict):
        beside = node.get("unit")
        own = beside.lower() if isinstance(beside, str) and beside.lower() in UNITS else unit
        for key, item in node.items():
            yield from in_record(item, str(key), own)
    elif isinstance(node, list | tuple):
        for item in node:
            yield from in_record(item, field, unit)
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield Quantity(_float(node), f"{node!r:.30}", _unit_of(field) or unit, 0.0, field=field)
    elif isinstance(node, str):
        yield from (q._replace(field=field) for q in in_text(times.blanked(node)))


def same(said: Quantity, found: Quantity) -> bool:
    """Whether the record's number is the claim's, in the claim's unit and at the precision it shows; infinity is no number."""
    if not (math.isfinite(said.value) and math.isfinite(found.value)):
        return False
    if said.unit and found.unit:
        if said.dimension != found.dimension:
            return False
        return any(_near(said.value * f, found.value * found.factor, tolerance(said) * f) for f in _factors(said))
    if said.dimension == "bytes" and any(_near(said.value * f, found.value, tolerance(said) * f) for f in _factors(said)):
        return True
    if said.dimension == "share" and 0 < abs(found.value) < 1 and found.value != int(found.value):
        return _near(said.value * said.factor, found.value, tolerance(said) * said.factor)
    return _near(said.value, found.value, tolerance(said))


def within(said: Quantity, found: Quantity) -> bool:
    """Whether the record's number lies on the side of a bound ("more than 90 %") that the claim says, and near it."""
    if not said.bound or said.unit is None or said.dimension != found.dimension:
        return False
    limit, value = said.value * said.factor, found.value * found.factor
    low, high = (limit, limit * BOUND_REACH) if said.bound > 0 else (limit / BOUND_REACH, limit)
    return low <= value <= high


def _factors(said: Quantity) -> tuple[float, ...]:
    return tuple(f for f in (said.factor, BINARY.get(said.unit or "")) if f)


def recomputed(said: Quantity, found: Iterable[Quantity]) -> bool:
    """Whether "N times" follows from two numbers of one record."""
    numbers = [q.value * q.factor for q in found if math.isfinite(q.value)][:24]
    return said.multiple and any(b and a != b and _near(said.value, a / b, tolerance(said)) for a in numbers for b in numbers)


def _float(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def tolerance(said: Quantity) -> float:
    """How far a record's number may lie from the claim's, in the claim's unit."""
    if not said.hedged:
        return said.precision
    digits = f"{abs(said.value):.0f}".rstrip("0") if said.whole else ""
    dropped = len(f"{abs(said.value):.0f}") - len(digits) if digits else 0
    return max(said.precision, 0.5 * math.pow(10, dropped), 0.05 * abs(said.value) if said.whole else 0.0)


def _near(a: float, b: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance + SAME * max(abs(a), abs(b))


def _precision(digits: str) -> float:
    number, _, exponent = digits.lower().partition("e")
    decimals = len(number.partition(".")[2]) - int(exponent or 0)
    return 0.5 * math.pow(10.0, -max(-300, min(300, decimals)))


def _unit_of(field: str) -> str | None:
    """`normal_p90_ms` is in milliseconds, `error_rate` a share of one."""
    parts = [w for part in field.split("_") for w in words.HUMP.sub(" ", part).lower().split()]
    if "per" in parts:
        return None
    return next((part for part in reversed(parts) if part in UNITS and len(part) > 1), None)
