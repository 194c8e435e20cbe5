"""How related a text is to a query."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import relevance
from superbiz.domain.relevance import Measures

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=12)
SHARE = st.floats(0, 1)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    index = relevance.Bm25([["pool", "the"], ["the", "disk"], ["the", "node"]])
    first, second, third = index.coverage(["the", "pool"])
    assert first > second == third


def test_a_word_that_no_text_holds_lowers_the_share() -> None:
    index = relevance.Bm25([["pool", "dry"], ["disk", "full"]])
    assert index.coverage(["pool", "dry", "unheard"])[0] < index.coverage(["pool", "dry"])[0]


def test_of_a_single_text_a_word_counts_as_it_would_of_many() -> None:
    (known,) = relevance.Bm25([["pool", "dry"]]).coverage(["pool"])
    (half,) = relevance.Bm25([["pool", "dry"]]).coverage(["pool", "unheard"])
    assert half > known / 3


def test_a_longer_text_needs_more_to_count_the_same() -> None:
    short, long = relevance.Bm25([["pool"], ["pool", *"abcdefgh"]]).coverage(["pool"])
    assert short > long


def test_a_word_that_weighs_more_decides() -> None:
    first, second = relevance.Bm25([["pool"], ["disk"]]).shares({"pool": 1.0, "disk": 2.0})
    assert second == pytest.approx(2 * first)


@given(st.lists(WORDS, max_size=8), WORDS)
def test_coverage_is_a_share(texts: list[list[str]], query: list[str]) -> None:
    shares = relevance.Bm25(texts).coverage(query)
    assert len(shares) == len(texts)
    for share, text in zip(shares, texts, strict=True):
        assert 0 <= share <= 1
        assert (share > 0) == bool(set(text) & set(query))


@given(st.builds(Measures, SHARE, SHARE, SHARE, st.floats(-1, 1)), st.builds(Measures, *[st.floats(0.1, 2)] * 4))
def test_a_score_lies_between_its_measures(own: Measures, weights: Measures) -> None:
    score = own.score(weights)
    assert max(min(own), 0.0) - 1e-9 <= score <= max(own) + 1e-9


@given(st.text("abcd", min_size=1, max_size=30), st.lists(st.text("abcd", min_size=1, max_size=30), max_size=6))
def test_nothing_is_more_alike_than_the_same_pieces(one: str, others: list[str]) -> None:
    pieces = [relevance.of_length_one(Counter(text)) for text in (one, *others)]
    alike = relevance.likeness(Counter(one), pieces)
    assert all(share >= 0 for share in alike)
    for share, text in zip(alike[1:], others, strict=True):
        assert (share > 0) == bool(set(one) & set(text))


def test_a_piece_that_all_have_tells_them_apart_less_than_a_rare_one() -> None:
    texts = [Counter("ax"), Counter("ay"), Counter("az")]
    first, second, _ = relevance.likeness(Counter("ax"), [relevance.of_length_one(t) for t in texts])
    assert first > 2 * second > 0


def test_either_side_alone_relates() -> None:
    assert Measures(meaning=0.5).is_related
    assert Measures(words=0.5).is_related
    assert not Measures(words=0.1, matter=1.0, spelling=1.0, meaning=0.2).is_related


def test_what_is_far_behind_the_best_is_not_shown() -> None:
    assert relevance.worth_showing([0.8, 0.2, 0.7, 0.8]) == [0, 3, 2]
    assert relevance.worth_showing([0.0, 0.0]) == []
    assert relevance.worth_showing([]) == []
