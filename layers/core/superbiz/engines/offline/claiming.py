"""From facts to claims: every sentence is made of recorded fields and bound to the passages that hold them."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from superbiz.analysis import deciding, events
from superbiz.analysis.changes import Relation
from superbiz.analysis.deciding import Candidate, Channel
from superbiz.analysis.events import Nature
from superbiz.domain import entailment, facts, gatekeeper, unread
from superbiz.domain.absences import absence_text
from superbiz.domain.claims import Binding, Cause, Claim, ClaimType, Conclusion, NotChecked, RuledOut
from superbiz.domain.evidence import EvidenceStatus
from superbiz.domain.refs import NO_EVIDENCE
from superbiz.domain.values import JsonObject
from superbiz.domain.verification import CheckResult, ClaimStatus, Expressible
from superbiz.engines.offline import advising, briefs, citing, observing, runbooks, wording
from superbiz.engines.offline.observing import Record
from superbiz.engines.offline.playbook import Book

MOST_CLAIMS = 20
MOST_CAUSES = 5
LEAST_SCORE = 0.02  # below it, a candidate is noise beside the first
LONGEST = 500
NAME = 300  # characters of a resource or operation
DATED = (Channel.CHANGE, Channel.EVENT)  # what happened comes before what was measured
WAYS = 4  # of telling of a cause that are tried
OBSERVATIONS = 4  # of the first cause beside its own claim
RULED_OUT = 5
# Relations of a change to the onset that clear it, and what is said of it.
CLEARED = {
    Relation.ROUTINE.value: "it is routine",
    Relation.OLD.value: "it was long before the onset",
    Relation.AFTER.value: "it was after the onset",
    Relation.UNTOUCHED.value: "it changed nothing that shows any trouble",
}
MOVED = 3.0  # deviation from which a series is told beside a suspect


class Draft(NamedTuple):
    """A claim that has no id yet."""

    text: str
    claim_type: ClaimType
    critical: bool
    evidence: tuple[Binding, ...]


class Claims:
    """Collects drafts in order, each sentence once, up to the twenty that may be stated."""

    def __init__(self, book: Book) -> None:
        self.drafts: list[Draft] = []
        self._book = book
        self._evidence = book.evidence()
        self._known: frozenset[str] = frozenset()

    def add(self, text: str, claim_type: ClaimType, evidence: tuple[Binding, ...], *, critical: bool = False) -> str | None:
        """The draft's id, or None where it can not be stated: without evidence (an action apart), too long, or beyond the limit."""
        if len(text) > LONGEST or (not evidence and claim_type is not ClaimType.ACTION):
            return None
        known = next((n for n, d in enumerate(self.drafts) if d.text == text), None)
        if known is None and len(self.drafts) >= MOST_CLAIMS:
            return None
        if known is None:
            self.drafts.append(Draft(text, claim_type, critical, evidence))
            known = len(self.drafts) - 1
        return f"c{known + 1}"

    def standing(self, text: str, claim_type: ClaimType, evidence: tuple[Binding, ...]) -> Expressible:
        """How the sentence may be said, by the rules that Gatekeeper and Verifier will ask."""
        claim = Claim(claim_id="c", claim_text=text[:LONGEST], claim_type=claim_type, critical=True, evidence=evidence)
        gate = gatekeeper.gate_of(claim, self._evidence)
        if gate.status is not ClaimStatus.VERIFIED:
            return Expressible.NONE
        cited = [self._evidence.cited(b) for b in evidence]
        self._known |= entailment.known_in(cited)
        if entailment.judge(claim, cited, self._known).result is not CheckResult.SUPPORTED:
            return Expressible.NONE
        return Expressible.HEDGED if gate.lowered_by else Expressible.FULL

    def tell(self, record: Record, name: str, *, critical: bool = False, claim_type: ClaimType = ClaimType.OBSERVATION) -> str | None:
        """An observation of one record, in the words of its kind."""
        text = wording.WORDINGS[record.call.tool_name, name](record.node) + "."
        return self.add(text, claim_type, citing.whole([(record, text)]), critical=critical)

    def finished(self) -> tuple[Claim, ...]:
        """The claims with their ids."""
        return tuple(
            Claim(
                claim_id=f"c{n + 1}",
                claim_text=d.text,
                claim_type=d.claim_type,
                critical=d.critical,
                evidence=d.evidence,
                facts=self._facts(d),
            )
            for n, d in enumerate(self.drafts)
        )

    def _facts(self, draft: Draft) -> tuple[JsonObject, ...]:
        """The fields that its sentence tells; an action and an absence tell none."""
        if draft.claim_type in (ClaimType.ACTION, ClaimType.ABSENCE):
            return ()
        return facts.derived(map(self._book.told, draft.evidence), draft.text)


def symptom(claims: Claims, book: Book, conclusion: Conclusion) -> str | None:
    """The alarm's metric: what happened to it (and that it came back), or that it stayed within what is normal."""
    record = observing.shown(book.calls)
    if record is None:
        return None
    if conclusion is Conclusion.NO_FAULT and "recovered_at" not in record.node:
        text = wording.healthy(record.node) + "."
        return claims.add(text, ClaimType.OBSERVATION, citing.whole([(record, text)]), critical=True)
    return claims.tell(record, "symptom", critical=True, claim_type=ClaimType.IMPACT)


def causes(claims: Claims, book: Book, conclusion: Conclusion) -> tuple[Cause, ...]:
    """The ranked causes, each with its own claim. Where none is concluded they are candidates, and their claims observations."""
    if conclusion is Conclusion.NO_FAULT:
        return ()
    concluded = conclusion is Conclusion.ROOT_CAUSE
    scores = deciding.confidence(book.candidates) if concluded else [c.score for c in book.candidates]
    stated: list[tuple[Candidate, float, str]] = []
    for candidate, score in zip(book.candidates[:MOST_CAUSES], scores, strict=False):
        claim_id = _cause(claims, book, candidate, first=not stated, concluded=concluded) if candidate.score >= LEAST_SCORE else None
        if claim_id:
            stated.append((candidate, score, claim_id))
    details = _details(claims, book, stated[0][0]) if stated else []
    return tuple(_stated(c, score, [claim_id, *(details if n == 0 else ())]) for n, (c, score, claim_id) in enumerate(stated))


def _stated(candidate: Candidate, score: float, claim_ids: Sequence[str]) -> Cause:
    return Cause(
        resource=candidate.resource[:NAME],
        operation=candidate.operation[:NAME] if candidate.operation else None,
        fault_category=candidate.category,
        score=score,
        claim_ids=tuple(dict.fromkeys(claim_ids)),
    )


def ruled_out(claims: Claims, book: Book) -> tuple[RuledOut, ...]:
    """Red herrings among the changes, and resources that were seen to be as on ordinary days. Each rests on its positive observation."""
    rows: list[RuledOut] = []
    for record, name, why in islice(_innocent(book), RULED_OUT):
        claim_id = claims.tell(record, name)
        if claim_id:
            rows.append(RuledOut(what=_what(record), why=why, claim_ids=(claim_id,)))
    return tuple(rows)


def absences(claims: Claims, book: Book) -> None:
    """Queries that were answered in full and matched nothing, the first of each tool."""
    silent = [c.invocation for c in book.calls if c.invocation.retrieval_details.evidence_status is EvidenceStatus.NO_EVIDENCE]
    for call in {i.tool_name: i for i in reversed(silent)}.values():
        bound = Binding(invocation_id=call.invocation_id, raw_path=NO_EVIDENCE, evidence_excerpt="")
        claims.add(absence_text(call), ClaimType.ABSENCE, (bound,))


def actions(claims: Claims, book: Book, found: Sequence[Cause]) -> None:
    """What to do next: the runbook's own steps first, then what the signs of the first causes ask for."""
    for told in runbooks.steps(book.calls):
        claims.add(told.text, ClaimType.ACTION, told.evidence)
    named = {c.resource for c in found[:2]}
    for text in advising.steps([c for c in book.candidates if c.resource in named], book.records):
        claims.add(text, ClaimType.ACTION, ())


def not_checked(book: Book) -> tuple[NotChecked, ...]:
    """Sources that could not be read, normal periods that are missing, and data that could not be used."""
    outputs = {c.invocation.invocation_id: c.output for c in book.calls if c.output is not None}
    return unread.rows([c.invocation for c in book.calls], outputs)


def _cause(claims: Claims, book: Book, candidate: Candidate, *, first: bool, concluded: bool) -> str | None:
    """The fullest sentence that its citations carry, or else one that they carry with a hedge; where none is carried, none is stated."""
    ways = _support(book, candidate)
    if not concluded:
        return claims.tell(*ways[0][0]) if ways else None
    opening = f"{candidate.resource} is {'the likely root cause' if first else 'a suspected cause'}"
    hedged: tuple[str, tuple[Binding, ...]] | None = None
    for told in ways:
        text = f"{opening}: {', and '.join(dict.fromkeys(briefs.brief(name, r.node, candidate.resource) for r, name in told))}."
        evidence = citing.whole((r, text) for r, _ in told)
        standing = claims.standing(text, ClaimType.CAUSE, evidence)
        if standing is Expressible.FULL and (found := claims.add(text, ClaimType.CAUSE, evidence, critical=True)):
            return found
        hedged = hedged or ((text, evidence) if standing is Expressible.HEDGED else None)
    if not first and hedged:
        return claims.tell(*ways[0][0])  # what was seen of it, which needs no second witness
    return claims.add(hedged[0], ClaimType.CAUSE, hedged[1], critical=True) if hedged else None


def _details(claims: Claims, book: Book, candidate: Candidate) -> list[str]:
    """The first cause's signs as observations of their own, one a channel."""
    best = {sign.channel: sign for sign in reversed(candidate.signs)}
    ordered = sorted(best.values(), key=lambda s: (s.channel not in DATED, -s.strength))
    told = [claims.tell(*found) for sign in ordered[:OBSERVATIONS] if (found := _named(book, sign.key))]
    return [claim_id for claim_id in told if claim_id]


def _support(book: Book, candidate: Candidate) -> list[list[tuple[Record, str]]]:
    """Ways to tell of it, the fullest first: the strongest sign beside one from another source, or beside the symptom; then one alone."""
    keys = [key for sign in candidate.signs for key in (sign.key, *sign.also)]
    signs = [found for key in dict.fromkeys(keys) if (found := _named(book, key))]
    if not signs:
        return []
    first = signs[0]
    changes = [s for s in signs[1:] if s[1] == "changes"]
    others = [*changes, *signs[1:], *_moved(book, candidate.resource)]
    apart = [o for o in others if o[0].call.tool_name != first[0].call.tool_name]
    elsewhere = [o for o in others if o[0].call.invocation_id != first[0].call.invocation_id and o[0].node != first[0].node]
    pairs = [[first, second] for second in [*apart, *elsewhere][:WAYS]]
    felt = observing.shown(book.calls)
    effects = [[sign, (felt, "symptom")] for sign in signs[:WAYS]] if felt is not None and felt.node["direction"] != "steady" else []
    return [*pairs, *effects, *([s] for s in signs[:WAYS])]


def _moved(book: Book, resource: str) -> list[tuple[Record, str]]:
    """Series of the resource that left what is ordinary for them."""
    rows = observing.all_records(book.of("query_metrics"), "query_metrics", "series")
    return [(r, "series") for r in rows if r.node["subject"] == resource and abs(float(r.node["deviation"])) >= MOVED]


def _innocent(book: Book) -> Iterable[tuple[Record, str, str]]:
    """Changes that can not have caused it, and resources that are as ever. What the platform reports as failing is never cleared."""
    suspects = {c.resource for c in book.candidates}
    for record in observing.all_records(book.calls, "list_changes", "changes"):
        relation, whose = record.node["relation"], record.node.get("owner") or record.node.get("resource")
        if relation == Relation.UNTOUCHED.value and whose in suspects:
            continue  # it was no suspect yet when changes were asked for
        if relation in CLEARED and events.kind_of(record.node["name"], record.node.get("message", "")).nature is not Nature.FAILURE:
            yield record, "changes", CLEARED[relation]
    for record in observing.all_records(book.calls, "rank_suspects", "quiet"):
        if record.node["resource"] not in suspects:
            yield record, "quiet", "its own excess is within what is ordinary for it"


def _what(record: Record) -> str:
    node = record.node
    return " of ".join(str(node[k]) for k in ("name", "resource") if node.get(k))


def _named(book: Book, key: str) -> tuple[Record, str] | None:
    record = book.records.get(key)
    return (record, record.path.removeprefix("$.").split("[")[0]) if record else None
