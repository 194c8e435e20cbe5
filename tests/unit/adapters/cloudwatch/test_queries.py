"""Nothing that a caller says can change what a query does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.adapters.cloudwatch import queries
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
]


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


def test_a_namespace_is_compared_whole() -> None:
    assert "kubernetes.namespace_name like /^shop-eu\\x2E1$/" in queries.lines(1, (Only("namespace", "shop-eu.1"),))


def test_a_field_that_is_not_in_the_table_is_no_field() -> None:
    with pytest.raises(KeyError):
        queries.lines(1, (Only("@message | limit 1", "x"),))


@pytest.mark.parametrize("text", ["", "x" * (queries.TEXT_CHARS + 1)])
def test_a_text_of_no_or_too_great_length_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        queries.literal(text)
