"""The Milvus adapter against a real milvus-lite server, and against servers that are down, silent or slow."""

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from superbiz.adapters import encoder
from superbiz.adapters.milvus import SEARCH_SECONDS, MilvusIndex
from superbiz.domain import chunking
from superbiz.domain.knowledge import Chunk, Document
from superbiz.errors import Broken, Unavailable
from support.builders import NOW
from support.vectors import VectorServer, free_port, silent_server, slow_server

ADDED_SECONDS = 3.0
POOL = "The connection pool of the order service runs dry: every request waits until it times out."
DISK = "Old write-ahead log segments fill the disk. Delete archived segments."
CODE = "ERR_CONN_4711 is raised by the gateway when KubeAPIDown fires."
CHINESE = "数据库连接池耗尽会使所有请求排队等待。"
prefixes = itertools.count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VectorServer]:
    server = VectorServer(tmp_path_factory.mktemp("vectors"))
    try:
        server.start()
    except (RuntimeError, OSError) as e:
        pytest.skip(f"milvus-lite does not start here: {e}")
    yield server
    server.kill()


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    """pymilvus takes its time to import; what is measured here is the waiting for the store."""
    import grpc
    import pymilvus

    index_at("http://127.0.0.1:1")._encoder.encode(["warm"])
    assert grpc
    assert pymilvus


def index_at(uri: str) -> MilvusIndex:
    used = encoder.installed()
    assert used is not None
    return MilvusIndex(uri, used, prefix=f"test-{next(prefixes)}")


@pytest.fixture
def index(server: VectorServer) -> MilvusIndex:
    return index_at(server.uri)


@pytest.fixture(scope="module")
def library(server: VectorServer) -> MilvusIndex:
    """A collection that tests only read."""
    index = index_at(server.uri)
    index.upsert(chunks("d", POOL, DISK, CODE, CHINESE))
    return index


def document(document_id: str, version: str = "v1") -> Document:
    return Document(document_id=document_id, domain_id="ops", title="T", filename="t.md", version=version, created_at=NOW, updated_at=NOW)


def chunks(document_id: str, *texts: str, version: str = "v1") -> list[Chunk]:
    return list(chunking.chunks(document_id, version, [("Runbook", text) for text in texts]))


def found(index: MilvusIndex, query: str, *documents: Document) -> list[str]:
    return [hit.chunk.text for hit in index.search(query, 5, documents)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("pool exhausted, requests time out", POOL),
        ("disk is full of wal segments", DISK),
        ("err-conn-4711", CODE),
        ("kube api down", CODE),
        ("连接池耗尽怎么办", CHINESE),
    ],
)
def test_chunks_are_found_by_meaning_by_name_and_in_chinese(library: MilvusIndex, query: str, expected: str) -> None:
    assert found(library, query, document("d"))[0] == expected


def test_a_question_about_something_else_finds_nothing(library: MilvusIndex) -> None:
    assert found(library, "how do I bake sourdough bread", document("d")) == []


def test_a_chunk_comes_back_as_it_was_put(index: MilvusIndex) -> None:
    put = chunks("d", 'text with "quotes", back\\slashes, 中文 and\nlines about connection pools')
    index.upsert(put)
    assert [hit.chunk for hit in index.search("connection pools", 5, [document("d")])] == put


def test_the_same_chunks_again_are_the_same_rows(index: MilvusIndex) -> None:
    for _ in range(3):
        index.upsert(chunks("d", POOL))
    assert found(index, "connection pool", document("d")) == [POOL]


def test_only_versions_in_force_are_found(index: MilvusIndex) -> None:
    index.upsert(chunks("d", POOL, version="v1"))
    index.upsert(chunks("d", POOL + " New.", version="v2"))
    assert found(index, "connection pool", document("d", "v2")) == [POOL + " New."]
    assert found(index, "connection pool", document("other")) == []


def test_a_version_is_deleted_and_the_others_stay(index: MilvusIndex) -> None:
    index.upsert(chunks("d", POOL, version="v1"))
    index.upsert(chunks("d", POOL + " New.", version="v2"))
    index.delete("d", "v1")
    assert found(index, "connection pool", document("d", "v1")) == []
    assert found(index, "connection pool", document("d", "v2")) == [POOL + " New."]
    index.delete("d")
    assert found(index, "connection pool", document("d", "v2")) == []


def test_an_id_never_becomes_part_of_a_filter(index: MilvusIndex) -> None:
    evil = ['a" or document_id != "', "a\\", 'a\\" or 1==1 or "', "' or 1==1", "a%b_", "数据\n库"]
    index.upsert([*chunks("kept", POOL), *(chunk for id_ in evil for chunk in chunks(id_, POOL + " Evil."))])
    for id_ in evil:
        assert found(index, "connection pool", document(id_)) == [POOL + " Evil."]
        index.delete(id_)
        assert found(index, "connection pool", document(id_)) == []
    assert found(index, "connection pool", document("kept")) == [POOL]


@pytest.mark.parametrize("query", ["???", '"', "connection\x00pool", "x" * 4_000, "' or 1==1; drop", "🙂"])
def test_any_query_is_a_query(library: MilvusIndex, query: str) -> None:
    library.search(query, 5, [document("d")])


def test_more_rows_than_a_batch_are_all_put(index: MilvusIndex) -> None:
    texts = [f"step {n} of the failover of cluster node number {n}" for n in range(450)]
    index.upsert(chunks("d", *texts))
    assert {"step 7 of the failover of cluster node number 7"} <= set(found(index, "failover cluster node number 7", document("d")))
    assert found(index, texts[449], document("d"))[0] == texts[449]


def test_the_collection_names_its_encoder(index: MilvusIndex) -> None:
    assert index.collection.endswith("_use_multilingual_3")
    assert index.collection.isidentifier()


def test_cleared_it_is_empty_and_can_be_filled_anew(index: MilvusIndex) -> None:
    index.upsert(chunks("d", POOL))
    index.clear()
    with pytest.raises(Unavailable, match="vector store"):
        index.search("connection pool", 5, [document("d")])
    index.upsert(chunks("d", DISK))
    index = index_at_same(index)
    assert found(index, "connection pool, disk full of log segments", document("d")) == [DISK]


def index_at_same(index: MilvusIndex) -> MilvusIndex:
    """Another process's view of the same collection."""
    other = MilvusIndex(index._uri, index._encoder)
    other.collection = index.collection
    return other


def test_what_was_acknowledged_survives_a_killed_store_and_an_old_connection_is_made_anew(tmp_path: Path) -> None:
    server = VectorServer(tmp_path)
    try:
        server.start()
        index = index_at(server.uri)
        for n in range(10):
            index.upsert(chunks(f"d{n}", f"{POOL} Number {n}."))
        server.kill()
        server.start()
        index_at_same(index).upsert(chunks("other", DISK))  # a new process; and the store has read its dictionary
        assert sum(len(found(index, "connection pool", document(f"d{n}"))) for n in range(10)) == 10
        server.kill()
        with pytest.raises(Unavailable):
            index.search("connection pool", 5, [document("d0")])
    finally:
        server.kill()


def timed(index: MilvusIndex) -> float:
    started = time.perf_counter()
    with pytest.raises(Unavailable):
        index.search("connection pool", 5, [document("d")])
    return time.perf_counter() - started


def test_a_store_that_is_down_costs_little() -> None:
    assert timed(index_at(f"http://127.0.0.1:{free_port()}")) < ADDED_SECONDS


def test_a_store_that_hangs_costs_little_and_only_once() -> None:
    with silent_server() as uri:
        index = index_at(uri)
        assert SEARCH_SECONDS / 2 < timed(index) < ADDED_SECONDS
        assert timed(index) < 0.1


def test_a_store_that_answers_in_drops_costs_little(server: VectorServer) -> None:
    with slow_server(server.port, seconds=0.7) as uri:
        assert timed(index_at(uri)) < ADDED_SECONDS


def test_a_write_to_a_store_that_hangs_gives_up() -> None:
    with silent_server() as uri:
        started = time.perf_counter()
        with pytest.raises(Unavailable):
            index_at(uri).upsert(chunks("d", POOL))
        assert time.perf_counter() - started < ADDED_SECONDS


def test_an_address_that_is_none_is_said() -> None:
    with pytest.raises(Unavailable, match="did not answer"):
        index_at("not an address").search("pool", 5, [document("d")])


def test_a_token_that_can_not_be_read_is_said(server: VectorServer) -> None:
    def unreadable() -> str:
        raise Broken("no parameter /milvus")

    used = encoder.installed()
    assert used is not None
    index = MilvusIndex(server.uri, used, unreadable)
    with pytest.raises(Unavailable, match="no parameter /milvus"):
        index.search("pool", 5, [document("d")])
