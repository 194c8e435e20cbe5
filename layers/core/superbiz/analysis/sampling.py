"""Which traces are counted, and which span a line belongs to, in bounded memory.

All traces count until there are too many; from then on those whose id hashes low enough, halved again whenever there are too many. The
choice depends on the id alone, so that every count is of the same traces and shares stay true.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple
from zlib import crc32

from superbiz.domain.observations import Span

ALL = 1 << 32
MOST_SPANS = 300_000
_ID = re.compile(r"\b(?:1-[0-9a-f]{8}-[0-9a-f]{24}|[0-9a-f]{16,32})\b")


class InSpan(NamedTuple):
    """The span that a line belongs to."""

    trace_id: str
    span_id: str
    operation: str
    service: str


class Sample:
    """The traces that count."""

    def __init__(self) -> None:
        self._below = ALL

    @property
    def share(self) -> float:
        """Of all traces: 1 where all count, else about the share of those that do."""
        return self._below / ALL

    def keeps(self, trace_id: str) -> bool:
        """Whether this trace counts."""
        return self._below == ALL or crc32(trace_id.encode("utf-8", "replace")) < self._below

    def halve(self) -> None:
        """Only half as many traces count from now on; all of them counted before."""
        self._below >>= 1


class SpanIndex:
    """Finds the span whose id a line carries; where it names the trace alone, the service's first span in it."""

    def __init__(self, spans: Iterable[Span] = (), operation_of: Callable[[str], str] = str) -> None:
        self.sample = sample = Sample()
        self._spans: dict[str, InSpan] = {}
        self._entries: dict[tuple[str, str], tuple[float, InSpan]] = {}
        for span in spans:
            if sample.keeps(span.trace_id):
                self._add(span, operation_of(span.name))
            while len(self._spans) > MOST_SPANS:
                sample.halve()
                self._thin_out()

    def find(self, message: str, service: str) -> InSpan | None:
        """None where the line names no span or trace that is known and counts."""
        if not self._spans:
            return None
        ids = _ID.findall(message)
        for found in ids:
            if found in self._spans:
                return self._spans[found]
        return next((self._entries[i, service][1] for i in ids if (i, service) in self._entries), None)

    def all(self) -> Iterable[InSpan]:
        """The spans of all traces that count."""
        return self._spans.values()

    def _add(self, span: Span, operation: str) -> None:
        known = self._spans[span.span_id] = InSpan(span.trace_id, span.span_id, operation, span.service)
        entry = self._entries.get((span.trace_id, span.service))
        if entry is None or span.start_ms < entry[0]:
            self._entries[span.trace_id, span.service] = span.start_ms, known

    def _thin_out(self) -> None:
        self._spans = {i: s for i, s in self._spans.items() if self.sample.keeps(s.trace_id)}
        self._entries = {key: entry for key, entry in self._entries.items() if self.sample.keeps(key[0])}
