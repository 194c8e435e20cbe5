"""A run's partition: its items told apart by their sort keys."""

from collections.abc import Iterable, Mapping

from superbiz.adapters.outputs import checked, unpacked
from superbiz.adapters.table import keys
from superbiz.adapters.table.mapping import Item, Mapper
from superbiz.domain.evidence import Invocation
from superbiz.domain.runs import Run, RunRecord, RunRequest, Step
from superbiz.domain.self_evaluation import assemble
from superbiz.domain.values import JsonObject
from superbiz.errors import Broken
from superbiz.ports import RunFile

INLINE_OUTPUT = "output_gzip"


class Partition:
    """Items of one run, in the order of their sort keys."""

    def __init__(self, items: Iterable[Item], mapper: Mapper) -> None:
        self._items = {item["SK"]["S"]: item for item in items}
        self._map = mapper

    def record(self) -> RunRecord | None:
        """The head and its parts, or None where there is no head."""
        head = self._items.get(keys.META)
        if head is None:
            return None
        request = self._part("REQUEST")
        if request is None:
            raise Broken(f"{keys.run_id_of(head['PK']['S'])} has lost its request", code="LOST_ITEM")
        answer, report = self._part("ANSWER"), self._part("REPORT")
        return RunRecord(
            run=self._map.value(Run, head),
            request=self._map.value(RunRequest, request),
            answer=self._map.read_text(answer["text"]) if answer else None,
            report=self._map.read_object(report) if report else None,
            self_evaluation=assemble(*(self._node(source) for source in ("rule", "verifier", "aiops"))),
        )

    def file(self) -> RunFile | None:
        """Everything of the run."""
        record = self.record()
        if record is None:
            return None
        calls = [(self._map.value(Invocation, item), item) for item in self._of("I")]
        return RunFile(
            record=record,
            steps={step.step_index: step for step in self.steps()},
            invocations=[invocation for invocation, _ in calls],
            outputs={i.invocation_id: data for i, item in calls if (data := _sound_output(i, item)) is not None},
            artifacts=self.artifacts(),
            replies=self.replies(),
        )

    def steps(self) -> list[Step]:
        """In order."""
        return [self._map.value(Step, item) for sk, item in self._items.items() if is_step(sk)]

    def invocations(self) -> list[Invocation]:
        """In order."""
        return [self._map.value(Invocation, item) for item in self._of("I")]

    def artifacts(self) -> Mapping[int, JsonObject]:
        """By step index."""
        return {int(item["SK"]["S"].split("#")[1]): self._map.read_object(item) for item in self._of("OUT")}

    def replies(self) -> Mapping[tuple[int, int], JsonObject]:
        """By step index and sequence number."""
        return {_places(item): self._map.read_object(item) for item in self._of("R")}

    def _node(self, source: str) -> JsonObject | None:
        item = self._part(f"EVAL#{source}")
        return self._map.read_object(item) if item else None

    def _part(self, name: str) -> Item | None:
        return self._items.get(f"{keys.META}#{name}")

    def _of(self, kind: str) -> list[Item]:
        return [item for sk, item in self._items.items() if is_below_step(sk, kind)]


def is_step(sk: str) -> bool:
    """`S#<0001>`."""
    return sk.startswith(keys.STEPS) and sk.count("#") == 1


def is_below_step(sk: str, kind: str) -> bool:
    """`S#<0001>#<kind>…`."""
    return sk.startswith(keys.STEPS) and sk.split("#")[2:3] == [kind]


def inline_output(invocation: Invocation, item: Item) -> bytes | None:
    """The call's output where the item holds it. Raises Broken where it no longer matches its hash."""
    if INLINE_OUTPUT not in item or invocation.output is None:
        return None
    data = unpacked(bytes(item[INLINE_OUTPUT]["B"]), invocation.invocation_id)
    return checked(data, invocation.output.sha256, invocation.invocation_id)


def _sound_output(invocation: Invocation, item: Item) -> bytes | None:
    """One that was altered is left out, so that the rest of the run can still be read: whoever asks for it by itself is told."""
    try:
        return inline_output(invocation, item)
    except Broken:
        return None


def _places(item: Item) -> tuple[int, int]:
    _, step_index, _, seq = item["SK"]["S"].split("#")
    return int(step_index), int(seq)
