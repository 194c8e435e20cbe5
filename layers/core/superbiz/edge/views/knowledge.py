"""Documents of the knowledge base, and what a key would find in it."""

from collections.abc import Sequence

from typing_extensions import TypedDict

from superbiz.domain.knowledge import Document, Domain, KnowledgeHit
from superbiz.domain.values import iso
from superbiz.ports import Page


class DocumentView(TypedDict):
    """`collection` names where the vector store has it; empty: only the exact index does. `size` is in bytes of UTF-8."""

    documentId: str
    domainId: str
    title: str
    filename: str
    keys: list[str]
    version: str
    chunkCount: int
    size: int
    collection: str
    createdAt: str
    updatedAt: str


class DomainView(TypedDict):
    """A group of documents."""

    domainId: str
    name: str
    description: str
    createdAt: str


class DocumentPage(TypedDict):
    """A page of documents, and all domains."""

    items: list[DocumentView]
    domains: list[DomainView]
    cursor: str | None


class HitView(TypedDict):
    """`level` is L0 (exact key) or L1 (by meaning); `via` says how it was found, `note` what was not used and why."""

    level: str
    documentId: str
    chunkId: str
    heading: str
    text: str
    score: float
    via: str
    note: str


class PreviewView(TypedDict):
    """What a run would be shown."""

    key: str
    hits: list[HitView]


def document_page(page: Page[Document], domains: Sequence[Domain]) -> DocumentPage:
    """A page of documents."""
    return {"items": [document_view(d) for d in page.items], "domains": [_domain(d) for d in domains], "cursor": page.cursor}


def document_view(document: Document) -> DocumentView:
    """One document, without its text."""
    return {
        "documentId": document.document_id,
        "domainId": document.domain_id,
        "title": document.title,
        "filename": document.filename,
        "keys": list(document.keys),
        "version": document.version,
        "chunkCount": document.chunk_count,
        "size": document.size,
        "collection": document.collection,
        "createdAt": iso(document.created_at),
        "updatedAt": iso(document.updated_at),
    }


def preview_view(key: str, hits: Sequence[KnowledgeHit]) -> PreviewView:
    """The hits, best first."""
    return {"key": key, "hits": [_hit(hit) for hit in hits]}


def _hit(hit: KnowledgeHit) -> HitView:
    return {
        "level": hit.level,
        "documentId": hit.document_id,
        "chunkId": hit.chunk_id,
        "heading": hit.heading,
        "text": hit.text,
        "score": hit.score,
        "via": hit.via,
        "note": hit.note,
    }


def _domain(domain: Domain) -> DomainView:
    return {
        "domainId": domain.domain_id,
        "name": domain.name,
        "description": domain.description,
        "createdAt": iso(domain.created_at),
    }
