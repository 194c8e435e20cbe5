"""Knowledge over the runbooks of a recorded world, in memory; and several sources of knowledge asked as one."""

from collections.abc import Sequence
from functools import cached_property

from superbiz.adapters import encoder
from superbiz.adapters.corpus import Corpus, gist
from superbiz.adapters.knowledge_index import key_hits, merged, related_hit
from superbiz.domain import chunking, keys
from superbiz.domain.knowledge import Chunk, KnowledgeHit
from superbiz.errors import Unavailable
from superbiz.ports import EvidenceSource, Knowledge, SourceUnavailable

IN_WORLD = "world"


def with_runbooks(source: EvidenceSource, knowledge: Knowledge | None) -> Knowledge:
    """The world's runbooks, and the knowledge base where there is one: both are asked."""
    world = WorldKnowledge(source)
    return world if knowledge is None else JoinedKnowledge((world, knowledge))


class WorldKnowledge:
    """Reads and encodes the runbooks on first use. Raises SourceUnavailable where the world has none."""

    def __init__(self, source: EvidenceSource, using: encoder.Encoder | None = None) -> None:
        self._source, self._encoder = source, using or encoder.installed()

    def find(self, keys_: Sequence[str], query: str, limit: int = 5) -> Sequence[KnowledgeHit]:
        wanted = {keys.normalised(key) for key in keys_} - {""}
        named = [chunks for own, chunks in self._runbooks if wanted & own]
        related = self._corpus.search(query, limit, self._encoder) if query.strip() else []
        return merged([*key_hits(named[:limit], query, limit), *(related_hit(found, IN_WORLD) for found in related)], limit)

    @cached_property
    def _runbooks(self) -> list[tuple[set[str], tuple[Chunk, ...]]]:
        """(normalised keys, chunks) of each."""
        return [_read(name, text) for name, text in self._source.runbooks()]

    @cached_property
    def _corpus(self) -> Corpus:
        chunks = [chunk for _, own in self._runbooks for chunk in own]
        return Corpus(chunks, self._encoder.encode([gist(c) for c in chunks]) if self._encoder and chunks else None)


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
            raise SourceUnavailable("knowledge", "; ".join(f"{e.what}: {e.why}" for e in absent), absent[0].code)
        return merged(hits, limit)


def _read(name: str, text: str) -> tuple[set[str], tuple[Chunk, ...]]:
    parsed = chunking.parse(name, text)
    own = {keys.normalised(key) for key in keys.of_document(name, parsed.titles, parsed.meta)}
    return own, chunking.chunks(f"runbook/{name}", "world", parsed.pieces)
