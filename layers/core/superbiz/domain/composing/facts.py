"""Typed facts as text: each by one template, so that a number is told with its name, its owner, its time and its place."""

from collections.abc import Iterable, Sequence

from superbiz.domain import facts, refs
from superbiz.domain.canonical import Spelled
from superbiz.domain.facts import Aggregate, Fact, Op
from superbiz.domain.facts.labels import Sentence
from superbiz.domain.reading.parts import saying
from superbiz.domain.report import Citation, ReportClaim
from superbiz.domain.values import JsonObject

MOST = 6  # facts that a source line shows
SIGNS = {"%": "%", "percent": "%"}
FULL_STOP = "."


def rendered(fact: Fact, *, place: bool = True) -> str:
    """`worst of PoolUtilization of orders-db: 98.2 % at 2026-07-08T23:06:00Z (from $.series[0].worst)`."""
    how = "" if fact.aggregate is Aggregate.VALUE else f"{fact.aggregate} of "
    of = f" of {fact.subject}" if fact.subject else ""
    when = f" at {fact.time}" if fact.time else ""
    return f"{how}{fact.metric}{of}: {_said(fact)}{when}{f' (from {fact.path})' if place else ''}"


def of_source(cited: Citation, claims: Iterable[ReportClaim]) -> str:
    """The facts that a citation's node bears, in short: `worst 98.2 %, baseline 4.1`; empty where there are none."""
    told = dict.fromkeys(_short(f) for claim in claims if cited in claim.evidence for f in read(claim.facts) if _bears(cited, f))
    return ", ".join(list(told)[:MOST])


def prose(claim: ReportClaim) -> str:
    """The claim's own sentence, or its facts' where it tells a number that they do not."""
    known = read(claim.facts)
    if not known or not _beyond(claim.claim_text, known):
        return claim.claim_text
    return "; ".join(rendered(f) for f in known) + FULL_STOP


def read(given: Iterable[JsonObject]) -> list[Fact]:
    """Those that can be read; what could not be was told by the Gatekeeper."""
    return [fact for fact in map(facts.readable, given) if fact]


def _beyond(text: str, known: Sequence[Fact]) -> bool:
    slots = [s for s in Sentence(saying(text, frozenset())).slots if s.amount is not None and s.text[:1].isdigit()]
    return any(not any(s.holds(f) for f in known) for s in slots)


def _short(fact: Fact) -> str:
    """Without what the citation says already: whose it is, and what the record measures."""
    how = "" if fact.aggregate is Aggregate.VALUE else f"{fact.aggregate} of "
    when = f" at {fact.time}" if fact.time else ""
    return f"{how}{fact.metric.split(' of ')[0]} {_said(fact)}{when}"


def _said(fact: Fact) -> str:
    value = fact.value.text if isinstance(fact.value, Spelled) else "" if fact.value is None else f"{fact.value}"
    named = fact.unit.lower() in fact.metric.lower().split()
    unit = "" if named else SIGNS.get(fact.unit.lower(), fact.unit)
    said = value if isinstance(fact.value, str) else f"{value} {unit}".strip()
    return said if fact.op is Op.EQ else f"{fact.op} {said}".strip()


def _bears(cited: Citation, fact: Fact) -> bool:
    at, node = refs.parse_path(fact.path) or (), refs.parse_path(cited.raw_path) or ()
    return fact.invocation_id in ("", cited.invocation_id) and at[: len(node)] == node
