"""Steps, their calls, artifacts and replies in memory."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from superbiz.adapters import cursors
from superbiz.adapters.memory.runs import MemoryRuns
from superbiz.adapters.memory.store import locked, text_of
from superbiz.adapters.outputs import checked, matching
from superbiz.domain import canonical, records
from superbiz.domain.evidence import Invocation
from superbiz.domain.runs import Status, Step, StepStatus, TracePage
from superbiz.domain.values import JsonObject
from superbiz.errors import Conflict, LeaseHeld
from superbiz.ports import Lease

Row = tuple[str, Step | Invocation]


class MemorySteps(MemoryRuns):
    """`ports.StepLedger`."""

    @locked
    def lease_step(self, step: Step, now: datetime) -> Lease:
        """One holder at a time; a step that succeeded stays as it ended."""
        records.require_ids(step)
        stored = self._store.steps.get(step.run_id, {}).get(step.step_index)
        if stored is not None and stored.status is StepStatus.SUCCESS:
            return Lease(stored, held=False)
        run = self._store.runs.get(step.run_id)
        if run is None or run.status is not Status.RUNNING:
            raise Conflict(f"{step.run_id} is not running", code="NOT_RUNNING")
        if stored is not None and not records.may_take(stored, now):
            raise LeaseHeld(f"step {step.step_index} of {step.run_id} is at work until {stored.lease_until}")
        taken = records.retaken(stored, step) if stored else step.model_copy(update={"attempt": 1, "status": StepStatus.RUNNING})
        self._store.steps[step.run_id][step.step_index] = taken
        return Lease(taken, held=True)

    @locked
    def renew_lease(self, step: Step, until: datetime) -> bool:
        """Only the attempt that holds it can."""
        stored = self._store.steps.get(step.run_id, {}).get(step.step_index)
        if stored is None or stored.status is not StepStatus.RUNNING or stored.attempt != step.attempt:
            return False
        self._store.steps[step.run_id][step.step_index] = stored.model_copy(update={"lease_until": until})
        return True

    @locked
    def finish_step(self, step: Step, artifact: JsonObject | None) -> None:
        """By the attempt that holds it; the same end again is no harm."""
        records.require_ids(step)
        stored = self._store.steps.get(step.run_id, {}).get(step.step_index)
        if stored is not None and stored.attempt != step.attempt:
            raise LeaseHeld(f"step {step.step_index} of {step.run_id} is now with attempt {stored.attempt}")
        if stored is not None and stored.status is StepStatus.SUCCESS:
            return
        self._store.steps[step.run_id][step.step_index] = step
        if artifact is not None:
            self._store.artifacts[step.run_id][step.step_index] = text_of(artifact)

    @locked
    def artifact(self, run_id: str, step_index: int) -> JsonObject | None:
        """The step's structured output."""
        text = self._store.artifacts.get(run_id, {}).get(step_index)
        return None if text is None else canonical.loads(text)

    @locked
    def steps(self, run_id: str) -> Sequence[Step]:
        """In order."""
        return [step for _, step in sorted(self._store.steps.get(run_id, {}).items())]

    @locked
    def record_invocation(self, invocation: Invocation, output: bytes | None) -> bool:
        """First come, first kept."""
        records.require_ids(invocation)
        place = (invocation.step_index, invocation.seq)
        if place in self._store.invocations[invocation.run_id]:
            return False
        if output is not None:
            matching(invocation, output)
            self._store.outputs[invocation.invocation_id] = bytes(output)
        self._store.invocations[invocation.run_id][place] = invocation
        return True

    @locked
    def invocations(self, run_id: str) -> Sequence[Invocation]:
        """In order."""
        return [invocation for _, invocation in sorted(self._store.invocations.get(run_id, {}).items())]

    @locked
    def output(self, invocation: Invocation) -> bytes | None:
        """The bytes that were recorded."""
        if invocation.output is None:
            return None
        data = self._store.outputs.get(invocation.invocation_id)
        return None if data is None else checked(data, invocation.output.sha256, invocation.invocation_id)

    @locked
    def save_reply(self, run_id: str, step_index: int, seq: int, reply: JsonObject) -> JsonObject:
        """The first reply stays."""
        kept = self._store.replies[run_id].setdefault((step_index, seq), text_of(reply))
        return canonical.loads(kept)  # type: ignore[no-any-return]

    @locked
    def replies(self, run_id: str, step_index: int) -> Mapping[int, JsonObject]:
        """By sequence number."""
        said = sorted(self._store.replies.get(run_id, {}).items())
        return {seq: canonical.loads(text) for (index, seq), text in said if index == step_index}

    @locked
    def trace(self, run_id: str, cursor: str | None, max_bytes: int = 4_000_000) -> TracePage:
        """The record, then each step before its calls."""
        after = cursors.decode(f"trace|{run_id}", cursor, parts=1)[0] if cursor is not None else ""
        rows = [row for row in self._rows(run_id) if row[0] > after]
        shown = _fitting(rows, max_bytes)
        return TracePage(
            record=self.record(run_id) if cursor is None else None,
            steps=tuple(value for _, value in shown if isinstance(value, Step)),
            invocations=tuple(value for _, value in shown if isinstance(value, Invocation)),
            cursor=cursors.encode(f"trace|{run_id}", shown[-1][0]) if len(shown) < len(rows) else None,
        )

    def _rows(self, run_id: str) -> list[Row]:
        steps: list[Row] = [(f"{index:04}", step) for index, step in self._store.steps.get(run_id, {}).items()]
        calls: list[Row] = [(f"{index:04}#{seq:04}", call) for (index, seq), call in self._store.invocations.get(run_id, {}).items()]
        return sorted([*steps, *calls], key=lambda row: row[0])


def _fitting(rows: Sequence[Row], max_bytes: int) -> Sequence[Row]:
    """As many rows as fit, at least one."""
    used = 0
    for n, (_, value) in enumerate(rows):
        used += len(value.model_dump_json().encode("utf-8"))
        if n and used > max_bytes:
            return rows[:n]
    return rows
