"""An AWS account that answers from a table: botocore checks each request and each answer against the service's own model."""

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any

import boto3
from botocore import session
from botocore.awsrequest import AWSResponse
from botocore.validate import validate_parameters

from superbiz.adapters.cloudwatch.session import Clients, Reach

REGION, ACCOUNT = "eu-west-1", "111122223333"
Json = dict[str, Any]
# What an operation answers: always the same, page by page, or by its request.
Answer = Json | list[Json] | Callable[[Json], Json]


def refusal(code: str, message: str = "no") -> Callable[[Json], Json]:
    """An answer that is an error of AWS."""

    def refuse(_request: Json) -> Json:
        raise _Refused(code, message)

    return refuse


DENIED = refusal("AccessDeniedException", "User: arn:aws:sts::111122223333:assumed-role/x is not authorized")


class FakeAccount:
    """`answers` by (service, operation); an operation that is not in it is denied. `asked` keeps every request."""

    def __init__(self, answers: Mapping[tuple[str, str], Answer]) -> None:
        self._answers = {key: iter(answer) if isinstance(answer, list) else answer for key, answer in answers.items()}
        self.asked: list[tuple[str, str, Json]] = []

    def make(self, service: str, region_name: str | None = None, config: Any = None) -> Any:
        """As boto3 makes a client."""
        return _Client(_made(service, region_name or REGION), self)

    def clients(self, region: str = REGION, account: str = ACCOUNT) -> Clients:
        """The adapter's clients of this account."""
        return Clients(Reach(region, account), self.make)

    def requests(self, service: str, operation: str) -> list[Json]:
        """What one operation was asked, in order."""
        return [request for s, o, request in self.asked if (s, o) == (service, operation)]

    def answered(self, service: str, model: Any, request: Json) -> tuple[AWSResponse, Json]:
        """What the operation answers, as botocore would have read it off the wire."""
        self.asked.append((service, model.name, request))
        answer = self._answers.get((service, model.name), DENIED)
        try:
            said: Json = answer(request) if callable(answer) else next(answer) if isinstance(answer, Iterator) else answer
        except _Refused as e:
            return AWSResponse("", 400, {}, None), {"Error": {"Code": e.code, "Message": e.message}, "ResponseMetadata": {}}
        if model.output_shape is not None:
            validate_parameters(said, model.output_shape)
        return AWSResponse("", 200, {}, None), {**said, "ResponseMetadata": {"HTTPStatusCode": 200}}


class _Client:
    """One client for all accounts, since making one costs more than a test; each call is told whose it is."""

    def __init__(self, made: Any, account: FakeAccount) -> None:
        self._client, self._account = made, account

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = getattr(self._client, name)

        def call(**request: Any) -> Any:
            _ASKING.set(self._account)
            return operation(**request)

        return call


class _Refused(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(code)
        self.code, self.message = code, message


_ASKING: ContextVar[FakeAccount] = ContextVar("asking")


@cache
def _made(service: str, region: str) -> Any:
    made = _session().client(service, region_name=region, aws_access_key_id="testing", aws_secret_access_key="testing")
    events = made.meta.events
    events.register_first("before-parameter-build.*.*", lambda params, context, **_: context.update(asked=dict(params)))
    events.register_first("before-call.*.*", lambda model, context, **_: _ASKING.get().answered(service, model, context["asked"]))
    return made


@lru_cache(maxsize=1)
def _session() -> boto3.Session:
    """One for all: a session keeps the service models that it has read."""
    return boto3.Session(botocore_session=session.Session())
