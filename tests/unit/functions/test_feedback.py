"""The feedback route, the edit of a case, the switches."""

import pytest

from superbiz.domain.legacy import LegacySession
from superbiz.ports import Ports
from support.builders import OTHER_RUN_ID, RUN_ID, SESSION_ID
from support.recorded_runs import finished_run, open_run
from support.serving import Functions, event

OLD = "old session/№7"


# REQ-100, REQ-103, REQ-104
def test_the_answer_is_success_message_case_and_run_in_no_envelope(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    given = event("feedback")
    del given["headers"]["accept-language"]
    answer = api.ask("feedback", given)
    assert (answer.status, set(answer.body)) == (200, {"success", "message", "caseId", "runId"})
    assert (answer.body["success"], answer.body["message"], answer.body["runId"]) == (True, "反馈已记录", RUN_ID)
    assert api.call("GET", f"/api/cases/{answer.body['caseId']}").body["diagnosisId"] == RUN_ID


# REQ-103
@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en-GB,en;q=0.9", "Feedback recorded"),
        ("fr, en;q=0.4", "Feedback recorded"),
        ("zh-CN,en;q=0.8", "反馈已记录"),
        ("en;q=0.3, zh;q=0.7", "反馈已记录"),
        ("en;q=0", "反馈已记录"),
        ("*", "反馈已记录"),
        ("en;q=high", "反馈已记录"),
        ("", "反馈已记录"),
    ],
)
def test_the_message_is_english_only_where_that_is_preferred(api: Functions, ports: Ports, language: str, message: str) -> None:
    finished_run(ports)
    body = {"runId": RUN_ID, "feedback": "not_useful"}
    assert api.call("POST", "/api/feedback", body, headers={"Accept-Language": language}).body["message"] == message


# REQ-105
def test_not_useful_names_no_case(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    assert api.call("POST", "/api/feedback", {"runId": RUN_ID, "feedback": "not_useful"}).body["caseId"] is None


# REQ-183
def test_a_session_alone_answers_with_the_run_that_was_meant(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    finished_run(ports, run_id=OTHER_RUN_ID)
    assert api.call("POST", "/api/feedback", {"sessionId": SESSION_ID, "feedback": "useful"}).body["runId"] == OTHER_RUN_ID


# REQ-106
@pytest.mark.parametrize("body", [{"feedback": v, "runId": RUN_ID} for v in (None, "", "USEFUL", 1)] + [{"runId": RUN_ID}])
def test_another_value_is_400_and_writes_nothing(api: Functions, ports: Ports, body: dict[str, object]) -> None:
    before = finished_run(ports)
    answer = api.call("POST", "/api/feedback", body)
    assert (answer.status, answer.body["detail"].split(":")[0]) == (400, "feedback")
    assert ports.ledger.run(RUN_ID) == before


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"feedback": "useful"}, 400),
        ({"feedback": "useful", "runId": RUN_ID, "sessionId": "another"}, 400),
        ({"feedback": "useful", "runId": "run-unknown"}, 404),
        ({"feedback": "useful", "sessionId": "unknown"}, 404),
        ({"feedback": "useful", "runId": OTHER_RUN_ID}, 409),
        ({"feedback": "useful", "runId": 7}, 400),
        ({"feedback": "useful", "runId": "r" * 501}, 400),
    ],
)
def test_ids_that_do_not_fit_are_refused(api: Functions, ports: Ports, body: dict[str, object], status: int) -> None:
    finished_run(ports)
    open_run(ports, run_id=OTHER_RUN_ID, session_id="session-2")
    assert api.call("POST", "/api/feedback", body).status == status
    assert ports.ledger.cases(10, None).items == []


# REQ-112, REQ-180, REQ-182
def test_a_legacy_session_takes_feedback_and_its_case_reads_as_legacy(api: Functions, ports: Ports) -> None:
    ports.ledger.import_legacy([LegacySession(session_id=OLD, query="q", answer="a")])
    answer = api.call("POST", "/api/feedback", {"sessionId": OLD, "feedback": "useful"})
    assert (answer.status, answer.body["runId"]) == (200, None)
    case = api.call("GET", f"/api/cases/{answer.body['caseId']}").body
    assert (case["diagnosisId"], case["legacy"], case["runId"]) == (OLD, True, None)


# REQ-114: completed by hand; who and when are kept.
def test_a_case_is_completed_by_hand(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    case_id = api.call("POST", "/api/feedback", {"runId": RUN_ID, "feedback": "useful"}).body["caseId"]
    patch = {"faultCategory": "RESOURCE_EXHAUSTION", "solution": "raise the pool's size"}
    edited = api.call("PATCH", f"/api/cases/{case_id}", patch)
    assert edited.status == 200
    assert (edited.body["faultCategory"], edited.body["solution"]) == ("RESOURCE_EXHAUSTION", "raise the pool's size")
    (edit,) = edited.body["edits"]
    assert edit["by"] == "arn:aws:sts::111122223333:assumed-role/on-call/alex"
    assert set(edit["fields"]) == {"fault_category", "solution"}
    assert edit["at"] == "2026-07-08T23:10:00Z"
    assert api.call("GET", f"/api/cases/{RUN_ID}").body == edited.body


@pytest.mark.parametrize(
    "patch",
    [{}, {"faultCategory": "SOMETHING"}, {"title": ""}, {"title": 7}, {"caseId": "x"}, {"createdBy": "me"}, {"title": None}],
)
def test_a_patch_that_changes_nothing_known_is_refused(api: Functions, ports: Ports, patch: dict[str, object]) -> None:
    finished_run(ports)
    case_id = api.call("POST", "/api/feedback", {"runId": RUN_ID, "feedback": "useful"}).body["caseId"]
    assert api.call("PATCH", f"/api/cases/{case_id}", patch).status == 400
    assert api.call("GET", f"/api/cases/{case_id}").body["edits"] == []


def test_an_unknown_case_is_not_found(api: Functions) -> None:
    assert api.call("PATCH", "/api/cases/nobody", {"title": "t"}).status == 404
    assert api.call("GET", "/api/cases/nobody").status == 404


def test_the_switches_are_set_one_by_one(api: Functions) -> None:
    assert api.call("GET", "/api/control").body["intakePaused"] is False
    paused = api.call("PUT", "/api/control", {"intakePaused": True})
    assert (paused.status, paused.body["intakePaused"], paused.body["modelPaused"]) == (200, True, False)
    both = api.call("PUT", "/api/control", {"modelPaused": True}).body
    assert (both["intakePaused"], both["modelPaused"]) == (True, True)
    assert api.call("GET", "/api/control").body == both


@pytest.mark.parametrize("body", [{}, {"intakePaused": "yes"}, {"intakePaused": None}, {"intakePaused": 1}, {"intake": True}])
def test_a_switch_that_is_no_switch_is_refused(api: Functions, body: dict[str, object]) -> None:
    assert api.call("PUT", "/api/control", body).status == 400
    assert api.call("GET", "/api/control").body["intakePaused"] is False
