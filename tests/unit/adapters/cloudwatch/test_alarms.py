"""Alarms of a live account: as they stand, as they changed, and what is behind them."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.adapters.cloudwatch import alarms
from superbiz.adapters.cloudwatch.session import Clients, Limits
from superbiz.domain.observations import AlarmChange, AlarmListing
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable
from support.fake_account import FakeAccount

NOW = datetime(2026, 5, 19, 15, 0, tzinfo=UTC)
WINDOW = Window(start=NOW - timedelta(minutes=30), end=NOW)
Json = dict[str, Any]


def metric_alarm(name: str, state: str = "OK", **fields: Any) -> Json:
    return {
        "AlarmName": name,
        "AlarmArn": f"arn:aws:cloudwatch:eu-west-1:111122223333:alarm:{name}",
        "StateValue": state,
        "StateReason": "Threshold Crossed",
        "StateTransitionedTimestamp": NOW - timedelta(minutes=5),
        "StateUpdatedTimestamp": NOW,
        "Namespace": "AWS/RDS",
        "MetricName": "CPUUtilization",
        "Dimensions": [{"Name": "DBInstanceIdentifier", "Value": "orders"}],
        "Statistic": "Average",
        "Period": 60,
    } | fields


def composite(name: str, rule: str, state: str = "ALARM") -> Json:
    return {
        "AlarmName": name,
        "AlarmArn": f"arn:aws:cloudwatch:eu-west-1:111122223333:alarm:{name}",
        "AlarmRule": rule,
        "StateValue": state,
    }


class Alarms:
    """DescribeAlarms over these, by name, type and state."""

    def __init__(self, *rows: Json) -> None:
        self.rows = rows

    def __call__(self, request: Json) -> Json:
        (kind,) = request["AlarmTypes"]
        wanted = [
            r
            for r in self.rows
            if ("AlarmRule" in r, "ScheduledQueryConfiguration" in r) == (kind == "CompositeAlarm", kind == "LogAlarm")
            and r["AlarmName"] in request.get("AlarmNames", [r["AlarmName"]])
            and r["StateValue"] == request.get("StateValue", r["StateValue"])
        ]
        return {f"{kind}s": wanted}


def clients(*rows: Json) -> Clients:
    return FakeAccount({("cloudwatch", "DescribeAlarms"): Alarms(*rows)}).clients()


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        ("ALARM(cpu)", ("cpu",)),
        ("ALARM(\"cpu high\") AND (OK(disk) OR INSUFFICIENT_DATA('net (eu)'))", ("cpu high", "disk", "net (eu)")),
        ("NOT ALARM(arn:aws:cloudwatch:eu-west-1:111122223333:alarm:cpu)", ("cpu",)),
        ('ALARM("a \\"quoted\\" one")', ('a "quoted" one',)),
        ("ALARM(cpu) OR ALARM(cpu)", ("cpu",)),
        ("AT_LEAST(2, ALARM, (ALARM(a), ALARM(b)))", ("a", "b")),
        ("TRUE", ()),
        ("", ()),
    ],
)
def test_a_composite_alarms_rule_names_its_children(rule: str, names: tuple[str, ...]) -> None:
    assert alarms.children(rule) == names


@given(st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=50).filter(lambda t: not t.startswith("arn:")))
def test_any_quoted_name_is_read_back(name: str) -> None:
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    assert alarms.children(f'ALARM("{quoted}") AND OK("other")') == tuple(dict.fromkeys([name, "other"]))


def test_a_composite_alarm_has_the_metrics_of_its_childrens_children() -> None:
    rows = (composite("top", "ALARM(middle) OR ALARM(top)"), composite("middle", "ALARM(cpu)"), metric_alarm("cpu"))
    found = alarms.family(clients(*rows), "top")
    assert [row["AlarmName"] for row in found.definitions] == ["top", "middle", "cpu"]
    assert [(m.metric_name, m.dimensions) for m in found.metrics] == [("CPUUtilization", {"DBInstanceIdentifier": "orders"})]
    assert found.notes == ()


def test_metric_math_has_the_metrics_at_its_leaves() -> None:
    def leaf(name: str) -> Json:
        return {
            "Id": name.lower(),
            "MetricStat": {"Metric": {"Namespace": "AWS/Lambda", "MetricName": name, "Dimensions": []}, "Period": 60, "Stat": "Sum"},
        }

    row = metric_alarm("rate", Metrics=[{"Id": "e", "Expression": "errors/invocations"}, leaf("Errors"), leaf("Invocations")])
    for key in ("Namespace", "MetricName", "Dimensions", "Statistic", "Period"):
        del row[key]
    assert [(m.metric_name, m.stat, m.period) for m in alarms.metrics_of(row)] == [("Errors", "Sum", 60), ("Invocations", "Sum", 60)]


def test_an_alarm_on_a_query_says_that_its_metrics_can_not_be_told() -> None:
    row = metric_alarm("query", Metrics=[{"Id": "q", "Expression": 'SELECT MAX(CPUUtilization) FROM "AWS/EC2"'}], MetricName="")
    del row["MetricName"]
    assert alarms.family(clients(row), "query").notes == ("alarm query is evaluated from a query; its metrics can not be told",)


def log_alarm(*groups: str) -> Json:
    query = {
        "QueryString": "fields @message",
        "ScheduledQueryRoleARN": "arn:aws:iam::111122223333:role/x",
        "AggregationExpression": "count(*)",
        "ScheduleConfiguration": {"ScheduleExpression": "rate(5 minutes)", "StartTimeOffset": 300},
        "LogGroupIdentifiers": list(groups),
    }
    return {"AlarmName": "lines", "StateValue": "ALARM", "ScheduledQueryConfiguration": query}


def test_an_alarm_on_logs_names_the_groups_that_its_query_reads() -> None:
    row = log_alarm("arn:aws:logs:eu-west-1:111122223333:log-group:/shop/web:*", "/shop/api")
    found = alarms.family(clients(row), "lines")
    assert alarms.log_groups_of(found.own) == ("/shop/web", "/shop/api")
    assert found.notes == ()


def test_an_alarm_of_another_account_is_told_as_missing() -> None:
    assert alarms.family(clients(), "gone").notes == ("alarm gone is not in this account and region",)
    with pytest.raises(SourceUnavailable, match="not in this account") as missing:
        alarms.subject_of(clients(), "gone")
    assert missing.value.code == "NOT_FOUND"


def test_a_subject_is_made_of_an_alarms_name() -> None:
    found = alarms.subject_of(clients(metric_alarm("cpu", "ALARM", AlarmDescription="CPU of the orders database")), "cpu")
    assert (found.alarm_name, found.region, found.account, found.resources) == ("cpu", "eu-west-1", "111122223333", ("orders",))
    assert found.occurred_at == NOW - timedelta(minutes=5)
    assert found.question == "CPU of the orders database"


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 5, 19, 14, 0, tzinfo=UTC),
        datetime(2026, 5, 19, 22, 0, tzinfo=timezone(timedelta(hours=8))),
        datetime(2026, 5, 19, 14, 0),  # noqa: DTZ001 - as AWS means it
    ],
)
def test_a_time_of_any_zone_is_told_in_utc(moment: datetime) -> None:
    told = alarms.changed_at(metric_alarm("cpu", StateTransitionedTimestamp=moment))
    assert told is not None
    assert told.isoformat() == "2026-05-19T14:00:00+00:00"


def test_an_alarm_is_dated_by_its_transition_and_not_by_its_last_update() -> None:
    assert alarms.changed_at(metric_alarm("cpu")) == NOW - timedelta(minutes=5)
    row = metric_alarm("cpu")
    del row["StateTransitionedTimestamp"]
    assert alarms.changed_at(row) == NOW


def test_alarms_that_are_on_stand_first_and_the_named_one_is_among_them() -> None:
    rows = (metric_alarm("a"), metric_alarm("b", "ALARM"), composite("c", "ALARM(b)"))
    found = alarms.rows(clients(*rows), ["b"], Limits())
    assert [row["AlarmName"] for row in found.rows] == ["b", "c", "a"]


def test_alarms_beyond_the_limit_are_told() -> None:
    account = FakeAccount({("cloudwatch", "DescribeAlarms"): lambda r: {"MetricAlarms": [metric_alarm("a")], "NextToken": "t"}
                           if "MetricAlarm" in r["AlarmTypes"] else {"CompositeAlarms": []}})  # fmt: skip
    found = alarms.rows(account.clients(), ["named"], Limits(alarms=200))
    assert "alarms: only 2 were listed of the MetricAlarms" in found.partial


def history_item(name: str, minutes: int, old: str, new: str, data: str | None = None) -> Json:
    told = {"version": "1.0", "oldState": {"stateValue": old}, "newState": {"stateValue": new, "stateReason": "because"}}
    return {
        "AlarmName": name,
        "AlarmType": "MetricAlarm",
        "Timestamp": NOW - timedelta(minutes=minutes),
        "HistoryItemType": "StateUpdate",
        "HistorySummary": f"Alarm updated from {old} to {new}",
        "HistoryData": json.dumps(told) if data is None else data,
    }


def test_history_is_read_of_all_alarms_and_longer_of_the_own() -> None:
    items = [history_item("cpu", 5, "OK", "ALARM"), history_item("cpu", 60, "ALARM", "OK")]
    account = FakeAccount({("cloudwatch", "DescribeAlarmHistory"): {"AlarmHistoryItems": items}})
    found = alarms.history(account.clients(), ["cpu"], WINDOW, Limits())
    assert [(c.from_, c.to, c.reason) for c in found.rows] == [("ALARM", "OK", "because"), ("OK", "ALARM", "because")]
    asked = account.requests("cloudwatch", "DescribeAlarmHistory")
    assert [(r.get("AlarmName"), r["StartDate"]) for r in asked] == [
        ("cpu", NOW - timedelta(days=14)),
        (None, WINDOW.start - timedelta(hours=3)),
        (None, WINDOW.start - timedelta(hours=3)),
    ]


@pytest.mark.parametrize("data", ['{"oldState":{"sta', "[]", '{"newState":"odd"}', ""])
def test_history_data_that_aws_cut_off_falls_back_to_the_summary(data: str) -> None:
    account = FakeAccount(
        {("cloudwatch", "DescribeAlarmHistory"): {"AlarmHistoryItems": [history_item("cpu", 5, "OK", "ALARM", data or "{}")]}}
    )
    (change, *_) = alarms.history(account.clients(), [], WINDOW, Limits()).rows
    assert (change.from_, change.to) == ("OK", "ALARM")


def change(minutes: int, to: str, alarm: str = "cpu") -> AlarmChange:
    return AlarmChange(timestamp=NOW - timedelta(minutes=minutes), alarm=alarm, from_="", to=to)


@pytest.mark.parametrize(
    ("changes", "was"),
    [
        ([change(10, "ALARM")], True),
        ([change(60, "ALARM")], True),
        ([change(60, "ALARM"), change(40, "OK")], False),
        ([change(10, "OK")], False),
        ([change(10, "ALARM", "other")], False),
        ([], False),
    ],
)
def test_whether_an_alarm_was_on_in_a_window_is_told_by_its_history(changes: list[AlarmChange], was: bool) -> None:
    assert alarms.in_alarm(AlarmListing(history=tuple(changes)), "cpu", WINDOW) is was


@pytest.mark.parametrize(("operation", "read"), [
    ("DescribeAlarms", lambda c: alarms.rows(c, [], Limits())),
    ("DescribeAlarmHistory", lambda c: alarms.history(c, [], WINDOW, Limits())),
])  # fmt: skip
def test_a_denied_reading_names_the_missing_action(operation: str, read: Any) -> None:
    with pytest.raises(SourceUnavailable, match=f"AccessDenied: cloudwatch:{operation}"):
        read(FakeAccount({}).clients())


def test_an_alarm_that_was_put_is_listed(moto_clients: Clients) -> None:
    """Against moto's own CloudWatch, which knows nothing of our answers."""
    moto_clients.of("cloudwatch").put_metric_alarm(
        AlarmName="cpu", Namespace="AWS/RDS", MetricName="CPUUtilization", Statistic="Average", Period=60, EvaluationPeriods=3,
        Threshold=80.0, ComparisonOperator="GreaterThanThreshold", Dimensions=[{"Name": "DBInstanceIdentifier", "Value": "orders"}],
    )  # fmt: skip
    moto_clients.of("cloudwatch").set_alarm_state(AlarmName="cpu", StateValue="ALARM", StateReason="Threshold Crossed")
    found = alarms.listing_of(alarms.rows(moto_clients, ["cpu"], Limits()).rows, ())
    assert [(a.name, a.state, a.metric, a.dimensions) for a in found.alarms] == [
        ("cpu", "ALARM", "CPUUtilization", {"DBInstanceIdentifier": "orders"})
    ]
    assert alarms.subject_of(moto_clients, "cpu").metrics[0].period == 60
