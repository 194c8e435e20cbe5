"""Statements behind log lines, of any kind of log."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis import templates
from superbiz.analysis.templates import Miner, continues, level_of, masked


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("2026-07-08T23:05:28Z ERROR order failed", "ERROR"),
        ('{"level":"error","msg":"order failed"}', "ERROR"),
        ("ts=1 lvl=warn msg=slow", "WARN"),
        ("12:00 WARNING slow", "WARN"),
        ("severity: CRITICAL disk", "CRITICAL"),
        ("an error occurred", ""),
        ("INFORMATION", ""),
    ],
)
def test_a_level_is_named_in_capitals_or_by_its_field(line: str, level: str) -> None:
    assert level_of(line) == level


def test_times_ids_addresses_and_numbers_are_masked() -> None:
    line = (
        "2026-07-08T23:05:28.123Z 10.0.0.1:5432 d67af798bac52b303ec153b61e0f0942 6b0737a2-060b-2757-aaaa-bbbbccccdddd 0x7f 12ms 3.5% order"
    )
    assert masked(line) == "<*> <*> <*> <*> <*> <*>ms <*>% order"


def test_lines_of_one_statement_share_a_key() -> None:
    miner = Miner()
    first, second = (miner.read(f"INFO order {n} accepted in {n * 7}ms") for n in (17, 99))
    other = miner.read("INFO shipment lost by the carrier today")
    assert first.key == second.key
    assert other.key != first.key
    assert miner.template(first.key) == "INFO order <*> accepted in <*>ms"


def test_a_place_in_the_code_names_the_statement_whatever_its_text() -> None:
    miner = Miner()
    a, b = miner.read("INFO OrderService#41 cart is [a, b]"), miner.read("INFO OrderService#41 cart is [a, b, c, d, e]")
    assert a.location == "OrderService#41"
    assert a.key == b.key
    assert miner.read("INFO OrderService#42 cart is [a, b]").key != a.key
    assert miner.read("ERROR OrderService#41 cart is [a, b]").key != a.key


def test_exceptions_and_places_of_other_languages_are_found() -> None:
    miner = Miner()
    java = miner.read("ERROR c.s.Pool java.sql.SQLTransientConnectionException: timed out")
    python = miner.read("app/db.py:118 KeyError: 'x'")
    assert java.exception == "java.sql.SQLTransientConnectionException"
    assert java.bad
    assert python.location == "app/db.py:118"
    assert python.exception == "KeyError"
    assert not miner.read("INFO fine").bad


def test_frames_of_a_stack_trace_continue_the_line_before() -> None:
    assert continues("\tat com.shop.Orders.create(Orders.java:41)")
    assert continues("Caused by: java.net.ConnectException")
    assert continues('  File "app/db.py", line 118, in get')
    assert not continues("ERROR at startup")


@pytest.mark.parametrize(
    "hostile", ["a" * 50_000, "a." * 25_000, "a-" * 25_000, "A" * 50_000 + "Exceptio", "1." * 25_000, "a#" * 25_000, "#1" * 25_000]
)
def test_a_hostile_line_costs_no_more_than_a_long_one(hostile: str) -> None:
    miner = Miner()
    started = time.perf_counter()
    for n in range(20):
        miner.read(hostile + str(n))
    assert time.perf_counter() - started < 1.0


@given(st.lists(st.text(max_size=200), max_size=30))
def test_any_text_has_a_statement_and_a_template(lines: list[str]) -> None:
    miner = Miner()
    keys = [miner.read(line).key for line in lines]
    assert all(isinstance(miner.template(key), str) for key in keys)


def test_the_miner_forgets_nothing_that_it_has_named() -> None:
    miner = Miner()
    keys = {miner.read(f"{word} happened once").key for word in ("alpha", "beta", "gamma")}
    assert all(miner.template(key) for key in keys)


def test_memory_of_lines_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "REMEMBERED", 10)
    miner = Miner()
    for n in range(100):
        miner.read("word" * (n % 40) + f" {'x' * n}")
    assert len(miner._known) <= 10
