"""The Executor without a model: it collects evidence by playbook, ranks suspects, and states only what its records say."""

from collections.abc import Mapping, Sequence

from superbiz.analysis import deciding
from superbiz.analysis.deciding import Picture
from superbiz.domain import canonical
from superbiz.domain.claims import Claim, Conclusion, ExecutorOutput, Findings
from superbiz.engines.offline import citing, claiming, observing, playbook
from superbiz.engines.offline.claiming import Claims
from superbiz.engines.offline.playbook import Book
from superbiz.ports import Brief, Execution, Toolbox

INPUT_CHARS = 4_000


class OfflineExecutor:
    """Implements `ports.Executor`. The same evidence gives the same output, word for word."""

    def execute(self, brief: Brief, tools: Toolbox) -> Execution:
        """Never degrades: a source that fails is a finding of its own."""
        book = playbook.investigate(brief, tools)
        output = _kept(_concluded(brief, book), brief)
        return Execution(raw=canonical.dumps(output.to_json()), model_input=brief.query[:INPUT_CHARS])


def _concluded(brief: Brief, book: Book) -> ExecutorOutput:
    found = observing.symptom(book.calls, book.candidates)
    rule = deciding.decide(Picture(found[0] if found else None, book.candidates, observing.measured(book.calls)))
    claims = Claims(book)
    claiming.symptom(claims, book, rule.conclusion)
    causes = claiming.causes(claims, book, rule.conclusion)
    conclusion = rule.conclusion if causes or rule.conclusion is not Conclusion.ROOT_CAUSE else Conclusion.INCONCLUSIVE
    ruled_out = claiming.ruled_out(claims, book)
    claiming.actions(claims, book, causes)
    claiming.absences(claims, book)
    findings = Findings(
        conclusion=conclusion,
        causes=causes,
        ruled_out=ruled_out,
        not_checked=claiming.not_checked(book),
        subjects=(brief.alarm.alarm_name,) if brief.alarm else (),
    )
    return ExecutorOutput(
        run_id=brief.run.run_id,
        round=brief.round,
        findings=findings,
        claims=_real(claims.finished(), {c.invocation.invocation_id: c.output for c in book.calls}),
        executor_final_answer=f"{conclusion}: {rule.reason}",
    )


def _real(claims: Sequence[Claim], outputs: Mapping[str, object]) -> tuple[Claim, ...]:
    """Every excerpt is looked up in the stored output once more; a claim with one that is not there is not stated."""
    return tuple(c for c in claims if all(citing.holds(b, outputs) for b in c.evidence))


def _kept(output: ExecutorOutput, brief: Brief) -> ExecutorOutput:
    """In a second round: claims that were verified stay, those that failed are not said again in the same words."""
    if brief.retry is None or brief.kept is None:
        return output
    failed = {m.claim_text for m in brief.retry.missing}
    standing = {c.claim_text: c for c in brief.kept.claims if c.claim_id in brief.retry.keep_claim_ids}
    fresh = [c for c in output.claims if c.claim_text not in failed]
    ids = {c.claim_id: standing[c.claim_text].claim_id if c.claim_text in standing else f"r{brief.round}{c.claim_id}" for c in fresh}
    new = [c.model_copy(update={"claim_id": ids[c.claim_id]}) for c in fresh if c.claim_text not in standing]
    claims = [*standing.values(), *new][: claiming.MOST_CLAIMS]
    return output.model_copy(update={"claims": tuple(claims), "findings": _renamed(output.findings, ids, {c.claim_id for c in claims})})


def _renamed(findings: Findings, ids: Mapping[str, str], stated: set[str]) -> Findings:
    def known(claim_ids: Sequence[str]) -> tuple[str, ...]:
        return tuple(ids[i] for i in claim_ids if ids.get(i) in stated)

    causes = tuple(c.model_copy(update={"claim_ids": known(c.claim_ids)}) for c in findings.causes)
    rows = tuple(r.model_copy(update={"claim_ids": known(r.claim_ids)}) for r in findings.ruled_out)
    return findings.model_copy(update={"causes": causes, "ruled_out": tuple(r for r in rows if r.claim_ids)})
