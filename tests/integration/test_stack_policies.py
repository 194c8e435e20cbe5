"""What each function's role lets it do, tried by the function itself with the policies enforced."""

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from superbiz_local.packaging import from_source
from superbiz_local.stack import ROOT, LocalStack

pytestmark = pytest.mark.stack
TRYING = Path(__file__).parent / "trying"
FUNCTIONS = ("Chat", "Alerts", "AlarmAction", "Feedback", "Traces", "Knowledge", "Executor", "Steps", "Evaluator", "Sweeper")
MODEL_KEY, VECTOR_TOKEN = "/superbiz/model-key", "/superbiz/vector-token"
# Which partitions a function may write. Nobody but feedback ever writes a legacy session (REQ-181).
WRITES = {
    "Chat": {"RUN#r", "RUNS", "SESSION#s"},
    "Alerts": {"RUN#r", "RUNS", "SESSION#s", "INCIDENT#i"},
    "AlarmAction": set(),
    "Feedback": {"RUN#r", "SESSION#s", "CASE#c", "DIAGSESSION#s", "CONTROL"},
    "Traces": set(),
    "Knowledge": {"DOMAIN#d", "DOC#d", "L0#k"},
    "Executor": {"RUN#r", "CONTROL"},
    "Steps": {"RUN#r", "SESSION#s", "CONTROL"},
    "Evaluator": {"RUN#r"},
    "Sweeper": {"RUN#r", "RUNS", "SESSION#s", "INCIDENT#i"},
}
PARTITIONS = sorted(set().union(*WRITES.values()))


@pytest.fixture(scope="module")
def strict() -> Iterator[LocalStack]:
    parameters = {"ModelKeyParameter": MODEL_KEY, "MilvusTokenParameter": VECTOR_TOKEN}
    sources = from_source(ROOT)._replace(functions=TRYING)
    with LocalStack(sources=sources, vectors=False, parameters=parameters, enforce_policies=True) as stack:
        for name in (MODEL_KEY, VECTOR_TOKEN):
            stack.client("ssm").put_parameter(Name=name, Value="plainly-fake", Type="SecureString")
        yield stack


@lru_cache
def names(stack: LocalStack) -> dict[str, str]:
    """Physical names by logical id."""
    found = stack.client("cloudformation").list_stack_resources(StackName=stack.stack_name)["StackResourceSummaries"]
    return {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in found}


def tried(stack: LocalStack, function: str, *calls: tuple[str, str, dict[str, Any]]) -> list[str]:
    answer = stack.client("lambda").invoke(FunctionName=names(stack)[f"{function}Function"], Payload=json.dumps({"calls": calls}))
    outcomes: list[str] = json.loads(answer["Payload"].read())
    assert "FunctionError" not in answer, outcomes
    return outcomes


def who_may(stack: LocalStack, service: str, operation: str, parameters: dict[str, Any]) -> set[str]:
    return {name for name in FUNCTIONS if tried(stack, name, (service, operation, parameters)) != ["refused"]}


# REQ-181
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_writes_its_own_partitions_and_no_other(strict: LocalStack, function: str) -> None:
    table = strict.outputs["TableName"]
    puts = [("dynamodb", "put_item", {"TableName": table, "Item": {"PK": {"S": key}, "SK": {"S": "TRIED"}}}) for key in PARTITIONS]
    allowed = {key for key, outcome in zip(PARTITIONS, tried(strict, function, *puts), strict=True) if outcome == "allowed"}
    assert allowed == WRITES[function]


# REQ-181: not even hidden among permitted writes.
def test_one_forbidden_write_spoils_a_transaction(strict: LocalStack) -> None:
    puts = [
        {"Put": {"TableName": strict.outputs["TableName"], "Item": {"PK": {"S": k}, "SK": {"S": "T"}}}} for k in ("RUN#t", "DIAGSESSION#t")
    ]
    assert tried(strict, "Steps", ("dynamodb", "transact_write_items", {"TransactItems": puts})) == ["refused"]
    assert tried(strict, "Steps", ("dynamodb", "transact_write_items", {"TransactItems": puts[:1]})) == ["allowed"]


def test_the_models_key_is_for_the_executor_and_the_steps(strict: LocalStack) -> None:
    assert who_may(strict, "ssm", "get_parameter", {"Name": MODEL_KEY}) == {"Executor", "Steps"}


def test_the_vector_stores_token_is_for_those_who_search_it(strict: LocalStack) -> None:
    assert who_may(strict, "ssm", "get_parameter", {"Name": VECTOR_TOKEN}) == {"Executor", "Knowledge"}


def test_runs_are_started_by_those_who_open_them(strict: LocalStack) -> None:
    start = {"stateMachineArn": strict.outputs["StateMachineArn"], "input": "{}"}
    assert who_may(strict, "stepfunctions", "start_execution", start) == {"Chat", "Alerts", "Sweeper"}


def test_reports_are_published_by_the_steps_alone(strict: LocalStack) -> None:
    assert who_may(strict, "sns", "publish", {"TopicArn": strict.outputs["TopicArn"], "Message": "m"}) == {"Steps"}


def test_alarms_are_queued_by_the_action_and_the_api(strict: LocalStack) -> None:
    send = {"QueueUrl": strict.outputs["IntakeQueueUrl"], "MessageBody": "m"}
    assert who_may(strict, "sqs", "send_message", send) == {"AlarmAction", "Chat"}


# REQ-060
@pytest.mark.parametrize(("service", "operation"), [("logs", "describe_log_groups"), ("cloudwatch", "list_metrics")])
def test_evidence_is_read_by_the_executor_alone(strict: LocalStack, service: str, operation: str) -> None:
    assert who_may(strict, service, operation, {}) == {"Executor"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_looks_into_or_changes_its_own_stack(strict: LocalStack, function: str) -> None:
    calls = [
        ("iam", "list_roles", {}),
        ("cloudformation", "describe_stacks", {}),
        ("lambda", "list_functions", {}),
        ("dynamodb", "scan", {"TableName": strict.outputs["TableName"]}),
        ("dynamodb", "delete_table", {"TableName": strict.outputs["TableName"]}),
    ]
    assert set(tried(strict, function, *calls)) == {"refused"}
