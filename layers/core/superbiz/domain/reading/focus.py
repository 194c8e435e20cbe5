"""The part of a cited node that its excerpt speaks from: in a list of records, the one that holds the excerpt and not its neighbours."""

import re
from typing import Any

from superbiz.domain import canonical
from superbiz.errors import Invalid

WHOLE = 32_768  # beyond this many characters a node is not parsed; the excerpt's neighbourhood is read instead
AROUND = 600


def record_of(text: str, excerpt: str) -> Any:
    """The JSON record, or the text, in which the excerpt stands."""
    if len(text) > WHOLE:
        return _neighbourhood(text, excerpt)
    if text[:1] not in ("{", "["):
        return text
    try:
        node = canonical.loads(text)
    except Invalid:
        return text
    span = _span(text, excerpt)
    return _narrowed(node, 0, span)[0] if span else excerpt


def _span(text: str, excerpt: str) -> tuple[int, int] | None:
    """Where the excerpt stands, white space apart (the Gatekeeper collapses it). An empty excerpt stands for the whole node."""
    at = text.find(excerpt)
    if at >= 0:
        return (at, at + (len(excerpt) or len(text)))
    found = re.search(r"\s+".join(map(re.escape, excerpt.split())), text)
    return found.span() if found else None


def _neighbourhood(text: str, excerpt: str) -> str:
    at = max(0, text.find(excerpt))
    return text[max(0, at - AROUND) : at + len(excerpt) + AROUND]


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
    return any(isinstance(item, dict) or (isinstance(item, str) and " " in item) for item in node)


def _touches(start: int, end: int, span: tuple[int, int]) -> bool:
    return start < span[1] and span[0] < end
