"""The table, named after the reads and writes that the product makes. Writes that decide something are conditional."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Generic, NamedTuple, Protocol, TypeVar

from superbiz.domain.cases import Case, CasePatch
from superbiz.domain.control import Control
from superbiz.domain.evidence import Invocation
from superbiz.domain.incidents import AlarmEvent, AlarmNotice, Episode, IncidentRecord, Outcome
from superbiz.domain.knowledge import Chunk, Document, Domain
from superbiz.domain.legacy import LegacySession
from superbiz.domain.runs import (
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
from superbiz.domain.values import JsonObject

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
