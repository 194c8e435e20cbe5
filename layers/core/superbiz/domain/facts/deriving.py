"""Facts derived from a record and the sentence that tells it: one for each number and time that is one of the record's own fields."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from superbiz.domain import refs
from superbiz.domain.facts import amounts, clock, naming
from superbiz.domain.facts.fact import Fact
from superbiz.domain.facts.labels import Sentence, Slot
from superbiz.domain.reading.parts import saying
from superbiz.domain.values import JsonObject

SUBJECTS = ("subject", "resource", "service", "database", "callee", "name")
MEASURES = ("metric",)  # the field that names what the other fields measure
MOST = 20


class Told(NamedTuple):
    """A node of a call's output, which a sentence tells."""

    invocation_id: str
    path: str
    node: Any


def derived(records: Iterable[Told], text: str) -> tuple[JsonObject, ...]:
    """In the order of the sentence. A record without a field that names its subject is told without one."""
    sentence = Sentence(saying(text, frozenset()))
    facts = [_fact(r, field) for r in records if isinstance(r.node, Mapping) for field in r.node if _tells(r.node[field])]
    chosen = [found for slot in sentence.slots if (found := _chosen(sentence, slot, facts))]
    timed = {(f"{f.path}_at", f.time) for f in chosen if f.time}
    return tuple(_json(f) for f in dict.fromkeys(chosen) if (f.path, f.value) not in timed)[:MOST]


def _tells(node: Any) -> bool:
    return amounts.exact(node) is not None or (isinstance(node, str) and clock.instant(node) is not None)


def _fact(record: Told, field: str) -> Fact:
    """A field as a fact: its name in words, with what it measures; its unit; and when it was, where a field beside it says so."""
    node: Mapping[str, Any] = record.node
    measured = next((f" of {node[f]}" for f in MEASURES if isinstance(node.get(f), str) and field != f), "")
    when = node.get(f"{field}_at")
    return Fact(
        subject=next((node[f] for f in SUBJECTS if isinstance(node.get(f), str) and node[f]), "")[:300],
        metric=f"{field.replace('_', ' ')}{measured}"[:200],
        value=node[field],
        unit=_unit(node, field),
        time=when if isinstance(when, str) and clock.instant(when) else "",
        path=refs.format_path((*(refs.parse_path(record.path) or ()), field)),
        invocation_id=record.invocation_id,
    )


def _unit(node: Mapping[str, Any], field: str) -> str:
    """Of a number alone, as the field's name or a `unit` beside it says."""
    if amounts.exact(node[field]) is None:
        return ""
    beside = node.get("unit")
    found = amounts.of_record(node[field], field, beside if isinstance(beside, str) else "")
    return found.unit or "" if found else ""


def _chosen(sentence: Sentence, slot: Slot, facts: list[Fact]) -> Fact | None:
    """Of the fields with the slot's value, the one whose name stands nearest; a time of a value's own comes with the value."""
    fitting = [f for f in facts if slot.holds(f) and (slot.moment is None or isinstance(f.value, str))]
    return max(fitting, key=lambda f: sentence.nearness(slot, roots := naming.roots(f"{f.metric} {f.subject}"), roots), default=None)


def _json(fact: Fact) -> JsonObject:
    """What is given, in the order of the format."""
    told = {
        "subject": fact.subject, "metric": fact.metric, "op": fact.op.value, "value": fact.value, "unit": fact.unit, "time": fact.time,
        "aggregate": fact.aggregate.value, "path": fact.path, "invocation_id": fact.invocation_id,
    }  # fmt: skip
    return {key: value for key, value in told.items() if value != ""}
