"""Documents of the knowledge base: what an upload changes, and what it must not."""

import base64
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from superbiz.domain.knowledge import Chunk, Document
from superbiz.errors import Invalid, NotFound, TooLarge, Unavailable
from superbiz.ports import Ports
from superbiz.services import knowledge
from superbiz.services.knowledge import Upload
from support.runbooks import DISK, POOL
from support.serving import clock_of, memory_ports


@pytest.fixture
def ports() -> Ports:
    return memory_ports()


class Store:
    """A vector store that can be up or down, over the index of the ports."""

    collection = "vectors"

    def __init__(self) -> None:
        self.rows: dict[str, Chunk] = {}
        self.is_up = True

    def upsert(self, chunks: Sequence[Chunk]) -> None:
        self._answer()
        self.rows |= {chunk.chunk_id: chunk for chunk in chunks}

    def delete(self, document_id: str, version: str | None = None) -> None:
        self._answer()
        self.rows = {i: c for i, c in self.rows.items() if (c.document_id, c.version) != (document_id, version or c.version)}

    def clear(self) -> None:
        self._answer()
        self.rows = {}

    def versions(self) -> set[tuple[str, str]]:
        return {(c.document_id, c.version) for c in self.rows.values()}

    def _answer(self) -> None:
        if not self.is_up:
            raise Unavailable("the vector store did not answer")


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def stored(ports: Ports, store: Store) -> Ports:
    """Ports with that vector store."""
    return replace(ports, vector_index=lambda: store)


def upload(ports: Ports, **fields: Any) -> Document:
    return knowledge.upload(Upload.model_validate({"filename": "pool.md", "content": POOL} | fields), ports)


# REQ-170
def test_a_document_its_domain_and_its_chunks_can_be_read_back(ports: Ports) -> None:
    document = upload(ports, domainId="orders", keys=["given-key"])
    assert ports.ledger.document(document.document_id) == document
    assert [d.domain_id for d in knowledge.domains(ports)] == ["orders"]
    chunks = ports.ledger.chunks(document.document_id)
    assert [c.heading for c in chunks] == ["Connection pool exhausted > Meaning", "Connection pool exhausted > Steps"]
    assert document.title == "Connection pool exhausted"
    assert document.keys == ("given-key", "orders-pool-dry", "HIKARI_30000", "/api/orders/{id}", "Connection pool exhausted", "pool")
    assert document.size == len(POOL.encode())


# REQ-171
def test_a_domain_groups_documents_and_a_document_is_many_chunks(ports: Ports) -> None:
    three = "# Page\n" + "\n".join(f"## Part {n}\ntext {n}" for n in range(3))
    for name in ("one.md", "two.md"):
        upload(ports, filename=name, content=three, domainId="orders")
    upload(ports, domainId="other")
    listed = knowledge.listing("orders", 10, None, ports).items
    assert sorted(d.filename for d in listed) == ["one.md", "two.md"]
    assert sum(d.chunk_count for d in listed) == 6
    assert len([c for d in listed for c in ports.ledger.chunks(d.document_id)]) == 6
    assert len(knowledge.listing(None, 10, None, ports).items) == 3


# REQ-172, REQ-173
def test_a_chunk_is_a_value_that_may_gain_attributes(ports: Ports) -> None:
    document = upload(ports)
    chunk = ports.ledger.chunks(document.document_id)[0]
    assert Chunk.model_validate(chunk.to_json() | {"reviewed_by": "somebody"}) == chunk


def test_the_same_content_again_changes_nothing(ports: Ports) -> None:
    first = upload(ports)
    clock_of(ports).advance(60)
    assert upload(ports) == first
    assert upload(ports, content=None, contentBase64=base64.b64encode(POOL.encode()).decode()) == first
    assert len(knowledge.listing(None, 10, None, ports).items) == 1


def test_other_content_takes_the_documents_place(ports: Ports) -> None:
    first = upload(ports)
    clock_of(ports).advance(60)
    second = upload(ports, content=POOL.replace("Raise", "Never raise").replace("orders-pool-dry", "renamed-alarm"))
    assert second.document_id == first.document_id
    assert second.version != first.version
    assert (second.created_at, second.updated_at) == (first.created_at, clock_of(ports).now())
    assert {c.version for c in ports.ledger.chunks(first.document_id)} == {second.version}
    assert knowledge.preview("renamed-alarm", ports)
    assert not [hit for hit in knowledge.preview("orders-pool-dry", ports) if hit.level == "L0"]


def test_the_same_file_name_in_two_domains_is_two_documents(ports: Ports) -> None:
    assert upload(ports, domainId="a").document_id != upload(ports, domainId="b").document_id


def test_a_named_document_is_replaced_whatever_its_file_is_called(ports: Ports) -> None:
    upload(ports, documentId="pool-runbook")
    upload(ports, documentId="pool-runbook", filename="other.md", content=DISK)
    assert [d.filename for d in knowledge.listing(None, 10, None, ports).items] == ["other.md"]


@pytest.mark.parametrize("filename", ["a.md", "a.MD", "a.markdown", "a.txt", "docs/告警 手册 (1).md"])
def test_markdown_and_text_are_taken(ports: Ports, filename: str) -> None:
    assert upload(ports, filename=filename).chunk_count > 0


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"filename": "a.pdf"}, "neither Markdown nor text"),
        ({"content": None}, "either content"),
        ({"contentBase64": "aGk="}, "either content"),
        ({"content": " \n\n "}, "no text"),
        ({"content": "---\ntitle: only front matter\n---\n"}, "no text"),
        ({"content": "half a \ud83d pair"}, "not UTF-8"),
        ({"content": "bin\x00ary"}, "NUL"),
        ({"content": None, "contentBase64": "no base64!"}, "contentBase64"),
        ({"content": None, "contentBase64": base64.b64encode(b"\xff\xfe\x00a").decode()}, "not UTF-8"),
    ],
)
def test_what_is_no_text_is_refused_and_nothing_is_written(ports: Ports, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(Invalid, match=words):
        upload(ports, **fields)
    assert not knowledge.listing(None, 10, None, ports).items
    assert not knowledge.domains(ports)


@pytest.mark.parametrize(
    "fields",
    [
        {"filename": ""},
        {"filename": "a\n.md"},
        {"filename": "a" * 201},
        {"domainId": "../x"},
        {"domainId": "a" * 129},
        {"documentId": "#"},
        {"keys": ["k" * 201]},
        {"keys": [""]},
        {"keys": ["k"] * 51},
        {"title": "t" * 201},
        {"content": 5},
    ],
)
def test_fields_out_of_bounds_are_refused(ports: Ports, fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        upload(ports, **fields)


def test_one_mebibyte_is_taken_and_one_byte_more_is_not(ports: Ports) -> None:
    text = "数据 word\n" * (2**20 // 12)
    text += "x" * (2**20 - len(text.encode()))
    for content in ({"content": text + "x"}, {"content": None, "contentBase64": base64.b64encode((text + "x").encode()).decode()}):
        with pytest.raises(TooLarge):
            upload(ports, filename="big.txt", **content)
    with pytest.raises(TooLarge):
        upload(ports, content=None, contentBase64="A" * (3 * 2**20))
    with pytest.raises(TooLarge, match="chunks"):
        upload(ports, content="# a\n" * 6_000)
    assert knowledge._text(Upload(filename="big.txt", content=text)) == text


def test_a_removed_document_is_gone_everywhere(stored: Ports, store: Store) -> None:
    document = upload(stored)
    knowledge.remove(document.document_id, stored)
    assert stored.ledger.document(document.document_id) is None
    assert list(stored.ledger.chunks(document.document_id)) == []
    assert store.rows == {}
    with pytest.raises(NotFound):
        knowledge.remove(document.document_id, stored)


def test_a_document_says_which_collection_has_it(stored: Ports, store: Store) -> None:
    document = upload(stored)
    assert document.collection == "vectors"
    assert store.versions() == {(document.document_id, document.version)}


def test_a_new_version_leaves_no_rows_of_the_old_one(stored: Ports, store: Store) -> None:
    upload(stored)
    second = upload(stored, content=DISK)
    assert store.versions() == {(second.document_id, second.version)}


def test_with_the_vector_store_down_an_upload_stands_and_the_next_one_mends_it(stored: Ports, store: Store) -> None:
    store.is_up = False
    document = upload(stored)
    assert document.collection == ""
    assert upload(stored) == document
    store.is_up = True
    upload(stored, filename="disk.md", content=DISK)
    mended = stored.ledger.document(document.document_id)
    assert mended == document.model_copy(update={"collection": "vectors"})
    assert (document.document_id, document.version) in store.versions()


def test_with_the_vector_store_down_a_document_can_be_removed(stored: Ports, store: Store) -> None:
    document = upload(stored)
    store.is_up = False
    knowledge.remove(document.document_id, stored)
    assert stored.ledger.document(document.document_id) is None


def test_the_index_is_rebuilt_from_the_table(stored: Ports, store: Store) -> None:
    documents = [upload(stored), upload(stored, filename="disk.md", content=DISK)]
    store.rows = {"left": Chunk(chunk_id="left", document_id="gone", version="v", position=0, heading="", text="stale")}
    assert knowledge.rebuild(stored) == 2
    assert store.versions() == {(d.document_id, d.version) for d in documents}
    store.is_up = False
    with pytest.raises(Unavailable):
        knowledge.rebuild(stored)


def test_uploads_at_once_leave_one_whole_version(stored: Ports, store: Store) -> None:
    texts = [f"# Page\n## Part\nversion {n}\n## Other\nversion {n}" for n in range(8)]
    threads = [threading.Thread(target=upload, args=(stored,), kwargs={"content": text}) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (document,) = knowledge.listing(None, 10, None, stored).items
    chunks = stored.ledger.chunks(document.document_id)
    assert {c.version for c in chunks} == {document.version}
    assert len({c.text for c in chunks}) == 1
    assert (document.document_id, document.version) in store.versions()


def test_preview_shows_what_a_run_would_be_shown(ports: Ports) -> None:
    assert knowledge.preview("orders-pool-dry", ports) == []
    upload(ports)
    assert [(hit.level, hit.via) for hit in knowledge.preview("Orders Pool Dry", ports, limit=2)] == [("L0", "key")] * 2
    assert knowledge.preview("how do I bake sourdough bread", ports) == []
    for key in (" ", "-_-", "k" * 201):
        with pytest.raises(Invalid):
            knowledge.preview(key, ports)
