"""`executor_evidence_v2`: structured claims bound to evidence, and the findings that rest on them.

Limits: 0-20 claims; claim_text 1-500 characters; 0-5 bindings and 0-20 facts a claim; excerpt at most 400 characters (empty only for
`$.no_evidence`). Unknown keys are dropped; `critical` is never guessed: where it is missing or no boolean, the schema is broken.
"""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StrictBool

from superbiz.domain.values import JsonObject, Value

SCHEMA_VERSION = "executor_evidence_v2"
NO_FACT = "no_object"


class ClaimType(StrEnum):
    OBSERVATION = "observation"
    CAUSE = "cause"
    IMPACT = "impact"
    ACTION = "action"
    ABSENCE = "absence"


class Conclusion(StrEnum):
    ROOT_CAUSE = "root_cause"
    NO_FAULT = "no_fault"
    INCONCLUSIVE = "inconclusive"


class FaultCategory(StrEnum):
    RESOURCE_EXHAUSTION = "RESOURCE_EXHAUSTION"
    CONFIGURATION = "CONFIGURATION"
    DEPENDENCY = "DEPENDENCY"
    CODE_DEFECT = "CODE_DEFECT"
    DEPLOYMENT = "DEPLOYMENT"
    DATA = "DATA"
    NETWORK = "NETWORK"
    INFRASTRUCTURE = "INFRASTRUCTURE"
    SECURITY = "SECURITY"
    NONE = "NONE"
    GENERAL = "GENERAL"


class Binding(Value):
    invocation_id: str = Field(min_length=1, max_length=200)
    raw_path: str = Field(min_length=1, max_length=1_000)
    evidence_excerpt: str = Field(default="", max_length=400)


def _facts(given: Any) -> Any:
    """A fact that is no object is wrapped, so that its claim is rejected for it and the document stays readable."""
    if given is None:
        return ()
    rows = given if isinstance(given, list | tuple) else [given]
    return tuple(row if isinstance(row, dict) else {NO_FACT: row} for row in rows)


class Claim(Value):
    claim_id: str = Field(min_length=1, max_length=64)
    claim_text: str = Field(min_length=1, max_length=500)
    claim_type: ClaimType
    critical: StrictBool
    evidence: tuple[Binding, ...] = Field(default=(), max_length=5)
    facts: Annotated[tuple[JsonObject, ...], BeforeValidator(_facts)] = Field(default=(), max_length=20)

    @property
    def must_hold(self) -> bool:
        """A cause is always critical; an action never is (section 4, rules 2 and 3)."""
        return self.claim_type is ClaimType.CAUSE or (self.critical and self.claim_type is not ClaimType.ACTION)


class Cause(Value):
    resource: str = Field(min_length=1, max_length=300)
    operation: str | None = Field(default=None, max_length=300)
    fault_category: FaultCategory = FaultCategory.GENERAL
    score: float = Field(ge=0.0, le=1.0)
    claim_ids: tuple[str, ...] = ()


class RuledOut(Value):
    what: str
    why: str
    claim_ids: tuple[str, ...] = ()


class NotChecked(Value):
    what: str
    why: str


class Findings(Value):
    """`subjects` are alarm names, the input alarm first. Causes are ranked, best first."""

    conclusion: Conclusion = Conclusion.INCONCLUSIVE
    causes: tuple[Cause, ...] = ()
    ruled_out: tuple[RuledOut, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    subjects: tuple[str, ...] = ()


class ExecutorOutput(Value):
    schema_version: Literal["executor_evidence_v2"] = "executor_evidence_v2"
    run_id: str
    round: int = Field(ge=1)
    findings: Findings = Findings()
    claims: Annotated[tuple[Claim, ...], Field(max_length=20)] = ()
    open_questions: tuple[str, ...] = ()
    no_evidence_needed: StrictBool = False
    executor_final_answer: str = ""


class ParseState(StrEnum):
    OK = "OK"
    REPAIRED = "REPAIRED"
    INVALID_JSON = "INVALID_JSON"
    SCHEMA_INVALID = "SCHEMA_INVALID"
    EMPTY = "EMPTY"
    LEGACY_TEXT = "LEGACY_TEXT"


class ParseStatus(Value):
    """`executor_output_parse_status`."""

    status: ParseState
    valid: bool
    schema_version: str | None = None
    claim_count: int = 0
    errors: tuple[str, ...] = ()
    used_fallback: bool = False
