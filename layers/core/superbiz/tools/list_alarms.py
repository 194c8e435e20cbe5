"""`list_alarms`: the alarms there are, those in ALARM first, and how they changed."""

from pydantic import Field

from superbiz.domain.evidence import ToolCategory
from superbiz.domain.observations import AlarmChange, AlarmRow
from superbiz.domain.values import JsonObject, iso
from superbiz.tools.reading import Windowed, frame, top, unusable, window_of
from superbiz.tools.tool import ToolContext, ToolInput

ALARM = "ALARM"
REASON_CHARS = 300


class AlarmsQuery(Windowed):
    """The window bounds the history; alarms are listed as they stand."""

    active_only: bool = Field(default=False, description="only alarms in state ALARM")
    top: int = Field(default=30, ge=1, le=100)


class ListAlarms:
    """Listing alarms is no reading of metrics: its category is its own."""

    name = "list_alarms"
    category = ToolCategory.ALERT
    description = "Alarms with state, reason and dimensions, those in ALARM first, and the history of their changes in the window."
    input_model: type[ToolInput] = AlarmsQuery

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:
        """Raises SourceUnavailable where alarms can not be listed."""
        asked = AlarmsQuery.model_validate(params)
        window, listing = window_of(asked, context), context.source.alarms()
        rows = sorted((a for a in listing.alarms if not asked.active_only or a.state == ALARM), key=lambda a: (a.state != ALARM, a.name))
        changes = sorted((c for c in listing.history if c.timestamp <= context.now), key=lambda c: (c.timestamp, c.alarm), reverse=True)
        alarms, more = top(rows, asked.top)
        history, older = top(changes, asked.top)
        return {
            "alarms": [_alarm(a) for a in alarms],
            "history": [_change(c) for c in history],
        } | frame(window, {"alarms": more, "history": older}, unusable(context.source))


def _alarm(row: AlarmRow) -> JsonObject:
    record: JsonObject = {"name": row.name, "state": row.state, "since": iso(row.updated) if row.updated else None,
                          "reason": row.reason[:REASON_CHARS], "metric": row.metric, "dimensions": row.dimensions}  # fmt: skip
    return {name: value for name, value in record.items() if value}


def _change(change: AlarmChange) -> JsonObject:
    return {
        "timestamp": iso(change.timestamp),
        "alarm": change.alarm,
        "from": change.from_,
        "to": change.to,
        "reason": change.reason[:REASON_CHARS],
    }
