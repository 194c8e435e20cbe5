"""Recorded calls as the Gatekeeper reads them, for an engine that asks its rules before it states a claim."""

from collections.abc import Sequence

from superbiz.domain.gatekeeper import EvidenceBook
from superbiz.ports import RecordedCall


def book_of(recorded: Sequence[RecordedCall], run_id: str) -> EvidenceBook:
    """The book of these calls."""
    calls = {c.invocation.invocation_id: c for c in recorded}
    outputs = {key: c.output for key, c in calls.items() if c.output is not None}
    return EvidenceBook(run_id, {key: c.invocation for key, c in calls.items()}, outputs)
