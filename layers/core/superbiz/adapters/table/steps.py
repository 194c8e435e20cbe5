"""Steps, their calls, artifacts and replies in the table."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pynamodb.expressions.condition import Condition

from superbiz.adapters import cursors
from superbiz.adapters.outputs import matching, packed
from superbiz.adapters.table import keys
from superbiz.adapters.table.gateway import (
    Check,
    ConditionFailed,
    Put,
    Refused,
    absent,
    attribute,
    is_running,
    keyed,
    setting,
)
from superbiz.adapters.table.mapping import Item
from superbiz.adapters.table.partition import INLINE_OUTPUT, Partition, inline_output, is_below_step, is_step
from superbiz.adapters.table.runs import TableRuns
from superbiz.domain import records
from superbiz.domain.evidence import Invocation
from superbiz.domain.runs import Step, StepStatus, TracePage
from superbiz.domain.values import JsonObject
from superbiz.errors import Conflict, LeaseHeld
from superbiz.ports import Lease

INLINE_OUTPUT_BYTES = 16 * 1024
THE_RUN, THE_STEP = 0, 1  # what may refuse a lease, by its place in the transaction


class TableSteps(TableRuns):
    """`ports.StepLedger`."""

    def lease_step(self, step: Step, now: datetime) -> Lease:
        """The first attempt costs one request; only who comes second has to look."""
        records.require_ids(step)
        first = step.model_copy(update={"attempt": 1, "status": StepStatus.RUNNING})
        refused = self._take(first, None)
        if not refused:
            return Lease(first, held=True)
        stored = self._step(step.run_id, step.step_index)
        if stored is not None and stored.status is StepStatus.SUCCESS:
            return Lease(stored, held=False)
        if stored is None or THE_RUN in refused:
            raise Conflict(f"{step.run_id} is not running", code="NOT_RUNNING")
        return self._retake(stored, step, now)

    def renew_lease(self, step: Step, until: datetime) -> bool:
        """Only the attempt that holds it can."""
        held = is_running() & (attribute("attempt") == {"N": str(step.attempt)})
        try:
            self._table.update(keys.step(step.run_id, step.step_index), setting({"lease_until": self._map.scalar(until)}), held)
        except ConditionFailed:
            return False
        return True

    def finish_step(self, step: Step, artifact: JsonObject | None) -> None:
        """One transaction, by the attempt that holds it; the same end again is no harm."""
        records.require_ids(step)
        mine = (attribute("attempt") == {"N": str(step.attempt)}) & (attribute("status") != {"S": StepStatus.SUCCESS})
        writes = [Put(self._step_item(step), absent() | mine)]
        if artifact is not None:
            writes.append(Put(self._holding(keys.artifact(step.run_id, step.step_index), artifact)))
        try:
            self._table.transact(writes)
        except Refused:
            stored = self._step(step.run_id, step.step_index)
            if stored is not None and stored.attempt != step.attempt:
                raise LeaseHeld(f"step {step.step_index} of {step.run_id} is now with attempt {stored.attempt}") from None

    def artifact(self, run_id: str, step_index: int) -> JsonObject | None:
        """The step's structured output."""
        item = self._table.get(keys.artifact(run_id, step_index))
        return self._map.read_object(item) if item else None

    def steps(self, run_id: str) -> Sequence[Step]:
        """In order."""
        return self._below(run_id).steps()

    def record_invocation(self, invocation: Invocation, output: bytes | None) -> bool:
        """An output too large for the item is put aside before the item is written."""
        records.require_ids(invocation)
        key = keys.call(invocation.run_id, invocation.step_index, invocation.seq)
        return self._table.put_new(keyed(key, self._map.item(invocation) | self._output_attribute(invocation, output))) is None

    def invocations(self, run_id: str) -> Sequence[Invocation]:
        """In order."""
        return self._below(run_id).invocations()

    def output(self, invocation: Invocation) -> bytes | None:
        """From the item, or from beside it."""
        if invocation.output is None:
            return None
        item = self._table.get(keys.call(invocation.run_id, invocation.step_index, invocation.seq))
        if item is None:
            return None
        inline = inline_output(invocation, item)
        return self._map.aside(invocation.output.sha256) if inline is None else inline

    def save_reply(self, run_id: str, step_index: int, seq: int, reply: JsonObject) -> JsonObject:
        """The first reply stays."""
        item = self._holding(keys.reply(run_id, step_index, seq), reply)
        return self._map.read_object(self._table.put_new(item) or item)

    def replies(self, run_id: str, step_index: int) -> Mapping[int, JsonObject]:
        """By sequence number."""
        begin = keys.replies(run_id, step_index)
        found = Partition(self._table.walk(begin.pk, attribute("SK").startswith(begin.sk)), self._map)
        return {seq: reply for (_, seq), reply in found.replies().items()}

    def trace(self, run_id: str, cursor: str | None, max_bytes: int = 4_000_000) -> TracePage:
        """One Query. It answers at most 1 MB as stored; a page is cut where more than `max_bytes` would come of it."""
        scope, pk = f"trace|{run_id}", keys.run(run_id).pk
        start = keyed(keys.Key(pk, cursors.decode(scope, cursor, parts=1)[0]), {}) if cursor is not None else None
        found = self._table.query(pk, after=start)
        rows = [item for item in found.items if is_step(item["SK"]["S"]) or is_below_step(item["SK"]["S"], "I")]
        values, last = self._fitting(rows, max_bytes)
        if len(values) == len(rows):
            last = found.after["SK"]["S"] if found.after else None
        return TracePage(
            record=Partition(found.items, self._map).record() if cursor is None else None,
            steps=tuple(value for value in values if isinstance(value, Step)),
            invocations=tuple(value for value in values if isinstance(value, Invocation)),
            cursor=cursors.encode(scope, last) if last else None,
        )

    def _fitting(self, rows: Sequence[Item], max_bytes: int) -> tuple[list[Step | Invocation], str | None]:
        """As many values as fit, at least one, and the sort key of the last."""
        values: list[Step | Invocation] = []
        used = 0
        for item in rows:
            value = self._map.value(Step, item) if is_step(item["SK"]["S"]) else self._map.value(Invocation, item)
            used += len(value.model_dump_json().encode("utf-8"))
            if values and used > max_bytes:
                break
            values.append(value)
        return values, rows[len(values) - 1]["SK"]["S"] if values else None

    def _below(self, run_id: str) -> Partition:
        return Partition(self._table.walk(keys.run(run_id).pk, attribute("SK").startswith(keys.STEPS)), self._map)

    def _step(self, run_id: str, step_index: int) -> Step | None:
        item = self._table.get(keys.step(run_id, step_index))
        return self._map.value(Step, item) if item else None

    def _step_item(self, step: Step) -> Item:
        return keyed(keys.step(step.run_id, step.step_index), self._map.item(step))

    def _take(self, step: Step, stored: Step | None) -> frozenset[int]:
        """One transaction: the run is RUNNING, and the step still is as it was seen. What refused it; nothing where it is taken."""
        seen = absent() if stored is None else self._as_seen(stored)
        try:
            self._table.transact([Check(keys.run(step.run_id), is_running()), Put(self._step_item(step), seen)])
        except Refused as e:
            return e.positions
        return frozenset()

    def _as_seen(self, stored: Step) -> Condition:
        lease = attribute("lease_until")
        held: Condition = lease.does_not_exist() if stored.lease_until is None else lease == self._map.scalar(stored.lease_until)
        same: Condition = (attribute("attempt") == {"N": str(stored.attempt)}) & (attribute("status") == {"S": stored.status}) & held
        return same

    def _retake(self, stored: Step, wanted: Step, now: datetime) -> Lease:
        taken = records.retaken(stored, wanted)
        refused = self._take(taken, stored) if records.may_take(stored, now) else frozenset({THE_STEP})
        if THE_RUN in refused:
            raise Conflict(f"{wanted.run_id} is not running", code="NOT_RUNNING")
        if refused:
            raise LeaseHeld(f"step {wanted.step_index} of {wanted.run_id} is at work (until {stored.lease_until})")
        return Lease(taken, held=True)

    def _output_attribute(self, invocation: Invocation, output: bytes | None) -> Item:
        if output is None:
            return {}
        sha256 = matching(invocation, output)
        small = packed(output)
        if len(small) <= INLINE_OUTPUT_BYTES:
            return {INLINE_OUTPUT: {"B": small}}
        self._map.keep(sha256, small)
        return {}
