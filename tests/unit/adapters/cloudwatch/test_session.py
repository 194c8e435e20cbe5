"""Clients, assumed roles, and how AWS's refusals are told."""

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ReadTimeoutError,
)

from superbiz.adapters.cloudwatch import session
from superbiz.adapters.cloudwatch.session import Clients, Reach, Subject, each, reading
from superbiz.domain.incidents import AlarmMetric, AlarmNotice, AlarmState
from superbiz.ports import SourceUnavailable

ROLE = "arn:aws:iam::444455556666:role/evidence"


def refused(error: Exception, service: str = "logs", operation: str = "StartQuery") -> SourceUnavailable:
    with pytest.raises(SourceUnavailable) as raised, reading("logs", service, operation):
        raise error
    return raised.value


def client_error(code: str, message: str = "no", operation: str = "StartQuery") -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, operation)


@pytest.mark.parametrize(
    "code",
    [
        "AccessDenied",
        "AccessDeniedException",
        "UnauthorizedOperation",
        "NotAuthorizedException",
        "AuthorizationError",
        "UnauthorizedException",
    ],
)
def test_a_denial_names_the_missing_action(code: str) -> None:
    found = refused(client_error(code))
    assert (found.what, found.why, found.code) == ("logs", "AccessDenied: logs:StartQuery", "ACCESS_DENIED")


@pytest.mark.parametrize(
    ("service", "operation", "action"),
    [
        ("cloudwatch", "GetMetricData", "cloudwatch:GetMetricData"),
        ("xray", "GetServiceGraph", "xray:GetServiceGraph"),
        ("cloudtrail", "LookupEvents", "cloudtrail:LookupEvents"),
        ("rds", "DescribeEvents", "rds:DescribeEvents"),
        ("pi", "GetResourceMetrics", "pi:GetResourceMetrics"),
        ("ecs", "DescribeServices", "ecs:DescribeServices"),
        ("resourcegroupstaggingapi", "GetResources", "tag:GetResources"),
        ("stepfunctions", "DescribeStateMachine", "states:DescribeStateMachine"),
        ("elbv2", "DescribeTargetHealth", "elasticloadbalancing:DescribeTargetHealth"),
        ("apigateway", "GetRestApis", "apigateway:GET"),
        ("apigatewayv2", "GetStages", "apigateway:GET"),
    ],
)
def test_an_action_is_spelled_as_iam_does(service: str, operation: str, action: str) -> None:
    assert refused(client_error("AccessDenied"), service, operation).why == f"AccessDenied: {action}"


def test_a_denial_by_another_service_names_that_services_action() -> None:
    message = "User: arn:aws:sts::1:assumed-role/x is not authorized to perform: kms:Decrypt on resource: arn:aws:kms:eu-west-1:1:key/k"
    assert refused(client_error("AccessDeniedException", message)).why == "AccessDenied: kms:Decrypt"


def test_a_role_that_can_not_be_assumed_is_told_as_such() -> None:
    assert refused(client_error("AccessDenied", operation="AssumeRole")).why == "AccessDenied: sts:AssumeRole"


@pytest.mark.parametrize(
    "error",
    [
        client_error("ThrottlingException"),
        client_error("TooManyRequestsException"),
        client_error("InternalServiceError"),
        client_error("ExpiredTokenException"),
        NoCredentialsError(),
    ],
)
def test_what_may_work_later_is_unavailable_with_its_reason(error: Exception) -> None:
    found = refused(error)
    assert found.code == "UNAVAILABLE"
    assert found.why.startswith("logs:StartQuery: ")
    assert len(found.why) > len("logs:StartQuery: ")


@pytest.mark.parametrize("error", [EndpointConnectionError, ConnectTimeoutError, ReadTimeoutError, ConnectionClosedError])
def test_a_network_that_says_no_is_told_apart_from_aws(error: type[Exception]) -> None:
    assert refused(error(endpoint_url="https://logs.example")).code == "UNREACHABLE"


def test_a_malformed_request_is_our_bug() -> None:
    with pytest.raises(ParamValidationError), reading("logs", "logs", "StartQuery"):
        raise ParamValidationError(report="Missing required parameter")


def test_a_client_is_made_once_with_timeouts_and_retries() -> None:
    made: list[tuple[str, Any]] = []
    clients = Clients(Reach("eu-west-1"), lambda service, **given: made.append((service, given)) or service)
    assert [clients.of("logs"), clients.of("logs"), clients.of("xray")] == ["logs", "logs", "xray"]
    assert [service for service, _ in made] == ["logs", "xray"]
    clients.of("logs", 1)
    assert [given["config"].retries["total_max_attempts"] for _, given in made] == [session.ATTEMPTS, session.ATTEMPTS, 1]
    config = made[0][1]["config"]
    assert made[0][1]["region_name"] == "eu-west-1"
    assert (config.connect_timeout, config.read_timeout) == (session.CONNECT_SECONDS, session.READ_SECONDS)
    assert config.retries == {"mode": "standard", "total_max_attempts": session.ATTEMPTS}


class Sts:
    """Gives out credentials that end soon."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.asked = seconds, list[dict[str, Any]]()

    def assume_role(self, **asked: Any) -> Any:
        self.asked.append(asked)
        ends = datetime.now(UTC) + timedelta(seconds=self.seconds)
        keys = {"AccessKeyId": f"key-{len(self.asked)}", "SecretAccessKey": "secret", "SessionToken": "token", "Expiration": ends}
        return {"Credentials": keys, "AssumedRoleUser": {"Arn": f"{ROLE}/x"}}


class Own:
    """Our own credentials, and the one client that they are used for."""

    def __init__(self, sts: Sts) -> None:
        self._sts, self.regions = sts, list[str]()

    def get_credentials(self) -> Any:
        from botocore.credentials import Credentials

        return Credentials("own", "secret")

    def create_client(self, service: str, region_name: str, **_: Any) -> Sts:
        assert service == "sts"
        self.regions.append(region_name)
        return self._sts


def credentials(sts: Sts, reach: Reach) -> Any:
    return session._AssumedRole(Own(sts), reach).load_credentials()


def test_another_account_is_read_by_an_assumed_role_with_its_external_id() -> None:
    sts = Sts(3600)
    found = credentials(sts, Reach("eu-west-1", "444455556666", ROLE, "tenant-7", "superbiz-run 1/2"))
    assert sts.asked == []
    assert found.get_frozen_credentials().access_key == "key-1"
    assert sts.asked == [{"RoleArn": ROLE, "RoleSessionName": "superbiz-run-1-2", "ExternalId": "tenant-7"}]


def test_credentials_that_end_are_renewed(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    found = credentials(sts := Sts(60), Reach("eu-west-1", role_arn=ROLE))
    assert [found.get_frozen_credentials().access_key for _ in range(2)] == ["key-1", "key-2"]
    assert "ExternalId" not in sts.asked[0]


def test_the_session_of_a_role_has_the_roles_credentials_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "own")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    own, other = (session._session_for(Reach("eu-west-1", role_arn=role)).__self__ for role in (None, ROLE))  # type: ignore[attr-defined]
    assert own.get_credentials().method == "env"
    assert other.get_credentials().method == "assume-role"


def test_a_subject_is_what_the_notice_says() -> None:
    notice = AlarmNotice(event_id="e", via="eventbridge", alarm_name="cpu", alarm_arn="arn:…", account="111122223333", region="eu-west-1",
                         state=AlarmState.ALARM, description="CPU is high", occurred_at=datetime(2026, 5, 19, 14, tzinfo=UTC),
                         metrics=(AlarmMetric(dimensions={"A": "x", "B": "y"}), AlarmMetric(dimensions={"A": "x"})))  # fmt: skip
    subject = Subject.of_notice(notice)
    assert (subject.alarm_name, subject.region, subject.account, subject.question) == ("cpu", "eu-west-1", "111122223333", "CPU is high")
    assert subject.resources == ("x", "y")


@pytest.mark.parametrize("workers", [1, 4])
def test_results_stand_in_the_order_of_their_items(workers: int) -> None:
    assert each(lambda n: n * n, range(20), workers) == [n * n for n in range(20)]
