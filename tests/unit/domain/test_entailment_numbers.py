"""Labels, units, zones and languages: a true claim over other tools' records passes, its changed twin does not."""

from typing import Any

import pytest

from superbiz.domain import canonical
from superbiz.domain.claims import Claim, ClaimType
from superbiz.domain.entailment import Cited, Entailment, judge, known_in
from superbiz.domain.reading import numerals, quantities, times
from superbiz.domain.verification import CheckResult, Expressible


def cited(node: Any) -> Cited:
    text = node if isinstance(node, str) else canonical.dumps(node)
    return Cited(text[:400], text, {}, {})


def said(text: str, evidence: Cited) -> Entailment:
    return judge(Claim(claim_id="c1", claim_text=text, claim_type=ClaimType.OBSERVATION, critical=True), [evidence], known_in([evidence]))


JOBS = cited("worker-4 processed 310 jobs, 12 failed, 3 timeouts and 5 retries in the last 10 minutes")
USERS = cited({"service": "users", "requests": 4820, "errors": 361, "p99_ms": 2840, "p50_ms": 118})
CONNECTIONS = cited({"DBInstanceIdentifier": "users-db", "MetricName": "DatabaseConnections", "Maximum": 500.0, "Minimum": 38.0})
ALARM = cited("users-5xx: 1 datapoint [87.0 (04/03/26 11:18:00)] was greater than the threshold (25.0).")
HEAP = cited({"service": "feeds", "series": "heap", "before": 1.2e9, "after": 3.9e9, "unit": "bytes"})
RATE = cited({"service": "edge", "code": "503", "rate_per_second": 42.7, "baseline_rate_per_second": 0.6})
LINE = cited("2026-03-04 19:31:07 +0800 WARN depot - stock sync lag 340s exceeds 60s, 1,204 items pending")
POOL = cited("2026-03-04T11:22:30Z ERROR [cart] connection pool exhausted, request timed out after 30000 ms, rejected 318 tasks")
CHINESE = cited({"服务": "订单服务", "内容": "数据库连接池耗尽，等待 30 秒后超时，活跃连接 80 个"})
THROTTLE = cited({"service": "thumbs", "errors": 14, "throttles": 0})
SEEN = cited({"project": "tax", "issue": "NullPointerException", "firstSeen": "2026-03-04T11:01:00Z", "lastSeen": "2026-03-04T11:44:00Z"})
LINK = cited({"host": "edge-2", "interface": "eth0", "rx_mbps": 940, "tx_mbps": 112})

PAIRS = (
    ("a label after the number", "worker-4 saw 3 timeouts and 5 retries", "worker-4 saw 5 timeouts and 3 retries", JOBS),
    ("a part and its whole", "12 of the 310 jobs of worker-4 failed", "310 of the 12 jobs of worker-4 failed", JOBS),
    ("of which", "users had 4,820 requests, 361 of which were errors", "users had 361 requests, 4,820 of which were errors", USERS),
    ("two percentiles", "p99 of users was 2840 ms and p50 was 118 ms", "p99 of users was 118 ms and p50 was 2840 ms", USERS),
    ("an end of a range", "users-db had a minimum of 38 connections", "users-db had a minimum of 500 connections", CONNECTIONS),
    ("a threshold", "The datapoint 87 was above the threshold of 25", "The datapoint 25 was above the threshold of 87", ALARM),
    ("before and after", "Heap of feeds grew from 1.2 GB to 3.9 GB", "Heap of feeds grew from 3.9 GB to 1.2 GB", HEAP),
    ("a factor in words", "Heap of feeds tripled from 1.2 GB to 3.9 GB", "Heap of feeds doubled from 1.2 GB to 3.9 GB", HEAP),
    ("a rate", "The rate of edge rose to 42.7 per second", "The rate of edge rose to 42.7 per minute", RATE),
    ("a former value", "The rate of edge was 42.7 per second", "The rate of edge was 0.6 per second", RATE),
    ("a zone", "depot had 1204 items pending at 11:31:07 UTC", "depot had 1204 items pending at 11:31:07 EST", LINE),
    ("a city's time", "depot had 1204 items pending at 19:31 Beijing time", "depot had 1204 items pending at 19:31 UTC", LINE),
    ("rounded thousands", "1.2k items of depot were pending", "12k items of depot were pending", LINE),
    ("a zero", "thumbs was not throttled", "thumbs was throttled", THROTTLE),
    ("a failure", "cart requests timed out", "cart requests did not time out", POOL),
    ("first and last", "NullPointerException in tax was first seen at 11:01", "NullPointerException in tax was last seen at 11:01", SEEN),
    ("bits", "edge-2 received 940 Mbps", "edge-2 received 940 MB/s", LINK),
    ("an unknown service", "users's p99 was 2.84 s", "shipping's p99 was 2.84 s", USERS),
    ("Chinese over English", "cart 的连接池耗尽，请求在 30 秒后超时", "cart 的连接池没有耗尽，请求在 30 秒后超时", POOL),
    ("a Chinese count", "cart 拒绝了 318 个任务", "cart 拒绝了 381 个任务", POOL),
    ("a Chinese direction", "feeds 的堆内存从 1.2 GB 增长到 3.9 GB", "feeds 的堆内存从 1.2 GB 下降到 3.9 GB", HEAP),
    ("a Chinese time", "depot 在北京时间 19点31分 有 1204 items pending",
     "depot 在北京时间 18点31分 有 1204 items pending", LINE),
    ("English over Chinese", "The database connection pool was exhausted with 80 active connections",
     "The database connection pool was exhausted with 30 active connections", CHINESE),
)  # fmt: skip


@pytest.mark.parametrize(("true", "evidence"), [(t, e) for _, t, _, e in PAIRS], ids=[p[0] for p in PAIRS])
def test_a_true_claim_is_supported(true: str, evidence: Cited) -> None:
    # REQ-070
    found = said(true, evidence)
    assert found.result is CheckResult.SUPPORTED, found.reason


@pytest.mark.parametrize(("false", "evidence"), [(f, e) for _, _, f, e in PAIRS], ids=[p[0] for p in PAIRS])
def test_its_changed_twin_is_not(false: str, evidence: Cited) -> None:
    # REQ-070
    assert said(false, evidence).expressible is Expressible.NONE


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("三次", 3), ("二十三个", 23), ("一百二十万条", 1_200_000), ("百分之九十五", 95), ("三分之一", 1 / 3),
        ("一半", 0.5), ("五分钟", 5),
        ("twenty-three errors", 23), ("twice", 2), ("three hundred requests", 300), ("the third attempt", 3),
    ],
)  # fmt: skip
def test_numbers_in_words_are_read(text: str, value: float) -> None:
    assert [n.value for n in numerals.in_text(text)] == [pytest.approx(value)]


@pytest.mark.parametrize(
    ("text", "day", "clock"),
    [
        ("14:05 Beijing time", None, (6, 5)), ("北京时间 14:05", None, (6, 5)), ("14:05（北京时间）", None, (6, 5)),
        ("下午2点05分", None, (14, 5)),
        ("2:15 AM PST", None, (10, 15)),
        ("14:05 UTC+8", None, (6, 5)), ("2026年3月4日 23:30 UTC-05:00", "2026-03-05", (4, 30)),
        ("2026-03-04T11:47:09-05:00", "2026-03-04", (16, 47)), ("11/Jun/2026:03:44:02 +0000", "2026-06-11", (3, 44)),
    ],
)  # fmt: skip
def test_zones_and_forms_of_time_are_read(text: str, day: str | None, clock: tuple[int, int]) -> None:
    found = next(times.in_text(text))
    assert (found.day, found.clock) == (day, clock)


def test_a_zone_that_means_two_is_met_by_either() -> None:
    found = next(times.in_text("14:05 CST"))
    assert [times.same(found, next(times.in_text(t))) for t in ("06:05Z", "20:05Z", "14:05Z")] == [True, True, False]


def test_a_range_of_clocks_is_no_offset() -> None:
    assert [m.clock for m in times.in_text("11:00-12:00")] == [(11, 0), (12, 0)]


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1.8 万", "18432", True), ("1.26M", "126 万", True), ("6 GiB", "6291456 kB", True), ("940 Mbps", "0.94 Gbps", True),
        ("120 per minute", "2 per second", True), ("42 rps", "42 per minute", False),
        ("about 2 s", "3.1 s", False), ("1.2k", "1260", False),
        ("about 0.07%", "0.5%", False), ("8 MB", "8 Mbit", False),
    ],
)  # fmt: skip
def test_units_meet_after_conversion(one: str, other: str, equal: bool) -> None:
    (a,), (b,) = quantities.in_text(one), quantities.in_text(other)
    assert quantities.same(a, b) is equal


SERIES = cited(
    {
        "subject": "portal",
        "metric": "Fault",
        "unit": "Count",
        "worst": 16,
        "baseline": 2,
        "deviation": 41,
        "normal_p99": 5,
        "datapoints": 46,
    }
)
LINES = cited({"service": "web", "bad_lines": 789, "lines": 4416, "normal_bad_lines": 0, "normal_lines": 1379, "score": 10.98})
SLOWER = cited({"subject": "pg", "metric": "WriteLatency", "unit": "Seconds", "worst": 0.159, "baseline": 0.002, "deviation": 3})


@pytest.mark.parametrize(
    ("true", "false", "evidence"),
    [
        ("Fault of portal peaked at 16", "Fault of portal peaked at 41", SERIES),
        ("Fault of portal peaked at 16", "Fault of portal peaked at 5", SERIES),
        ("Fault of portal peaked at 16", "Fault of portal peaked at 2", SERIES),
        ("Fault of portal peaked at 16", "Fault of portal peaked at 16 seconds", SERIES),
        ("Fault of portal peaked at 16", "Fault of portal peaked at 16 percent", SERIES),
        ("Fault of portal is more than 7 times its baseline", "Fault of portal is more than 9 times its baseline", SERIES),
        ("web had 789 bad lines out of 4416", "web had 789 bad lines out of 10.98", LINES),
        ("web had 789 bad lines out of 4416", "web had 4416 bad lines out of 789", LINES),
        ("web had 789 bad lines out of 4416", "web had 789 bad lines out of 4416 GB", LINES),
        ("Normally web had 0 bad lines of 1379", "Normally web had 789 bad lines of 1379", LINES),
        ("pg took 159 ms, against 2 ms before", "pg took 2 ms, against 159 ms before", SLOWER),
        ("WriteLatency of pg peaked at 0.159 s", "WriteLatency of pg peaked at 3 s", SLOWER),
        ("WriteLatency of pg peaked at 0.159 s", "WriteLatency of pg peaked at 1 minute", SLOWER),
    ],
)
def test_a_number_is_of_the_field_and_the_unit_that_the_claim_says(true: str, false: str, evidence: Cited) -> None:
    """What another field has, or the same number in another unit, is not the claim's."""
    assert said(true, evidence).result not in (CheckResult.UNSUPPORTED, CheckResult.CONTRADICTED)
    assert said(false, evidence).expressible is Expressible.NONE, said(false, evidence).reason


def test_a_half_is_rounded_as_people_and_machines_do() -> None:
    held = next(quantities.in_record({"x": 0.375}))
    said_ = [quantities.same(next(quantities.in_text(t)), held) for t in ("0.38", "0.37", "0.4")]
    assert said_ == [True, False, True]
