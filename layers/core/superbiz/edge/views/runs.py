"""Runs, their lists, and the answer to a question."""

from typing_extensions import TypedDict

from superbiz.domain.runs import Cost, Run, RunRecord
from superbiz.domain.values import JsonObject, iso
from superbiz.edge.views.shapes import time_of
from superbiz.ports import Page


class Links(TypedDict):
    """Where to go on from a run."""

    run: str
    events: str
    trace: str
    session: str


class CostView(TypedDict):
    """US dollars, and the tokens behind the model's share."""

    platform: float
    evidence: float
    model: float
    inputTokens: int
    outputTokens: int


class RunView(TypedDict):
    """A run in a list."""

    runId: str
    sessionId: str
    agentFlow: str
    status: str
    title: str
    engine: str
    degraded: str | None
    verdict: str | None
    conclusion: str | None
    firstCause: str | None
    alarmName: str | None
    incidentId: str | None
    error: str | None
    feedback: str | None
    feedbackAt: str | None
    caseId: str | None
    rerunOf: str | None
    createdAt: str
    finishedAt: str | None
    cost: CostView
    links: Links


class RunDetail(RunView):
    """One run. `report` is the stored `report/1`; it and `answer` are null until the run has ended well."""

    query: str
    answer: str | None
    report: JsonObject | None


class RunPage(TypedDict):
    """Newest first. `cursor` leads to the next page, null on the last."""

    items: list[RunView]
    cursor: str | None


class Accepted(TypedDict):
    """A run has been opened and is under way."""

    sessionId: str
    runId: str
    status: str
    links: Links


def accepted(run: Run) -> Accepted:
    """The 202 of a question."""
    return {"sessionId": run.session_id, "runId": run.run_id, "status": run.status, "links": links(run)}


def run_page(page: Page[Run]) -> RunPage:
    """A page of runs."""
    return {"items": [run_view(run) for run in page.items], "cursor": page.cursor}


def run_detail(record: RunRecord) -> RunDetail:
    """The whole run, without its trace."""
    return {**run_view(record.run), "query": record.request.query, "answer": record.answer, "report": record.report}


def run_view(run: Run) -> RunView:
    """The head."""
    return {
        "runId": run.run_id,
        "sessionId": run.session_id,
        "agentFlow": run.agent_flow,
        "status": run.status,
        "title": run.title,
        "engine": run.engine,
        "degraded": run.degraded,
        "verdict": run.verdict,
        "conclusion": run.conclusion,
        "firstCause": run.first_cause,
        "alarmName": run.alarm_name,
        "incidentId": run.incident_id,
        "error": run.error,
        "feedback": run.feedback,
        "feedbackAt": time_of(run.feedback_at),
        "caseId": run.case_id,
        "rerunOf": run.rerun_of,
        "createdAt": iso(run.created_at),
        "finishedAt": time_of(run.finished_at),
        "cost": cost_view(run.cost),
        "links": links(run),
    }


def cost_view(cost: Cost) -> CostView:
    """What it cost."""
    return {
        "platform": cost.platform,
        "evidence": cost.evidence,
        "model": cost.model,
        "inputTokens": cost.input_tokens,
        "outputTokens": cost.output_tokens,
    }


def links(run: Run) -> Links:
    """Paths of the API."""
    here = f"/api/runs/{run.run_id}"
    return {"run": here, "events": f"{here}/events", "trace": f"/api/trace/{run.run_id}", "session": f"/api/sessions/{run.session_id}"}
