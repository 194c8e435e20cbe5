"""Errors as RFC 9457 problem details: who has to act, in the status; what and how to mend, in words; nothing of our insides."""

from http import HTTPStatus
from typing import NamedTuple, NotRequired

from typing_extensions import TypedDict

from superbiz.errors import Rejected, SuperBizError, Unavailable

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 2
OUR_FAULT = "Something broke on our side. The request id leads to what it was."


class ProblemBody(TypedDict):
    """`code` is stable, for programs; `detail` and `mend` are for people; `requestId` leads to our logs."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    instance: str
    requestId: str
    mend: NotRequired[str]


class Problem(NamedTuple):
    """An answer that tells of an error."""

    status: int
    body: ProblemBody
    headers: dict[str, str]


def of(error: Exception, request_id: str, instance: str) -> Problem:
    """Rejected is the caller's (4xx), Unavailable passes (503 with Retry-After), anything else is ours (500, without its text)."""
    if isinstance(error, Rejected):
        return _problem(error.status, error.code, error, request_id, instance)
    if isinstance(error, Unavailable):
        return _problem(503, error.code, error, request_id, instance, {"retry-after": str(RETRY_AFTER_SECONDS)})
    return _problem(500, "BROKEN", OUR_FAULT, request_id, instance)


def not_allowed(method: str, allowed: tuple[str, ...], request_id: str, instance: str) -> Problem:
    """The path is known, the method is not: 405 with the methods that are."""
    names = ", ".join(sorted(allowed))
    return _problem(405, "METHOD_NOT_ALLOWED", f"{method} is not allowed here; {names} is", request_id, instance, {"allow": names})


def _problem(
    status: int, code: str, error: SuperBizError | str, request_id: str, instance: str, headers: dict[str, str] | None = None
) -> Problem:  # fmt: skip
    detail, mend = (error, None) if isinstance(error, str) else (error.message, error.mend)
    body: ProblemBody = {
        "type": f"urn:superbiz:problem:{code.lower().replace('_', '-')}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "instance": instance,
        "requestId": request_id,
    }
    if mend:
        body["mend"] = mend
    return Problem(status, body, headers or {})
