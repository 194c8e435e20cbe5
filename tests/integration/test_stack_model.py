"""The model engine on the local stack over a scripted endpoint: at once, slow, paused, out of budget, gone; a failing evaluator too."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from superbiz_local.stack import LocalStack
from support.local import QUESTION, Json, ask, call, ended, eventually
from support.model_runs import composition, finishing, stage_of, verification
from support.model_runs import plays_over_errors as plays
from support.model_server import MODEL, Answer, ModelServer, chat, slow

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture(scope="module")
def stack(server: ModelServer, world: Path) -> Iterator[LocalStack]:
    parameters = {"Engine": "model", "ModelBaseUrl": server.base_url, "ModelName": MODEL, "DayTokenBudget": "3000000"}
    with LocalStack(world_dir=world, parameters=parameters, vectors=False, wait_scale=0.1) as running:
        yield running


def control(stack: LocalStack, **switches: bool) -> Json:
    answer = call(stack, "PUT", "/api/control", switches) if switches else call(stack, "GET", "/api/control")
    assert answer.status == 200, answer.body
    body: Json = answer.body
    return body


def asked_of(server: ModelServer, token: str) -> Counter[str]:
    return Counter(stage_of(request) for request in list(server.requests) if token in json.dumps(request["messages"]))


# REQ-107
def test_a_run_under_way_is_readable_and_takes_no_feedback(stack: LocalStack, server: ModelServer) -> None:
    server.model = plays(action=slow(chat(finishing()), 2.0))
    run_id = ask(stack)["runId"]
    eventually(lambda: call(stack, "GET", f"/api/trace/{run_id}").body["steps"], "no step began", 30)
    trace = call(stack, "GET", f"/api/trace/{run_id}")
    assert (trace.status, trace.body["status"], trace.body["selfEvaluation"]) == (200, "RUNNING", None)
    refused = call(stack, "POST", "/api/feedback", {"runId": run_id, "feedback": "useful"})
    assert (refused.status, refused.body["code"]) == (409, "STILL_RUNNING")
    run = ended(stack, run_id)
    assert (run["status"], run["feedback"], run["caseId"]) == ("SUCCESS", None, None)


def test_runs_at_once_are_each_done_by_the_model_and_paid_once(stack: LocalStack, server: ModelServer) -> None:
    server.model = plays()
    tokens = [f"token-{n}" for n in range(4)]
    with ThreadPoolExecutor(len(tokens)) as pool:
        opened = list(pool.map(lambda token: ask(stack, question=f"{QUESTION} ({token})")["runId"], tokens))
    for token, run_id in zip(tokens, opened, strict=True):
        run = ended(stack, run_id)
        assert (run["status"], run["engine"], run["degraded"]) == ("SUCCESS", "model", None)
        assert asked_of(server, token) == {"action": 1, "verification": 1, "composition": 1}
        assert run["cost"]["inputTokens"] == 300


def test_a_paused_model_leaves_runs_to_the_offline_engine(stack: LocalStack, server: ModelServer) -> None:
    server.model = plays()
    control(stack, modelPaused=True)
    try:
        run = ended(stack, ask(stack, question=f"{QUESTION} (while paused)")["runId"])
    finally:
        control(stack, modelPaused=False)
    assert (run["status"], bool(run["degraded"]), bool(run["report"]["claims"])) == ("SUCCESS", True, True)
    assert not asked_of(server, "while paused")


# REQ-037: the evaluation fails for good; the run is what it was, and its trace can be read.
def test_a_failing_evaluator_leaves_the_run_finished(stack: LocalStack, server: ModelServer) -> None:
    server.model = plays()
    resources = stack.client("cloudformation").list_stack_resources(StackName=stack.stack_name)["StackResourceSummaries"]
    (function,) = [r["PhysicalResourceId"] for r in resources if r["LogicalResourceId"] == "EvaluatorFunction"]
    client = stack.client("lambda")
    variables = client.get_function_configuration(FunctionName=function)["Environment"]["Variables"]
    client.update_function_configuration(FunctionName=function, Environment={"Variables": variables | {"TABLE_NAME": "no-such-table"}})
    try:
        run_id = ask(stack)["runId"]
        run = ended(stack, run_id)
        eventually(lambda: failures(stack, run_id), "the evaluator did not fail", 30)
    finally:
        client.update_function_configuration(FunctionName=function, Environment={"Variables": variables})
    trace = call(stack, "GET", f"/api/trace/{run_id}")
    assert (run["status"], trace.status, trace.body["status"], trace.body["hasRuleEvaluation"]) == ("SUCCESS", 200, "SUCCESS", False)
    assert set(trace.body["selfEvaluation"]) == {"verifier_evaluation"}


def failures(stack: LocalStack, run_id: str) -> list[str]:
    """The evaluator's log lines that tell of a failure with this run."""
    logs, group = stack.client("logs"), f"/aws/lambda/{stack.stack_name}/evaluator"
    found = []
    for stream in logs.describe_log_streams(logGroupName=group)["logStreams"]:
        found += logs.get_log_events(logGroupName=group, logStreamName=stream["logStreamName"], limit=10_000)["events"]
    return [event["message"] for event in found if run_id in event["message"] and '"level":"ERROR"' in event["message"]]


def test_a_spent_budget_degrades_the_run_and_the_runs_of_the_day(stack: LocalStack, server: ModelServer) -> None:
    greedy = chat(finishing(), usage=(3_000_000, 0))
    server.model = plays(action=greedy)
    run = ended(stack, ask(stack, question=f"{QUESTION} (greedy)")["runId"])
    assert (run["status"], "budget" in (run["degraded"] or "")) == ("SUCCESS", True), run["degraded"]
    assert asked_of(server, "greedy") == {"action": 1}
    assert control(stack)["spentTokens"] >= 3_000_000
    after = ended(stack, ask(stack, question=f"{QUESTION} (afterwards)")["runId"])
    assert (after["status"], "day" in (after["degraded"] or "")) == ("SUCCESS", True), after["degraded"]
    assert after["report"]["claims"]
    assert not asked_of(server, "afterwards")
    forget_spending(stack)


def forget_spending(stack: LocalStack) -> None:
    """As if a new day had begun."""
    stack.client("dynamodb").update_item(
        TableName=stack.outputs["TableName"],
        Key={"PK": {"S": "CONTROL"}, "SK": {"S": "META"}},
        UpdateExpression="SET spent_tokens = :none",
        ExpressionAttributeValues={":none": {"N": "0"}},
    )


# The last: the endpoint is gone for good.
def test_an_endpoint_that_dies_in_the_middle_leaves_a_complete_degraded_run(stack: LocalStack, server: ModelServer) -> None:
    answers = {"action": finishing(), "verification": verification(), "composition": composition()}

    def last_words(request: Json) -> Answer:
        if stage_of(request) == "action":
            return chat(answers["action"])
        ThreadPoolExecutor(1).submit(server.stop)
        return Answer(cut_at=0)

    server.model = last_words
    run = ended(stack, ask(stack, question=f"{QUESTION} (last words)")["runId"])
    assert (run["status"], bool(run["degraded"]), bool(run["report"]["claims"])) == ("SUCCESS", True, True)
    assert run["answer"]
    later = ended(stack, ask(stack)["runId"])
    assert (later["status"], bool(later["degraded"]), bool(later["report"]["claims"])) == ("SUCCESS", True, True)
