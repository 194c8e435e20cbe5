"""`report/1`: what a run says in the end, for people and for programs."""

from typing import Literal

from pydantic import ConfigDict, Field

from superbiz.domain.claims import Cause, ClaimType, Conclusion, NotChecked, RuledOut
from superbiz.domain.runs import EngineName, Status
from superbiz.domain.values import JsonObject, Value
from superbiz.domain.verification import CheckResult, Expressible, Verdict


class Citation(Value):
    """`[n]` in the answer: the exact place of the excerpt.

    `start` and `end` count code points of the node's text (end excluded); `sha256` is that of the stored output. None in reports that were
    written before they were kept, and where silence is cited.
    """

    n: int
    invocation_id: str
    tool_name: str
    raw_path: str
    excerpt: str
    start: int | None = None
    end: int | None = None
    sha256: str | None = None


class ReportClaim(Value):
    claim_id: str
    claim_text: str
    claim_type: ClaimType
    critical: bool
    result: CheckResult
    expressible: Expressible
    evidence: tuple[Citation, ...] = ()
    facts: tuple[JsonObject, ...] = ()


class ReportCost(Value):
    platform: float = 0.0
    evidence: float = 0.0
    model: float = 0.0


class Report(Value):
    schema_: Literal["report/1"] = Field(default="report/1", alias="schema")
    run_id: str
    status: Status
    engine: EngineName
    degraded: str | None = None
    verdict: Verdict
    conclusion: Conclusion
    root_causes: tuple[Cause, ...] = ()
    hypotheses: tuple[Cause, ...] = ()
    claims: tuple[ReportClaim, ...] = ()
    ruled_out: tuple[RuledOut, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    next_steps: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    cost: ReportCost = ReportCost()
    answer: str = ""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, serialize_by_alias=True)
