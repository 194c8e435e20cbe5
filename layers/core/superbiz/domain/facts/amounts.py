"""Numbers of facts and records: exact, with unit, and compared at the precision that is shown."""

import math
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, NamedTuple

from superbiz.domain import canonical
from superbiz.domain.facts.source import Misfit
from superbiz.domain.reading import quantities, times, units, words
from superbiz.domain.reading.quantities import Quantity

LARGEST = 10**300
FEW = 10  # a whole number below it, without a unit, is a count and no rounding
SAME = Decimal("1e-12")
ZERO = Decimal(0)
PURE = words.table("deviation rarity rank weight score probability count samples period percentile sigma")
SPANS = {"s": Decimal(1), "m": Decimal(60), "h": Decimal(3600)}
_PER = re.compile(r"(?P<what>.*?)\s*(?:/|\bper[ _])\s*(?P<span>s|secs?|seconds?|m|min|mins|minutes?|h|hours?)", re.IGNORECASE)


class Amount(NamedTuple):
    """`slack` is how far another may lie and still be shown so, in its own unit; `per` the seconds that a rate is counted by."""

    value: Decimal
    unit: str | None = None
    slack: Decimal = ZERO
    per: Decimal | None = None

    @property
    def base(self) -> Decimal:
        """In the unit that all of its dimension are turned into."""
        return self.value * _factor(self.unit) if self.unit else self.value

    def meets(self, found: "Amount") -> bool:
        """Whether the found amount is this one, at the precision that this one shows."""
        if self.per and found.per and self.per != found.per:
            found = found._replace(value=found.value * self.per / found.per, per=self.per)
        if self.unit and found.unit and self.unit != found.unit:
            if dimension(self.unit) != dimension(found.unit):
                return False
            return any(_near(self.value * f, found.base, self.slack * f) for f in _factors(self.unit))
        if self.unit and not found.unit and dimension(self.unit) == "share" and 0 < abs(found.value) < 1:
            return _near(self.base, found.value, self.slack * _factor(self.unit))
        if self.unit and not found.unit and dimension(self.unit) == "bytes":
            return any(_near(self.value * f, found.value, self.slack * f) for f in (Decimal(1), *_factors(self.unit)))
        return _near(self.value, found.value, self.slack)


def order(found: Amount, said: Amount) -> int:
    """-1, 0 or 1. Misfit where the two measure different things."""
    if found.unit and said.unit and dimension(found.unit) != dimension(said.unit):
        raise Misfit(f"{said.unit} can not be compared with the record's {found.unit}")
    shared = bool(found.unit and said.unit) or (said.unit is not None and dimension(said.unit) == "share" and abs(found.value) < 1)
    a, b = (found.base, said.base) if shared else (found.value, said.value)
    if found.per and said.per:
        a, b = a / found.per, b / said.per
    return (a > b) - (a < b)


def dimension(unit: str) -> str:
    """What a unit measures."""
    return units.UNITS[unit][0]


def known(unit: str) -> str | None:
    """The unit as the tables have it; None for counts and anything else that is not converted."""
    return unit.strip().lower() if unit.strip().lower() in units.UNITS else None


def of_unit(unit: str) -> tuple[str | None, Decimal | None]:
    """What is counted, and the seconds that it is counted by: `bytes/s`, `errors per minute`, `ms`."""
    found = _PER.fullmatch(unit.strip())
    return (known(found["what"]), SPANS[found["span"][0].lower()]) if found else (known(unit), None)


def exact(node: Any) -> Decimal | None:
    """A JSON number as it is spelled; None for truth values, and for what is too large or no number."""
    if isinstance(node, bool) or not isinstance(node, int | float):
        return None
    if isinstance(node, int):
        return Decimal(node) if abs(node) <= LARGEST else None
    return Decimal(canonical.number_text(node)) if math.isfinite(node) else None


def of_record(node: Any, field: str, beside: str = "") -> Amount | None:
    """A record's number, in the unit of its field's name or of a `unit` beside it. A text that is a number and nothing else is one."""
    if isinstance(node, str):
        found = whole(node)
        return Amount(Decimal(repr(found.value)), found.unit or known(beside)) if found and math.isfinite(found.value) else None
    value = exact(node)
    if value is None:
        return None
    unit, per = _read_unit(field, beside)
    return Amount(value, unit, per=per)


@lru_cache(maxsize=4_096)
def _read_unit(field: str, beside: str) -> tuple[str | None, Decimal | None]:
    read = next(quantities.in_record({"unit": "" if _is_pure(field) else beside, field or "value": 1}), None)
    return (read.unit, _seconds(read.per)) if read else (None, None)


def in_text(text: str) -> Iterator[Amount]:
    """The numbers of a sentence of a record."""
    for q in quantities.in_text(times.blanked(text)):
        if math.isfinite(q.value):
            yield Amount(Decimal(repr(q.value)), q.unit)


def of_fact(value: Any, unit: str) -> Amount | None:
    """What a fact says, with the slack of its spelling. Misfit where text and `unit` disagree."""
    if isinstance(value, str):
        return _of_text(value, unit)
    number = exact(value)
    if number is None:
        return None
    own, per = of_unit(unit)
    return Amount(number, own, _slack(Quantity(float(number), str(value), own, float(_half(number)))), per)


def whole(text: str) -> Quantity | None:
    """The number that a text is, with hedge, scale and unit; None where it says more."""
    found = list(quantities.in_text(text)) if len(text) <= 60 else []
    if len(found) != 1 or text[found[0].span[1] :].strip():
        return None
    before = text[: found[0].span[0]].strip()
    return found[0] if not before or (found[0].hedged and len(before) <= len("approximately")) else None


def _of_text(value: str, unit: str) -> Amount | None:
    found = whole(value)
    if found is None or not math.isfinite(found.value):
        return None
    told, per = of_unit(unit)
    if found.unit and told and dimension(found.unit) != dimension(told):
        raise Misfit(f"value says {found.unit}, unit {unit}")
    read = found._replace(unit=found.unit or told)
    return Amount(Decimal(repr(read.value)), read.unit, _slack(read), per or _seconds(read.per))


def _slack(said: Quantity) -> Decimal:
    """Nothing is none, and a few is a count: neither is rounded."""
    if not said.hedged and (said.value == 0 or (said.unit is None and said.whole and abs(said.value) < FEW and said.precision >= 0.5)):
        return ZERO
    return Decimal(repr(quantities.tolerance(said)))


def _half(number: Decimal) -> Decimal:
    exponent = number.as_tuple().exponent
    places = exponent if isinstance(exponent, int) else 0
    return Decimal("0.5").scaleb(max(-300, min(0, places)))


def _near(a: Decimal, b: Decimal, slack: Decimal) -> bool:
    try:
        return abs(a - b) <= slack + (SAME * max(abs(a), abs(b)) if a != a.to_integral_value() or b != b.to_integral_value() else ZERO)
    except InvalidOperation:
        return a == b


def _factor(unit: str) -> Decimal:
    return Decimal(repr(units.UNITS[unit][1]))


def _factors(unit: str) -> tuple[Decimal, ...]:
    return tuple(Decimal(repr(f)) for f in (units.UNITS[unit][1], units.BINARY.get(unit)) if f)


def per_base(unit: str | None) -> Decimal:
    """How much of the base unit one of it is."""
    return _factor(unit) if unit else Decimal(1)


def of_saying(said: Quantity) -> Amount | None:
    """A number of a sentence, with the slack that its spelling shows."""
    if not math.isfinite(said.value):
        return None
    return Amount(Decimal(repr(said.value)), said.unit, _slack(said), _seconds(said.per))


def _is_pure(field: str) -> bool:
    """Whether a field is a score or a count, which the unit beside it is not of."""
    return not PURE.isdisjoint(field.lower().split("_"))


def _seconds(per: float | None) -> Decimal | None:
    return Decimal(repr(per)) if per else None
