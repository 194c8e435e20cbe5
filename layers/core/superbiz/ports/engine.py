"""The two engines behind one shape: what Executor, Verifier and Composer are asked and answer; and the model endpoint of one."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from superbiz.domain.claims import ExecutorOutput, NotChecked
from superbiz.domain.gatekeeper import Excerpt
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.report import Report
from superbiz.domain.runs import Cost, EngineName, MessagePair, Run
from superbiz.domain.values import JsonObject, Window
from superbiz.domain.verification import GatekeeperResult, RetryContext, TraceRow, VerifierReply
from superbiz.ports.evidence import Toolbox


class Brief(NamedTuple):
    """What an Executor is asked: run, question, alarm (None for a question), past turns, and in round 2 what is still missing.

    `step_index` is the step under way: a model's replies are kept under it. `model_replies` are those that earlier steps of the run
    left, oldest first: what was spent, and what the endpoint is known to do.
    """

    run: Run
    round: int
    query: str
    alarm: AlarmNotice | None
    history: Sequence[MessagePair]
    now: datetime
    window: Window | None
    retry: RetryContext | None
    kept: ExecutorOutput | None
    step_index: int = 0
    model_replies: Sequence[JsonObject] = ()


class Execution(NamedTuple):
    """An Executor's result. `raw` is its answer as text (a JSON document of `executor_evidence_v2`); the flow parses and judges it.

    `degraded` is the reason where the engine could not do its work and the offline engine has to take over.
    """

    raw: str
    model_input: str | None = None
    cost: Cost = Cost()
    engine: EngineName = EngineName.OFFLINE
    degraded: str | None = None


class Dossier(NamedTuple):
    """What a Verifier may see. Never the Executor's free text where the structured output is valid."""

    query: str
    structured: ExecutorOutput | None
    gatekeeper: GatekeeperResult
    excerpts: Sequence[Excerpt]
    summary: Sequence[TraceRow]
    fallback_text: str | None = None


class Verification(NamedTuple):
    reply: VerifierReply | None
    model_input: str | None = None
    raw: str | None = None
    cost: Cost = Cost()
    engine: EngineName = EngineName.OFFLINE
    degraded: str | None = None


class Material(NamedTuple):
    """What a Composer may use: the judged run, without any claim that is not expressible."""

    query: str
    report: Report
    excerpts: Sequence[Excerpt]
    mode: str
    notices: Sequence[str]
    alarm: AlarmNotice | None
    not_checked: Sequence[NotChecked]


class Composition(NamedTuple):
    """`body` is markdown with `[n]` citations; None asks for the template."""

    body: str | None
    model_input: str | None = None
    cost: Cost = Cost()
    engine: EngineName = EngineName.OFFLINE
    degraded: str | None = None
    repaired: bool = False


class ModelMessage(NamedTuple):
    """`role` is system, user or assistant."""

    role: str
    content: str


class ModelAsk(NamedTuple):
    """One question to a model, to be answered by a JSON object of `schema` (every property required, nothing else allowed).

    `seconds` is all the time there is, retries included. `known` is what an earlier reply of the run told of the endpoint.
    """

    messages: Sequence[ModelMessage]
    schema: JsonObject
    schema_name: str
    max_tokens: int
    seconds: float
    known: JsonObject | None = None


class ModelReply(NamedTuple):
    """`text` is as the model wrote it. `finish` is stop, length or refusal; `estimated` says the endpoint told no usage.

    `abilities` is what the endpoint is known to do by now: hand it back as `known`.
    """

    text: str
    finish: str
    input_tokens: int
    output_tokens: int
    estimated: bool
    cost: float
    model: str
    abilities: JsonObject


Settle = Callable[[int], None]
Permit = Callable[[int], Settle]


class ModelClient(Protocol):
    """A model endpoint. Raises Unavailable where a later try may work, Rejected where the request is at fault, Broken where we are.

    `permit` is asked for the tokens that a request may cost before it is sent, each retry too, and may refuse by raising. What it
    returns is told what was really used; it is not called where that is unknown (an answer that never came whole).
    """

    def complete(self, ask: ModelAsk, permit: Permit) -> ModelReply: ...


class Executor(Protocol):
    def execute(self, brief: Brief, tools: Toolbox) -> Execution: ...


class Verifier(Protocol):
    def verify(self, dossier: Dossier, brief: Brief) -> Verification: ...


class Composer(Protocol):
    def compose(self, material: Material, brief: Brief) -> Composition: ...


class Engine(NamedTuple):
    name: EngineName
    executor: Executor
    verifier: Verifier
    composer: Composer
