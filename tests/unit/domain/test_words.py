"""Texts taken apart into runs and parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import words


@pytest.mark.parametrize(
    ("run", "parts"),
    [
        ("KubeAPIDown", ["Kube", "API", "Down"]),
        ("kube-api_down.v2", ["kube", "api", "down", "v", "2"]),
        ("ERR_CONN_4711", ["ERR", "CONN", "4711"]),
        ("连接池Down耗尽", ["连接池", "Down", "耗尽"]),
        ("ＫｕｂｅＡＰＩ", ["Kube", "API"]),
        ("Größe", ["Größe"]),
    ],
)
def test_a_compound_has_parts(run: str, parts: list[str]) -> None:
    assert [found for _, found in words.runs(f"see {run}!")] == [["see"], parts]


def test_taking_apart_keeps_the_text_and_adds_the_parts() -> None:
    assert words.taken_apart("see KubeAPIDown 连接池Down") == "see KubeAPIDown 连接池Down Kube API Down 连接池 Down"
    assert words.taken_apart("plain text") == "plain text"


def test_a_script_without_spaces_is_read_in_pairs() -> None:
    assert words.pairs("连接池") == ["连接", "接池"]
    assert words.pairs("库") == ["库"]
    assert words.is_ideographic("库")
    assert not words.is_ideographic("pool")


@given(st.text(max_size=300))
def test_any_text_can_be_taken_apart(text: str) -> None:
    assert all(part for _, parts in words.runs(text) for part in parts)
    assert words.taken_apart(text).startswith(text)
