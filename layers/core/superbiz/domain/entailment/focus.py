"""The part of a cited node that its excerpt speaks from: in a list of records, the one that holds the excerpt and not its neighbours."""

import json
import re
from typing import Any

from superbiz.domain import canonical
from superbiz.errors import Invalid

WHOLE = 65_536  # beyond this many characters a node is not parsed; the excerpt's neighbourhood is read instead
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
    return _narrowed(node, 0, span) if span else excerpt


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


def _narrowed(node: Any, start: int, span: tuple[int, int]) -> Any:
    """Lists of records keep the elements that the span touches; `start` is where the node's canonical text begins."""
    if isinstance(node, dict):
        kept, at = {}, start + 1
        for key, item in node.items():
            at += len(json.dumps(key, ensure_ascii=False)) + 1
            length = len(canonical.dumps(item))
            if _touches(at, at + length, span) or not _holds_records(item):
                kept[key] = _narrowed(item, at, span)
            at += length + 1
        return kept
    if isinstance(node, list) and _holds_records(node):
        return _elements(node, start, span)
    return node


def _elements(node: list[Any], start: int, span: tuple[int, int]) -> list[Any]:
    kept, at = [], start + 1
    for item in node:
        length = len(canonical.dumps(item))
        if _touches(at, at + length, span):
            kept.append(_narrowed(item, at, span))
        at += length + 1
    return kept


def _holds_records(node: Any) -> bool:
    """A list of objects or of sentences holds records; a list of numbers, points or short names belongs to its own record."""
    if not isinstance(node, list):
        return False
    return any(isinstance(item, dict) or (isinstance(item, str) and " " in item) for item in node)


def _touches(start: int, end: int, span: tuple[int, int]) -> bool:
    return start < span[1] and span[0] < end
