"""The elements of an array as an aggregate reads them: each with its value, its unit, and its time where it has one."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from superbiz.domain.facts import clock, naming
from superbiz.domain.facts.clock import Instant, instant
from superbiz.domain.facts.fact import Aggregate, Fact
from superbiz.domain.facts.source import Misfit, Place, about, stands

TIMES = ("time", "timestamp", "at", "ts", "date", "datetime", "start", "started_at", "start_time", "since", "first", "@timestamp")
BEGUN = 3  # letters that a word shares with its stem
TOTALS = ("matched", "total", "total_count")  # how many there were, of which the array may hold the first ones


class Element(NamedTuple):
    """`node` is the whole element, `number` its place."""

    value: Any
    field: str
    unit: str
    node: Any
    number: int

    @property
    def at(self) -> Instant | None:
        return moment_of(self.node)


def elements(fact: Fact, at: Place) -> list[Element]:
    """Those about the subject that have the metric. Misfit where there is no array, or only a part of one."""
    if not isinstance(at.node, Sequence) or isinstance(at.node, str):
        raise Misfit(f"expected an array at {at.where} for {fact.aggregate}, found {_kind(at.node)}")
    _refuse_partial(at)
    kept = _of_subject(fact.subject, at)
    field = _field(fact.metric, [node for _, node in kept])
    if field is None:
        kept = _of_metric(fact, at, kept)
    return [e for n, node in kept if (e := _element(node, field, n, at)) is not None]


def moment_of(node: Any) -> Instant | None:
    """When an element was: a point's time, a record's own field of that kind, the time at which a line begins."""
    if clock.is_point(node):
        return instant(node[0])
    if isinstance(node, Mapping):
        return next((found for name in TIMES if name in node and (found := instant(node[name]))), None)
    return clock.heading(node) if isinstance(node, str) else None


def _refuse_partial(at: Place) -> None:
    above = [o for o in (at.source.output, *at.own, *at.outer) if isinstance(o, Mapping)]
    cut = not at.source.complete or any(o.get("complete") is False or o.get("truncated") is True for o in above)
    if cut:
        raise Misfit(f"{at.where} was cut short: nothing can be counted or summed over a part")
    beside = at.own[0] if at.own and at.own[0].get(at.field) is at.node else {}
    more = next((v for name in TOTALS if isinstance(v := beside.get(name), int) and not isinstance(v, bool) and v > len(at.node)), None)
    if more is not None and isinstance(at.node, Sequence) and sum(isinstance(v, list | tuple) for v in beside.values()) == 1:
        raise Misfit(f"{at.where} holds {len(at.node)} of {more}: nothing can be counted or summed over a part")


def _of_subject(subject: str, at: Place) -> list[tuple[int, Any]]:
    """Elements that name their owner are kept by it; those that do not are the subject's where the record or the question is."""
    rows = list(enumerate(at.node))
    if not subject:
        return rows
    told = [about(subject, node) for _, node in rows]
    if any(t is not None for t in told) and any(isinstance(node, Mapping) for _, node in rows):
        return [row for row, t in zip(rows, told, strict=True) if t]
    if stands(subject, at):
        return rows
    kept = [row for row, t in zip(rows, told, strict=True) if t]
    if not kept:
        raise Misfit(f"neither {at.where} nor what was asked speaks of {subject}")
    return kept


def _field(metric: str, nodes: Sequence[Any]) -> str | None:
    """The field that the metric names: spelled so, or of the same words."""
    fields = dict.fromkeys(k for node in nodes if isinstance(node, Mapping) for k in node)
    if metric in fields:
        return metric
    wanted = naming.roots(metric)
    return next((f for f in fields if naming.roots(f) == wanted), None)


def _of_metric(fact: Fact, at: Place, rows: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Elements without such a field: all where the metric is the array's own name or its record's, else those that hold its words."""
    counted = fact.aggregate in (Aggregate.COUNT, Aggregate.RATE)
    if not counted and any(isinstance(node, Mapping) for _, node in rows):
        raise Misfit(f"the elements of {at.where} have no field {fact.metric!r}")
    wanted = naming.roots(fact.metric)
    if not counted or wanted <= naming.roots(at.field) or not rows:
        if rows:
            naming.check(fact.metric, at)
        return rows
    if all(clock.is_point(node) or isinstance(node, int | float) for _, node in rows):
        naming.check(fact.metric, at)
        return rows
    begun = [re.compile(rf"(?<![^\W_]){re.escape(word[:BEGUN])}\w*", re.IGNORECASE) for word in sorted(wanted)]
    return [(n, node) for n, node in rows if _holds(wanted, begun, node)]


def _holds(wanted: frozenset[str], begun: Sequence[re.Pattern[str]], node: Any) -> bool:
    """Whether the element holds all words. Of a line, those that begin like them are read first."""
    if not isinstance(node, str):
        return wanted <= _words(node)
    found = frozenset().union(*(naming.roots(word) for pattern in begun for word in pattern.findall(node)))
    if wanted <= found:
        return True
    line = node.casefold()
    return all(word[:BEGUN] in line for word in wanted) and wanted <= _words(node)


def _words(node: Any) -> frozenset[str]:
    if isinstance(node, Mapping):
        return frozenset().union(*(_words(v) for v in node.values()))
    return naming.roots(node) if isinstance(node, str) else frozenset()


def _element(node: Any, field: str | None, number: int, at: Place) -> Element | None:
    """None where the element has no value: a gap is no zero."""
    if clock.is_point(node):
        return Element(node[1], at.field, at.unit, node, number) if node[1] is not None else None
    if isinstance(node, Mapping) and field is not None:
        beside = node.get("unit")
        unit = beside if isinstance(beside, str) else at.unit
        return Element(node[field], field, unit, node, number) if node.get(field) is not None else None
    return Element(node, at.field, at.unit, node, number) if node is not None else None


def _kind(node: Any) -> str:
    return "an object" if isinstance(node, Mapping) else "null" if node is None else type(node).__name__
