"""The product on the local stack, end to end: real template, state machine, functions and roles."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from superbiz_local.stack import LocalStack
from superbiz_local.triggers import Way, put_alarm_event
from support.local import Json, alarm_event, ask, call, ended, evaluated, eventually, runs_of

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def asked(product: LocalStack) -> Json:
    """A question's run that has ended."""
    return ended(product, ask(product)["runId"])


# REQ-001, REQ-107
def test_a_question_becomes_a_verified_report(asked: Json) -> None:
    assert (asked["status"], asked["agentFlow"]) == ("SUCCESS", "CHAT")
    assert asked["report"]["claims"]
    assert "[1]" in asked["answer"]


# REQ-015, REQ-131
def test_its_trace_shows_steps_calls_and_both_evaluations(product: LocalStack, asked: Json) -> None:
    trace = evaluated(product, asked["runId"], "rule_evaluation")
    assert [step["agent_name"] for step in trace["steps"]][:3] == ["executor", "gatekeeper", "verifier"]
    assert trace["toolInvocations"]
    assert set(trace["selfEvaluation"]) == {"rule_evaluation", "verifier_evaluation"}


# REQ-097, REQ-015
@pytest.mark.parametrize("way", list(Way))
def test_an_alarm_becomes_a_verified_report_whichever_way_it_came(product: LocalStack, way: Way) -> None:
    name = f"orders-by-{way}"
    put_alarm_event(product, alarm_event(name), way)
    (run,) = eventually(lambda: runs_of(product, name), "no run was opened", 60)
    run = ended(product, run["runId"])
    assert (run["status"], run["agentFlow"], run["report"]["subjects"][0]) == ("SUCCESS", "AI_OPS", name)
    nodes = evaluated(product, run["runId"], "aiops_rule_evaluation")["selfEvaluation"]
    assert set(nodes) == {"rule_evaluation", "verifier_evaluation", "aiops_rule_evaluation"}


def test_a_duplicate_alarm_opens_no_second_run(product: LocalStack) -> None:
    event = alarm_event("orders-twice")
    for _ in range(2):
        put_alarm_event(product, event)
    put_alarm_event(product, event, Way.LAMBDA)
    put_alarm_event(product, alarm_event("orders-twice"), Way.SNS)
    (run,) = eventually(lambda: runs_of(product, "orders-twice"), "no run was opened", 60)
    ended(product, run["runId"])

    def all_taken_in() -> bool:
        incident = call(product, "GET", f"/api/incidents/{run['incidentId']}").body
        return bool(len(incident["events"]) >= 4 and all(event["outcome"] for event in incident["events"]))

    eventually(all_taken_in, "not all events were settled")
    assert len(runs_of(product, "orders-twice")) == 1


# REQ-104, REQ-119: sequentially and at once.
def test_useful_again_and_again_makes_one_case(product: LocalStack, asked: Json) -> None:
    said = {"runId": asked["runId"], "feedback": "useful"}
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: call(product, "POST", "/api/feedback", said), range(20)))
    answers += [call(product, "POST", "/api/feedback", said) for _ in range(2)]
    assert {answer.status for answer in answers} == {200}
    (case_id,) = {answer.body["caseId"] for answer in answers}
    assert str(uuid.UUID(case_id)) == case_id
    assert [case["caseId"] for case in call(product, "GET", "/api/cases").body["items"] if case["diagnosisId"] == asked["runId"]] == [
        case_id
    ]


# REQ-003, REQ-105
def test_not_useful_stores_the_feedback_alone(product: LocalStack) -> None:
    run = ended(product, ask(product)["runId"])
    answer = call(product, "POST", "/api/feedback", {"runId": run["runId"], "feedback": "not_useful"})
    assert (answer.status, answer.body["caseId"]) == (200, None)
    after = call(product, "GET", f"/api/runs/{run['runId']}").body
    assert (after["status"], after["feedback"]) == (run["status"], "not_useful")


# REQ-145, REQ-154
def test_a_session_has_many_runs(product: LocalStack) -> None:
    session = f"team-{uuid.uuid4().hex[:8]}"
    opened = [ask(product, sessionId=session)["runId"] for _ in range(2)]
    for run_id in opened:
        ended(product, run_id)
    listed = call(product, "GET", f"/api/sessions/{session}/runs").body["items"]
    assert sorted(run["runId"] for run in listed) == sorted(opened)


def test_bad_requests_are_told_what_to_change(product: LocalStack) -> None:
    assert call(product, "POST", "/api/chat", {}).status == 400
    assert call(product, "GET", "/api/runs/run-00000000-0000-4000-8000-000000000000").status == 404
    unknown = call(product, "GET", "/api/no/such/thing")
    assert (unknown.status, unknown.body["status"]) == (404, 404)


def test_a_runbook_is_found_by_the_alarm_that_it_names(product: LocalStack) -> None:
    text = "# orders-errors-high\n\nRaise the pool of order-service, then restart it."
    added = call(product, "POST", "/api/knowledge/documents", {"filename": "orders.md", "content": text})
    assert added.status in {200, 201}, added.body
    hits = call(product, "GET", "/api/knowledge/preview?key=orders-errors-high").body
    assert "Raise the pool" in str(hits)


def test_everything_configured_is_reachable(product: LocalStack) -> None:
    health = call(product, "GET", "/api/health").body
    assert health["status"] == "ok", health
    assert {name for name, part in health["parts"].items() if part["configured"]} == {
        "table",
        "objects",
        "stateMachine",
        "vectorIndex",
        "evidence",
    }
