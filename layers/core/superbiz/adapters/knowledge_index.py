"""The knowledge base: L0 from the table, L1 from the vector store, else from the exact index with the reason said in each hit."""

from collections.abc import Iterator, Sequence

from superbiz.adapters.corpus import chosen, readable
from superbiz.adapters.exact_index import ExactIndex
from superbiz.adapters.milvus import MilvusIndex
from superbiz.domain import keys as l0
from superbiz.domain import relevance, terms
from superbiz.domain.knowledge import Chunk, Document, KnowledgeHit, Level
from superbiz.errors import Unavailable
from superbiz.ports import KnowledgeLedger, ScoredChunk, SourceUnavailable

WHAT = "knowledge base"
PAGE = 1_000
CHUNKS_OF_A_DOCUMENT = 3


class KnowledgeIndex:
    """Implements `Knowledge` and `VectorIndex`: what is put here is found here."""

    def __init__(self, ledger: KnowledgeLedger, exact: ExactIndex, milvus: MilvusIndex | None = None) -> None:
        self._ledger, self._exact, self._milvus = ledger, exact, milvus

    @property
    def collection(self) -> str:
        return self._milvus.collection if self._milvus else ""

    def upsert(self, chunks: Sequence[Chunk]) -> None:
        vectors = self._exact.upsert(chunks)
        if self._milvus:
            self._milvus.upsert(chunks, vectors)

    def delete(self, document_id: str, version: str | None = None) -> None:
        self._exact.delete(document_id, version)
        if self._milvus:
            self._milvus.delete(document_id, version)

    def clear(self) -> None:
        self._exact.clear()
        if self._milvus:
            self._milvus.clear()

    def find(self, keys: Sequence[str], query: str, limit: int = 5) -> Sequence[KnowledgeHit]:
        """An empty knowledge base is none: nothing could have matched."""
        documents = list(self._documents())
        if not documents:
            raise SourceUnavailable(WHAT, "it holds no document")
        return merged([*self._exact_hits(keys, query, limit), *self._related_hits(query, limit, documents)], limit)

    def _documents(self) -> Iterator[Document]:
        cursor: str | None = None
        while True:
            page = self._ledger.documents(None, PAGE, cursor)
            yield from page.items
            cursor = page.cursor
            if cursor is None:
                return

    def _exact_hits(self, keys: Sequence[str], query: str, limit: int) -> list[KnowledgeHit]:
        found = {d.document_id: None for key in l0.unique(keys)[: l0.MAX_CANDIDATES] for d in self._ledger.by_key(key)}
        of_each = [self._ledger.chunks(document_id) for document_id in list(found)[:limit]]
        return key_hits(of_each, query, limit)

    def _related_hits(self, query: str, limit: int, documents: Sequence[Document]) -> list[KnowledgeHit]:
        if not query.strip():
            return []
        reason = ""
        if self._milvus:
            try:
                return [related_hit(one, "milvus") for one in self._from(self._milvus, query, limit, documents)]
            except Unavailable as e:
                reason = e.message
        note = "; ".join(part for part in (reason, self._exact.note) if part)
        return [related_hit(one, "exact", note) for one in self._exact.search(query, limit, documents)]

    def _from(self, milvus: MilvusIndex, query: str, limit: int, documents: Sequence[Document]) -> list[ScoredChunk]:
        """Not where it lacks a document: what it would not find would look like no match."""
        missing = sum(d.collection != milvus.collection for d in documents)
        if missing:
            raise Unavailable(f"{missing} of {len(documents)} documents are not in the vector store yet")
        return milvus.search(query, limit, documents)


def key_hits(of_each: Sequence[Sequence[Chunk]], query: str, limit: int) -> list[KnowledgeHit]:
    """L0 hits of documents that a key names: of each the chunks that tell most of the query and what to do, in the document's order."""
    share = min(max(limit // max(len(of_each), 1), 1), CHUNKS_OF_A_DOCUMENT)
    return [
        KnowledgeHit(level=Level.L0, document_id=c.document_id, chunk_id=c.chunk_id, heading=c.heading, text=c.text, score=1.0, via="key")
        for chunks in of_each
        for c in _telling_most(chunks, query, share)
    ]


def related_hit(found: ScoredChunk, via: str, note: str = "") -> KnowledgeHit:
    """An L1 hit."""
    c = found.chunk
    return KnowledgeHit(
        level=Level.L1,
        document_id=c.document_id,
        chunk_id=c.chunk_id,
        heading=c.heading,
        text=c.text,
        score=found.score,
        via=via,
        note=note,
    )


def merged(hits: Sequence[KnowledgeHit], limit: int) -> list[KnowledgeHit]:
    """L0 first, then by score; no chunk and no text twice."""
    ordered = sorted(hits, key=lambda hit: (hit.level is not Level.L0, -hit.score))
    seen: set[str] = set()
    kept = []
    for hit in ordered:
        if seen.isdisjoint((hit.chunk_id, hit.text)):
            kept.append(hit)
            seen.update((hit.chunk_id, hit.text))
    return kept[:limit]


def _telling_most(chunks: Sequence[Chunk], query: str, count: int) -> list[Chunk]:
    shares = relevance.Bm25([terms.of(readable(c)) for c in chunks]).shares(terms.asked(query))
    return [chunks[n] for n in sorted(chosen(chunks, shares, count))]
