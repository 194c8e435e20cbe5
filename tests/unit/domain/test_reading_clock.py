"""No reader of claims and records blows up on hostile text: time grows about as the text does."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.domain.reading import chinese, labels, names, numerals, quantities, times, words
from superbiz.domain.reading.clausing import CLAUSE
from superbiz.domain.reading.parts import Cited, record, saying

SMALL, SIZE = 6_000, 100_000
LONG = ("a", "1.", "1", "(", "[", "三", "UTC")
PATTERNS = (
    "a", "a-", "a ", "1", "1.", "1,", "1,234", "1 ", "(", "[", "{", '"', "'", "“", "00:00", "00:00:", "2026-01-01", "2026-01-01T",
    "12/12/", "1/",
    "not ", "of ", "of the ", "1 of ", "from 1 to ", "time out ", "百", "三", "百分之", "三次", "没有", "北京时间", "：", "，",
    "上午", "1点", "Jan ", "1e9", "-", "+",
    "a=", "a=1,", "1k", "1 ms ", "x's ", "above 1 ", "%", "\u200b", "\ud800", "é", "UTC", "1 PM ", "\n", " ",
)  # fmt: skip
READERS: dict[str, Callable[[str], Any]] = {
    "quantities": lambda t: list(quantities.in_text(t)),
    "spelled": lambda t: list(quantities.spelled(t)),
    "numerals": lambda t: list(numerals.in_text(t)),
    "times": lambda t: list(times.in_text(t)),
    "blanked": times.blanked,
    "names": lambda t: list(names.in_text(t)),
    "record names": lambda t: names.of_record([t]),
    "words": words.words,
    "chinese": lambda t: list(chinese.words(t)),
    "clauses": CLAUSE.split,
    "record numbers": lambda t: list(quantities.in_record({"a": t})),
    "labels": lambda t: labels.of_text(t[: labels.REACH], t[: labels.REACH]),
}
LIMIT = 2.0  # seconds of CPU, many times what the slowest needs


def _spent(read: Callable[[str], Any], text: str) -> float:
    started = time.process_time()
    read(text)
    return time.process_time() - started


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_bounded_time_for_hostile_text(name: str) -> None:
    """All of the patterns at a size where a square of it shows, some at 100 kB."""
    for pattern in PATTERNS:
        for text in _grown(pattern):
            assert _spent(READERS[name], text) < LIMIT, (name, pattern, len(text))


def _grown(pattern: str) -> Iterator[str]:
    for size in (SMALL, SIZE) if pattern in LONG else (SMALL,):
        yield (pattern * (size // len(pattern) + 1))[:size]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=4), st.integers(50, 300))
def test_a_claim_and_a_record_of_any_of_it_are_taken_apart_in_bounded_time(parts: list[str], times_: int) -> None:
    text = "".join(parts) * times_
    started = time.process_time()
    saying(text[:2_000], frozenset())
    record(Cited(text[:400], text, {}, {}))
    assert time.process_time() - started < LIMIT
