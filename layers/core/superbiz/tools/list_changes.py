"""`list_changes`: changes and platform events against an onset, and which of them are red herrings."""

from datetime import timedelta

from pydantic import Field

from superbiz.analysis import changes
from superbiz.analysis.changes import Aligned
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.values import JsonObject, UtcTime, Window, iso
from superbiz.tools.reading import Windowed, earlier, frame, top, unusable, whole, window_of
from superbiz.tools.tool import Name, ToolContext, ToolInput

LOOKBACK = timedelta(days=7)
MESSAGE_CHARS = 300
NO_NAME, NO_SOURCE = "(unnamed)", "(unknown source)"  # every change has both, since sentences are made of them


class ChangesQuery(Windowed):
    """Without a window, the week up to the end of the incident's is read."""

    onset: UtcTime | None = Field(default=None, description="when the trouble began; left out, the window's start")
    suspects: tuple[Name, ...] = Field(
        default=(), max_length=20, description="resources under suspicion: a change that touches one weighs more"
    )
    top: int = Field(default=15, ge=1, le=50)


class ListChanges:
    """A change is told with its distance from the onset, so that a claim about before and after can be checked."""

    name = "list_changes"
    category = ToolCategory.CHANGE
    description = (
        "Deployments, configuration changes and platform events (failovers, restarts, maintenance), each with how long before the onset it "
        "was, whether it touches a suspect, and whether it is routine or too old to matter."
    )
    input_model: type[ToolInput] = ChangesQuery

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:
        """Raises SourceUnavailable where changes can not be read."""
        asked = ChangesQuery.model_validate(params)
        near = window_of(asked, context)
        window = Window(start=asked.start or earlier(near.start, LOOKBACK), end=near.end)
        found = changes.align(context.source.changes(window), asked.onset or near.start, asked.suspects)
        shown, more = top(found, asked.top)
        return {"changes": [_record(a) for a in shown], "matched": len(found)} | frame(window, {"changes": more}, unusable(context.source))


def _record(aligned: Aligned) -> JsonObject:
    change = aligned.change
    record: JsonObject = {
        "time": iso(change.time),
        "source": change.source or NO_SOURCE,
        "name": change.name or NO_NAME,
        "resource": change.resource,
        "owner": aligned.owner,
        "times": aligned.times if aligned.times > 1 else None,
        "relation": aligned.relation.value,
        "kind": aligned.kind.name,
        **_distance(aligned.minutes),
        "actor": change.actor,
        "message": change.message[:MESSAGE_CHARS],
        "touches": aligned.touches,
        "category": aligned.category.value,
        "weight": whole(aligned.strength),
    }
    return {name: value for name, value in record.items() if value not in (None, "")}


def _distance(minutes: float) -> JsonObject:
    side = "before" if minutes >= 0 else "after"
    amount = abs(minutes)
    return {f"minutes_{side}_onset": whole(amount)} if amount < 120 else {f"hours_{side}_onset": whole(round(amount / 60, 1))}
