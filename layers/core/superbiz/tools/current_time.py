"""`current_time`: the incident's clock. Recorded like any call, and no evidence."""

from superbiz.domain.evidence import ToolCategory
from superbiz.domain.values import JsonObject, iso
from superbiz.tools.tool import ToolContext, ToolInput


class CurrentTime:
    """Of a recorded incident it is the time then, not the wall clock's."""

    name = "current_time"
    category = ToolCategory.UTILITY
    description = "The current time of the incident's clock, in UTC."
    input_model: type[ToolInput] = ToolInput

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:  # noqa: ARG002 - it takes no parameters
        """Never fails."""
        return {"now": iso(context.now)}
