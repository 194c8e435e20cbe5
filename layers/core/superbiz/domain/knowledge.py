"""Knowledge values: domains, documents, chunks, keys, hits."""

from enum import StrEnum

from superbiz.domain.values import UtcTime, Value


class Domain(Value):
    """`knowledge_domain`: groups documents."""

    domain_id: str
    name: str
    description: str = ""
    created_at: UtcTime


class Document(Value):
    """`api_document`. `version` names the set of chunks now in force; `keys` are its L0 keys as given.

    `collection` names the vector store's collection that holds this version; empty where only the exact index has it.
    """

    document_id: str
    domain_id: str
    title: str
    filename: str
    keys: tuple[str, ...] = ()
    version: str
    chunk_count: int = 0
    size: int = 0
    collection: str = ""
    created_at: UtcTime
    updated_at: UtcTime


class Chunk(Value):
    """A part of one version of a document, at most 800 characters. `heading` is the path of headings above it."""

    chunk_id: str
    document_id: str
    version: str
    position: int
    heading: str
    text: str


class Level(StrEnum):
    L0 = "L0"
    L1 = "L1"


class KnowledgeHit(Value):
    """`via` says how it was found: `key`, `milvus`, or `exact` (with the reason in `note` where Milvus was not used)."""

    level: Level
    document_id: str
    chunk_id: str
    heading: str
    text: str
    score: float
    via: str
    note: str = ""
