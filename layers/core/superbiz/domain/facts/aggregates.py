"""Aggregates over elements, each defined exactly. Gaps (null) are no zeros; what is mixed or no number is refused.

count: how many elements have the metric. min, max: of numbers, or of times. sum, mean, median: of numbers. first, last: in time where every
element has one, else as they stand. rate: how many, or how much, per second, minute or hour of the window, else of the span of their times.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from superbiz.domain.facts import amounts, clock
from superbiz.domain.facts.amounts import Amount
from superbiz.domain.facts.clock import Instant
from superbiz.domain.facts.elements import Element
from superbiz.domain.facts.fact import Aggregate
from superbiz.domain.facts.source import Misfit, Place


class Found(NamedTuple):
    """What is recorded: an amount, a time, or any other value; `at` is when."""

    value: object
    amount: Amount | None = None
    instant: Instant | None = None
    at: Instant | None = None


def found_in(value: object, field: str, unit: str, at: Instant | None = None) -> Found:
    """A single recorded value."""
    moment = clock.instant(value) if isinstance(value, str) or amounts.known(unit) is None else None
    return Found(value, amounts.of_record(value, field, unit), moment, at)


def aggregated(how: Aggregate, rows: Sequence[Element], at: Place, unit: str) -> Found:
    """Misfit where it is not defined over these elements."""
    if how is Aggregate.COUNT:
        return Found(len(rows), Amount(Decimal(len(rows))))
    if how is Aggregate.RATE:
        return _rate(rows, at, unit)
    if not rows:
        raise Misfit(f"{at.where} has no element with that metric")
    if how in (Aggregate.FIRST, Aggregate.LAST):
        row = _in_order(rows)[0 if how is Aggregate.FIRST else -1]
        return found_in(row.value, row.field, row.unit, row.at)
    return _extreme(how, rows, at) if how in (Aggregate.MIN, Aggregate.MAX) else _summed(how, rows, at)


def _in_order(rows: Sequence[Element]) -> Sequence[Element]:
    timed = [(at.at, r.number, r) for r in rows if (at := r.at)]
    return [r for _, _, r in sorted(timed)] if len(timed) == len(rows) else rows


def _extreme(how: Aggregate, rows: Sequence[Element], at: Place) -> Found:
    choose: Callable[..., Element] = min if how is Aggregate.MIN else max
    moments = {r.number: m for r in rows if isinstance(r.value, str) and (m := clock.instant(r.value))}
    if len(moments) == len(rows):
        row = choose(rows, key=lambda r: moments[r.number].at)
        return found_in(row.value, row.field, row.unit, row.at)
    numbers = dict(zip((r.number for r in rows), _numbers(rows, at), strict=True))
    row = choose(rows, key=lambda r: numbers[r.number].base)
    return Found(row.value, numbers[row.number], None, row.at)


def _summed(how: Aggregate, rows: Sequence[Element], at: Place) -> Found:
    numbers = _numbers(rows, at)
    values = [n.base for n in numbers]
    result = sum(values, Decimal(0))
    if how is Aggregate.MEAN:
        result /= len(values)
    elif how is Aggregate.MEDIAN:
        middle, ordered = len(values) // 2, sorted(values)
        result = ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    unit = numbers[0].unit
    amount = Amount(result / amounts.per_base(unit), unit)
    return Found(float(amount.value), amount)


def _numbers(rows: Sequence[Element], at: Place) -> list[Amount]:
    """One dimension, and numbers throughout."""
    read = [(r, amounts.of_record(r.value, r.field, r.unit)) for r in rows]
    bad = next((r.value for r, a in read if a is None), None)
    if any(a is None for _, a in read):
        raise Misfit(f"an element of {at.where} is no number: {str(bad)[:60]!r}")
    found = [a for _, a in read if a]
    if len({amounts.dimension(a.unit) if a.unit else None for a in found}) > 1:
        raise Misfit(f"the elements of {at.where} are in units that can not be put together")
    return found


def _rate(rows: Sequence[Element], at: Place, unit: str) -> Found:
    what, per = amounts.of_unit(unit)
    if per is None:
        raise Misfit(f"a rate needs a unit per second, minute or hour, found {unit or 'none'!r}")
    seconds = _window(at) or _span(rows)
    if not seconds:
        raise Misfit(f"{at.where} has neither a window nor times that span one")
    numeric = bool(rows) and all(amounts.exact(r.value) is not None for r in rows)
    total = sum((a.base for a in _numbers(rows, at)), Decimal(0)) if numeric else Decimal(len(rows))
    amount = Amount(total / seconds * per / amounts.per_base(what), what, per=per)
    return Found(float(amount.value), amount)


def _window(at: Place) -> Decimal | None:
    """The window that the output says it is of."""
    objects = [*at.own, *at.outer, *([at.source.output] if isinstance(at.source.output, Mapping) else [])]
    window = next((w for o in objects if isinstance(w := o.get("window"), Mapping)), None)
    ends = [clock.instant(window.get(side)) for side in ("start", "end")] if window else []
    return _between([e for e in ends if e]) if len(ends) == 2 and all(ends) else None


def _span(rows: Sequence[Element]) -> Decimal | None:
    return _between([at for r in rows if (at := r.at)])


def _between(instants: Sequence[Instant]) -> Decimal | None:
    at = [i.at for i in instants]
    seconds = Decimal(repr((max(at) - min(at)).total_seconds())) if at else Decimal(0)
    return seconds or None
