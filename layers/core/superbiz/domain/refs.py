"""Evidence refs: every node of a stored output has a singular JSONPath and a text that can be cited.

A node's text is the string itself, or the node's canonical compact JSON. `$.no_evidence` is the one ref of an empty, complete result.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from superbiz.domain import canonical
from superbiz.domain.evidence import EvidenceRef

NO_EVIDENCE = "$.no_evidence"
STORED_REFS = 50
STORED_TEXT = 2_000
_NAME = re.compile(r"[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*")
_INDEX = re.compile(r"0|[1-9][0-9]*")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "/": "/", "\\": "\\", "'": "'", '"': '"'}

Path = tuple[str | int, ...]


@lru_cache(maxsize=4_096)
def parse_path(text: str) -> Path | None:
    """The parts of a singular JSONPath (RFC 9535: names and non-negative indices only); None for anything else."""
    if not text.startswith("$"):
        return None
    parts: list[str | int] = []
    at = 1
    while at < len(text):
        part = _dotted(text, at) if text[at] == "." else _bracketed(text, at)
        if part is None:
            return None
        value, at = part
        parts.append(value)
    return tuple(parts)


def format_path(parts: Path) -> str:
    """The one spelling that the recorder writes: `$.logs[0]`, with quotes only where a name needs them."""
    out = ["$"]
    for part in parts:
        if isinstance(part, int):
            out.append(f"[{part}]")
        elif _NAME.fullmatch(part):
            out.append(f".{part}")
        else:
            out.append("['" + part.replace("\\", "\\\\").replace("'", "\\'") + "']")
    return "".join(out)


def node_at(output: Any, parts: Path) -> tuple[bool, Any]:
    """(found, node)."""
    node = output
    for part in parts:
        if not _has(node, part):
            return False, None
        node = node[part]
    return True, node


def _has(node: Any, part: str | int) -> bool:
    if isinstance(part, int):
        return isinstance(node, Sequence) and not isinstance(node, str) and part < len(node)
    return isinstance(node, Mapping) and part in node


def node_text(node: Any) -> str:
    return node if isinstance(node, str) else canonical.dumps(node)


def derive(output: Any, raw_path: str) -> EvidenceRef | None:
    """The ref at a path of a stored output, or None where the path is not singular or leads nowhere."""
    parts = parse_path(raw_path)
    if parts is None:
        return None
    found, node = node_at(output, parts)
    return EvidenceRef(raw_path=format_path(parts), text=node_text(node)) if found else None


def surroundings(output: Any, raw_path: str) -> dict[str, Any]:
    """What stands around a node without being another record: the plain fields of the objects above it, the nearest first, and the window.

    A row of an array thus keeps the names and times that its call shares, and none of its neighbours.
    """
    above = []
    node = output
    for part in parse_path(raw_path) or ():
        above.append(node)
        if not _has(node, part):
            break
        node = node[part]
    around: dict[str, Any] = {}
    for parent in reversed(above or [output]):
        if isinstance(parent, Mapping):
            plain = {k: v for k, v in parent.items() if k == "window" or not isinstance(v, Mapping | list | tuple)}
            around = plain | around
    return around


def stored_refs(output: Any, limit: int = STORED_REFS) -> tuple[EvidenceRef, ...]:
    """The first refs in document order: leaves and elements of arrays, which are what a claim cites.

    Longer texts are cut at 2,000 characters here; the Gatekeeper derives the whole text from the stored output.
    """
    refs = []
    for parts, node in _worth_citing(output, ()):
        refs.append(EvidenceRef(raw_path=format_path(parts), text=node_text(node)[:STORED_TEXT]))
        if len(refs) == limit:
            break
    return tuple(refs)


def same_path(a: str, b: str) -> bool:
    """`$['logs'][0]` and `$.logs[0]` are one path."""
    parts = parse_path(a)
    return parts is not None and parts == parse_path(b)


def _worth_citing(node: Any, parts: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(node, Mapping):
        if parts and isinstance(parts[-1], int):
            yield parts, node
        for key, item in node.items():
            yield from _worth_citing(item, (*parts, key))
    elif isinstance(node, Sequence) and not isinstance(node, str):
        if parts and isinstance(parts[-1], int):
            yield parts, node
        for n, item in enumerate(node):
            yield from _worth_citing(item, (*parts, n))
    else:
        yield parts, node


def _dotted(text: str, at: int) -> tuple[str, int] | None:
    name = _NAME.match(text, at + 1)
    return (name[0], name.end()) if name else None


def _bracketed(text: str, at: int) -> tuple[str | int, int] | None:
    if text[at] != "[" or at + 1 >= len(text):
        return None
    if text[at + 1] in "'\"":
        return _quoted(text, at + 1)
    index = _INDEX.match(text, at + 1)
    if index and text[index.end() : index.end() + 1] == "]":
        return int(index[0]), index.end() + 1
    return None


def _quoted(text: str, at: int) -> tuple[str, int] | None:
    quote, out = text[at], []
    at += 1
    while at < len(text) and text[at] != quote:
        if text[at] == "\\":
            char, at = _escape(text, at + 1)
            if char is None:
                return None
            out.append(char)
        else:
            out.append(text[at])
            at += 1
    if text[at : at + 2] != quote + "]":
        return None
    return "".join(out), at + 2


def _escape(text: str, at: int) -> tuple[str | None, int]:
    if at >= len(text):
        return None, at
    if text[at] == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", text[at + 1 : at + 5]):
        return chr(int(text[at + 1 : at + 5], 16)), at + 5
    return _ESCAPES.get(text[at]), at + 1
