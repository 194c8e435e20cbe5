"""Nothing that a caller says can change what a query does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.adapters.cloudwatch import queries
from superbiz.adapters.cloudwatch.groups import WORDS, _parts
from superbiz.adapters.cloudwatch.queries import Only
from superbiz.errors import Invalid

HARMLESS = re.compile(r"(?:[A-Za-z0-9_-]|\\x[0-9A-F]{2}|\\x\{[0-9A-F]+\})+")
HOSTILE = [
    '" | limit 1',
    "' or 1=1 | stats count(*)",
    "back\\slash\\",
    "/ | delete",
    "line\nbreak | filter",
    ".*|^$[](){}?+",
    "# comment",
    "`field`",
    "naïve 查询 🙂",
    "x/ | fields unmask(@message)",
    "SOURCE logGroups() | limit 1",
    "\x00\x1b[2J\u202e\u2028",
    "\\x2F/ | sort @ptr",
    "(a+)+$" * 20,
]
COMMANDS = re.compile(r"\b(?:SOURCE|unmask|stats|parse|display|unnest|join|dedup|diff|pattern|anomaly)\b")


def understood(pattern: str) -> re.Pattern[str]:
    """The pattern as Python's engine spells it: `\\x{…}` is unknown to it."""
    return re.compile(re.sub(r"\\x\{([0-9A-F]+)\}", lambda m: re.escape(chr(int(m[1], 16))), pattern), re.DOTALL)


@given(st.text(min_size=1, max_size=queries.TEXT_CHARS))
def test_a_text_becomes_a_pattern_that_finds_it_and_no_other(text: str) -> None:
    pattern = queries.literal(text)
    assert HARMLESS.fullmatch(pattern)
    assert understood(pattern).fullmatch(text)
    assert not understood(pattern).search(text[:-1])


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("field", queries.FIELDS)
def test_a_hostile_text_leaves_the_query_as_it_is(field: str, text: str) -> None:
    query = queries.lines(100, (Only(field, text),))
    pattern = re.fullmatch(
        r"fields @timestamp, @message, @logStream, @log\n\| filter [@\w.]+ like /(\S+)/\n\| sort @timestamp asc\n\| limit 100", query
    )
    assert pattern is not None
    assert HARMLESS.fullmatch(pattern[1].removeprefix("^").removesuffix("$"))


@given(st.lists(st.sampled_from([*HOSTILE, "/", "|", "\n", "unmask", "SOURCE", " "]) | st.text(max_size=9), max_size=5).map("".join))
def test_no_text_adds_a_command_or_a_line(text: str) -> None:
    if 0 < len(text) <= queries.TEXT_CHARS:
        query = queries.lines(100, (Only("text", text),))
        assert query.count("\n") == 3
        assert query.count("|") == 3
        assert query.count("/") == 2
        assert not COMMANDS.search(re.sub(r"/[^/]*/", "", query))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_name_to_look_for_log_groups_by_is_cut_to_what_names_are_made_of(text: str) -> None:
    assert all(re.fullmatch(r"[A-Za-z0-9_/.#-]{4,100}", guess.text) for guess in _parts([text] * 50))
    assert len(_parts([f"{text[:50]}{n:04d}" for n in range(50)])) <= WORDS


def test_a_namespace_is_compared_whole() -> None:
    assert "kubernetes.namespace_name like /^shop-eu\\x2E1$/" in queries.lines(1, (Only("namespace", "shop-eu.1"),))


def test_a_field_that_is_not_in_the_table_is_no_field() -> None:
    with pytest.raises(KeyError):
        queries.lines(1, (Only("@message | limit 1", "x"),))


@pytest.mark.parametrize("text", ["", "x" * (queries.TEXT_CHARS + 1)])
def test_a_text_of_no_or_too_great_length_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        queries.literal(text)
