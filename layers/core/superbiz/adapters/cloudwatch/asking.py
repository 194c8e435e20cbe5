"""One request of a live account, and the pages of one: the operation is named once, as the API and IAM spell it."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from botocore import xform_name

from superbiz.adapters.cloudwatch.session import Clients, reading
from superbiz.adapters.cloudwatch.targets import Targets
from superbiz.domain.values import JsonObject, Window
from superbiz.ports import SourceUnavailable

T = TypeVar("T")


class Asked(NamedTuple):
    """What the readers of changes are asked. `now` is the clock that AWS counts retention from, `sleep` a seam for tests."""

    clients: Clients
    window: Window
    targets: Targets
    now: datetime
    sleep: Callable[[float], None]


class Listed(NamedTuple):
    """Rows of the pages that were read; `more` says that AWS has further ones."""

    rows: tuple[Any, ...]
    more: bool


def ask(clients: Clients, what: str, service: str, operation: str, **request: Any) -> JsonObject:
    """The answer. Raises SourceUnavailable, about `what`, where AWS refuses."""
    try:
        client = clients.of(service)
    except SourceUnavailable as e:  # the account as a whole is out of reach
        raise SourceUnavailable(what, e.why, e.code) from e
    with reading(what, service, operation):
        answer: JsonObject = getattr(client, xform_name(operation))(**request)
    return answer


def listed(clients: Clients, what: str, service: str, operation: str, key: str, token: str, pages: int, **request: Any) -> Listed:
    """The rows under `key` of up to so many pages. `token` names the field that leads on, the same in answer and request."""
    rows: list[Any] = []
    for _ in range(pages):
        answer = ask(clients, what, service, operation, **request)
        rows += answer.get(key, ())
        if not answer.get(token):
            return Listed(tuple(rows), more=False)
        request[token] = answer[token]
    return Listed(tuple(rows), more=True)


def batches(rows: Sequence[T], size: int) -> Iterator[list[T]]:
    """The rows in lists of at most so many, as an operation takes them."""
    return (list(rows[start : start + size]) for start in range(0, len(rows), size))
