"""Vendor errors, mapped once: what each means, whether a second try makes sense, and whether it may have been billed."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from superbiz.adapters.model_endpoint.abilities import Refusal
from superbiz.errors import Broken, Rejected, SuperBizError, Unavailable

SAID_CHARS = 300


class Fault(NamedTuple):
    """`lost` says the request may have been answered and billed though we have no whole answer. `after` is the wait that was asked for.

    `said` are the endpoint's own words, for the log: what it quotes may come from anywhere, so no report repeats it.
    """

    error: SuperBizError
    retry: bool = False
    lost: bool = False
    after: float | None = None
    refusal: Refusal | None = None
    said: str = ""


class _Row(NamedTuple):
    kind: type[SuperBizError]
    code: str
    what: str
    retry: bool = False
    mend: str | None = None


_SPENT = _Row(Unavailable, "MODEL_QUOTA", "the model account's quota or spending limit is used up", mend="raise the limit of the account")
_KEY = _Row(Broken, "MODEL_KEY", "the model endpoint refused the key", mend="check the parameter that holds the key, and its rights")
_BUSY = _Row(Unavailable, "MODEL_BUSY", "the model endpoint limits the rate", retry=True)
_DOWN = _Row(Unavailable, "MODEL_DOWN", "the model endpoint failed", retry=True)
_REQUEST = _Row(Rejected, "MODEL_REQUEST", "the model endpoint refused the request")
_STATUS: Mapping[int, _Row] = {
    401: _KEY,
    402: _SPENT,
    403: _KEY,
    404: _Row(Broken, "MODEL_NOT_FOUND", "no such model or address", mend="check MODEL_BASE_URL and MODEL_NAME"),
    408: _DOWN,
    409: _DOWN,
    413: _Row(Rejected, "MODEL_TOO_LONG", "the request is too large for the model endpoint"),
    425: _DOWN,
    429: _BUSY,
}
# A 429 that no wait will mend: the account has run out, not the minute.
_SPENT_WORDS = re.compile(
    r"insufficient[_ ](quota|balance|funds)|billing|spend(ing)?[_ ]limit|over budget|budget.{0,3}exceeded|exceeded.{0,3}budget"
    r"|credit balance|out of credits|payment required"
)
_WAIT_WORDS = re.compile(r"(retry|try again) (in|after) ")
_NEVER_MADE = ("ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError")
_BAD_ADDRESS = ("UnsupportedProtocol", "InvalidURL", "LocalProtocolError")


def of_vendor(error: Exception, now: datetime) -> Fault | None:
    """The fault that an exception of the `openai` client stands for; None where it is not the vendor's."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return of_status(error.status_code, error.body, error.response.headers, now)
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return Fault(Unavailable("the model endpoint did not answer in time", code="MODEL_TIMEOUT"), retry=True, lost=True)
    if isinstance(error, openai.APIConnectionError):
        return _of_connection(error)
    if isinstance(error, openai.OpenAIError):
        return Fault(Broken(f"the model client failed: {type(error).__name__}", code="MODEL_CLIENT"))
    return None


def of_status(status: int, body: Any, headers: Mapping[str, str], now: datetime) -> Fault:
    """The fault of an HTTP status with its error document."""
    refusal = _refusal(body)
    row = _STATUS.get(status, _DOWN if status >= 500 else _REQUEST)
    if row is _BUSY and _is_spent(refusal, headers):
        row = _SPENT
    said = "" if row is _KEY else " ".join(f"{refusal.code} {refusal.text}".split())[:SAID_CHARS]  # of a key it may repeat the key
    error = row.kind(f"{row.what}: HTTP {status}", code=row.code, mend=row.mend)
    retry = row.retry and headers.get("x-should-retry", "").lower() != "false"
    return Fault(error, retry, after=retry_after(headers, now), refusal=refusal if status in (400, 422) else None, said=said)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait, as `retry-after-ms` or `retry-after` (seconds or a date) ask; None where they ask nothing we can read."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    given = headers.get("retry-after")
    seconds = _number(given)
    return seconds if seconds is not None else _until(given, now)


def nonsense(what: str) -> Fault:
    """An answer that is no chat completion, or none that came whole."""
    return Fault(Unavailable(f"the model endpoint answered no chat completion: {what}", code="MODEL_NONSENSE"), retry=True, lost=True)


def _of_connection(error: Exception) -> Fault:
    """A connection that was never made costs nothing; one that broke may have been billed."""
    cause = type(error.__cause__).__name__
    if cause in _BAD_ADDRESS:
        return Fault(Broken("the model endpoint's address or key can not be used", code="MODEL_NOT_FOUND", mend="check MODEL_BASE_URL"))
    if cause in _NEVER_MADE:
        return Fault(Unavailable("the model endpoint can not be reached", code="MODEL_UNREACHABLE"), retry=True)
    return Fault(Unavailable("the model endpoint broke off its answer", code="MODEL_CUT"), retry=True, lost=True)


def _is_spent(refusal: Refusal, headers: Mapping[str, str]) -> bool:
    """Words of money count, unless a wait is named: some endpoints speak of billing at every limit."""
    if "insufficient" in refusal.code:
        return True
    waits = "retry-after" in headers or _WAIT_WORDS.search(refusal.text)
    return not waits and bool(_SPENT_WORDS.search(f"{refusal.code} {refusal.text}"))


def _refusal(body: Any) -> Refusal:
    """The client hands over the content of `error` where there is one, otherwise the body as it came."""
    body = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(body, dict):
        return Refusal(str(body or "").lower()[:2_000], "")
    parts = (body.get(name) for name in ("message", "param", "type"))
    return Refusal(" ".join(str(p) for p in parts if p).lower()[:2_000], str(body.get("code") or "").lower())


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < 86_400_000 else None


def _until(text: str | None, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
