"""The stored shapes of Gatekeeper, Verifier, Composer and retry: one class a document of requirements section 2."""

from enum import StrEnum
from typing import Literal

from superbiz.domain.claims import ExecutorOutput, ParseStatus
from superbiz.domain.values import Value


class ClaimStatus(StrEnum):
    VERIFIED = "VERIFIED"
    UNVERIFIED = "UNVERIFIED"
    EXEMPT = "EXEMPT"


class GateStatus(StrEnum):
    PASS = "PASS"
    PARTIAL = "PARTIAL"
    FAIL = "FAIL"
    SKIPPED = "SKIPPED"


class Breach(Value):
    """A rule of the Gatekeeper that a claim breaks. `severity` is REJECT or LOW; `reason` says what was expected, found, and where."""

    rule: int
    code: str
    severity: str
    reason: str


class BindingCheck(Value):
    """`reason` tells a person what was expected, what was found, and where; empty when ok.

    `start` and `end` are the characters of the node's text (code points, end excluded) at which the excerpt stands, `sha256` is the hash of
    the stored output: together they lead back to the very bytes. None where the citation is not real, or cites silence.
    """

    index: int
    invocation_id: str
    raw_path: str
    ok: bool
    code: str
    reason: str = ""
    start: int | None = None
    end: int | None = None
    sha256: str | None = None


class ClaimGate(Value):
    """`codes` are those that reject the claim, `lowered_by` those that let it be hedged at most; `breaches` tell why, rule by rule."""

    claim_id: str
    critical: bool
    status: ClaimStatus
    absence_only: bool = False
    bindings: tuple[BindingCheck, ...] = ()
    codes: tuple[str, ...] = ()
    lowered_by: tuple[str, ...] = ()
    breaches: tuple[Breach, ...] = ()


class GateCounts(Value):
    claims: int = 0
    critical: int = 0
    critical_verified: int = 0
    bindings: int = 0
    bindings_ok: int = 0


class RuleRow(Value):
    """A rule as it stood when a run was judged: its number, code and severity, and what it demands."""

    rule: int
    code: str
    severity: str
    demands: str


class RuleSet(Value):
    """The rules that judged a run, as data: a later reader sees them as they were. `sha256` is that of the canonical rows."""

    version: str
    sha256: str
    rules: tuple[RuleRow, ...]


class GatekeeperResult(Value):
    """`rule_set` is None in results that are older than it."""

    schema_version: Literal["gatekeeper_result_v1"] = "gatekeeper_result_v1"
    rules_version: str
    rule_set: RuleSet | None = None
    round: int
    status: GateStatus
    claims: tuple[ClaimGate, ...] = ()
    verified_claim_ids: tuple[str, ...] = ()
    rejected_claim_ids: tuple[str, ...] = ()
    counts: GateCounts = GateCounts()
    errors: tuple[str, ...] = ()


class Verdict(StrEnum):
    PASS = "PASS"
    LOW_CONFID = "LOW_CONFID"
    REJECT = "REJECT"


class CheckResult(StrEnum):
    SUPPORTED = "SUPPORTED"
    PARTIAL = "PARTIAL"
    UNSUPPORTED = "UNSUPPORTED"
    CONTRADICTED = "CONTRADICTED"
    NOT_VERIFIED = "NOT_VERIFIED"


class Expressible(StrEnum):
    FULL = "FULL"
    HEDGED = "HEDGED"
    NONE = "NONE"


class ClaimCheck(Value):
    claim_id: str
    result: CheckResult
    expressible: Expressible
    reason: str = ""


class FactCheck(Value):
    fact: str
    critical: bool
    result: CheckResult
    claim_id: str


class VerifierReply(Value):
    """What a Verifier, of either engine, may say. Code may only lower it."""

    verdict: Verdict
    groundedness_score: float
    critical_fact_count: int
    claim_checks: tuple[ClaimCheck, ...] = ()
    facts_checked: tuple[FactCheck, ...] = ()
    rationale: str


class TraceRow(Value):
    """One row of `tool_trace_summary`: navigation only, never evidence."""

    seq: int
    invocation_id: str
    step_index: int
    tool_name: str
    category: str
    status: str
    input_summary: str
    evidence_status: str
    raw_paths: tuple[str, ...] = ()
    evidence_ref_count: int = 0
    l0_hits: int = 0
    l1_hits: int = 0
    preview: str = ""
    error_code: str | None = None


class MissingClaim(Value):
    claim_id: str
    claim_text: str
    critical: bool
    codes: tuple[str, ...]
    need: str


class TriedCall(Value):
    tool_name: str
    input_digest: str
    evidence_status: str


class RetryLimits(Value):
    max_new_tool_calls: int = 3
    forbid_same_input: bool = True


class RetryContext(Value):
    schema_version: Literal["retry_context_v1"] = "retry_context_v1"
    from_round: int
    next_round: int
    reason: Literal["LOW_CONFID"] = "LOW_CONFID"
    keep_claim_ids: tuple[str, ...] = ()
    missing: tuple[MissingClaim, ...] = ()
    already_tried: tuple[TriedCall, ...] = ()
    limits: RetryLimits = RetryLimits()


class ComposerMode(StrEnum):
    FULL = "full"
    LOW_CONFIDENCE = "low_confidence"
    DEGRADED = "degraded"
    CONVERSATIONAL = "conversational"


class AnswerSentence(Value):
    """A sentence of the answer, by code points (end excluded) and hash, and what it rests on: claims; a recorded failure or gap ("record");
    or nothing but the template's own words ("fixed"), which state nothing of the incident.
    """

    start: int
    end: int
    sha256: str
    basis: Literal["claims", "record", "fixed"]
    claim_ids: tuple[str, ...] = ()
    citations: tuple[int, ...] = ()


class ComposerOutput(Value):
    schema_version: Literal["composer_output_v1"] = "composer_output_v1"
    mode: ComposerMode
    parse_status: Literal["OK", "REPAIRED", "TEMPLATE_FALLBACK"] = "OK"
    summary: str = ""
    used_claim_ids: tuple[str, ...] = ()
    dropped_claim_ids: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    violations: tuple[str, ...] = ()
    sentences: tuple[AnswerSentence, ...] = ()
    answer_chars: int = 0


class VerifierEvaluation(Value):
    """The `verifier_evaluation` node. Every key but those of VerifierReply is set by code."""

    verdict: Verdict
    groundedness_score: float
    critical_fact_count: int
    claim_checks: tuple[ClaimCheck, ...] = ()
    facts_checked: tuple[FactCheck, ...] = ()
    rationale: str
    round: int
    traceability_version: Literal["v1"] = "v1"
    executor_output_parse_status: ParseStatus
    executor_structured_output: ExecutorOutput | None = None
    gatekeeper_result: GatekeeperResult
    composer_output: ComposerOutput | None = None
    tool_trace_summary: tuple[TraceRow, ...] = ()
    model_verdict: Verdict | None = None
    model_groundedness_score: float | None = None
    adjustments: tuple[str, ...] = ()
    retry_context: RetryContext | None = None
