"""From a Verifier's reply to the stored verdict. Code may only lower what the Verifier says, and writes down where it did.

Order: guards claim by claim, then the count of critical facts, the score, the verdict; the worse of Verifier and code stands.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from superbiz.domain.claims import Claim, ClaimType, ExecutorOutput, ParseStatus
from superbiz.domain.evidence import Invocation
from superbiz.domain.rulings import MAX_TEXT, Ruling, critical, rulings
from superbiz.domain.verification import (
    CheckResult,
    ClaimCheck,
    Expressible,
    FactCheck,
    GatekeeperResult,
    TraceRow,
    Verdict,
    VerifierEvaluation,
    VerifierReply,
)

PASS_SCORE = 0.7
LAST_ROUND = 2
MAX_FACTS = 100
# Codes of the Gatekeeper that more evidence, or a citation of the right record, can mend.
FIXABLE = frozenset(
    {
        *("MISSING_EVIDENCE", "INVOCATION_NOT_FOUND", "INVOCATION_FAILED", "RAW_PATH_NOT_FOUND"),
        *("EXCERPT_TOO_SHORT", "EXCERPT_MISMATCH", "EXCERPT_CUT", "EXCERPT_BOILERPLATE"),
        *("NUMBER_MISMATCH", "TIME_MISMATCH", "TIME_OUTSIDE_WINDOW", "ENTITY_MISMATCH", "DIRECTION_MISMATCH"),
        *("FACT_INVALID", "FACT_MISMATCH", "FACT_SWAPPED", "ABSENCE_UNFOUNDED", "WHOLE_OF_A_PART", "OUTPUT_ALTERED"),
    }
)
_VERDICTS = (Verdict.REJECT, Verdict.LOW_CONFID, Verdict.PASS)


def judge(
    structured: ExecutorOutput | None,
    parse: ParseStatus,
    gate: GatekeeperResult,
    reply: VerifierReply | None,
    *,
    round_: int,
    invocations: Sequence[Invocation],
    summary: Sequence[TraceRow],
    cap: Verdict | None = None,
    last_round: int = LAST_ROUND,
) -> VerifierEvaluation:
    """The `verifier_evaluation` node. `reply` is None where the Verifier gave nothing usable; `cap` bounds the verdict from above."""
    claims = structured.claims if structured and parse.valid else ()
    ruled = rulings(claims, gate, reply)
    notes = [ruling.note for ruling in ruled if ruling.note] + _dropped(ruled, reply)
    checks = tuple(ruling.check for ruling in ruled)
    fixable = round_ < last_round and (reply is not None or not parse.valid) and _fixable(claims, parse, gate, checks, invocations)
    standing = _standing(claims, parse, gate, checks, reply, may_retry=fixable)
    talk = structured is not None and structured.no_evidence_needed and parse.valid and not claims
    verdict, why = _TALK if talk else _settled(standing, reply, parse, cap, notes)
    if reply and standing.score < _clamped(reply.groundedness_score):
        notes.append(f"groundedness {_clamped(reply.groundedness_score):.2f} lowered to {standing.score:.2f}: {standing.counted}")
    return VerifierEvaluation(
        verdict=verdict,
        groundedness_score=standing.score,
        critical_fact_count=standing.critical,
        claim_checks=checks,
        facts_checked=_facts(checks, reply),
        rationale=(reply.rationale.strip()[:MAX_TEXT] if reply else "") or f"{why[0].upper()}{why[1:]}.",
        round=round_,
        executor_output_parse_status=parse,
        executor_structured_output=structured,
        gatekeeper_result=gate,
        tool_trace_summary=tuple(summary),
        model_verdict=reply.verdict if reply else None,
        model_groundedness_score=_finite(reply.groundedness_score) if reply else None,
        adjustments=tuple(notes),
    )


def retryable(evaluation: VerifierEvaluation, *, round_: int, invocations: Sequence[Invocation], last_round: int = LAST_ROUND) -> bool:
    """More evidence is worth one more round: LOW_CONFID for a reason that it can mend. REJECT never retries, nor does a mute Verifier."""
    parse, structured = evaluation.executor_output_parse_status, evaluation.executor_structured_output
    mute = evaluation.model_verdict is None and parse.valid
    if evaluation.verdict is not Verdict.LOW_CONFID or round_ >= last_round or mute:
        return False
    claims = structured.claims if structured and parse.valid else ()
    return _fixable(claims, parse, evaluation.gatekeeper_result, evaluation.claim_checks, invocations)


def worse(*verdicts: Verdict) -> Verdict:
    """PASS is better than LOW_CONFID, that better than REJECT."""
    return min(verdicts, key=_VERDICTS.index)


def _dropped(rulings: Sequence[Ruling], reply: VerifierReply | None) -> list[str]:
    known = {r.check.claim_id for r in rulings}
    strange = [check.claim_id for check in (reply.claim_checks if reply else ()) if check.claim_id not in known]
    return [f"{len(strange)} checks of claims that were never made are dropped"] if strange else []


class _Standing(NamedTuple):
    """What rule 5 looks at."""

    parsed: bool
    critical: int
    supported: int
    critical_contradicted: bool
    contradicted: bool
    sayable: bool
    score: float
    may_retry: bool

    @property
    def counted(self) -> str:
        return f"{self.supported} of {self.critical} critical facts are supported"


def _standing(
    claims: Sequence[Claim],
    parse: ParseStatus,
    gate: GatekeeperResult,
    checks: Sequence[ClaimCheck],
    reply: VerifierReply | None,
    *,
    may_retry: bool,
) -> _Standing:
    by_id = {check.claim_id: check for check in checks}
    facts = [by_id[claim.claim_id] for claim in critical(claims, gate)]
    supported = sum(check.result is CheckResult.SUPPORTED for check in facts)
    model = _clamped(reply.groundedness_score) if reply else 0.0
    return _Standing(
        parsed=parse.valid,
        critical=len(facts),
        supported=supported,
        critical_contradicted=any(by_id[c.claim_id].result is CheckResult.CONTRADICTED for c in claims if c.must_hold),
        contradicted=any(check.result is CheckResult.CONTRADICTED for check in checks),
        sayable=any(by_id[c.claim_id].expressible is not Expressible.NONE for c in claims if c.claim_type is not ClaimType.ACTION),
        score=min(model, supported / len(facts)) if facts else 0.0,
        may_retry=may_retry,
    )


class Row(NamedTuple):
    verdict: Verdict
    holds: Callable[[_Standing], bool]
    why: str


CODE_VERDICT = (
    Row(Verdict.REJECT, lambda s: s.critical_contradicted, "the evidence contradicts a critical claim"),
    Row(Verdict.REJECT, lambda s: not s.may_retry and not s.parsed, "the Executor's output can not be read and no retry is possible"),
    Row(Verdict.REJECT, lambda s: not s.may_retry and not s.sayable, "no claim can be expressed and no retry is possible"),
    Row(
        Verdict.PASS,
        lambda s: s.critical >= 1 and s.supported == s.critical and not s.contradicted and s.score >= PASS_SCORE,
        "every critical fact is supported",
    ),
    Row(Verdict.LOW_CONFID, lambda _s: True, "not every critical fact is firmly supported"),
)
_TALK = (Verdict.PASS, "no evidence is needed to answer this")
_MUTE = (Verdict.LOW_CONFID, "the Verifier gave no usable judgement")


def _settled(
    standing: _Standing, reply: VerifierReply | None, parse: ParseStatus, cap: Verdict | None, notes: list[str]
) -> tuple[Verdict, str]:
    """The worse of Verifier, code and cap, with the reason where code lowered it."""
    row = next(row for row in CODE_VERDICT if row.holds(standing))
    code, why = _MUTE if reply is None and parse.valid else (row.verdict, row.why)
    if cap is not None and worse(cap, code) is not code:
        code, why = cap, f"the verdict is capped at {cap}"
    said = reply.verdict if reply else code
    final = worse(said, code)
    if final is not said:
        notes.append(f"verdict {said} lowered to {final}: {why} ({standing.counted})")
    return final, why


def _fixable(
    claims: Sequence[Claim], parse: ParseStatus, gate: GatekeeperResult, checks: Sequence[ClaimCheck], invocations: Sequence[Invocation]
) -> bool:
    if not parse.valid or not any(call.counts_for_evidence for call in invocations):
        return True
    codes = {g.claim_id: g.codes for g in gate.claims}
    unsupported = {check.claim_id for check in checks if check.result is CheckResult.UNSUPPORTED}
    return any(c.claim_id in unsupported or FIXABLE.intersection(codes.get(c.claim_id, ())) for c in critical(claims, gate))


def _facts(checks: Sequence[ClaimCheck], reply: VerifierReply | None) -> tuple[FactCheck, ...]:
    """Facts of claims that were made, none better than its claim's citations allow."""
    unreal = {check.claim_id for check in checks if check.result is CheckResult.NOT_VERIFIED}
    known = {check.claim_id for check in checks}
    kept = [fact for fact in (reply.facts_checked if reply else ()) if fact.claim_id in known][:MAX_FACTS]
    return tuple(fact.model_copy(update={"result": CheckResult.NOT_VERIFIED}) if fact.claim_id in unreal else fact for fact in kept)


def _finite(score: float) -> float | None:
    return score if math.isfinite(score) else None


def _clamped(score: float) -> float:
    return min(1.0, max(0.0, score)) if math.isfinite(score) else 0.0
