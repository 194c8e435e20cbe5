"""Statements behind log lines, of any kind of log."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.analysis import templates
from superbiz.analysis.templates import Miner, Statement, level_of, template_of


def read(miner: Miner, *lines: str) -> list[Statement]:
    return miner.read(lines)


def keys(*lines: str, miner: Miner | None = None) -> list[str]:
    miner = miner or Miner(placed=False)
    statements = miner.read(lines)
    return [miner.key(s.number) for s in statements]


def found(*lines: str) -> list[str]:
    """The template of each line."""
    miner = Miner(placed=False)
    return [miner.template(key) for key in keys(*lines, miner=miner)]


def letters(number: int) -> str:
    """A word without digits for each number."""
    return "".join(chr(97 + int(digit)) for digit in f"{number:05d}")


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


def test_lines_of_one_statement_share_a_key() -> None:
    miner = Miner()
    lines = [f"INFO order {n} accepted in {n * 7}ms" for n in (17, 99)]
    first, second, other = keys(*lines, "INFO shipment lost by the carrier today", miner=miner)
    assert first == second
    assert other != first
    assert miner.template(first) == "INFO order <*> accepted in <*>"


def test_a_place_in_the_code_names_the_statement_whatever_its_text() -> None:
    miner = Miner()
    lines = ("INFO OrderService#41 cart is [a, b]", "INFO OrderService#41 cart is [a, b, c, d, e]", "INFO OrderService#42 cart is [a, b]",
             "ERROR OrderService#41 cart is [a, b]")  # fmt: skip
    statements = miner.read(lines)
    a, b, another_place, another_level = (miner.key(s.number) for s in statements)
    assert statements[0].location == "OrderService#41"
    assert a == b
    assert len({a, another_place, another_level}) == 3
    assert miner.template(a) == "INFO OrderService#41 cart is [a, b]"


def test_the_number_of_a_line_of_code_is_a_number_where_places_are_not_asked_for() -> None:
    assert found("[sweep.c:1455]: no change", "[sweep.c:99]: no change") == ["[sweep.c:<*>]: no change"] * 2


def test_exceptions_and_places_of_other_languages_are_found() -> None:
    miner = Miner()
    java, python, fine = read(
        miner, "ERROR c.s.Pool java.sql.SQLTransientConnectionException: timed out", "app/db.py:118 KeyError: 'x'", "INFO fine"
    )
    assert java.exception == "java.sql.SQLTransientConnectionException"
    assert java.bad
    assert python.location == "app/db.py:118"
    assert python.exception == "KeyError"
    assert not fine.bad


def test_one_place_with_and_without_an_exception_is_one_statement() -> None:
    miner = Miner()
    lines = miner.read(["INFO OrderService#41 done", "INFO OrderService#41 gave up: java.net.ConnectException"])
    assert len({miner.key(s.number) for s in lines}) == 1
    assert [s.bad for s in lines] == [False, True]


def test_json_lines_are_told_apart_by_their_fields_and_telling_numbers() -> None:
    lines = [{"time": n, "msg": "order accepted", "status": status, "took": n} for n, status in ((1, 200), (2, 200), (3, 503))]
    good, again, bad = found(*map(json.dumps, lines))
    assert good == again
    assert "status:200" in good
    assert "took:<*>" in good
    assert "status:503" in bad


def test_levels_of_json_lines_are_read_whatever_stands_before_them() -> None:
    (statement,) = read(Miner(), json.dumps({"msg": "x" * 500, "level": 50}))
    assert (statement.level, statement.bad) == ("ERROR", True)


def test_lines_of_different_levels_or_exceptions_are_never_one_statement() -> None:
    words = ("INFO", "WARN", "ERROR", "FATAL", "DEBUG", "TRACE", "NOTICE", "SEVERE")
    assert len(set(keys(*(f"{word} cache is cold" for word in words)))) == len(words)
    names = ("Io", "Parse", "Timeout", "Auth", "Network", "Schema", "Quota")
    assert len(set(keys(*(f"caught {name}Exception in worker" for name in names)))) == len(names)


def test_names_that_change_are_variable_and_states_are_not() -> None:
    users = [f"session opened for user {name}" for name in ("anna", "ben", "carl")]
    assert set(found(*users)) == {"session opened for user <*>"}
    states = [f"task moved from {a} to {b}" for a, b in (("NEW", "READY"), ("READY", "RUNNING"), ("RUNNING", "DONE"))]
    assert len(set(keys(*states))) == 3
    starts = [f"{name} startup succeeded" for name in ("cupsd", "syslogd", "klogd", "portmap", "sdpd", "hcid")]
    assert len(set(keys(*starts))) == len(starts), "a line's first word says who speaks"
    speakers = [f"{letters(n)} logged in from the office" for n in range(20)]
    assert set(found(*speakers)) == {"<*> logged in from the office"}, "unless very many do"


def test_a_word_is_variable_where_it_takes_many_values_in_effect() -> None:
    many = ("cart", "bank", "mail", "disk", "node", "lamp")
    assert set(found(*(f"removing {word}" for word in many))) == {"removing <*>"}
    dominated = ["removing cart"] * 500 + [f"removing {word}" for word in many[1:]]
    assert len(set(keys(*dominated))) == len(many)
    names = [f"removing {letters(n)}" for n in range(10)]
    assert len(set(keys(*dominated, *names))) == 1, "unless there are many"


def test_words_that_change_together_are_variable_where_they_take_very_many_values() -> None:
    people, rooms = [f"p{chr(97 + n)}q" for n in range(12)], [f"r{chr(97 + n)}s" for n in range(12)]
    lines = [f"guest {person} has entered by door {room} today" for person, room in zip(people, rooms, strict=True)]
    assert set(found(*lines)) == {"guest <*> has entered by door <*> today"}


def test_a_list_of_any_length_is_one_value() -> None:
    assert len(set(keys("nodes an1 an2 an3", "nodes an1 an2 an3 an4 an5", "nodes bn7 bn8"))) == 1
    assert len(set(keys("sizes 1, 2, 3", "sizes 4"))) == 1


def test_a_log_read_twice_has_the_same_templates() -> None:
    lines = [f"removing {word}" for word in ("cart", "bank", "mail", "disk")] + ["job 5 done", "job 6 done"]
    once, twice = found(*lines), found(*lines * 2)
    assert once * 2 == twice


@pytest.mark.parametrize(
    "hostile",
    ["a" * 50_000, "a." * 25_000, "a-" * 25_000, "A" * 50_000 + "Exceptio", "1." * 25_000, "a#" * 25_000, "#1" * 25_000, "/" * 50_000,
     "a/" * 25_000, ":" * 50_000, "0:" * 25_000, "\\" * 50_000, "a@" * 25_000, "(" * 50_000, "0x" * 25_000, "Jan 0 " * 9_000, "{" * 50_000,
     "at (" * 12_000, "\x01" * 50_000, "a b " * 12_000, "://" * 17_000, "=true" * 10_000, "[" * 50_000],
)  # fmt: skip
def test_a_hostile_line_costs_no_more_than_a_long_one(hostile: str) -> None:
    miner = Miner()
    started = time.process_time()
    miner.read([hostile + str(n) for n in range(10)])
    miner.read([f"{n}x {hostile}" for n in "abcdefghij"])
    miner.key(0)
    assert time.process_time() - started < 1.5


@given(st.lists(st.text(max_size=200), max_size=30))
def test_any_text_has_a_statement_and_a_template(lines: list[str]) -> None:
    miner = Miner()
    statements = miner.read(lines)
    assert len(statements) == len(lines)
    assert all(isinstance(miner.template(miner.key(s.number)), str) for s in statements)


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=30))
def test_any_bytes_have_one_number_a_line(lines: list[bytes]) -> None:
    block = b"\n".join(lines)
    miner = Miner(placed=False)
    numbers = miner.numbers(block)
    assert len(numbers) == block.count(b"\n") + 1
    assert all(isinstance(miner.template(miner.key(n)), str) for n in numbers)


@settings(max_examples=50)
@given(st.lists(st.text(st.characters(categories=("Lo", "Ll", "Nd", "Zs")), max_size=60), min_size=1, max_size=20))
def test_equal_lines_of_any_language_have_equal_keys(lines: list[str]) -> None:
    miner = Miner()
    first = [s.number for s in miner.read(lines)]
    again = [s.number for s in miner.read(lines)]
    assert [miner.key(n) for n in first] == [miner.key(n) for n in again]


def test_the_miner_forgets_nothing_that_it_has_named() -> None:
    miner = Miner()
    assert all(miner.template(key) for key in keys(*(f"{word} happened once" for word in ("alpha", "beta", "gamma")), miner=miner))


def test_lines_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "REMEMBERED", 1_000)
    miner = Miner()
    before = keys("a line that was met", miner=miner)
    for n in range(100):
        miner.read(["word" * (n % 40) + f" {'x' * n}"])
    assert miner._known_bytes <= 1_000
    assert keys("a line that was met", miner=miner) == before


def test_names_that_never_repeat_make_few_kinds() -> None:
    miner = Miner(placed=False)
    lines = [f"client {letters(n)} has left the queue" for n in range(5_000)]
    assert set(keys(*lines, miner=miner)) == {miner.key(0)}
    assert len(miner._kinds) < 100


def test_kinds_are_bounded_and_those_beyond_go_by_template_or_first_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MOST_SKELETONS", 20)
    monkeypatch.setattr(templates, "MOST_COARSE", 5)
    miner = Miner(placed=False)
    known = keys(*(f"the door opens for user {name}" for name in ("anna", "ben", "carl")), miner=miner)
    for n in range(200):
        miner.read([f"{letters(n)} {' '.join(letters(n + k) for k in range(n % 9))} odd"])
    late = miner.read(["the door opens for user zoe", "the moon is full of stories"])
    assert len(miner._kinds) <= 20 + 5 + 2
    assert miner.key(late[0].number) == known[0] == known[1]
    assert miner.template(miner.key(late[1].number))


def test_a_raw_line_for_people_keeps_its_place_in_the_code() -> None:
    assert template_of("12:00:01 INFO Orders#105 order 17 done") == "<*> INFO Orders#105 order <*> done"
