"""A few documents of a knowledge base, as chunks and as they stand in a ledger."""

from superbiz.domain import chunking, keys
from superbiz.domain.knowledge import Chunk, Document
from superbiz.ports import KnowledgeLedger
from support.builders import NOW

POOL = """---
title: Connection pool exhausted
alarms: [orders-pool-dry]
error_codes: [HIKARI_30000]
paths: [/api/orders/{id}]
---
# Connection pool exhausted

## Meaning
The order service can not obtain a database connection: the pool runs dry and requests time out.

## Steps
Raise `maximumPoolSize`, then look for the deployment that opened too many connections.
"""
DISK = "# Disk full\n\nOld write-ahead log segments fill the volume. Delete archived segments."
CHINESE = "# 支付网关超时\n\n支付网关响应缓慢，订单会堆积。先检查下游银行接口，再扩容网关。"


def build_chunks(document_id: str, text: str = POOL, version: str = "v1", filename: str = "page.md") -> tuple[Chunk, ...]:
    return chunking.chunks(document_id, version, chunking.parse(filename, text).pieces)


def build_document(document_id: str, text: str = POOL, version: str = "v1", filename: str = "page.md", collection: str = "") -> Document:
    parsed = chunking.parse(filename, text)
    return Document(
        document_id=document_id,
        domain_id="ops",
        title=parsed.title,
        filename=filename,
        keys=keys.of_document(filename, (parsed.title, *parsed.titles), parsed.meta),
        version=version,
        chunk_count=len(parsed.pieces),
        collection=collection,
        created_at=NOW,
        updated_at=NOW,
    )


def put(ledger: KnowledgeLedger, document_id: str, text: str = POOL, version: str = "v1", collection: str = "") -> Document:
    """Store it, and return it."""
    filename = f"{document_id}.md"
    document = build_document(document_id, text, version, filename, collection)
    ledger.put_document(document, build_chunks(document_id, text, version, filename))
    return document
