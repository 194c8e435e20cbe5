"""Functions that stand in for every trigger of the template, to try the stack itself: what they are told is put where a test can read it.

`told` writes to the table under a key of its own. `step` obeys the run id: it names the state that is to fail, and how.
"""

import json
import os
import time
import uuid

import boto3


class Unavailable(Exception):
    """By its class name the state machine tries again."""


class Mistake(Exception):
    """By its class name it does not."""


def told(kind, content):
    boto3.client("dynamodb").put_item(
        TableName=os.environ["TABLE_NAME"],
        Item={"PK": {"S": f"TOLD#{kind}"}, "SK": {"S": f"{time.time():.6f}#{uuid.uuid4()}"}, "content": {"S": json.dumps(content)}},
    )


def count(kind):
    found = boto3.client("dynamodb").query(
        TableName=os.environ["TABLE_NAME"], KeyConditionExpression="PK = :k", ExpressionAttributeValues={":k": {"S": f"TOLD#{kind}"}}
    )
    return found["Count"]


def step(event):
    """`run-<state>-<Unavailable|Mistake>-<times>-…` fails at that state so often; `run-low-…` asks for a second round."""
    run_id, state = event["run_id"], event["step"]
    told(run_id, event)
    _, where, kind, times, *_ = [*run_id.split("-"), "", "", ""]
    if state == where and count(f"{run_id}#{state}") < int(times):
        told(f"{run_id}#{state}", event)
        raise {"Unavailable": Unavailable, "Mistake": Mistake}[kind](f"{state} was told to fail")
    again = state == "verifier" and where == "low" and event["round"] == 1
    verdict = {"low": "LOW_CONFID", "reject": "REJECT", "none": None}.get(where, "PASS") if state == "verifier" else None
    return {"run_id": run_id, "round": 2 if again else event["round"], "verdict": verdict, "retry": again}


def batch(event, kind):
    """A queue's messages; one that says `poison` is given back."""
    failed = [record["messageId"] for record in event["Records"] if "poison" in record["body"]]
    for record in event["Records"]:
        if record["messageId"] not in failed:
            told(kind, record["body"])
    return {"batchItemFailures": [{"itemIdentifier": message} for message in failed]}


def answer(event, kind):
    body = {"function": kind, "event": event, "environment": dict(os.environ)}
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": json.dumps(body)}
