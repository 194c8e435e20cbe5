"""The last step: the report, and the answer written from nothing but what the Verifier let through."""

from datetime import datetime

from superbiz.domain import composing, conversation, reporting
from superbiz.domain.pricing import platform_cost
from superbiz.domain.report import Report, ReportCost
from superbiz.domain.runs import Cost, EngineName, MessagePair, Status, StepName
from superbiz.domain.values import JsonObject
from superbiz.domain.verification import ComposerMode, ComposerOutput, VerifierEvaluation
from superbiz.flow.briefing import brief_of, excerpts_of, is_conversation
from superbiz.flow.outcome import StepOutcome
from superbiz.flow.stage import Stage, StepWork
from superbiz.ports import Composition, Material, Ports, RunFile

SUMMARY_CHARS = 200


def compose(stage: Stage) -> StepWork:
    """Write the report and the answer. A draft that says more than its claims do is thrown away for the template."""
    evaluation = VerifierEvaluation.model_validate(stage.artifact(StepName.VERIFIER))
    if is_conversation(stage):
        mode, composition = ComposerMode.CONVERSATIONAL, Composition(body=conversation.fixed_reply(stage.query))
    else:
        mode, composition = composing.mode_for(evaluation.verdict), Composition(body=None)
    report = reporting.build(stage.run, evaluation, stage.invocations, stage.alarm, mode)
    said = ComposerOutput(mode=mode)
    if mode is not ComposerMode.CONVERSATIONAL:
        report, composition, said = _written(stage, evaluation, report, mode)
    else:
        report = report.model_copy(update={"answer": composition.body or ""})
    cost = _cost(stage, composition.cost)
    report = report.model_copy(
        update={"cost": ReportCost(platform=cost.platform, evidence=cost.evidence, model=cost.model), "status": Status.SUCCESS}
    )
    said = said.model_copy(update={"summary": report.answer[:SUMMARY_CHARS], "answer_chars": len(report.answer)})
    artifact: JsonObject = {
        "report": report.to_json(),
        "evaluation": evaluation.model_copy(update={"composer_output": said}).to_json(),
        "cost": cost.to_json(),
        "degraded": report.degraded,
        "finished_at": stage.ports.clock.now().isoformat(),
    }
    outcome = StepOutcome(run_id=stage.run.run_id, round=stage.round, verdict=evaluation.verdict)
    return StepWork(outcome, artifact, composition.model_input, composition.body, composition.engine, composition.cost)


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
            "degraded": artifact["degraded"],
            "cost": Cost.model_validate(artifact["cost"]),
        }
    )
    pair = MessagePair(run_id=run.run_id, question=file.record.request.query, answer=report.answer, at=at)
    ports.ledger.finish_run(ended, report.answer, artifact["report"], artifact["evaluation"], pair)


def _written(
    stage: Stage, evaluation: VerifierEvaluation, report: Report, mode: ComposerMode
) -> tuple[Report, Composition, ComposerOutput]:
    notices = composing.notices_for(evaluation, report)
    excerpts = excerpts_of(stage, evaluation.executor_structured_output, evaluation.gatekeeper_result)
    material = Material(stage.query, report, excerpts, mode, notices, stage.alarm, report.not_checked)
    composition, degraded = _composed(stage, material, mode), stage.run.degraded
    if composition.degraded:
        degraded = degraded or composition.degraded
    violations: tuple[str, ...] = ()
    if composition.body is not None:
        violations = composing.violations(composition.body, report, excerpts, stage.query)
    answer = composition.body
    if answer is None or violations:
        answer = composing.render(report, mode=mode, notices=notices, alarm=stage.alarm)
    used = tuple(c.claim_id for c in report.claims)
    all_ids = tuple(c.claim_id for c in evaluation.executor_structured_output.claims) if evaluation.executor_structured_output else ()
    said = ComposerOutput(
        mode=mode,
        parse_status="TEMPLATE_FALLBACK" if violations or composition.degraded else "REPAIRED" if composition.repaired else "OK",
        used_claim_ids=used,
        dropped_claim_ids=tuple(c for c in all_ids if c not in used),
        notices=tuple(notices),
        violations=violations,
    )
    return report.model_copy(update={"answer": answer, "degraded": degraded}), composition, said


def _composed(stage: Stage, material: Material, mode: ComposerMode) -> Composition:
    """The engine's draft. A degraded answer is the template's alone: confirmed facts, no model prose."""
    if mode is ComposerMode.DEGRADED:
        return Composition(body=None)
    engine = stage.ports.engine(stage.run)
    composition = engine.composer.compose(material, brief_of(stage, stage.ports.evidence(stage.run)))
    if composition.degraded:
        stage.ports.ledger.note_degraded(stage.run.run_id, composition.degraded)
        return composition._replace(body=None, engine=EngineName.OFFLINE)
    return composition


def _cost(stage: Stage, own: Cost) -> Cost:
    """All steps' model cost, and the platform's share."""
    total = own
    for step in stage.file.steps.values():
        total = total + step.cost
    writes = 2 * len(stage.file.steps) + len(stage.file.invocations)
    return total.model_copy(update={"platform": platform_cost(stage.file.steps.values(), writes)})
