"""The vocabulary of operations."""

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import operations, terms


@pytest.mark.parametrize(
    ("query", "sought"),
    [
        ("The file descriptors of the host run out", "lsof ulimit"),
        ("certificate of the gateway expires in 3 days", "renew rotate"),
        ("SQS queue backlog grows", "consumer throughput"),
        ("pod is in a crash loop", "probe logs"),
        ("replica lag of the reporting database", "replica write"),
        ("连接池耗尽", "pool leak idle"),
        ("the connection pool is exhausted", "连接池 耗尽"),
    ],
)
def test_a_matter_is_sought_by_its_other_words_too(query: str, sought: str) -> None:
    assert set(terms.of(sought)) <= set(operations.related(query))


def test_chinese_words_are_read_in_english_the_longest_first() -> None:
    assert operations.in_english("数据库连接池耗尽").split() == ["database", "connection", "pool", "exhausted"]
    assert operations.in_english("订单金额 pool") == " order 金额 pool"
    assert operations.in_english("connection pool") == "connection pool"


def test_words_of_a_cue_stand_near_each_other() -> None:
    assert "lsof" in operations.related("file and socket descriptors")
    assert "lsof" not in operations.related("the file was copied to the archive where nobody reads descriptors")


def test_words_joined_by_plus_may_stand_apart() -> None:
    assert "latenc" in operations.related("throttling was seen all afternoon and evening on the container's CPU")
    assert "kernel" not in operations.related("throttling of requests")


def test_a_longer_cue_counts_more() -> None:
    assert operations.related("lifecycle event generator")["runtim"] > operations.related("pleg")["runtim"]


def test_what_is_no_matter_of_operations_has_no_other_words() -> None:
    assert operations.related("how do I bake sourdough bread") == {}
    assert operations.related("") == {}


def test_every_line_of_the_table_is_found_by_each_of_its_cues() -> None:
    lines = files("superbiz.domain").joinpath(operations.TABLE).read_text(encoding="utf-8").splitlines()
    rows = [line.partition(" -> ") for line in lines if " -> " in line and not line.startswith("#")]
    assert len(rows) > 100
    for cues, _, said in rows:
        for cue in cues.split(";"):
            assert set(terms.of(said)) <= set(operations.related(cue.replace(" + ", " and ")))


def test_a_line_is_a_comment_a_matter_or_a_translation() -> None:
    lines = files("superbiz.domain").joinpath(operations.TABLE).read_text(encoding="utf-8").splitlines()
    assert all(not line or line.startswith("#") or (" -> " in line) != (" = " in line) for line in lines)
    assert len(operations.vocabulary().english) > 100


@given(st.text(max_size=200))
def test_any_query_can_be_read(query: str) -> None:
    assert all(weight > 0 for weight in operations.related(query).values())
