"""Cases and feedback in the table."""

from datetime import datetime

from superbiz.adapters.table import keys
from superbiz.adapters.table.gateway import (
    Collision,
    ConditionFailed,
    Delete,
    Put,
    Refused,
    Update,
    Write,
    absent,
    attribute,
    keyed,
    present,
    setting,
)
from superbiz.adapters.table.mapping import Item
from superbiz.adapters.table.runs import TableRuns
from superbiz.domain import ids, records
from superbiz.domain.cases import Case, CasePatch
from superbiz.domain.runs import Feedback, Run, Status
from superbiz.errors import Conflict, NotFound
from superbiz.ports import Page

FIRST_VERSION = 1


class TableCases(TableRuns):
    """`ports.CaseLedger`."""

    def record_feedback(self, run_id: str, feedback: Feedback, at: datetime, case: Case | None) -> Case | None:
        """Head, case and bad-case mark together. The status attribute is not among what is written."""
        run = self.run(run_id)
        if run is None:
            raise NotFound(f"no run {run_id}")
        if run.status is Status.RUNNING:
            raise Conflict(f"{run_id} is still running", code="STILL_RUNNING")
        said = {"feedback": self._map.scalar(feedback), "feedback_at": self._map.scalar(at)}
        head = said | ({"case_id": self._map.scalar(case.case_id)} if case else {})
        writes: list[Write] = [Update(keys.run(run_id), setting(head), present()), self._bad_case_mark(run, feedback)]
        return self._with_case(writes, case)

    def case(self, case_id: str) -> Case | None:
        """By its id."""
        item = self._table.get(keys.case(case_id))
        return self._map.value(Case, item) if item else None

    def case_of(self, diagnosis_id: str) -> Case | None:
        """By the run it came from (in old data: the session), since its id follows from that."""
        return self.case(ids.case_id(diagnosis_id))

    def cases(self, limit: int, cursor: str | None) -> Page[Case]:
        """Newest first."""
        found = self._page(keys.all_cases(), limit, cursor)
        return Page([self._map.value(Case, item) for item in found.items], found.cursor)

    def edit_case(self, case_id: str, patch: CasePatch, by: str, at: datetime) -> Case:
        """Two editors at once: each sees the other's change."""
        return self._table.repeated(lambda: self._edit(case_id, patch, by, at))

    def _edit(self, case_id: str, patch: CasePatch, by: str, at: datetime) -> Case:
        item = self._table.get(keys.case(case_id))
        if item is None:
            raise NotFound(f"no case {case_id}")
        stored, version = self._map.value(Case, item), int(item["version"]["N"])
        case = records.edited(stored, patch, by, at)
        if case is not stored:
            try:
                self._table.put(self._case_item(case, version + 1), attribute("version") == {"N": str(version)})
            except ConditionFailed as e:
                raise Collision(case_id) from e
        return case

    def _with_case(self, writes: list[Write], case: Case | None) -> Case | None:
        """The writes, with the case where it is new. A case that is there stays as it is."""
        if case is None:
            self._table.transact(writes)
            return None
        try:
            self._table.transact([*writes, Put(self._case_item(case, FIRST_VERSION), absent())])
        except Refused:
            there = self.case(case.case_id)
            if there is None:
                raise
            self._table.transact(writes)
            return there
        return case

    def _case_item(self, case: Case, version: int) -> Item:
        attributes = self._map.item(case) | {"version": {"N": str(version)}}
        return keyed(keys.case(case.case_id), attributes, keys.case_index(case.case_id, case.created_at))

    def _bad_case_mark(self, run: Run, feedback: Feedback) -> Put | Delete:
        key = keys.run_part(run.run_id, "BAD")
        return Put(keyed(key, {}, keys.bad_case_index(run))) if feedback is Feedback.NOT_USEFUL else Delete(key)
