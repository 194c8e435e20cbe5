"""Documents of the knowledge base: put, replaced, removed, listed, and tried out. The table is the truth, every index follows it."""

import base64
import binascii
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Annotated

from pydantic import AliasChoices, Field

from superbiz.domain import chunking, ids, keys
from superbiz.domain.knowledge import Chunk, Document, Domain, KnowledgeHit
from superbiz.domain.values import Value
from superbiz.errors import Invalid, NotFound, TooLarge, Unavailable
from superbiz.ports import Page, Ports, SourceUnavailable, VectorIndex

MAX_BYTES = 2**20
MAX_CHUNKS = 5_000
MENDED_AT_ONCE = 20
PAGE = 1_000
ENDINGS = (".md", ".markdown", ".txt")
NAME = r"^[^\x00-\x1f\x7f\\]{1,200}$"
IDENTIFIER = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
RULES = "chunks-1"  # part of a document's version: with other rules the same text makes other chunks

Key = Annotated[str, Field(min_length=1, max_length=keys.MAX_KEY)]  # the field `keys` below would hide the module


class Upload(Value):
    """The body of `POST /api/knowledge/documents`: a text as `content`, or its bytes as `contentBase64`.

    Without a `documentId` the document is the one of this file name in this domain.
    """

    filename: str = Field(pattern=NAME)
    content: str | None = None
    content_base64: str | None = Field(default=None, validation_alias=AliasChoices("contentBase64", "content_base64"))
    domain_id: str = Field(default="general", pattern=IDENTIFIER, validation_alias=AliasChoices("domainId", "domain_id", "domain"))
    document_id: str | None = Field(default=None, pattern=IDENTIFIER, validation_alias=AliasChoices("documentId", "document_id"))
    title: str = Field(default="", max_length=chunking.MAX_TITLE)
    keys: tuple[Key, ...] = Field(default=(), max_length=keys.MAX_KEYS)


def upload(given: Upload, ports: Ports) -> Document:
    """Store the document and have it indexed. The same content again changes nothing; other content is a new version in its place.

    Where the vector store can not be reached the document stands all the same: `collection` is empty, it is found by the exact index,
    and a later upload mends it.
    """
    document, chunks = _read(given, ports)
    before = ports.ledger.document(document.document_id)
    index = ports.vector_index()
    if before and before.version == document.version and before.collection == index.collection:
        return before
    stored = document.model_copy(
        update={"collection": _indexed(index, chunks), "created_at": before.created_at if before else document.created_at}
    )
    if before and before.version == stored.version and before.collection == stored.collection:
        return before
    _open_domain(stored, ports)
    ports.ledger.put_document(stored, chunks)
    if before and before.version != stored.version:
        _forget(index, before)
    if stored.collection:
        _mend(ports)
    return stored


def remove(document_id: str, ports: Ports) -> None:
    """From the table first: a search shows only what stands there."""
    document = ports.ledger.document(document_id)
    if document is None or not ports.ledger.delete_document(document_id):
        raise NotFound(f"no document {document_id}")
    _forget(ports.vector_index(), document)


def listing(domain_id: str | None, limit: int, cursor: str | None, ports: Ports) -> Page[Document]:
    """The documents of one domain, or of all."""
    return ports.ledger.documents(domain_id, limit, cursor)


def domains(ports: Ports) -> Sequence[Domain]:
    """All domains."""
    return ports.ledger.domains()


def preview(key: str, ports: Ports, limit: int = 5) -> Sequence[KnowledgeHit]:
    """What a run would be shown for this key. An empty knowledge base shows nothing."""
    if not keys.normalised(key):
        raise Invalid(f"key: write a name of 1 to {keys.MAX_KEY} characters")
    try:
        return ports.knowledge().find([key], key, limit)
    except SourceUnavailable:
        return []


def rebuild(ports: Ports) -> int:
    """Make the index anew from the table, while nobody uploads. Returns the number of documents.

    A search meanwhile does without the vector store, and says so.
    """
    index = ports.vector_index()
    index.clear()
    documents = list(_documents(ports))
    for document in documents:
        _reindex(document, index, ports)
    return len(documents)


def _read(given: Upload, ports: Ports) -> tuple[Document, Sequence[Chunk]]:
    text = _text(given)
    parsed = chunking.parse(given.filename, text, given.title)
    if not parsed.pieces:
        raise Invalid(f"{given.filename}: there is no text in it", code="EMPTY_DOCUMENT")
    if len(parsed.pieces) > MAX_CHUNKS:
        raise TooLarge(f"{given.filename}: {len(parsed.pieces)} chunks, the most is {MAX_CHUNKS}", mend="split it into several documents")
    named = keys.of_document(given.filename, (parsed.title, *parsed.titles), parsed.meta, given.keys)
    document_id = given.document_id or ids.derived("document", given.domain_id, given.filename)
    version = ids.derived("version", RULES, given.domain_id, given.filename, parsed.title, *named, text)
    now = ports.clock.now()
    document = Document(
        document_id=document_id,
        domain_id=given.domain_id,
        title=parsed.title,
        filename=given.filename,
        keys=named,
        version=version,
        chunk_count=len(parsed.pieces),
        size=len(text.encode()),
        created_at=now,
        updated_at=now,
    )
    return document, chunking.chunks(document_id, version, parsed.pieces)


def _text(given: Upload) -> str:
    if not given.filename.lower().endswith(ENDINGS):
        raise Invalid(f"filename: {given.filename} is neither Markdown nor text", mend=f"one of {', '.join(ENDINGS)}")
    if (given.content is None) is (given.content_base64 is None):
        raise Invalid("give either content (text) or contentBase64 (bytes)")
    try:
        data = given.content.encode() if given.content is not None else _decoded(given.content_base64 or "")
        if len(data) > MAX_BYTES:
            raise TooLarge(f"{given.filename}: {len(data)} bytes, the most is {MAX_BYTES}", mend="split it into several documents")
        text = data.decode("utf-8")
    except UnicodeError as e:
        raise Invalid(f"{given.filename}: not UTF-8: {e.reason if isinstance(e, UnicodeDecodeError) else 'a lone surrogate'}") from e
    if "\x00" in text:
        raise Invalid(f"{given.filename}: holds a NUL character: not a text file")
    return text


def _decoded(text: str) -> bytes:
    if len(text) > MAX_BYTES * 2:
        raise TooLarge(f"contentBase64: the most is {MAX_BYTES} bytes", mend="split it into several documents")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as e:
        raise Invalid(f"contentBase64: {e}") from e


def _open_domain(document: Document, ports: Ports) -> None:
    if document.domain_id not in {d.domain_id for d in ports.ledger.domains()}:
        ports.ledger.put_domain(Domain(domain_id=document.domain_id, name=document.domain_id, created_at=document.created_at))


def _indexed(index: VectorIndex, chunks: Sequence[Chunk]) -> str:
    """The collection that has the chunks now; empty where the vector store could not be reached."""
    try:
        index.upsert(chunks)
    except Unavailable:
        return ""
    return index.collection


def _forget(index: VectorIndex, document: Document) -> None:
    """Its rows of this version, so that an upload under way at the same time keeps its own. Rows that stay behind are never shown."""
    with suppress(Unavailable):
        index.delete(document.document_id, document.version)


def _mend(ports: Ports) -> None:
    """Put documents that the vector store lacks where it now answers, some at a time."""
    index = ports.vector_index()
    lacking = [d for d in _documents(ports) if d.collection != index.collection]
    for document in lacking[:MENDED_AT_ONCE]:
        _reindex(document, index, ports)


def _reindex(document: Document, index: VectorIndex, ports: Ports) -> None:
    """In the version in force. A version that comes in meanwhile has seen to itself."""
    chunks = ports.ledger.chunks(document.document_id)
    if chunks:
        ports.ledger.note_collection(document.document_id, chunks[0].version, _indexed(index, chunks))


def _documents(ports: Ports) -> Iterator[Document]:
    cursor: str | None = None
    while True:
        page = ports.ledger.documents(None, PAGE, cursor)
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return
