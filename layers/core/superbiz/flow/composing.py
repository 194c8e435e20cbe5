"""The last step: the report, and the answer written from nothing but what the Verifier let through."""

from datetime import datetime
from typing import NamedTuple

from superbiz.domain import composing, conversation, reporting
from superbiz.domain.pricing import platform_cost
from superbiz.domain.report import Report, ReportCost
from superbiz.domain.runs import Cost, MessagePair, Status, StepName
from superbiz.domain.values import JsonObject, iso
from superbiz.domain.verification import ComposerMode, ComposerOutput, VerifierEvaluation
from superbiz.flow.briefing import brief_of, excerpts_of, is_conversation
from superbiz.flow.outcome import StepOutcome
from superbiz.flow.stage import Stage, StepWork, StoredOutputs
from superbiz.ports import Composition, Material, Ports, RunFile

SUMMARY_CHARS = 200


class Written(NamedTuple):
    """An answer, how it came about, and what was wrong with the draft that it replaced."""

    answer: str
    composition: Composition = Composition(body=None)
    notices: tuple[str, ...] = ()
    violations: tuple[str, ...] = ()


def compose(stage: Stage) -> StepWork:
    """Write the report and the answer. A draft that says more than its claims do is thrown away for the template."""
    evaluation = VerifierEvaluation.model_validate(stage.artifact(StepName.VERIFIER))
    mode = ComposerMode.CONVERSATIONAL if is_conversation(stage) else composing.mode_for(evaluation.verdict)
    report = reporting.build(stage.run, evaluation, stage.invocations, stage.alarm, mode, StoredOutputs(stage.ports, stage.file))
    if mode is ComposerMode.CONVERSATIONAL:
        written = Written(conversation.fixed_reply(stage.query) or "")
    else:
        written = _written(stage, evaluation, report, mode)
    cost = _cost(stage, written.composition.cost)
    report = report.model_copy(
        update={
            "answer": written.answer,
            "degraded": reporting.reason(stage.run.degraded or written.composition.degraded),
            "cost": ReportCost(platform=cost.platform, evidence=cost.evidence, model=cost.model),
        }
    )
    said = _output(evaluation, report, mode, written)
    artifact: JsonObject = {
        "report": report.to_json(),
        "evaluation": evaluation.model_copy(update={"composer_output": said}).to_json(),
        "cost": cost.to_json(),
        "finished_at": iso(stage.ports.clock.now()),
    }
    drafted = written.composition
    outcome = StepOutcome(run_id=stage.run.run_id, round=stage.round, verdict=evaluation.verdict)
    return StepWork(outcome, artifact, drafted.model_input, drafted.body, drafted.engine, drafted.cost)


def close(file: RunFile, artifact: JsonObject, ports: Ports) -> None:
    """End the run with what the Composer stored: answer, report, evaluation and history in one transaction, once."""
    report = Report.model_validate(artifact["report"])
    run, at = file.record.run, datetime.fromisoformat(artifact["finished_at"])
    ended = run.model_copy(
        update={
            "status": Status.SUCCESS,
            "finished_at": at,
            "verdict": report.verdict,
            "conclusion": report.conclusion,
            "first_cause": report.root_causes[0].resource if report.root_causes else None,
            "degraded": report.degraded,
            "cost": Cost.model_validate(artifact["cost"]),
        }
    )
    pair = MessagePair(run_id=run.run_id, question=file.record.request.query, answer=report.answer, at=at)
    ports.ledger.finish_run(ended, report.answer, artifact["report"], artifact["evaluation"], pair)


def _written(stage: Stage, evaluation: VerifierEvaluation, report: Report, mode: ComposerMode) -> Written:
    permitted = {claim.claim_id for claim in report.claims}
    found = excerpts_of(stage, evaluation.executor_structured_output, evaluation.gatekeeper_result)
    excerpts = tuple(excerpt for excerpt in found if excerpt.claim_id in permitted)
    notices = composing.notices_for(evaluation, report)
    composition = _drafted(stage, Material(stage.query, report, excerpts, mode, notices, stage.alarm, report.not_checked))
    template = composing.render(report, mode=mode, notices=notices, alarm=stage.alarm)
    violations = composing.violations(composition.body, report, excerpts, template) if composition.body is not None else ()
    if composition.body is not None and not violations:
        return Written(composition.body, composition, notices)
    if composition.degraded:
        notices = composing.notices_for(evaluation, report.model_copy(update={"degraded": composition.degraded}))
    return Written(composing.render(report, mode=mode, notices=notices, alarm=stage.alarm), composition, notices, violations)


def _drafted(stage: Stage, material: Material) -> Composition:
    """The engine's draft. A degraded answer is the template's alone: confirmed facts, no model prose."""
    if material.mode == ComposerMode.DEGRADED:
        return Composition(body=None)
    brief = brief_of(stage, stage.ports.evidence(stage.file.record))
    composition = stage.ports.engine(stage.run).composer.compose(material, brief)
    if not composition.degraded:
        return composition
    stage.ports.ledger.note_degraded(stage.run.run_id, composition.degraded)
    return composition._replace(body=None)


def _output(evaluation: VerifierEvaluation, report: Report, mode: ComposerMode, written: Written) -> ComposerOutput:
    used = tuple(claim.claim_id for claim in report.claims)
    structured = evaluation.executor_structured_output
    fell_back = written.violations or written.composition.degraded
    return ComposerOutput(
        mode=mode,
        parse_status="TEMPLATE_FALLBACK" if fell_back else "REPAIRED" if written.composition.repaired else "OK",
        summary=report.answer[:SUMMARY_CHARS],
        used_claim_ids=used,
        dropped_claim_ids=tuple(c.claim_id for c in structured.claims if c.claim_id not in used) if structured else (),
        notices=written.notices,
        violations=written.violations,
        sentences=composing.trail(report.answer, report) if mode is not ComposerMode.CONVERSATIONAL else (),
        answer_chars=len(report.answer),
    )


def _cost(stage: Stage, own: Cost) -> Cost:
    """All steps' model cost, and the platform's share."""
    steps = stage.file.steps.values()
    total = sum((step.cost for step in steps), own)
    return total.model_copy(update={"platform": platform_cost(steps, 2 * len(steps) + len(stage.file.invocations))})
