"""`read_insights`: a database's load by what its sessions wait for and by statement, as Performance Insights recorded it."""

from typing import Any

from pydantic import Field

from superbiz.analysis import insights
from superbiz.analysis.insights import Insights, Load, Part, Session
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.values import JsonObject
from superbiz.ports import SourceUnavailable
from superbiz.tools.reading import Windowed, frame, top, unusable, whole, window_of
from superbiz.tools.tool import ToolContext, ToolInput

STATEMENT_CHARS = 300
# The documents that hold load, by the names they are recorded under.
DOCUMENTS = ("performance_insights", "database_insights", "resource_metrics", "dimension_keys")


class InsightsQuery(Windowed):
    """Documents are read as they were recorded: the window is the incident's, for the reader."""

    database: str | None = Field(default=None, max_length=300, description="the instance that a document tells of which names none")
    top: int = Field(default=8, ge=1, le=50)


class ReadInsights:
    """Load is average active sessions: above the number of vCPUs, sessions queue for the processor or wait for something else."""

    name = "read_insights"
    category = ToolCategory.METRIC
    description = (
        "Load of databases (average active sessions) against their vCPUs, what sessions wait for (CPU, IO, locks), the statements that "
        "make the load, and sessions that hold a transaction open, from Performance Insights."
    )
    input_model: type[ToolInput] = InsightsQuery

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:
        """Raises SourceUnavailable where there are no insights."""
        asked = InsightsQuery.model_validate(params)
        window, found = window_of(asked, context), _read(context, asked.database or "")
        waits, more_waits = top(found.waits, asked.top)
        statements, more = top(found.statements, asked.top)
        sessions, more_sessions = top(found.sessions, asked.top)
        return {
            "databases": [_load(load) for load in found.databases],
            "waits": [_part(p, "wait") | {"kind": insights.wait_kind(p.name).value} for p in waits],
            "sql": [_part(p, "sql") for p in statements],
            "sessions": [_session(s) for s in sessions],
        } | frame(window, {"waits": more_waits, "sql": more, "sessions": more_sessions}, unusable(context.source))


def _read(context: ToolContext, database: str) -> Insights:
    """All documents that are there, read as one. Where there is none, the first source's reason stands for all."""
    documents: list[Any] = []
    reasons: list[SourceUnavailable] = []
    for name in DOCUMENTS:
        try:
            documents.append(context.source.document(name))
        except SourceUnavailable as e:
            reasons.append(e)
    if not any(documents):
        raise reasons[0] if reasons else SourceUnavailable("performance insights", "none is recorded")
    return insights.read(documents, database)


def _load(load: Load) -> JsonObject:
    record: JsonObject = {"database": load.database, "load": whole(round(load.average, 3)), "peak_load": whole(round(load.peak, 3))}
    if load.vcpus:
        record |= {"max_vcpus": whole(load.vcpus), "load_to_vcpus": whole(round(load.peak / load.vcpus, 3))}
    return record


def _part(part: Part, name: str) -> JsonObject:
    return {
        "database": part.database,
        name: part.name[:STATEMENT_CHARS],
        "load": whole(round(part.load, 3)),
        "share": whole(round(part.share, 3)),
    }


def _session(session: Session) -> JsonObject:
    record: JsonObject = {"database": session.database, "user": session.user, "state": session.state, "since": session.since,
                          "sql": session.statement[:STATEMENT_CHARS]}  # fmt: skip
    return {name: value for name, value in record.items() if value}
