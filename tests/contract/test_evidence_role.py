"""What the adapter of a live account may ask, what the executor's role allows and what people are told to allow are one list."""

import ast
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import boto3
import pytest

from superbiz.adapters.cloudwatch.actions import ACTIONS, NEVER, Action, policy
from support.template import Statement, statements

ROOT = Path(__file__).resolve().parents[2]
ADAPTER = ROOT / "layers/core/superbiz/adapters/cloudwatch"
GUIDE = ROOT / "docs/how-to/connect-an-account.md"
ASKING = {"ask", "listed", "reading"}
# Everything that begins otherwise might write.
READING = ("Describe", "Get", "List", "BatchGet", "Lookup", "Filter", "StartQuery", "StopQuery")


def operations() -> Iterator[tuple[str, str, str]]:
    """(file, service, operation) wherever the adapter asks: a service's name, then an operation's, both written out."""
    for path in sorted(ADAPTER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKING:
                words = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
                pair = next(((a, b) for a, b in pairwise(words) if a.islower() and b[:1].isupper()), None)
                if pair:
                    yield path.name, *pair


def arn(action: Action) -> object:
    """As the template writes it."""
    if not action.resource:
        return "*"
    return {"Fn::Sub": "arn:${AWS::Partition}:" + action.resource.replace("{account}", "${AWS::AccountId}")}


def granted() -> list[Statement]:
    listed = {action.name for action in ACTIONS}
    return [s for s in statements("ExecutorRole") if s.effect == "Allow" and listed & set(s.actions)]


def test_what_the_adapter_asks_is_what_is_listed():
    asked = {(service, operation) for _, service, operation in operations()}
    assert asked == {(action.service, action.operation) for action in ACTIONS}


def test_nothing_that_is_listed_writes():
    assert [action.name for action in ACTIONS if not action.operation.startswith(READING)] == []


@pytest.mark.parametrize("service", sorted({action.service for action in ACTIONS}))
def test_every_operation_is_one_of_its_service(service: str):
    model = boto3.client(service, region_name="eu-west-1", aws_access_key_id="x", aws_secret_access_key="x").meta.service_model
    assert [a.operation for a in ACTIONS if a.service == service and a.operation not in model.operation_names] == []


def test_the_executor_may_do_what_is_listed_and_on_no_more_than_is_listed():
    found = {(action, json.dumps(resource)) for s in granted() for action in s.actions for resource in s.resources}
    assert found == {(action.name, json.dumps(arn(action))) for action in ACTIONS}


def test_other_accounts_are_read_with_the_one_role_that_is_named():
    assumed = [s for s in statements("ExecutorRole") if "sts:AssumeRole" in s.actions]
    assert [(s.actions, s.resources) for s in assumed] == [
        (("sts:AssumeRole",), ({"Fn::Sub": "arn:${AWS::Partition}:iam::*:role/${EvidenceRoleName}"},))
    ]


def test_no_policy_of_ours_unmasks():
    assert NEVER not in {action.name for action in ACTIONS}
    assert {"Effect": "Deny", "Action": [NEVER], "Resource": "*"} in policy("111122223333")["Statement"]


def test_a_policy_for_some_actions_has_these_alone():
    small = policy("111122223333", only=["logs:StartQuery"])
    assert small["Statement"][0] == {
        "Effect": "Allow",
        "Action": ["logs:StartQuery"],
        "Resource": "arn:aws:logs:*:111122223333:log-group:*",
    }
    assert len(small["Statement"]) == 2


def test_the_guide_shows_the_whole_policy():
    shown = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)]
    assert policy("111122223333") in shown
