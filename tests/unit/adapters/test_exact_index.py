"""Exact search: right with any snapshot, or none."""

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from superbiz.adapters import encoder, vector_file
from superbiz.adapters.exact_index import NO_ENCODER, ExactIndex
from superbiz.adapters.memory import MemoryLedger, MemoryObjects
from superbiz.domain.knowledge import Chunk, Document
from superbiz.errors import Unavailable
from support.runbooks import CHINESE, DISK, POOL, build_chunks, put

NAME = "knowledge/exact-use_multilingual_3.npz"


class CountingLedger(MemoryLedger):
    """Counts how often chunks are read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def chunks(self, document_id: str) -> Sequence[Chunk]:
        self.read.append(document_id)
        return super().chunks(document_id)


class CountingObjects(MemoryObjects):
    """Counts writes."""

    writes = 0

    def put(self, key: str, data: bytes) -> None:
        self.writes += 1
        super().put(key, data)


class BrokenObjects(MemoryObjects):
    """Neither reads nor writes."""

    def put(self, key: str, data: bytes) -> None:
        raise Unavailable("no bucket")

    def get(self, key: str) -> bytes | None:
        raise Unavailable("no bucket")


@pytest.fixture
def ledger() -> CountingLedger:
    return CountingLedger()


@pytest.fixture
def objects() -> CountingObjects:
    return CountingObjects()


def index(ledger: MemoryLedger, objects: MemoryObjects) -> ExactIndex:
    """A new process's index."""
    return ExactIndex(ledger, objects, encoder.installed())


def found(index: ExactIndex, query: str, *documents: Document) -> list[str]:
    return [hit.chunk.document_id for hit in index.search(query, 5, documents)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("database connections used up", "pool"),
        ("数据库连接池耗尽", "pool"),
        ("the disk is full", "disk"),
        ("maximumPoolSize", "pool"),
        ("支付接口很慢", "pay"),
    ],
)
def test_chunks_are_found_by_meaning_by_name_and_across_languages(
    ledger: CountingLedger, objects: CountingObjects, query: str, expected: str
) -> None:
    documents = [put(ledger, "pool", POOL), put(ledger, "disk", DISK), put(ledger, "pay", CHINESE)]
    assert found(index(ledger, objects), query, *documents)[0] == expected


def test_a_question_about_something_else_finds_nothing(ledger: CountingLedger, objects: CountingObjects) -> None:
    assert found(index(ledger, objects), "how do I bake sourdough bread", put(ledger, "pool"), put(ledger, "disk", DISK)) == []
    assert found(index(ledger, objects), "pool") == []


def test_only_documents_and_versions_in_force_are_found(ledger: CountingLedger, objects: CountingObjects) -> None:
    here = index(ledger, objects)
    old = put(ledger, "pool", POOL, "v1")
    assert found(here, "connection pool", old)
    new = put(ledger, "pool", POOL.replace("Raise", "Do not raise"), "v2")
    texts = [hit.chunk.text for hit in here.search("maximumPoolSize", 5, [new])]
    assert texts[0].startswith("Do not raise")
    assert {hit.chunk.version for hit in here.search("connection pool", 5, [new])} == {"v2"}
    assert found(here, "connection pool", put(ledger, "disk", DISK)) == []


def test_a_new_process_reads_the_snapshot_and_not_the_table(ledger: CountingLedger, objects: CountingObjects) -> None:
    documents = [put(ledger, "pool"), put(ledger, "disk", DISK)]
    first = found(index(ledger, objects), "connection pool", *documents)
    ledger.read.clear()
    assert found(index(ledger, objects), "connection pool", *documents) == first
    assert ledger.read == []


def test_what_was_uploaded_here_needs_no_reading(ledger: CountingLedger, objects: CountingObjects) -> None:
    here = index(ledger, objects)
    document = put(ledger, "pool")
    here.upsert(build_chunks("pool", POOL, filename="pool.md"))
    assert found(here, "connection pool", document)
    assert found(index(ledger, objects), "connection pool", document)
    assert ledger.read == []


def test_a_snapshot_that_lags_behind_costs_a_reading_and_no_hits(ledger: CountingLedger, objects: CountingObjects) -> None:
    pool = put(ledger, "pool")
    found(index(ledger, objects), "pool", pool)
    disk, changed = put(ledger, "disk", DISK), put(ledger, "pool", POOL + "\nnew line", "v2")
    ledger.read.clear()
    hits = index(ledger, objects).search("connection pool, disk full", 5, [changed, disk])
    assert {(h.chunk.document_id, h.chunk.version) for h in hits} == {("pool", "v2"), ("disk", "v1")}
    assert sorted(ledger.read) == ["disk", "pool"]


@pytest.mark.parametrize("damage", [b"", b"rubbish", b"PK\x03\x04 half a zip", None])
def test_a_damaged_snapshot_is_no_snapshot(ledger: CountingLedger, objects: CountingObjects, damage: bytes | None) -> None:
    pool = put(ledger, "pool")
    found(index(ledger, objects), "pool", pool)
    whole = objects.get(NAME)
    assert whole is not None
    objects.put(NAME, whole[: len(whole) // 2] if damage is None else damage)
    assert found(index(ledger, objects), "connection pool", pool)


class Tiny:
    """An encoder of no use but its speed."""

    name, dimensions = "use_multilingual_3", 4

    def encode(self, texts: Sequence[str]) -> "np.typing.NDArray[np.float32]":
        return np.full((len(texts), 4), 0.5, dtype=np.float32)


def test_vectors_of_another_length_are_not_used(ledger: CountingLedger, objects: CountingObjects) -> None:
    pool = put(ledger, "pool")
    ExactIndex(ledger, objects, Tiny()).upsert(build_chunks("pool"))
    assert found(index(ledger, objects), "connection pool", pool)


def test_without_an_object_store_the_search_still_stands(ledger: CountingLedger) -> None:
    pool = put(ledger, "pool")
    here = index(ledger, BrokenObjects())
    here.upsert(build_chunks("pool"))
    assert found(here, "connection pool", pool)


def test_without_an_encoder_words_are_searched_and_it_is_said(ledger: CountingLedger, objects: CountingObjects) -> None:
    pool = put(ledger, "pool")
    here = ExactIndex(ledger, objects, None)
    assert here.note == NO_ENCODER
    assert found(here, "order service database connection", pool)
    assert found(here, "datenbankverbindungen erschöpft", pool) == []
    assert index(ledger, objects).note == ""


def test_the_snapshot_is_not_rewritten_for_every_document(ledger: CountingLedger, objects: CountingObjects) -> None:
    here = ExactIndex(ledger, objects, Tiny())
    for n in range(100):
        here.upsert(build_chunks(f"d{n}", f"# Page {n}\n\ntext"))
    assert objects.writes < 50


def test_two_processes_that_upload_in_turn_keep_each_others_vectors(ledger: CountingLedger, objects: CountingObjects) -> None:
    one, other = ExactIndex(ledger, objects, Tiny()), ExactIndex(ledger, objects, Tiny())
    documents = [put(ledger, f"d{n}") for n in range(6)]
    for n in range(6):
        (one if n % 2 else other).upsert(build_chunks(f"d{n}", filename=f"d{n}.md"))
    found(ExactIndex(ledger, objects, Tiny()), "connection pool", *documents)
    assert ledger.read == []


def test_a_new_version_that_another_process_has_saved_is_read_from_the_snapshot(ledger: CountingLedger, objects: CountingObjects) -> None:
    one, other = ExactIndex(ledger, objects, Tiny()), ExactIndex(ledger, objects, Tiny())
    found(one, "pool", put(ledger, "pool"))
    changed = put(ledger, "pool", POOL + "\nnew line", "v2")
    other.upsert(build_chunks("pool", POOL + "\nnew line", "v2", "pool.md"))
    ledger.read.clear()
    assert {hit.chunk.version for hit in one.search("pool", 5, [changed])} == {"v2"}
    assert ledger.read == []


def test_the_snapshot_forgets_what_is_no_longer_in_force(ledger: CountingLedger, objects: CountingObjects) -> None:
    documents = [put(ledger, f"d{n}") for n in range(4)]
    found(ExactIndex(ledger, objects, Tiny()), "pool", *documents)
    found(ExactIndex(ledger, objects, Tiny()), "pool", documents[0], put(ledger, "new"))
    kept = {chunks[0].document_id for chunks, _ in vector_file.documents(objects.get(NAME), Tiny.dimensions)}
    assert kept == {"d0", "new"}


def test_forgotten_it_is_not_found_and_read_again_if_it_is_in_force(ledger: CountingLedger, objects: CountingObjects) -> None:
    here = index(ledger, objects)
    pool = put(ledger, "pool")
    here.upsert(build_chunks("pool"))
    here.delete("pool", "another version")
    here.delete("pool")
    here.delete("unheard of")
    assert found(here, "connection pool") == []
    assert found(here, "connection pool", pool)


def test_cleared_the_snapshot_is_empty(ledger: CountingLedger, objects: CountingObjects) -> None:
    here = index(ledger, objects)
    pool = put(ledger, "pool")
    here.upsert(build_chunks("pool"))
    here.clear()
    assert objects.get(NAME) == b""
    assert found(here, "connection pool", pool)


def test_threads_that_upload_and_search_at_once_lose_nothing(ledger: CountingLedger, objects: CountingObjects) -> None:
    here = index(ledger, objects)
    failures: list[BaseException] = []

    def work(n: int) -> None:
        try:
            document = put(ledger, f"d{n}", POOL.replace("order", f"order{n}"))
            here.upsert(build_chunks(f"d{n}", POOL.replace("order", f"order{n}"), filename=f"d{n}.md"))
            assert f"d{n}" in found(here, "connection pool exhausted", document)
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    documents = [d for d in (ledger.document(f"d{n}") for n in range(8)) if d]
    assert {h.chunk.document_id for h in here.search("connection pool exhausted", 50, documents)} == {f"d{n}" for n in range(8)}
