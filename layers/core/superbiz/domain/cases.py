"""Cases: what a useful run leaves for the next time."""

from superbiz.domain import ids
from superbiz.domain.claims import FaultCategory
from superbiz.domain.runs import Feedback, Run
from superbiz.domain.values import UtcTime, Value
from superbiz.domain.verification import Verdict

TITLE_CHARS = 100


class CaseEdit(Value):
    """Who changed which fields of a case by hand, and when."""

    by: str
    at: UtcTime
    fields: tuple[str, ...]


class Case(Value):
    """`diagnosis_id` is the run's id for new data and may be a session's id in old data (`legacy`)."""

    case_id: str
    diagnosis_id: str
    source_type: str = "AUTO"
    fault_category: FaultCategory = FaultCategory.GENERAL
    title: str
    root_cause: str
    solution: str
    created_by: str = "system"
    created_at: UtcTime
    edits: tuple[CaseEdit, ...] = ()

    @property
    def legacy(self) -> bool:
        return not ids.RUN_ID.match(self.diagnosis_id)


class CasePatch(Value):
    """The fields that a person may complete; None leaves a field as it is."""

    fault_category: FaultCategory | None = None
    title: str | None = None
    root_cause: str | None = None
    solution: str | None = None


def case_for(diagnosis_id: str, query: str | None, answer: str, at: UtcTime) -> Case:
    """The case of a useful run. The title is the first 100 characters (Unicode code points) of the query; none gives an empty title."""
    return Case(case_id=ids.case_id(diagnosis_id), diagnosis_id=diagnosis_id, title=(query or "")[:TITLE_CHARS],
                root_cause=answer, solution=answer, created_at=at)  # fmt: skip


def offered(run: Run) -> bool:
    """Whether the case of this run may be offered to a later one. Decided when it is looked up, since feedback may change."""
    return run.feedback is Feedback.USEFUL and run.verdict is Verdict.PASS
