"""What every reading of a live account shares: whom it is about, its clients, and how AWS says no."""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, ParamValidationError, StubResponseError
from botocore.exceptions import ConnectionError as NoConnection

from superbiz.domain.incidents import AlarmMetric, AlarmNotice
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable

T = TypeVar("T")
R = TypeVar("R")
CONNECT_SECONDS, READ_SECONDS, ATTEMPTS = 3, 20, 6
ACCESS_DENIED, UNAVAILABLE = "ACCESS_DENIED", "UNAVAILABLE"
UNREACHABLE, MISCONFIGURED = "UNREACHABLE", "MISCONFIGURED"  # the network says no; what was set for boto3 does
DENIED = "AccessDenied"  # how the reason of a refusal begins, before the missing action
# How IAM spells a service that boto3 calls otherwise.
IAM_PREFIXES = {
    "applicationsignals": "application-signals",
    "resourcegroupstaggingapi": "tag",
    "stepfunctions": "states",
    "elb": "elasticloadbalancing",
    "elbv2": "elasticloadbalancing",
}
GATEWAY = "apigateway:GET"
_DENIED = re.compile(r"AccessDenied|Unauthorized|NotAuthorized|AuthorizationError", re.IGNORECASE)
_MISSING = re.compile(r"not authorized to perform:? ([a-z0-9-]+:[A-Za-z]+)")  # AWS may name another action, such as kms:Decrypt
_THROTTLED = re.compile(r"Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|LimitExceeded")


@dataclass(frozen=True)
class Reach:
    """Where to read: region and account of the alarm, and the role that is assumed for an account that is not ours."""

    region: str
    account: str | None = None
    role_arn: str | None = None
    external_id: str | None = None
    session_name: str = "superbiz"


@dataclass(frozen=True)
class Subject:
    """What the run is about: an alarm, or a question in words. `window` is one that a person named; it goes before the alarm's own."""

    alarm_name: str | None = None
    region: str = ""
    account: str = ""
    metrics: tuple[AlarmMetric, ...] = ()
    occurred_at: datetime | None = None
    question: str = ""
    window: Window | None = None

    @classmethod
    def of_notice(cls, notice: AlarmNotice) -> "Subject":
        """The alarm that changed its state."""
        return cls(notice.alarm_name, notice.region, notice.account, notice.metrics, notice.occurred_at, notice.description)

    @property
    def resources(self) -> tuple[str, ...]:
        """The names that the alarm's dimensions give, each once."""
        return tuple(dict.fromkeys(value for metric in self.metrics for value in metric.dimensions.values()))


@dataclass(frozen=True)
class Limits:
    """What one run may read at most. Whatever a limit cuts off is told as read in part."""

    resources: int = 40
    metrics: int = 600  # series: a metric by one statistic, and 0.01 USD a thousand
    siblings: int = 30  # resources of the same kind as the alarm's, for comparison
    traced_services: int = 25  # whose statistics are taken from X-Ray
    log_groups: int = 40
    log_lines: int = 60_000  # a period
    log_bytes: int = 20 * 2**30  # scanned in all, 0.10 USD
    log_seconds: float = 120.0  # a period
    log_queries: int = 4  # at once; an account has 100 or fewer, and people query too
    traces: int = 150  # a period
    alarms: int = 500
    workers: int = 8  # requests at once, for the sources that are read by many small ones


class Found(NamedTuple, Generic[T]):
    """Rows, what kept them from being all (`partial`), and what could not be used or was not looked at (`notes`), in sentences."""

    rows: tuple[T, ...] = ()
    partial: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Clients:
    """boto3 clients of one account and region, made on first use, one a service. `make(service, region_name=, config=)` makes one."""

    def __init__(self, reach: Reach, make: Callable[..., Any] | None = None) -> None:
        self.reach = reach
        self._make = make
        self._made: dict[tuple[str, int], Any] = {}
        self._lock = threading.Lock()

    def of(self, service: str, attempts: int = ATTEMPTS) -> Any:
        """The client of a service, as boto3 names it, that tries a request so many times. Raises SourceUnavailable without one."""
        key = (service, attempts)
        with self._lock:
            if key not in self._made:
                with setting_up():
                    self._made[key] = self._new(service, attempts)
            return self._made[key]

    def _new(self, service: str, attempts: int) -> Any:
        from botocore.config import Config

        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"mode": "standard", "total_max_attempts": attempts},
            user_agent_extra="superbiz",
        )
        if self._make is None:
            self._make = _session_for(self.reach)
        return self._make(service, region_name=self.reach.region, config=config)


def _session_for(reach: Reach) -> Callable[..., Any]:
    """Our own session, or one whose credentials are the assumed role's and are renewed before they end."""
    import boto3
    from botocore.session import Session

    if not reach.role_arn:
        make: Callable[..., Any] = boto3.Session().client
        return make
    assumed = Session()
    assumed.register_component("credential_provider", _AssumedRole(Session(), reach))
    of_role: Callable[..., Any] = boto3.Session(botocore_session=assumed).client
    return of_role


class _AssumedRole:
    """Stands in for botocore's chain of credential providers: the role, and nothing else."""

    def __init__(self, own: Any, reach: Reach) -> None:
        self._own, self._reach = own, reach

    def load_credentials(self) -> Any:
        from botocore.credentials import AssumeRoleCredentialFetcher, DeferredRefreshableCredentials

        credentials = self._own.get_credentials()
        if credentials is None:
            return None
        reach = self._reach
        given = {"RoleSessionName": re.sub(r"[^\w+=,.@-]", "-", reach.session_name)[:64]}
        fetcher = AssumeRoleCredentialFetcher(
            partial(self._own.create_client, region_name=reach.region),
            credentials,
            reach.role_arn,
            extra_args=given | ({"ExternalId": reach.external_id} if reach.external_id else {}),
        )
        return DeferredRefreshableCredentials(fetcher.fetch_credentials, "assume-role")


def each(work: Callable[[T], R], items: Sequence[T], workers: int) -> list[R]:
    """The results in the order of the items; several at once where there are workers."""
    if workers <= 1 or len(items) <= 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(workers, len(items))) as pool:
        return list(pool.map(work, items))


@contextmanager
def setting_up() -> Iterator[None]:
    """Raises SourceUnavailable where profile, credentials, region or endpoint are set so that no client can be made."""
    try:
        yield
    except (BotoCoreError, ValueError) as e:  # boto3 tells a malformed endpoint by a bare ValueError
        raise SourceUnavailable("AWS configuration", " ".join(str(e).split()), MISCONFIGURED) from e


def utc(moment: datetime) -> datetime:
    """AWS means UTC where it names no zone."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


@contextmanager
def reading(what: str, service: str, operation: str) -> Iterator[None]:
    """Raises SourceUnavailable for what AWS or the network refuses. `operation` as the API spells it (`StartQuery`).

    A malformed request is our bug and stays botocore's own error.
    """
    try:
        yield
    except ClientError as e:
        _refused(what, service, operation, e)
    except (ParamValidationError, StubResponseError):
        raise
    except BotoCoreError as e:
        code = UNREACHABLE if isinstance(e, NoConnection | HTTPClientError) else UNAVAILABLE
        raise SourceUnavailable(what, f"{action(service, operation)}: {e}", code) from e


def action(service: str, operation: str) -> str:
    """The IAM action that allows an operation; API Gateway knows but the methods of HTTP."""
    return GATEWAY if service in ("apigateway", "apigatewayv2") else f"{IAM_PREFIXES.get(service, service)}:{operation}"


def _refused(what: str, service: str, operation: str, error: ClientError) -> NoReturn:
    answer = error.response.get("Error", {})
    code, message = str(answer.get("Code", "")), str(answer.get("Message", ""))
    asked = action("sts", "AssumeRole") if error.operation_name == "AssumeRole" else action(service, operation)
    if _DENIED.search(code):
        missing = _MISSING.search(message)
        raise SourceUnavailable(what, f"{DENIED}: {missing[1] if missing else asked}", ACCESS_DENIED) from error
    why = "throttled" if _THROTTLED.search(code) else code or "failed"
    raise SourceUnavailable(what, f"{asked}: {why}: {message}", UNAVAILABLE) from error
