"""Rules on a single citation: the call is there and succeeded, the path leads to one node, the words stand there.

Each answers with a sentence that says what was expected, found, and where; None where the citation passes.
"""

from superbiz.domain import refs
from superbiz.domain.claims import ClaimType
from superbiz.domain.evidence import EvidenceStatus, InvocationStatus
from superbiz.domain.gatekeeper.rule import Citation

MIN_EXCERPT = 6
SHOWN = 120
MAX_PLACES = 10_000
_DIFF_LIMIT = 200_000


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


def no_ref(c: Citation) -> str | None:
    if c.silent or c.book.ref_text(c.binding.invocation_id, c.binding.raw_path) is not None:
        return None
    if refs.parse_path(c.binding.raw_path) is None:
        return f"expected a singular path (names and indices only), found {c.binding.raw_path[:SHOWN]}"
    return f"expected a node at {c.where}; its output has none there"


def too_short(c: Citation) -> str | None:
    """An excerpt shorter than six characters has to be the whole text: "12" is no citation of "128"."""
    if c.silent or len(c.excerpt) >= MIN_EXCERPT or (c.excerpt and c.excerpt == c.text):
        return None
    return f"expected at least {MIN_EXCERPT} characters or the whole text at {c.where}, found {c.excerpt!r}"


def mismatch(c: Citation) -> str | None:
    """An excerpt that ends inside a number is no passage of the record: "after 3000" is not in "after 30000ms"."""
    unheard = c.silent and c.book.ref_text(c.binding.invocation_id, c.binding.raw_path) is None
    if unheard or _stands_in(c.excerpt, c.text):
        return None
    return f"expected {c.excerpt[:SHOWN]!r} in {c.where}; {_difference(c.excerpt, c.text)}"


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


def _stands_in(excerpt: str, text: str) -> bool:
    """Whether some place of the text holds the excerpt without cutting a number. A text of endless repeats is given up on."""
    at = text.find(excerpt)
    for _ in range(MAX_PLACES):
        if at < 0:
            return False
        if not _cuts_number(text, at) and not _cuts_number(text, at + len(excerpt)):
            return True
        at = text.find(excerpt, at + 1)
    return False


def _cuts_number(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isdigit() and text[at].isdigit()


def _difference(excerpt: str, text: str) -> str:
    """Where the excerpt leaves the record: the longest beginning that the record has, and what follows in each."""
    if len(text) > _DIFF_LIMIT:
        return "the record has no such passage"
    agreed, too_long = 0, len(excerpt) + 1
    while too_long - agreed > 1:
        middle = (agreed + too_long) // 2
        agreed, too_long = (middle, too_long) if excerpt[:middle] in text else (agreed, middle)
    if agreed < MIN_EXCERPT:
        return f"the record reads {text[:SHOWN]!r}"
    if agreed == len(excerpt):
        return "there a number goes on where the excerpt cuts it"
    at = text.index(excerpt[:agreed]) + agreed
    before, record, cited = excerpt[max(0, agreed - 40) : agreed], text[at : at + 40], excerpt[agreed : agreed + 40]
    return f"after {before!r} the record reads {record!r}, the excerpt {cited!r}"
