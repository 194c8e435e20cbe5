"""How related a text is to a query."""

from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import relevance

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    index = relevance.Bm25([["pool", "the"], ["the", "disk"], ["the", "node"]])
    first, second, third = index.coverage(["the", "pool"])
    assert first > second == third


def test_a_word_that_no_text_holds_lowers_the_share() -> None:
    index = relevance.Bm25([["pool", "dry"], ["disk", "full"]])
    assert index.coverage(["pool", "dry", "unheard"])[0] < index.coverage(["pool", "dry"])[0]


def test_a_longer_text_needs_more_to_count_the_same() -> None:
    short, long = relevance.Bm25([["pool"], ["pool", *"abcdefgh"]]).coverage(["pool"])
    assert short > long


@given(st.lists(WORDS, max_size=8), WORDS)
def test_coverage_is_a_share(texts: list[list[str]], query: list[str]) -> None:
    shares = relevance.Bm25(texts).coverage(query)
    assert len(shares) == len(texts)
    for share, text in zip(shares, texts, strict=True):
        assert 0 <= share <= 1
        assert (share > 0) == bool(set(text) & set(query))


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 1)), max_size=8))
def test_a_blend_keeps_what_is_best_on_both_sides_first(pairs: list[tuple[float, float]]) -> None:
    meanings, shares = [m for m, _ in pairs], [w for _, w in pairs]
    blended = relevance.blend(meanings, shares)
    assert all(0 <= b <= 1 for b in blended)
    for n, (meaning, share) in enumerate(pairs):
        if meaning == max(meanings) and share == max(shares):
            assert blended[n] == max(blended)


def test_either_side_alone_relates() -> None:
    assert relevance.related([0.5], [0.0]) == [(0, 0.5)]
    assert relevance.related([0.0], [0.5]) == [(0, 0.5)]


def test_nothing_is_shown_where_not_even_the_best_is_related() -> None:
    assert relevance.related([0.2, 0.1], [0.1, 0.15]) == []
    assert relevance.related([], []) == []


def test_what_is_far_behind_the_best_is_not_shown() -> None:
    assert [n for n, _ in relevance.related([0.8, 0.2, 0.7, 0.8], [0.0, 0.0, 0.0, 0.0])] == [0, 3, 2]


def test_without_meanings_words_alone_order() -> None:
    assert relevance.blend([0.0, 0.0], [0.1, 0.4]) == [0.1, 0.4]
