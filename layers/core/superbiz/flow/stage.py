"""What a step is handed, and what it hands back."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from superbiz.domain import alarms, canonical
from superbiz.domain.evidence import Invocation
from superbiz.domain.gatekeeper import EvidenceBook
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.runs import Cost, EngineName, Run, Step, StepName
from superbiz.domain.values import JsonObject, Window
from superbiz.errors import Broken
from superbiz.flow.outcome import StepOutcome, step_index
from superbiz.ports import Ports, RunFile

ALTERED = ("HASH_MISMATCH", "DAMAGED")


class StepWork(NamedTuple):
    """A step's result: `outcome` goes to the next state, `artifact` is the structured output that later steps read."""

    outcome: StepOutcome
    artifact: JsonObject
    model_input: str | None = None
    model_output: str | None = None
    engine: EngineName = EngineName.OFFLINE
    cost: Cost = Cost()
    has_tool_call: bool = False


class Stage(NamedTuple):
    """One step of one run: its ports, and the run's file as it stood when the step was taken."""

    ports: Ports
    file: RunFile
    step: Step

    @property
    def run(self) -> Run:
        return self.file.record.run

    @property
    def round(self) -> int:
        return self.step.round

    @property
    def query(self) -> str:
        return self.file.record.request.query

    @property
    def invocations(self) -> tuple[Invocation, ...]:
        return tuple(self.file.invocations)

    @property
    def alarm(self) -> AlarmNotice | None:
        return alarm_of(self.file, self.ports.settings.stack_name)

    def artifact(self, step: StepName, round_: int | None = None) -> JsonObject:
        """The structured output of an earlier step; empty where there is none."""
        return self.file.artifacts.get(step_index(step, round_ or self.round), {})

    def book(self) -> EvidenceBook:
        """The run's calls with their stored outputs, read on first use and checked against their hashes."""
        outputs = StoredOutputs(self.ports, self.file)
        calls = {i.invocation_id: i for i in self.invocations}
        return EvidenceBook(self.run.run_id, calls, outputs, self._incident(), outputs.altered)

    def _incident(self) -> Window | None:
        """The span of time in question, as the Executor's source told it; None where it told none."""
        told = self.artifact(StepName.EXECUTOR).get("incident")
        return Window.model_validate(told) if told else None


class StoredOutputs(Mapping[str, Any]):
    """Parsed outputs by invocation id. One that is not inline is fetched when it is first cited; one whose bytes are no longer those that
    were recorded is not here, and `altered` says so.
    """

    def __init__(self, ports: Ports, file: RunFile) -> None:
        self._ledger = ports.ledger
        self._inline = file.outputs
        self._calls = {i.invocation_id: i for i in file.invocations if i.output is not None}
        self._parsed: dict[str, Any] = {}
        self._altered: set[str] = set()

    def __getitem__(self, invocation_id: str) -> Any:
        if invocation_id not in self._parsed:
            data = self._read(self._calls[invocation_id])
            if data is None:
                raise KeyError(invocation_id)
            self._parsed[invocation_id] = canonical.loads(data)
        return self._parsed[invocation_id]

    def altered(self, invocation_id: str) -> bool:
        """Whether what is stored is no longer what was recorded."""
        self.get(invocation_id)
        return invocation_id in self._altered

    def _read(self, call: Invocation) -> bytes | None:
        if call.invocation_id in self._altered:
            return None
        try:
            data = self._inline.get(call.invocation_id) or self._ledger.output(call)
        except Broken as e:
            if e.code not in ALTERED:
                raise
            data = b""
        if data is not None and call.output is not None and canonical.sha256(data) != call.output.sha256:
            self._altered.add(call.invocation_id)
            return None
        return data

    def __iter__(self) -> Iterator[str]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)


def alarm_of(file: RunFile, stack_name: str) -> AlarmNotice | None:
    """The alarm that started the run, read again from its event as it came."""
    trigger = file.record.request.trigger
    if trigger is None:
        return None
    notice = alarms.parse(trigger, stack_name=stack_name)
    return notice if isinstance(notice, AlarmNotice) else None
