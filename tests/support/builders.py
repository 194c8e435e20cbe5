"""Builders of values that default everything: a test names only what it is about.

Import as `from support.builders import build_run`. Every builder takes the fields of its value as keywords.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from superbiz.domain import canonical, ids, refs
from superbiz.domain.claims import (
    Binding,
    Cause,
    Claim,
    ClaimType,
    Conclusion,
    ExecutorOutput,
    FaultCategory,
    Findings,
    ParseState,
    ParseStatus,
)
from superbiz.domain.evidence import (
    PREVIEW_CHARS,
    EvidenceRef,
    EvidenceStatus,
    Invocation,
    InvocationStatus,
    Match,
    OutputRecord,
    RetrievalDetails,
    ToolCategory,
)
from superbiz.domain.incidents import AlarmMetric, AlarmNotice, AlarmState
from superbiz.domain.runs import Flow, Run, RunRecord, RunRequest, Session, Status, Step, StepName
from superbiz.domain.values import JsonObject, Window
from superbiz.domain.verification import CheckResult, ClaimCheck, Expressible, Verdict, VerifierReply
from superbiz.ports import RecordedCall

NOW = datetime(2026, 7, 8, 23, 10, tzinfo=UTC)
WINDOW = Window(start=NOW - timedelta(minutes=40), end=NOW)
RUN_ID = "run-00000000-0000-4000-8000-000000000001"
OTHER_RUN_ID = "run-00000000-0000-4000-8000-000000000002"
SESSION_ID = "session-1"
QUERY = "Why does order-service answer with errors since 23:05?"
LOG_LINES = (
    "2026-07-08 23:05:28 ERROR order-service HikariPool-1 - Connection is not available, request timed out after 30000ms",
    "2026-07-08 23:05:31 ERROR order-service POST /orders answered 503",
)


def build_run(**fields: Any) -> Run:
    return Run(**({"run_id": RUN_ID, "session_id": SESSION_ID, "agent_flow": Flow.CHAT, "created_at": NOW, "title": QUERY} | fields))


def build_request(**fields: Any) -> RunRequest:
    return RunRequest(**({"query": QUERY} | fields))


def build_session(**fields: Any) -> Session:
    return Session(**({"session_id": SESSION_ID, "last_active_at": NOW} | fields))


def build_record(run: Run | None = None, **fields: Any) -> RunRecord:
    return RunRecord(**({"run": run or build_run(status=Status.SUCCESS), "request": build_request()} | fields))


def build_step(**fields: Any) -> Step:
    index = fields.get("step_index", 1)
    run_id = fields.get("run_id", RUN_ID)
    return Step(
        **(
            {
                "step_id": ids.step_id(run_id, index),
                "session_id": SESSION_ID,
                "run_id": run_id,
                "step_index": index,
                "agent_name": StepName.EXECUTOR,
                "started_at": NOW,
            }
            | fields
        )
    )


def build_log_output(lines: Sequence[str] = LOG_LINES, **fields: Any) -> JsonObject:
    """The output of `query_logs`."""
    return {
        "logs": list(lines),
        "templates": [],
        "matched": len(lines),
        "window": WINDOW.to_json(),
        "queried_at": "2026-07-08T23:10:00Z",
        "complete": True,
    } | fields


def build_invocation(output: Any = None, **fields: Any) -> Invocation:
    """A recorded call with evidence: by default a log query. `output` gives refs, preview and hash as the recorder stores them."""
    return build_call(output, **fields).invocation


def build_call(output: Any = None, **fields: Any) -> RecordedCall:
    """An invocation together with its stored output."""
    output = build_log_output() if output is None else output
    details = fields.pop("retrieval_details", None) or RetrievalDetails(
        evidence_status=EvidenceStatus.SUPPORTED, evidence_refs=refs.stored_refs(output), match=fields.pop("match", Match())
    )
    return RecordedCall(_invocation(fields, output, details), output)


def build_silent_call(output: Any = None, **fields: Any) -> RecordedCall:
    """A call that succeeded, was complete and matched nothing: its one ref is `$.no_evidence`."""
    output = build_log_output(()) if output is None else output
    details = RetrievalDetails(evidence_status=EvidenceStatus.NO_EVIDENCE, evidence_refs=(EvidenceRef(raw_path=refs.NO_EVIDENCE, text=""),))
    return RecordedCall(_invocation(fields, output, details), output)


def build_failed_invocation(**fields: Any) -> Invocation:
    """A call that failed: no output, no refs, a reason."""
    defaults = {
        "status": InvocationStatus.FAILED,
        "error_code": "SOURCE_UNAVAILABLE",
        "error_message": "logs: AccessDenied: logs:StartQuery",
    }
    match = fields.pop("match", Match())
    return _invocation(defaults | fields, None, RetrievalDetails(evidence_status=EvidenceStatus.ERROR, match=match))


def _invocation(fields: Mapping[str, Any], output: Any, details: RetrievalDetails) -> Invocation:
    run_id, step_index, seq = (fields.get(*pair) for pair in (("run_id", RUN_ID), ("step_index", 1), ("seq", 1)))
    category = ToolCategory(fields.get("category", ToolCategory.LOG))
    params = fields.get("input_params", {"service": "order-service"})
    return Invocation(
        **(
            {
                "invocation_id": ids.invocation_id(run_id, step_index, seq),
                "run_id": run_id,
                "session_id": SESSION_ID,
                "step_id": ids.step_id(run_id, step_index),
                "step_index": step_index,
                "seq": seq,
                "tool_name": "query_logs",
                "category": category,
                "status": InvocationStatus.SUCCESS,
                "input_params": params,
                "input_digest": canonical.digest(params),
                "output_preview": canonical.dumps(output)[:PREVIEW_CHARS] if output is not None else "",
                "output": _output_record(output),
                "retrieval_details": details,
                "counts_for_evidence": category.counts_for_evidence,
                "started_at": NOW,
            }
            | fields
        )
    )


def _output_record(output: Any) -> OutputRecord | None:
    if output is None:
        return None
    data = canonical.encoded(output)
    complete = bool(output.get("complete", True)) if isinstance(output, Mapping) else True
    return OutputRecord(sha256=canonical.sha256(data), size=len(data), complete=complete)


def build_binding(invocation: Invocation | RecordedCall | None = None, **fields: Any) -> Binding:
    """By default it cites the pool's error in the first log line."""
    if isinstance(invocation, RecordedCall):
        invocation = invocation.invocation
    defaults = {
        "invocation_id": invocation.invocation_id if invocation else ids.invocation_id(RUN_ID, 1, 1),
        "raw_path": "$.logs[0]",
        "evidence_excerpt": "Connection is not available",
    }
    return Binding(**(defaults | fields))


def build_absence_binding(call: RecordedCall | Invocation) -> Binding:
    return build_binding(call, raw_path=refs.NO_EVIDENCE, evidence_excerpt="")


def build_claim(claim_id: str = "c1", **fields: Any) -> Claim:
    """A critical observation with one true citation. Give `evidence=()` for none."""
    defaults = {
        "claim_id": claim_id,
        "claim_text": "order-service could not obtain a database connection at 23:05:28",
        "claim_type": ClaimType.OBSERVATION,
        "critical": True,
        "evidence": (build_binding(),),
    }
    return Claim(**(defaults | fields))


def build_cause(**fields: Any) -> Cause:
    defaults = {
        "resource": "order-service",
        "fault_category": FaultCategory.RESOURCE_EXHAUSTION,
        "score": 0.9,
        "claim_ids": ("c1",),
    }
    return Cause(**(defaults | fields))


def build_findings(**fields: Any) -> Findings:
    return Findings(**({"conclusion": Conclusion.ROOT_CAUSE, "causes": (build_cause(),)} | fields))


def build_output(*claims: Claim, **fields: Any) -> ExecutorOutput:
    """An Executor's structured output; one true claim and one cause where none are given."""
    defaults = {"run_id": RUN_ID, "round": 1, "findings": build_findings(), "claims": claims or (build_claim(),)}
    return ExecutorOutput(**(defaults | fields))


def build_parse(**fields: Any) -> ParseStatus:
    defaults = {"status": ParseState.OK, "valid": True, "schema_version": "executor_evidence_v2", "claim_count": 1}
    return ParseStatus(**(defaults | fields))


def build_check(claim_id: str = "c1", **fields: Any) -> ClaimCheck:
    defaults = {"claim_id": claim_id, "result": CheckResult.SUPPORTED, "expressible": Expressible.FULL, "reason": "the line says so"}
    return ClaimCheck(**(defaults | fields))


def build_reply(*checks: ClaimCheck, **fields: Any) -> VerifierReply:
    """A Verifier's reply; one supported claim `c1` where no checks are given."""
    defaults = {
        "verdict": Verdict.PASS,
        "groundedness_score": 0.8,
        "critical_fact_count": 1,
        "claim_checks": checks or (build_check(),),
        "rationale": "the cited log line states it",
    }
    return VerifierReply(**(defaults | fields))


def build_alarm(**fields: Any) -> AlarmNotice:
    defaults = {
        "event_id": "event-1",
        "via": "eventbridge",
        "alarm_name": "order-service-errors",
        "alarm_arn": "arn:aws:cloudwatch:eu-west-1:111122223333:alarm:order-service-errors",
        "account": "111122223333",
        "region": "eu-west-1",
        "state": AlarmState.ALARM,
        "previous_state": AlarmState.OK,
        "reason": "Threshold Crossed: 1 datapoint [27.0] was greater than the threshold (5.0).",
        "metrics": (AlarmMetric(namespace="Shop", metric_name="Errors", dimensions={"Service": "order-service"}, stat="Sum", period=60),),
        "threshold": 5.0,
        "comparison": "GreaterThanThreshold",
        "occurred_at": NOW - timedelta(minutes=4),
    }
    return AlarmNotice(**(defaults | fields))
