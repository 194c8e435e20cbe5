"""`lookup_knowledge`: runbooks by exact key (L0) and by meaning (L1)."""

from typing import ClassVar

from pydantic import Field

from superbiz.domain import keys
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.knowledge import KnowledgeHit
from superbiz.domain.values import JsonObject, iso
from superbiz.errors import Invalid, Unavailable
from superbiz.ports import SourceUnavailable
from superbiz.tools.tool import Name, ToolContext, ToolInput

MAX_LIMIT = 20


class LookupInput(ToolInput):
    """Keys, a query, or both."""

    keys: tuple[Name, ...] = Field(
        default=(), max_length=20, description="Exact names to look up: alarm names, error codes, API paths, titles."
    )
    query: str = Field(default="", max_length=4_000, description="What it is about, in words. English and Chinese.")
    limit: int = Field(default=5, ge=1, le=MAX_LIMIT)


class LookupKnowledge:
    """Names in the query are looked up as keys too. Knowledge has no time: the window is null, and an answer is complete."""

    name = "lookup_knowledge"
    category = ToolCategory.KNOWLEDGE
    description = "Find runbooks: by exact names (L0), and by what they are about (L1). A hit tells where to look, not what happened."
    input_model: ClassVar[type[ToolInput]] = LookupInput

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:
        given = LookupInput.model_validate(params, from_attributes=True)
        wanted = keys.unique([*given.keys, *keys.from_text(given.query)])
        if not wanted and not given.query.strip():
            raise Invalid("neither a key nor a query", mend='give {"keys":["<alarm name>"]} or {"query":"…"}')
        if context.knowledge is None:
            raise SourceUnavailable("knowledge", "no knowledge base and no runbooks are connected")
        try:
            hits = context.knowledge.find(wanted, given.query.strip() or " ".join(given.keys), given.limit)
        except Unavailable as e:
            raise SourceUnavailable("knowledge", str(e), e.code) from e
        return {"hits": [_shown(hit) for hit in hits], "window": None, "queried_at": iso(context.now), "complete": True}


def _shown(hit: KnowledgeHit) -> JsonObject:
    """As the evidence chain cites it. `note` only where there is something to say."""
    shown: JsonObject = {
        "level": str(hit.level),
        "document_id": hit.document_id,
        "chunk_id": hit.chunk_id,
        "heading": hit.heading,
        "text": hit.text,
        "score": round(hit.score, 4),
        "via": hit.via,
    }
    return shown | ({"note": hit.note} if hit.note else {})
