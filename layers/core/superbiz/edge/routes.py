"""The API's routes: which function answers what. Template, resolvers and OpenAPI document are held to this table."""

import re
from typing import NamedTuple

SMALL_BODY = 64 * 1024
# A document of 1 MiB, every character of it escaped.
DOCUMENT_BODY = 5 * 1024 * 1024


class Route(NamedTuple):
    """`operation` is the route's stable name; `max_body` is in bytes."""

    method: str
    path: str
    function: str
    operation: str
    summary: str
    max_body: int = SMALL_BODY


ROUTES = (
    Route("POST", "/api/chat", "chat", "ask", "Ask a question: opens a run"),
    Route("POST", "/api/chat/clear", "chat", "clearHistory", "Forget a session's history"),
    Route("POST", "/api/alarms", "chat", "sendAlarm", "Send an alarm's event to the intake by hand", 256 * 1024),
    Route("GET", "/api/runs", "traces", "listRuns", "Runs, newest first, with filters"),
    Route("GET", "/api/runs/{runId}", "traces", "getRun", "One run with its answer and report"),
    Route("GET", "/api/runs/{runId}/events", "traces", "followRun", "What happened in a run since the last event, as server-sent events"),
    Route("GET", "/api/runs/{runId}/invocations/{invocationId}/output", "traces", "getOutput", "A tool call's stored output, by range"),
    Route("GET", "/api/trace/{runId}", "traces", "getTrace", "Everything recorded of a run, in display order; a legacy session's id too"),
    Route("GET", "/api/sessions/{sessionId}", "traces", "getSession", "A session's directory entry"),
    Route("GET", "/api/sessions/{sessionId}/runs", "traces", "listSessionRuns", "A session's runs, newest first"),
    Route("POST", "/api/feedback", "feedback", "giveFeedback", "Say whether a run was useful"),
    Route("GET", "/api/cases", "traces", "listCases", "The case library, newest first"),
    Route("GET", "/api/cases/{caseId}", "traces", "getCase", "One case, by its id or by the run or session it came from"),
    Route("PATCH", "/api/cases/{caseId}", "feedback", "editCase", "Complete a case by hand"),
    Route("GET", "/api/incidents", "traces", "listIncidents", "Incident episodes, newest first"),
    Route("GET", "/api/incidents/{incidentId}", "traces", "getIncident", "One incident: its episodes, their events and runs"),
    Route("POST", "/api/knowledge/documents", "knowledge", "putDocument", "Upload a document, or a new version of one", DOCUMENT_BODY),
    Route("GET", "/api/knowledge/documents", "knowledge", "listDocuments", "The documents"),
    Route("DELETE", "/api/knowledge/documents/{documentId}", "knowledge", "removeDocument", "Remove a document with its chunks"),
    Route("GET", "/api/knowledge/preview", "knowledge", "previewKnowledge", "What a key would find"),
    Route("GET", "/api/control", "traces", "getControl", "The switches, the day's budget and the breaker"),
    Route("PUT", "/api/control", "feedback", "setControl", "Pause or resume the intake or the model"),
    Route("GET", "/api/health", "traces", "getHealth", "What is configured and reachable"),
)  # fmt: skip


def of(function: str) -> tuple[Route, ...]:
    """The routes that a function answers."""
    return tuple(route for route in ROUTES if route.function == function)


def matching(path: str) -> tuple[Route, ...]:
    """The routes of this path, whatever their method. A legacy session's id in a trace's path may hold any character."""
    return tuple(route for route in ROUTES if re.fullmatch(_pattern(route.path), path))


def _pattern(template: str) -> str:
    rest = ".+" if template.startswith("/api/trace/") else "[^/]+"
    return "".join(rest if part.startswith("{") else re.escape(part) for part in re.split(r"(\{\w+\})", template))
