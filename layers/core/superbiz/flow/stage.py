"""What a step is handed, and what it hands back."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from superbiz.domain import alarms, canonical
from superbiz.domain.evidence import Invocation
from superbiz.domain.gatekeeper import EvidenceBook
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.runs import Cost, EngineName, Run, Step, StepName
from superbiz.domain.values import JsonObject
from superbiz.flow.outcome import StepOutcome, step_index
from superbiz.ports import Ports, RunFile


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
        return EvidenceBook(self.run.run_id, {i.invocation_id: i for i in self.invocations}, StoredOutputs(self.ports, self.file))


class StoredOutputs(Mapping[str, Any]):
    """Parsed outputs by invocation id. One that is not inline is fetched when it is first cited."""

    def __init__(self, ports: Ports, file: RunFile) -> None:
        self._ledger = ports.ledger
        self._inline = file.outputs
        self._calls = {i.invocation_id: i for i in file.invocations if i.output is not None}
        self._parsed: dict[str, Any] = {}

    def __getitem__(self, invocation_id: str) -> Any:
        if invocation_id not in self._parsed:
            call = self._calls[invocation_id]
            data = self._inline.get(invocation_id) or self._ledger.output(call)
            if data is None:
                raise KeyError(invocation_id)
            self._parsed[invocation_id] = canonical.loads(data)
        return self._parsed[invocation_id]

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
