"""The doors of the core: what it needs from the world outside, named after the reads and writes the product makes.

Adapters implement these; `wiring` alone picks them. Each raises the errors of `superbiz.errors` and no vendor's.
Writes that decide something are conditional and answer whether they were the first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from superbiz.domain.cases import Case, CasePatch
from superbiz.domain.claims import ExecutorOutput, NotChecked
from superbiz.domain.control import Control
from superbiz.domain.evidence import Invocation
from superbiz.domain.incidents import AlarmEvent, AlarmNotice, Episode, IncidentRecord, Outcome
from superbiz.domain.knowledge import Chunk, Document, Domain, KnowledgeHit
from superbiz.domain.legacy import LegacySession
from superbiz.domain.observations import AlarmListing, Change, LogLine, Series, Service, Span
from superbiz.domain.report import Report
from superbiz.domain.runs import (
    Cost,
    EngineName,
    Feedback,
    MessagePair,
    Run,
    RunRecord,
    RunRequest,
    Session,
    Step,
    TracePage,
    Work,
)
from superbiz.domain.values import JsonObject, Window
from superbiz.domain.verification import GatekeeperResult, RetryContext, RetryLimits, TraceRow, VerifierReply
from superbiz.settings import Settings

T = TypeVar("T")


class Page(NamedTuple, Generic[T]):
    """`cursor` is opaque, None on the last page. A cursor that was not ours raises Invalid."""

    items: Sequence[T]
    cursor: str | None


class RunFilter(NamedTuple):
    status: str | None = None
    verdict: str | None = None
    conclusion: str | None = None
    flow: str | None = None
    alarm: str | None = None
    feedback: str | None = None


class Admission(NamedTuple):
    """`run_id` is the run that the event opened or joined."""

    outcome: Outcome
    reason: str
    episode: Episode | None
    run_id: str | None


class Lease(NamedTuple):
    """`step` is the step as stored. `held` says the caller has it now; otherwise the step is finished and carries its result."""

    step: Step
    held: bool


class RunFile(NamedTuple):
    """Everything recorded of a run, as one Query brings it. `outputs` holds the inline outputs by invocation id (hash-checked);
    larger ones come by `StepLedger.output`. Artifacts and steps are by step index, replies by (step index, seq)."""

    record: RunRecord
    steps: Mapping[int, Step]
    invocations: Sequence[Invocation]
    outputs: Mapping[str, bytes]
    artifacts: Mapping[int, JsonObject]
    replies: Mapping[tuple[int, int], JsonObject]


class RunLedger(Protocol):
    def open_run(self, run: Run, request: RunRequest, session: Session) -> Run:
        """Write the run with work OPEN and its session's directory entry, in one transaction.

        A run that is there already is returned as it is.
        """

    def run(self, run_id: str) -> Run | None:
        """Consistent read of the head."""

    def record(self, run_id: str) -> RunRecord | None:
        """The head and all its parts in one Query. `self_evaluation` holds the nodes that are there, or is None."""

    def file(self, run_id: str) -> RunFile | None:
        """Head, parts, steps, calls, artifacts and replies in one consistent Query (its pages followed)."""

    def note_degraded(self, run_id: str, reason: str) -> None:
        """Mark a RUNNING run degraded; the first reason stays (degrading is sticky)."""

    def finish_run(self, run: Run, answer: str, report: JsonObject, verifier: JsonObject, pair: MessagePair) -> bool:
        """RUNNING to SUCCESS with all parts, work EVAL, the session's `latest_terminal_run`, its history (last 6 pairs) and the pair count,
        in one transaction. False, and nothing written, where the run is no longer RUNNING."""

    def fail_run(self, run_id: str, error: str, at: datetime) -> bool:
        """RUNNING to FAILED with the cause, work EVAL, `latest_terminal_run`. False where the run is no longer RUNNING."""

    def put_evaluation(self, run_id: str, source: str, node: JsonObject) -> None:
        """`source` is rule or aiops (verifier comes with finish_run): an item of its own, the same on a second try."""

    def put_evaluations(self, run_id: str, nodes: Mapping[str, JsonObject]) -> None:
        """All nodes (by source: rule, aiops) and the end of the EVAL marker in one transaction; the same on a second try."""

    def work_done(self, run_id: str, work: Work) -> None:
        """Clear the marker if it is still this one."""

    def waiting(self, work: Work, before: datetime) -> Iterator[str]:
        """Ids of runs that have carried this marker since before that time."""

    def list_runs(self, filters: RunFilter, limit: int, cursor: str | None, month: str | None = None) -> Page[Run]:
        """Newest first, across months unless one (`yyyy-mm`) is named."""

    def session_runs(self, session_id: str, limit: int, cursor: str | None) -> Page[Run]:
        """Newest first."""

    def open_alarm_runs(self) -> int:
        """How many AI_OPS runs have work OPEN."""


class StepLedger(Protocol):
    def lease_step(self, step: Step, now: datetime) -> Lease:
        """Take the step with a conditional write: first attempt, or one whose lease has run out (attempt counted up, lease renewed).

        A step that succeeded is returned with `held` False; one that FAILED may be taken again. A live lease raises LeaseHeld.
        The RUN must be RUNNING, else Conflict."""

    def renew_lease(self, step: Step, until: datetime) -> bool:
        """Hold on to the step; False where another attempt has taken it (its `attempt` differs) or it is finished."""

    def finish_step(self, step: Step, artifact: JsonObject | None) -> None:
        """Store the step's end and its structured output. A step lacking run or session id is refused (Broken)."""

    def artifact(self, run_id: str, step_index: int) -> JsonObject | None: ...

    def steps(self, run_id: str) -> Sequence[Step]: ...

    def record_invocation(self, invocation: Invocation, output: bytes | None) -> bool:
        """Put-if-absent; the output goes into the item (up to 16 KB gzipped) or to the object store first, keyed by its hash.
        False where this call is recorded already. An invocation lacking run or session id is refused (Broken)."""

    def invocations(self, run_id: str) -> Sequence[Invocation]:
        """All of the run's, by step and sequence."""

    def output(self, invocation: Invocation) -> bytes | None:
        """The stored canonical bytes, or None where there are none. Broken where they no longer match their hash."""

    def save_reply(self, run_id: str, step_index: int, seq: int, reply: JsonObject) -> JsonObject:
        """Put-if-absent of a model's reply; the stored one is returned, so that a second try acts on the first reply."""

    def replies(self, run_id: str, step_index: int) -> Mapping[int, JsonObject]: ...

    def trace(self, run_id: str, cursor: str | None, max_bytes: int = 4_000_000) -> TracePage:
        """Steps and invocations in display order: one Query a page, cut by bytes. The first page carries the run's record too, from the
        same Query; a run that is not there has an empty page without one."""


class SessionLedger(Protocol):
    def session(self, session_id: str) -> Session | None: ...

    def history(self, session_id: str, now: datetime) -> Sequence[MessagePair]:
        """The last pairs, oldest first; empty where it expired by `now`."""

    def clear_history(self, session_id: str, now: datetime) -> Session:
        """Empty the history, pair count 0, status CLEARED. NotFound where there is no such session."""


class CaseLedger(Protocol):
    def record_feedback(self, run_id: str, feedback: Feedback, at: datetime, case: Case | None) -> Case | None:
        """One transaction: the head's feedback and, where a case is given, the case put-if-absent and its id on the head.
        The case now stored is returned. Status stays as it is."""

    def case(self, case_id: str) -> Case | None: ...

    def case_of(self, diagnosis_id: str) -> Case | None: ...

    def cases(self, limit: int, cursor: str | None) -> Page[Case]:
        """Newest first."""

    def edit_case(self, case_id: str, patch: CasePatch, by: str, at: datetime) -> Case: ...


class LegacyLedger(Protocol):
    def legacy(self, session_id: str) -> LegacySession | None: ...

    def import_legacy(self, rows: Iterable[LegacySession]) -> int:
        """How many were new. A row that is there already stays as it is."""

    def record_legacy_feedback(self, session_id: str, feedback: Feedback, at: datetime, case: Case | None) -> Case | None: ...


class IncidentLedger(Protocol):
    def record_event(self, event: AlarmEvent) -> AlarmEvent:
        """Put-if-absent of the ledger row; the stored row is returned (with its outcome, if it has one)."""

    def settle_event(self, event: AlarmEvent) -> None:
        """Store the outcome of a recorded event, once. Only DEFERRED gives way to another outcome later."""

    def deferred_events(self, limit: int) -> Sequence[AlarmEvent]:
        """Rows whose outcome is DEFERRED, the longest waiting first."""

    def open_episode(self, incident_id: str, quiet_since: datetime) -> Episode | None:
        """Consistent read of the incident's newest episode, where it has had an event since `quiet_since`."""

    def admit_alarm(self, episode: Episode, run: Run, request: RunRequest, session: Session, quiet_since: datetime) -> Admission:
        """One conditional transaction decides: where the incident has no episode, or its last event is older than `quiet_since`, open the
        episode with its run and session (OPENED). Otherwise count the event in the open episode (DEDUPED, with that episode's run)."""

    def note_state(self, notice: AlarmNotice, incident_id: str, at: datetime) -> Episode | None:
        """Update the open episode with a state that opens nothing (OK, INSUFFICIENT_DATA)."""

    def incidents(self, limit: int, cursor: str | None) -> Page[Episode]:
        """Episodes, newest first."""

    def incident(self, incident_id: str) -> IncidentRecord | None: ...


class KnowledgeLedger(Protocol):
    """The table is the source of truth of the index."""

    def put_domain(self, domain: Domain) -> None: ...

    def domains(self) -> Sequence[Domain]: ...

    def put_document(self, document: Document, chunks: Sequence[Chunk]) -> None:
        """Write the new version's chunks, switch document and L0 keys to it, then remove the old version's chunks and keys."""

    def note_collection(self, document_id: str, version: str, collection: str) -> bool:
        """Which collection of the vector store holds this version now. False, and nothing written, where another version is in force."""

    def document(self, document_id: str) -> Document | None: ...

    def documents(self, domain_id: str | None, limit: int, cursor: str | None) -> Page[Document]: ...

    def chunks(self, document_id: str) -> Sequence[Chunk]:
        """Of the version in force, by position."""

    def all_chunks(self) -> Iterator[Chunk]: ...

    def by_key(self, key: str) -> Sequence[Document]:
        """Documents with this normalised L0 key."""

    def delete_document(self, document_id: str) -> bool: ...


class ControlLedger(Protocol):
    def control(self) -> Control: ...

    def switch(self, *, intake_paused: bool | None = None, model_paused: bool | None = None) -> Control: ...

    def reserve_tokens(self, day: date, tokens: int, cap: int) -> bool:
        """One conditional update: add the tokens to the day's sum (a new day starts at 0). False where that would pass the cap."""

    def settle_tokens(self, day: date, reserved: int, used: int) -> None:
        """Give back what a call did not use (or add what it used beyond)."""

    def model_failed(self, now: datetime, threshold: int, open_for_seconds: float) -> Control:
        """Count a failure; at the threshold the breaker opens for that long."""

    def model_worked(self) -> None: ...


class Ledger(RunLedger, StepLedger, SessionLedger, CaseLedger, LegacyLedger, IncidentLedger, KnowledgeLedger, ControlLedger, Protocol):
    """The one table."""


class Objects(Protocol):
    def put(self, key: str, data: bytes) -> None: ...

    def get(self, key: str) -> bytes | None: ...


class ExecutionState(NamedTuple):
    """`status` is RUNNING, SUCCEEDED, FAILED, TIMED_OUT or ABORTED; `cause` says why it ended badly."""

    status: str
    cause: str | None


class Machine(Protocol):
    """The state machine. An execution's name is its run's id."""

    def start(self, run_id: str) -> None:
        """Start, or do nothing where that execution exists."""

    def describe(self, run_id: str) -> ExecutionState | None: ...


class Queue(Protocol):
    def enqueue_evaluation(self, run_id: str) -> None: ...

    def enqueue_alarm(self, event: JsonObject) -> None: ...


class Notifier(Protocol):
    def run_completed(self, notice: JsonObject) -> None:
        """Publish to the topic and as EventBridge event `RunCompleted`."""


class ScoredChunk(NamedTuple):
    chunk: Chunk
    score: float


class VectorIndex(Protocol):
    """What L1 is searched in; made from the table, and mended from it. Rows of several versions may stand in it: a search counts only
    those in force."""

    @property
    def collection(self) -> str:
        """The vector store's collection that new rows go to (it names their encoder); empty where there is no vector store."""

    def upsert(self, chunks: Sequence[Chunk]) -> None:
        """The chunks of one document's version. Raises Unavailable where the vector store can not be reached; the exact index has them
        even then."""

    def delete(self, document_id: str, version: str | None = None) -> None:
        """The rows of one version of a document, or of all its versions."""

    def clear(self) -> None:
        """Everything, so that it can be made anew."""


class Knowledge(Protocol):
    """L0 and L1 together, as `lookup_knowledge` and the preview route see them."""

    def find(self, keys: Sequence[str], query: str, limit: int = 5) -> Sequence[KnowledgeHit]:
        """L0 hits first, then L1 by score; no chunk twice. Empty means that all knowledge was asked and nothing matched.

        Raises SourceUnavailable where there is no knowledge, Unavailable where it can not be asked."""


class Clock(Protocol):
    def now(self) -> datetime: ...

    def sleep(self, seconds: float) -> None: ...


class SourceUnavailable(Exception):
    """A source can not be read: `what` names it, `why` the reason (with the missing permission, where that is it)."""

    def __init__(self, what: str, why: str, code: str = "SOURCE_UNAVAILABLE") -> None:
        super().__init__(f"{what}: {why}")
        self.what, self.why, self.code = what, why, code


class EvidenceSource(Protocol):
    """Where evidence comes from: a recorded world, or a live account. Each method raises SourceUnavailable where its source is not there.

    `normal=True` asks for a fault-free reference period; None says there is none.
    """

    def now(self) -> datetime:
        """The incident's clock."""

    def window(self) -> Window | None:
        """The recorded window of the incident, where the source knows one."""

    def metrics(self, window: Window | None) -> Sequence[Series]: ...

    def normal_metrics(self) -> Sequence[Series] | None: ...

    def logs(self, window: Window | None) -> Iterable[LogLine]: ...

    def normal_logs(self) -> Iterable[LogLine] | None: ...

    def traces(self, window: Window | None) -> Iterable[Span]: ...

    def normal_traces(self) -> Iterable[Span] | None: ...

    def service_map(self) -> Sequence[Service]: ...

    def alarms(self) -> AlarmListing: ...

    def changes(self, window: Window | None) -> Sequence[Change]: ...

    def document(self, name: str) -> Any:
        """A recorded document by name (insights)."""

    def runbooks(self) -> Sequence[tuple[str, str]]:
        """(file name, text) of the runbooks that exist in that world."""

    def unusable(self) -> Sequence[str]:
        """What could not be used of the rows read so far, in sentences."""


class Redactor(Protocol):
    """Replaces secrets by placeholders `<KIND:hmac8>`; equal secrets of a run get equal placeholders."""

    def text(self, value: str) -> str: ...


class RecordedCall(NamedTuple):
    """A tool call as it was recorded. `output` is the stored, redacted, canonical output parsed again; None where the call failed."""

    invocation: Invocation
    output: Any


class Toolbox(Protocol):
    """All tools, wrapped by the recorder. The same tool with the same input in one run is executed once."""

    def call(self, tool_name: str, params: JsonObject) -> RecordedCall: ...

    def describe(self) -> Sequence[JsonObject]:
        """Name, category, description and JSON schema of each tool, for a model."""

    def recorded(self) -> Sequence[RecordedCall]:
        """What this run has recorded so far, in order."""


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


class Excerpt(NamedTuple):
    """A citation that the Gatekeeper found real. `text` is the whole text of the ref, `around` the plain fields that stand around it."""

    claim_id: str
    invocation_id: str
    tool_name: str
    raw_path: str
    excerpt: str
    text: str
    params: JsonObject
    around: JsonObject = {}  # noqa: RUF012 - a default of a frozen tuple, which nobody changes


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


class ToolboxOrder(NamedTuple):
    """Which step a toolbox records for. `file` is what the run has recorded so far, `limits` bound the calls of a second round."""

    run: Run
    step_index: int
    round: int
    source: EvidenceSource
    limits: RetryLimits | None = None
    file: RunFile | None = None


@dataclass(frozen=True)
class Ports:
    """The one bag that steps, services and functions are handed. Factories are called on first use, so that an API function
    never pays for an engine it does not run."""

    settings: Settings
    clock: Clock
    ledger: Ledger
    objects: Objects
    machine: Machine
    queue: Queue
    notifier: Notifier
    evidence: Callable[[Run], EvidenceSource]
    toolbox: Callable[[ToolboxOrder], Toolbox]
    engine: Callable[[Run], Engine]
    offline: Callable[[], Engine]
    vector_index: Callable[[], VectorIndex]
    knowledge: Callable[[], Knowledge]
    reach: Callable[[str], str | None] | None = None
    """Tries an address once, briefly: None where it answers, else why not."""
