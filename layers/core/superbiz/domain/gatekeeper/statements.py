"""Rules on a whole claim whose citations are real: its numbers, times, names and directions are those of the cited records."""

import re
from collections.abc import Iterable

from superbiz.domain import entailment
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.gatekeeper import sources, spans, typed
from superbiz.domain.gatekeeper.rule import Citation, Statement
from superbiz.domain.reading import names
from superbiz.domain.reading.parts import BASE, Cited, Record, widened
from superbiz.domain.reading.times import Moment, same
from superbiz.domain.reading.words import words
from superbiz.domain.values import Window

NEEDED = 2  # independent sources of a cause
# What these answer is of the window that they were asked for; a past alarm or a runbook is older than the question, by its nature.
TIMED = (ToolCategory.LOG, ToolCategory.METRIC, ToolCategory.TRACE, ToolCategory.CHANGE)


def numbers(s: Statement) -> Iterable[str]:
    """Equal after conversion of units, at the precision that the claim shows, or worked out from recorded values."""
    said = typed.untyped(s)
    return (reason for code in ("NUMBER", "DIGITS", "COUNTED", "COMPARED") for reason in entailment.firm(code, said, s.records))


def times(s: Statement) -> Iterable[str]:
    """In UTC, of the cited record, and in the window of its query."""
    return _firm(s, "TIME")


def outside_window(s: Statement) -> Iterable[str]:
    """What was not asked for can not have been seen."""
    windows = _windows(s.citations)
    for moment in s.said.moments if windows else ():
        if not any(spans.holds(w, moment) for w in windows) and not _recorded(moment, s.records):
            yield f"expected a time within {_shown(windows[0])}, which was asked for; found {moment.text}"


def _recorded(moment: Moment, records: Iterable[Record]) -> bool:
    """Whether a field of a cited record holds it: a tool that answers for a window may tell of an onset before it."""
    return any(m.field and same(moment, m) for r in records for m in r.moments)


def entities(s: Statement) -> Iterable[str]:
    """Services, resources, operations and codes stand in the excerpt's record or in the call's parameters."""
    yield from _firm(s, "NAME", "OWNER")
    yield from _asked_only(s)


def directions(s: Statement) -> Iterable[str]:
    """What rose did rise, what came after did."""
    return _firm(s, "DIRECTION", "SIDE", "TURN", "ORDER", "OPPOSITE", "COMPARED", "WHEN")


def negations(s: Statement) -> Iterable[str]:
    """What the record denies is not affirmed, and the other way round."""
    return _firm(s, "NEGATION", "PREDICATE", "UNDONE")


def one_source(s: Statement) -> Iterable[str]:
    """A cause is told by two citations of what happened; silence and knowledge are none."""
    found = len(sources.testimonies(s.citations))
    if found < NEEDED:
        yield f"expected {NEEDED} independent sources of a cause, found {found}"


def repeated(s: Statement) -> Iterable[str]:
    """A record told twice, or a record and one of its fields, is one source."""
    told = sources.testimonies(s.citations)
    if len(told) >= NEEDED > sources.independent(told):
        yield f"expected {NEEDED} independent sources of a cause; its {len(told)} citations are one, told again: {told[0].where}"


def outsiders_alone(s: Statement) -> Iterable[str]:
    """What anybody may have written is no ground for a cause unless something measured stands beside it."""
    told = sources.testimonies(s.citations)
    if told and all(map(sources.outsiders, told)):
        yield f"expected something measured beside texts that an outsider can write; found only {', '.join(c.where for c in told[:3])}"


def outside_incident(s: Statement) -> Iterable[str]:
    """What is not from the time of the incident tells of it only as what is normal."""
    incident, windows = s.book.incident, _windows(s.citations)
    if incident is None or not windows or any(spans.overlap(w, incident) for w in windows):
        return
    if BASE.isdisjoint(words(s.claim.claim_text)):
        yield f"expected evidence of the incident, {_shown(incident)}; the cited calls were asked for {_shown(windows[0])}"


def _asked_only(s: Statement) -> Iterable[str]:
    """A name that stands in the query alone is no owner of a record that names another, unless the query was for that one thing."""
    for name in (n for n in s.said.names if n.hard):
        held = [_own_names(r if r.owners else widened(r), c) for r, c in zip(s.everything, s.cited, strict=True)]
        if any(names.stands_in(name.text, own) for own in held) or any(_asked_for(name.text, c) for c in s.cited):
            continue
        others = {other for r in s.everything for other in _things(r, s.book.known) if other not in s.claim.claim_text}
        if others:
            yield f"expected {name.text} in the cited record; only the query names it, the record is about {', '.join(sorted(others)[:3])}"


def _own_names(r: Record, cited: Cited) -> frozenset[str]:
    return names.of_record([*r.texts, *map(str, cited.around.values())])


def _asked_for(name: str, cited: Cited) -> bool:
    """Whether the call was for this one thing and no other."""
    asked = {str(entity) for entity in names.entities(cited.params)}
    return len(asked) == 1 and names.stands_in(name, frozenset(names.of_record(list(asked))))


def _things(r: Record, known: frozenset[str]) -> Iterable[str]:
    """Services and the like that the record names."""
    for name in names.in_text(r.flat, known):
        if name.hard and (name.text in known or re.split(r"[-_.]", name.text.casefold())[-1] in names.NAMING):
            yield name.text


def _windows(citations: Iterable[Citation]) -> list[Window]:
    """Of the calls that answer for a window; none where one of them does not say for which."""
    found = [c.book.window(c.binding.invocation_id) for c in citations if c.call.category in TIMED and not c.silent]
    return [w for w in found if w] if all(found) else []


def _shown(window: Window) -> str:
    return f"{window.start:%Y-%m-%dT%H:%M:%SZ} to {window.end:%Y-%m-%dT%H:%M:%SZ}"


def _firm(s: Statement, *codes: str) -> Iterable[str]:
    return (reason for code in codes for reason in entailment.firm(code, s.said, s.records))
