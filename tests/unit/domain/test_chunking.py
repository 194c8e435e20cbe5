"""Chunks: nothing lost, sizes kept, sentences and fences respected, ids that follow from their place."""

import itertools
import re
import time

from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import chunking

WORDS = st.text(alphabet="abcdefgh", min_size=1, max_size=9)
CHINESE = st.text(alphabet="数据库连接池耗尽超时。！？；", min_size=1, max_size=120)
SENTENCES = st.lists(WORDS, min_size=1, max_size=40).map(lambda ws: " ".join(ws) + ".")
CODE = st.lists(WORDS, min_size=1, max_size=60).map(lambda ws: "```\n" + "\n".join(ws) + "\n```")
HEADINGS = st.tuples(st.integers(1, 4), WORDS).map(lambda h: "#" * h[0] + " " + h[1])
DOCUMENTS = st.lists(st.one_of(SENTENCES, CHINESE, CODE, HEADINGS, st.text(max_size=200)), max_size=30).map("\n\n".join)


@given(st.one_of(DOCUMENTS, st.text(max_size=3000)))
def test_spans_cover_the_text_with_small_overlaps_and_bounded_pieces(text: str) -> None:
    spans = chunking.spans(text)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    for (start, end), (following, _) in itertools.pairwise(spans):
        assert start < following <= end
        assert end - following <= chunking.OVERLAP
    assert all(0 < len(piece) <= chunking.MAX_CHARS for piece in chunking.split(text))


@given(DOCUMENTS)
def test_no_word_is_lost_and_every_piece_stands_in_the_document(text: str) -> None:
    parsed = chunking.parse("page.md", text)
    kept = "\n".join(f"{heading}\n{piece}" for heading, piece in parsed.pieces)
    plain = chunking.markdown.plain(chunking.markdown.front_matter(chunking.markdown.plain(text))[1])
    assert all(piece in plain for _, piece in parsed.pieces)
    assert all(word in kept for word in re.findall(r"[a-h]{1,9}|[数据库连接池耗尽超时]+(?=[。！？；])", plain) if len(word) < 100)


@given(DOCUMENTS)
def test_the_same_document_gives_the_same_chunks(text: str) -> None:
    pieces = chunking.parse("page.md", text).pieces
    first, second = chunking.chunks("d", "v", pieces), chunking.chunks("d", "v", pieces)
    assert first == second
    assert len({c.chunk_id for c in first}) == len(first)
    assert {c.chunk_id for c in first}.isdisjoint(c.chunk_id for c in chunking.chunks("d", "w", pieces))


@given(st.lists(st.one_of(SENTENCES, CODE), max_size=12).map("\n\n".join))
def test_a_fence_that_fits_is_never_cut(text: str) -> None:
    pieces = chunking.split(text)
    for fence in re.findall(r"```\n[^`]+\n```", text):
        if len(fence) <= chunking.MAX_CHARS:
            assert any(fence in piece for piece in pieces)
    assert all(piece.count("```") % 2 == 0 for piece in pieces if "```" in piece and max(map(len, re.findall(r"```[^`]*```", text))) <= 800)


def test_the_longest_fence_that_fits_stays_whole() -> None:
    fence = "```\n" + "\n".join(f"step {n:03}" for n in range(87)) + "\n```"
    assert chunking.MAX_UNIT < len(fence) <= chunking.MAX_CHARS
    assert any(fence in piece for piece in chunking.split(f"before the code.\n\n{fence}\n\nafter the code."))


def test_an_overlap_never_begins_inside_a_fence() -> None:
    fence = "```\nkubectl get pods\nkubectl describe pod\n```"
    pieces = chunking.split("word " * 130 + f"\n\n{fence}\n\n" + "more " * 130)
    assert fence in pieces[0]
    assert pieces[1].startswith("more")


def test_paragraphs_that_fit_are_not_cut() -> None:
    paragraphs = [f"{n} " + "word " * 80 + "end." for n in range(6)]
    pieces = chunking.split("\n\n".join(paragraphs))
    assert all(any(p in piece for piece in pieces) for p in paragraphs)


def test_chinese_is_cut_after_its_sentence_ends() -> None:
    sentence = "数据库连接池耗尽会使所有请求排队等待直到超时为止"
    text = "".join(sentence + end for end in "。！？；" * 20)
    pieces = chunking.split(text)
    assert len(pieces) > 2
    assert all(piece[-1] in "。！？；" for piece in pieces)
    assert all(piece.startswith("数据库") for piece in pieces)


def test_a_closing_quote_stays_with_its_sentence() -> None:
    text = "他说：“" + "连接数已经用完了" * 40 + "。”" + "后来服务恢复了" * 80 + "。"
    assert chunking.split(text)[0].endswith("。”")


def test_english_is_cut_after_sentences_and_not_at_points_inside_numbers() -> None:
    text = " ".join(f"Version 1.{n} of the driver needs 2.5 seconds to connect." for n in range(60))
    pieces = chunking.split(text)
    assert all(piece.endswith("connect.") and piece.startswith("Version") for piece in pieces)


def test_consecutive_pieces_share_their_border() -> None:
    pieces = chunking.split(" ".join(f"word{n}" for n in range(600)))
    for before, after in itertools.pairwise(pieces):
        shared = next(n for n in range(chunking.OVERLAP, 0, -1) if before.endswith(after[:n].rstrip()))
        assert shared > 80


def test_sections_never_share_a_chunk() -> None:
    pieces = chunking.parse("page.md", "# A\nalpha\n## B\nbeta\n## C\n" + "gamma. " * 300).pieces
    assert [h for h, _ in pieces[:2]] == ["A", "A > B"]
    assert {h for h, _ in pieces[2:]} == {"A > C"}
    assert all("beta" not in text for _, text in pieces[2:])


def test_the_title_is_the_front_matters_then_the_first_headings_then_the_files() -> None:
    assert chunking.parse("x.md", "---\ntitle: Kube API Down\n---\n# KubeAPIDown\n## Meaning\nm").pieces == (
        ("KubeAPIDown > Meaning", "m"),
    )
    assert chunking.parse("x.md", "---\ntitle: Other\n---\n# Name\nm").pieces == (("Other > Name", "m"),)
    assert chunking.parse("x.md", "# Name\nm").title == "Name"
    assert chunking.parse("folder/pool-exhausted.md", "text").pieces == (("pool-exhausted", "text"),)


def test_a_text_file_has_no_headings() -> None:
    assert chunking.parse("notes.txt", "# not a heading\ntext").pieces == (("notes", "# not a heading\ntext"),)


def test_code_keeps_its_indentation() -> None:
    assert chunking.split("    indented\n    code") == ["    indented\n    code"]


def test_an_empty_document_has_no_pieces() -> None:
    assert chunking.parse("x.md", " \n\n").pieces == ()


def test_a_quarter_mebibyte_of_anything_is_cut_in_seconds() -> None:
    for unit in ("word and more words. ", "。", "x", "```\n```\n", "\n", "# a\n", "a\n\n"):
        started = time.process_time()
        chunking.parse("x.md", unit * (2**18 // len(unit.encode())))
        assert time.process_time() - started < 3, unit
