"""The one wrapper around every tool: what a call was asked, what it answered and what that is worth as evidence become a record.

Same tool and same input in one run are executed once; a second call, a second round and a resumed attempt meet the first record (REQ-207).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import ValidationError

from superbiz.domain import canonical, ids, leaves, refs
from superbiz.domain.emptiness import is_complete, is_empty
from superbiz.domain.evidence import (
    PREVIEW_CHARS,
    EvidenceRef,
    EvidenceStatus,
    Hit,
    Invocation,
    InvocationStatus,
    Match,
    OutputRecord,
    RetrievalDetails,
    ToolCategory,
)
from superbiz.domain.runs import Run
from superbiz.domain.values import JsonObject, Window, iso
from superbiz.domain.verification import RetryLimits
from superbiz.errors import Invalid, SuperBizError, Unavailable
from superbiz.ports import Clock, EvidenceSource, Knowledge, RecordedCall, Redactor, RunFile, SourceUnavailable, StepLedger
from superbiz.tools.tool import Tool, ToolContext, ToolInput

MAX_CALLS = 200
MESSAGE_CHARS = 1_000
REFUSED_CHARS = 4_000  # of an input that was refused; a longer one is known by its digest
UNKNOWN_TOOL, INVALID_INPUT, TOOL_ERROR, CALL_LIMIT = "UNKNOWN_TOOL", "INVALID_INPUT", "TOOL_ERROR", "TOOL_CALL_LIMIT"
NO_EVIDENCE_REF = EvidenceRef(raw_path=refs.NO_EVIDENCE, text="")
LEVELS = ("L0", "L1")


class _Failure(NamedTuple):
    code: str
    reason: str


class _Asked(NamedTuple):
    """A call before it runs: `given` is what is stored (checked, redacted), `checked` what the tool gets; or why it must not run."""

    tool_name: str
    category: ToolCategory
    given: JsonObject
    digest: str
    checked: ToolInput | None = None
    refused: _Failure | None = None


class _Answered(NamedTuple):
    """`data` are the canonical bytes of the redacted output, `output` the same parsed again; or why there are none."""

    output: JsonObject | None = None
    data: bytes | None = None
    complete: bool = False
    failed: _Failure | None = None


class RecordingToolbox:
    """Records for one step of one run. Raises only what the ledger raises, and Invalid beyond 200 calls: a tool's failure is a record.

    What the run has recorded so far comes from its `file` where one is given, else from the ledger.
    """

    def __init__(self, run: Run, step_index: int, round_: int, tools: Mapping[str, Tool], source: EvidenceSource, ledger: StepLedger,
                 redactor: Redactor, clock: Clock, knowledge: Knowledge | None, limit: RetryLimits | None = None,
                 file: RunFile | None = None) -> None:  # fmt: skip
        self._run, self._step_index, self._round = run, step_index, round_
        self._tools, self._source, self._knowledge = tools, source, knowledge
        self._ledger, self._redactor, self._clock, self._limit = ledger, redactor, clock, limit
        self._calls: dict[tuple[str, str], RecordedCall] = {}
        self._last_seq = 0
        self._load(file.invocations if file else ledger.invocations(run.run_id), file.outputs if file else {})

    def call(self, tool_name: str, params: JsonObject) -> RecordedCall:
        asked = self._asked(tool_name, params)
        if found := self._calls.get((asked.tool_name, asked.digest)):
            return found
        if len(self._calls) >= MAX_CALLS:
            raise Invalid(f"run {self._run.run_id} has made {MAX_CALLS} tool calls", code=CALL_LIMIT, mend="conclude with what is recorded")
        started = self._clock.now()
        answered = self._answered(asked)
        return self._record(asked, answered, started)

    def describe(self) -> Sequence[JsonObject]:
        return [_description(tool) for tool in self._tools.values()]

    def recorded(self) -> Sequence[RecordedCall]:
        return tuple(sorted(self._calls.values(), key=lambda call: (call.invocation.step_index, call.invocation.seq)))

    def _load(self, invocations: Sequence[Invocation], outputs: Mapping[str, bytes]) -> None:
        """Take in what is recorded: by earlier steps, by an attempt that was cut short, or by one that is at work too."""
        for invocation in invocations:
            if invocation.step_index == self._step_index:
                self._last_seq = max(self._last_seq, invocation.seq)
            key = (invocation.tool_name, invocation.input_digest)
            if key not in self._calls:
                self._calls[key] = RecordedCall(invocation, self._stored(invocation, outputs))

    def _stored(self, invocation: Invocation, outputs: Mapping[str, bytes]) -> JsonObject | None:
        if invocation.output is None:
            return None
        data = outputs.get(invocation.invocation_id) or self._ledger.output(invocation)
        return None if data is None else canonical.loads(data)

    def _asked(self, tool_name: str, params: JsonObject) -> _Asked:
        tool = self._tools.get(tool_name)
        if tool is None:
            failure = _Failure(UNKNOWN_TOOL, f"there is no tool {tool_name!r}; there are {', '.join(self._tools)}")
            return self._refused(tool_name[:100], ToolCategory.UTILITY, params, failure)
        try:
            checked = tool.input_model.model_validate(self._clean(params, redact=False))
        except (ValidationError, Invalid) as e:
            return self._refused(tool_name, tool.category, params, _Failure(INVALID_INPUT, _complaint(e)))
        given = self._clean(checked.model_dump(mode="json", exclude_none=True))
        return _Asked(tool_name, tool.category, given, canonical.digest(given), checked, self._over_limit(tool_name, given))

    def _refused(self, tool_name: str, category: ToolCategory, params: JsonObject, failure: _Failure) -> _Asked:
        try:
            given = self._clean(params) if isinstance(params, Mapping) else {}
            digest = canonical.digest(given)
            given = given if len(canonical.dumps(given)) <= REFUSED_CHARS else {}
        except (Invalid, RecursionError):
            given, digest = {}, canonical.digest({})
        return _Asked(tool_name, category, given, digest, refused=failure)

    def _over_limit(self, tool_name: str, given: JsonObject) -> _Failure | None:
        """In a second round only so many new calls run; those that a limit stopped do not count."""
        if self._limit is None or (tool_name, canonical.digest(given)) in self._calls:
            return None
        of_step = [c.invocation for c in self._calls.values() if c.invocation.step_index == self._step_index]
        made = sum(i.error_code != CALL_LIMIT for i in of_step)
        most = self._limit.max_new_tool_calls
        return _Failure(CALL_LIMIT, f"this round may make {most} new calls, which it has made") if made >= most else None

    def _answered(self, asked: _Asked) -> _Answered:
        if asked.refused or asked.checked is None:
            return _Answered(failed=asked.refused)
        try:
            return self._run_tool(self._tools[asked.tool_name], asked.checked)
        except SourceUnavailable as e:
            return _Answered(failed=_Failure(e.code, str(e)))
        except SuperBizError as e:
            return _Answered(failed=_Failure(e.code, str(e)))
        except Exception as e:  # the edge of a tool: its bug is a recorded failure, and the run goes on
            return _Answered(failed=_Failure(TOOL_ERROR, f"{type(e).__name__}: {e}"))

    def _run_tool(self, tool: Tool, checked: ToolInput) -> _Answered:
        now, window = self._source.now(), self._source.window()
        output = tool.run(checked, ToolContext(self._source, self._knowledge, now, window))
        if not isinstance(output, dict):
            raise TypeError(f"the tool answered a {type(output).__name__} and no object")
        output = _with_gaps(output, self._source.partial(tool.category))
        complete = is_complete(output, _window_of(output), now)
        data = canonical.encoded(self._clean(output | {"queried_at": iso(now), "complete": complete}))
        return _Answered(canonical.loads(data), data, complete)

    def _record(self, asked: _Asked, answered: _Answered, started: datetime) -> RecordedCall:
        """Put the call under the next free number. Where another attempt was quicker, its record of the same call counts."""
        key = (asked.tool_name, asked.digest)
        for _ in range(MAX_CALLS):
            call = RecordedCall(self._invocation(asked, answered, started), answered.output)
            if self._ledger.record_invocation(call.invocation, answered.data):
                self._last_seq = call.invocation.seq
                self._calls[key] = call
                return call
            self._load(self._ledger.invocations(self._run.run_id), {})
            if found := self._calls.get(key):
                return found
        raise Unavailable(f"run {self._run.run_id}: no number is free for a call of {asked.tool_name}")

    def _invocation(self, asked: _Asked, answered: _Answered, started: datetime) -> Invocation:
        run_id, index = self._run.run_id, self._step_index
        seq = self._last_seq + 1
        failed, data = answered.failed, answered.data
        return Invocation(
            invocation_id=ids.invocation_id(run_id, index, seq),
            run_id=run_id,
            session_id=self._run.session_id,
            step_id=ids.step_id(run_id, index),
            step_index=index,
            seq=seq,
            round=self._round,
            tool_name=asked.tool_name,
            category=asked.category,
            status=InvocationStatus.FAILED if failed else InvocationStatus.SUCCESS,
            input_params=asked.given,
            input_digest=asked.digest,
            output_preview="" if data is None else data[: 4 * PREVIEW_CHARS].decode("utf-8", "ignore")[:PREVIEW_CHARS],
            output=None if data is None else OutputRecord(sha256=canonical.sha256(data), size=len(data), complete=answered.complete),
            retrieval_details=details(asked.category, answered.output, answered.complete),
            error_code=failed.code if failed else None,
            error_message=self._clean_text(failed.reason)[:MESSAGE_CHARS] if failed else None,
            counts_for_evidence=asked.category.counts_for_evidence,
            started_at=started,
            duration_ms=round((self._clock.now() - started).total_seconds() * 1000, 3),
        )

    def _clean(self, value: Any, *, redact: bool = True) -> Any:
        """JSON whose texts, keys too, are free of secrets and of lone surrogates; numbers stay."""
        return leaves.changed(value, self._clean_text if redact else _without_surrogates)

    def _clean_text(self, text: str, name: str = "") -> str:
        return self._redactor.text(_without_surrogates(text), name)


def details(category: ToolCategory, output: JsonObject | None, complete: bool) -> RetrievalDetails:
    """What a result is worth (REQ-043 to 047). `output` None is a failed call.

    Empty and complete is `no_evidence` with its one ref; empty but incomplete says nothing either way, so it has no ref and no claim of
    absence can rest on it. Utility results are no evidence at all.
    """
    match = _match(category, output)
    if output is None:
        return RetrievalDetails(evidence_status=EvidenceStatus.ERROR, match=match)
    if not category.counts_for_evidence:
        return RetrievalDetails(evidence_status=EvidenceStatus.NOT_APPLICABLE)
    if not is_empty(output):
        return RetrievalDetails(evidence_status=EvidenceStatus.SUPPORTED, evidence_refs=refs.stored_refs(output), match=match)
    if complete:
        return RetrievalDetails(evidence_status=EvidenceStatus.NO_EVIDENCE, evidence_refs=(NO_EVIDENCE_REF,), match=match)
    return RetrievalDetails(evidence_status=EvidenceStatus.NOT_APPLICABLE, match=match)


def _match(category: ToolCategory, output: JsonObject | None) -> Match:
    """Only knowledge is retrieval. A hit that lacks its fields is a tool's bug and counts for nothing."""
    if category is not ToolCategory.KNOWLEDGE:
        return Match()
    rows = (output or {}).get("hits") or ()
    hits = tuple(hit for row in rows if (hit := _hit(row)))
    l0, l1 = (sum(hit.level == level for hit in hits) for level in LEVELS)
    return Match(is_retrieval=True, l0_hits=l0, l1_hits=l1, hits=hits)


def _hit(row: Any) -> Hit | None:
    try:
        return Hit.model_validate(row)
    except ValidationError:
        return None


def _with_gaps(output: JsonObject, gaps: Sequence[str]) -> JsonObject:
    """What was read only in part is no whole answer, and says so."""
    return output | {"notes": [*output.get("notes", ()), *gaps], "complete": False} if gaps else output


def _window_of(output: JsonObject) -> Window | None:
    """The window that the output says it covers; None where it covers no span of time."""
    try:
        return Window.model_validate(output["window"]) if output.get("window") else None
    except ValidationError as e:
        raise Invalid(f"the tool's window is unusable: {e.errors()[0]['msg']}", code=TOOL_ERROR) from e


def _description(tool: Tool) -> JsonObject:
    return {
        "name": tool.name,
        "category": tool.category.value,
        "description": tool.description,
        "input_schema": tool.input_model.model_json_schema(),
    }


def _complaint(error: ValidationError | Invalid) -> str:
    if isinstance(error, Invalid):
        return str(error)
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'input'}: {first['msg']}"


def _without_surrogates(text: str, _name: str = "") -> str:
    """A lone surrogate has no UTF-8: it becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
