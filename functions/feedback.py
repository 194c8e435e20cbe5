"""What people decide: whether a run was useful, how a case reads, what is paused."""

from superbiz.edge.api import Api
from superbiz.edge.views.cases import CaseView, FeedbackView, case_view, feedback_view
from superbiz.edge.views.system import ControlView, control_view
from superbiz.services import cases, controlling, feedback
from superbiz.wiring import ports

app = Api("feedback")


@app.post("/api/feedback")
def give_feedback() -> FeedbackView:
    """The run that was meant, and the case that it made."""
    opinion = app.body(feedback.Opinion)
    app.telemetry.about(run_id=opinion.run_id, session_id=opinion.session_id)
    given = feedback.give(opinion, ports())
    app.telemetry.about(run_id=given.run_id, session_id=given.session_id)
    return feedback_view(given, app.header("accept-language"))


@app.patch("/api/cases/<case_id>")
def edit_case(case_id: str) -> CaseView:
    """The case as it reads now."""
    return case_view(cases.edit(case_id, app.body(cases.CaseChanges), app.caller, ports()))


@app.put("/api/control")
def set_control() -> ControlView:
    """The switches as they are now."""
    return control_view(controlling.switch(app.body(controlling.Switches), ports()), ports().settings)


handler = app.serve
