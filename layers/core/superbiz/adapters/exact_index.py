"""Search without a server: all chunks in memory, compared one by one. For small knowledge, and for when the vector store is down.

The table says which versions are in force. Vectors are kept in one snapshot in the object store, which is a cache and nothing more:
what it lacks is read from the table and encoded, what it has too much is left out, so that a lost or stale snapshot costs time, not hits.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from superbiz.adapters import vector_file
from superbiz.adapters.corpus import Corpus, gist
from superbiz.adapters.encoder import Encoder
from superbiz.domain import terms
from superbiz.domain.knowledge import Chunk, Document
from superbiz.errors import SuperBizError
from superbiz.ports import KnowledgeLedger, Objects, ScoredChunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_ENCODER = "no encoder is installed: searched by words alone"
REWRITE_SHARE = 10


@dataclass(frozen=True)
class Held:
    """One version of one document in memory."""

    version: str
    chunks: tuple[Chunk, ...]
    vectors: "NDArray[np.float16] | None"

    @cached_property
    def read(self) -> list[list[str]]:
        """The terms of each chunk's text."""
        return [terms.of(chunk.text) for chunk in self.chunks]


class ExactIndex:
    """Safe for threads; one index a process."""

    def __init__(self, ledger: KnowledgeLedger, objects: Objects, encoder: Encoder | None) -> None:
        self._ledger, self._objects, self._encoder = ledger, objects, encoder
        self._held: dict[str, Held] = {}
        self._saved: dict[str, str] = {}
        self._corpus: tuple[dict[str, str], Corpus] | None = None
        self._lock = threading.Lock()

    @property
    def note(self) -> str:
        """What every hit should say of this search."""
        return "" if self._encoder else NO_ENCODER

    def upsert(self, chunks: Sequence[Chunk]) -> "NDArray[np.float16] | None":
        """Have the vectors of a document's chunks ready, here and in the snapshot, and return them."""
        with self._lock:
            held = self._hold(chunks)
            self._save(None)
        return held.vectors

    def delete(self, document_id: str, version: str | None = None) -> None:
        """Forget it. The snapshot may keep it: a search leaves out what is not in force."""
        with self._lock:
            held = self._held.get(document_id)
            if held and version in (None, held.version):
                del self._held[document_id]

    def clear(self) -> None:
        """Forget everything, the snapshot too."""
        with self._lock:
            self._held, self._saved = {}, {}
            self._objects.put(self._name(), b"")

    def search(self, query: str, limit: int, documents: Sequence[Document]) -> list[ScoredChunk]:
        """Among the chunks of these documents, in the versions given."""
        with self._lock:
            corpus = self._corpus_of({d.document_id: d.version for d in documents})
        return corpus.search(query, limit, self._encoder)

    def _corpus_of(self, in_force: dict[str, str]) -> Corpus:
        if self._corpus is None or self._corpus[0] != in_force:
            self._sync(in_force)
            held = [self._held[document_id] for document_id in sorted(in_force) if document_id in self._held]
            chunks = [chunk for h in held for chunk in h.chunks]
            self._corpus = in_force, Corpus(chunks, _stacked(held), [read for h in held for read in h.read])
        return self._corpus[1]

    def _sync(self, in_force: Mapping[str, str]) -> None:
        """Hold what is in force and nothing else: from memory, else from the snapshot, else from the table."""
        self._held = {d: held for d, held in self._held.items() if in_force.get(d) == held.version}
        if self._lacking(in_force):
            self._load(in_force)
        for document_id in self._lacking(in_force):
            if chunks := self._ledger.chunks(document_id):
                self._hold(chunks)
                self._save(in_force)

    def _lacking(self, in_force: Mapping[str, str]) -> list[str]:
        return [d for d, version in in_force.items() if d not in self._held or self._held[d].version != version]

    def _hold(self, chunks: Sequence[Chunk]) -> Held:
        """The chunks of one version of one document."""
        held = Held(chunks[0].version, tuple(chunks), self._encoded(chunks))
        self._held[chunks[0].document_id] = held
        return held

    def _encoded(self, chunks: Sequence[Chunk]) -> "NDArray[np.float16] | None":
        import numpy as np

        return None if self._encoder is None else self._encoder.encode([gist(c) for c in chunks]).astype(np.float16)

    def _load(self, in_force: Mapping[str, str] | None) -> None:
        """Take in what the snapshot has of these (None: of all) and is not held already. Where it can not be read, the table will do."""
        if self._encoder is None:
            return
        try:
            snapshot = self._objects.get(self._name())
        except SuperBizError:
            return
        self._saved = {}
        for chunks, vectors in vector_file.documents(snapshot, self._encoder.dimensions):
            document_id, version = chunks[0].document_id, chunks[0].version
            if in_force is None or in_force.get(document_id) == version:
                self._saved[document_id] = version
                self._held.setdefault(document_id, Held(version, chunks, vectors))

    def _save(self, in_force: Mapping[str, str] | None) -> None:
        """Write the snapshot anew once a tenth of it is missing, with what others have put there meanwhile.

        It is a cache: where it can not be written, the search still stands.
        """
        if not self._is_far_behind():
            return
        self._load(in_force)
        if not self._is_far_behind():
            return
        kept = [held for held in self._held.values() if held.vectors is not None]
        try:
            self._objects.put(self._name(), vector_file.packed([(held.chunks, held.vectors) for held in kept if held.vectors is not None]))
        except SuperBizError:
            return
        self._saved = {held.chunks[0].document_id: held.version for held in kept}

    def _is_far_behind(self) -> bool:
        unsaved = sum(held.vectors is not None and self._saved.get(d) != held.version for d, held in self._held.items())
        return unsaved * REWRITE_SHARE >= max(len(self._held), 1) and unsaved > 0

    def _name(self) -> str:
        return f"knowledge/exact-{self._encoder.name if self._encoder else 'words'}.npz"


def _stacked(held: Sequence[Held]) -> "NDArray[np.float16] | None":
    import numpy as np

    vectors = [h.vectors for h in held if h.vectors is not None]
    return np.concatenate(vectors) if vectors and len(vectors) == len(held) else None
