"""Which traces are counted, and which span a line belongs to, in bounded memory.

All traces count until there are too many; from then on those whose id hashes low enough, halved again whenever there are too many. The
choice depends on the id alone, so that every count is of the same traces and shares stay true.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import NamedTuple

from superbiz.domain.observations import Span

ALL = 1 << 32
MOST_SPANS = 200_000
_ID = re.compile(r"\b(?:1-[0-9a-f]{8}-[0-9a-f]{24}|[0-9a-f]{16,32})\b")


class InSpan(NamedTuple):
    """The span that a line belongs to, and its trace, by their numbers in the index."""

    span: int
    trace: int
    operation: str


class At(NamedTuple):
    """Where a span was."""

    service: str
    operation: str


class SpanIndex:
    """A period's spans. Finds the span whose id a line carries; where it names the trace alone, the service's first span in it."""

    def __init__(self, spans: Iterable[Span] = (), operation_of: Callable[[str], str] = str) -> None:
        self._below = ALL
        self._traces: dict[str, int] = {}
        self._hashes = array("L")
        self._places: dict[At, int] = {}
        self._spans: dict[str, int] = {}
        self._rows = _Rows()
        self._entries: dict[tuple[int, str], int] | None = None
        for span in spans:
            self._add(span, operation_of)
            while len(self._spans) > MOST_SPANS:
                self.halve()
                self._thin_out()
        self._at = list(self._places)

    @property
    def share(self) -> float:
        """Of all traces: 1 where all count, else about the share of those that do."""
        return self._below / ALL

    def halve(self) -> None:
        """Only half as many traces count from now on; all of them counted before."""
        self._below >>= 1

    def counts(self, trace: int) -> bool:
        """Whether this trace counts."""
        return self._below == ALL or self._hashes[trace] < self._below

    def find(self, message: str, service: str) -> InSpan | None:
        """None where the line names no span or trace that is known."""
        if not self._spans:
            return None
        ids = _ID.findall(message)
        for found in ids:
            row = self._spans.get(found)
            if row is not None:
                return self._in(row)
        row = next((row for i in ids if (row := self._entry(i, service)) is not None), None)
        return None if row is None else self._in(row)

    def all(self) -> Iterator[tuple[At, int]]:
        """Where each span was, and its trace, of all traces that count."""
        return ((self._at[p], t) for p, t in zip(self._rows.place, self._rows.trace, strict=True) if self.counts(t))

    def close(self) -> None:
        """Nothing is to be found any more; `all` still tells."""
        self._spans, self._traces, self._entries = {}, {}, None

    def _in(self, row: int) -> InSpan:
        return InSpan(row, self._rows.trace[row], self._at[self._rows.place[row]].operation)

    def _entry(self, trace_id: str, service: str) -> int | None:
        trace = self._traces.get(trace_id)
        if trace is None:
            return None
        if self._entries is None:
            self._entries = self._first_spans()
        return self._entries.get((trace, service))

    def _first_spans(self) -> dict[tuple[int, str], int]:
        """Of every service in every trace; made when a line first needs it."""
        out: dict[tuple[int, str], int] = {}
        rows = self._rows
        for row, (trace, place) in enumerate(zip(rows.trace, rows.place, strict=True)):
            key = trace, self._at[place].service
            if key not in out or rows.start[row] < rows.start[out[key]]:
                out[key] = row
        return out

    def _add(self, span: Span, operation_of: Callable[[str], str]) -> None:
        trace = self._traces.get(span.trace_id)
        if trace is None:
            hashed = int.from_bytes(blake2b(span.trace_id.encode("utf-8", "replace"), digest_size=4).digest(), "big")
            if hashed >= self._below:
                return
            trace = self._traces[span.trace_id] = len(self._hashes)
            self._hashes.append(hashed)
        if span.span_id not in self._spans:
            place = self._places.setdefault(At(span.service, operation_of(span.name)), len(self._places))
            self._spans[span.span_id] = self._rows.add(trace, place, span.start_ms)

    def _thin_out(self) -> None:
        """Forget the traces that do not count; the others keep their numbers."""
        self._traces = {i: t for i, t in self._traces.items() if self.counts(t)}
        kept, rows = {i: row for i, row in self._spans.items() if self.counts(self._rows.trace[row])}, _Rows()
        self._spans = {i: rows.add(self._rows.trace[row], self._rows.place[row], self._rows.start[row]) for i, row in kept.items()}
        self._rows = rows


class _Rows:
    """What is known of each span, in columns."""

    def __init__(self) -> None:
        self.trace, self.place, self.start = array("L"), array("L"), array("d")

    def add(self, trace: int, place: int, start: float) -> int:
        """The row's number."""
        self.trace.append(trace)
        self.place.append(place)
        self.start.append(start)
        return len(self.trace) - 1
