"""The trace: everything recorded of a run, in display order, with three views of it kept apart."""

from collections.abc import Sequence
from datetime import datetime

from typing_extensions import TypedDict

from superbiz.domain import self_evaluation
from superbiz.domain.evidence import Invocation
from superbiz.domain.runs import Run, Step, TracePage
from superbiz.domain.values import JsonObject, iso
from superbiz.edge.views.nodes import AIOPS, RULE, VERIFIER, Nodes, nodes
from superbiz.edge.views.sessions import SessionView, session_view
from superbiz.edge.views.shapes import time_of
from superbiz.services.tracing import LegacyTrace, Trace

MACHINERY = {"lease_until", "result"}


class Execution(TypedDict):
    """First view: did it run."""

    status: str
    engine: str | None
    degraded: str | None
    error: str | None
    createdAt: str | None
    finishedAt: str | None


class People(TypedDict):
    """Third view: what people said."""

    feedback: str | None
    feedbackAt: str | None
    caseId: str | None


class Views(TypedDict):
    """Three answers to three questions, which may well disagree: did it run, was the evidence enough, did it help."""

    execution: Execution
    evidence: Nodes
    people: People


class TraceView(TypedDict):
    """The first page. `selfEvaluation` is the container in its layered form, whatever form it was stored in; `steps` and `toolInvocations`
    are the stored documents.
    """

    runId: str | None
    sessionId: str
    agentFlow: str | None
    status: str
    query: str | None
    answer: str | None
    feedback: str | None
    hasFeedback: bool
    hasRuleEvaluation: bool
    hasVerifierEvaluation: bool
    hasAiOpsRuleEvaluation: bool
    selfEvaluation: JsonObject | None
    caseId: str | None
    session: SessionView | None
    views: Views
    steps: list[JsonObject]
    toolInvocations: list[JsonObject]
    legacy: bool
    cursor: str | None


class TraceRest(TypedDict):
    """A later page: what follows in display order."""

    runId: str
    steps: list[JsonObject]
    toolInvocations: list[JsonObject]
    cursor: str | None


class Flags(TypedDict):
    """A node is there when it is an object with something in it."""

    hasFeedback: bool
    hasRuleEvaluation: bool
    hasVerifierEvaluation: bool
    hasAiOpsRuleEvaluation: bool


def first_page(found: Trace | LegacyTrace, now: datetime) -> TraceView:
    """Of a run, or of a row of the old system."""
    return _legacy(found) if isinstance(found, LegacyTrace) else _run(found, now)


def later_page(run_id: str, page: TracePage) -> TraceRest:
    """Steps and calls alone."""
    return {"runId": run_id, "steps": _steps(page.steps), "toolInvocations": _calls(page.invocations), "cursor": page.cursor}


def _run(found: Trace, now: datetime) -> TraceView:
    run = found.record.run
    container = self_evaluation.normalise(found.record.self_evaluation)
    return {
        "runId": run.run_id,
        "sessionId": run.session_id,
        "agentFlow": run.agent_flow,
        "status": run.status,
        "query": found.record.request.query,
        "answer": found.record.answer,
        "feedback": run.feedback,
        **_flags(run.feedback, container),
        "selfEvaluation": container,
        "caseId": run.case_id,
        "session": session_view(found.session, now) if found.session else None,
        "views": {
            "execution": _execution(run),
            "evidence": nodes(container, run),
            "people": {"feedback": run.feedback, "feedbackAt": time_of(run.feedback_at), "caseId": run.case_id},
        },
        "steps": _steps(found.page.steps),
        "toolInvocations": _calls(found.page.invocations),
        "legacy": False,
        "cursor": found.page.cursor,
    }


def _legacy(found: LegacyTrace) -> TraceView:
    row, case_id = found.row, found.case.case_id if found.case else None
    container = self_evaluation.normalise(row.self_evaluation)
    created = time_of(row.created_at)
    return {
        "runId": None,
        "sessionId": row.session_id,
        "agentFlow": row.agent_flow,
        "status": row.status,
        "query": row.query,
        "answer": row.answer,
        "feedback": row.feedback,
        **_flags(row.feedback, container),
        "selfEvaluation": container,
        "caseId": case_id,
        "session": None,
        "views": {
            "execution": {"status": row.status, "engine": None, "degraded": None, "error": None, "createdAt": created, "finishedAt": None},
            "evidence": nodes(container, None),
            "people": {"feedback": row.feedback, "feedbackAt": time_of(row.feedback_at), "caseId": case_id},
        },
        "steps": [],
        "toolInvocations": [],
        "legacy": True,
        "cursor": None,
    }


def _flags(feedback: str | None, container: JsonObject | None) -> Flags:
    return {
        "hasFeedback": feedback is not None,
        "hasRuleEvaluation": self_evaluation.has(container, RULE),
        "hasVerifierEvaluation": self_evaluation.has(container, VERIFIER),
        "hasAiOpsRuleEvaluation": self_evaluation.has(container, AIOPS),
    }


def _execution(run: Run) -> Execution:
    return {
        "status": run.status,
        "engine": run.engine,
        "degraded": run.degraded,
        "error": run.error,
        "createdAt": iso(run.created_at),
        "finishedAt": time_of(run.finished_at),
    }


def _steps(steps: Sequence[Step]) -> list[JsonObject]:
    """The stored documents, in the ledger's order, without what only the machinery reads."""
    return [step.model_dump(mode="json", exclude=MACHINERY) for step in steps]


def _calls(calls: Sequence[Invocation]) -> list[JsonObject]:
    return [call.to_json() for call in calls]
