"""The four steps. Each reads the run's file, does one thing, and hands back its outcome and its artifact."""

from collections.abc import Callable, Mapping

from superbiz.domain import executor_output, gatekeeper, retry, summary, verdict
from superbiz.domain.claims import ExecutorOutput, ParseState, ParseStatus
from superbiz.domain.runs import EngineName, StepName
from superbiz.domain.values import Window
from superbiz.domain.verification import GatekeeperResult, Verdict
from superbiz.flow.briefing import brief_of, excerpts_of, executed, is_conversation, retry_context
from superbiz.flow.composing import compose
from superbiz.flow.outcome import StepOutcome
from superbiz.flow.stage import Stage, StepWork
from superbiz.ports import Dossier, Execution, ToolboxOrder, Verification


def execute(stage: Stage) -> StepWork:
    """Collect evidence and state claims. A question that needs none calls no tool and gets its fixed reply."""
    if is_conversation(stage):
        silent = ExecutorOutput(run_id=stage.run.run_id, round=stage.round, no_evidence_needed=True)
        return _executed(stage, Execution(raw=silent.model_dump_json()), None)
    again = retry_context(stage)
    source = stage.ports.evidence(stage.file.record)
    order = ToolboxOrder(stage.run, stage.step.step_index, stage.round, source, again.limits if again else None, stage.file)
    tools = stage.ports.toolbox(order)
    brief = brief_of(stage, source)
    execution = stage.ports.engine(stage.run).executor.execute(brief, tools)
    if execution.degraded:
        stage.ports.ledger.note_degraded(stage.run.run_id, execution.degraded)
    if execution.degraded and execution.engine is not EngineName.OFFLINE:
        stood_in = stage.ports.offline().executor.execute(brief, tools)
        execution = stood_in._replace(cost=execution.cost, model_input=execution.model_input)
    execution = execution._replace(cost=execution.cost + source.cost())
    return _executed(stage, execution, source.window(), has_tool_call=bool(tools.recorded()))


def gatekeep(stage: Stage) -> StepWork:
    """Check that every citation is real. Code, in both engines."""
    parse, structured = executed(stage)
    result = gatekeeper.admit(structured, parse, stage.book(), stage.round)
    return StepWork(StepOutcome(run_id=stage.run.run_id, round=stage.round), result.to_json())


def verify(stage: Stage) -> StepWork:
    """Judge whether the cited texts carry their claims. What the Verifier says is only ever lowered here."""
    parse, structured = executed(stage)
    gate = GatekeeperResult.model_validate(stage.artifact(StepName.GATEKEEPER))
    verification, cap = _verified(stage, structured, gate)
    evaluation = verdict.judge(
        structured,
        parse,
        gate,
        verification.reply,
        round_=stage.round,
        invocations=stage.invocations,
        summary=summary.tool_trace_summary(stage.invocations),
        cap=cap,
    )
    again = verdict.retryable(evaluation, round_=stage.round, invocations=stage.invocations)
    if again:
        evaluation = evaluation.model_copy(update={"retry_context": retry.context(evaluation, stage.invocations)})
    outcome = StepOutcome(run_id=stage.run.run_id, round=stage.round + int(again), verdict=evaluation.verdict, retry=again)
    return StepWork(outcome, evaluation.to_json(), verification.model_input, verification.raw, verification.engine, verification.cost)


STEPS: Mapping[StepName, Callable[[Stage], StepWork]] = {
    StepName.EXECUTOR: execute,
    StepName.GATEKEEPER: gatekeep,
    StepName.VERIFIER: verify,
    StepName.COMPOSER: compose,
}


def _executed(stage: Stage, execution: Execution, incident: Window | None, *, has_tool_call: bool = False) -> StepWork:
    parse, structured = executor_output.parse(execution.raw, stage.run.run_id, stage.round)
    if structured is not None and structured.no_evidence_needed and not is_conversation(stage):
        parse, structured = _needs_evidence_after_all(parse, structured)
    artifact = {
        "parse_status": parse.to_json(),
        "structured": structured.to_json() if structured else None,
        "raw": None if structured else execution.raw,
        "incident": incident.to_json() if incident else None,
    }
    outcome = StepOutcome(run_id=stage.run.run_id, round=stage.round)
    return StepWork(outcome, artifact, execution.model_input, execution.raw, execution.engine, execution.cost, has_tool_call)


def _needs_evidence_after_all(parse: ParseStatus, structured: ExecutorOutput) -> tuple[ParseStatus, ExecutorOutput]:
    """Only the catalogue decides that a question needs no evidence; one about a system always does."""
    if not structured.claims:
        parse = parse.model_copy(update={"status": ParseState.EMPTY, "valid": False})
    return parse, structured.model_copy(update={"no_evidence_needed": False})


def _verified(stage: Stage, structured: ExecutorOutput | None, gate: GatekeeperResult) -> tuple[Verification, Verdict | None]:
    """The Verifier's reply, and the cap where the model's Verifier could not be used and the offline one stood in."""
    dossier = Dossier(
        query=stage.query,
        structured=structured,
        gatekeeper=gate,
        excerpts=excerpts_of(stage, structured, gate),
        summary=summary.tool_trace_summary(stage.invocations),
        fallback_text=stage.artifact(StepName.EXECUTOR).get("raw"),
    )
    brief = brief_of(stage, stage.ports.evidence(stage.file.record))
    said = stage.ports.engine(stage.run).verifier.verify(dossier, brief)
    if not said.degraded:
        return said, None
    stage.ports.ledger.note_degraded(stage.run.run_id, said.degraded)
    stood_in = stage.ports.offline().verifier.verify(dossier, brief)
    return stood_in._replace(model_input=said.model_input, cost=said.cost), Verdict.LOW_CONFID
