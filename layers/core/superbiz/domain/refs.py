"""Evidence refs: every node of a stored output has a singular JSONPath and a text that can be cited.

A node's text is the string itself, or the node's canonical compact JSON. `$.no_evidence` is the one ref of an empty, complete result.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from superbiz.domain import canonical
from superbiz.domain.evidence import EvidenceRef

NO_EVIDENCE = "$.no_evidence"
STORED_REFS = 50
STORED_TEXT = 2_000
CONTEXT = 8_192  # characters that are read of what stands around a citation, or of what its call was asked
SCALAR = 8  # what a number or a truth value counts
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

    A row of an array thus keeps the names and times that its call shares, and none of its neighbours. Of objects without end only so
    much is taken as `CONTEXT` allows, the field on the way to the node before its neighbours.
    """
    above: list[tuple[Any, str | int]] = []
    node = output
    for part in parse_path(raw_path) or ():
        above.append((node, part))
        if not _has(node, part):
            break
        node = node[part]
    around: dict[str, Any] = {}
    room = CONTEXT
    for parent, part in reversed(above or [(output, "")]):
        if isinstance(parent, Mapping):
            plain, room = _taken(_plain(parent, part), room)
            around = plain | around
    return around


def bounded(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields, or of too many and too long ones those that there is room for; none is cut."""
    return _taken(fields.items(), CONTEXT)[0]


def _plain(parent: Mapping[str, Any], part: str | int) -> Iterator[tuple[str, Any]]:
    """The plain fields in their order; of a wide object the one that leads on, and the window, come first."""
    if len(parent) > CONTEXT // SCALAR:
        first = [k for k in (part, "window") if isinstance(k, str) and k in parent]
        parent = {k: parent[k] for k in (*first, *islice(parent, CONTEXT // SCALAR))}
    return ((k, v) for k, v in parent.items() if k == "window" or not _holds_more(v))


def _holds_more(value: Any) -> bool:
    """Whether it is no plain field: a log or a table in one text holds records too."""
    return "\n" in value.strip() if isinstance(value, str) else isinstance(value, Mapping | list | tuple)


def _taken(fields: Iterable[tuple[str, Any]], room: int) -> tuple[dict[str, Any], int]:
    """The fields that there is room for, and the room that is left."""
    kept = {}
    for key, value in fields:
        size = len(key) + _size(value, room)
        if size <= room:
            kept[key], room = value, room - size
    return kept, room


def _size(value: Any, room: int) -> int:
    """About how many characters a value has; not counted further than the room goes."""
    if isinstance(value, str):
        return len(value)
    if not isinstance(value, Mapping | list | tuple):
        return SCALAR
    size = SCALAR
    for item in value.items() if isinstance(value, Mapping) else value:
        if size > room:
            break
        size += _size(item, room - size)
    return size


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
