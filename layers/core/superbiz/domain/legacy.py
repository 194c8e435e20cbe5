"""`diagnosis_session`: rows of the old system, read only."""

from superbiz.domain.runs import Feedback
from superbiz.domain.values import JsonObject, UtcTime, Value


class LegacySession(Value):
    """A row as it was exported. `self_evaluation` may have any of the old flat forms; it is wrapped when read."""

    session_id: str
    query: str | None = None
    status: str = "SUCCESS"
    agent_flow: str | None = None
    answer: str | None = None
    self_evaluation: JsonObject | None = None
    feedback: Feedback | None = None
    feedback_at: UtcTime | None = None
    created_at: UtcTime | None = None
    extra: JsonObject | None = None
