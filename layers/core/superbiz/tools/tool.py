"""What a tool is: a name, a category, a schema for its input, and a pure reading of the sources it is handed."""

from datetime import datetime
from typing import Annotated, NamedTuple, Protocol

from pydantic import Field

from superbiz.domain.evidence import ToolCategory
from superbiz.domain.unread import UNREAD as UNREAD
from superbiz.domain.values import JsonObject, Value, Window
from superbiz.ports import EvidenceSource, Knowledge

Name = Annotated[str, Field(max_length=1_024)]
"""One of several names in an input: as long as AWS lets one be."""


class ToolContext(NamedTuple):
    """What a tool may read. `window` is the incident's window, used where the input names none; `now` the incident's clock."""

    source: EvidenceSource
    knowledge: Knowledge | None
    now: datetime
    window: Window | None


class ToolInput(Value):
    """Input is checked by schema before a tool runs. Unknown parameters are dropped."""


class Tool(Protocol):
    """`run` returns a JSON object whose leaves are worth citing, with `window`, `queried_at` and `complete`.

    It raises SourceUnavailable where its source can not be read (recorded as FAILED), Invalid where the input makes no sense.
    What is too large for a reader is reduced here (aggregates, templates with counts, representative lines), and what was left out is said.
    """

    name: str
    category: ToolCategory
    description: str
    input_model: type[ToolInput]

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject: ...
