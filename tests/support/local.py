"""Helpers of the tests on the local stack."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from superbiz_local.stack import LocalStack

T = TypeVar("T")
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


class Answer(NamedTuple):
    status: int
    body: Any


def call(stack: LocalStack, method: str, path: str, body: Any = None) -> Answer:
    """One request to the API, past any proxy."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(stack.api_url + path, data, {"content-type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=30) as response:
            return Answer(response.status, json.loads(response.read()))
    except urllib.error.HTTPError as e:
        with e:
            return Answer(e.code, json.loads(e.read()))
