"""Speaking to the API: JSON in, JSON out, signed with SigV4 where the address is AWS's."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import SplitResult, quote, urlencode, urlsplit

import urllib3

from superbiz.errors import Invalid, NotFound, Rejected, Unavailable

NO_MORE = 204
API_MEND = "check --api (or SUPERBIZ_API): a deployment's is the stack's output ApiUrl, a local stack's is api_url in its ready file"
TIMEOUT = urllib3.Timeout(connect=5.0, read=40.0)


class Reply(NamedTuple):
    """`body` is the parsed JSON, or the text where it is none."""

    status: int
    body: Any


class Event(NamedTuple):
    """One server-sent event."""

    id: str
    name: str
    data: Any


class ApiClient:
    """One API. `request` never raises for a status; `call` raises the product's errors with the problem's own words."""

    def __init__(self, url: str) -> None:
        parts = _address(url)
        self.url = url.rstrip("/")
        host = parts.hostname or ""
        self._signed = host.endswith(".amazonaws.com")
        self._region = host.split(".")[2] if self._signed else ""
        self._http = urllib3.PoolManager(timeout=TIMEOUT, retries=False)

    def request(
        self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Raises Unavailable where nothing answers."""
        given = {k: v for k, v in (query or {}).items() if v is not None}
        url = f"{self.url}{path}" + (f"?{urlencode(given)}" if given else "")
        data = json.dumps(body).encode() if body is not None else b""
        sent = {"content-type": "application/json", "accept": "application/json", "accept-language": "en", **(headers or {})}
        if self._signed:
            sent = self._sign(method, url, data, sent)
        try:
            reply = self._http.request(method, url, body=data or None, headers=sent)
        except urllib3.exceptions.HTTPError as e:
            raise Unavailable(f"nothing answers at {self.url}", mend="is it up? `superbiz up` starts a local one") from e
        return Reply(reply.status, _parsed(reply.data))

    def call(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Any:
        """The body of a good answer; otherwise the error that the answer tells of."""
        found = _good(self.request(method, path, body, query))
        if isinstance(found, str):
            raise Invalid(f"{self.url} answers, but not as this API does", mend=API_MEND)
        return found

    def events(self, run_id: str) -> Iterator[Event]:
        """What happens in a run, as it happens, until its `done`; a dropped connection is taken up where it broke."""
        last: str | None = None
        while True:
            headers = {"accept": "text/event-stream"} | ({"last-event-id": last} if last else {})
            reply = self.request("GET", f"/api/runs/{quote(run_id, safe='')}/events", headers=headers)
            if reply.status == NO_MORE:
                return
            for event in _events(str(_good(reply))):
                last = event.id or last
                yield event
                if event.name == "done":
                    return

    def _sign(self, method: str, url: str, data: bytes, headers: dict[str, str]) -> dict[str, str]:
        import botocore.session  # here, so that commands which sign nothing do not wait for it
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest

        credentials = botocore.session.get_session().get_credentials()
        if credentials is None:
            raise Rejected(
                "this API wants signed requests and no AWS credentials were found", mend="run `aws configure` or set AWS_PROFILE"
            )
        request = AWSRequest(method=method, url=url, data=data, headers=headers)
        SigV4Auth(credentials, "execute-api", self._region).add_auth(request)
        return dict(request.headers.items())


def _address(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not whole:
        raise Invalid(f"--api {url!r} is no address", mend="write it as https://… or http://127.0.0.1:PORT/…")
    return parts


def _good(reply: Reply) -> Any:
    if reply.status < 400:
        return reply.body
    problem = reply.body if isinstance(reply.body, dict) else {}
    words = problem.get("detail") or problem.get("message") or problem.get("title")
    if reply.status >= 500:
        raise Unavailable(words or f"the API answered HTTP {reply.status}", mend=problem.get("mend"))
    if words is None:
        raise Rejected(f"the API answered HTTP {reply.status} and no reason", mend=API_MEND)
    raise (NotFound if reply.status == 404 else Rejected)(words, mend=problem.get("mend"))


def _events(stream: str) -> Iterator[Event]:
    """The events of a server-sent event stream (WHATWG HTML, section 9.2), each with its JSON data."""
    for block in stream.replace("\r\n", "\n").split("\n\n"):
        fields: dict[str, str] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        if "data" in fields:
            yield Event(fields.get("id", ""), fields.get("event", "message"), json.loads(fields["data"]))


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data) if data else None
    except ValueError:
        return data.decode("utf-8", "replace")
