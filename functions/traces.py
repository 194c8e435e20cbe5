"""Everything that is read: runs, traces, sessions, cases, incidents, switches, health. It also answers what matches no route."""

from aws_lambda_powertools.event_handler import Response

from superbiz.edge.api import JSON, Api, answer, checked, data, nothing
from superbiz.edge.queries import EventsQuery, OutputQuery, PageQuery, RunsQuery, TraceQuery
from superbiz.edge.views.cases import CasePage, CaseView, case_page, case_view
from superbiz.edge.views.events import MEDIA_TYPE, event_stream
from superbiz.edge.views.incidents import EpisodePage, IncidentView, episode_page, incident_view
from superbiz.edge.views.runs import RunDetail, RunPage, run_detail, run_page
from superbiz.edge.views.sessions import SessionView, session_view
from superbiz.edge.views.system import ControlView, control_view, health_view
from superbiz.edge.views.traces import TraceRest, TraceView, first_page, later_page
from superbiz.services import cases, health, incidents, outputs, progress, runs, tracing
from superbiz.wiring import ports

TRACE = "/api/trace/"

app = Api("traces")


@app.get("/api/runs")
def list_runs() -> RunPage:
    """Newest first."""
    asked = app.query(RunsQuery)
    return run_page(ports().ledger.list_runs(asked.filters, asked.limit, asked.cursor, asked.month))


@app.get("/api/runs/<run_id>")
def get_run(run_id: str) -> RunDetail:
    """Answer and report included."""
    app.telemetry.about(run_id=run_id)
    return run_detail(runs.find(run_id, ports()))


@app.get("/api/runs/<run_id>/events")
def follow_run(run_id: str) -> Response[str]:
    """What is new, as server-sent events; 204 once the end has been seen."""
    app.telemetry.about(run_id=run_id)
    last = app.query(EventsQuery).last_event_id or app.header("last-event-id")
    new = progress.since(run_id, last, ports())
    return nothing() if new is None else Response(200, MEDIA_TYPE, event_stream(new))


@app.get("/api/runs/<run_id>/invocations/<invocation_id>/output")
def get_output(run_id: str, invocation_id: str) -> Response[str]:
    """The stored bytes; 206 where it is a part of them."""
    app.telemetry.about(run_id=run_id)
    asked = app.query(OutputQuery)
    part = outputs.output(run_id, invocation_id, outputs.span_of(app.header("range"), asked.start, asked.end), ports())
    headers = {"accept-ranges": "bytes", "etag": f'"{part.sha256}"', "content-range": part.content_range}
    return data(part.data, 200 if part.whole else 206, JSON, headers)


@app.get(TRACE + ".+")
def get_trace() -> TraceView | TraceRest:
    """The first page, or the one that the cursor leads to. The id is a run's, or a legacy session's in whatever form."""
    run_id, cursor = app.rest(TRACE), app.query(TraceQuery).cursor
    app.telemetry.about(run_id=run_id)
    if cursor:
        return later_page(run_id, tracing.following(run_id, cursor, ports()))
    return first_page(tracing.first(run_id, ports()), ports().clock.now())


@app.get("/api/sessions/<session_id>")
def get_session(session_id: str) -> SessionView:
    """The directory entry."""
    return session_view(runs.session(checked(runs.SessionRef, {"sessionId": session_id}), ports()), ports().clock.now())


@app.get("/api/sessions/<session_id>/runs")
def list_session_runs(session_id: str) -> RunPage:
    """Newest first."""
    page = app.query(PageQuery)
    return run_page(runs.of_session(checked(runs.SessionRef, {"sessionId": session_id}), page.limit, page.cursor, ports()))


@app.get("/api/cases")
def list_cases() -> CasePage:
    """Newest first."""
    page = app.query(PageQuery)
    return case_page(ports().ledger.cases(page.limit, page.cursor))


@app.get("/api/cases/<case_id>")
def get_case(case_id: str) -> CaseView:
    """By its id, or by what it came from."""
    return case_view(cases.find(case_id, ports()))


@app.get("/api/incidents")
def list_incidents() -> EpisodePage:
    """Newest first."""
    page = app.query(PageQuery)
    return episode_page(ports().ledger.incidents(page.limit, page.cursor))


@app.get("/api/incidents/<incident_id>")
def get_incident(incident_id: str) -> IncidentView:
    """Episodes with their runs, and the latest events."""
    return incident_view(incidents.find(incident_id, ports()))


@app.get("/api/control")
def get_control() -> ControlView:
    """As it stands."""
    return control_view(ports().ledger.control(), ports().settings)


@app.get("/api/health")
def get_health() -> Response[str]:
    """503 where the table does not answer: nothing works without it."""
    parts = health.check(ports())
    return answer(health_view(parts, ports().settings), 503 if health.status(parts) == "down" else 200)


handler = app.serve
