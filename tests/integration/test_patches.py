"""Each patch of the emulator: that it works, and that the emulator still needs it.

A test that says "still" and fails tells: the flaw is mended upstream, remove the patch.
"""

import inspect
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from superbiz_local.names import REPLAY
from superbiz_local.packaging import Sources
from superbiz_local.stack import LocalStack
from support.local import eventually

pytestmark = pytest.mark.stack
HERE = Path(__file__).parent / "flaws"
LAYER = HERE / "code"


class PlainStack(LocalStack):
    server = "ministack"


def stack(kind: type[LocalStack]) -> Iterator[LocalStack]:
    sources = Sources(HERE / "code", {"CoreLayer": [LAYER]})
    with kind(template=HERE / "flaws.yaml", sources=sources, vectors=False, stack_name="flaws", enforce_policies=True) as running:
        yield running


@pytest.fixture(scope="module")
def patched() -> Iterator[LocalStack]:
    yield from stack(LocalStack)


@pytest.fixture(scope="module")
def plain() -> Iterator[LocalStack]:
    yield from stack(PlainStack)


def invoke(running: LocalStack, function: str, event: Any = None) -> tuple[Any, str | None]:
    answer = running.client("lambda").invoke(FunctionName=running.outputs[function], Payload=json.dumps(event or {}))
    return json.loads(answer["Payload"].read()), answer.get("FunctionError")


def pids_around_an_error(running: LocalStack) -> tuple[Any, str, Any]:
    before, _ = invoke(running, "Raising")
    error, kind = invoke(running, "Raising", {"raise": True})
    assert kind
    after, _ = invoke(running, "Raising")
    return before, error["errorType"], after


def test_an_exception_keeps_its_class_name_and_its_process(patched: LocalStack) -> None:
    before, kind, after = pids_around_an_error(patched)
    assert kind == "Unavailable"
    assert before == after


def test_the_runtime_client_is_still_needed(plain: LocalStack) -> None:
    before, kind, after = pids_around_an_error(plain)
    assert kind != "Unavailable" or before != after


def test_a_function_imports_from_its_layers(patched: LocalStack) -> None:
    answer, _ = invoke(patched, "Quick")
    assert str(LAYER.resolve()) in answer["path"]


def test_layers_are_still_left_out_by_the_emulator() -> None:
    from ministack.core import lambda_runtime
    from ministack.services import lambda_svc

    source = inspect.getsource(lambda_svc._provided_worker_env) + inspect.getsource(lambda_runtime.ProvidedWorker._spawn)
    assert "layer" not in source.lower()


def warm_milliseconds(running: LocalStack) -> float:
    client, name = running.client("lambda"), running.outputs["Quick"]
    took = []
    for _ in range(9):
        began = time.perf_counter()
        client.invoke(FunctionName=name)["Payload"].read()
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took[1:])


# Ours pays neither for Nagle nor for the drain; where the difference is gone, the drain is mended upstream.
def test_a_warm_call_saves_the_wait_for_logs_that_is_still_there(patched: LocalStack, plain: LocalStack) -> None:
    assert warm_milliseconds(patched) < warm_milliseconds(plain) - 25


def test_nagle_is_still_on() -> None:
    import queue

    from ministack.core import lambda_runtime

    worker = lambda_runtime.ProvidedWorker("any", {}, b"")
    assert not worker._build_handler_class(0, queue.Queue()).disable_nagle_algorithm


def execution_milliseconds(running: LocalStack) -> float:
    machine, took = running.client("stepfunctions"), []
    for _ in range(3):
        began = time.perf_counter()
        arn = machine.start_execution(stateMachineArn=running.outputs["Machine"])["executionArn"]
        while machine.describe_execution(executionArn=arn)["status"] == "RUNNING":
            time.sleep(0.002)
        took.append((time.perf_counter() - began) * 1000)
    return min(took)


def test_an_execution_saves_the_sleep_that_is_still_there(patched: LocalStack, plain: LocalStack) -> None:
    assert execution_milliseconds(patched) < execution_milliseconds(plain) - 100


def status(running: LocalStack, path: str) -> int:
    import urllib.error
    import urllib.request

    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(running.api_url + path, timeout=20) as response:
            code: int = response.status
    except urllib.error.HTTPError as e:
        e.close()
        return e.code
    return code


def test_a_route_with_authorization_is_open_on_this_machine(patched: LocalStack) -> None:
    assert status(patched, "/quick") == 200


def test_a_route_with_authorization_is_still_closed_by_the_emulator(plain: LocalStack) -> None:
    assert status(plain, "/quick") == 403


def time_to_live(running: LocalStack) -> str:
    described = running.client("dynamodb").describe_time_to_live(TableName=running.outputs["Table"])
    state: str = described["TimeToLiveDescription"]["TimeToLiveStatus"]
    return state


def test_time_to_live_is_kept(patched: LocalStack) -> None:
    assert time_to_live(patched) == "ENABLED"


def test_time_to_live_is_still_dropped_by_the_emulator(plain: LocalStack) -> None:
    assert time_to_live(plain) == "DISABLED"


def is_consumed(running: LocalStack, patience: float) -> bool:
    sqs, queue = running.client("sqs"), running.outputs["QueueUrl"]
    sqs.send_message(QueueUrl=queue, MessageBody="{}")

    def empty() -> bool:
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        return set(sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=names)["Attributes"].values()) == {"0"}

    try:
        return eventually(empty, "not consumed", patience)
    except AssertionError:
        return False


def test_a_queue_with_bounded_concurrency_is_consumed(patched: LocalStack) -> None:
    assert is_consumed(patched, 10)


def test_concurrency_from_a_parameter_still_stops_the_poller(plain: LocalStack) -> None:
    assert not is_consumed(plain, 3)


def heard(running: LocalStack, patience: float) -> dict[str, Any] | None:
    sqs, queue = running.client("sqs"), running.outputs["HeardUrl"]
    try:
        (message,) = eventually(lambda: sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=1).get("Messages"), "nothing heard", patience)
    except AssertionError:
        return None
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
    event: dict[str, Any] = json.loads(message["Body"])
    return event


def change_state(running: LocalStack) -> None:
    for state in ("OK", "ALARM"):
        running.client("cloudwatch").set_alarm_state(AlarmName="flaw", StateValue=state, StateReason="said so", StateReasonData='{"a":1}')


def test_an_alarm_that_changes_its_state_emits_the_event(patched: LocalStack) -> None:
    change_state(patched)
    events = [heard(patched, 5), heard(patched, 5)]
    states = {event["detail"]["state"]["value"]: event for event in events if event}
    detail = states["ALARM"]["detail"]
    assert states["ALARM"]["detail-type"] == "CloudWatch Alarm State Change"
    assert (detail["alarmName"], detail["previousState"]["value"], detail["state"]["reasonData"]) == ("flaw", "OK", '{"a":1}')
    assert detail["configuration"]["metrics"][0]["metricStat"]["metric"]["dimensions"] == {"D": "v"}


def test_alarms_still_emit_no_event_by_themselves(plain: LocalStack) -> None:
    change_state(plain)
    assert heard(plain, 2) is None


def put(running: LocalStack, mark: str | None) -> int:
    entry = {"Source": "aws.cloudwatch", "DetailType": "any", "Detail": "{}"} | ({"TraceHeader": mark} if mark else {})
    refused: int = running.client("events").put_events(Entries=[entry])["FailedEntryCount"]
    return refused


def test_a_replay_alone_may_speak_for_aws(patched: LocalStack) -> None:
    assert put(patched, None) == put(patched, "1-5759e988-bd862e3fe1be46a994272793") == 1
    assert put(patched, REPLAY) == 0
    assert heard(patched, 5)


def test_the_emulator_still_refuses_to_let_a_replay_speak_for_aws(plain: LocalStack) -> None:
    assert put(plain, REPLAY) == 1


# That they are found with the patch is tried in test_stack_policies.py.
def test_conditions_still_find_no_leading_keys() -> None:
    from ministack.core import iam_actions

    assert "dynamodb:LeadingKeys" not in iam_actions.dynamodb_service_context(b'{"Key": {"PK": {"S": "RUN#r"}}}')


def refused_to_publish(running: LocalStack) -> str | None:
    """By a function, with its own role."""
    answer, error = invoke(running, "Publishing", {"topic": running.outputs["Topic"]})
    assert error is None, answer
    return str(answer) if answer else None


def test_a_policy_that_demands_tls_lets_this_machine_in(patched: LocalStack) -> None:
    assert refused_to_publish(patched) is None


def test_a_policy_that_demands_tls_still_refuses_this_machine(plain: LocalStack) -> None:
    assert refused_to_publish(plain) == "AuthorizationError"
