"""Recorded calls as a model reads them: one line a citable node, `$.logs[0] = text`, with what was left out counted."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from superbiz.domain import canonical
from superbiz.domain.evidence import EvidenceStatus, Invocation, InvocationStatus
from superbiz.domain.refs import NO_EVIDENCE, Path, format_path, node_text
from superbiz.domain.summary import input_summary
from superbiz.engines.model.blocks import Blocks, one_line
from superbiz.ports import RecordedCall

RECORD_CHARS, FIELD_CHARS = 800, 120
LIST_CHARS, ITEM_CHARS = 200, 40
TEXT_CHARS = 800
COUNT_TO = 10_000
LEAST_CHARS = 1_200


_NAME = re.compile(r"[a-z_]{1,60}")  # a name that was refused is anybody's text


class Line(NamedTuple):
    """A node that can be cited, and its text."""

    path: Path
    text: str


def calls(recorded: Sequence[RecordedCall], blocks: Blocks, chars: int) -> str:
    """Each call with its result, within about that many characters in all."""
    share = max(LEAST_CHARS, chars // max(1, sum(one.output is not None for one in recorded)))
    return "\n\n".join(call(one, blocks, share) for one in recorded)


def call(recorded: RecordedCall, blocks: Blocks, chars: int) -> str:
    """One call: a headline of ours, then its input and result as data."""
    asked = recorded.invocation
    told = [f"input: {input_summary(asked.input_params, TEXT_CHARS)}"]
    if asked.status is InvocationStatus.FAILED:
        told.append(f"failed: {one_line(asked.error_message or '')[:TEXT_CHARS]}")
    elif asked.retrieval_details.evidence_status is not EvidenceStatus.NO_EVIDENCE:
        told += shown_lines(recorded.output, chars)
    return f"{_headline(asked)}\n{blocks.seal('tool result', chr(10).join(told))}"


def brief_call(asked: Invocation) -> str:
    """A call whose result was shown before."""
    return f"{_headline(asked)} Its result was shown before and can be cited as it was."


def shown_lines(output: Any, chars: int) -> list[str]:
    """Citable lines, taken in turn from each top-level key, so that none is crowded out; in the output's order."""
    streams = {key: _lines(node, (key,)) for key, node in output.items()} if isinstance(output, Mapping) else {"": _lines(output, ())}
    kept: dict[str, list[str]] = {key: [] for key in streams}
    left, waiting = chars, list(streams)
    while waiting and left > 0:
        for key in tuple(waiting):
            line = next(streams[key], None)
            if line is None:
                waiting.remove(key)
                continue
            kept[key].append(_shown(line))
            left -= len(kept[key][-1])
    for key in waiting:
        kept[key] += _missing(key, streams[key])
    return [text for lines in kept.values() for text in lines]


def _headline(asked: Invocation) -> str:
    worth = _WORTH[asked.retrieval_details.evidence_status]
    whole = "" if asked.output is None or asked.output.complete else " The result is incomplete: nothing may be said of what it lacks."
    name = asked.tool_name if _NAME.fullmatch(asked.tool_name) else "of an unknown tool"
    return f"Call {name}, invocation_id {asked.invocation_id}: {worth}{whole}"


_WORTH = {
    EvidenceStatus.SUPPORTED: "succeeded.",
    EvidenceStatus.NO_EVIDENCE: f"succeeded and matched nothing; only an absence claim may cite it, by {NO_EVIDENCE} and an empty excerpt.",
    EvidenceStatus.ERROR: "FAILED. It could not be checked, which is not the same as nothing found. It can not be cited.",
    EvidenceStatus.NOT_APPLICABLE: "succeeded, but is no evidence and can not be cited.",
}


def _lines(node: Any, parts: Path) -> Iterator[Line]:
    """Small nodes whole, larger ones by their parts."""
    if isinstance(node, str | int | float) or node is None:
        yield Line(parts, node_text(node))
        return
    text = _short(node)
    if text is not None:
        yield Line(parts, text)
        return
    items = node.items() if isinstance(node, Mapping) else enumerate(node)
    for key, item in items:
        yield from _lines(item, (*parts, key))


def _short(node: Any) -> str | None:
    """The text of a record or a list of short values, where it reads as it is written; prose is shown, and cited, by its parts."""
    record = isinstance(node, Mapping)
    most, longest = (RECORD_CHARS, FIELD_CHARS) if record else (LIST_CHARS, ITEM_CHARS)
    items = node.values() if record else node
    if len(node) > most // 4 or any(isinstance(item, str) and len(item) > longest for item in items):
        return None
    if not record and any(isinstance(item, Mapping) for item in items):
        return None
    text = canonical.dumps(node)
    return text if len(text) <= most and "\\" not in text else None


def _shown(line: Line) -> str:
    text = one_line(line.text)
    more = f" (… {len(text) - TEXT_CHARS} more characters, not shown)" if len(text) > TEXT_CHARS else ""
    return f"{format_path(line.path)} = {text[:TEXT_CHARS]}{more}"


def _missing(key: str, rest: Iterator[Line]) -> list[str]:
    n = sum(1 for _, _ in zip(rest, range(COUNT_TO), strict=False))
    where = format_path((key,)) if key else "$"
    return [f"({n}{'+' if n == COUNT_TO else ''} more lines of {where} not shown; ask more narrowly to see them)"] if n else []
