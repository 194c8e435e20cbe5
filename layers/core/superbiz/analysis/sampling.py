"""Which span a line belongs to, and which traces are counted, in bounded memory.

Spans are kept as columns of numbers: some twenty bytes each. All traces count until sets of them grow too large; from then on those whose
id hashes low enough, halved again whenever there are too many. The choice depends on the id alone, so that every count is of the same
traces and shares stay true.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from superbiz.domain.observations import Span

ALL = 1 << 32
MOST_SPANS = 5_000_000
_SPREAD = 0x9E3779B97F4A7C15  # a checksum keeps patterns of the ids; multiplying breaks them
_ID = re.compile(r"[0-9a-f]{16,32}")
_DATED = re.compile(r"1-[0-9a-f]{8}-([0-9a-f]{24})")  # a trace id of X-Ray
Numbers = NDArray[np.int64]


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
    """A period's spans. Finds the span whose id a line carries; where it names the trace alone, the service's first span in it.

    `unknown` spans, beyond those that can be kept, are not found.
    """

    def __init__(self, spans: Iterable[Span] = (), operation_of: Callable[[str], str] = str) -> None:
        self._below = ALL
        self._places: dict[At, int] = {}
        columns = _Columns()
        self.unknown = 0
        for span in spans:
            if len(columns.ids) >= MOST_SPANS:
                self.unknown += 1
            else:
                columns.add(span, self._places.setdefault(At(span.service, operation_of(span.name)), len(self._places)))
        self._at = list(self._places)
        self._keep(columns)

    @property
    def share(self) -> float:
        """Of all traces: 1 where all count, else about the share of those that do."""
        return self._below / ALL

    def halve(self) -> None:
        """Only half as many traces count from now on; all of them counted before."""
        self._below >>= 1
        self._counting = bytearray((self._weights < self._below).tobytes())

    def counts(self, trace: int) -> bool:
        """Whether this trace counts."""
        return self._below == ALL or self._counting[trace] == 1

    def find(self, messages: Sequence[str], services: Sequence[str]) -> list[InSpan | None]:
        """For each line of a service, None where it names no span or trace that is known."""
        found: list[InSpan | None] = [None] * len(messages)
        if not len(self._ids):
            return found
        named = [(n, hash(i)) for n, message in enumerate(messages) for i in _ID.findall(message)]
        if named:
            hashes = np.array([h for _, h in named], np.int64)
            self._by_span(named, hashes, found)
            self._by_trace(named, hashes, services, found)
        return found

    def traces_at(self) -> dict[At, int]:
        """How many traces that count came to each place."""
        counted = self._trace if self._below == ALL else self._trace[self._weights[self._trace] < self._below]
        places = self._place if self._below == ALL else self._place[self._weights[self._trace] < self._below]
        pairs = np.unique(places.astype(np.int64) * (len(self._weights) + 1) + counted)
        counts = np.bincount((pairs // (len(self._weights) + 1)).astype(np.int64), minlength=len(self._at))
        return {at: int(n) for at, n in zip(self._at, counts, strict=True) if n}

    def close(self) -> None:
        """Nothing is to be found any more."""
        self._keep(_Columns())

    def _keep(self, columns: "_Columns") -> None:
        ids, traces = columns.numbers()
        order = np.argsort(ids, kind="stable")
        self._ids = ids[order]
        self._traces, first, numbers = np.unique(traces, return_index=True, return_inverse=True)
        self._weights = np.frombuffer(columns.weights, np.uint32)[first].astype(np.int64)
        self._counting = bytearray(b"\1" * len(first))
        self._trace, self._place = numbers[order].astype(np.int32), np.frombuffer(columns.places, np.uint32)[order].astype(np.int32)
        self._start = np.frombuffer(columns.starts, np.float64)[order]
        self._entries: tuple[Numbers, Numbers] | None = None

    def _by_span(self, named: Sequence[tuple[int, int]], hashes: Numbers, found: list[InSpan | None]) -> None:
        rows = np.searchsorted(self._ids, hashes)
        rows[rows == len(self._ids)] = 0
        for k in np.flatnonzero(self._ids[rows] == hashes).tolist():
            line = named[k][0]
            if found[line] is None:
                found[line] = self._in(int(rows[k]))

    def _by_trace(self, named: Sequence[tuple[int, int]], hashes: Numbers, services: Sequence[str], found: list[InSpan | None]) -> None:
        """For the lines that are left."""
        traces = np.searchsorted(self._traces, hashes)
        traces[traces == len(self._traces)] = 0
        for k in np.flatnonzero(self._traces[traces] == hashes).tolist():
            line = named[k][0]
            if found[line] is None:
                found[line] = self._entry(int(traces[k]), services[line])

    def _entry(self, trace: int, service: str) -> InSpan | None:
        """The first span of a service in a trace."""
        if self._entries is None:
            self._entries = self._first_spans()
        keys, rows = self._entries
        wanted = hash((trace, service))
        at = int(np.searchsorted(keys, wanted))
        return self._in(int(rows[at])) if at < len(keys) and keys[at] == wanted else None

    def _first_spans(self) -> tuple[Numbers, Numbers]:
        """Of every service in every trace; made when a line first needs it."""
        by_start = np.argsort(self._start, kind="stable")
        services = [at.service for at in self._at]
        pairs = zip(self._trace[by_start].tolist(), self._place[by_start].tolist(), strict=True)
        keys = np.fromiter((hash((trace, services[place])) for trace, place in pairs), np.int64, len(by_start))
        unique, first = np.unique(keys, return_index=True)
        return unique, by_start[first]

    def _in(self, row: int) -> InSpan:
        return InSpan(row, int(self._trace[row]), self._at[self._place[row]].operation)


class _Columns:
    """Spans as they come. Ids are kept as the hashes that Python has for them."""

    def __init__(self) -> None:
        self.ids, self.traces = array("q"), array("q")
        self.weights, self.places, self.starts = array("I"), array("I"), array("d")

    def add(self, span: Span, place: int) -> None:
        """One row."""
        self.ids.append(hash(span.span_id))
        dated = _DATED.fullmatch(span.trace_id)
        self.traces.append(hash(dated[1] if dated else span.trace_id))
        self.weights.append((crc32(span.trace_id.encode("utf-8", "replace")) * _SPREAD >> 31) & (ALL - 1))
        self.places.append(place)
        self.starts.append(span.start_ms)

    def numbers(self) -> tuple[Numbers, Numbers]:
        """Ids of spans and traces."""
        return np.frombuffer(self.ids, np.int64), np.frombuffer(self.traces, np.int64)
