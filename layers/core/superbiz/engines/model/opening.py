"""The first message of an investigation: what is asked, what went before, and the evidence at hand, each in its block."""

from collections.abc import Iterator, Sequence

from superbiz.domain import canonical
from superbiz.domain.claims import Claim, ExecutorOutput
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.runs import MessagePair
from superbiz.domain.values import iso
from superbiz.domain.verification import RetryContext
from superbiz.engines.model import showing
from superbiz.engines.model.blocks import Blocks
from superbiz.engines.model.talk import Means
from superbiz.ports import Brief, RecordedCall

HISTORY_PAIRS = 6
ANSWER_CHARS = 1_500
OPENING_CHARS = 24_000
WITHHELD = "(an earlier answer, marked not useful and not repeated here)"


def opening(brief: Brief, basis: ExecutorOutput | None, recorded: Sequence[RecordedCall], blocks: Blocks, means: Means) -> str:
    """The message. Question, alarm and earlier turns are redacted here; evidence was when it was recorded."""
    return "\n\n".join(_parts(brief, basis, recorded, blocks, means))


def _parts(brief: Brief, basis: ExecutorOutput | None, recorded: Sequence[RecordedCall], blocks: Blocks, means: Means) -> Iterator[str]:
    redactor = means.redactor(brief.run.run_id)
    window = f", the incident's window {iso(brief.window.start)} to {iso(brief.window.end)}" if brief.window else ""
    yield f"The clock says {iso(brief.now)}{window}."
    if brief.history:
        yield blocks.seal("earlier turns", redactor.text(_history(brief.history, means)))
    yield blocks.seal("question", redactor.text(brief.query))
    if brief.alarm:
        yield blocks.seal("alarm", redactor.text(_alarm(brief.alarm)))
    if basis:
        title = "claims that stand" if brief.retry else "first findings"
        yield blocks.seal(title, _findings(basis))
    if brief.retry:
        yield blocks.seal("what is missing", _missing(brief.retry))
        yield f"This is the second round. You may make {brief.retry.limits.max_new_tool_calls} new calls; look for what is missing."
    if recorded:
        yield "Calls made so far:"
        yield showing.calls(recorded, blocks, OPENING_CHARS)


def _history(pairs: Sequence[MessagePair], means: Means) -> str:
    """The last six pairs. The answer of a run that its reader marked not useful is left out: no bad case comes back by a prompt."""
    told = []
    for pair in pairs[-HISTORY_PAIRS:]:
        answer = WITHHELD if means.not_useful(pair.run_id) else pair.answer[:ANSWER_CHARS]
        told.append(f"Question: {pair.question}\nAnswer: {answer}")
    return "\n\n".join(told)


def _alarm(alarm: AlarmNotice) -> str:
    return canonical.dumps(alarm.model_dump(mode="json", exclude_none=True, exclude={"event_id", "via"}))


def _findings(basis: ExecutorOutput) -> str:
    """Conclusion and causes, then a claim a line, with the places that it cites: what stands is kept by id."""
    return "\n".join((canonical.dumps(basis.findings.to_json()), *(_claim(claim) for claim in basis.claims)))


def _claim(claim: Claim) -> str:
    places = [f"{bound.invocation_id} {bound.raw_path}" for bound in claim.evidence]
    return canonical.dumps(claim.model_dump(mode="json", exclude={"facts", "evidence"}) | {"cites": places})


def _missing(retry: RetryContext) -> str:
    rows = [f"{m.claim_id} ({', '.join(m.codes)}): {m.need}" for m in retry.missing]
    return "\n".join(rows) or "evidence that carries the conclusion"
