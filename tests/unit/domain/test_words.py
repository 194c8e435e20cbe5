"""Words as they are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import words


@pytest.mark.parametrize("spelling", ["KubeAPIDown", "kube-api-down", "kube_api.down", "Kube API downs", "ＫｕｂｅＡＰＩＤｏｗｎ"])
def test_a_compound_shares_its_words_with_other_spellings(spelling: str) -> None:
    assert set(words.of("Kube API Down")) <= set(words.of(spelling))


def test_a_compound_also_counts_as_a_whole() -> None:
    assert "errconn4711" in words.of("ERR_CONN_4711")


def test_plain_endings_do_not_count() -> None:
    assert words.of("services failing connections used") == words.of("service failed connection used")
    assert words.of("bus class as") == ["bus", "class", "as"]


def test_chinese_is_read_in_pairs_apart_from_latin() -> None:
    assert words.of("连接池KubeDown耗尽") == ["连接", "接池", "kub", "down", "耗尽"]
    assert words.of("库") == ["库"]


def test_letters_beyond_ascii_stay_in_their_word() -> None:
    assert words.of("Größe naïve") == ["grösse", "naïve"]


def test_taking_apart_keeps_the_text_and_adds_the_parts() -> None:
    assert words.taken_apart("see KubeAPIDown 连接池Down") == "see KubeAPIDown 连接池Down Kube API Down 连接池 Down"
    assert words.taken_apart("plain text") == "plain text"


@given(st.text(max_size=300))
def test_any_text_has_words_without_blanks(text: str) -> None:
    assert all(word and not word.isspace() for word in words.of(text))
    assert words.taken_apart(text).startswith(text)
