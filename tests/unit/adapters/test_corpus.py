"""Pages that are searched in memory, with the encoder as it is."""

import numpy as np
import pytest

from superbiz.adapters import encoder
from superbiz.adapters.corpus import Corpus, gist
from superbiz.domain import chunking
from superbiz.domain.knowledge import Chunk

QUOTA = "# Namespace quota\n\n## Meaning\nA namespace has used up what it may use.\n\n## Mitigation\n- Review the quota of the namespace."
POOL = (
    "# Connection pool\n\n## Meaning\nAll connections of the pool are taken.\n\n"
    "## Mitigation\n- Raise the size of the pool.\n- Find the leak."
)
DISK = "# Disk full\n\nOld segments fill the volume.\n\n## 处理步骤\n1. 删除归档的日志"
QUEUE = "# 消息队列积压\n\n消费者处理太慢，消息在队列中堆积。\n\n## 处理步骤\n- 增加消费者"
CERT = "# Certificates\n\nThe gateway's certificate is no longer valid.\n\n## Mitigation\nRenew it, and reload the gateway."
PAGES = {"quota": QUOTA, "pool": POOL, "disk": DISK, "queue": QUEUE, "cert": CERT}


def chunks_of(pages: dict[str, str]) -> list[Chunk]:
    return [c for name, text in pages.items() for c in chunking.chunks(name, "v1", chunking.parse(f"{name}.md", text).pieces)]


@pytest.fixture(scope="module")
def used() -> encoder.Encoder:
    found = encoder.installed()
    assert found is not None
    return found


@pytest.fixture(scope="module")
def corpus(used: encoder.Encoder) -> Corpus:
    chunks = chunks_of(PAGES)
    return Corpus(chunks, used.encode([gist(c) for c in chunks]))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("NamespaceQuotaExceeded", "quota"),
        ("TLS certificate of {{ $labels.gateway }} expires soon", "cert"),
        ("the backlog of messages grows, consumers are too slow", "queue"),
        ("数据库连接池耗尽，无法获取连接", "pool"),
        ("磁盘空间不足", "disk"),
        ("证书即将过期", "cert"),
        ("filesystem is filling up", "disk"),
    ],
)
def test_a_page_is_found_by_words_by_matter_and_across_languages(corpus: Corpus, used: encoder.Encoder, query: str, expected: str) -> None:
    assert corpus.search(query, 5, used)[0].chunk.document_id == expected
    assert corpus.ranked(query, used)[0][0] == expected


def test_every_page_is_ranked_and_no_unrelated_one_is_found(corpus: Corpus, used: encoder.Encoder) -> None:
    assert {name for name, _ in corpus.ranked("sourdough bread", used)} == set(PAGES)
    assert corpus.search("how do I bake sourdough bread", 5, used) == []


def test_the_passage_that_matters_is_quoted_first_and_the_others_of_its_page_are_near(corpus: Corpus, used: encoder.Encoder) -> None:
    first, second, *_ = corpus.search("raise the size of the connection pool, find the leak", 5, used)
    assert (first.chunk.heading, first.chunk.text) == ("Connection pool > Mitigation", "- Raise the size of the pool.\n- Find the leak.")
    assert second.chunk.document_id == "pool"
    assert second.score < first.score


def test_a_heading_over_nothing_is_no_passage_to_quote(used: encoder.Encoder) -> None:
    chunks = chunks_of({"disk": "# Disk full\n\n## Disk full\n\n## Meaning\n\nSegments fill it.\n\n## Mitigation\n\nTODO"})
    (first, *_) = Corpus(chunks, used.encode([gist(c) for c in chunks])).search("disk full", 5, used)
    assert first.chunk.text == "Segments fill it."


def test_a_score_is_that_of_the_page_and_scores_fall(corpus: Corpus, used: encoder.Encoder) -> None:
    hits = corpus.search("connection pool leak", 5, used)
    assert hits[0].score == dict(corpus.ranked("connection pool leak", used))["pool"]
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_pages_given_chunk_by_chunk_in_any_order_are_the_same(used: encoder.Encoder, corpus: Corpus) -> None:
    turned = chunks_of(PAGES)[::-1]
    again = Corpus(turned, used.encode([gist(c) for c in turned]))
    assert dict(again.ranked("pool of connections", used)) == dict(corpus.ranked("pool of connections", used))


def test_without_vectors_words_and_matter_are_searched(used: encoder.Encoder) -> None:
    plain = Corpus(chunks_of(PAGES), None)
    assert plain.ranked("certificate expired", None)[0][0] == "cert"
    assert plain.search("connection pool", 5, None)[0].chunk.document_id == "pool"


def test_an_empty_corpus_finds_nothing(used: encoder.Encoder) -> None:
    empty = Corpus([], np.zeros((0, used.dimensions), dtype=np.float32))
    assert empty.search("pool", 5, used) == []
    assert empty.ranked("pool", used) == []
