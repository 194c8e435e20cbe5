"""Chunks in memory that can be searched by meaning and by words: the exact search behind every index."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from superbiz.adapters.encoder import Encoder
from superbiz.domain import relevance, words
from superbiz.domain.knowledge import Chunk
from superbiz.ports import ScoredChunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


ENCODED_CHARS = 300


def readable(chunk: Chunk) -> str:
    """Whose words are searched: a chunk says more under its headings."""
    return f"{chunk.heading}\n{chunk.text}"


def gist(chunk: Chunk) -> str:
    """What is encoded. The encoder is made for sentences: more than the beginning of a chunk blurs what it is about, and costs more."""
    return f"{chunk.heading}\n{chunk.text[:ENCODED_CHARS]}"


class Corpus:
    """Every chunk is compared with every query. `vectors` has a row a chunk; None: search goes by words alone."""

    def __init__(
        self, chunks: Sequence[Chunk], vectors: "NDArray[np.floating] | None", read: Sequence[Sequence[str]] | None = None
    ) -> None:
        self._chunks = chunks
        self._vectors = None if vectors is None else vectors.astype("float32")
        self._words = relevance.Bm25(read if read is not None else [words.of(readable(c)) for c in chunks])

    def search(self, query: str, limit: int, encoder: Encoder | None) -> list[ScoredChunk]:
        """The related chunks, best first."""
        found = relevance.related(self._meanings(query, encoder), self._words.coverage(words.of(query)))
        return [ScoredChunk(self._chunks[n], round(score, 4)) for n, score in found[:limit]]

    def _meanings(self, query: str, encoder: Encoder | None) -> list[float]:
        if encoder is None or self._vectors is None or not self._chunks:
            return [0.0] * len(self._chunks)
        meanings: list[float] = (self._vectors @ encoder.encode([query])[0]).tolist()
        return meanings
