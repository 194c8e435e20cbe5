"""Knowledge on the local stack: uploaded through the API, kept in the table and the vector store, looked up by a run."""

from urllib.parse import quote

import pytest

from superbiz_local.stack import LocalStack
from support.local import ask, call, ended
from support.runbooks import CHINESE, POOL

pytestmark = pytest.mark.stack

DOCUMENTS = "/api/knowledge/documents"


def preview(product: LocalStack, key: str) -> list[dict[str, object]]:
    found = call(product, "GET", f"/api/knowledge/preview?key={quote(key)}")
    assert found.status == 200, found.body
    return list(found.body["hits"])


# REQ-170
def test_a_document_is_searched_in_the_vector_store_until_it_is_removed(product: LocalStack) -> None:
    added = call(product, "POST", DOCUMENTS, {"filename": "支付.md", "content": CHINESE, "domainId": "pay"}).body
    assert added["collection"]
    (hit, *_) = preview(product, "支付网关很慢怎么办")
    assert (hit["documentId"], hit["level"], hit["via"], hit["note"]) == (added["documentId"], "L1", "milvus", "")
    assert call(product, "POST", DOCUMENTS, {"filename": "支付.md", "content": CHINESE, "domainId": "pay"}).body == added
    assert call(product, "DELETE", f"{DOCUMENTS}/{added['documentId']}").status == 204
    assert added["documentId"] not in {hit["documentId"] for hit in preview(product, "支付网关很慢怎么办")}
    assert call(product, "DELETE", f"{DOCUMENTS}/{added['documentId']}").status == 404


# REQ-026, REQ-047
def test_a_run_is_shown_the_runbook_that_its_question_names(product: LocalStack) -> None:
    added = call(product, "POST", DOCUMENTS, {"filename": "pool.md", "content": POOL}).body
    run = ended(product, ask(product, question="What does the alarm orders-pool-dry of order-service mean?")["runId"])
    trace = call(product, "GET", f"/api/trace/{run['runId']}").body
    (lookup, *_) = [c for c in trace["toolInvocations"] if c["tool_name"] == "lookup_knowledge"]
    hits = lookup["retrieval_details"]["match"]["hits"]
    assert (hits[0]["level"], hits[0]["document_id"]) == ("L0", added["documentId"])
    assert call(product, "DELETE", f"{DOCUMENTS}/{added['documentId']}").status == 204
