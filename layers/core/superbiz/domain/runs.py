"""Runs, steps and sessions: what is recorded of an execution."""

from enum import StrEnum

from pydantic import Field

from superbiz.domain.claims import Conclusion
from superbiz.domain.evidence import Invocation
from superbiz.domain.values import JsonObject, UtcTime, Value
from superbiz.domain.verification import Verdict


class Status(StrEnum):
    """Execution only, never the quality of the answer."""

    RUNNING = "RUNNING"
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"


class Flow(StrEnum):
    CHAT = "CHAT"
    AI_OPS = "AI_OPS"


class Feedback(StrEnum):
    USEFUL = "useful"
    NOT_USEFUL = "not_useful"


class EngineName(StrEnum):
    OFFLINE = "offline"
    MODEL = "model"


class Work(StrEnum):
    """What is still owed for a run: OPEN (it has to end), EVAL (it has to be evaluated)."""

    OPEN = "OPEN"
    EVAL = "EVAL"


class Cost(Value):
    """US dollars, and the tokens behind the model's share."""

    platform: float = 0.0
    evidence: float = 0.0
    model: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(**{name: getattr(self, name) + getattr(other, name) for name in type(self).model_fields})


class Run(Value):
    """The RUN head: what lists and routing need. The question, the answer and the report are parts of their own."""

    run_id: str
    session_id: str
    agent_flow: Flow
    status: Status = Status.RUNNING
    title: str = ""
    engine: EngineName = EngineName.OFFLINE
    created_at: UtcTime
    finished_at: UtcTime | None = None
    alarm_name: str | None = None
    incident_id: str | None = None
    episode: str | None = None
    verdict: Verdict | None = None
    conclusion: Conclusion | None = None
    first_cause: str | None = None
    degraded: str | None = None
    error: str | None = None
    feedback: Feedback | None = None
    feedback_at: UtcTime | None = None
    case_id: str | None = None
    rerun_of: str | None = None
    work: Work | None = Work.OPEN
    cost: Cost = Cost()


class RunRequest(Value):
    """What started a run: the question (for AI_OPS the alert summary) and, for an alarm, its event as it came."""

    query: str
    trigger: JsonObject | None = None


class RunRecord(Value):
    """A run with its parts. A part that is not there yet is None."""

    run: Run
    request: RunRequest
    answer: str | None = None
    report: JsonObject | None = None
    self_evaluation: JsonObject | None = None


class StepName(StrEnum):
    EXECUTOR = "executor"
    GATEKEEPER = "gatekeeper"
    VERIFIER = "verifier"
    COMPOSER = "composer"


class StepStatus(StrEnum):
    RUNNING = "RUNNING"
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"


class Step(Value):
    """`agent_step`. `model_input` and `model_output` are texts; `result` is the small control outcome that the next state reads."""

    step_id: str
    session_id: str
    run_id: str
    step_index: int = Field(ge=1)
    agent_name: StepName
    round: int = 1
    status: StepStatus = StepStatus.RUNNING
    model_input: str | None = None
    model_output: str | None = None
    has_tool_call: bool = False
    engine: EngineName = EngineName.OFFLINE
    attempt: int = 1
    lease_until: UtcTime | None = None
    started_at: UtcTime
    finished_at: UtcTime | None = None
    error: str | None = None
    result: JsonObject | None = None
    cost: Cost = Cost()


class SessionStatus(StrEnum):
    ACTIVE = "ACTIVE"
    CLEARED = "CLEARED"
    EXPIRED = "EXPIRED"


class Session(Value):
    """A directory entry: never a message body."""

    session_id: str
    status: SessionStatus = SessionStatus.ACTIVE
    message_pair_count: int = 0
    last_active_at: UtcTime
    expires_at: UtcTime | None = None
    latest_terminal_run: str | None = None


class MessagePair(Value):
    run_id: str
    question: str
    answer: str
    at: UtcTime


class TracePage(Value):
    """One page of a run's records in display order. `cursor` is None on the last page. `record` comes with the first page."""

    steps: tuple[Step, ...] = ()
    invocations: tuple[Invocation, ...] = ()
    cursor: str | None = None
    record: RunRecord | None = None
