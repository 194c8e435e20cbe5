"""Which account a run reads, and with which role."""

from datetime import timedelta
from typing import Any

import pytest

from superbiz import wiring
from superbiz.adapters.cloudwatch.deployed import source_of, subject_of
from superbiz.adapters.cloudwatch.reaching import Home, clients_for, reach_of
from superbiz.adapters.cloudwatch.session import Reach, Subject
from superbiz.domain.runs import RunRecord
from superbiz.ports import SourceUnavailable
from superbiz.settings import Settings
from support.builders import NOW, build_record, build_request, build_run

HOME = Home("eu-west-1", "111122223333", session="shop")
ABROAD = HOME._replace(role_name="evidence/superbiz", external_id="a-word")


def alarm_event(account: str = "111122223333", region: str = "eu-west-1") -> dict[str, Any]:
    return {
        "id": "e-1",
        "detail-type": "CloudWatch Alarm State Change",
        "source": "aws.cloudwatch",
        "account": account,
        "region": region,
        "time": "2026-07-08T23:00:00Z",
        "resources": [f"arn:aws:cloudwatch:{region}:{account}:alarm:orders-latency"],
        "detail": {
            "alarmName": "orders-latency",
            "state": {"value": "ALARM", "reason": "high", "timestamp": "2026-07-08T23:00:00.000+0000"},
            "configuration": {
                "metrics": [
                    {
                        "metricStat": {
                            "metric": {"namespace": "AWS/ECS", "name": "CPUUtilization", "dimensions": {"ServiceName": "orders"}},
                            "period": 60,
                            "stat": "Average",
                        }
                    }
                ]
            },
        },
    }


def record(trigger: dict[str, Any] | None = None, query: str = "Why are orders slow?") -> RunRecord:
    return build_record(build_run(), request=build_request(query=query, trigger=trigger))


@pytest.mark.parametrize(
    ("subject", "home", "reach"),
    [
        (Subject(), HOME, Reach("eu-west-1", "111122223333", session_name="shop")),
        (Subject(region="us-east-1", account="111122223333"), HOME, Reach("us-east-1", "111122223333", session_name="shop")),
        (Subject(region="US East (N. Virginia)"), HOME, Reach("eu-west-1", "111122223333", session_name="shop")),
        (Subject(region="us-east-1", account="grafana"), HOME, Reach("us-east-1", "111122223333", session_name="shop")),
        (
            Subject(region="us-east-1", account="444455556666"),
            ABROAD,
            Reach("us-east-1", "444455556666", "arn:aws:iam::444455556666:role/evidence/superbiz", "a-word", "shop"),
        ),
        (
            Subject(region="cn-north-1", account="444455556666"),
            ABROAD._replace(external_id=""),
            Reach("cn-north-1", "444455556666", "arn:aws-cn:iam::444455556666:role/evidence/superbiz", None, "shop"),
        ),
    ],
    ids=["a question", "another region", "a region's display name", "no AWS account", "another account", "another partition"],
)
def test_the_alarms_account_and_region_are_read(subject: Subject, home: Home, reach: Reach):
    assert reach_of(subject, home) == reach


def test_another_account_without_a_role_says_what_to_set():
    with pytest.raises(SourceUnavailable, match=r"no role to read account 444455556666 with: deploy with EvidenceRoleName"):
        reach_of(Subject(account="444455556666"), HOME)


def test_clients_are_made_once_an_account_and_region():
    assert clients_for(Subject(), HOME) is clients_for(Subject(question="another"), HOME)
    assert clients_for(Subject(region="us-east-1"), HOME) is not clients_for(Subject(), HOME)


def test_a_run_about_an_alarm_is_about_its_metrics():
    subject = subject_of(record(alarm_event()), HOME)
    assert (subject.alarm_name, subject.account, subject.resources) == ("orders-latency", "111122223333", ("orders",))


def test_a_question_is_about_the_stacks_own_account():
    subject = subject_of(record(), HOME)
    assert (subject.region, subject.account, subject.question) == ("eu-west-1", "111122223333", "Why are orders slow?")


def test_every_source_of_an_account_without_a_role_tells_what_to_set():
    source = source_of(record(alarm_event(account="444455556666")), HOME)
    told = set()
    for read in (
        source.metrics,
        source.logs,
        source.traces,
        source.changes,
        lambda _window: source.alarms(),
        lambda _window: source.service_map(),
    ):
        with pytest.raises(SourceUnavailable, match="EvidenceRoleName") as refused:
            read(None)
        told.add(refused.value.what)
    assert told == {"metrics", "log groups", "traces", "changes", "alarms", "service map"}


# REQ-060: the functions that may not read evidence ask the source for its clock and window alone.
@pytest.mark.parametrize("trigger", [None, alarm_event(), alarm_event(account="444455556666")], ids=["question", "alarm", "foreign alarm"])
def test_clock_and_window_need_no_aws(trigger: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_given: Any, **_named: Any) -> Any:
        raise AssertionError("a client was made")

    monkeypatch.setattr("boto3.Session", refuse)
    ports = wiring.on_aws(Settings(table_name="t", bucket_name="b"))
    first, second = (ports.evidence(record(trigger)) for _ in range(2))
    assert first.now() == second.now() == NOW
    assert first.window() == second.window()
    assert first.window().end <= NOW
    assert first.window().start >= NOW - timedelta(hours=3)
