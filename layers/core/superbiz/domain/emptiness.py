"""When a tool's output matched nothing.

Frame fields (what was asked, when, how much of it) say nothing about the system. Of the rest, null, "", [], {} and objects of such values
are blank. A count of 0 is blank too where a blank collection stands beside it (`{"logs": [], "matched": 0}`); alone it is a reading
(`{"value": 0}`). An output of blanks only is empty.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from superbiz.domain.values import JsonObject, Window

FRAME = frozenset({"window", "queried_at", "complete", "left_out", "notes"})
STILL_ARRIVING = timedelta(minutes=5)


def is_empty(output: Any) -> bool:
    """Whether the output, frame apart, holds nothing."""
    if not isinstance(output, Mapping):
        return _blank(output)
    fields = [value for name, value in output.items() if name not in FRAME]
    told = [value for value in fields if not _blank(value)]
    return not told or (len(told) < len(fields) and all(_zero(value) for value in told))


def is_complete(output: JsonObject, window: Window | None, queried_at: datetime) -> bool:
    """False where the tool says so, or where the window ends so late that data was still arriving."""
    return output.get("complete") is not False and (window is None or window.end <= queried_at - STILL_ARRIVING)


def _blank(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_blank(v) for v in value.values())
    return value is None or value in ("", [], ())


def _zero(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == 0
