"""The real template and state machine, over functions that tell what they were told."""

import json
import uuid
from typing import Any

import pytest

from superbiz_local.stack import LocalStack
from superbiz_local.triggers import Way, as_sns_message, put_alarm_event
from support.local import Told, alarm_event, call, eventually

pytestmark = pytest.mark.stack


def execute(stack: LocalStack, run_id: str) -> dict[str, Any]:
    machine = stack.client("stepfunctions")
    arn = machine.start_execution(stateMachineArn=stack.outputs["StateMachineArn"], name=run_id, input=json.dumps({"run_id": run_id}))[
        "executionArn"
    ]

    def ended() -> dict[str, Any] | None:
        execution: dict[str, Any] = machine.describe_execution(executionArn=arn)
        return execution if execution["status"] != "RUNNING" else None

    return eventually(ended, f"{run_id} did not end", patience=40)


def run(kind: str) -> str:
    return f"run-{kind}-{uuid.uuid4().hex[:8]}"


def states(told: Told, run_id: str) -> list[str]:
    return [f"{event['step']}{event['round']}" for event in told.all(run_id)]


def test_a_passing_run_goes_through_every_state_once(tiny_stack: LocalStack, told: Told) -> None:
    run_id = run("pass")
    assert execute(tiny_stack, run_id)["status"] == "SUCCEEDED"
    assert states(told, run_id) == ["executor1", "gatekeeper1", "verifier1", "composer1", "enqueue_evaluation1", "notify1"]


# REQ-082: LOW_CONFID that more evidence may lift goes round once more, and no third time.
def test_a_retryable_verdict_makes_a_second_round(tiny_stack: LocalStack, told: Told) -> None:
    run_id = run("low")
    assert execute(tiny_stack, run_id)["status"] == "SUCCEEDED"
    assert states(told, run_id)[:7] == ["executor1", "gatekeeper1", "verifier1", "executor2", "gatekeeper2", "verifier2", "composer2"]


# REQ-001, REQ-083: a rejected answer is still an execution that succeeded.
def test_a_rejected_run_is_composed(tiny_stack: LocalStack, told: Told) -> None:
    run_id = run("reject")
    assert execute(tiny_stack, run_id)["status"] == "SUCCEEDED"
    assert "composer1" in states(told, run_id)


@pytest.mark.parametrize("state", ["executor", "gatekeeper", "verifier", "composer"])
def test_a_transient_error_is_tried_again_by_its_class_name(tiny_stack: LocalStack, told: Told, state: str) -> None:
    run_id = run(f"{state}-Unavailable-1")
    assert execute(tiny_stack, run_id)["status"] == "SUCCEEDED"
    assert states(told, run_id).count(f"{state}1") == 2


@pytest.mark.parametrize("state", ["executor", "gatekeeper", "verifier", "composer"])
def test_any_other_error_fails_the_run_at_once_and_asks_for_its_evaluation(tiny_stack: LocalStack, told: Told, state: str) -> None:
    run_id = run(f"{state}-Mistake-9")
    ended = execute(tiny_stack, run_id)
    assert (ended["status"], ended["error"]) == ("FAILED", "Mistake")
    assert states(told, run_id).count(f"{state}1") == 1
    assert states(told, run_id)[-2:] == ["fail_run1", "enqueue_evaluation1"]
    failure = next(event for event in told.all(run_id) if event["step"] == "fail_run")
    assert failure["error"]["Error"] == "Mistake"
    assert json.loads(failure["error"]["Cause"])["errorMessage"] == f"{state} was told to fail"


def test_an_unknown_verdict_fails_the_run(tiny_stack: LocalStack, told: Told) -> None:
    run_id = run("none")
    assert execute(tiny_stack, run_id)["error"] == "NoVerdict"
    assert "fail_run1" in states(told, run_id)


# REQ-037: what comes after the answer can not spoil the run.
@pytest.mark.parametrize("ending", ["enqueue_evaluation", "notify"])
def test_a_broken_ending_leaves_the_run_finished(tiny_stack: LocalStack, told: Told, ending: str) -> None:
    run_id = run(f"{ending}-Mistake-9")
    assert execute(tiny_stack, run_id)["status"] == "SUCCEEDED"
    assert states(told, run_id).count(f"{ending}1") == 4
    assert states(told, run_id)[-1] == "notify1"
    assert "fail_run1" not in states(told, run_id)


def test_a_failed_execution_is_told_to_the_sweeper(tiny_stack: LocalStack, told: Told) -> None:
    run_id = run("verifier-Mistake-9")
    execute(tiny_stack, run_id)
    assert told.first("sweeper", lambda event: event.get("detail", {}).get("name") == run_id)["detail"]["status"] == "FAILED"


def test_an_alarm_event_reaches_the_intake_by_the_rule(tiny_stack: LocalStack, told: Told) -> None:
    put_alarm_event(tiny_stack, alarm_event("orders-by-rule"), Way.EVENTBRIDGE)
    body = json.loads(told.first("alerts", lambda body: "orders-by-rule" in body))
    assert body["detail"] == alarm_event("orders-by-rule")["detail"]
    assert (body["source"], body["detail-type"]) == ("aws.cloudwatch", "CloudWatch Alarm State Change")


def test_an_alarm_event_reaches_the_intake_by_its_topic(tiny_stack: LocalStack, told: Told) -> None:
    put_alarm_event(tiny_stack, alarm_event("orders-by-topic"), Way.SNS)
    envelope = json.loads(told.first("alerts", lambda body: "orders-by-topic" in body))
    assert envelope["Type"] == "Notification"
    assert json.loads(envelope["Message"]) == as_sns_message(alarm_event("orders-by-topic"))


def test_an_alarm_event_reaches_its_lambda_action(tiny_stack: LocalStack, told: Told) -> None:
    put_alarm_event(tiny_stack, alarm_event("orders-by-action"), Way.LAMBDA)
    event = told.first("alarm_action", lambda event: event["alarmData"]["alarmName"] == "orders-by-action")
    assert event["alarmArn"].endswith(":alarm:orders-by-action")


@pytest.mark.parametrize("name", ["superbiz-runs-failed", "TargetTracking-table/orders-AlarmHigh"])
def test_the_stacks_own_alarms_and_scaling_alarms_are_not_taken_in(tiny_stack: LocalStack, told: Told, name: str) -> None:
    after = f"after-{name.split('/')[0]}"
    put_alarm_event(tiny_stack, alarm_event(name))
    put_alarm_event(tiny_stack, alarm_event(after))
    told.first("alerts", lambda body: after in body)
    assert not [body for body in told.all("alerts") if json.loads(body).get("detail", {}).get("alarmName") == name]


def test_one_bad_message_of_a_batch_spares_the_others(tiny_stack: LocalStack, told: Told) -> None:
    queue = tiny_stack.outputs["EvaluationQueueUrl"]
    bodies = [f"good-{n}" for n in range(9)] + ["poison"]
    tiny_stack.client("sqs").send_message_batch(QueueUrl=queue, Entries=[{"Id": str(n), "MessageBody": b} for n, b in enumerate(bodies)])
    eventually(lambda: len([b for b in told.all("evaluator") if b.startswith("good-")]) >= 9, "the good ones were not all taken")
    assert sorted(b for b in told.all("evaluator") if b.startswith("good-")) == sorted(bodies[:9])


def test_an_asynchronous_failure_ends_in_the_queue_of_undelivered_events(tiny_stack: LocalStack) -> None:
    tiny_stack.client("lambda").invoke(
        FunctionName=tiny_stack.outputs["AlarmActionFunctionArn"], InvocationType="Event", Payload=json.dumps({"poison": True})
    )
    sqs, queue = tiny_stack.client("sqs"), tiny_stack.outputs["UndeliveredEventsUrl"]
    message = eventually(lambda: sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=1).get("Messages"), "nothing arrived", patience=300)[0]
    assert json.loads(message["Body"])["requestPayload"] == {"poison": True}


def test_every_route_reaches_its_function(tiny_stack: LocalStack) -> None:
    from superbiz.edge.routes import ROUTES

    for route in ROUTES:
        answer = call(
            tiny_stack, route.method, route.path.replace("{", "").replace("}", ""), None if route.method in {"GET", "DELETE"} else {}
        )
        assert answer.body["function"] == route.function, route
        assert answer.body["event"]["routeKey"] == f"{route.method} {route.path}"


def test_an_unknown_path_is_answered_by_ours(tiny_stack: LocalStack) -> None:
    assert call(tiny_stack, "GET", "/nowhere/at/all").body["function"] == "traces"


def test_a_function_is_given_the_templates_variables(tiny_stack: LocalStack) -> None:
    environment = call(tiny_stack, "GET", "/api/health").body["environment"]
    assert environment["TABLE_NAME"] == tiny_stack.outputs["TableName"]
    assert environment["POWERTOOLS_METRICS_NAMESPACE"] == "SuperBizAgent"
