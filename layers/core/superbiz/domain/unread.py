"""What could not be read or used, derived from recorded calls alone: their failures, and the notes of their outputs.

Nobody's words enter here: an Executor that says what it did not check is not asked, so that no sentence can be planted there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from superbiz.domain.claims import NotChecked
from superbiz.domain.evidence import Invocation, InvocationStatus, ToolCategory
from superbiz.domain.summary import input_summary

UNREAD = "could not read "  # how a note begins that tells of a source which a tool did without
MISSING, TO_COMPARE = "there are no ", " to compare with"
SOURCE_UNAVAILABLE = "SOURCE_UNAVAILABLE"
MAX_ROWS = 50
MAX_WHAT, MAX_WHY = 300, 600
MOST_UNUSED = 5  # kinds of data that could not be used
MOST_NOTES = 200  # of one output
LONGEST_WHAT = 80
# How a note tells of data: what, and how much of it; what was mended, and needs no reader; what differs between calls that met the same.
UNUSED = re.compile(rf"(?P<what>[\w. -]{{1,{LONGEST_WHAT}}}): (?P<why>\d.*)", re.S)
MENDED = re.compile(r"put in order|was converted|were converted|the first was read|one for each id|only their beginning")
VARYING = re.compile(r"\d[\d,.]*|\(.*?\)")


def rows(calls: Sequence[Invocation], outputs: Mapping[str, Any]) -> tuple[NotChecked, ...]:
    """Each source, normal period or kind of data once, in the order of the calls. `outputs` are the stored outputs by invocation id."""
    failed = (c for c in calls if c.status is InvocationStatus.FAILED and c.category is not ToolCategory.UTILITY)
    notes = [note for c in calls if c.invocation_id in outputs for note in _notes(outputs[c.invocation_id])]
    found = [
        *map(of_failure, failed),
        *(_unread(note.removeprefix(UNREAD)) for note in notes if note.startswith(UNREAD)),
        *(_missing(note) for note in notes if note.startswith(MISSING)),
        *_unused(notes),
    ]
    cut = (NotChecked(what=row.what[:MAX_WHAT], why=row.why[:MAX_WHY]) for row in found)
    return tuple(dict.fromkeys(cut))[:MAX_ROWS]


def of_failure(call: Invocation) -> NotChecked:
    """What failed by its own name where the failure gives one, else by the call. The code is told where it says more than that."""
    what, colon, why = (call.error_message or "").partition(": ")
    code = call.error_code or "FAILED"
    if colon and len(what) <= LONGEST_WHAT:
        told = code == SOURCE_UNAVAILABLE or code.replace("_", "").casefold() in why.replace("_", "").casefold()
        return NotChecked(what=what, why=why if told else f"{code}: {why}")
    asked = input_summary(call.input_params)
    named = f"{call.tool_name} ({asked})" if asked else call.tool_name
    return NotChecked(what=named, why=f"{code}: {call.error_message or 'no reason recorded'}")


def _notes(output: Any) -> Iterator[str]:
    notes = output.get("notes") if isinstance(output, dict) else None
    yield from (note for note in notes[:MOST_NOTES] if isinstance(note, str)) if isinstance(notes, list) else ()


def _unread(message: str) -> NotChecked:
    what, _, why = message.partition(": ")
    return NotChecked(what=what, why=why or "no reason recorded")


def _missing(note: str) -> NotChecked:
    """`there are no logs of a normal period to compare with`."""
    return NotChecked(what=note.removeprefix(MISSING).removesuffix(TO_COMPARE), why="not available to compare with")


def _unused(notes: Iterable[str]) -> list[NotChecked]:
    """What is told of data in the notes, each thing once though several calls met it; of many things the first, and how many more."""
    told = (found for note in notes if (found := UNUSED.fullmatch(note)) and not MENDED.search(note))
    once = {VARYING.sub("", found[0]): found for found in reversed(list(told))}
    data = [NotChecked(what=found["what"], why=found["why"]) for found in reversed(once.values())]
    more = len(data) - MOST_UNUSED
    return [*data[:MOST_UNUSED], *([NotChecked(what="more data", why=f"{more} further kinds could not be used")] if more > 0 else [])]
