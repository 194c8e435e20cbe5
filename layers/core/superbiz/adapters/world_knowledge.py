"""Knowledge over the runbooks of a recorded world, in memory; and several sources of knowledge asked as one."""

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from superbiz.adapters import encoder
from superbiz.adapters.corpus import Corpus, gist
from superbiz.adapters.knowledge_index import key_hits, merged, related_hit
from superbiz.domain import chunking, keys
from superbiz.domain.knowledge import Chunk, KnowledgeHit, Level
from superbiz.errors import Unavailable
from superbiz.ports import EvidenceSource, Knowledge, SourceUnavailable

IN_WORLD = "world"
PREFIX = "runbook/"
MOST_ENCODED = 400  # chunks of a world: some seconds of work


class Shelf(Protocol):
    """Who has runbooks: a world, or a folder."""

    def runbooks(self) -> Sequence[tuple[str, str]]:
        """(file name, text) of each."""


def with_runbooks(source: EvidenceSource, knowledge: Knowledge | None) -> Knowledge:
    """The world's runbooks, and the knowledge base where there is one: both are asked."""
    world = WorldKnowledge(source)
    return world if knowledge is None else JoinedKnowledge((world, knowledge))


class WorldKnowledge:
    """Reads and encodes the runbooks on first use. Raises SourceUnavailable where the world has none."""

    def __init__(self, source: Shelf, using: encoder.Encoder | None = None) -> None:
        self._source, self._encoder = source, using or encoder.installed()

    def find(self, keys_: Sequence[str], query: str, limit: int = 5) -> Sequence[KnowledgeHit]:
        named = [chunks for chunks in self._named(keys_) if chunks]
        related = self._corpus.search(query, limit, self._encoder) if query.strip() else []
        return merged([*key_hits(named[:limit], query, limit), *(related_hit(found, IN_WORLD) for found in related)], limit)

    def ranked(self, keys_: Sequence[str], query: str) -> list[tuple[str, Level]]:
        """The file names of all runbooks, best first: those that a key names, then the others by what they share with the query."""
        named = {chunks[0].document_id for chunks in self._named(keys_) if chunks}
        order = [document_id for document_id, _ in self._corpus.ranked(query, self._encoder)]
        levels = [(name, Level.L0 if name in named else Level.L1) for name in order]
        empty = [(PREFIX + name, Level.L1) for name, (_, chunks) in self._runbooks.items() if not chunks]
        return [(name.removeprefix(PREFIX), level) for name, level in sorted([*levels, *empty], key=lambda found: found[1])]

    def _named(self, keys_: Sequence[str]) -> list[tuple[Chunk, ...]]:
        wanted = {keys.normalised(key) for key in keys_} - {""}
        return [chunks for own, chunks in self._runbooks.values() if wanted & own]

    @cached_property
    def _runbooks(self) -> dict[str, tuple[set[str], tuple[Chunk, ...]]]:
        """(normalised keys, chunks) of each by its file name."""
        return {name: _read(name, text) for name, text in self._source.runbooks()}

    @cached_property
    def _corpus(self) -> Corpus:
        chunks = [chunk for _, own in self._runbooks.values() for chunk in own]
        return Corpus(chunks, _vectors(self._encoder, chunks) if self._encoder and chunks else None)


class JoinedKnowledge:
    """What is not there is passed over; what is there and can not be asked is passed over only where another one has hits."""

    def __init__(self, parts: Sequence[Knowledge]) -> None:
        self._parts = parts

    def find(self, keys_: Sequence[str], query: str, limit: int = 5) -> Sequence[KnowledgeHit]:
        hits: list[KnowledgeHit] = []
        absent: list[SourceUnavailable] = []
        silent: list[Unavailable] = []
        for part in self._parts:
            try:
                hits += part.find(keys_, query, limit)
            except SourceUnavailable as e:
                absent.append(e)
            except Unavailable as e:
                silent.append(e)
        if silent and not hits:
            raise silent[0]
        if len(absent) == len(self._parts):
            raise SourceUnavailable(
                "knowledge", "; ".join(e.why if e.what == "knowledge" else f"{e.what}: {e.why}" for e in absent), absent[0].code
            )
        return merged(hits, limit)


def _vectors(using: encoder.Encoder, chunks: Sequence[Chunk]) -> NDArray[np.floating]:
    """A row a chunk. The first chunks of every document are encoded, up to a bound; the rest have no meaning of their own and are found
    by their words."""
    first = sorted(range(len(chunks)), key=lambda n: chunks[n].position)[:MOST_ENCODED]
    encoded = using.encode([gist(chunks[n]) for n in first])
    vectors = np.zeros((len(chunks), encoded.shape[1]), dtype=encoded.dtype)
    vectors[first] = encoded
    return vectors


def _read(name: str, text: str) -> tuple[set[str], tuple[Chunk, ...]]:
    parsed = chunking.parse(name, text)
    own = {keys.normalised(key) for key in keys.of_document(name, parsed.titles, parsed.meta)}
    return own, chunking.chunks(f"{PREFIX}{name}", "world", parsed.pieces)
