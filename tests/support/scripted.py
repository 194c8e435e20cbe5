"""Engines whose words are given, over the real recorder, ledger and flow: for tests of the steps themselves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from superbiz import wiring
from superbiz.adapters.redaction import SecretRedactor
from superbiz.domain.claims import ExecutorOutput
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.runs import EngineName, Run
from superbiz.domain.values import JsonObject
from superbiz.domain.verification import VerifierReply
from superbiz.ports import Brief, Composition, Dossier, Engine, Execution, Material, Ports, Toolbox, ToolboxOrder, Verification
from superbiz.settings import Settings
from superbiz.tools.recorder import RecordingToolbox
from superbiz.tools.tool import ToolContext, ToolInput
from support.builders import (
    NOW,
    build_binding,
    build_claim,
    build_log_output,
    build_output,
    build_reply,
    build_request,
    build_run,
    build_session,
)
from support.clock import TestClock
from support.unconnected import Unconnected


class LogTool:
    """A log query with a fixed output; `ran` counts how often it was really executed."""

    name = "query_logs"
    category = ToolCategory.LOG
    description = "Log lines."
    input_model = ToolInput

    def __init__(self) -> None:
        self.ran = 0

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:
        self.ran += 1
        return build_log_output(window={"start": "2026-07-08T22:30:00Z", "end": "2026-07-08T23:10:00Z"})


class PastSource(Unconnected):
    def now(self) -> datetime:
        return NOW


Say = Callable[[Brief, Toolbox], Execution]


def true_claims(brief: Brief, tools: Toolbox) -> Execution:
    """One call, one true claim about it."""
    call = tools.call("query_logs", {})
    output = build_output(build_claim(evidence=(build_binding(call),)), run_id=brief.run.run_id, round=brief.round)
    return Execution(raw=output.model_dump_json())


def says(output: ExecutorOutput) -> Say:
    return lambda _brief, _tools: Execution(raw=output.model_dump_json())


class ScriptedEngine:
    """Executor, Verifier and Composer in one. `briefs`, `dossiers` and `materials` keep what each was shown."""

    def __init__(
        self,
        execute: Say = true_claims,
        reply: VerifierReply | None = None,
        body: str | None = None,
        verification: Verification | None = None,
        composition: Composition | None = None,
    ) -> None:
        self._execute = execute
        self._verification = verification or Verification(reply=reply or build_reply())
        self._composition = composition or Composition(body=body)
        self.briefs: list[Brief] = []
        self.dossiers: list[Dossier] = []
        self.materials: list[Material] = []

    def execute(self, brief: Brief, tools: Toolbox) -> Execution:
        self.briefs.append(brief)
        return self._execute(brief, tools)

    def verify(self, dossier: Dossier, brief: Brief) -> Verification:
        self.dossiers.append(dossier)
        return self._verification

    def compose(self, material: Material, brief: Brief) -> Composition:
        self.materials.append(material)
        return self._composition

    def engine(self, name: EngineName = EngineName.OFFLINE) -> Engine:
        return Engine(name, self, self, self)


def build_ports(
    engine: ScriptedEngine | None = None,
    offline: ScriptedEngine | None = None,
    tools: Mapping[str, Any] | None = None,
    clock: TestClock | None = None,
    **changes: Any,
) -> Ports:
    """In-process ports with scripted engines; the recorder, ledger, Gatekeeper and verdict rules are the real ones."""
    clock = clock or TestClock()
    source = PastSource()
    ports = replace(wiring.in_process(source, Settings()), clock=clock, **changes)
    standing_in = (offline or ScriptedEngine()).engine()
    chosen = engine.engine() if engine else standing_in
    box = tools or {"query_logs": LogTool()}

    def toolbox(order: ToolboxOrder) -> Toolbox:
        redactor = SecretRedactor(order.run.run_id.encode())
        return RecordingToolbox(
            order.run, order.step_index, order.round, box, order.source, ports.ledger, redactor, clock, None, order.limits, order.file
        )  # fmt: skip

    return replace(ports, toolbox=toolbox, engine=lambda run: standing_in if run.degraded else chosen, offline=lambda: standing_in)


def open_run(ports: Ports, run: Run | None = None, **request: Any) -> Run:
    run = run or build_run()
    return ports.ledger.open_run(run, build_request(**request), build_session(session_id=run.session_id))


def outputs_of(steps: Sequence[Any]) -> list[str]:
    return [f"{step.agent_name}:{step.round}" for step in steps]
