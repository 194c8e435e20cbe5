"""Alarm events of every form become one kind of notice, or are dropped with a reason; nothing raises."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.domain import alarms
from superbiz.domain.alarms import Dropped
from superbiz.domain.incidents import AlarmNotice, AlarmState
from superbiz.domain.values import JsonObject
from support import alarm_events as events
from support.recorded import recorded

STACK = "superbiz"
RANG_AT = datetime(2026, 7, 8, 23, 6, 0, 125_000, tzinfo=UTC)


def notice(event: Any) -> AlarmNotice:
    found = alarms.parse(event, stack_name=STACK)
    assert isinstance(found, AlarmNotice), found
    return found


def dropped(event: Any) -> Dropped:
    found = alarms.parse(event, stack_name=STACK)
    assert isinstance(found, Dropped), found
    return found


ONE_ALARM = {
    "eventbridge": events.eventbridge(),
    "lambda action": events.lambda_action(),
    "sns raw": events.sns_message(),
    "sns envelope": events.sns_envelope(),
    "sns records": events.sns_records(),
    "sqs records around sns": events.sqs_records(events.sns_envelope()),
    "sqs records around eventbridge": events.sqs_records(events.eventbridge()),
}


@pytest.mark.parametrize("event", ONE_ALARM.values(), ids=ONE_ALARM.keys())
def test_every_form_of_one_change_says_the_same(event: dict[str, Any]) -> None:
    found = notice(event)
    assert (found.alarm_name, found.alarm_arn, found.account, found.region) == (events.NAME, events.ARN, events.ACCOUNT, events.REGION)
    assert (found.state, found.previous_state, found.occurred_at) == (AlarmState.ALARM, AlarmState.OK, RANG_AT)
    (metric,) = found.metrics
    assert (metric.namespace, metric.metric_name, metric.stat, metric.period) == ("Shop", "Errors", "Sum", 60)
    assert metric.dimensions == {"Service": "order-service"}
    assert found.threshold == 5.0
    assert found.reason == events.REASON
    assert not found.muted


def test_one_alarm_is_one_incident_whichever_way_it_came() -> None:
    assert len({alarms.incident_id(notice(event)) for event in ONE_ALARM.values()}) == 1


def test_the_senders_id_names_the_event_and_one_is_derived_where_there_is_none() -> None:
    assert notice(events.eventbridge()).event_id == "5f0b6c9e-7a63-4a58-9d57-4f1f6a4f0001"
    assert notice(events.sns_envelope()).event_id == "95df01b4-ee98-5cb9-9903-4c221d41eb5e"
    action = notice(events.lambda_action())
    assert action.event_id == notice(events.lambda_action()).event_id
    later = events.lambda_action(alarmData=events.changed_to("ALARM", at="2026-07-08T23:20:00.000+0000")["detail"])
    assert notice(later).event_id != action.event_id


def test_a_contributor_is_an_incident_of_its_own() -> None:
    one, other = notice(events.contributor("a")), notice(events.contributor("b"))
    assert (one.contributor, one.previous_state, one.metrics) == ("a", None, ())
    assert len({alarms.incident_id(n) for n in (one, other, notice(events.eventbridge()))}) == 3
    by_sns = notice(events.sns_message(AlarmContributorId="a", AlarmContributorAttributes={"TableName": "orders"}))
    assert alarms.incident_id(by_sns) == alarms.incident_id(one)


def test_a_composite_alarm_has_no_metrics_and_no_threshold() -> None:
    for event in (events.composite(), events.sns_message(Trigger=None, AlarmRule="ALARM(a)")):
        found = notice(event)
        assert (found.metrics, found.threshold, found.recent_datapoints) == ((), None, ())


def test_metric_math_names_the_metrics_it_is_made_of() -> None:
    assert [m.metric_name for m in notice(events.metric_math()).metrics] == ["Errors", "Requests"]
    stat = {
        "Metric": {"Dimensions": [{"value": "o", "name": "S"}], "MetricName": "Errors", "Namespace": "Shop"},
        "Period": 60,
        "Stat": "Sum",
    }
    by_sns = notice(events.sns_message(Trigger={"Metrics": [{"Id": "e1", "Expression": "m1"}, {"Id": "m1", "MetricStat": stat}]}))
    assert [(m.metric_name, m.dimensions) for m in by_sns.metrics] == [("Errors", {"S": "o"})]


def test_reason_data_may_be_a_json_string_an_object_absent_or_rubbish() -> None:
    def with_data(data: Any) -> AlarmNotice:
        return notice(events.eventbridge(state={"value": "ALARM", "timestamp": events.RANG_AT} | ({"reasonData": data} if data else {})))

    for given_data in (json.dumps(events.REASON_DATA), events.REASON_DATA):
        assert (with_data(given_data).threshold, with_data(given_data).recent_datapoints) == (5.0, (27.0,))
    for rubbish in (None, "{", "[1]", 7, {"threshold": "high", "recentDatapoints": ["x", None, True, 3]}):
        assert with_data(rubbish).threshold is None
        assert with_data(rubbish).reason == ""


def test_a_muted_alarm_is_told_as_muted_but_a_wait_period_is_undecided() -> None:
    assert notice(events.muted()).muted
    assert notice(events.composite(actionsSuppressedBy="Alarm")).muted
    assert notice(events.composite(actionsSuppressedBy="ExtensionPeriod")).muted
    assert not notice(events.composite(actionsSuppressedBy="WaitPeriod")).muted


def test_the_region_is_the_arns_even_where_sns_sends_a_display_name() -> None:
    assert notice(events.sns_message()).region == "eu-west-1"
    assert notice(events.sns_envelope(events.sns_message(AlarmArn=None))).region == "eu-west-1"  # the topic's
    bare = notice(events.sns_message(AlarmArn=None))
    assert bare.region == "EU (Ireland)"
    assert bare.alarm_arn.endswith(f":alarm:{events.NAME}")


def test_an_alarm_of_another_account_is_that_accounts() -> None:
    shared = notice(events.eventbridge() | {"account": "999999999999", "region": "us-east-1"})
    assert (shared.account, shared.region) == (events.ACCOUNT, events.REGION)
    assert alarms.incident_id(shared) == alarms.incident_id(notice(events.eventbridge()))


def test_times_come_with_any_spelling_of_the_offset() -> None:
    for spelling in (
        "2026-07-08T23:06:00.125+0000",
        "2026-07-08T23:06:00.125Z",
        "2026-07-09T01:06:00.125+02:00",
        "2026-07-08T23:06:00.125",
    ):
        assert notice(events.changed_to("ALARM", at=spelling)).occurred_at == RANG_AT


def test_an_unusable_time_falls_back_to_the_envelope_then_to_the_arrival() -> None:
    assert notice(events.changed_to("ALARM", at="soon")).occurred_at == datetime(2026, 7, 8, 23, 6, tzinfo=UTC)
    timeless = events.changed_to("ALARM", at="soon") | {"time": None}
    assert "without a usable time" in dropped(timeless).reason
    arrived = alarms.parse(timeless, stack_name=STACK, received_at=RANG_AT)
    assert isinstance(arrived, AlarmNotice)
    assert arrived.occurred_at == RANG_AT


def test_what_is_no_state_change_is_dropped_with_a_reason() -> None:
    assert "configuration" in dropped(events.configuration_change()).reason
    assert "aws.ec2" in dropped({"source": "aws.ec2", "detail-type": "EC2 Instance State-change Notification", "id": "e1"}).reason
    assert dropped({"source": "aws.ec2", "id": "e1"}).event_id == "e1"
    assert "no known form" in dropped({}).reason
    assert "no known form" in dropped(events.sns_envelope("hello")).reason
    assert "without the alarm's name" in dropped(events.eventbridge(alarmName="")).reason
    assert "'BROKEN'" in dropped(events.changed_to("BROKEN")).reason
    assert "255" in dropped(events.eventbridge(alarmName="x" * 256)).reason


def test_the_stacks_own_alarms_are_dropped() -> None:
    for own in (
        events.eventbridge(alarmName="superbiz-api-errors"),
        events.eventbridge(alarmTags={"aws:cloudformation:stack-name": "superbiz"}),
        events.sns_message(AlarmName="superbiz-api-errors"),
        events.lambda_action(alarmData=events.eventbridge(alarmName="superbiz-dlq")["detail"]),
    ):
        assert "stack itself" in dropped(own).reason
    assert notice(events.eventbridge(alarmName="superbizarre-errors"))
    assert notice(events.eventbridge(alarmTags={"aws:cloudformation:stack-name": "shop"}))


def test_several_records_are_several_events_and_a_flood_in_one_message_is_none() -> None:
    two = events.sns_records(events.sns_envelope(MessageId="a"), events.sns_envelope(MessageId="b"))
    assert [notice(e).event_id for e in alarms.unpack(two)] == ["a", "b"]
    nested = events.sqs_records(two, events.eventbridge())
    assert len(alarms.unpack(nested)) == 3
    flood = events.sqs_records(*[events.eventbridge()] * 101)
    assert alarms.unpack(flood) == (flood,)
    assert dropped(flood)


# REQ-097: the query of a run that an alarm started is the alarm's summary.
def test_the_summary_names_alarm_change_metric_and_reason_first() -> None:
    said = alarms.summary(notice(events.eventbridge()))
    assert said.startswith(f"Alarm {events.NAME} went from OK to ALARM at 2026-07-08T23:06:00.125000Z in eu-west-1 (account 111122223333).")
    for part in ("Sum of Shop/Errors over 60 s for Service=order-service", "Threshold: crossed 5.", events.REASON, "Orders fail"):
        assert part in said
    assert alarms.summary(notice(events.composite())).startswith(f"Alarm {events.NAME}")
    assert "6d442278dba546f6" in alarms.summary(notice(events.contributor()))


def test_the_summary_fits_a_query_whatever_the_alarm_says() -> None:
    wordy = events.eventbridge(state={"value": "ALARM", "reason": "r" * 9_000, "timestamp": events.RANG_AT})
    assert len(alarms.summary(notice(wordy))) == 2_000


def test_lone_surrogates_do_not_get_into_a_notice() -> None:
    found = notice(events.eventbridge(alarmName="orders\ud800", state={"value": "ALARM", "reason": "\udfff", "timestamp": events.RANG_AT}))
    assert alarms.incident_id(found)
    found.model_dump_json().encode("utf-8")


def test_recorded_payloads_are_told_apart() -> None:
    payloads = recorded("payloads")
    verdicts = {}
    for path in sorted(payloads.glob("*.json")):
        found = alarms.parse(json.loads(path.read_text(encoding="utf-8")), stack_name=STACK)
        verdicts[path.stem] = isinstance(found, AlarmNotice)
    told = {name for name, is_alarm in verdicts.items() if is_alarm}
    assert {n for n in told if n.startswith("cw_")} == {"cw_eventbridge_single_metric", "cw_sns_single_metric"}
    assert {n for n in told if not n.startswith("cw_")} == {n for n in verdicts if n.startswith(("alertmanager", "grafana"))}


def alertmanager(**fields: Any) -> JsonObject:
    labels = {"alertname": "KubePodCrashLooping", "severity": "critical", "namespace": "billing", "pod": "renderer-6c9d7f7b9f-w2hkd"}
    alert = {"status": "firing", "labels": labels, "annotations": {"summary": "Pod is crash looping."}, "startsAt": "2026-11-30T04:10:00Z"}
    return {"version": "4", "status": "firing", "alerts": [alert | {"fingerprint": "a1b2c3d4e5f6a7b8"}]} | fields


def test_an_alertmanager_webhook_is_an_alarm_whose_labels_are_its_dimensions() -> None:
    found = notice(alertmanager())
    assert (found.alarm_name, found.state, found.via) == ("KubePodCrashLooping", AlarmState.ALARM, "alertmanager")
    assert found.metrics[0].dimensions == {"namespace": "billing", "pod": "renderer-6c9d7f7b9f-w2hkd"}
    assert "Labels: namespace=billing, pod=renderer-6c9d7f7b9f-w2hkd." in alarms.summary(found)


def test_a_resolved_alert_is_no_alarm_and_has_the_same_incident() -> None:
    resolved = alertmanager(status="resolved")
    resolved["alerts"] = [{**resolved["alerts"][0], "status": "resolved"}]
    found = notice(resolved)
    assert found.state is AlarmState.OK
    assert alarms.incident_id(found) == alarms.incident_id(notice(alertmanager()))


@pytest.mark.parametrize(
    "alerts", [None, [], "x", [None], [{"labels": 1}], [{"labels": {}}], [{"labels": {"alertname": 7}, "startsAt": {}}]]
)
def test_a_webhook_of_rubbish_is_dropped_with_a_reason(alerts: Any) -> None:
    found = alarms.parse(alertmanager(alerts=alerts), stack_name=STACK)
    assert isinstance(found, Dropped)
    assert found.reason


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from([10**400, "ALARM", "\ud800"])
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4), max_leaves=12
)
FORMS = st.sampled_from(
    [
        events.eventbridge,
        events.contributor,
        events.composite,
        events.metric_math,
        events.muted,
        events.lambda_action,
        events.sns_message,
        events.sns_envelope,
        events.sns_records,
        lambda: events.sqs_records(events.eventbridge(), events.sns_envelope()),
    ]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = put(value[path[0]], path[1:], new)
    return copied


@given(FORMS, st.data())
@settings(max_examples=300, deadline=None)
def test_an_event_with_anything_anywhere_is_a_notice_or_dropped(form: Any, data: st.DataObject) -> None:
    event = form()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from([p for p in places(event) if p]))
        event = put(event, place, data.draw(JSON))
    found = alarms.parse(event, stack_name=STACK)
    if isinstance(found, AlarmNotice):
        assert alarms.incident_id(found)
        assert 0 < len(alarms.summary(found)) <= 2_000
        found.model_dump_json().encode("utf-8")
    else:
        assert found.reason


@given(st.dictionaries(st.sampled_from(["source", "detail-type", "detail", "alarmData", "Records", "Message", "NewStateValue", "x"]), JSON))
@settings(max_examples=200, deadline=None)
def test_any_object_is_a_notice_or_dropped(event: dict[str, Any]) -> None:
    assert alarms.parse(event, stack_name=STACK)
    assert alarms.unpack(event)
