"""Milvus, Zilliz or milvus-lite behind pymilvus: vectors and words of chunks, searched together.

A search has one deadline for all it does, connecting included; after a failure the store is left alone for a while, so that a store that
hangs costs a run seconds once. The store proposes candidates; how related they are is measured here, the same way as in the exact search.
"""

import json
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from superbiz.adapters.corpus import Corpus, gist, readable
from superbiz.adapters.deadline import within
from superbiz.adapters.encoder import Encoder
from superbiz.domain import terms, words
from superbiz.domain.knowledge import Chunk, Document
from superbiz.errors import SuperBizError, Unavailable
from superbiz.ports import ScoredChunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
SEARCH_SECONDS = 2.5
WRITE_SECONDS = 15.0
CONNECT_SECONDS = 2.0
LEFT_ALONE_SECONDS = 30.0
LEAST_SECONDS = 0.05
BATCH = 200
CODE = "VECTOR_STORE_UNAVAILABLE"
CANDIDATES = 20
WHOLE, ROWS = 10, 500  # documents that are read as wholes, and their chunks at most
MAX_ID, MAX_HEADING, MAX_TEXT, MAX_WORDS = 1_024, 4_096, 4_096, 16_384
TOKENIZERS = ("jieba", "standard")
FIELDS = ("chunk_id", "document_id", "version", "position", "heading", "text", "dense")

_writer = threading.Lock()


class MilvusIndex:
    """One collection, named after its encoder. Writes go one at a time: concurrent writers have lost rows that were acknowledged."""

    def __init__(self, uri: str, encoder: Encoder, token: Callable[[], str] = str, prefix: str = "superbiz") -> None:
        self.collection = re.sub(r"\W", "_", f"{prefix}_{encoder.name}", flags=re.ASCII)
        self._uri, self._encoder, self._token = uri, encoder, token
        self._client: Any = None
        self._left_alone_until = 0.0
        self._why = ""

    def upsert(self, chunks: Sequence[Chunk], vectors: "NDArray[np.floating] | None" = None) -> None:
        """Put the chunks; the same chunk again is the same row. `vectors` are the chunks', where they are known already."""
        rows = self._rows(chunks, vectors)

        def put(client: Any) -> None:
            for start in range(0, len(rows), BATCH):
                client.upsert(self.collection, rows[start : start + BATCH], timeout=WRITE_SECONDS)

        with _writer, self._asking():
            self._ask(put, create=True)

    def delete(self, document_id: str, version: str | None = None) -> None:
        """The rows of a document, or of one version of it."""
        wanted = f"document_id == {quoted(document_id)}" + (f" and version == {quoted(version)}" if version is not None else "")
        with _writer, self._asking():
            self._ask(lambda client: client.delete(self.collection, filter=wanted, timeout=WRITE_SECONDS), create=True)

    def clear(self) -> None:
        """Drop the collection, to be made anew by the next write."""
        with _writer, self._asking():
            self._ask(lambda client: client.drop_collection(self.collection, timeout=WRITE_SECONDS), create=True)
            self._drop()

    def search(self, query: str, limit: int, documents: Sequence[Document]) -> list[ScoredChunk]:
        """The related chunks of these documents in these versions. Raises Unavailable within the deadline."""
        if time.monotonic() < self._left_alone_until:
            raise Unavailable(f"{self._why}; it is not asked again for now")
        in_force = {d.document_id: d.version for d in documents}
        plain = terms.plain(query)
        vector = self._encoder.encode([plain])[0].tolist()
        with self._asking():
            rows = within(SEARCH_SECONDS, lambda until: self._candidates(plain, vector, max(CANDIDATES, 4 * limit), until))
        current = [row for row in rows if in_force.get(row["document_id"]) == row["version"]]
        return self._measured(current, query, limit)

    def _measured(self, rows: Sequence[dict[str, Any]], query: str, limit: int) -> list[ScoredChunk]:
        import numpy as np

        vectors = np.array([row["dense"] for row in rows], dtype=np.float32).reshape(len(rows), self._encoder.dimensions)
        return Corpus([Chunk.model_validate(row) for row in rows], vectors).search(query, limit, self._encoder)

    def _candidates(self, query: str, vector: list[float], count: int, until: float) -> list[dict[str, Any]]:
        from pymilvus import AnnSearchRequest, RRFRanker

        by_meaning = AnnSearchRequest([vector], "dense", {"metric_type": "COSINE"}, count)
        by_words = AnnSearchRequest([words.taken_apart(query)], "sparse", {"metric_type": "BM25"}, count)

        def ask(client: Any) -> list[dict[str, Any]]:
            left = max(until - time.monotonic(), LEAST_SECONDS)
            found = client.hybrid_search(
                self.collection, [by_meaning, by_words], RRFRanker(), limit=count, output_fields=list(FIELDS), timeout=left
            )
            rows = [dict(hit["entity"]) for hit in found[0]]
            left = max(until - time.monotonic(), LEAST_SECONDS)
            return rows and [
                *rows,
                *client.query(self.collection, filter=_whole(rows), output_fields=list(FIELDS), limit=ROWS, timeout=left),
            ]

        return list({row["chunk_id"]: row for row in self._ask(ask)}.values())

    def _ask(self, work: Callable[[Any], T], *, create: bool = False) -> T:
        """With the connection at hand; if that fails once more with a new one, for the store may have been restarted since."""
        import grpc  # type: ignore[import-untyped]
        from pymilvus import MilvusException

        if self._client is not None:
            try:
                return work(self._client)
            except (MilvusException, grpc.RpcError):
                self._drop()
        return work(self._connected(create=create))

    def _connected(self, *, create: bool) -> Any:
        """A new client, with the collection loaded: after a restart of the store it is not."""
        from pymilvus import MilvusClient

        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # its errors are mapped here, and told once
        client = MilvusClient(uri=self._uri, token=self._token(), timeout=CONNECT_SECONDS, dedicated=True)
        if create and not client.has_collection(self.collection, timeout=CONNECT_SECONDS):
            self._create(client)
        client.load_collection(self.collection, timeout=CONNECT_SECONDS)
        self._client = client
        return client

    def _create(self, client: Any) -> None:
        """With the Chinese tokenizer where the store has it."""
        from pymilvus import MilvusException

        for tokenizer in TOKENIZERS:
            try:
                client.create_collection(
                    self.collection,
                    schema=self._schema(client, tokenizer),
                    index_params=_indexes(client),
                    consistency_level="Strong",  # what was uploaded is found by the next search
                    timeout=WRITE_SECONDS,
                )
            except MilvusException:
                if client.has_collection(self.collection, timeout=CONNECT_SECONDS):
                    return
                if tokenizer == TOKENIZERS[-1]:
                    raise
            else:
                return

    def _schema(self, client: Any, tokenizer: str) -> Any:
        from pymilvus import DataType, Function, FunctionType

        told = f"knowledge chunks; encoder {self._encoder.name}; tokenizer {tokenizer}"
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False, description=told)
        schema.add_field("chunk_id", DataType.VARCHAR, is_primary=True, max_length=MAX_ID)
        for name, longest in (("document_id", MAX_ID), ("version", MAX_ID), ("heading", MAX_HEADING), ("text", MAX_TEXT)):
            schema.add_field(name, DataType.VARCHAR, max_length=longest)
        schema.add_field("position", DataType.INT64)
        schema.add_field("words", DataType.VARCHAR, max_length=MAX_WORDS, enable_analyzer=True, analyzer_params={"tokenizer": tokenizer})
        schema.add_field("dense", DataType.FLOAT_VECTOR, dim=self._encoder.dimensions)
        schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
        schema.add_function(
            Function(name="bm25", input_field_names=["words"], output_field_names=["sparse"], function_type=FunctionType.BM25)
        )
        return schema

    def _rows(self, chunks: Sequence[Chunk], vectors: "NDArray[np.floating] | None") -> list[dict[str, Any]]:
        dense = (self._encoder.encode([gist(chunk) for chunk in chunks]) if vectors is None else vectors).tolist()
        return [c.to_json() | {"words": words.taken_apart(readable(c)), "dense": v} for c, v in zip(chunks, dense, strict=True)]

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Whatever goes wrong with the store, or with its token, is Unavailable; the connection is made anew next time."""
        try:
            import grpc
            from pymilvus import MilvusException
        except ImportError as e:
            raise Unavailable(f"a vector store is configured and {e.name} is not installed", code=CODE) from e
        try:
            yield
        except (MilvusException, grpc.RpcError, TimeoutError, SuperBizError) as e:
            self._drop()
            self._why = f"the vector store did not answer ({_reason(e)})"
            self._left_alone_until = time.monotonic() + LEFT_ALONE_SECONDS
            raise Unavailable(self._why, code=CODE) from e

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):  # it is broken already
                client.close()


def _whole(rows: Sequence[Mapping[str, Any]]) -> str:
    """The documents of the first candidates: they are measured as wholes."""
    names = list(dict.fromkeys(row["document_id"] for row in rows))[:WHOLE]
    return f"document_id in [{', '.join(map(quoted, names))}]"


def quoted(value: str) -> str:
    """A string as a literal of a filter expression."""
    return json.dumps(value, ensure_ascii=False)


def _indexes(client: Any) -> Any:
    indexes = client.prepare_index_params()
    indexes.add_index("dense", index_type="AUTOINDEX", metric_type="COSINE")
    indexes.add_index("sparse", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
    return indexes


def _reason(error: Exception) -> str:
    text = getattr(error, "message", "") or (error.details() if hasattr(error, "details") else "") or str(error) or type(error).__name__
    return " ".join(str(text).split())[:200]
