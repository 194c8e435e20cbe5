"""Requests to the local stack's API as bytes, headers and all: for what a helper that speaks JSON can not say."""

import json
import urllib.error
import urllib.request
from typing import Any, NamedTuple

from superbiz_local.stack import LocalStack


class Reply(NamedTuple):
    """Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def request(stack: LocalStack, method: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
    """`last_event_id` becomes `last-event-id`."""
    named = {"content-type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    asked = urllib.request.Request(stack.api_url + path, body, named, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(asked, timeout=120) as response:
            return _reply(response.status, response)
    except urllib.error.HTTPError as e:
        with e:
            return _reply(e.code, e)


def _reply(status: int, response: Any) -> Reply:
    return Reply(status, {name.lower(): value for name, value in response.headers.items()}, response.read())
