"""`query_logs` over incidents in memory."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.domain import canonical
from superbiz.domain.observations import LogLine, Span
from superbiz.domain.values import iso
from superbiz.ports import SourceUnavailable
from superbiz.tools.query_logs import service_of
from support.incidents import START, Incident, build_line, build_span, run_tool, span_id

RECEIVED, RESERVED, ANSWERED = (
    "INFO received the cart of a client",
    "INFO reserved stock in the warehouse",
    "INFO answered after all was done",
)


def traffic(requests: int, *messages: str) -> tuple[list[LogLine], list[Span]]:
    """Requests whose lines name their span."""
    lines = [
        build_line(f"{message} span={span_id(n * 100)}", minute=1 + n + i / 100)
        for n in range(requests)
        for i, message in enumerate(messages)
    ]
    return lines, [build_span(n * 100) for n in range(requests)]


def two_periods(now: tuple[list[LogLine], list[Span]], normal: tuple[list[LogLine], list[Span]]) -> Incident:
    return Incident(lines=now[0], spans=now[1], normal_lines=normal[0], normal_spans=normal[1])


def test_a_step_that_is_gone_is_told_with_its_operation_and_counts() -> None:
    found = run_tool("query_logs", two_periods(traffic(12, RECEIVED, ANSWERED), traffic(10, RECEIVED, RESERVED, ANSWERED)))
    gone = next(s for s in found["steps"] if s["step"] == "gone" and "reserved stock" in s["then"])
    assert (gone["service"], gone["operation"]) == ("orders", "POST /orders")
    assert (gone["count"], gone["of"], gone["normal"], gone["normal_of"]) == (0, 12, 10, 10)
    assert "received the cart" in gone["after"]
    assert gone["weight"] > 0.9


def test_counts_stand_in_the_first_400_characters() -> None:
    found = run_tool("query_logs", two_periods(traffic(12, RECEIVED, ANSWERED), traffic(10, RECEIVED, RESERVED * 5, ANSWERED)))
    excerpt = canonical.dumps(found["steps"][0])[:400]
    assert all(f'"{name}":' in excerpt for name in ("service", "operation", "step", "count", "of", "normal", "normal_of"))


def test_services_whose_errors_grew_are_told_with_a_line() -> None:
    now = [build_line(f"ERROR HikariPool-1 - Connection is not available, request timed out after {n}ms", minute=n / 10) for n in range(30)]
    normal = [build_line(f"INFO order {n} accepted", minute=n / 10) for n in range(30)]
    burst = run_tool("query_logs", Incident(lines=now, normal_lines=normal))["errors"][0]
    assert (burst["service"], burst["bad_lines"], burst["lines"], burst["normal_bad_lines"]) == ("orders", 30, 30, 0)
    assert (burst["signature"], burst["category"]) == ("connection pool", "RESOURCE_EXHAUSTION")
    assert burst["line"] == now[0].message


def test_without_a_normal_period_the_loudest_statements_are_shown_and_that_is_said() -> None:
    lines = [build_line("INFO order accepted")] * 5 + [build_line("ERROR payment refused")]
    found = run_tool("query_logs", Incident(lines=lines))
    assert [t["template"] for t in found["templates"]] == ["ERROR payment refused", "INFO order accepted"]
    assert any("no logs of a normal period" in note for note in found["notes"])


def test_without_a_normal_period_the_hour_before_is_what_is_ordinary() -> None:
    before = [build_line(f"INFO order {n} accepted", minute=-n - 1) for n in range(50)]
    found = run_tool("query_logs", Incident(lines=[*before, *[build_line("ERROR pool empty")] * 9]))
    assert found["basis"] == "time before the window"
    assert (found["errors"][0]["bad_lines"], found["errors"][0]["normal_lines"]) == (9, 50)


def test_raw_lines_are_whole() -> None:
    found = run_tool("query_logs", Incident(lines=[build_line("ERROR payment 17 refused by bank")], normal_lines=[]))
    assert found["logs"] == ["ERROR payment 17 refused by bank"]


def test_every_line_is_counted_and_what_is_not_shown_too() -> None:
    words = ("disk", "cart", "bank", "mail", "node")
    now = [build_line(f"ERROR {' '.join([word] * (n + 2))}", minute=n / 9) for n, word in enumerate(words) for _ in range(8)]
    found = run_tool("query_logs", Incident(lines=now), top=3)
    assert found["matched"] == 40
    assert len(found["templates"]) == 3
    assert found["left_out"] == {"templates": 2}


def test_filters_are_literal() -> None:
    lines = [
        build_line("ERROR a.c failed"),
        build_line("ERROR abc failed"),
        build_line("INFO a.c fine"),
        build_line("ERROR a.c", service="b"),
    ]
    incident = Incident(lines=lines, normal_lines=[])
    assert run_tool("query_logs", incident, contains="A.C")["matched"] == 3, "a dot is a dot, case aside"
    assert run_tool("query_logs", incident, levels=["error"])["matched"] == 3
    assert run_tool("query_logs", incident, services=["b"])["matched"] == 1
    assert run_tool("query_logs", incident, contains="| fields @message")["matched"] == 0


def test_only_lines_of_the_window_are_the_incidents() -> None:
    assert run_tool("query_logs", Incident(lines=[build_line("ERROR early", minute=-5)], normal_lines=[]))["matched"] == 0


@pytest.mark.parametrize(
    ("group", "service"),
    [
        ("/aws/lambda/orders", "orders"),
        ("/aws/rds/instance/orders-db/postgresql", "orders-db"),
        ("/ecs/shop/payments", "payments"),
        ("orders", "orders"),
    ],
)
def test_a_service_is_the_last_telling_part_of_its_log_group(group: str, service: str) -> None:
    assert service_of(build_line("x", log_group=group)) == service


@pytest.mark.parametrize(
    ("group", "stream", "service"),
    [
        ("/aws/containerinsights/shop/application", "orders-5c7b9d6f4-lz7pq", "orders"),
        ("/eks/shop/billing", "billing-api-5d8f6c5c9-hh2tz/api", "billing-api"),
        (
            "/aws/containerinsights/shop/application",
            "ip-10-0-1-2.ec2.internal-application.var.log.containers.kafka-0_data_kafka-1f.log",
            "kafka",
        ),
        ("/aws/containerinsights/shop/host", "ip-10-0-11-47.eu-west-1.compute.internal", "ip-10-0-11-47.eu-west-1.compute.internal"),
    ],
)
def test_in_a_clusters_group_the_pod_of_the_stream_tells_who_logs(group: str, stream: str, service: str) -> None:
    assert service_of(LogLine(group, stream, 0, "x")) == service


def test_without_a_normal_period_what_was_said_before_the_onset_is_the_reference() -> None:
    # background errors, as many before the onset as after it, are no burst
    lines = [build_line("ERROR cannot decode image" if n % 5 == 0 else "INFO ok", minute=n / 10) for n in range(300)]
    even = run_tool("query_logs", Incident(lines=lines), onset=iso(START + timedelta(minutes=15)))
    assert even["basis"] == "time before the onset"
    assert all(row["weight"] < 0.5 for row in even["errors"])
    late = [*lines[:150], *(build_line("ERROR cannot reach the database", minute=15 + n / 10) for n in range(150))]
    burst = run_tool("query_logs", Incident(lines=late), onset=iso(START + timedelta(minutes=15)))
    assert burst["errors"][0]["weight"] > 1


def test_a_service_that_said_nothing_bad_is_a_positive_observation() -> None:
    found = run_tool("query_logs", Incident(lines=[build_line("INFO ok", service="billing")] * 4, normal_lines=[]))
    assert found["quiet"] == [{"service": "billing", "bad_lines": 0, "lines": 4}]


def test_words_that_turn_out_to_be_variable_in_the_normal_period_are_so_now_too() -> None:
    names = ("anna", "ben", "carl", "dora", "emil", "fritz")
    now = [build_line(f"ERROR cart of {name} is full", minute=n / 9) for n, name in enumerate(names[:2] * 9)]
    normal = [build_line(f"ERROR cart of {name} is full") for name in names * 5]
    found = run_tool("query_logs", Incident(lines=now, normal_lines=normal))
    assert [(t["template"], t["count"], t["of"]) for t in found["templates"]] == [("ERROR cart of <*> is full", 18, 18)]


def test_logs_without_traces_are_still_read() -> None:
    found = run_tool("query_logs", Incident(lines=[build_line(f"INFO x span={span_id(1)}")], normal_lines=[]))
    assert found["matched"] == 1


def test_a_missing_source_is_unavailable() -> None:
    with pytest.raises(SourceUnavailable):
        run_tool("query_logs", Incident())


@settings(max_examples=40)
@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=80), max_size=25), st.lists(st.text(max_size=40), max_size=10))
def test_any_lines_give_a_storable_answer(now: list[str], normal: list[str]) -> None:
    found = run_tool("query_logs", Incident(lines=[build_line(m) for m in now], normal_lines=[build_line(m) for m in normal]))
    canonical.dumps(found)
    assert found["matched"] == len(now)


def test_a_line_of_a_megabyte_is_read_and_shown_in_part() -> None:
    found = run_tool("query_logs", Incident(lines=[build_line("ERROR " + "x" * 1_000_000)], normal_lines=[]))
    assert found["matched"] == 1
    assert len(canonical.dumps(found)) < 10_000
