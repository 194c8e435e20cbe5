"""A world that is read once and diagnosed many times: the real recorder, ledger, Gatekeeper and verdict rules, the tools' answers kept."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from superbiz import wiring
from superbiz.adapters.redaction import SecretRedactor
from superbiz.adapters.snapshot import SnapshotSource
from superbiz.domain import canonical, ids
from superbiz.domain.runs import EngineName, RunRecord, Session
from superbiz.domain.values import JsonObject
from superbiz.engines.model import Limits, model_engine
from superbiz.flow import run_in_process
from superbiz.ports import Brief, Engine, Execution, ModelClient, Ports, RecordedCall, RunFile, Toolbox, ToolboxOrder
from superbiz.settings import Settings
from superbiz.tools import TOOLS
from superbiz.tools.recorder import RecordingToolbox
from superbiz.tools.tool import Tool, ToolContext, ToolInput
from superbiz_cli.worlds import opened

LIMITS = Limits(run_tokens=2_000_000_000, day_tokens=2_000_000_000)
Call = tuple[str, JsonObject]


class Once:
    """A tool whose answer to the same input is kept: a recorded world answers the same every time."""

    def __init__(self, tool: Tool) -> None:
        self.name, self.category, self.description, self.input_model = tool.name, tool.category, tool.description, tool.input_model
        self._tool = tool
        self._kept: dict[str, JsonObject] = {}

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:
        """As the tool answers."""
        key = params.model_dump_json()
        if key not in self._kept:
            self._kept[key] = self._tool.run(params, context)
        return self._kept[key]


class Watched:
    """A toolbox that writes down what it is asked."""

    def __init__(self, inner: Toolbox) -> None:
        self._inner = inner
        self.asked: list[Call] = []

    def call(self, tool_name: str, params: JsonObject) -> RecordedCall:
        """Pass on, and remember."""
        self.asked.append((tool_name, params))
        return self._inner.call(tool_name, params)

    def describe(self) -> Any:
        """As it is."""
        return self._inner.describe()

    def recorded(self) -> Any:
        """As it is."""
        return self._inner.recorded()


class Findings(NamedTuple):
    """What the offline Executor did in a world: its calls in order, its document, and the run that the document's ids are of."""

    run_id: str
    calls: tuple[Call, ...]
    raw: str


class Again:
    """An offline Executor that has investigated this world before: it makes the same calls and says the same."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def execute(self, brief: Brief, tools: Toolbox) -> Execution:
        """The ids are the run's own, since a call's id follows from run, step and number."""
        for name, params in self._findings.calls:
            tools.call(name, params)
        return Execution(raw=own(self._findings.raw, self._findings, brief.run.run_id))


class Scene(NamedTuple):
    """A world with its findings. `document` are these as JSON; `outputs` what the calls answered, by invocation id."""

    name: str
    source: SnapshotSource
    tools: dict[str, Any]
    findings: Findings
    document: JsonObject
    outputs: dict[str, Any]


class Ended(NamedTuple):
    """A run that came to its end."""

    record: RunRecord
    file: RunFile
    ports: Ports


def own(text: str, findings: Findings, run_id: str) -> str:
    """A text of the findings' run as it reads in another run."""
    for seq in range(1, len(findings.calls) + 1):
        text = text.replace(ids.invocation_id(findings.run_id, 1, seq), ids.invocation_id(run_id, 1, seq))
    return text.replace(findings.run_id, run_id)


def read(folder: Path) -> Scene:
    """Diagnose the world once, offline."""
    source, tools = SnapshotSource(folder), {name: Once(tool) for name, tool in TOOLS.items()}
    ports = wiring.in_process(source, Settings())
    seen: list[tuple[str, Watched, Execution]] = []
    executor = ports.offline().executor

    class Spy:
        def execute(self, brief: Brief, toolbox: Toolbox) -> Execution:
            watched = Watched(toolbox)
            done = executor.execute(brief, watched)
            seen.append((brief.run.run_id, watched, done))
            return done

    offline = ports.offline()._replace(executor=Spy())
    run = diagnose(replace(_with_tools(ports, tools), engine=lambda _run: offline), source, EngineName.OFFLINE)
    run_id, watched, done = seen[0]
    outputs = {key: canonical.loads(data) for key, data in run.file.outputs.items()}
    findings = Findings(run_id, tuple(watched.asked), done.raw)
    return Scene(folder.name, source, tools, findings, canonical.loads(done.raw), outputs)


def ports_of(scene: Scene, client: Callable[[str], ModelClient] | None, limits: Limits = LIMITS) -> Ports:
    """In-process ports over the scene whose model is `client`'s, by run id; offline alone where there is none."""
    ports = _with_tools(wiring.in_process(scene.source, Settings()), scene.tools)
    offline = ports.offline()._replace(executor=Again(scene.findings))
    if client is None:
        return replace(ports, engine=lambda _run: offline, offline=lambda: offline)
    kept: dict[str, Engine] = {}

    def engine(run: Any) -> Engine:
        if run.degraded:
            return offline
        if run.run_id not in kept:
            asked = client(run.run_id)
            kept[run.run_id] = model_engine(asked, ports.ledger, ports.clock, offline, limits=limits, redactor=redactor)
        return kept[run.run_id]

    return replace(ports, engine=engine, offline=lambda: offline)


def diagnose(ports: Ports, source: SnapshotSource, engine: EngineName = EngineName.MODEL, **ids: str) -> Ended:
    """One whole run, from its trigger to its notice. `ids` are those that it is to have: `run_id`, `session_id`."""
    run, request = opened(source, engine, ports)
    run = run.model_copy(update=ids)
    ports.ledger.open_run(run, request, Session(session_id=run.session_id, last_active_at=run.created_at))
    run_in_process(run.run_id, ports)
    record, file = ports.ledger.record(run.run_id), ports.ledger.file(run.run_id)
    if record is None or file is None:
        raise RuntimeError(f"{run.run_id} left no record")
    return Ended(record, file, ports)


def _with_tools(ports: Ports, tools: dict[str, Any]) -> Ports:
    knowledge = ports.knowledge()

    def toolbox(order: ToolboxOrder) -> Toolbox:
        return RecordingToolbox(
            order.run, order.step_index, order.round, tools, order.source, ports.ledger, redactor(order.run.run_id), ports.clock,
            knowledge, order.limits, order.file,
        )  # fmt: skip

    return replace(ports, toolbox=toolbox)


def redactor(run_id: str) -> SecretRedactor:
    """The redactor of a run."""
    return SecretRedactor(run_id.encode())
