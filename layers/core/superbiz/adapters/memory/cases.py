"""Cases and feedback in memory."""

from datetime import datetime

from superbiz.adapters.listing import key_time
from superbiz.adapters.memory.store import Group, locked, page
from superbiz.domain import ids, records
from superbiz.domain.cases import Case, CasePatch
from superbiz.domain.runs import Feedback, Status
from superbiz.errors import Conflict, NotFound
from superbiz.ports import Page


class MemoryCases(Group):
    """`ports.CaseLedger`."""

    @locked
    def record_feedback(self, run_id: str, feedback: Feedback, at: datetime, case: Case | None) -> Case | None:
        """The head's feedback, and the run's one case."""
        run = self._store.runs.get(run_id)
        if run is None:
            raise NotFound(f"no run {run_id}")
        if run.status is Status.RUNNING:
            raise Conflict(f"{run_id} is still running", code="STILL_RUNNING")
        kept = self._store.cases.setdefault(case.case_id, case) if case else None
        changes = {"feedback": feedback, "feedback_at": at} | ({"case_id": kept.case_id} if kept else {})
        self._store.runs[run_id] = run.model_copy(update=changes)
        return kept

    @locked
    def case(self, case_id: str) -> Case | None:
        """By its id."""
        return self._store.cases.get(case_id)

    @locked
    def case_of(self, diagnosis_id: str) -> Case | None:
        """By the run it came from (in old data: the session)."""
        return self._store.cases.get(ids.case_id(diagnosis_id))

    @locked
    def cases(self, limit: int, cursor: str | None) -> Page[Case]:
        """Newest first."""
        return page([((key_time(c.created_at), c.case_id), c) for c in self._store.cases.values()], "cases", limit, cursor)

    @locked
    def edit_case(self, case_id: str, patch: CasePatch, by: str, at: datetime) -> Case:
        """Keeps who and when."""
        case = self._store.cases.get(case_id)
        if case is None:
            raise NotFound(f"no case {case_id}")
        self._store.cases[case_id] = records.edited(case, patch, by, at)
        return self._store.cases[case_id]
