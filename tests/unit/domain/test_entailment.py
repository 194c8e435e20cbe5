"""Whether a cited record carries a claim: true claims pass, changed ones do not."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.domain import canonical
from superbiz.domain.claims import Claim, ClaimType
from superbiz.domain.entailment import Cited, Entailment, judge, known_in
from superbiz.domain.reading import quantities, times
from superbiz.domain.reading.focus import record_of
from superbiz.domain.verification import CheckResult, Expressible

LINE = "2026-07-08 23:05:28 ERROR order-service HikariPool-1 - Connection is not available, request timed out after 30000ms"
HEALTH = "2026-07-08 23:05:31 INFO payment-service GET /health answered 200 in 3 ms"
SERIES = {"subject": "PetSite", "metric": "Latency", "stat": "p90", "unit": "Seconds", "direction": "above", "baseline": 0.35,
          "worst": 2.3915, "worst_at": "2023-04-18T19:12:00Z", "onset": "2023-04-18T19:07:00Z",
          "points": [["2023-04-18T19:02:00Z", 0.4], ["2023-04-18T19:12:00Z", 2.3915]]}  # fmt: skip
OTHER = {**SERIES, "subject": "Payments", "worst": 0.4, "baseline": 0.2}
OPERATION = {"service": "order-service", "name": "POST /orders", "spans": 120, "error_rate": 0.125, "p90_ms": 3200, "normal_p90_ms": 410}
CHANGE = {"time": "2026-05-19T14:03:20Z", "source": "deploy", "name": "UpdateService", "resource": "order-service",
          "message": "order-service 2.14.1 rolled out; maximum-pool-size changed from 20 to 2"}  # fmt: skip
WINDOW = {"window": {"start": "2023-04-18T19:02:00Z", "end": "2023-04-18T19:27:00Z"}}


def cited(node: Any, excerpt: str, **fields: Any) -> Cited:
    text = node if isinstance(node, str) else canonical.dumps(node)
    return Cited(excerpt, text, fields.get("around", {}), fields.get("params", {}), fields.get("tool", ""))


def said(text: str, *evidence: Cited, kind: ClaimType = ClaimType.OBSERVATION) -> Entailment:
    claim = Claim(claim_id="c1", claim_text=text, claim_type=kind, critical=True)
    return judge(claim, evidence, known_in(evidence))


LOG, PEAK = cited(LINE, "Connection is not available"), cited([SERIES, OTHER], '"subject":"PetSite","metric":"Latency"')
SLOW = cited(OPERATION, '"error_rate":0.125', around=WINDOW)
DEPLOY = cited(CHANGE, "maximum-pool-size changed from 20 to 2")

EARLIER = cited(
    {"name": "UpdateService", "resource": "order-service", "minutes_before_onset": 4, "message": "after review, rolled out to 2 tasks"},
    '"minutes_before_onset":4',
)
NEW = {"service": "order-service", "template": "Connection is not available", "change": "new", "count": 27, "normal": 0}

TRUE = (
    ("UpdateService of order-service was 4 minutes before the onset", EARLIER),
    ('order-service logged a new statement "Connection is not available" 27 times', cited(NEW, '"change":"new","count":27')),
    ("order-service could not obtain a database connection at 23:05:28", LOG),
    ("order-service requests timed out after 30000 ms waiting for a connection", LOG),
    ("order-service requests timed out after 30 s waiting for a connection", LOG),
    ("At 2026-07-08T23:05:28Z HikariPool-1 of order-service had no connection available", LOG),
    ('order-service logged "Connection is not available, request timed out after 30000ms"', LOG),
    ('order-service logged "Connection is not available, request…" at 23:05', LOG),
    ("Latency (p90) of PetSite rose from 0.35 to 2.39 seconds, onset 2023-04-18T19:07:00Z", PEAK),
    ("Latency of PetSite rose to 2.39 s at 19:12, 6.8 times its baseline", PEAK),
    ("Latency of PetSite rose to about 2.4 s", PEAK),
    ("Latency of PetSite rose to 2392 ms", PEAK),
    ("The p90 latency of PetSite was above its baseline of 0.35 s", PEAK),
    ("Latency of PetSite was 0.4 s at 2023-04-18T19:02:00Z", PEAK),
    ("POST /orders of order-service failed with an error rate of 12.5 %", SLOW),
    ("p90 of POST /orders in order-service rose from 410 ms to 3.2 s over 120 spans", cited(OPERATION, '"p90_ms":3200')),
    ("Between 19:02 and 19:27 POST /orders of order-service had an error rate of 0.125", SLOW),
    ("order-service 2.14.1 was rolled out at 14:03:20 and its maximum-pool-size changed from 20 to 2", DEPLOY),
    ("The deploy of order-service at 2026-05-19T16:03:20+02:00 reduced the pool size from 20 to 2", DEPLOY),
)  # fmt: skip
FALSE = (
    ("irrelevant excerpt", "order-service could not obtain a database connection", cited(HEALTH, "GET /health answered 200")),
    ("irrelevant excerpt beside the truth", "order-service could not connect", cited([LINE, HEALTH], "GET /health answered 200")),
    ("time", "order-service could not obtain a database connection at 23:05:29", LOG),
    ("time", "Latency of PetSite rose to 2.39 s at 2023-04-18T19:02:00Z", PEAK),
    ("time of the window alone", "Latency of PetSite reached 2.39 s at 2023-04-18T19:27:00Z", cited(SERIES, "2.3915", around=WINDOW)),
    ("time zone", "The deploy of order-service came at 2026-05-19T14:03:20+02:00", DEPLOY),
    ("entity", "payment-service could not obtain a database connection at 23:05:28", LOG),
    ("entity", "Latency (p90) of Payments rose to 2.39 seconds", PEAK),
    ("entity", "Latency (p50) of PetSite rose to 2.39 seconds", PEAK),
    ("owner", "orders-db had an error rate of 0.125", cited(OPERATION | {"note": "calls orders-db"}, '"error_rate":0.125')),
    ("number", "order-service requests timed out after 20000 ms", LOG),
    ("number", "Latency of PetSite rose to 2.93 s", PEAK),
    ("number", "Latency of PetSite rose to 2.39 s, 8.6 times its baseline", PEAK),
    ("number under another name", "POST /orders of order-service had an error rate of 120", SLOW),
    ("unit", "order-service requests timed out after 30000 s", LOG),
    ("unit", "Latency of PetSite rose to 2.39 ms", PEAK),
    ("unit", "POST /orders of order-service failed with an error rate of 0.125 %", SLOW),
    ("other digits", "Latency of PetSite rose to ２.39 s", PEAK),
    ("direction", "Latency of PetSite fell from 0.35 to 2.39 seconds", PEAK),
    ("direction", "Latency of PetSite fell from 2.39 to 0.35 seconds", PEAK),
    ("direction", "Latency of PetSite dropped to 2.39 s", PEAK),
    ("direction", "p90 of POST /orders in order-service decreased to 3200 ms", SLOW),
    ("direction", "Latency of PetSite did not rise to 2.39 s", PEAK),
    ("order in time", "Latency of PetSite peaked at 19:12:00 before it began at 19:07:00", PEAK),
    ("opposite", "UpdateService of order-service was 4 minutes after the onset", EARLIER),
    ("opposite", 'order-service logged a gone statement "Connection is not available"', cited(NEW, '"change":"new"')),
    ("negation", "order-service obtained a database connection at 23:05:28", LOG),
    ("negation", "POST /orders of order-service is not slow", SLOW),
    ("negation", "order-service is not the root cause", DEPLOY),
    ("negation", "order-service requests did not time out", LOG),
    ("quote", 'order-service logged "Connection is not allowed"', LOG),
    ("quote", 'A connection of order-service was not available: "request was killed after 30000ms"', LOG),
    ("invented clause", "Latency of PetSite rose to 2.39 s because an operator unplugged the network cable", PEAK),
    ("invented clause", "order-service could not obtain a database connection, and customers lost their baskets of flowers", LOG),
    ("nothing of it", "The certificate of the load balancer expired", LOG),
)  # fmt: skip


@pytest.mark.parametrize(("text", "evidence"), TRUE)
def test_a_true_claim_is_supported(text: str, evidence: Cited) -> None:
    # REQ-070
    found = said(text, evidence)
    assert (found.result, found.expressible) == (CheckResult.SUPPORTED, Expressible.FULL), found.reason


@pytest.mark.parametrize(("family", "text", "evidence"), FALSE)
def test_a_changed_claim_can_not_be_expressed(family: str, text: str, evidence: Cited) -> None:
    # REQ-070
    found = said(text, evidence)
    assert found.expressible is Expressible.NONE, (family, found)
    assert len(found.reason) > 10


def test_a_reversed_direction_is_a_contradiction() -> None:
    assert said("Latency of PetSite fell to 2.39 s", PEAK).result is CheckResult.CONTRADICTED


def test_a_direction_that_nothing_shows_is_only_hedged() -> None:
    flat = {"subject": "PetSite", "metric": "Latency", "value": 2.39}
    found = said("Latency of PetSite rose to 2.39", cited(flat, '"value":2.39'))
    assert (found.result, found.expressible) == (CheckResult.PARTIAL, Expressible.HEDGED)


def test_a_recovery_needs_a_record_that_tells_of_one() -> None:
    back = SERIES | {"recovered_at": "2023-04-18T19:20:00Z"}
    assert said("Latency of PetSite rose to 2.39 s and recovered", PEAK).result is CheckResult.UNSUPPORTED
    told = said("Latency of PetSite rose to 2.39 s, recovered at 2023-04-18T19:20:00Z", cited(back, canonical.dumps(back)))
    assert told.result is CheckResult.SUPPORTED


def test_no_citation_carries_nothing() -> None:
    assert said("order-service is slow").result is CheckResult.UNSUPPORTED


def test_an_irrelevant_citation_beside_a_good_one_adds_nothing() -> None:
    assert (
        said("order-service could not obtain a connection at 23:05:28", LOG, cited(HEALTH, "answered 200 in 3 ms")).result
        is CheckResult.SUPPORTED
    )
    mixed = said("order-service could not obtain a connection at 23:05:31", LOG, cited(HEALTH, "answered 200 in 3 ms"))
    assert mixed.expressible is Expressible.NONE


def test_a_number_belongs_to_its_service() -> None:
    a, b = (
        cited({"service": "order-service", "errors": 27}, '"errors":27'),
        cited({"service": "payment-service", "errors": 3}, '"errors":3'),
    )
    assert said("order-service had 27 errors and payment-service had 3 errors", a, b).result is CheckResult.SUPPORTED
    assert said("order-service had 3 errors and payment-service had 27 errors", a, b).expressible is Expressible.NONE


def test_a_call_is_asked_about_what_its_parameters_name() -> None:
    line = cited("23:05:28 Connection is not available", "Connection is not available", params={"services": ["order-service"]})
    assert said("order-service had no connection available at 23:05:28", line).result is CheckResult.SUPPORTED


def test_chinese_claims_are_read_without_blanks() -> None:
    line = cited("23:05:28 order-service 数据库连接超时，等待30000ms", "数据库连接超时")
    assert said("order-service数据库连接超时，等待30000ms", line).result is CheckResult.SUPPORTED
    assert said("order-service数据库连接超时，等待20000ms", line).expressible is Expressible.NONE
    assert said("payment-service数据库连接超时", line).expressible is Expressible.NONE
    assert said("order-service证书过期", line).expressible is Expressible.NONE


def test_each_fact_is_told_with_its_result() -> None:
    # REQ-075
    facts = dict(said("Latency of PetSite rose to 2.93 s at 19:12", PEAK).facts)
    assert facts["2.93 s"] is CheckResult.UNSUPPORTED
    assert facts["PetSite"] is facts["19:12"] is CheckResult.SUPPORTED


ABSENCE = cited("", "", around={"matched": 0, **WINDOW}, params={"services": ["order-service"], "levels": ["ERROR"]}, tool="query_logs")


@pytest.mark.parametrize(
    "text",
    [
        "No ERROR lines of order-service matched between 2023-04-18T19:02:00Z and 2023-04-18T19:27:00Z",
        "query_logs found no lines for order-service in the queried window",
        "query_logs 没有找到 order-service 的日志",
        "没有找到order-service的ERROR日志",
    ],
)
def test_scoped_absence_is_hedged_and_never_more(text: str) -> None:
    # REQ-045
    found = said(text, ABSENCE, kind=ClaimType.ABSENCE)
    assert (found.result, found.expressible) == (CheckResult.PARTIAL, Expressible.HEDGED), found.reason


@pytest.mark.parametrize(
    "text",
    [
        "There is no connection-pool problem in order-service",
        "order-service has no errors",
        "No errors were found in order-service, so it is ruled out",
        "No errors of order-service were found; it is healthy",
        "No lines of payment-service matched",
        "No lines of order-service matched at 2023-04-18T20:00:00Z",
        "No lines of order-service were ever recorded",
        "No matching lines confirm that order-service works",
        "order-service 没有问题",
    ],
)
def test_absence_is_never_worded_as_exclusion(text: str) -> None:
    # REQ-046, REQ-224
    found = said(text, ABSENCE, kind=ClaimType.ABSENCE)
    assert found.expressible is Expressible.NONE, found


@settings(max_examples=150, deadline=None)
@given(st.floats(0.001, 1e5), st.integers(0, 6))
def test_a_number_is_met_at_the_precision_it_shows(value: float, decimals: int) -> None:
    shown = f"{value:.{decimals}f}"
    (told,) = quantities.in_text(f"it was {shown} then")
    (found,) = quantities.in_record({"value": value})
    assert quantities.same(told, found)
    off = f"{float(shown) + 2 * 10**-decimals:.{decimals}f}"
    (wrong,) = quantities.in_text(f"it was {off} then")
    assert not quantities.same(wrong, found)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1.5 s", "1500 ms", True), ("2 min", "120 seconds", True), ("1 KiB", "1024 bytes", True), ("1.00 KB", "1024 bytes", False),
        ("12 %", "0.12 ratio", True), ("1,234", "1234", True), ("1.2k", "1234", True), ("1.3k", "1234", False), ("5 ms", "5 s", False),
        ("about 2 s", "2.2 s", True), ("about 2 s", "2.7 s", False), ("3 bytes", "3 ms", False), ("7", "7 ms", True),
    ],
)  # fmt: skip
def test_units_are_converted(one: str, other: str, equal: bool) -> None:
    (a,), (b,) = quantities.in_text(one), quantities.in_text(other)
    assert quantities.same(a, b) is equal


@pytest.mark.parametrize(
    "text", ["p90 of v2.14.1", "order-service-2", "at 23:05:28", "on 2026-07-08", "HTTP/1.1 5xx", "#12", "10.0.0.1:8080"]
)
def test_digits_of_names_and_times_are_no_numbers(text: str) -> None:
    assert [q.text for q in quantities.in_text(times.blanked(text))] == []


@pytest.mark.parametrize(
    ("claim", "record", "met"),
    [
        ("2026-07-08T23:05:28Z", "2026-07-08 23:05:28.123", True), ("23:05", "2026-07-08T23:05:59Z", True), ("23:05:28", "23:05:29", False),
        ("2026-07-08T23:05Z", "2026-07-09T23:05Z", False),
        ("2026-07-09T01:05:00+02:00", "2026-07-08T23:05:00Z", True),
        ("2023-04-18T19:07:00Z", "(18/04/23 19:07:00)", True), ("19:07", "18/Apr/2023 19:07:31", True),
        ("2026-07-08", "2026-07-08T01:00Z", True),
    ],
)  # fmt: skip
def test_times_meet_at_the_precision_they_show(claim: str, record: str, met: bool) -> None:
    assert times.same(next(iter(times.in_text(claim))), next(iter(times.in_text(record)))) is met


def test_epoch_times_are_times() -> None:
    assert [m.text for m in times.in_record({"timestamp": 1674989470459})] == ["2023-01-29T10:51:10.459000+00:00"]


def test_the_record_of_an_excerpt_leaves_its_neighbours_out() -> None:
    text = canonical.dumps({"logs": ["first line here", "second line there"], "rows": [{"a": 1}, {"a": 2}], "matched": 2})
    assert record_of(text, "second line") == {"logs": ["second line there"], "matched": 2}
    assert record_of(text, '{"a":2}') == {"rows": [{"a": 2}], "matched": 2}
    assert record_of(text, "no such passage") == "no such passage"
    assert record_of("[not json", "json") == "[not json"


def test_of_a_very_large_text_only_the_neighbourhood_is_read() -> None:
    text = canonical.dumps(["first line here", *[f"line {n} of many" for n in range(4_000)]])
    found = record_of(text, "line 2000 of")
    assert "line 2001 of many" in found
    assert "first line" not in found
    assert len(found) < 2_000


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.integers(0, 9) | st.sampled_from(["a b", "cd", "e f g"]),
        lambda i: st.lists(i, max_size=3) | st.dictionaries(st.sampled_from("xyz"), i, max_size=3),
        max_leaves=9,
    )
)
def test_narrowing_keeps_what_the_excerpt_touches(node: Any) -> None:
    text = canonical.dumps(node)
    for leaf in ("a b", "cd", "e f g"):
        if leaf in text:
            assert leaf in json.dumps(record_of(text, leaf))
    assert record_of(text, "") == (node if text[:1] in "[{" else text)


HOSTILE = (
    "a-" * 250,
    "1" * 500,
    "'" * 500,
    "00:00:" * 80,
    "not " * 120,
    "\u200b" * 100,
    "“" * 499,
    "9" * 490 + "e999",
    "：，。" * 160,
    "(" * 500,
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_judged_in_bounded_time(text: str) -> None:
    started = time.process_time()
    for evidence in (
        LOG,
        PEAK,
        cited(text * 60, text[:400]),
        cited({"value": 10**400, "x": [1e308] * 50}, '"x":'),
        cited("[" * 30_000, "[[[[[[["),
    ):
        said(text, evidence)
        said(LINE, cited(text * 60, text[:400]))
    assert time.process_time() - started < 4.0


def test_an_endless_number_matches_nothing() -> None:
    assert said("Latency of PetSite rose to about " + "9" * 400 + " s", PEAK).expressible is Expressible.NONE
