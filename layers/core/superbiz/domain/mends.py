"""What a person can do about a source that was not checked: one row a reason, the first that fits."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from superbiz.domain.claims import NotChecked


class Mend(NamedTuple):
    when: re.Pattern[str]
    step: str


_PERMISSION = re.compile(r"\b([a-z][a-z0-9-]{1,40}:[A-Z][A-Za-z*]{2,60})\b")

MENDS = (
    Mend(re.compile(r"^\d+ (?:of \d+ )?(?:values|series|spans|normal spans|lines|resources|names|services|runbooks|further kinds)\b"),
         "Mend {what} where it is recorded ({why})."),
    Mend(re.compile(r"access ?denied|not authori[sz]ed|unauthori[sz]ed|forbidden|permission", re.IGNORECASE),
         "Give the diagnosis role read access to {what} ({why}), then run again."),
    Mend(re.compile(r"throttl|rate exceeded|too many requests|limit", re.IGNORECASE),
         "Ask for {what} again later or over a shorter window ({why})."),
    Mend(re.compile(r"time[ds]? ?-?out", re.IGNORECASE), "Ask for {what} again over a shorter window ({why})."),
    Mend(re.compile(r"incomplete|still arriving|partial|capped|truncated|left out", re.IGNORECASE),
         "Look at {what} again when its data is complete ({why})."),
    Mend(re.compile(r"INVALID_INPUT|invalid", re.IGNORECASE), "Check {what} by hand; it was asked for wrongly ({why})."),
)  # fmt: skip
CONNECT = "Connect as sources, or check by hand, what could not be read: {what}."


def mends_for(rows: Sequence[NotChecked]) -> list[str]:
    """A next step for each row; sources that are simply not there share one."""
    found = [(row, mend_for(row)) for row in rows]
    absent = [row.what for row, step in found if step is None]
    steps = [step for _, step in found if step is not None]
    if not absent:
        return steps
    told = list(dict.fromkeys(absent))
    return [*steps, CONNECT.format(what=", ".join(told[:-1]) + " and " + told[-1] if len(told) > 1 else told[0])]


def mend_for(row: NotChecked) -> str | None:
    """A next step for the row; None where its source is simply not there. Where the reason names a missing permission, so does the step."""
    permission = _PERMISSION.search(row.why)
    if permission:
        return f"Allow {permission[1]} for the diagnosis role, so that {row.what} can be checked."
    step = next((mend.step for mend in MENDS if mend.when.search(row.why)), None)
    return step.format(what=row.what, why=row.why) if step else None
