"""What opens a run by hand: a question, or an alarm's event sent to the intake. And forgetting a session."""

from aws_lambda_powertools.event_handler import Response

from superbiz.domain.runs import Status
from superbiz.edge.api import Api, answer
from superbiz.edge.queries import WaitQuery
from superbiz.edge.views.incidents import alarm_accepted
from superbiz.edge.views.runs import accepted, run_detail
from superbiz.edge.views.sessions import SessionView, session_view
from superbiz.services import asking, intake, runs
from superbiz.wiring import ports

app = Api("chat")


@app.post("/api/chat")
def ask() -> Response[str]:
    """202 with the run's id; with `?wait=` 200 and the run, where it ends in time."""
    wait = app.query(WaitQuery).wait
    run = asking.ask(app.body(asking.Question), ports())
    app.telemetry.about(run_id=run.run_id, session_id=run.session_id)
    if wait and asking.wait_for_end(run.run_id, wait, ports()).status is not Status.RUNNING:
        return answer(run_detail(runs.find(run.run_id, ports())))
    return answer(accepted(run), 202, location=f"/api/runs/{run.run_id}")


@app.post("/api/chat/clear")
def clear_history() -> SessionView:
    """The session's directory entry, without its history."""
    return session_view(runs.clear(app.body(runs.SessionRef), ports()), ports().clock.now())


@app.post("/api/alarms")
def send_alarm() -> Response[str]:
    """202 with the incident's id."""
    return answer(alarm_accepted(intake.send(app.json(), ports())), 202)


handler = app.serve
