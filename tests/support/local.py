"""Helpers of the tests on the local stack."""

import json
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from superbiz_local.stack import LocalStack
from support.model_runs import build_world

T = TypeVar("T")
Json = dict[str, Any]
QUESTION = "Why does order-service answer 503?"
TINY = Path(__file__).parents[1] / "integration" / "tiny"


def eventually(ask: Callable[[], T | None], otherwise: str, patience: float = 15.0) -> T:
    """The first answer that says something, asked for again and again."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if answer := ask():
            return answer
        time.sleep(0.05)
    raise AssertionError(otherwise)


class Told:
    """What the tiny functions wrote down."""

    def __init__(self, stack: LocalStack) -> None:
        self._table, self._dynamodb = stack.outputs["TableName"], stack.client("dynamodb")

    def all(self, kind: str) -> list[Any]:
        found = self._dynamodb.query(
            TableName=self._table, KeyConditionExpression="PK = :k", ExpressionAttributeValues={":k": {"S": f"TOLD#{kind}"}}
        )
        return [json.loads(item["content"]["S"]) for item in found["Items"]]

    def first(self, kind: str, where: Callable[[Any], bool]) -> Any:
        return eventually(lambda: next((content for content in self.all(kind) if where(content)), None), f"nothing told of {kind}")


def alarm_event(name: str, **detail: Any) -> Json:
    """An alarm's change to ALARM as EventBridge carries it."""
    metric = {"namespace": "Shop", "name": "Errors", "dimensions": {"Service": "order-service"}}
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "source": "aws.cloudwatch",
        "detail-type": "CloudWatch Alarm State Change",
        "account": "111122223333",
        "region": "eu-west-1",
        "time": "2026-07-08T23:06:00Z",
        "resources": [f"arn:aws:cloudwatch:eu-west-1:111122223333:alarm:{name}"],
        "detail": {
            "alarmName": name,
            "state": {"value": "ALARM", "reason": "Threshold Crossed", "timestamp": "2026-07-08T23:06:00.000+0000"},
            "previousState": {"value": "OK"},
            "configuration": {
                "metrics": [{"id": "m1", "returnData": True, "metricStat": {"metric": metric, "period": 60, "stat": "Sum"}}],
            },
        }
        | detail,
    }


def build_alarming_world(folder: Path) -> Path:
    """A small incident: logs and a change that tell of a pool run dry, and the errors that the alarm watches."""
    build_world(folder)
    minutes = [f"2026-07-08T22:{m:02}:00Z" for m in range(30, 60)] + [f"2026-07-08T23:{m:02}:00Z" for m in range(9)]
    errors = [0.0] * 34 + [40.0, 80.0, 95.0, 90.0, 92.0]
    row = {
        "namespace": "Shop",
        "metric_name": "Errors",
        "dimensions": {"Service": "order-service"},
        "stat": "Sum",
        "period": 60,
        "unit": "Count",
    }
    (folder / "metrics.json").write_text(json.dumps([row | {"timestamps": minutes, "values": errors}]))
    (folder / "service_map.json").write_text(
        json.dumps({"services": [{"name": "order-service", "type": "AWS::ECS::Service", "calls": []}]})
    )
    (folder / "trigger.json").write_text(json.dumps(alarm_event("orders-errors-high")))
    return folder


class Answer(NamedTuple):
    status: int
    body: Any


def call(stack: LocalStack, method: str, path: str, body: Any = None) -> Answer:
    """One request to the API, past any proxy."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(stack.api_url + path, data, {"content-type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=120) as response:
            return Answer(response.status, json.loads(response.read() or b"null"))
    except urllib.error.HTTPError as e:
        with e:
            return Answer(e.code, json.loads(e.read()))


def ask(stack: LocalStack, **body: Any) -> Json:
    answer = call(stack, "POST", "/api/chat", {"question": QUESTION} | body)
    assert answer.status == 202, answer.body
    opened: Json = answer.body
    return opened


def ended(stack: LocalStack, run_id: str, patience: float = 90) -> Json:
    def end() -> Json | None:
        run: Json = call(stack, "GET", f"/api/runs/{run_id}").body
        return run if run["status"] != "RUNNING" else None

    return eventually(end, f"{run_id} did not end", patience)


def runs_of(stack: LocalStack, alarm: str) -> list[Json]:
    found: list[Json] = call(stack, "GET", f"/api/runs?alarm={alarm}").body["items"]
    return found


def evaluated(stack: LocalStack, run_id: str, node: str) -> Json:
    def nodes() -> Json | None:
        trace: Json = call(stack, "GET", f"/api/trace/{run_id}").body
        return trace if node in (trace["selfEvaluation"] or {}) else None

    return eventually(nodes, f"{node} did not come")
