"""Numbers of claims and records, with their units: equal after conversion, at the precision that the claim shows."""

import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from superbiz.domain.reading import labels, measured, numerals, times, units, words
from superbiz.domain.reading.units import BINARY, RECORDED, SCALES, UNITS

MORE = re.compile(
    r"(?:\b(?:more than|over|above|exceed(?:s|ed|ing)?|greater than|higher than|at least)"
    r"|超过|高于|大于|多于|至少)\s*\Z",
    re.IGNORECASE,
)
LESS = re.compile(r"(?:\b(?:less than|under|below|fewer than|lower than|at most)|低于|少于|小于|不到|不足|至多)\s*\Z", re.IGNORECASE)
MOST_PERCENT = 200  # a larger number without a unit is no percentage
BOUND_REACH = 1.5  # "over 90 %" is said of 93.4 %, not of a number far away
HEDGES = re.compile(
    r"(?:(?<!\w)(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca\.?|~|≈)|(?:大约|约为?|将近|接近|近))\s*\Z",
    re.IGNORECASE,
)
RATIO = re.compile(
    r"\s*(?:times\s(?:its|the|their|as|higher|more|greater|larger|longer|slower|faster|over|than|normal|usual|baseline|above)\b|x\b|×|-?fold\b|倍)",
    re.IGNORECASE,
)
RATIO_FIELDS = words.table("ratio factor multiple times x")
MULTIPLE = re.compile(r"\s*(?:times\b|x\b|×|-?fold\b|倍)", re.IGNORECASE)
NUMBER = re.compile(
    rf"(?<!{words.LETTER})(?<![.,/#@-])(?P<sign>[-−+]?)(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?"
    rf"|\d{{1,3}}(?:[\u202f\xa0]\d{{3}})+(?![\d.,])"
    rf"|\d+(?:\.\d+)?(?:[eE][-+]?\d{{1,3}})?)"
    rf"(?:(?P<scale>[kKM]|bn|\s(?:thousand|million|billion)|\s?(?:[十百千]?万|亿|百|千))(?!{words.LETTER}))?"
    rf"(?:\s{{0,3}}(?P<unit>%|毫秒|微秒|纳秒|秒钟?|分钟|个?小时|天|字节|[a-zA-Zµμ]+)(?!{words.LETTER}))?(?!\d|:\d)(?!\.\d)"
)
GLUED = re.compile(words.LETTER)
# "5m12s" and "2d4h": one time, in parts of falling size.
COMPOSED = re.compile(r"(?<![\w.])(?=(?:\d{1,6}[dhms]){2})(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,6})s)?(?!\w)")
PARTS = (86400.0, 3600.0, 60.0, 1.0)
# What machines put between a name and its number, or between numbers, without a blank; a comma before three digits may part thousands.
GLUE = re.compile(r"(?<=[\w\"')\]%])(?:[:|;](?=-?\d)|,(?=-?\d)(?!(?<=\d,)\d{3}(?!\d)))|(?<=\d[A-Za-z%])/(?=\d)|(?<=\d[A-Za-z]{2})/(?=\d)")
PARTED = re.compile(r"(?<![\w/.-])\d{1,9}/(?P<whole>\d{1,9})(?![\w/.-])")  # "attempt 2/5"
ODD_DIGIT = re.compile(r"(?=\d)[^0-9]")
SAME, HALF = 1e-12, 0.5
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
    per: float | None = None  # the seconds by which a rate is counted
    spelled: bool = False
    ratio: bool = False  # "N times its baseline"
    typed: bool = False  # a number of JSON, not of a text
    within: str = ""  # the field that holds the field
    kind: str = ""  # the dimension that its name tells where no unit is given
    at: str = ""  # the time of a point
    aside: bool = False  # of what stands around the record, or of what its call was asked
    beside: tuple[str, str] = ("", "")  # the text left and right of it

    @property
    def dimension(self) -> str | None:
        return UNITS[self.unit][0] if self.unit else None

    @property
    def factor(self) -> float:
        return UNITS[self.unit][1] if self.unit else 1.0

    @property
    def amount(self) -> float:
        """In the base of its dimension, and a rate by the second."""
        return self.value * self.factor / (self.per or 1.0)

    @property
    def label(self) -> tuple[str, ...]:
        """The meanings of the words that say what it is a number of."""
        return labels.of_field(self.field, self.within) if self.typed else labels.of_text(*self.beside)

    @property
    def whole(self) -> bool:
        return self.value == int(self.value) if abs(self.value) < 1e15 else True


def in_text(text: str) -> Iterator[Quantity]:
    """The numbers that stand free in a text: not parts of names, times or versions."""
    if not times.DIGIT.search(text):
        return
    for found in NUMBER.finditer(text):
        unit = (found["unit"] or "").lower()
        known, attached = unit in UNITS, bool(unit) and not text[found.start("unit") - 1].isspace()
        after_colon = text[found.start() - 1 : found.start()] == ":"
        if (attached and unit in NAMES) or (after_colon and not (known and attached)):
            continue  # `5xx` and `3rd` are names, `:8080` is a port
        if not unit and GLUED.match(text, found.end()) and not MULTIPLE.match(text, found.end()):
            continue  # `63cb5dd9` is an id
        digits = re.sub("[,\u202f\xa0 ]", "", found["digits"])
        scale = SCALES.get((found["scale"] or "").strip(), 1.0)
        end = found.end("unit") if known else found.end("scale") if found["scale"] else found.end("digits")
        before = text[max(0, found.start() - 16) : found.start()]
        yield Quantity(
            value=float(digits) * scale * (-1.0 if found["sign"] in ("-", "−") else 1.0),
            text=text[found.start() : end],
            unit=unit if known else None,
            precision=_precision(digits) * scale,
            hedged=bool(HEDGES.search(before)),
            multiple=bool(MULTIPLE.match(text, found.end("scale") if found["scale"] else found.end("digits"))),
            ratio=bool(RATIO.match(text, found.end("scale") if found["scale"] else found.end("digits"))),
            span=(found.start(), end),
            bound=_bound(before),
            per=units.span_of(units.PER.match(text, end) or units.PER_BEFORE.search(before)),
        )

    for found in PARTED.finditer(text):
        yield Quantity(float(found["whole"]), found["whole"], None, 0.5, span=found.span("whole"))
    for found in COMPOSED.finditer(text):
        seconds = sum(float(part) * size for part, size in zip(found.groups(), PARTS, strict=True) if part)
        yield Quantity(
            seconds, found[0], "s", 0.5 * min(size for part, size in zip(found.groups(), PARTS, strict=True) if part), span=found.span()
        )


def spelled(text: str) -> Iterator[Quantity]:
    """The numbers of a claim that are written as words: "seven times", "a quarter of", 三次."""
    for found in numerals.in_text(text):
        before = text[max(0, found.span[0] - 16) : found.span[0]]
        yield Quantity(
            value=found.value,
            text=text[slice(*found.span)],
            unit=found.unit,
            precision=found.precision,
            hedged=bool(HEDGES.search(before)),
            multiple=bool(MULTIPLE.match(text, found.span[1])),
            span=found.span,
            bound=_bound(before),
            spelled=True,
        )


def _bound(before: str) -> int:
    return 1 if MORE.search(before) else -1 if LESS.search(before) else 0


class Place(NamedTuple):
    """Where a number of a record stands, and what holds for all that stands there; `unit` is that of the thing measured."""

    field: str = ""
    within: str = ""
    unit: str | None = None
    per: float | None = None
    kind: str = ""
    at: str = ""


def in_record(node: Any, place: Place = Place()) -> Iterator[Quantity]:  # noqa: B008 - frozen
    """The numbers of a JSON record, each with its field, and the unit that the field's name or a `unit` beside it gives."""
    if isinstance(node, dict):
        unit, per = _beside(next((node[f] for f in UNIT_FIELDS if f in node), None))
        kind = measured.kind_of(_metric(node))
        unit = unit or ("count" if kind == "count" else None)
        for key, item in node.items():
            its, by = _unit_of(str(key)) if isinstance(item, dict | list) else (None, None)
            yield from in_record(
                item, Place(str(key), place.field or place.within, unit or its or place.unit, per or by or place.per, kind or place.kind)
            )
    elif isinstance(node, list | tuple):
        point = times.is_point(node)
        for item in node[1:] if point else node:
            yield from in_record(item, place._replace(at=node[0]) if point else place)
    elif isinstance(node, int | float) and not isinstance(node, bool):
        unit, per = _unit_of(place.field)
        kind = measured.kind_of(place.field)
        if unit is None and per is None and measured.measures(place.field):
            unit, per, kind = place.unit, place.per, kind or place.kind
        text = f"{node!r:.30}"
        yield Quantity(_float(node), text, unit, 0.0, field=place.field, per=per, typed=True, within=place.within, kind=kind, at=place.at)
    elif isinstance(node, str):
        text = GLUE.sub(lambda glue: f"{glue[0]} ", times.blanked(node))
        found = list(in_text(text))
        for q, beside in zip(found, labels.beside(text, [q.span for q in found]), strict=True):
            yield q._replace(field=place.field, beside=beside)


UNIT_FIELDS = ("unit", "Unit", "units", "单位")
METRIC_FIELDS = ("metric", "MetricName", "metric_name")


def _metric(node: dict[Any, Any]) -> str:
    """What a record says that it measures."""
    return next((node[f][:80] for f in METRIC_FIELDS if isinstance(node.get(f), str)), "")


def _beside(unit: Any) -> tuple[str | None, float | None]:
    """What a `unit` field gives: `ms`, `MB/s`, `Count/Second`."""
    if not isinstance(unit, str):
        return None, None
    name = unit.partition("/")[0].strip().lower()
    return name if name in UNITS else "count" if measured.counted(name) else None, units.span_of(
        units.PER.match(f" {unit.lower().partition('/')[1]}{unit.lower().partition('/')[2]}")
    )


def same(said: Quantity, found: Quantity) -> bool:
    """Whether the record's number is the claim's, in the claim's unit and at the precision it shows; infinity is no number."""
    if not (math.isfinite(said.value) and math.isfinite(found.value)):
        return False
    if said.ratio and found.typed and RATIO_FIELDS.isdisjoint(words.words(found.field)):
        return False
    if said.per and found.per and said.per != found.per:
        per = found.per / said.per
        return same(said._replace(per=None), found._replace(per=None, value=found.value / per))
    if found.unit == "count" and said.dimension != "count":
        found = found._replace(unit=None)
        if said.unit and not (said.dimension == "share" and 0 < abs(found.value) < 1):
            return False
    if said.unit and found.unit:
        if said.unit == found.unit and _cut_off(said, found):
            return False
        return said.dimension == found.dimension and any(
            _near(said.value * f, found.value * g, tolerance(said) * f) for f in _factors(said) for g in _factors(found, RECORDED)
        )
    if said.dimension == "bytes" and any(_near(said.value * f, found.value, tolerance(said) * f) for f in _factors(said)):
        return True
    if said.dimension == "share":
        return _same_share(said, found)
    return not _cut_off(said, found) and _near(said.value, found.value, tolerance(said))


def _cut_off(said: Quantity, found: Quantity) -> bool:
    """1.5 is 2 in whole numbers, and not 1; 2.5 is 2 to those who round to even, and a machine's 0.125 may be a little less."""
    if said.hedged or not said.precision or not math.isclose(abs(found.value) - abs(said.value), said.precision, rel_tol=1e-6):
        return False
    odd = round(abs(said.value) / (2 * said.precision)) % 2 == 1
    places = -round(math.log10(2 * said.precision))
    return odd and not math.isclose(round(found.value, places), said.value, rel_tol=SAME)


def _same_share(said: Quantity, found: Quantity) -> bool:
    """A number without a unit may be a share of one, or a percentage."""
    if 0 < abs(found.value) < 1 and found.value != int(found.value):
        return _near(said.value * said.factor, found.value, tolerance(said) * said.factor)
    return abs(said.value) <= MOST_PERCENT and _near(said.value, found.value, tolerance(said))


def within(said: Quantity, found: Quantity) -> bool:
    """Whether the record's number lies on the side of a bound ("more than 90 %") that the claim says, and near it."""
    if not said.bound or said.unit is None or said.dimension != found.dimension:
        return False
    limit, value = said.amount, found.amount
    low, high = (limit, limit * BOUND_REACH) if said.bound > 0 else (limit / BOUND_REACH, limit)
    return low <= value <= high


def _factors(number: Quantity, binary: dict[str, float] = BINARY) -> tuple[float, ...]:
    return tuple(f for f in (number.factor, binary.get(number.unit or "")) if f)


def recomputed(said: Quantity, found: Iterable[Quantity]) -> bool:
    """Whether "N times" follows from two numbers of one record; "more than N times" from a larger factor that is near it."""
    numbers = [q.value * q.factor for q in found if math.isfinite(q.value)][:24] if said.multiple else []
    return any(b and a != b and _is_factor(said, a / b) for a in numbers for b in numbers)


def _is_factor(said: Quantity, factor: float) -> bool:
    if said.bound > 0:
        return said.value <= factor <= said.value * BOUND_REACH
    return _near(said.value, factor, tolerance(said))


def _float(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def tolerance(said: Quantity) -> float:
    """How far a record's number may lie from the claim's, in the claim's unit."""
    if not said.hedged:
        return said.precision
    if not said.whole:
        return max(said.precision, 0.05 * abs(said.value))
    shown = f"{abs(said.value):.0f}"
    dropped = len(shown) - len(shown.rstrip("0")) if said.value else 0
    return max(said.precision, 0.5 * math.pow(10, dropped), 0.05 * abs(said.value))


def _near(said: float, found: float, tolerance: float) -> bool:
    return abs(said - found) <= tolerance + SAME * max(abs(said), abs(found))


def _precision(digits: str) -> float:
    number, _, exponent = digits.lower().partition("e")
    decimals = len(number.partition(".")[2]) - int(exponent or 0)
    return 0.5 * math.pow(10.0, -max(-300, min(300, decimals)))


@lru_cache(maxsize=10_000)
def _unit_of(field: str) -> tuple[str | None, float | None]:
    """`normal_p90_ms` is in milliseconds, `error_rate` a share of one, `rate_per_second` a rate."""
    return units.of_words([w for part in field.split("_") for w in words.HUMP.sub(" ", part).lower().split()])
