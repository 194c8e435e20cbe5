"""Alarms on the local stack: what opens a run, what joins an episode, what is dropped, what waits. Nothing is lost or counted twice."""

import json
import uuid
from collections import Counter
from collections.abc import Iterator

import pytest

from superbiz_local.stack import LocalStack
from superbiz_local.triggers import as_lambda_event, as_sns_message, put_alarm_event
from support.alarm_events import eventbridge
from support.local import Json, alarm_event, ask, call, ended, eventually, runs_of
from support.recorded import recorded

pytestmark = pytest.mark.stack


def hand(stack: LocalStack, *events: Json | str) -> None:
    """Messages on the intake queue, as the rule, the topic and the action put them there."""
    for event in events:
        body = event if isinstance(event, str) else json.dumps(event)
        stack.client("sqs").send_message(QueueUrl=stack.outputs["IntakeQueueUrl"], MessageBody=body)


def ledger(stack: LocalStack) -> list[Json]:
    """All alarm events on record."""
    rows: list[Json] = []
    for page in stack.client("dynamodb").get_paginator("scan").paginate(TableName=stack.outputs["TableName"], ConsistentRead=True):
        rows += [item for item in page["Items"] if item["PK"]["S"].startswith("INCIDENT#") and item["SK"]["S"].startswith("EVENT#")]
    return rows


def outcomes(rows: list[Json]) -> Counter[str]:
    return Counter(row["outcome"]["S"] if "outcome" in row else "" for row in rows)


def taken_in(stack: LocalStack, before: list[Json], received: int) -> Counter[str]:
    """received = opened + deduped + suppressed + rejected + deferred, once all are settled; no letter is dead."""

    def settled() -> Counter[str] | None:
        new = outcomes(ledger(stack)) - outcomes(before)
        return new if new.total() >= received and not new[""] else None

    new = eventually(settled, f"{received} events were not all settled", patience=60)
    assert new.total() == received
    letters = stack.client("sqs").get_queue_attributes(
        QueueUrl=stack.outputs["IntakeDeadLettersUrl"], AttributeNames=["ApproximateNumberOfMessages"]
    )
    assert letters["Attributes"]["ApproximateNumberOfMessages"] == "0"
    return new


def at(minute: int, second: int = 0) -> str:
    return f"2026-07-08T23:{minute:02}:{second:02}.000+0000"


def turned(name: str, state: str, timestamp: str) -> Json:
    return alarm_event(name, state={"value": state, "reason": "", "timestamp": timestamp})


def test_flapping_joins_one_episode_with_one_run(product: LocalStack) -> None:
    name, before = f"flapping-{uuid.uuid4().hex[:6]}", ledger(product)
    hand(product, *(turned(name, "OK" if n % 2 else "ALARM", at(6 + n // 5, n % 5 * 10)) for n in range(50)))
    assert taken_in(product, before, 50) == {"OPENED": 1, "DEDUPED": 24, "SUPPRESSED": 25}
    (run,) = runs_of(product, name)
    ended(product, run["runId"])
    incident = call(product, "GET", f"/api/incidents/{run['incidentId']}").body
    assert (len(incident["episodes"]), len(incident["events"])) == (1, 50)
    assert {event["runId"] for event in incident["events"] if event["state"] == "ALARM"} == {run["runId"]}


def test_one_alarm_by_all_ways_and_again_is_one_run(product: LocalStack) -> None:
    name, before = f"storm-{uuid.uuid4().hex[:6]}", ledger(product)
    event = alarm_event(name)
    hand(product, *(form for _ in range(5) for form in (event, as_sns_message(event), as_lambda_event(event))))
    assert taken_in(product, before, 15) == {"OPENED": 1, "DEDUPED": 14}
    assert len(runs_of(product, name)) == 1


@pytest.mark.parametrize("state", ["OK", "INSUFFICIENT_DATA"])
def test_a_change_that_is_no_alarm_opens_nothing(product: LocalStack, state: str) -> None:
    name, before = f"calm-{uuid.uuid4().hex[:6]}", ledger(product)
    hand(product, turned(name, state, at(6)))
    assert taken_in(product, before, 1) == {"SUPPRESSED": 1}
    assert runs_of(product, name) == []


def test_what_is_no_alarm_is_dropped_with_a_reason(product: LocalStack) -> None:
    before = ledger(product)
    change = alarm_event("any") | {"detail-type": "CloudWatch Alarm Configuration Change"}
    own, foreign = alarm_event("superbiz-runs-failed"), {"source": "aws.ec2", "detail-type": "EC2 Instance State-change Notification"}
    rubbish = [
        "no JSON",
        "[]",
        "null",
        "42",
        "[" * 5_000,
        '{"Records":"x"}',
        rb'{"a":"\ud800"}'.decode(),
        json.dumps(alarm_event("x" * 300)),
    ]
    headless = alarm_event("any") | {"detail": {"alarmName": 7, "state": "ALARM"}}
    hand(product, change, own, foreign, headless, *rubbish)
    assert taken_in(product, before, 12) == {"REJECTED": 12}
    new = [row for row in ledger(product) if row not in before]
    reasons = [row["reason"]["S"] for row in new]
    assert all(reasons)
    for part in ("configuration", "of this stack itself", "EC2", "without the alarm's name", "over 255", "no known form"):
        assert [reason for reason in reasons if part in reason], (part, reasons)


def test_recorded_events_of_other_systems_never_stop_the_intake(product: LocalStack) -> None:
    before, files = ledger(product), sorted(recorded("payloads").glob("*.json"))
    name = f"after-all-{uuid.uuid4().hex[:6]}"
    hand(product, *(file.read_text() for file in files), alarm_event(name))
    found = taken_in(product, before, len(files) + 1)
    assert found["OPENED"] + found["DEDUPED"] >= 1
    (run,) = runs_of(product, name)
    ended(product, run["runId"])


@pytest.mark.parametrize("odd", ["no reason", "no metrics", "metric math", "an odd name"])
def test_an_odd_alarm_becomes_a_run_that_ends(product: LocalStack, odd: str) -> None:
    name = f"odd-{uuid.uuid4().hex[:6]}"
    math = {"metrics": [{"id": "e1", "expression": "m1/m2", "returnData": True}]}
    detail: Json = {
        "no reason": {"state": {"value": "ALARM"}},
        "no metrics": {"configuration": None},
        "metric math": {"configuration": math},
        "an odd name": {"alarmName": (name := f"订单 #{name}/<b>")},
    }[odd]
    event = eventbridge(**({"alarmName": name} | detail))
    event["resources"] = [f"arn:aws:cloudwatch:eu-west-1:111122223333:alarm:{name}"]
    hand(product, event)

    def opened() -> list[Json]:
        return [run for run in call(product, "GET", "/api/runs?flow=AI_OPS&limit=100").body["items"] if run["alarmName"] == name]

    (run,) = eventually(opened, "no run was opened", 30)
    assert ended(product, run["runId"])["status"] == "SUCCESS"


@pytest.fixture
def paused(product: LocalStack) -> Iterator[None]:
    """The intake paused, and open again whatever happens."""
    assert call(product, "PUT", "/api/control", {"intakePaused": True}).body["intakePaused"]
    yield
    assert not call(product, "PUT", "/api/control", {"intakePaused": False}).body["intakePaused"]


def test_a_paused_intake_defers_and_the_sweeper_opens_it_later(product: LocalStack, paused: None) -> None:
    name, before = f"paused-{uuid.uuid4().hex[:6]}", ledger(product)
    put_alarm_event(product, alarm_event(name))
    assert taken_in(product, before, 1) == {"DEFERRED": 1}
    assert sweep(product)["settled"] == 0
    assert runs_of(product, name) == []
    assert ended(product, ask(product)["runId"])["status"] == "SUCCESS"  # questions are still answered
    call(product, "PUT", "/api/control", {"intakePaused": False})
    assert sweep(product)["errors"] == []
    (run,) = eventually(lambda: runs_of(product, name), "the sweeper opened no run")
    assert ended(product, run["runId"])["agentFlow"] == "AI_OPS"
    assert taken_in(product, before, 1) == {"OPENED": 1}


def sweep(stack: LocalStack) -> Json:
    """The sweeper's schedule, now."""
    resources = stack.client("cloudformation").list_stack_resources(StackName=stack.stack_name)["StackResourceSummaries"]
    (function,) = [r["PhysicalResourceId"] for r in resources if r["LogicalResourceId"] == "SweeperFunction"]
    answer = stack.client("lambda").invoke(FunctionName=function, Payload=json.dumps({"source": "aws.events"}))
    swept: Json = json.loads(answer["Payload"].read())
    return swept
