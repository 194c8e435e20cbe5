"""`report/1` from a judged run: which causes survive, what may be concluded, and every citation with its number.

A cause survives with an expressible claim of its own that names it. Without one it is a hypothesis; without any cause left, or on
REJECT, the conclusion is `inconclusive`. `no_fault` and a ruled-out row rest on positive evidence, never on a query that matched nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from superbiz.domain.absences import absence_text
from superbiz.domain.claims import Cause, Claim, ClaimType, Conclusion, Findings, NotChecked, RuledOut
from superbiz.domain.composing.checking import unfounded
from superbiz.domain.composing.template import UNCONFIRMED
from superbiz.domain.evidence import Invocation, InvocationStatus
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.mends import mends_for
from superbiz.domain.naming import names
from superbiz.domain.report import Citation, Report, ReportClaim, ReportCost
from superbiz.domain.runs import Run, Status
from superbiz.domain.summary import input_summary
from superbiz.domain.verification import CheckResult, ClaimCheck, ComposerMode, Expressible, Verdict, VerifierEvaluation

MAX_STEPS = 20
MAX_ROWS = 50
MAX_WHAT, MAX_WHY = 300, 600
MIN_REASON = 12
POSITIVE = frozenset({ClaimType.OBSERVATION, ClaimType.CAUSE, ClaimType.IMPACT})


def build(
    run: Run, evaluation: VerifierEvaluation, invocations: Sequence[Invocation], alarm: AlarmNotice | None, mode: ComposerMode
) -> Report:
    """The report without its answer. Nothing in it rests on a claim that the Verifier did not let through."""
    structured = evaluation.executor_structured_output
    findings = structured.findings if structured else Findings()
    said = _said(evaluation, mode)
    conclusion, causes, hypotheses = _concluded(findings, said, evaluation.verdict)
    not_checked = _not_checked(findings.not_checked, invocations) if mode is not ComposerMode.CONVERSATIONAL else ()
    return Report(
        run_id=run.run_id,
        status=Status.SUCCESS,
        engine=run.engine,
        degraded=run.degraded,
        verdict=evaluation.verdict,
        conclusion=conclusion,
        root_causes=causes,
        hypotheses=hypotheses,
        claims=_numbered(_ordered(said, causes), {call.invocation_id: call for call in invocations}),
        ruled_out=tuple(row for found in findings.ruled_out if (row := _ruled_out(found, said))),
        not_checked=not_checked,
        next_steps=_next_steps(said, not_checked),
        subjects=findings.subjects or ((alarm.alarm_name,) if alarm else ()),
        cost=ReportCost(platform=run.cost.platform, evidence=run.cost.evidence, model=run.cost.model),
    )


class _Said(NamedTuple):
    """A claim that may be expressed."""

    claim: Claim
    check: ClaimCheck

    @property
    def positive(self) -> bool:
        return self.claim.claim_type in POSITIVE

    @property
    def texts(self) -> tuple[str, ...]:
        return self.claim.claim_text, *(bound.evidence_excerpt for bound in self.claim.evidence)

    def speaks_of(self, resource: str) -> bool:
        """Whether the claim, or what it cites, names the resource."""
        return any(names(text, resource) for text in self.texts)


def _said(evaluation: VerifierEvaluation, mode: ComposerMode) -> tuple[_Said, ...]:
    structured, parsed = evaluation.executor_structured_output, evaluation.executor_output_parse_status.valid
    checks = {check.claim_id: check for check in evaluation.claim_checks}
    claims = structured.claims if structured and parsed else ()
    said = (_Said(claim, checks[claim.claim_id]) for claim in claims if claim.claim_id in checks)
    return tuple(s for s in said if s.check.expressible is not Expressible.NONE and (mode is not ComposerMode.DEGRADED or _confirmed(s)))


def _confirmed(said: _Said) -> bool:
    """What a degraded answer may hold: supported claims, and scoped absence."""
    return said.claim.claim_type is ClaimType.ABSENCE or (
        said.check.result is CheckResult.SUPPORTED and said.claim.claim_type is not ClaimType.ACTION
    )


def _concluded(findings: Findings, said: Sequence[_Said], verdict: Verdict) -> tuple[Conclusion, tuple[Cause, ...], tuple[Cause, ...]]:
    """(conclusion, root causes, hypotheses)."""
    candidates = tuple(_supported(cause, said) for cause in findings.causes)
    alive = tuple(cause for cause in candidates if cause.claim_ids)
    if verdict is not Verdict.REJECT and findings.conclusion is Conclusion.ROOT_CAUSE and alive:
        return Conclusion.ROOT_CAUSE, alive, tuple(cause for cause in candidates if not cause.claim_ids)
    healthy = verdict is not Verdict.REJECT and findings.conclusion is Conclusion.NO_FAULT and any(s.positive for s in said)
    return Conclusion.NO_FAULT if healthy else Conclusion.INCONCLUSIVE, (), candidates


def _supported(cause: Cause, said: Sequence[_Said]) -> Cause:
    """The cause with those of its claims that carry it: positive ones, at least one of which names it. Else with none."""
    own = [s for s in said if s.positive and s.claim.claim_id in cause.claim_ids]
    named = any(s.speaks_of(cause.resource) for s in own)
    return cause.model_copy(update={"claim_ids": tuple(s.claim.claim_id for s in own) if named else ()})


def _ruled_out(row: RuledOut, said: Sequence[_Said]) -> RuledOut | None:
    """The row in the words of its claims, the Executor's own reason left aside; None where no positive claim is left to carry it."""
    carrying = [s for s in said if s.positive and s.claim.claim_id in row.claim_ids]
    allowed = [text for s in carrying for text in s.texts]
    if not carrying or unfounded(row.what, allowed):
        return None
    why = " ".join(f"{'' if s.check.expressible is Expressible.FULL else UNCONFIRMED}{s.claim.claim_text}" for s in carrying)
    return row.model_copy(update={"why": why, "claim_ids": tuple(s.claim.claim_id for s in carrying)})


def _ordered(said: Sequence[_Said], causes: Iterable[Cause]) -> list[_Said]:
    """Claims in the order of the answer: those of the first cause first, the rest as the Executor made them."""
    rank = {key: n for n, key in enumerate(dict.fromkeys(key for cause in causes for key in cause.claim_ids))}
    return sorted(said, key=lambda s: rank.get(s.claim.claim_id, len(rank)))


def _numbered(said: Sequence[_Said], calls: Mapping[str, Invocation]) -> tuple[ReportClaim, ...]:
    """One number for one place and excerpt, counted through the answer."""
    numbers: dict[tuple[str, str, str], int] = {}
    claims = []
    for claim, check in said:
        cited = []
        for bound in claim.evidence:
            n = numbers.setdefault((bound.invocation_id, bound.raw_path, bound.evidence_excerpt), len(numbers) + 1)
            call = calls.get(bound.invocation_id)
            cited.append(
                Citation(n=n, invocation_id=bound.invocation_id, tool_name=call.tool_name if call else "", raw_path=bound.raw_path,
                         excerpt=bound.evidence_excerpt)
            )  # fmt: skip
        claims.append(
            ReportClaim(claim_id=claim.claim_id, claim_text=_worded(claim, calls), claim_type=claim.claim_type, critical=claim.must_hold,
                        result=check.result, expressible=check.expressible, evidence=tuple(dict.fromkeys(cited)), facts=claim.facts)
        )  # fmt: skip
    return tuple(claims)


def _worded(claim: Claim, calls: Mapping[str, Invocation]) -> str:
    """An absence is told by the fixed template alone, never in the Executor's words."""
    if claim.claim_type is not ClaimType.ABSENCE:
        return claim.claim_text
    return " ".join(dict.fromkeys(absence_text(calls[b.invocation_id]) for b in claim.evidence if b.invocation_id in calls))


def _not_checked(found: Sequence[NotChecked], invocations: Sequence[Invocation]) -> tuple[NotChecked, ...]:
    """What the Executor says it could not check, and every failed evidence call that it does not speak of."""
    rows = list(dict.fromkeys(found))
    for call in invocations:
        if call.counts_for_evidence and call.status is InvocationStatus.FAILED and not any(_covers(row, call) for row in rows):
            rows.append(_row(call))
    return tuple(NotChecked(what=row.what[:MAX_WHAT], why=row.why[:MAX_WHY]) for row in rows[:MAX_ROWS])


def _row(call: Invocation) -> NotChecked:
    asked = input_summary(call.input_params)
    what, colon, why = (call.error_message or "").partition(": ")
    code = call.error_code or "FAILED"
    if colon and len(what) <= 80:
        return NotChecked(what=what, why=why if code in why else f"{code}: {why}")
    return NotChecked(
        what=f"{call.tool_name} ({asked})" if asked else call.tool_name, why=f"{code}: {call.error_message or 'no reason recorded'}"
    )


def _covers(row: NotChecked, call: Invocation) -> bool:
    """Whether the row tells of this failure already: the same thing, or the same reason."""
    own = _row(call)
    return row.what.casefold() == own.what.casefold() or (len(row.why) >= MIN_REASON and row.why.casefold() in own.why.casefold())


def _next_steps(said: Sequence[_Said], not_checked: Sequence[NotChecked]) -> tuple[str, ...]:
    actions = (s.claim.claim_text for s in said if s.claim.claim_type is ClaimType.ACTION)
    return tuple(dict.fromkeys((*actions, *mends_for(not_checked))))[:MAX_STEPS]
