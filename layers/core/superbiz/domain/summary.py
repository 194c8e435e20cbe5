"""`tool_trace_summary`: an index of the run's calls for finding one's way, never evidence itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from superbiz.domain import canonical
from superbiz.domain.evidence import EvidenceStatus, Invocation
from superbiz.domain.verification import TraceRow

MAX_ROWS = 30
MAX_PATHS = 10
MAX_PREVIEW = 160
_WORTH = {EvidenceStatus.SUPPORTED: 0, EvidenceStatus.NO_EVIDENCE: 1, EvidenceStatus.ERROR: 2, EvidenceStatus.NOT_APPLICABLE: 3}


def tool_trace_summary(invocations: Sequence[Invocation]) -> tuple[TraceRow, ...]:
    """All rounds' calls in order. Where they are too many, those that brought evidence stay, the later ones first."""
    ordered = sorted(invocations, key=_order)
    kept = sorted(ordered, key=lambda call: (_WORTH[call.retrieval_details.evidence_status], *(-n for n in _order(call))))[:MAX_ROWS]
    return tuple(_row(call) for call in sorted(kept, key=_order))


def input_summary(params: Mapping[str, Any], limit: int = MAX_PREVIEW) -> str:
    """`service=order-service level=ERROR`: parameters that were given, on one line."""
    given = (f"{key}={_value(value)}" for key, value in params.items() if value not in (None, "", [], {}))
    return " ".join(" ".join(given).split())[:limit]


def _value(value: Any) -> str:
    return value if isinstance(value, str) else canonical.dumps(value)


def _order(call: Invocation) -> tuple[int, int]:
    return call.step_index, call.seq


def _row(call: Invocation) -> TraceRow:
    details = call.retrieval_details
    return TraceRow(
        seq=call.seq,
        invocation_id=call.invocation_id,
        step_index=call.step_index,
        tool_name=call.tool_name,
        category=call.category,
        status=call.status,
        input_summary=input_summary(call.input_params),
        evidence_status=details.evidence_status,
        raw_paths=tuple(ref.raw_path for ref in details.evidence_refs[:MAX_PATHS]),
        evidence_ref_count=len(details.evidence_refs),
        l0_hits=details.match.l0_hits,
        l1_hits=details.match.l1_hits,
        preview=" ".join(call.output_preview.split())[:MAX_PREVIEW],
        error_code=call.error_code,
    )
