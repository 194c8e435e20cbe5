"""What a tool call leaves behind: the invocation, its refs, and what its result was worth as evidence."""

from enum import StrEnum

from pydantic import Field

from superbiz.domain.values import JsonObject, UtcTime, Value

PREVIEW_CHARS = 500


class ToolCategory(StrEnum):
    KNOWLEDGE = "KNOWLEDGE"
    LOG = "LOG"
    METRIC = "METRIC"
    TRACE = "TRACE"
    ALERT = "ALERT"
    CHANGE = "CHANGE"
    UTILITY = "UTILITY"

    @property
    def counts_for_evidence(self) -> bool:
        return self is not ToolCategory.UTILITY


class InvocationStatus(StrEnum):
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"


class EvidenceStatus(StrEnum):
    """`no_evidence` says only that this query, over its window, matched nothing."""

    SUPPORTED = "supported"
    NO_EVIDENCE = "no_evidence"
    ERROR = "error"
    NOT_APPLICABLE = "not_applicable"


class EvidenceRef(Value):
    raw_path: str
    text: str


class Hit(Value):
    """A knowledge hit. `level` is L0 (exact key) or L1 (semantic)."""

    level: str
    document_id: str
    chunk_id: str
    score: float


class Match(Value):
    is_retrieval: bool = False
    l0_hits: int = 0
    l1_hits: int = 0
    hits: tuple[Hit, ...] = ()


class RetrievalDetails(Value):
    evidence_status: EvidenceStatus
    evidence_refs: tuple[EvidenceRef, ...] = ()
    match: Match = Match()


class OutputRecord(Value):
    """Where a tool's canonical output is and what it was: size in bytes and `sha256:<hex>`. `complete` false forbids absence claims."""

    sha256: str
    size: int
    complete: bool


class Invocation(Value):
    """One recorded tool call, successful or not."""

    invocation_id: str
    run_id: str
    session_id: str
    step_id: str | None = None
    step_index: int
    seq: int
    round: int = 1
    tool_name: str
    category: ToolCategory
    status: InvocationStatus
    input_params: JsonObject = Field(default_factory=dict)
    input_digest: str
    output_preview: str = ""
    output: OutputRecord | None = None
    retrieval_details: RetrievalDetails
    error_code: str | None = None
    error_message: str | None = None
    counts_for_evidence: bool = True
    started_at: UtcTime
    duration_ms: float = 0.0

    @property
    def place(self) -> str:
        """Where it stands among the run's calls: the same in every run that makes the same calls, where ids differ."""
        return f"{self.step_index:03}.{self.seq:04}"
