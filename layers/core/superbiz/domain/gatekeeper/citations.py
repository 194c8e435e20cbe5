"""Rules on a single citation: the call is there and succeeded, its output is as it was recorded, the path leads to one node.

Each answers with a sentence that says what was expected, found, and where; None where the citation passes.
"""

from superbiz.domain import refs
from superbiz.domain.claims import ClaimType
from superbiz.domain.evidence import EvidenceStatus, InvocationStatus
from superbiz.domain.gatekeeper.rule import Citation

SHOWN = 120


def not_of_this_run(c: Citation) -> str | None:
    wanted = c.binding.invocation_id
    if wanted in c.book.invocations:
        return None
    found = "that call belongs to another run" if wanted in c.book.strangers else f"none of its {len(c.book.invocations)} calls has that id"
    return f"expected a call {wanted} of run {c.book.run_id}; {found}"


def failed(c: Citation) -> str | None:
    if c.call.status is InvocationStatus.SUCCESS:
        return None
    return f"expected a successful call; {c.call.tool_name} ({c.call.invocation_id}) failed: {c.call.error_code or 'no reason recorded'}"


def no_evidence_tool(c: Citation) -> str | None:
    if c.call.counts_for_evidence:
        return None
    return f"expected a call that counts as evidence; {c.call.tool_name} ({c.call.invocation_id}) is a {c.call.category} tool"


def altered(c: Citation) -> str | None:
    """What was stored is what was recorded, or it is no evidence."""
    if not c.book.altered(c.binding.invocation_id):
        return None
    recorded = f" {c.call.output.sha256}" if c.call.output else ""
    whose = f"{c.call.tool_name} ({c.call.invocation_id})"
    return f"expected the output of {whose} as it was recorded; its bytes no longer have the hash{recorded}"


def no_ref(c: Citation) -> str | None:
    if c.silent or c.book.ref_text(c.binding.invocation_id, c.binding.raw_path) is not None:
        return None
    if refs.parse_path(c.binding.raw_path) is None:
        return f"expected a singular path (names and indices only), found {c.binding.raw_path[:SHOWN]}"
    return f"expected a node at {c.where}; its output has none there"


def misused_silence(c: Citation) -> str | None:
    if not c.silent:
        return None
    if c.claim.claim_type is not ClaimType.ABSENCE:
        return f"{refs.NO_EVIDENCE} says only that a query matched nothing; it can not carry a claim of type {c.claim.claim_type}"
    if c.call.retrieval_details.evidence_status is not EvidenceStatus.NO_EVIDENCE:
        return f"expected a result without evidence; {c.where} has evidence status {c.call.retrieval_details.evidence_status}"
    if c.call.output is not None and not c.call.output.complete:
        return f"expected a complete result; that of {c.call.tool_name} ({c.call.invocation_id}) is not, so its silence says nothing"
    return None


def mixed_absence(c: Citation) -> str | None:
    if c.claim.claim_type is not ClaimType.ABSENCE or c.silent:
        return None
    return f"an absence claim rests on {refs.NO_EVIDENCE} alone; it also cites {c.where}"
