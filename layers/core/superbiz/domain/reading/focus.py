"""The part of a cited node that its excerpt speaks from: in a list of records, the one that holds the excerpt and not its neighbours."""

import re
from typing import Any

from superbiz.domain import canonical
from superbiz.errors import Invalid

WHOLE = 32_768  # beyond this many characters a node is not parsed; the excerpt's neighbourhood is read instead
AROUND = 600
NEAR = 4_096
SEVERAL = 2  # lines that begin with a time make a log
SAMPLE = 8  # lines of a table that are looked at
_DATED = re.compile(
    r"^[\[(<\"']?(?:\d{4}[-/]\d\d[-/]\d\d[ T]|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:|\d\d/[A-Z][a-z]{2}/\d{4}:)", re.MULTILINE
)
_CELLS = (re.compile(r"[,;](?! )"), re.compile(r"\t"), re.compile(r"\|"), re.compile(r" {2,}(?=\S)"))


def record_of(text: str, excerpt: str) -> Any:
    """The JSON record, or the text, in which the excerpt stands."""
    if text[:1] not in ("{", "["):
        return _entry(text, excerpt) or (text if len(text) <= WHOLE else _neighbourhood(text, excerpt))
    if len(text) > WHOLE:
        return _neighbourhood(text, excerpt)
    try:
        node = canonical.loads(text)
    except Invalid:
        return text
    span = _span(text, excerpt)
    return _narrowed(node, 0, span)[0] if span else excerpt


def _entry(text: str, excerpt: str) -> str | None:
    """Of a log or a table that came as one text, the lines that the excerpt touches, and a table's heading; None of any other text.

    A line of a log that does not begin with a time goes on from the one before it.
    """
    span = _span(text, excerpt) if excerpt and "\n" in text else None
    if span is None:
        return None
    start, end = text.rfind("\n", 0, span[0]) + 1, text.find("\n", span[1] - 1)
    end = len(text) if end < 0 else end
    if _cells(text):
        return "\n".join(dict.fromkeys((text[: text.find("\n")], text[start:end])))
    near = text[max(0, start - NEAR) : end + NEAR]
    if len(_DATED.findall(near)) < SEVERAL:
        return None
    begun = max(
        (found.start() for found in _DATED.finditer(text, max(0, start - NEAR), start + 20) if found.start() <= start), default=start
    )
    after = _DATED.search(text, end)
    return text[begun : min(after.start() if after else len(text), end + NEAR)].strip()


def _cells(text: str) -> bool:
    """Whether the first lines are the rows of a table: each has as many cells as the heading."""
    lines = text[:NEAR].split("\n")[:SAMPLE]
    rows = [line for line in lines[:-1] or lines if line.strip()]
    return (
        len(rows) > 1
        and any(len(found := {len(cells.findall(row.strip())) for row in rows}) == 1 and found != {0} for cells in _CELLS)
        and not any(_DATED.match(row) for row in rows[:1])
    )


def _span(text: str, excerpt: str) -> tuple[int, int] | None:
    """Where the excerpt stands, white space apart (the Gatekeeper collapses it). An empty excerpt stands for the whole node."""
    at = text.find(excerpt)
    if at >= 0:
        return (at, at + (len(excerpt) or len(text)))
    found = re.search(r"\s+".join(map(re.escape, excerpt.split())), text)
    return found.span() if found else None


def _neighbourhood(text: str, excerpt: str) -> str:
    start, end = _span(text, excerpt) or (0, 0)
    return text[max(0, start - AROUND) : end + AROUND] if end - start < WHOLE else text[:AROUND]


def _narrowed(node: Any, start: int, span: tuple[int, int]) -> tuple[Any, int]:
    """The node without the records that the span does not touch, and the length of its canonical text, which begins at `start`."""
    if isinstance(node, dict):
        return _fields(node, start, span)
    if isinstance(node, list):
        return _elements(node, start, span)
    return node, len(canonical.dumps(node))


def _fields(node: dict[str, Any], start: int, span: tuple[int, int]) -> tuple[dict[str, Any], int]:
    kept, at = {}, start + 1
    for key, item in node.items():
        at += len(canonical.dumps(key)) + 1
        value, length = _narrowed(item, at, span)
        if _touches(at, at + length, span) or not _holds_records(item):
            kept[key] = value
        at += length + 1
    return kept, max(at - start, 2)


def _elements(node: list[Any], start: int, span: tuple[int, int]) -> tuple[list[Any], int]:
    kept, at, records = [], start + 1, _holds_records(node)
    for item in node:
        value, length = _narrowed(item, at, span)
        if not records or _touches(at, at + length, span):
            kept.append(value)
        at += length + 1
    return kept, max(at - start, 2)


def _holds_records(node: Any) -> bool:
    """A list of objects or of sentences holds records; a list of numbers, points or short names belongs to its own record."""
    if not isinstance(node, list):
        return False
    return any(isinstance(item, dict) or (isinstance(item, str) and " " in item) or _is_row(item) for item in node)


def _is_row(item: Any) -> bool:
    """A row of cells that begins with a name, and is no point of a series, which begins with a time."""
    return isinstance(item, list) and len(item) > 1 and isinstance(item[0], str) and item[0][:1].isalpha()


def _touches(start: int, end: int, span: tuple[int, int]) -> bool:
    return start < span[1] and span[0] < end
