"""What AWS and the network answer, as the product's errors: mapped once, here."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    HTTPClientError,
    IncompleteReadError,
    ReadTimeoutError,
    ResponseStreamingError,
)

from superbiz.errors import Broken, SuperBizError, Unavailable

TRANSIENT = (ConnectionError, HTTPClientError, IncompleteReadError, ReadTimeoutError, ResponseStreamingError)
LATER = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestTimeout",
        "RequestTimeoutException",
        "SlowDown",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "TooManyRequestsException",
        "TransactionInProgressException",
        "InternalError",
        "InternalFailure",
        "InternalServerError",
        "LimitExceededException",
    }
)
MENDS = {
    "ResourceNotFoundException": "deploy the stack, or set TABLE_NAME to the table that it made",
    "NoSuchBucket": "deploy the stack, or set BUCKET_NAME to the bucket that it made",
    "AccessDenied": "grant the function's role the action that the message names",
    "AccessDeniedException": "grant the function's role the action that the message names",
}


@contextmanager
def mapped(what: str) -> Iterator[None]:
    """Raise the product's error for a vendor's. `what` names the thing that was asked."""
    try:
        yield
    except ClientError as e:
        raise from_answer(e, what) from e
    except TRANSIENT as e:
        raise Unavailable(f"{what}: {e}", code="UNREACHABLE") from e
    except BotoCoreError as e:
        raise Broken(f"{what}: {e}", code="MISCONFIGURED", mend="check region and credentials") from e


def from_answer(error: ClientError, what: str) -> SuperBizError:
    """The error for an answer of AWS: later for throttling and 5xx, else ours to mend."""
    answer = original(error).response
    code = str(answer.get("Error", {}).get("Code", ""))
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in LATER or status >= 500 or status == 429:
        return Unavailable(f"{what}: {error}", code="THROTTLED" if code in LATER and status < 500 else "UNAVAILABLE")
    return Broken(f"{what}: {error}", code=code or "BROKEN", mend=MENDS.get(code))


def original(error: ClientError) -> ClientError:
    """botocore's own error: pynamodb's, which stands in for it, keeps neither status nor item."""
    return error.__cause__ if isinstance(error.__cause__, ClientError) else error
