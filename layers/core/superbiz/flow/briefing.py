"""What the engines are told: the brief of a round, and the excerpts that the Gatekeeper found real."""

from datetime import timedelta

from superbiz.domain import conversation, gatekeeper
from superbiz.domain.claims import ExecutorOutput, ParseStatus
from superbiz.domain.gatekeeper import Excerpt
from superbiz.domain.runs import Flow, StepName
from superbiz.domain.values import Window
from superbiz.domain.verification import GatekeeperResult, RetryContext, VerifierEvaluation
from superbiz.flow.outcome import FIRST_ROUND
from superbiz.flow.stage import Stage
from superbiz.ports import Brief, EvidenceSource

LOOK_BACK = timedelta(hours=1)


def is_conversation(stage: Stage) -> bool:
    """A greeting, a question about the agent, or one too vague to start on. An alarm never is."""
    return stage.run.agent_flow is Flow.CHAT and conversation.fixed_reply(stage.query) is not None


def brief_of(stage: Stage, source: EvidenceSource) -> Brief:
    """What an engine is asked, in this round."""
    again = retry_context(stage)
    now = source.now()
    return Brief(
        run=stage.run,
        round=stage.round,
        query=stage.query,
        alarm=stage.alarm,
        history=stage.ports.ledger.history(stage.run.session_id, stage.ports.clock.now()) if stage.run.agent_flow is Flow.CHAT else (),
        now=now,
        window=source.window() or Window(start=now - LOOK_BACK, end=now),
        retry=again,
        kept=_kept(stage, again) if again else None,
        step_index=stage.step.step_index,
        model_replies=tuple(reply for (step, _), reply in sorted(stage.file.replies.items()) if step < stage.step.step_index),
    )


def retry_context(stage: Stage) -> RetryContext | None:
    """What round 2 is to look for; None in round 1."""
    if stage.round == FIRST_ROUND:
        return None
    return VerifierEvaluation.model_validate(stage.artifact(StepName.VERIFIER, stage.round - 1)).retry_context


def executed(stage: Stage) -> tuple[ParseStatus, ExecutorOutput | None]:
    """The parsed Executor output of this round."""
    artifact = stage.artifact(StepName.EXECUTOR)
    structured = artifact.get("structured")
    return ParseStatus.model_validate(artifact["parse_status"]), ExecutorOutput.model_validate(structured) if structured else None


def excerpts_of(stage: Stage, structured: ExecutorOutput | None, gate: GatekeeperResult) -> tuple[Excerpt, ...]:
    """The citations of claims whose every citation is real, each with the text that it stands in."""
    if structured is None:
        return ()
    return gatekeeper.excerpts(structured.claims, gate, stage.book())


def _kept(stage: Stage, again: RetryContext) -> ExecutorOutput | None:
    before = stage.artifact(StepName.EXECUTOR, stage.round - 1).get("structured")
    if not before:
        return None
    structured = ExecutorOutput.model_validate(before)
    kept = tuple(c for c in structured.claims if c.claim_id in again.keep_claim_ids)
    return structured.model_copy(update={"claims": kept, "round": stage.round})
