"""Parameters in the query of a request. One that is not known is refused: a filter that is silently ignored misleads."""

from typing import Annotated

from pydantic import ConfigDict, Field

from superbiz.domain.claims import Conclusion
from superbiz.domain.runs import Feedback, Flow, Status
from superbiz.domain.values import Value
from superbiz.domain.verification import Verdict
from superbiz.ports import RunFilter

CURSOR_CHARS = 4_000


class Query(Value):
    """No parameters."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PageQuery(Query):
    """Where in a list, and how much of it."""

    limit: int = Field(default=20, ge=1, le=100)
    cursor: str | None = Field(default=None, max_length=CURSOR_CHARS)


class RunsQuery(PageQuery):
    """The run list's filters. `month` is `yyyy-mm`."""

    status: Status | None = None
    verdict: Verdict | None = None
    conclusion: Conclusion | None = None
    flow: Flow | None = None
    alarm: str | None = Field(default=None, max_length=255)
    feedback: Feedback | None = None
    month: Annotated[str, Field(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$")] | None = None

    @property
    def filters(self) -> RunFilter:
        """As the ledger takes them."""
        return RunFilter(self.status, self.verdict, self.conclusion, self.flow, self.alarm, self.feedback)


class TraceQuery(Query):
    """A later page of a trace."""

    cursor: str | None = Field(default=None, max_length=CURSOR_CHARS)


class WaitQuery(Query):
    """How many seconds the answer may wait for the run's end."""

    wait: int | None = Field(default=None, ge=1, le=25)


class EventsQuery(Query):
    """The last event that was seen, for a reader that can send no Last-Event-ID header."""

    last_event_id: str | None = Field(default=None, alias="lastEventId", max_length=20)


class OutputQuery(Query):
    """Bytes from `from` up to, but without, `to`."""

    start: int | None = Field(default=None, alias="from", ge=0)
    end: int | None = Field(default=None, alias="to", ge=1)


class DocumentsQuery(PageQuery):
    """The documents of one domain, or of all."""

    domain_id: str | None = Field(default=None, alias="domainId", max_length=128)


class PreviewQuery(Query):
    """The key to try."""

    key: str = Field(min_length=1, max_length=500)
    limit: int = Field(default=5, ge=1, le=20)
