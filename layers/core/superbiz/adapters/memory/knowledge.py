"""Knowledge in memory."""

from collections.abc import Iterator, Sequence

from superbiz.adapters.listing import key_time
from superbiz.adapters.memory.store import Group, locked, page
from superbiz.domain.keys import normalised
from superbiz.domain.knowledge import Chunk, Document, Domain
from superbiz.ports import Page


class MemoryKnowledge(Group):
    """`ports.KnowledgeLedger`."""

    @locked
    def put_domain(self, domain: Domain) -> None:
        """The domain as it is now."""
        self._store.domains[domain.domain_id] = domain

    @locked
    def domains(self) -> Sequence[Domain]:
        """By id."""
        return [domain for _, domain in sorted(self._store.domains.items())]

    @locked
    def put_document(self, document: Document, chunks: Sequence[Chunk]) -> None:
        """Document and chunks change together."""
        self._store.documents[document.document_id] = document
        self._store.chunks[document.document_id] = tuple(sorted(chunks, key=lambda c: c.position))

    @locked
    def note_collection(self, document_id: str, version: str, collection: str) -> bool:
        """Only of the version in force."""
        document = self._store.documents.get(document_id)
        if document is None or document.version != version:
            return False
        self._store.documents[document_id] = document.model_copy(update={"collection": collection})
        return True

    @locked
    def document(self, document_id: str) -> Document | None:
        """By its id."""
        return self._store.documents.get(document_id)

    @locked
    def documents(self, domain_id: str | None, limit: int, cursor: str | None) -> Page[Document]:
        """Newest first."""
        found = [((key_time(d.created_at), d.document_id), d) for d in self._store.documents.values() if domain_id in (None, d.domain_id)]
        return page(found, f"documents|{domain_id}", limit, cursor)

    @locked
    def chunks(self, document_id: str) -> Sequence[Chunk]:
        """By position."""
        return self._store.chunks.get(document_id, ())

    @locked
    def all_chunks(self) -> Iterator[Chunk]:
        """Of all documents."""
        return iter([chunk for _, chunks in sorted(self._store.chunks.items()) for chunk in chunks])

    @locked
    def by_key(self, key: str) -> Sequence[Document]:
        """Documents that carry the key."""
        wanted = normalised(key)
        found = [d for d in self._store.documents.values() if wanted and wanted in {normalised(k) for k in d.keys}]
        return sorted(found, key=lambda d: d.document_id)

    @locked
    def delete_document(self, document_id: str) -> bool:
        """With its chunks."""
        self._store.chunks.pop(document_id, None)
        return self._store.documents.pop(document_id, None) is not None
