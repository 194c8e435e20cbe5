"""Knowledge in the table, the source of truth of every index."""

from collections.abc import Iterator, Sequence

from superbiz.adapters.table import keys
from superbiz.adapters.table.base import Group
from superbiz.adapters.table.gateway import ConditionFailed, attribute, key_of, keyed, setting
from superbiz.adapters.table.mapping import Item
from superbiz.domain.keys import normalised
from superbiz.domain.knowledge import Chunk, Document, Domain
from superbiz.ports import Page


class TableKnowledge(Group):
    """`ports.KnowledgeLedger`. The document's item is the switch: chunks and keys of another version are as if they were not there."""

    def put_domain(self, domain: Domain) -> None:
        """The domain as it is now."""
        self._table.put(keyed(keys.domain(domain.domain_id), self._map.item(domain), keys.domain_index(domain)))

    def domains(self) -> Sequence[Domain]:
        """By id."""
        entries = [key_of(entry) for entry in self._listed(keys.all_domains(), None, forward=True)]
        return [self._map.value(Domain, item) for item in self._table.batch_get(entries)]

    def put_document(self, document: Document, chunks: Sequence[Chunk]) -> None:
        """Chunks and keys first, then the switch, then away with what the replaced version alone had."""
        self._table.batch_write(puts=(keyed(keys.chunk(chunk), self._map.item(chunk)) for chunk in chunks))
        self._table.batch_write(puts=[keyed(key, {}) for key in _key_items(document)])
        item = keyed(keys.document(document.document_id), self._map.item(document), keys.document_indexes(document))
        replaced = self._table.put(item)
        if replaced is not None:
            self._clear(self._map.value(Document, replaced), document)

    def note_collection(self, document_id: str, version: str, collection: str) -> bool:
        """On the switch itself, while it stands on this version."""
        noted = setting({"collection": self._map.text(collection)})
        try:
            self._table.update(keys.document(document_id), noted, attribute("version") == self._map.text(version))
        except ConditionFailed:
            return False
        return True

    def document(self, document_id: str) -> Document | None:
        """By its id."""
        item = self._table.get(keys.document(document_id))
        return self._map.value(Document, item) if item else None

    def documents(self, domain_id: str | None, limit: int, cursor: str | None) -> Page[Document]:
        """Newest first."""
        found = self._page(keys.all_documents() if domain_id is None else keys.documents_of(domain_id), limit, cursor)
        return Page([self._map.value(Document, item) for item in found.items], found.cursor)

    def chunks(self, document_id: str) -> Sequence[Chunk]:
        """Of the version in force."""
        document = self.document(document_id)
        return [self._map.value(Chunk, item) for item in self._chunks_of(document)] if document else []

    def all_chunks(self) -> Iterator[Chunk]:
        """Of all documents, one after the other."""
        for entry in self._listed(keys.all_documents(), None):
            for item in self._chunks_of(self._map.value(Document, entry)):
                yield self._map.value(Chunk, item)

    def by_key(self, key: str) -> Sequence[Document]:
        """Documents that carry the key now."""
        form = normalised(key)
        if not form:
            return []
        owners = [keys.Key(item["SK"]["S"], keys.META) for item in self._table.walk(keys.l0(form, "").pk)]
        documents = [self._map.value(Document, item) for item in self._table.batch_get(owners)]
        return [document for document in documents if form in {normalised(k) for k in document.keys}]

    def delete_document(self, document_id: str) -> bool:
        """The switch off first; then what is left, that of broken uploads too."""
        there = self._table.delete(keys.document(document_id))
        if there is not None:
            self._table.batch_write(deletes=_key_items(self._map.value(Document, there)))
        leftover = self._table.walk(keys.document(document_id).pk, attribute("SK").startswith("CHUNK#"))
        self._table.batch_write(deletes=[key_of(item) for item in leftover])
        return there is not None

    def _chunks_of(self, document: Document) -> Iterator[Item]:
        begin = keys.chunks(document.document_id, document.version)
        return self._table.walk(begin.pk, attribute("SK").startswith(begin.sk))

    def _clear(self, old: Document, new: Document) -> None:
        gone = set(_key_items(old)) - set(_key_items(new))
        chunks = [key_of(item) for item in self._chunks_of(old)] if old.version != new.version else []
        self._table.batch_write(deletes=[*gone, *chunks])


def _key_items(document: Document) -> list[keys.Key]:
    forms = dict.fromkeys(form for key in document.keys if (form := normalised(key)))
    return [keys.l0(form, document.document_id) for form in forms]
