"""Which collection of the vector store holds a document's version: noted on the version in force, and on no other."""

from superbiz.domain.knowledge import Chunk, Document
from superbiz.ports import Ledger
from support.builders import NOW


def document(version: str, collection: str = "") -> Document:
    return Document(
        document_id="d", domain_id="ops", title="T", filename="t.md", keys=("T",), version=version, collection=collection,
        created_at=NOW, updated_at=NOW,
    )  # fmt: skip


def chunk(version: str) -> Chunk:
    return Chunk(chunk_id=f"c-{version}", document_id="d", version=version, position=0, heading="T", text=f"text of {version}")


def test_a_collection_is_noted_and_cleared(ledger: Ledger) -> None:
    ledger.put_document(document("v1"), [chunk("v1")])
    assert ledger.note_collection("d", "v1", "vectors")
    assert ledger.document("d") == document("v1", "vectors")
    assert ledger.note_collection("d", "v1", "")
    assert ledger.document("d") == document("v1")


def test_nothing_is_noted_on_another_version_or_on_nothing(ledger: Ledger) -> None:
    ledger.put_document(document("v1"), [chunk("v1")])
    ledger.put_document(document("v2"), [chunk("v2")])
    assert not ledger.note_collection("d", "v1", "vectors")
    assert not ledger.note_collection("other", "v1", "vectors")
    assert ledger.document("d") == document("v2")
    assert ledger.document("other") is None


def test_putting_the_same_version_again_keeps_its_chunks(ledger: Ledger) -> None:
    ledger.put_document(document("v1"), [chunk("v1")])
    ledger.put_document(document("v1", "vectors"), [chunk("v1")])
    assert list(ledger.chunks("d")) == [chunk("v1")]
