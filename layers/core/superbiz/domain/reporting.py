"""`report/1` from a judged run: which causes survive, what may be concluded, and every citation with its number.

A cause survives with an expressible claim of its own that names it. Without one it is a hypothesis; without any cause left, or on
REJECT, the conclusion is `inconclusive`. `no_fault` and a ruled-out row rest on positive evidence, never on a query that matched nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from superbiz.domain import unread
from superbiz.domain.absences import absence_text
from superbiz.domain.claims import Binding, Cause, Claim, ClaimType, Conclusion, Findings, NotChecked, RuledOut
from superbiz.domain.composing.checking import unfounded
from superbiz.domain.composing.markup import inert
from superbiz.domain.composing.template import UNCONFIRMED
from superbiz.domain.composing.tokens import Ground
from superbiz.domain.evidence import Invocation
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.mends import mends_for
from superbiz.domain.naming import names
from superbiz.domain.report import Citation, Report, ReportClaim, ReportCost
from superbiz.domain.runs import EngineName, Run, Status
from superbiz.domain.verification import BindingCheck, CheckResult, ClaimCheck, ComposerMode, Expressible, Verdict, VerifierEvaluation

MAX_STEPS = 20
MAX_REASON = 300
MAX_SUBJECTS = 20
NO_OUTPUTS: Mapping[str, Any] = {}
# What a step never asks for: to fetch from the net or hand it something, or to run what comes from there.
_NET = re.compile(
    r"\b(?:curl|wget|nc|ncat|netcat|telnet|ssh|scp|ftp|powershell|Invoke-WebRequest)\b|\|\s*(?:sh|bash|zsh|python\d?|perl)\b|\$\(",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"(?<![:/\w-])(?:password|passwd|secret|token|credential|api[ _-]?key|access[ _-]?key|private key)s?\s*[:=]\s*\S", re.IGNORECASE
)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
POSITIVE = frozenset({ClaimType.OBSERVATION, ClaimType.CAUSE, ClaimType.IMPACT})


def build(
    run: Run,
    evaluation: VerifierEvaluation,
    invocations: Sequence[Invocation],
    alarm: AlarmNotice | None,
    mode: ComposerMode,
    outputs: Mapping[str, Any] = NO_OUTPUTS,
) -> Report:
    """The report without its answer. Nothing in it rests on a claim that the Verifier did not let through, and no text of it can become
    a link. `outputs` are the run's stored outputs by invocation id."""
    structured = evaluation.executor_structured_output
    findings = structured.findings if structured else Findings()
    said = _said(evaluation, mode)
    conclusion, causes, candidates = _concluded(findings, said, evaluation.verdict)
    hypotheses = tuple(found for cause in candidates if (found := _recorded(cause, said, outputs)))
    not_checked = tuple(map(_plain_row, unread.rows(invocations, outputs))) if mode is not ComposerMode.CONVERSATIONAL else ()
    return Report(
        run_id=run.run_id,
        status=Status.SUCCESS,
        engine=run.engine,
        degraded=reason(run.degraded),
        verdict=evaluation.verdict,
        conclusion=conclusion,
        root_causes=tuple(map(_plain_cause, causes)),
        hypotheses=tuple(map(_plain_cause, hypotheses)),
        claims=_numbered(_ordered(said, causes), {call.invocation_id: call for call in invocations}, _places(evaluation)),
        ruled_out=tuple(row for found in findings.ruled_out if (row := _ruled_out(found, said))),
        not_checked=not_checked,
        next_steps=_next_steps(said, not_checked, strict=run.engine is EngineName.MODEL and not run.degraded),
        subjects=_subjects(findings.subjects, alarm, invocations, outputs),
        cost=ReportCost(platform=run.cost.platform, evidence=run.cost.evidence, model=run.cost.model),
    )


def reason(degraded: str | None) -> str | None:
    """Why the model did not do its part, on one short line in which nothing is a link: an endpoint's error may hold anybody's text."""
    return inert(degraded)[:MAX_REASON] if degraded else None


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
        """Whether the claim in its own words, or a field or line that it cites, names the resource.

        A sentence that a record or the claim quotes may be an outsider's: what it alone names is a candidate at most.
        """
        return any(names(_without_sentences(text), resource) for text in self.texts)


def _without_sentences(text: str) -> str:
    """Without what stands between quotation marks and holds white space."""
    return _QUOTED.sub(lambda found: " " if " " in found[0] or "\\n" in found[0] else found[0], text)


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


def _recorded(cause: Cause, said: Sequence[_Said], outputs: Mapping[str, Any]) -> Cause | None:
    """A candidate by names that stand in what was recorded: an operation that does not is left out, and so is a candidate."""
    if not any(names(text, cause.resource) for text in _told(said, outputs)):
        return None
    operation = cause.operation if cause.operation and any(cause.operation.strip() in text for text in _told(said, outputs)) else None
    return cause.model_copy(update={"operation": operation})


def _told(said: Sequence[_Said], outputs: Mapping[str, Any]) -> Iterator[str]:
    """What the claims say and cite, then the recorded outputs one by one, as far as they are looked for. An altered one is left out."""
    yield from (text for s in said for text in s.texts)
    for key in outputs:
        yield from _texts(outputs.get(key))


def _texts(node: Any) -> Iterator[str]:
    """The texts of an output, the names of its fields among them: things are often keys."""
    rest = [node]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            yield from map(str, one)
            rest += one.values()
        elif isinstance(one, list | tuple):
            rest += one


def _ruled_out(row: RuledOut, said: Sequence[_Said]) -> RuledOut | None:
    """The row in the words of its claims, the Executor's own reason left aside; None where no positive claim is left to carry it."""
    carrying = [s for s in said if s.positive and s.claim.claim_id in row.claim_ids]
    allowed = [text for s in carrying for text in s.texts]
    if not carrying or not _is_named(row.what, allowed):
        return None
    why = " ".join(f"{'' if s.check.expressible is Expressible.FULL else UNCONFIRMED}{inert(s.claim.claim_text)}" for s in carrying)
    return row.model_copy(update={"what": inert(row.what), "why": why, "claim_ids": tuple(s.claim.claim_id for s in carrying)})


def _is_named(what: str, allowed: Sequence[str]) -> bool:
    """Whether every word of it stands in what its claims say or cite, as of "UpdateService of orders"; a sentence of its own does not."""
    ground = Ground(map(inert, allowed))
    return not unfounded(what, allowed) and all(ground.has(word) for word in inert(what).split())


def _ordered(said: Sequence[_Said], causes: Iterable[Cause]) -> list[_Said]:
    """Claims in the order of the answer: those of the first cause first, the rest as the Executor made them."""
    rank = {key: n for n, key in enumerate(dict.fromkeys(key for cause in causes for key in cause.claim_ids))}
    return sorted(said, key=lambda s: rank.get(s.claim.claim_id, len(rank)))


def _numbered(
    said: Sequence[_Said], calls: Mapping[str, Invocation], places: Mapping[tuple[str, Binding], BindingCheck]
) -> tuple[ReportClaim, ...]:
    """One number for one place and excerpt, counted through the answer."""
    numbers: dict[tuple[str, str, str], int] = {}
    claims = []
    for claim, check in said:
        cited = []
        for bound in claim.evidence:
            n = numbers.setdefault((bound.invocation_id, bound.raw_path, bound.evidence_excerpt), len(numbers) + 1)
            cited.append(_citation(n, bound, calls.get(bound.invocation_id), places.get((claim.claim_id, bound))))
        claims.append(
            ReportClaim(claim_id=claim.claim_id, claim_text=_worded(claim, calls), claim_type=claim.claim_type, critical=claim.must_hold,
                        result=check.result, expressible=check.expressible, evidence=tuple(dict.fromkeys(cited)), facts=claim.facts)
        )  # fmt: skip
    return tuple(claims)


def _citation(n: int, bound: Binding, call: Invocation | None, place: BindingCheck | None) -> Citation:
    """With the characters at which the Gatekeeper found the excerpt, and the hash of the output that it read."""
    return Citation(
        n=n,
        invocation_id=bound.invocation_id,
        tool_name=call.tool_name if call else "",
        raw_path=bound.raw_path,
        excerpt=bound.evidence_excerpt,
        start=place.start if place else None,
        end=place.end if place else None,
        sha256=(place.sha256 if place else None) or (call.output.sha256 if call and call.output else None),
    )


def _places(evaluation: VerifierEvaluation) -> dict[tuple[str, Binding], BindingCheck]:
    structured = evaluation.executor_structured_output
    gates = {gate.claim_id: gate for gate in evaluation.gatekeeper_result.claims}
    claims = [c for c in structured.claims if c.claim_id in gates] if structured else []
    return {(c.claim_id, c.evidence[b.index]): b for c in claims for b in gates[c.claim_id].bindings if b.index < len(c.evidence)}


def _worded(claim: Claim, calls: Mapping[str, Invocation]) -> str:
    """An absence is told by the fixed template alone, never in the Executor's words."""
    if claim.claim_type is not ClaimType.ABSENCE:
        return inert(claim.claim_text)
    return " ".join(dict.fromkeys(inert(absence_text(calls[b.invocation_id])) for b in claim.evidence if b.invocation_id in calls))


def _plain_cause(cause: Cause) -> Cause:
    operation = inert(cause.operation) if cause.operation else None
    return cause.model_copy(update={"resource": inert(cause.resource), "operation": operation})


def _plain_row(row: NotChecked) -> NotChecked:
    return NotChecked(what=inert(row.what), why=inert(row.why))


def _subjects(
    named: Sequence[str], alarm: AlarmNotice | None, invocations: Sequence[Invocation], outputs: Mapping[str, Any]
) -> tuple[str, ...]:
    """Alarm names, the input alarm first: others only as an alarm listing of this run holds them."""
    own = (alarm.alarm_name,) if alarm else ()
    listed = {name for call in invocations if call.tool_name == "list_alarms" for name in _listed(outputs.get(call.invocation_id))}
    known = (name for name in named if name in own or name in listed)
    return tuple(inert(name) for name in dict.fromkeys((*own, *known)))[:MAX_SUBJECTS]


def _listed(output: Any) -> Iterator[str]:
    rows = output.get("alarms") if isinstance(output, dict) else None
    yield from (str(row.get("name")) for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()


def _next_steps(said: Sequence[_Said], not_checked: Sequence[NotChecked], *, strict: bool) -> tuple[str, ...]:
    """Steps of claims, then what mends the gaps. `strict`: a model's step that cites nothing names only what its claims name."""
    told = [text for s in said if s.claim.claim_type is not ClaimType.ACTION for text in s.texts]
    asked = [s.claim for s in said if s.claim.claim_type is ClaimType.ACTION and _may_be_asked(s.claim)]
    actions = (inert(claim.claim_text) for claim in asked if claim.evidence or not (strict and unfounded(claim.claim_text, told)))
    return tuple(dict.fromkeys((*actions, *map(inert, mends_for(not_checked)))))[:MAX_STEPS]


def _may_be_asked(claim: Claim) -> bool:
    """A step that is cited from a runbook stands as it is. Any other holds no address, no fetching from the net and no secret."""
    text = claim.claim_text
    return bool(claim.evidence) or not (inert(text) != " ".join(text.split()) or _NET.search(text) or _SECRET.search(text))
