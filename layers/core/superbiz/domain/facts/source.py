"""Where facts are read from: a recorded call, and what stands around a node of its output."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from superbiz.domain import refs
from superbiz.domain.naming import names
from superbiz.domain.reading.names import OWNER_FIELDS
from superbiz.domain.refs import Path
from superbiz.domain.values import JsonObject

LABELS_DEPTH = 2  # how deep objects within a record are its labels


class Misfit(ValueError):
    """Why a fact does not hold, in words for a person."""


class Source(NamedTuple):
    """One successful call. `complete` is false where its output was cut short."""

    invocation_id: str
    output: Any
    params: JsonObject
    complete: bool = True
    tool: str = ""


class Place(NamedTuple):
    """A node of a source. `own` are the objects of its record, the innermost first; `outer` those around the record."""

    source: Source
    path: Path
    node: Any
    own: tuple[Mapping[str, Any], ...]
    outer: tuple[Mapping[str, Any], ...]

    @property
    def where(self) -> str:
        return f"{refs.format_path(self.path)} of {self.source.tool or 'call'} ({self.source.invocation_id})"

    @property
    def field(self) -> str:
        """The name of the field that the node is, or is an element of."""
        return next((p for p in reversed(self.path) if isinstance(p, str)), "")

    @property
    def unit(self) -> str:
        """What a `unit` beside the node says."""
        return next((u for o in (*self.own, *self.outer) if isinstance(u := o.get("unit"), str)), "")

    def child(self, field: str) -> "Place":
        """A field of the node, which is an object."""
        return self._replace(path=(*self.path, field), node=self.node[field])


def place(source: Source, path: Path) -> Place | None:
    """None where the path leads nowhere. A record is the element of the last array above the node that holds objects."""
    found, node = refs.node_at(source.output, path)
    if not found:
        return None
    above = [refs.node_at(source.output, path[:n])[1] for n in range(len(path) + 1)]
    starts = [n for n in range(1, len(path) + 1) if isinstance(path[n - 1], int) and isinstance(above[n], Mapping)]
    start = starts[-1] if starts else 0
    objects = [(n, o) for n, o in enumerate(above) if isinstance(o, Mapping)]
    own = tuple(o for n, o in reversed(objects) if n >= start)
    return Place(source, path, node, own, tuple(o for n, o in reversed(objects) if n < start))


def stands(subject: str, at: Place) -> bool:
    """Whether the record is about the subject. One that has an owner is about that one; else what is around it and what was asked count."""
    if not subject:
        return True
    own = [t for o in at.own for t in plain_texts(o)]
    keyed = [part for part in at.path if isinstance(part, str)]  # objects may stand under the names of things
    if any(_is(subject, t) for t in (*own, *keyed)):
        return True
    if any(isinstance(o.get(f), str) and o[f] for o in at.own for f in OWNER_FIELDS):
        return False
    line = [at.node] if isinstance(at.node, str) else []
    loose = [*own, *line, *(t for o in at.outer for t in plain_texts(o)), *_leaves(at.source.params)]
    return any(names(t, subject) for t in loose)


def about(subject: str, element: Any) -> bool | None:
    """Whether an element of an array is about the subject; None where it does not say whom it is about."""
    if isinstance(element, Mapping):
        if any(_is(subject, t) for t in plain_texts(element)):
            return True
        owned = any(isinstance(element.get(f), str) for f in OWNER_FIELDS)
        return False if owned else None
    return True if isinstance(element, str) and names(element, subject) else None


def plain_texts(node: Mapping[str, Any], depth: int = LABELS_DEPTH) -> Iterator[str]:
    """The texts of an object's own fields, and of the objects of labels in it (`metric: {pod: …}`); what lists hold is of others."""
    for value in node.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping) and depth:
            yield from plain_texts(value, depth - 1)


def _is(subject: str, text: str) -> bool:
    return subject.casefold().strip() == text.casefold().strip()


def _leaves(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        for item in node.values():
            yield from _leaves(item)
    elif isinstance(node, Sequence):
        for item in node:
            yield from _leaves(item)
