"""The model's Verifier: it judges wording over citations that the Gatekeeper found real. It never sees the Executor's free text.

The offline Verifier judges the same claims, and the lower judgement counts: a model can only lower.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from superbiz.domain import canonical
from superbiz.domain.claims import Claim
from superbiz.domain.gatekeeper import Excerpt
from superbiz.domain.runs import EngineName
from superbiz.domain.summary import input_summary
from superbiz.domain.values import JsonObject
from superbiz.domain.verification import ClaimGate, ClaimStatus, GatekeeperResult, TraceRow, VerifierReply
from superbiz.engines.model import schemas
from superbiz.engines.model.blocks import Blocks, one_line
from superbiz.engines.model.lowering import bounded
from superbiz.engines.model.prompting import render
from superbiz.engines.model.reading import value
from superbiz.engines.model.talk import Means, Talk, Unusable
from superbiz.ports import Brief, Dossier, ModelMessage, Verification, Verifier

AROUND_CHARS = 600
REASON_CHARS, MOST_REASONS = 300, 4


class ModelVerifier:
    """Implements `Verifier`."""

    def __init__(self, means: Means, offline: Verifier) -> None:
        self._means, self._offline = means, offline

    def verify(self, dossier: Dossier, brief: Brief) -> Verification:
        """Without a verified claim there is no wording to judge, and no call is paid for."""
        checked = self._offline.verify(dossier, brief)
        if not judged(dossier):
            return checked
        talk = Talk(self._means, brief, "verifier", self._means.limits.stage_seconds)
        try:
            reply, raw = talk.ask(messages(dossier, self._means, brief), schemas.VERIFICATION, _read)
        except Unusable as e:
            return Verification(None, model_input=talk.transcript, cost=talk.cost, engine=EngineName.MODEL, degraded=e.reason)
        return Verification(bounded(reply, checked.reply), talk.transcript, raw, talk.cost, EngineName.MODEL)


def judged(dossier: Dossier) -> Sequence[Claim]:
    """The claims whose wording is to be judged: those with citations, all of them real."""
    verified = {gate.claim_id for gate in dossier.gatekeeper.claims if gate.status is ClaimStatus.VERIFIED}
    return tuple(claim for claim in (dossier.structured.claims if dossier.structured else ()) if claim.claim_id in verified)


def _proposed(dossier: Dossier) -> Sequence[Claim]:
    """Actions without evidence: the Verifier may forbid them."""
    exempt = {gate.claim_id for gate in dossier.gatekeeper.claims if gate.status is ClaimStatus.EXEMPT}
    return tuple(claim for claim in (dossier.structured.claims if dossier.structured else ()) if claim.claim_id in exempt)


def messages(dossier: Dossier, means: Means, brief: Brief) -> Sequence[ModelMessage]:
    """REQ-078: structured claims, gatekeeper result, verified excerpts, tool trace summary; and the question for context."""
    blocks = Blocks()
    query = means.redactor(brief.run.run_id).text(dossier.query)
    parts = [
        blocks.seal("question", query),
        blocks.seal("gatekeeper result", _gate(dossier.gatekeeper)),
        blocks.seal("tool trace summary", _summary(dossier.summary)),
        *(_claim(claim, dossier.excerpts, blocks) for claim in judged(dossier)),
        *(blocks.seal("proposed action", _stated(claim)) for claim in _proposed(dossier)),
        "Judge the claims above.",
    ]
    return (ModelMessage("system", render("verifier", marker=blocks.marker)), ModelMessage("user", "\n\n".join(parts)))


def _read(document: JsonObject) -> VerifierReply:
    return value(VerifierReply, document)


def _gate(gate: GatekeeperResult) -> str:
    """Each claim's status with its codes, and in words what was expected and found."""
    return "\n".join((f"{gate.status} by {gate.rules_version}", *(row for claim in gate.claims for row in _gated(claim))))


def _gated(claim: ClaimGate) -> Iterable[str]:
    codes = (*claim.codes, *claim.lowered_by)
    yield f"{claim.claim_id}: {claim.status}" + (f" ({', '.join(codes)})" if codes else "")
    yield from (f"  {breach.code}: {one_line(breach.reason)[:REASON_CHARS]}" for breach in claim.breaches[:MOST_REASONS])


def _summary(rows: Iterable[TraceRow]) -> str:
    """Without previews: the list is for finding one's way, and a preview reads like evidence."""
    return "\n".join(f"{r.seq}. {r.tool_name} ({r.input_summary}) {r.status} {r.evidence_status} {r.invocation_id}" for r in rows)


def _claim(claim: Claim, excerpts: Iterable[Excerpt], blocks: Blocks) -> str:
    """The claim, then its citations grouped by call, each excerpt with the record that it stands in."""
    own = [e for e in excerpts if e.claim_id == claim.claim_id]
    cited = "\n".join(line for _, group in groupby(own, key=lambda e: e.invocation_id) for line in _citations(list(group)))
    return blocks.seal("claim", _stated(claim)) + "\n" + blocks.seal("its citations", cited)


def _stated(claim: Claim) -> str:
    told = claim.model_dump(mode="json", include={"claim_id", "claim_type", "critical", "claim_text", "facts"})
    return canonical.dumps({key: value for key, value in told.items() if value != []})


def _citations(group: Sequence[Excerpt]) -> Iterable[str]:
    yield f"from {group[0].tool_name} ({input_summary(group[0].params, AROUND_CHARS)})"
    for cited in group:
        yield f"  {cited.raw_path} says: {one_line(cited.excerpt)}" if cited.excerpt else f"  {cited.raw_path}: the query matched nothing"
        if text := _around(one_line(cited.text), one_line(cited.excerpt)):
            yield f"    in the record: {text}"
        if cited.around:
            yield f"    beside it: {canonical.dumps(cited.around)[:AROUND_CHARS]}"


def _around(text: str, excerpt: str) -> str:
    """The record around the excerpt; empty where the excerpt is the record."""
    if text == excerpt:
        return ""
    at = max(0, text.find(excerpt))
    start, end = max(0, at - AROUND_CHARS), at + len(excerpt) + AROUND_CHARS
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
