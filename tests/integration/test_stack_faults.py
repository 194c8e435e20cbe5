"""Faults in the middle of a run, with the model engine over a scripted endpoint: every run ends, and nothing is paid twice."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from superbiz_local.stack import LocalStack
from support.local import Json, ask, call, ended, eventually
from support.model_runs import calling, stage_of
from support.model_runs import plays_over_errors as plays
from support.model_server import MODEL, Answer, ModelServer, chat, error

pytestmark = pytest.mark.stack
KEY = "plainly-fake-key"


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture(scope="module")
def stack(server: ModelServer, world: Path) -> Iterator[LocalStack]:
    endpoint = {"Engine": "model", "ModelBaseUrl": server.base_url, "ModelName": MODEL, "ModelKeyParameter": "/superbiz/key"}
    parameters = endpoint | {"LeaseSeconds": "5"}  # a killed attempt is taken over after so long
    with LocalStack(world_dir=world, parameters=parameters, vectors=False, enforce_policies=True, wait_scale=0.1) as running:
        running.client("ssm").put_parameter(Name="/superbiz/key", Value=KEY, Type="SecureString")
        yield running


def workers(stack: LocalStack, function: str) -> list[int]:
    """Processes of this stack that run the function."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            variables = (folder / "environ").read_bytes().split(b"\0") if folder.name.isdigit() else []
        except OSError:
            continue
        if f"AWS_ENDPOINT_URL={stack.url}".encode() in variables and any(
            v.startswith(b"AWS_LAMBDA_FUNCTION_NAME=") and function.encode() in v for v in variables
        ):
            found.append(int(folder.name))
    return found


def killing(stack: LocalStack, stage: str, nth: int, function: str, model: Callable[[Json], Answer]) -> Callable[[Json], Answer]:
    """A model in whose nth answer to that stage the asking process dies."""
    turns = iter(range(1, 1_000))

    def answer(request: Json) -> Answer:
        if stage_of(request) == stage and next(turns) == nth:
            for pid in workers(stack, function):
                os.kill(pid, signal.SIGKILL)
        return model(request)

    return answer


def stages(server: ModelServer) -> list[str]:
    return [stage_of(request) for request in server.requests]


def test_a_run_by_the_model_is_done_by_the_model(stack: LocalStack, server: ModelServer) -> None:
    server.model = plays()
    run = ended(stack, ask(stack)["runId"])
    assert (run["status"], run["engine"], run["degraded"]) == ("SUCCESS", "model", None)
    assert set(server.keys) == {KEY}
    assert stages(server) == ["action", "verification", "composition"]


@pytest.mark.parametrize(
    ("stage", "nth", "function"),
    [("action", 2, "ExecutorFunction"), ("verification", 1, "StepsFunction"), ("composition", 1, "StepsFunction")],
)
def test_a_run_whose_process_is_killed_ends_and_pays_no_finished_call_twice(
    stack: LocalStack, server: ModelServer, stage: str, nth: int, function: str
) -> None:
    server.requests.clear()
    looks = iter([calling(("current_time", {}))])
    played = plays(action=lambda request: chat(next(looks, None) or plays_finish(request)))
    server.model = killing(stack, stage, nth, function, played)
    run = ended(stack, ask(stack)["runId"])
    assert (run["status"], run["degraded"]) == ("SUCCESS", None), run
    asked = stages(server)
    assert {name: asked.count(name) - (name == stage) for name in set(asked)} == {"action": 2, "verification": 1, "composition": 1}
    calls = call(stack, "GET", f"/api/trace/{run['runId']}").body["toolInvocations"]
    assert len({one["invocation_id"] for one in calls}) == len(calls)


def plays_finish(request: Json) -> Json:
    finished: Json = json.loads(json.loads(plays()(request).body)["choices"][0]["message"]["content"])
    return finished


def test_a_model_that_goes_down_in_the_middle_leaves_a_complete_degraded_run(stack: LocalStack, server: ModelServer) -> None:
    server.requests.clear()
    looks = iter([chat(calling(("current_time", {})))])
    server.model = lambda _request: next(looks, None) or error(500, "down")
    run = ended(stack, ask(stack)["runId"])
    assert run["status"] == "SUCCESS"
    assert run["degraded"]
    assert run["report"]["claims"]


# REQ-017, REQ-037
def test_a_broken_evaluation_queue_leaves_the_run_finished(stack: LocalStack, server: ModelServer) -> None:
    server.model = plays()
    queue = stack.outputs["EvaluationQueueUrl"]
    stack.client("sqs").delete_queue(QueueUrl=queue)
    run = ended(stack, ask(stack)["runId"])
    assert run["status"] == "SUCCESS"
    machine = stack.client("stepfunctions")
    arn = stack.outputs["StateMachineArn"].replace(":stateMachine:", ":execution:") + f":{run['runId']}"
    eventually(lambda: machine.describe_execution(executionArn=arn)["status"] == "SUCCEEDED", "the execution did not succeed")
    trace = call(stack, "GET", f"/api/trace/{run['runId']}")
    assert (trace.status, trace.body["hasRuleEvaluation"]) == (200, False)
