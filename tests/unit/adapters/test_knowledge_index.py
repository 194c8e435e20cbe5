"""The knowledge base: L0 from the table, L1 from the vector store, and what is said where that can not be asked."""

import time
from collections.abc import Sequence
from typing import Any

import pytest

from superbiz.adapters import encoder
from superbiz.adapters.exact_index import NO_ENCODER, ExactIndex
from superbiz.adapters.knowledge_index import KnowledgeIndex
from superbiz.adapters.memory import MemoryLedger, MemoryObjects
from superbiz.adapters.milvus import MilvusIndex
from superbiz.domain.knowledge import KnowledgeHit, Level
from superbiz.errors import Unavailable
from superbiz.ports import SourceUnavailable
from support.runbooks import DISK, POOL, build_chunks, put
from support.vectors import free_port, silent_server


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


def knowledge(ledger: MemoryLedger, milvus: MilvusIndex | None = None, using: encoder.Encoder | None = None) -> KnowledgeIndex:
    return KnowledgeIndex(ledger, ExactIndex(ledger, MemoryObjects(), using or encoder.installed()), milvus)


def milvus_at(uri: str) -> MilvusIndex:
    used = encoder.installed()
    assert used is not None
    return MilvusIndex(uri, used)


def levels(hits: Sequence[KnowledgeHit]) -> list[tuple[str, str]]:
    return [(hit.level, hit.document_id) for hit in hits]


# REQ-047
@pytest.mark.parametrize("key", ["orders-pool-dry", "Orders Pool Dry", "hikari-30000", "GET /api/orders/:id", "connection pool EXHAUSTED"])
def test_every_key_of_a_document_is_an_exact_hit(ledger: MemoryLedger, key: str) -> None:
    put(ledger, "pool")
    put(ledger, "disk", DISK)
    hits = knowledge(ledger).find([key], "")
    assert levels(hits) == [("L0", "pool")] * 2
    assert {(hit.score, hit.via, hit.note) for hit in hits} == {(1.0, "key", "")}
    assert [hit.heading for hit in hits] == ["Connection pool exhausted > Meaning", "Connection pool exhausted > Steps"]


# REQ-047
def test_exact_hits_come_first_and_no_chunk_twice(ledger: MemoryLedger) -> None:
    put(ledger, "pool")
    put(ledger, "disk", DISK)
    hits = knowledge(ledger).find(["disk full"], "database connection pool runs dry; the disk is full of segments", limit=5)
    assert levels(hits)[0] == ("L0", "disk")
    assert {hit.document_id for hit in hits[1:]} == {"pool"}
    assert {hit.level for hit in hits[1:]} == {Level.L1}
    assert len({hit.chunk_id for hit in hits}) == len(hits)
    assert [hit.score for hit in hits[1:]] == sorted((hit.score for hit in hits[1:]), reverse=True)


def test_of_a_long_document_the_sections_that_tell_most_are_shown_in_its_order(ledger: MemoryLedger) -> None:
    sections = "\n".join(
        f"## Part {n}\nText of part {n} about {topic}." for n, topic in enumerate(["pods", "quota", "disks", "nodes", "certificates"])
    )
    put(ledger, "long", f"# Long page\n{sections}")
    hits = knowledge(ledger).find(["long page"], "certificates and quota", limit=3)
    assert [hit.heading for hit in hits if hit.level == Level.L0] == ["Long page > Part 0", "Long page > Part 1", "Long page > Part 4"]


def test_two_documents_of_one_key_share_the_room(ledger: MemoryLedger) -> None:
    put(ledger, "a", POOL)
    put(ledger, "b", POOL.replace("order service", "cart service"))
    hits = knowledge(ledger).find(["orders-pool-dry"], "", limit=4)
    assert sorted(hit.document_id for hit in hits) == ["a", "a", "b"]  # the steps are the same text in both
    assert len(knowledge(ledger).find(["orders-pool-dry"], "pool", limit=1)) == 1


def test_what_does_not_match_is_no_hit(ledger: MemoryLedger) -> None:
    put(ledger, "pool")
    assert knowledge(ledger).find(["unheard-of"], "how do I bake sourdough bread") == []
    assert knowledge(ledger).find([], " ") == []


def test_an_empty_knowledge_base_is_none(ledger: MemoryLedger) -> None:
    with pytest.raises(SourceUnavailable, match="no document"):
        knowledge(ledger).find(["pool"], "pool")


def test_a_removed_document_is_not_found(ledger: MemoryLedger) -> None:
    base = knowledge(ledger)
    put(ledger, "pool")
    put(ledger, "disk", DISK)
    base.upsert(build_chunks("pool"))
    assert base.find(["orders-pool-dry"], "connection pool")
    ledger.delete_document("pool")
    assert base.find(["orders-pool-dry"], "connection pool") == []


def test_without_a_vector_store_the_exact_search_needs_no_excuse(ledger: MemoryLedger) -> None:
    put(ledger, "pool")
    base = knowledge(ledger)
    assert base.collection == ""
    assert {(hit.via, hit.note) for hit in base.find([], "database connections used up")} == {("exact", "")}


def test_a_vector_store_that_is_down_is_replaced_and_it_is_said_in_the_hit(ledger: MemoryLedger) -> None:
    milvus = milvus_at(f"http://127.0.0.1:{free_port()}")
    put(ledger, "pool", collection=milvus.collection)
    hits = knowledge(ledger, milvus).find(["orders-pool-dry"], "database connections used up", limit=10)
    assert {hit.via for hit in hits} == {"key"}
    (hit, *_) = knowledge(ledger, milvus_at(f"http://127.0.0.1:{free_port()}")).find([], "database connections used up")
    assert hit.via == "exact"
    assert "vector store did not answer" in hit.note


def test_a_vector_store_that_hangs_adds_three_seconds_at_most_and_once(ledger: MemoryLedger) -> None:
    import pymilvus

    assert pymilvus  # its import is no waiting for the store
    put(ledger, "pool")
    knowledge(ledger).find([], "warm")
    alone = _timed(knowledge(ledger))
    with silent_server() as uri:
        milvus = milvus_at(uri)
        put(ledger, "pool", collection=milvus.collection)
        base = knowledge(ledger, milvus)
        first, second = _timed(base), _timed(base)
    assert first - alone < 3.0
    assert second - alone < 0.5


def _timed(base: KnowledgeIndex) -> float:
    started = time.perf_counter()
    hits = base.find([], "database connections used up")
    assert {hit.via for hit in hits} == {"exact"}
    return time.perf_counter() - started


class Vectors:
    """A vector store that answers; what it would be asked is all this is about."""

    collection = "vectors"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def search(self, query: str, limit: int, documents: Any) -> list[Any]:
        self.asked.append(query)
        return []


def test_a_vector_store_that_lacks_a_document_is_not_trusted_with_the_search(ledger: MemoryLedger) -> None:
    vectors: Any = Vectors()
    put(ledger, "pool")
    put(ledger, "disk", DISK, collection="vectors")
    (hit, *_) = knowledge(ledger, vectors).find([], "database connections used up")
    assert (hit.via, hit.note) == ("exact", "1 of 2 documents are not in the vector store yet")
    assert vectors.asked == []
    put(ledger, "pool", collection="vectors")
    assert knowledge(ledger, vectors).find([], "database connections used up") == []
    assert vectors.asked == ["database connections used up"]


def test_without_an_encoder_that_is_said_too(ledger: MemoryLedger) -> None:
    put(ledger, "pool")
    base = KnowledgeIndex(ledger, ExactIndex(ledger, MemoryObjects(), None))
    (hit, *_) = base.find([], "order service database connection")
    assert hit.note == NO_ENCODER


def test_a_table_that_can_not_be_read_is_not_an_empty_answer(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: Any) -> Any:
        raise Unavailable("table: throttled")

    put(ledger, "pool")
    monkeypatch.setattr(ledger, "documents", down)
    with pytest.raises(Unavailable):
        knowledge(ledger).find(["pool"], "pool")
