"""The event of an alarm, made again: `alarms.parse` reads it as it reads the real one."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from superbiz.adapters.cloudwatch.event import NOT_FOUND, event_of
from superbiz.domain import alarms
from superbiz.domain.incidents import AlarmNotice, AlarmState
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable
from support.fake_account import DENIED, FakeAccount
from support.recorded import recorded

END = datetime(2026, 7, 8, 23, 10, tzinfo=UTC)
WINDOW = Window(start=END - timedelta(minutes=45), end=END)
ARN = "arn:aws:cloudwatch:eu-west-1:111122223333:alarm:orders-latency"
PLAIN = {
    "AlarmName": "orders-latency", "AlarmArn": ARN, "AlarmDescription": "slow orders", "StateValue": "OK", "StateReason": "fine now",
    "StateUpdatedTimestamp": END, "StateTransitionedTimestamp": END - timedelta(minutes=2), "Namespace": "AWS/ECS",
    "MetricName": "CPUUtilization", "ExtendedStatistic": "p99", "Period": 60, "Dimensions": [{"Name": "ServiceName", "Value": "orders"}],
}  # fmt: skip
OF_ONE_METRIC = {"Namespace", "MetricName", "ExtendedStatistic", "Period", "Dimensions"}
MATH = {key: value for key, value in PLAIN.items() if key not in OF_ONE_METRIC} | {
    "Metrics": [
        {"Id": "e1", "Expression": "m1/m2", "Label": "rate", "ReturnData": True},
        {"Id": "m1", "ReturnData": False, "MetricStat": {"Metric": {"Namespace": "Shop", "MetricName": "Errors", "Dimensions": []},
                                                         "Period": 60, "Stat": "Sum"}},
    ]
}  # fmt: skip
COMPOSITE = {"AlarmName": "orders-latency", "AlarmArn": ARN, "StateValue": "ALARM", "StateReason": "child", "AlarmRule": "ALARM(child)",
             "StateUpdatedTimestamp": END - timedelta(minutes=3)}  # fmt: skip


def changed(minutes: float, to: str = "ALARM", before: str = "OK", data: Any = None) -> dict[str, Any]:
    told = {"oldState": {"stateValue": before}, "newState": {"stateValue": to, "stateReason": f"at {minutes}", "stateReasonData": data}}
    return {"AlarmName": "orders-latency", "Timestamp": END - timedelta(minutes=minutes), "HistoryData": json.dumps(told)}


def account(definition: dict[str, Any] | None = PLAIN, *history: dict[str, Any]) -> FakeAccount:
    kind = "CompositeAlarms" if definition and "AlarmRule" in definition else "MetricAlarms"

    def describe(request: dict[str, Any]) -> dict[str, Any]:
        asked = request["AlarmTypes"] == ["CompositeAlarm"]
        return (
            {kind: [definition]}
            if definition and asked == (kind == "CompositeAlarms") and "orders-latency" in request["AlarmNames"]
            else {}
        )

    return FakeAccount(
        {("cloudwatch", "DescribeAlarms"): describe, ("cloudwatch", "DescribeAlarmHistory"): {"AlarmHistoryItems": list(history)}}
    )


def notice(given: FakeAccount) -> AlarmNotice:
    found = alarms.parse(event_of(given.clients(), "orders-latency", WINDOW), stack_name="")
    assert isinstance(found, AlarmNotice)
    return found


def test_the_first_change_to_alarm_in_the_window_is_the_event():
    data = {"threshold": 0.5, "recentDatapoints": [0.9, 1.1]}
    found = notice(account(PLAIN, changed(2, "OK", "ALARM"), changed(10), changed(30, data=data), changed(31, "OK"), changed(60 * 24)))
    assert (found.state, found.previous_state, found.reason) == (AlarmState.ALARM, AlarmState.OK, "at 30")
    assert found.occurred_at == END - timedelta(minutes=30)
    assert (found.threshold, found.recent_datapoints) == (0.5, (0.9, 1.1))
    assert (found.alarm_arn, found.account, found.region, found.via) == (ARN, "111122223333", "eu-west-1", "eventbridge")


def test_an_alarm_that_was_on_before_the_window_has_its_last_change():
    assert notice(account(PLAIN, changed(60), changed(600))).reason == "at 60"


@pytest.mark.parametrize("history", [[], [{"AlarmName": "x", "HistoryData": "{cut off"}]], ids=["none", "cut off by AWS"])
def test_without_a_change_the_alarm_is_told_as_it_stands(history: list[dict[str, Any]]):
    found = notice(account(PLAIN, *history))
    assert (found.state, found.reason, found.occurred_at) == (AlarmState.OK, "fine now", END - timedelta(minutes=2))


def test_a_history_that_is_denied_is_done_without():
    given = account()
    given._answers["cloudwatch", "DescribeAlarmHistory"] = DENIED
    assert notice(given).state is AlarmState.OK


def test_metric_and_dimensions_come_along():
    (metric,) = notice(account(PLAIN, changed(5))).metrics
    assert (metric.namespace, metric.metric_name, metric.stat, metric.period) == ("AWS/ECS", "CPUUtilization", "p99", 60)
    assert metric.dimensions == {"ServiceName": "orders"}


def test_metric_math_is_told_by_its_metrics():
    (metric,) = notice(account(MATH, changed(5))).metrics
    assert (metric.namespace, metric.metric_name) == ("Shop", "Errors")


def test_a_composite_alarm_is_told_by_its_rule():
    event = event_of(account(COMPOSITE).clients(), "orders-latency", WINDOW)
    assert event["detail"]["configuration"] == {"description": "", "alarmRule": "ALARM(child)"}


def test_an_alarm_that_is_not_there_is_not_found():
    with pytest.raises(SourceUnavailable, match="it is not in region eu-west-1") as refused:
        event_of(account(None).clients(), "orders-latency", WINDOW)
    assert refused.value.code == NOT_FOUND


def test_the_event_has_every_field_of_a_real_one():
    real = json.loads((recorded("payloads") / "cw_eventbridge_single_metric.json").read_text())
    made = event_of(account(PLAIN, changed(5, data={"version": "1.0"})).clients(), "orders-latency", WINDOW)
    assert (set(made), set(made["detail"])) == (set(real), set(real["detail"]))
    assert isinstance(made["detail"]["state"]["reasonData"], str)
    assert made["detail"]["state"]["timestamp"] == "2026-07-08T23:05:00.000+0000"
