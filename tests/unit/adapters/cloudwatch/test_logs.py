"""Logs Insights: every line once, within the limits, and never a query that is left running."""

import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.adapters.cloudwatch import logs
from superbiz.adapters.cloudwatch.logs import LogGroup, Scanned
from superbiz.adapters.cloudwatch.queries import Only
from superbiz.adapters.cloudwatch.session import Found, Limits
from superbiz.domain.observations import LogLine
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable
from support.fake_account import DENIED, FakeAccount, refusal
from support.insights import Insights, Line, row

START = datetime(2026, 5, 19, 14, 0, tzinfo=UTC)
WINDOW = Window(start=START, end=START + timedelta(minutes=30))
BEGIN = int(START.timestamp() * 1000)
APP, WEB = "/aws/lambda/app", "/ecs/web"


class Clock:
    """Time that passes only while somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def pause(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def read(insights: Insights, *groups: LogGroup, limits: Limits | None = None, scanned: Scanned | None = None, clock: Clock | None = None,
         window: Window = WINDOW) -> Found[LogLine]:  # fmt: skip
    clock = clock or Clock()
    clients = FakeAccount(insights.answers()).clients()
    return logs.read(clients, groups, window, limits or Limits(), scanned or Scanned(), clock.pause, lambda: clock.now)


def lines(count: int, group: str = APP, step: float = 100.0) -> list[Line]:
    return [Line(group, BEGIN + int(n * step), f"line {n}") for n in range(count)]


def messages(found: Found[LogLine]) -> list[str]:
    return [line.message for line in found.rows]


def test_a_row_is_told_with_its_group_stream_time_and_raw_text() -> None:
    found = read(Insights([Line(WEB, BEGIN + 1234, "GET /a?b=c 200", "web/web/1")]), LogGroup(WEB))
    assert found.rows == (LogLine(WEB, "web/web/1", BEGIN + 1234, "GET /a?b=c 200"),)
    assert found.partial == ()


def test_the_window_is_half_open() -> None:
    ends = [Line(APP, BEGIN - 1, "before"), Line(APP, BEGIN, "first"), Line(APP, int(WINDOW.end.timestamp() * 1000), "after")]
    assert messages(read(Insights(ends), LogGroup(APP))) == ["first"]


def test_up_to_fifty_groups_share_a_query() -> None:
    insights = Insights([])
    read(insights, *(LogGroup(f"/ecs/{n}") for n in range(51)))
    assert [len(asked["logGroupNames"]) for asked in insights.started] == [50, 1]


def test_a_group_that_is_younger_than_the_window_is_not_asked() -> None:
    insights = Insights(lines(1))
    read(insights, LogGroup(APP), LogGroup(WEB, created=int(WINDOW.end.timestamp() * 1000) + 1))
    assert [asked["logGroupNames"] for asked in insights.started] == [[APP]]


def test_a_narrowed_group_has_a_query_of_its_own() -> None:
    insights = Insights([])
    read(insights, LogGroup(APP), LogGroup("/aws/containerinsights/prod/application", only=(Only("namespace", "shop"),)))
    assert ["kubernetes.namespace_name" in asked["queryString"] for asked in insights.started] == [False, True]


def test_more_than_ten_thousand_lines_are_paged_by_time() -> None:
    insights = Insights(lines(10_600, step=160))
    found = read(insights, LogGroup(APP))
    assert messages(found) == [f"line {n}" for n in range(10_600)]
    assert found.partial == ()
    assert [asked["queryString"][-5:] for asked in insights.started] == ["10000", "10000"]


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_ROWS", 500)


@given(st.lists(st.integers(0, 30 * 60 * 1000 - 1), max_size=400), st.integers(40, 90))
@settings(max_examples=40, deadline=None)
def test_every_line_is_read_once_however_they_are_spread(times: list[int], page: int) -> None:
    """Unless one second holds more than a page, which is said."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logs, "MOST_ROWS", page)
        insights = Insights([Line(APP, BEGIN + t, f"{n}") for n, t in enumerate(times)])
        found = read(insights, LogGroup(APP))
    whole = sorted(messages(found)) == sorted(str(n) for n in range(len(times)))
    assert whole or any("one second has more" in sentence for sentence in found.partial)
    assert len(set(messages(found))) == len(found.rows)


@pytest.mark.usefixtures("small_pages")
def test_a_second_with_more_than_a_page_is_told_and_passed() -> None:
    busy = [Line(APP, BEGIN, f"busy {n}") for n in range(501)]
    found = read(Insights([*busy, Line(APP, BEGIN + 60_000, "later")]), LogGroup(APP))
    assert len(found.rows) == 501
    assert messages(found)[-1] == "later"
    assert any("one second has more than 500 lines" in sentence for sentence in found.partial)


@pytest.mark.usefixtures("small_pages")
def test_more_lines_than_the_limit_are_sampled_over_the_whole_window_and_said() -> None:
    insights = Insights(lines(9_000, step=200))
    found = read(insights, LogGroup(APP), limits=Limits(log_lines=4_000))
    assert 3_000 <= len(found.rows) <= 4_000
    assert found.rows[-1].timestamp > BEGIN + 25 * 60_000
    assert any("sample" in sentence for sentence in found.partial)


@pytest.mark.usefixtures("small_pages")
def test_a_chatty_group_does_not_hide_a_quiet_one() -> None:
    insights = Insights([*lines(9_000, WEB, step=200), *(Line(APP, BEGIN + n * 60_000, f"quiet {n}") for n in range(30))])
    found = read(insights, LogGroup(WEB), LogGroup(APP), limits=Limits(log_lines=4_000))
    assert [line.message for line in found.rows if line.log_group == APP] == [f"quiet {n}" for n in range(30)]


def test_no_more_queries_run_at_once_than_allowed() -> None:
    insights = Insights([], polls=2)
    groups = [LogGroup(f"/g/{n}", only=(Only("namespace", f"n{n}"),)) for n in range(9)]
    read(insights, *groups, limits=Limits(log_queries=3))
    assert len(insights.started) == 9
    assert insights.most_running == 3


def test_an_account_that_runs_all_its_queries_is_waited_for() -> None:
    insights = Insights(lines(3), polls=1, most_at_once=1)
    groups = [LogGroup(APP), LogGroup(WEB, only=(Only("namespace", "n"),))]
    assert len(read(insights, *groups).rows) == 3
    assert len(insights.started) == 2


def test_starts_that_are_throttled_are_waited_for() -> None:
    insights, clock = Insights(lines(2)), Clock()
    answers = insights.answers()
    start, crowded = answers["logs", "StartQuery"], refusal("ThrottlingException", "Rate exceeded")
    answers["logs", "StartQuery"] = lambda request: start(request) if clock.now > 2 else crowded(request)
    found = logs.read(FakeAccount(answers).clients(), [LogGroup(APP)], WINDOW, Limits(), Scanned(), clock.pause, lambda: clock.now)
    assert len(found.rows) == 2


def test_a_narrowing_that_finds_nothing_is_no_sign_of_absence() -> None:
    found = read(Insights([]), LogGroup("/aws/containerinsights/prod/application", only=(Only("namespace", "shop"),)))
    assert "read for namespace shop alone" in found.partial[0]


def test_other_peoples_queries_are_waited_for_no_longer_than_the_limit() -> None:
    with pytest.raises(SourceUnavailable, match="longer than 120 s"):
        read(Insights([], most_at_once=0), LogGroup(APP))


def test_polling_backs_off() -> None:
    clock = Clock()
    read(Insights(lines(1), polls=6), LogGroup(APP), clock=clock)
    assert clock.waits == sorted(clock.waits)
    assert logs.FIRST_WAIT < clock.waits[-1] <= logs.LONGEST_WAIT


def test_a_query_beyond_the_cap_of_bytes_is_stopped_and_its_lines_so_far_are_kept() -> None:
    insights, scanned = Insights(lines(100), polls=9, bytes_a_poll=2**30), Scanned()
    found = read(insights, LogGroup(APP), limits=Limits(log_bytes=3 * 2**30), scanned=scanned)
    assert insights.stopped == ["q1"]
    assert len(found.rows) == 50
    assert scanned.bytes == 3 * 2**30
    assert found.partial == ("logs: 3.0 GB were scanned, which is all that a run may; the rest was not read",)


def test_a_spent_cap_asks_nothing() -> None:
    insights, scanned = Insights(lines(1)), Scanned()
    scanned.bytes = 2.0**40
    with pytest.raises(SourceUnavailable, match="all that a run may"):
        read(insights, LogGroup(APP), scanned=scanned)
    assert insights.started == []


def test_a_reading_ends_at_its_deadline_with_what_was_found() -> None:
    insights = Insights(lines(100), polls=10_000)
    found = read(insights, LogGroup(APP), limits=Limits(log_seconds=10))
    assert insights.stopped == ["q1"]
    assert len(found.rows) == 50
    assert "longer than 10 s" in found.partial[0]


def test_an_interruption_leaves_no_query_running() -> None:
    insights = Insights(lines(1), polls=10)

    def interrupted(_seconds: float) -> None:
        raise KeyboardInterrupt

    clients = FakeAccount(insights.answers()).clients()
    with pytest.raises(KeyboardInterrupt):
        logs.read(clients, [LogGroup(APP)], WINDOW, Limits(), Scanned(), interrupted, lambda: 0.0)
    assert insights.stopped == ["q1"]
    assert not insights.running


@pytest.mark.parametrize("status", ["Failed", "Cancelled", "Timeout", "Unknown"])
def test_a_query_that_does_not_complete_is_told_as_read_in_part(status: str) -> None:
    line = Line(APP, BEGIN, "one")
    answers = {
        ("logs", "StartQuery"): {"queryId": "q"},
        ("logs", "GetQueryResults"): {"status": status, "results": [row(0, line)], "statistics": {}},
    }
    found = logs.read(FakeAccount(answers).clients(), [LogGroup(APP)], WINDOW, Limits(), Scanned(), Clock().pause)
    assert messages(found) == ["one"]
    assert status in found.partial[0]


def test_a_denied_query_names_the_missing_action() -> None:
    with pytest.raises(SourceUnavailable, match="AccessDenied: logs:StartQuery") as refused:
        read(Insights([], refused={APP: ("AccessDeniedException", "no")}), LogGroup(APP))
    assert refused.value.code == "ACCESS_DENIED"


def test_one_group_that_is_denied_does_not_hide_the_others() -> None:
    found = read(Insights(lines(2, WEB), refused={APP: ("AccessDeniedException", "no")}), LogGroup(APP), LogGroup(WEB))
    assert messages(found) == ["line 0", "line 1"]
    assert found.partial == (f"logs of {APP}: AccessDenied: logs:StartQuery",)


def test_a_group_that_was_deleted_meanwhile_does_not_hide_the_others() -> None:
    found = read(Insights(lines(2, WEB), refused={APP: ("ResourceNotFoundException", "gone")}), LogGroup(APP), LogGroup(WEB))
    assert len(found.rows) == 2
    assert "ResourceNotFoundException" in found.partial[0]


def test_a_time_before_a_groups_retention_holds_nothing() -> None:
    message = "Query's end date and time is either before the log groups creation time or exceeds the log groups log retention settings"
    found = read(Insights([], refused={APP: ("MalformedQueryException", message)}), LogGroup(APP))
    assert found == Found()


def test_results_that_are_denied_end_the_reading() -> None:
    answers = {("logs", "StartQuery"): {"queryId": "q"}, ("logs", "GetQueryResults"): DENIED, ("logs", "StopQuery"): {"success": True}}
    account = FakeAccount(answers)
    with pytest.raises(SourceUnavailable, match="AccessDenied: logs:GetQueryResults"):
        logs.read(account.clients(), [LogGroup(APP)], WINDOW, Limits(), Scanned(), Clock().pause)
    assert account.requests("logs", "StopQuery") == [{"queryId": "q"}]


@pytest.mark.usefixtures("small_pages")
def test_a_failure_after_some_lines_is_told_as_read_in_part() -> None:
    insights = Insights([*lines(1_000, step=1_000)])
    answers = insights.answers()
    results, fail = answers["logs", "GetQueryResults"], refusal("ServiceUnavailableException", "later")
    answers["logs", "GetQueryResults"] = lambda request: results(request) if len(insights.started) < 2 else fail(request)
    found = logs.read(FakeAccount(answers).clients(), [LogGroup(APP)], WINDOW, Limits(), Scanned(), Clock().pause)
    assert len(found.rows) == 500
    assert "the rest was not read" in found.partial[0]


def wrapped(text: str, **fields: object) -> str:
    return json.dumps({"log": text + "\n", "stream": "stdout"} | fields)


@pytest.mark.parametrize(
    ("message", "path", "text"),
    [
        (wrapped("boom", kubernetes={"namespace_name": "shop", "container_name": "c", "labels": {"app": "cart"}}), "/shop/cart", "boom"),
        (wrapped("boom", kubernetes={"namespace_name": "shop", "container_name": "c"}), "/shop/c", "boom"),
        (wrapped("boom", kubernetes={"labels": "odd"}), "", "boom"),
        (wrapped("boom", ecs_task_arn="arn:…", container_name="web"), "/web", "boom"),
        ('{"level":"info","log":"mine"}', "", '{"level":"info","log":"mine"}'),
        ('{"kubernetes"', "", '{"kubernetes"'),
        ('{"kubernetes":1,"log":{"a":1}}', "", '{"kubernetes":1,"log":{"a":1}}'),
    ],
)
def test_a_containers_line_is_unwrapped_and_its_workload_is_told(message: str, path: str, text: str) -> None:
    group = "/aws/containerinsights/prod/application"
    found = read(Insights([Line(group, BEGIN, message)]), LogGroup(group))
    assert [(line.log_group, line.message) for line in found.rows] == [(group + path, text)]


def test_a_lines_time_is_utc_wherever_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "Asia/Shanghai")
        time.tzset()
        found = read(Insights([Line(APP, BEGIN, "one")]), LogGroup(APP))
    time.tzset()
    assert [line.timestamp for line in found.rows] == [BEGIN]


def test_a_row_without_a_time_is_no_line() -> None:
    answers = {
        ("logs", "StartQuery"): {"queryId": "q"},
        ("logs", "GetQueryResults"): {"status": "Complete", "results": [[{"field": "@message", "value": "x"}]], "statistics": {}},
    }
    assert logs.read(FakeAccount(answers).clients(), [LogGroup(APP)], WINDOW, Limits(), Scanned(), Clock().pause).rows == ()


def seconds(slices: Sequence[logs.Slice]) -> list[tuple[int, int]]:
    return [(s.start, s.end) for s in slices]


@given(st.integers(0, 10_000), st.integers(1, 40))
def test_parts_cover_their_slice_without_a_gap(length: int, count: int) -> None:
    parts = seconds(list(logs._parts(logs.Slice((APP,), 100, 100 + length, 1), count)))
    assert parts[0][0] == 100
    assert parts[-1][1] == 100 + length
    assert all(a[1] == b[0] for a, b in pairwise(parts))
    assert len(parts) <= count
