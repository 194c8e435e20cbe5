"""State machine, queues and notifier on AWS: requests that AWS's own models accept, errors told apart by who has to act."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError, NoCredentialsError
from botocore.stub import ANY, Stubber
from moto import mock_aws

from superbiz.adapters import aws
from superbiz.adapters.aws import client
from superbiz.adapters.machine import StepFunctionsMachine
from superbiz.adapters.notifier import AwsNotifier
from superbiz.adapters.queue import SqsQueue
from superbiz.errors import Broken, Unavailable
from superbiz.ports import ExecutionState
from support.builders import OTHER_RUN_ID, RUN_ID

REGION = "eu-west-1"
PASSING = {"StartAt": "P", "States": {"P": {"Type": "Pass", "End": True}}}
NOTICE = {"run_id": RUN_ID, "verdict": "PASS", "conclusion": "root_cause", "alarm_name": "订单 errors\nnow", "title": "t"}


@pytest.fixture(scope="module", autouse=True)
def _clients() -> Iterator[None]:
    """Clients of this module's own: one made without a region, or before moto, would stay in the process."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ENDPOINT_URL", "AWS_PROFILE"):
            patch.delenv(name, raising=False)
        for name, value in (("AWS_DEFAULT_REGION", REGION), ("AWS_ACCESS_KEY_ID", "testing"), ("AWS_SECRET_ACCESS_KEY", "testing")):
            patch.setenv(name, value)
        client.cache_clear()
        yield
        client.cache_clear()


@pytest.fixture(autouse=True)
def _aws(_clients: None) -> Iterator[None]:
    with mock_aws():
        yield


@pytest.fixture
def machine() -> StepFunctionsMachine:
    role = "arn:aws:iam::123456789012:role/example"
    made = client("stepfunctions").create_state_machine(name="m", definition=json.dumps(PASSING), roleArn=role)
    return StepFunctionsMachine(made["stateMachineArn"])


def failing(service: str, method: str, code: str, status: int = 400) -> Stubber:
    stub = Stubber(client(service))
    stub.add_client_error(method, service_error_code=code, http_status_code=status)
    stub.activate()
    return stub


def test_an_execution_bears_its_runs_name_and_carries_its_id_alone(machine: StepFunctionsMachine) -> None:
    machine.start(RUN_ID)
    (execution,) = client("stepfunctions").list_executions(stateMachineArn=machine._arn)["executions"]
    assert execution["name"] == RUN_ID
    described = client("stepfunctions").describe_execution(executionArn=execution["executionArn"])
    assert json.loads(described["input"]) == {"run_id": RUN_ID}


def test_starting_twice_is_starting_once(machine: StepFunctionsMachine) -> None:
    machine.start(RUN_ID)
    machine.start(RUN_ID)
    assert len(client("stepfunctions").list_executions(stateMachineArn=machine._arn)["executions"]) == 1


def test_an_execution_that_has_closed_is_accounted_for(machine: StepFunctionsMachine) -> None:
    with failing("stepfunctions", "start_execution", "ExecutionAlreadyExists"):
        machine.start(RUN_ID)


def test_an_execution_is_described_or_there_is_none(machine: StepFunctionsMachine) -> None:
    machine.start(RUN_ID)
    assert machine.describe(RUN_ID) == ExecutionState("RUNNING", None)
    assert machine.describe(OTHER_RUN_ID) is None
    stub = Stubber(client("stepfunctions"))
    answer = {"executionArn": "a:b:c:d:e", "stateMachineArn": "s", "startDate": 0, "status": "TIMED_OUT", "error": "States.Timeout"}
    stub.add_response("describe_execution", answer | {"cause": "x" * 5_000}, {"executionArn": f"{_execution(machine)}:{RUN_ID}"})
    with stub:
        state = machine.describe(RUN_ID)
    assert state is not None
    assert (state.status, state.cause) == ("TIMED_OUT", f"States.Timeout: {'x' * 984}")


def _execution(machine: StepFunctionsMachine) -> str:
    return machine._arn.replace(":stateMachine:", ":execution:")


@pytest.mark.parametrize("code", ["ThrottlingException", "ExecutionLimitExceeded"])
def test_what_passes_is_unavailable(machine: StepFunctionsMachine, code: str) -> None:
    with failing("stepfunctions", "start_execution", code), pytest.raises(Unavailable):
        machine.start(RUN_ID)


@pytest.mark.parametrize("code", ["StateMachineDoesNotExist", "AccessDeniedException"])
def test_what_we_must_mend_is_broken(machine: StepFunctionsMachine, code: str) -> None:
    with failing("stepfunctions", "start_execution", code), pytest.raises(Broken):
        machine.start(RUN_ID)
    with pytest.raises(Broken, match="STATE_MACHINE_ARN"):
        StepFunctionsMachine("").start(RUN_ID)


def test_messages_are_the_runs_id_and_the_event_as_it_came() -> None:
    sqs = client("sqs")
    urls = [sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("evaluation", "intake")]
    queue = SqsQueue(evaluation_url=urls[0], intake_url=urls[1])
    queue.enqueue_evaluation(RUN_ID)
    queue.enqueue_alarm({"source": "aws.cloudwatch", "名": 1})
    bodies = [json.loads(sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"]) for url in urls]
    assert bodies == [{"run_id": RUN_ID}, {"source": "aws.cloudwatch", "名": 1}]


def test_a_queue_that_is_not_there_or_not_named_is_ours_to_mend() -> None:
    gone = SqsQueue(evaluation_url="", intake_url=f"https://sqs.{REGION}.amazonaws.com/123456789012/gone")
    with pytest.raises(Broken):
        gone.enqueue_alarm({})
    with pytest.raises(Broken, match="EVALUATION_QUEUE_URL"):
        gone.enqueue_evaluation(RUN_ID)


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (ClientError({"Error": {"Code": "InternalError"}, "ResponseMetadata": {"HTTPStatusCode": 500}}, "SendMessage"), Unavailable),
        (ConnectTimeoutError(endpoint_url="https://sqs.example"), Unavailable),
        (NoCredentialsError(), Broken),
    ],
)
def test_a_queue_that_does_not_answer_is_told_from_one_that_is_wrong(
    monkeypatch: pytest.MonkeyPatch, error: Exception, ours: type[Exception]
) -> None:
    def refuse(**_arguments: Any) -> None:
        raise error

    monkeypatch.setattr(client("sqs"), "send_message", refuse)
    with pytest.raises(ours):
        SqsQueue(evaluation_url="https://sqs.example/q", intake_url="").enqueue_evaluation(RUN_ID)


def subscribed() -> tuple[str, str]:
    """A topic and a queue that hears it."""
    topic = client("sns").create_topic(Name="reports")["TopicArn"]
    queue = client("sqs").create_queue(QueueName="heard")["QueueUrl"]
    arn = client("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    client("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    return topic, queue


def test_a_notice_goes_to_the_topic_and_to_the_bus() -> None:
    topic, queue = subscribed()
    stub = Stubber(client("events"))
    entry = {"EventBusName": "default", "Source": "superbiz", "DetailType": "RunCompleted", "Detail": ANY}
    stub.add_response("put_events", {"FailedEntryCount": 0, "Entries": [{"EventId": "e"}]}, {"Entries": [entry]})
    with stub:
        AwsNotifier(topic_arn=topic, event_bus_name="default", source="superbiz").run_completed(NOTICE)
    (message,) = client("sqs").receive_message(QueueUrl=queue)["Messages"]
    envelope = json.loads(message["Body"])
    assert json.loads(envelope["Message"]) == NOTICE
    assert envelope["Subject"] == "PASS root_cause: ?? errors now"


def test_a_channel_that_is_not_configured_is_left_out() -> None:
    AwsNotifier(topic_arn="", event_bus_name="", source="superbiz").run_completed(NOTICE)


def test_an_event_that_the_bus_did_not_take_is_tried_again() -> None:
    stub = Stubber(client("events"))
    stub.add_response("put_events", {"FailedEntryCount": 1, "Entries": [{"ErrorCode": "ThrottlingException", "ErrorMessage": "m"}]})
    with stub, pytest.raises(Unavailable, match="ThrottlingException"):
        AwsNotifier(topic_arn="", event_bus_name="default", source="superbiz").run_completed(NOTICE)


@pytest.mark.parametrize("name", ["x" * 300, "\x07bell", "🙂🙂", "a\r\nb"])
def test_any_name_makes_a_subject_that_sns_takes(name: str) -> None:
    topic, queue = subscribed()
    AwsNotifier(topic_arn=topic, event_bus_name="", source="superbiz").run_completed(NOTICE | {"alarm_name": name})
    subject = json.loads(client("sqs").receive_message(QueueUrl=queue)["Messages"][0]["Body"])["Subject"]
    assert subject.isascii()
    assert subject.isprintable()
    assert len(subject) <= 100


def test_a_client_is_made_once_and_does_not_wait_for_ever() -> None:
    assert client("sqs") is client("sqs")
    config = client("sqs").meta.config
    assert (config.connect_timeout, config.read_timeout) == (aws.CONNECT_SECONDS, aws.READ_SECONDS)
    assert config.retries["total_max_attempts"] == aws.ATTEMPTS
