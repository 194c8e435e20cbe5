"""Whether something rose or fell: a series from its first to its last point, a value against another or against what is normal for it."""

from collections.abc import Sequence
from typing import Any

from superbiz.domain.facts import amounts, elements
from superbiz.domain.facts.aggregates import Found, aggregated, found_in
from superbiz.domain.facts.amounts import Amount
from superbiz.domain.facts.fact import Aggregate, Fact, Op
from superbiz.domain.facts.naming import roots
from superbiz.domain.facts.source import Misfit, Place, place
from superbiz.domain.reading import words
from superbiz.domain.reading.parts import BASE, is_base


def turned(fact: Fact, at: Place) -> Found:
    """What it ended at. Misfit where it did not turn so; a `value` that is a number has to be that end."""
    before, after = _ends(fact, at)
    if before.amount is None or after.amount is None:
        raise Misfit(f"{at.where} does not hold two numbers to compare")
    step = amounts.order(after.amount, before.amount)
    if step != (1 if fact.op is Op.ROSE else -1):
        raise Misfit(f"found {before.value} and then {after.value} at {at.where}")
    said: Amount | None = None if fact.other or fact.value is None else amounts.of_fact(fact.value, fact.unit)
    if said and not said.meets(after.amount):
        raise Misfit(f"found {after.value} in the end at {at.where}")
    return after


def _ends(fact: Fact, at: Place) -> tuple[Found, Found]:
    if isinstance(at.node, Sequence) and not isinstance(at.node, str):
        rows = elements.elements(fact, at)
        return aggregated(Aggregate.FIRST, rows, at, ""), aggregated(Aggregate.LAST, rows, at, "")
    if isinstance(at.node, dict):
        found = next((f for f in at.node if roots(f) == roots(fact.metric)), None)
        if found is None:
            raise Misfit(f"the object at {at.where} has no field {fact.metric!r}")
        at = at.child(found)
    return _normal(fact, at), found_in(at.node, at.field, at.unit)


def _normal(fact: Fact, at: Place) -> Found:
    """The node that `value` leads to, else the field beside it that holds what is normal."""
    if fact.other:
        other = place(at.source, fact.other)
        if other is None:
            raise Misfit(f"there is no node at {fact.value}")
        return found_in(other.node, other.field, other.unit)
    beside: dict[str, Any] = dict(at.own[0]) if at.own else {}
    own = frozenset(words.words(at.field))
    fields = [f for f, v in beside.items() if is_base(f) and amounts.exact(v) is not None]
    near = [f for f in fields if own & (frozenset(words.words(f)) - BASE)] or [f for f in fields if f in BASE]
    if len(near) != 1:
        raise Misfit(f"{at.where} has no one field beside it that says what is normal")
    return found_in(beside[near[0]], near[0], at.unit)
