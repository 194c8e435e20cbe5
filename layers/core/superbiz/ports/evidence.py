"""Where evidence and knowledge come from, and the toolbox that records what was read."""

from collections.abc import Hashable, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from superbiz.domain.evidence import Invocation, ToolCategory
from superbiz.domain.knowledge import Chunk, KnowledgeHit
from superbiz.domain.observations import AlarmListing, Change, LogLine, Series, Service, Span
from superbiz.domain.runs import Cost
from superbiz.domain.values import JsonObject, Window


class ScoredChunk(NamedTuple):
    chunk: Chunk
    score: float


class VectorIndex(Protocol):
    """What L1 is searched in; made from the table, and mended from it. Rows of several versions may stand in it: a search counts only
    those in force."""

    @property
    def collection(self) -> str:
        """The vector store's collection that new rows go to (it names their encoder); empty where there is no vector store."""

    def upsert(self, chunks: Sequence[Chunk]) -> None:
        """The chunks of one document's version. Raises Unavailable where the vector store can not be reached; the exact index has them
        even then."""

    def delete(self, document_id: str, version: str | None = None) -> None:
        """The rows of one version of a document, or of all its versions."""

    def clear(self) -> None:
        """Everything, so that it can be made anew."""


class Knowledge(Protocol):
    """L0 and L1 together, as `lookup_knowledge` and the preview route see them."""

    def find(self, keys: Sequence[str], query: str, limit: int = 5) -> Sequence[KnowledgeHit]:
        """L0 hits first, then L1 by score; no chunk twice. Empty means that all knowledge was asked and nothing matched.

        Raises SourceUnavailable where there is no knowledge, Unavailable where it can not be asked."""


class SourceUnavailable(Exception):
    """A source can not be read: `what` names it, `why` the reason (with the missing permission, where that is it)."""

    def __init__(self, what: str, why: str, code: str = "SOURCE_UNAVAILABLE") -> None:
        super().__init__(f"{what}: {why}")
        self.what, self.why, self.code = what, why, code

    def __reduce__(self) -> tuple[type, tuple[str, str, str]]:
        return type(self), (self.what, self.why, self.code)  # between processes


class EvidenceSource(Hashable, Protocol):
    """Where evidence comes from: a recorded world, or a live account. Each method raises SourceUnavailable where its source is not there.

    `normal=True` asks for a fault-free reference period; None says there is none.
    """

    def now(self) -> datetime:
        """The incident's clock."""

    def window(self) -> Window | None:
        """The recorded window of the incident, where the source knows one."""

    def metrics(self, window: Window | None) -> Sequence[Series]: ...

    def normal_metrics(self) -> Sequence[Series] | None: ...

    def logs(self, window: Window | None) -> Iterable[LogLine]: ...

    def normal_logs(self) -> Iterable[LogLine] | None: ...

    def traces(self, window: Window | None) -> Iterable[Span]: ...

    def normal_traces(self) -> Iterable[Span] | None: ...

    def service_map(self) -> Sequence[Service]: ...

    def alarms(self) -> AlarmListing: ...

    def changes(self, window: Window | None) -> Sequence[Change]: ...

    def document(self, name: str) -> Any:
        """A recorded document by name (insights)."""

    def runbooks(self) -> Sequence[tuple[str, str]]:
        """(file name, text) of the runbooks that exist in that world."""

    def unusable(self) -> Sequence[str]:
        """What could not be used of the rows read so far, in sentences."""

    def partial(self, category: ToolCategory) -> Sequence[str]:
        """What was read only in part (a cap, a time-out, a sample), in sentences: nothing can be said to be absent from it."""

    def cost(self) -> Cost:
        """What reading has cost so far, as `evidence`."""


class Redactor(Protocol):
    """Replaces secrets and personal data by placeholders `<KIND:hmac8>`; equal ones of a run get equal placeholders.

    `key` is the name that the text stands under, which may tell what it is: `{"password": "…"}`.
    """

    def text(self, value: str, key: str = "") -> str: ...


class RecordedCall(NamedTuple):
    """A tool call as it was recorded. `output` is the stored, redacted, canonical output parsed again; None where the call failed."""

    invocation: Invocation
    output: Any


class Toolbox(Protocol):
    """All tools, wrapped by the recorder. The same tool with the same input in one run is executed once."""

    def call(self, tool_name: str, params: JsonObject) -> RecordedCall: ...

    def describe(self) -> Sequence[JsonObject]:
        """Name, category, description and JSON schema of each tool, for a model."""

    def recorded(self) -> Sequence[RecordedCall]:
        """What this run has recorded so far, in order."""
