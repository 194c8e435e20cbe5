"""A live account as an evidence source: everything is read once, refusals are told with the missing action, and a diagnosis comes of it."""

import weakref
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from superbiz.adapters.cloudwatch import source as module
from superbiz.adapters.cloudwatch.actions import ACTIONS
from superbiz.adapters.cloudwatch.session import Limits, Subject, action
from superbiz.adapters.cloudwatch.source import CloudWatchSource
from superbiz.domain import alarms
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.incidents import AlarmMetric, AlarmNotice
from superbiz.domain.observations import Series
from superbiz.domain.values import Window
from superbiz.ports import EvidenceSource, SourceUnavailable
from superbiz.tools import reading
from support import live_shop
from support.fake_account import DENIED, FakeAccount
from support.live_shop import ALARM, CHANGED, FAULT, NOW

LIMITS = Limits(workers=1, traces=20)
COARSE = 300  # seconds of a period, where many accounts are read whole
HOUR = timedelta(hours=1)


def notice() -> AlarmNotice:
    found = alarms.parse(live_shop.TRIGGER, stack_name="superbiz")
    assert isinstance(found, AlarmNotice)
    return found


def live(account: FakeAccount, subject: Subject | None = None, now: datetime = NOW, limits: Limits = LIMITS) -> CloudWatchSource:
    return CloudWatchSource(account.clients(), subject or Subject.of_notice(notice()), now, limits, lambda: now)


def coarse() -> Subject:
    """The same alarm by a longer period."""
    given = Subject.of_notice(notice())
    return replace(given, metrics=tuple(m.model_copy(update={"period": COARSE}) for m in given.metrics))


def read_all(source: EvidenceSource) -> dict[str, Any]:
    """Each reading as its tool makes it: what it gave, or the refusal."""
    window = source.window()
    assert window is not None
    wide = Window(start=window.start - reading.LOOKBACK, end=window.end + reading.AFTERMATH)
    reads = {
        "alarms": source.alarms,
        "metrics": lambda: source.metrics(wide),
        "normal_metrics": source.normal_metrics,
        "service_map": source.service_map,
        "logs": lambda: source.logs(window),
        "normal_logs": source.normal_logs,
        "traces": lambda: source.traces(window),
        "normal_traces": source.normal_traces,
        "changes": lambda: source.changes(None),
    }
    found: dict[str, Any] = {}
    for name, read in reads.items():
        try:
            found[name] = read()
        except SourceUnavailable as e:
            found[name] = e
    return found


def told(source: EvidenceSource, found: dict[str, Any]) -> str:
    """All sentences that a run gets to see."""
    partial = [sentence for category in ToolCategory for sentence in source.partial(category)]
    return "\n".join([*source.unusable(), *partial, *(str(v) for v in found.values() if isinstance(v, SourceUnavailable))])


def named(series: list[Series] | Any, metric: str, subject: str, stat: str = "Sum") -> Series:
    return next(s for s in series if s.metric_name == metric and subject in s.dimensions.values() and s.stat == stat)


def test_everything_is_read() -> None:
    source = live(live_shop.account())
    found = read_all(source)
    assert not [v for v in found.values() if isinstance(v, SourceUnavailable)]
    errors = named(found["metrics"], "Errors", "pay")
    assert max(v for t, v in zip(errors.timestamps, errors.values, strict=True) if t < FAULT) == 0
    assert min(v for t, v in zip(errors.timestamps, errors.values, strict=True) if t >= FAULT) > 100
    assert {s.name: s.calls for s in found["service_map"]} == {"api": ("pay",), "pay": ("orders",), "orders": ()}
    assert [(a.name, a.state) for a in found["alarms"].alarms] == [(ALARM, "ALARM")]
    assert {line.log_group for line in found["logs"]} == {live_shop.GROUP}
    assert {span.service for span in found["traces"]} == {"pay", "orders"}
    assert [(c.name, c.actor) for c in found["changes"]] == [("UpdateTable", "anna")]
    assert source.partial(ToolCategory.METRIC) == source.partial(ToolCategory.LOG) == ()


def test_nothing_is_asked_twice() -> None:
    account = live_shop.account()
    source = live(account, coarse())
    read_all(source)
    asked = len(account.asked)
    read_all(source)
    assert len(account.asked) == asked


def test_a_window_within_one_that_was_read_is_not_asked_again() -> None:
    account = live_shop.account()
    source = live(account)
    read_all(source)
    asked = len(account.asked)
    inner = Window(start=FAULT, end=FAULT + timedelta(minutes=5))
    assert {t for s in source.metrics(inner) for t in s.timestamps} == {FAULT + n * live_shop.MINUTE for n in range(5)}
    assert all(inner.start.timestamp() * 1000 <= line.timestamp < inner.end.timestamp() * 1000 for line in source.logs(inner))
    assert len(account.asked) == asked


OPERATIONS = sorted(key for key in live_shop.answers() if key[1] != "StopQuery")


def test_nothing_is_asked_that_the_role_may_not() -> None:
    account = live_shop.account()
    source = live(account, coarse())
    read_all(source)
    asked = {(service, operation) for service, operation, _ in account.asked}
    assert asked <= {(a.service, a.operation) for a in ACTIONS}
    assert asked >= set(OPERATIONS) - UNASKED


# Answered for whoever asks, but not asked about an alarm on a function: the account's scaling, its databases.
UNASKED = {
    ("autoscaling", "DescribeScalingActivities"),
    ("application-autoscaling", "DescribeScalingActivities"),
    ("rds", "DescribeDBInstances"),
}


@pytest.mark.parametrize(("service", "operation"), [o for o in OPERATIONS if o not in UNASKED])
def test_a_denied_operation_is_told_by_its_action_and_hides_nothing_else(service: str, operation: str) -> None:
    answers = live_shop.answers() | {(service, operation): DENIED}
    source = live(FakeAccount(answers), coarse())
    found = read_all(source)
    assert f"AccessDenied: {action(service, operation)}" in told(source, found)
    refused = {name for name, v in found.items() if isinstance(v, SourceUnavailable)}
    assert refused == REFUSED.get(operation, set())
    for name in refused:
        assert found[name].code == "ACCESS_DENIED"


# What can not be read at all without an operation; the others are done without.
REFUSED = {
    "DescribeAlarms": {"alarms"},
    "StartQuery": {"logs"},
    "GetQueryResults": {"logs"},
    "DescribeLogGroups": {"logs"},
    "GetServiceGraph": {"service_map"},
    "GetTraceSummaries": {"traces"},
    "BatchGetTraces": {"traces"},
}


def test_an_account_that_denies_everything_refuses_everything_with_a_reason() -> None:
    source = live(FakeAccount({}))
    found = read_all(source)
    reference = {"normal_metrics", "normal_logs", "normal_traces"}
    assert all(isinstance(v, SourceUnavailable) and "AccessDenied" in v.why for name, v in found.items() if name not in reference)
    assert found["normal_logs"] is found["normal_traces"] is None


def test_the_same_hours_of_the_day_before_and_of_the_week_before_are_normal() -> None:
    account = live_shop.account()
    source = live(account)
    found = source.normal_metrics()
    assert found is not None
    window = source.window()
    days = {t.date() for t in named(found, "Errors", "pay").timestamps}
    assert days == {(NOW - timedelta(days=d)).date() for d in (1, 7)}
    asked = {(r["StartTime"], r["EndTime"]) for r in account.requests("cloudwatch", "GetMetricData")}
    for back in (timedelta(days=1), timedelta(days=7)):
        assert any(start <= window.start - back - HOUR + live_shop.MINUTE and end >= window.end - back + HOUR for start, end in asked)
    assert not any(window.start <= t < window.end for s in found for t in s.timestamps)


def test_a_count_that_is_zero_on_ordinary_days_has_an_ordinary_day() -> None:
    """CloudWatch has no datapoint where nothing was throttled; without zeros nothing would be there to compare with."""
    found = live(live_shop.account()).normal_metrics()
    assert found is not None
    throttled = named(found, "WriteThrottleEvents", "orders")
    assert len(throttled.values) > 100
    assert set(throttled.values) == {0.0}


def test_hours_in_which_the_alarm_was_on_are_not_normal() -> None:
    def history(request: dict[str, Any]) -> dict[str, Any]:
        items = [(CHANGED - timedelta(days=1, minutes=5), "OK", "ALARM"), (CHANGED - timedelta(hours=23), "ALARM", "OK")]
        rows = [
            {"AlarmName": ALARM, "Timestamp": t, "HistoryItemType": "StateUpdate", "HistorySummary": f"Alarm updated from {a} to {b}"}
            for t, a, b in items
        ]
        return {"AlarmHistoryItems": rows}

    account = FakeAccount(live_shop.answers() | {("cloudwatch", "DescribeAlarmHistory"): history})
    source = live(account)
    found = source.normal_metrics()
    assert found is not None
    assert {t.date() for t in named(found, "Errors", "pay").timestamps} == {(NOW - timedelta(days=7)).date()}
    assert any("were not taken for normal: pay-errors was in ALARM then" in note for note in source.unusable())


def test_logs_of_the_day_before_are_what_logs_are_compared_with() -> None:
    source = live(live_shop.account())
    normal = source.normal_logs()
    assert normal is not None
    assert {datetime.fromtimestamp(line.timestamp / 1000, UTC).date() for line in normal} == {(NOW - timedelta(days=1)).date()}
    assert not [line for line in normal if "ERROR" in line.message]


def test_without_a_day_before_there_is_nothing_normal() -> None:
    account = FakeAccount(live_shop.answers() | {("xray", "GetTraceSummaries"): {"TraceSummaries": []}})
    source = live(account)
    assert source.normal_traces() is None
    assert source.traces(None) == ()


def subject(**fields: Any) -> Subject:
    return Subject("a", "eu-west-1", "111122223333") if not fields else Subject("a", "eu-west-1", "111122223333", **fields)


@pytest.mark.parametrize(
    ("about", "start", "end"),
    [
        (subject(occurred_at=CHANGED), CHANGED - timedelta(minutes=30), NOW),
        (subject(occurred_at=NOW - timedelta(hours=9)), NOW - timedelta(hours=9, minutes=30), NOW - timedelta(hours=7)),
        (subject(occurred_at=NOW + HOUR), NOW - timedelta(minutes=30), NOW),
        (subject(occurred_at=CHANGED, metrics=(AlarmMetric(period=3600),)), CHANGED - 3 * HOUR, NOW),
        (Subject(question="why?"), NOW - HOUR, NOW),
        (subject(occurred_at=CHANGED, window=Window(start=NOW - 5 * HOUR, end=NOW - 4 * HOUR)), NOW - 5 * HOUR, NOW - 4 * HOUR),
    ],
)
def test_the_window_begins_before_the_alarm_and_ends_now_or_soon_after_it(about: Subject, start: datetime, end: datetime) -> None:
    source = live(FakeAccount({}), about)
    assert (source.window().start, source.window().end) == (start, end)


@pytest.mark.parametrize("now", [NOW, NOW.astimezone(timezone(timedelta(hours=8))), NOW.replace(tzinfo=None)])
def test_the_clock_is_utc_whatever_zone_it_is_given_in(now: datetime) -> None:
    source = CloudWatchSource(FakeAccount({}).clients(), subject(occurred_at=CHANGED.replace(tzinfo=None)), now, LIMITS)
    assert source.now().isoformat() == "2026-05-19T15:00:00+00:00"
    assert source.window() == Window(start=CHANGED - timedelta(minutes=30), end=NOW)


def test_an_old_incident_is_read_by_periods_that_are_still_kept() -> None:
    account = live_shop.account()
    source = CloudWatchSource(account.clients(), Subject.of_notice(notice()), NOW, LIMITS, lambda: NOW + timedelta(days=30))
    source.metrics(None)
    periods = {q["MetricStat"]["Period"] for r in account.requests("cloudwatch", "GetMetricData") for q in r["MetricDataQueries"]}
    assert periods == {300}
    assert {"RecentlyActive" in r for r in account.requests("cloudwatch", "ListMetrics")} == {False}


def test_a_question_is_about_what_it_names() -> None:
    account = live_shop.account()
    source = live(account, Subject(question="why does the function `pay` fail?", region="eu-west-1"))
    found = read_all(source)
    assert named(found["metrics"], "Errors", "pay")
    assert found["logs"]


def test_a_question_that_names_nothing_is_about_the_alarms_that_are_on() -> None:
    source = live(live_shop.account(), Subject(question="what is wrong?", region="eu-west-1"))
    assert named(source.metrics(None), "Errors", "pay")


def test_no_log_group_is_a_missing_source_and_no_empty_one() -> None:
    account = FakeAccount(live_shop.answers() | {("logs", "DescribeLogGroups"): {"logGroups": []}})
    with pytest.raises(SourceUnavailable, match="no log group of pay"):
        live(account).logs(None)


def test_without_xray_there_is_no_map_but_metrics() -> None:
    account = FakeAccount(live_shop.answers() | {("xray", "GetServiceGraph"): {"Services": []}})
    source = live(account)
    with pytest.raises(SourceUnavailable, match="X-Ray has seen no service"):
        source.service_map()
    assert named(source.metrics(None), "Errors", "pay")


def test_ties_that_definitions_tell_are_on_the_map() -> None:
    mapping = {"EventSourceMappings": [{"EventSourceArn": "arn:aws:sqs:eu-west-1:111122223333:jobs"}]}
    account = FakeAccount(live_shop.answers() | {("lambda", "ListEventSourceMappings"): mapping})
    assert {s.name: s.calls for s in live(account).service_map()}["jobs"] == ("pay",)


def test_runbooks_are_asked_elsewhere() -> None:
    with pytest.raises(SourceUnavailable, match="knowledge base"):
        live(FakeAccount({})).runbooks()


def test_what_was_read_is_priced() -> None:
    source = live(live_shop.account(), coarse())
    assert source.cost().evidence == 0
    read_all(source)
    assert 0 < source.cost().evidence < 0.01


def test_tallies_are_kept_by_source() -> None:
    source = live(FakeAccount({}))
    kept = weakref.WeakKeyDictionary({source: 1})
    assert kept[source] == 1
    assert len({source, live(FakeAccount({}))}) == 2


def test_several_requests_at_once_give_the_same() -> None:
    one, many = (read_all(live(live_shop.account(), coarse(), limits=Limits(workers=w, traces=20))) for w in (1, 8))
    assert one == many


def test_the_time_before_the_window_is_what_the_tools_ask_for() -> None:
    assert module.LOOKBACK == reading.LOOKBACK
