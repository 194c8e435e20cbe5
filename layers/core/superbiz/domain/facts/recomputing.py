"""Recomputing a fact from the recorded calls: what was expected, what was found, and where."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from superbiz.domain import refs
from superbiz.domain.canonical import dumps
from superbiz.domain.facts import amounts, clock, elements, naming, turning
from superbiz.domain.facts.aggregates import Found, aggregated, found_in
from superbiz.domain.facts.amounts import Amount
from superbiz.domain.facts.fact import ORDERS, TURNS, Aggregate, Fact, Op
from superbiz.domain.facts.source import Misfit, Place, Source, place, stands

SHOWN = 120


class Outcome(NamedTuple):
    """`reason` is empty where the fact holds; `found` is what the record gives, `invocation_id` the call that it was read from."""

    holds: bool
    reason: str = ""
    found: Any = None
    invocation_id: str = ""


def recompute(fact: Fact, calls: Sequence[Source]) -> Outcome:
    """The first call that bears the fact, else why the first that has its node does not."""
    asked = [c for c in calls if fact.invocation_id in ("", c.invocation_id)]
    path = refs.parse_path(fact.path) or ()
    places = [p for c in asked if (p := place(c, path))]
    if not places:
        what = f"the claim cites no call {fact.invocation_id}" if fact.invocation_id and not asked else "no cited call has a node there"
        return Outcome(False, f"expected {fact.shown()} at {fact.path}; {what}")
    outcomes = [_tried(fact, p, calls) for p in places]
    return next((o for o in outcomes if o.holds), outcomes[0])


def _tried(fact: Fact, at: Place, calls: Sequence[Source]) -> Outcome:
    try:
        found = _found(fact, at)
        _judge(fact, found, at, calls)
    except (Misfit, ArithmeticError) as e:
        return Outcome(False, f"expected {fact.shown()}; {e or type(e).__name__}", None, at.source.invocation_id)
    return Outcome(True, "", found.value, at.source.invocation_id)


def _found(fact: Fact, at: Place) -> Found:
    """What the record holds under the fact's name, for its subject, at its time."""
    if fact.aggregate is not Aggregate.VALUE:
        rows = elements.elements(fact, at)
        found = aggregated(fact.aggregate, rows, at, fact.unit)
        if fact.time:
            _at_time(fact, found.at, [r.at for r in rows], at)
        return found
    if not stands(fact.subject, at):
        raise Misfit(f"{at.where} is not about {fact.subject}")
    if isinstance(at.node, Mapping) and fact.op not in TURNS:
        at = _named(fact.metric, at)
    elif not isinstance(at.node, Mapping):
        naming.check(fact.metric, at)
    if fact.op in TURNS:
        return turning.turned(fact, at)
    return _single(fact, at)


def _named(metric: str, at: Place) -> Place:
    """The field of an object that the metric names."""
    field = metric if metric in at.node else next((f for f in at.node if naming.roots(f) == naming.roots(metric)), None)
    if field is None:
        raise Misfit(f"the object at {at.where} has no field {metric!r}")
    return at.child(field)._replace(own=(at.node, *at.own[1:]))


def _single(fact: Fact, at: Place) -> Found:
    node = at.node
    if clock.is_point(node):
        if fact.time:
            _at_time(fact, clock.instant(node[0]), [], at)
        return found_in(node[1], at.field, at.unit)
    if isinstance(node, Sequence) and not isinstance(node, str):
        return _point_at(fact, at)
    found = found_in(node, at.field, at.unit)
    if fact.time:
        _recorded_time(fact, at)
    return found


def _point_at(fact: Fact, at: Place) -> Found:
    """Of a series, the point of that time."""
    wanted = clock.instant(fact.time)
    rows = [p for p in at.node if clock.is_point(p) and wanted and (m := clock.instant(p[0])) and wanted.covers(m)]
    if len(rows) != 1:
        why = f"{len(rows)} of its points are at {fact.time}" if fact.time else "name an aggregate or a time"
        raise Misfit(f"{at.where} is an array; {why}")
    return found_in(rows[0][1], at.field, at.unit)


def _at_time(fact: Fact, own: clock.Instant | None, span: Sequence[clock.Instant | None], at: Place) -> None:
    """The chosen element was then; where none is chosen, the time lies in what was looked at."""
    wanted = clock.instant(fact.time)
    known = sorted(i.at for i in span if i)
    if wanted is None:
        raise Misfit(f"{fact.time!r} is no time with day and clock")
    if own is not None and not wanted.covers(own):
        raise Misfit(f"found at {own.at.isoformat()} in {at.where}")
    if own is None and (not known or not known[0] - wanted.shown < wanted.at < known[-1] + wanted.shown):
        raise Misfit(f"{at.where} has nothing at {fact.time}")


def _recorded_time(fact: Fact, at: Place) -> None:
    """The time that belongs to the field (`worst_at` to `worst`), else one of the record's or at which a line begins."""
    wanted = clock.instant(fact.time)
    if wanted is None:
        raise Misfit(f"{fact.time!r} is no time with day and clock")
    own = next((m for o in at.own for f in (f"{at.field}_at", f"{at.field}_time") if (m := clock.instant(o.get(f)))), None)
    line = elements.moment_of(at.node) if isinstance(at.node, str) else None
    have = [own] if own else [*([line] if line else []), *(m for o in at.own for v in o.values() if (m := clock.instant(v)))]
    if not any(wanted.covers(m) for m in have):
        told = ", ".join(m.at.isoformat() for m in have[:3]) or "no time"
        raise Misfit(f"{at.where} has {told}")


def _judge(fact: Fact, found: Found, at: Place, calls: Sequence[Source]) -> None:
    """Misfit where what was found is not as the fact says."""
    if fact.op in TURNS:
        return
    said = _said(fact, at, calls)
    if fact.op in ORDERS or (said.instant and found.instant):
        right = _ordered(fact, found, said, at)
    elif said.amount and found.amount:
        right = _compared(fact, found.amount, said.amount)
    else:
        right = _alike(fact, found, said, at)
    if not right:
        raise Misfit(f"found {_shown(found.value)} at {at.where}")


def _said(fact: Fact, at: Place, calls: Sequence[Source]) -> Found:
    """The value, or what stands at the path that it is."""
    if fact.other is None:
        moment = clock.instant(fact.value) if isinstance(fact.value, str) else None
        return Found(fact.value, None if moment else amounts.of_fact(fact.value, fact.unit), moment)
    others = [p for c in (at.source, *calls) if (p := place(c, fact.other))]
    if not others:
        raise Misfit(f"no cited call has a node at {fact.value}")
    return found_in(others[0].node, others[0].field, others[0].unit)


def _ordered(fact: Fact, found: Found, said: Found, at: Place) -> bool:
    if found.instant is None or said.instant is None:
        raise Misfit(f"{at.where if found.instant is None else fact.value} is no time with day and clock")
    a, b = found.instant, said.instant
    table = {
        Op.EQ: b.covers(a), Op.NE: not b.covers(a), Op.BEFORE: a.at < b.at, Op.AFTER: a.at > b.at,
        Op.LT: a.at < b.at, Op.LE: a.at <= b.at, Op.GT: a.at > b.at, Op.GE: a.at >= b.at,
    }  # fmt: skip
    return table[fact.op]


def _compared(fact: Fact, found: Amount, said: Amount) -> bool:
    if fact.op in (Op.EQ, Op.NE):
        return said.meets(found) is (fact.op is Op.EQ)
    step = amounts.order(found, said)
    return {Op.LT: step < 0, Op.LE: step <= 0, Op.GT: step > 0, Op.GE: step >= 0}[fact.op]


def _alike(fact: Fact, found: Found, said: Found, at: Place) -> bool:
    """Texts and truth values are the same or not; of a sentence, its numbers are asked."""
    if said.amount and isinstance(found.value, str) and fact.op is Op.EQ:
        if any(said.amount.meets(a) for a in amounts.in_text(found.value)):
            return True
        raise Misfit(f"{at.where} reads {_shown(found.value)}")
    if fact.op not in (Op.EQ, Op.NE) or isinstance(found.value, Mapping | list):
        raise Misfit(f"{_shown(found.value)} at {at.where} can not be compared with {_shown(fact.value)}")
    one, other = found.value, said.value
    same = " ".join(one.split()) == " ".join(other.split()) if isinstance(one, str) and isinstance(other, str) else _identical(one, other)
    return same is (fact.op is Op.EQ)


def _identical(one: object, other: object) -> bool:
    """A truth value is no number, and null is nothing's value."""
    return isinstance(one, bool) is isinstance(other, bool) and one is not None and one == other


def _shown(value: object) -> str:
    return dumps(value)[:SHOWN]
