"""Whether cited text carries a claim: plain rules over words, numbers, times and names, without a model.

The claim's numbers, times, names, directions and denials are checked one by one against the cited record; its wording by how much of it the
record speaks of. What is not found lowers the result, with the reason that a person would give.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from superbiz.domain import facts
from superbiz.domain.claims import Claim, ClaimType
from superbiz.domain.entailment import absence, linked, prose
from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.entailment.rules import RULES
from superbiz.domain.reading import names
from superbiz.domain.reading.parts import Cited, Record, Saying, known_entities, record, saying, to_the_point
from superbiz.domain.verification import CheckResult, Expressible

__all__ = ["Cited", "Entailment", "judge", "known_in", "named_in"]

_WORST = (CheckResult.CONTRADICTED, CheckResult.UNSUPPORTED, CheckResult.PARTIAL, CheckResult.SUPPORTED)
RULES_BY_CODE = {rule.code: rule for rule in RULES}
EXPRESSIBLE = {CheckResult.SUPPORTED: Expressible.FULL, CheckResult.PARTIAL: Expressible.HEDGED}
REASONS_SHOWN = 3


class Entailment(NamedTuple):
    """`facts` are the single statements of the claim that were checked, each with its result."""

    result: CheckResult
    expressible: Expressible
    reason: str
    facts: tuple[tuple[str, CheckResult], ...] = ()


def known_in(cited: Sequence[Cited]) -> frozenset[str]:
    """The names of things that these citations hold; given to `judge`, they are names in every claim."""
    return known_entities(map(record, cited))


def named_in(documents: Iterable[Any]) -> frozenset[str]:
    """The names of things in the name fields of any documents, such as parameters and outputs that no claim cites."""
    return frozenset(e for document in documents for e in names.entities(document) if not e.isdigit())


def read(claim: Claim, known: frozenset[str]) -> Saying:
    """The claim, taken apart; `known` words are names in it."""
    return saying(claim.claim_text, known)


def about(said: Saying, cited: Sequence[Cited]) -> tuple[Record, ...]:
    """Those citations whose excerpt speaks of what the claim says, taken apart."""
    return tuple(r for r in map(record, cited) if to_the_point(said, r))


def taken_apart(cited: Sequence[Cited]) -> tuple[Record, ...]:
    """All citations as the rules read them."""
    return tuple(map(record, cited))


def firm(code: str, said: Saying, records: Sequence[Record]) -> Iterator[str]:
    """The reasons of one rule where it finds that the records do not carry the claim, or carry the opposite."""
    return (c.reason for c in _asked(code, said, records) if c.result in (CheckResult.UNSUPPORTED, CheckResult.CONTRADICTED))


def judge(claim: Claim, cited: Sequence[Cited], known: frozenset[str] = frozenset()) -> Entailment:
    """Whether the citations carry the claim. All of them are taken for real; none at all carry nothing."""
    if not cited:
        return _settled([Complaint(CheckResult.UNSUPPORTED, "no citation stands behind it", claim.claim_text)], [])
    said = facts.untyped(read(claim, known), claim.facts)
    if claim.claim_type is ClaimType.ABSENCE:
        return _settled(list(absence.complaints(said, taken_apart(cited))), [])
    near = about(said, cited)
    if not near:
        return _settled([Complaint(CheckResult.UNSUPPORTED, "the excerpt speaks of nothing that the claim says", claim.claim_text)], [])
    complaints = [c for rule in RULES for c in _asked(rule.code, said, near)]
    if claim.claim_type is ClaimType.CAUSE:
        complaints += linked.complaints(said, near)
    checked = [*(q.text for q in said.numbers), *(m.text for m in said.moments), *(n.text for n in said.names), *said.quotes]
    return _settled(complaints, checked)


_KEPT: OrderedDict[tuple[object, ...], tuple[Saying, Sequence[Record], tuple[Complaint, ...]]] = OrderedDict()
KEPT = 256


def _asked(code: str, said: Saying, records: Sequence[Record]) -> tuple[Complaint, ...]:
    """What one rule finds. Gatekeeper and Verifier ask the same of the same readings, one after the other: the second finds it here."""
    key = (code, id(said), *map(id, records))
    if key not in _KEPT:
        found = tuple(prose.standing(code, RULES_BY_CODE[code].complaints(said, records), records))
        _KEPT[key] = (said, records, found)  # the readings are kept, so that no other can come to have their ids
        if len(_KEPT) > KEPT:
            _KEPT.popitem(last=False)
    return _KEPT[key][2]


def _settled(complaints: Sequence[Complaint], checked: Sequence[str]) -> Entailment:
    result = min((c.result for c in complaints), key=_WORST.index, default=CheckResult.SUPPORTED)
    reasons = dict.fromkeys(c.reason for c in sorted(complaints, key=lambda c: _WORST.index(c.result)))
    failed = {c.fact: c.result for c in complaints}
    facts = tuple((fact, failed.get(fact, CheckResult.SUPPORTED)) for fact in dict.fromkeys([*checked, *failed]))
    reason = "; ".join(list(reasons)[:REASONS_SHOWN]) or "the cited record states it"
    return Entailment(result, EXPRESSIBLE.get(result, Expressible.NONE), reason, facts)
