"""Runbooks: uploaded, listed, removed, and tried out."""

from aws_lambda_powertools.event_handler import Response

from superbiz.edge.api import Api, answer, nothing
from superbiz.edge.queries import DocumentsQuery, PreviewQuery
from superbiz.edge.views.knowledge import DocumentPage, PreviewView, document_page, document_view, preview_view
from superbiz.services import knowledge
from superbiz.wiring import ports

app = Api("knowledge")


@app.post("/api/knowledge/documents")
def put_document() -> Response[str]:
    """201 with the document; the same content again changes nothing."""
    return answer(document_view(knowledge.upload(app.body(knowledge.Upload), ports())), 201)


@app.get("/api/knowledge/documents")
def list_documents() -> DocumentPage:
    """By domain, or all."""
    asked = app.query(DocumentsQuery)
    return document_page(knowledge.listing(asked.domain_id, asked.limit, asked.cursor, ports()), knowledge.domains(ports()))


@app.delete("/api/knowledge/documents/<document_id>")
def remove_document(document_id: str) -> Response[str]:
    """204: its chunks, keys and rows in the index go with it."""
    knowledge.remove(document_id, ports())
    return nothing()


@app.get("/api/knowledge/preview")
def preview_knowledge() -> PreviewView:
    """What a run would be shown for this key."""
    asked = app.query(PreviewQuery)
    return preview_view(asked.key, knowledge.preview(asked.key, ports(), asked.limit))


handler = app.serve
