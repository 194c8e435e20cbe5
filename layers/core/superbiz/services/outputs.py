"""Stored outputs of tool calls, whole or in part: the very bytes that were hashed and are cited."""

import re
from typing import NamedTuple

from superbiz.errors import Invalid, NotFound, Rejected
from superbiz.ports import Ports

# One answer of a function holds 6 MB, and bytes travel in it as base64.
MOST_BYTES = 3 * 1024 * 1024
_RANGE = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})\Z")


class Unsatisfiable(Rejected):
    """The range lies beyond the output's end."""

    code = "RANGE_NOT_SATISFIABLE"
    status = 416


class Slice(NamedTuple):
    """`data` is `[start, start + len(data))` of `size` bytes."""

    data: bytes
    start: int
    size: int
    sha256: str

    @property
    def whole(self) -> bool:
        """Nothing was left out."""
        return len(self.data) == self.size

    @property
    def content_range(self) -> str:
        """The header's value."""
        return f"bytes {self.start}-{self.start + len(self.data) - 1}/{self.size}"


class Span(NamedTuple):
    """Half open. `start` None: the last `end` bytes."""

    start: int | None
    end: int | None


WHOLE = Span(0, None)


def output(run_id: str, invocation_id: str, span: Span, ports: Ports) -> Slice:
    """At most 3 MiB of it. Raises NotFound where the run has no such call, or the call left no output."""
    call = next((i for i in ports.ledger.invocations(run_id) if i.invocation_id == invocation_id), None)
    if call is None:
        raise NotFound(f"run {run_id} has no tool call {invocation_id}")
    data = ports.ledger.output(call) if call.output else None
    if data is None or call.output is None:
        why = call.error_message or "nothing was stored"
        raise NotFound(f"the tool call {invocation_id} left no output: {why}", code="NO_OUTPUT")
    return _cut(data, span, call.output.sha256)


def span_of(header: str | None, start: int | None, end: int | None) -> Span:
    """From `?from=&to=` (bytes, `to` not included), else from a Range header; one of several ranges, or unreadable, asks for the whole."""
    if start is not None or end is not None:
        if start is not None and end is not None and end <= start:
            raise Invalid("to: must be greater than from", code="BAD_RANGE")
        return Span(start or 0, end)
    found = _RANGE.match((header or "").replace(" ", ""))
    if not found or not (found[1] or found[2]):
        return WHOLE
    if not found[1]:
        return Span(None, int(found[2]))
    last = int(found[2]) + 1 if found[2] else None
    return WHOLE if last is not None and last <= int(found[1]) else Span(int(found[1]), last)


def _cut(data: bytes, span: Span, sha256: str) -> Slice:
    size = len(data)
    start = max(0, size - (span.end or 0)) if span.start is None else span.start
    if start >= size:
        raise Unsatisfiable(f"the output has {size} bytes; nothing lies at {start}", mend="ask for a range inside it")
    end = size if span.start is None or span.end is None else min(span.end, size)
    return Slice(data[start : min(end, start + MOST_BYTES)], start, size, sha256)
