"""The routes of the knowledge base."""

import base64
from typing import Any

import pytest

from support.serving import Answer, Functions, event, request

DOCUMENTS = "/api/knowledge/documents"
TEXT = "# Pool runs dry\n\nLook for the pool's errors.\n"


def upload(api: Functions, **fields: Any) -> Answer:
    return api.call("POST", DOCUMENTS, {"filename": "pool.md", "content": TEXT, "keys": ["order-service-errors"]} | fields)


def test_the_example_document_is_stored_and_found_by_its_key(api: Functions) -> None:
    stored = api.ask("knowledge", event("knowledge"))
    assert stored.status == 201
    assert (stored.body["domainId"], stored.body["filename"], stored.body["chunkCount"] > 0) == ("orders", "order-service-pool.md", True)
    found = api.call("GET", "/api/knowledge/preview", query={"key": "order-service-errors"}).body
    assert found["key"] == "order-service-errors"
    assert (found["hits"][0]["level"], found["hits"][0]["documentId"]) == ("L0", stored.body["documentId"])
    assert "Connection is not available" in "".join(hit["text"] for hit in found["hits"])


def test_the_same_content_again_changes_nothing_and_other_content_is_a_new_version(api: Functions) -> None:
    first = upload(api).body
    assert upload(api).body == first
    second = upload(api, content=TEXT + "\nMore.\n").body
    assert second["documentId"] == first["documentId"]
    assert second["version"] != first["version"]
    assert len(api.call("GET", DOCUMENTS).body["items"]) == 1


# REQ-171
def test_documents_are_listed_by_domain_with_the_domains(api: Functions) -> None:
    for name, domain in (("a.md", "orders"), ("b.md", "orders"), ("c.md", "payments")):
        upload(api, filename=name, domainId=domain)
    page = api.call("GET", DOCUMENTS, query={"domainId": "orders"}).body
    assert {d["filename"] for d in page["items"]} == {"a.md", "b.md"}
    assert {d["domainId"] for d in page["domains"]} == {"orders", "payments"}
    assert len(api.call("GET", DOCUMENTS, query={"limit": "2"}).body["items"]) == 2


def test_a_document_is_removed_with_what_it_would_be_found_by(api: Functions) -> None:
    document_id = upload(api).body["documentId"]
    gone = api.call("DELETE", f"{DOCUMENTS}/{document_id}")
    assert (gone.status, gone.raw["body"]) == (204, "")
    assert api.call("GET", "/api/knowledge/preview", query={"key": "order-service-errors"}).body["hits"] == []
    assert api.call("DELETE", f"{DOCUMENTS}/{document_id}").status == 404


def test_bytes_come_as_base64(api: Functions) -> None:
    sent = base64.b64encode(TEXT.encode()).decode()
    assert upload(api, content=None, contentBase64=sent).body["size"] == len(TEXT.encode())


@pytest.mark.parametrize(
    "fields",
    [
        {"filename": "pool.pdf"},
        {"filename": ""},
        {"content": None},
        {"content": ""},
        {"content": None, "contentBase64": "%%%"},
        {"content": None, "contentBase64": base64.b64encode(b"\xff\xfe").decode()},
        {"keys": "order-service-errors"},
        {"keys": [""]},
        {"domainId": "no/such"},
    ],
)
def test_a_document_that_is_none_is_refused(api: Functions, fields: dict[str, Any]) -> None:
    assert upload(api, **fields).status == 400
    assert api.call("GET", DOCUMENTS).body["items"] == []


def test_a_document_over_a_mebibyte_is_413_however_it_is_sent(api: Functions) -> None:
    assert upload(api, content="# t\n\n" + "x" * 2**20).status == 413
    assert api.ask("knowledge", request("POST", DOCUMENTS, "x" * (5 * 2**20 + 1))).status == 413
    assert upload(api, content="界" * (2**20 // 3 + 1)).status == 413


@pytest.mark.parametrize("query", [{}, {"key": ""}, {"key": "k" * 501}, {"key": "k", "limit": "0"}, {"keys": "k"}])
def test_a_preview_without_a_usable_key_is_refused(api: Functions, query: dict[str, str]) -> None:
    assert api.call("GET", "/api/knowledge/preview", query=query).status == 400
