"""Cases and feedback."""

from typing_extensions import TypedDict

from superbiz.domain.cases import Case
from superbiz.domain.values import iso
from superbiz.ports import Page
from superbiz.services.feedback import Given

PREVIEW_CHARS = 300
RECORDED = {"zh": "反馈已记录", "en": "Feedback recorded"}


class EditView(TypedDict):
    """Who changed what, and when."""

    by: str
    at: str
    fields: list[str]


class CaseView(TypedDict):
    """`runId` is null where an old case came from a session (`legacy`); in lists the two texts are cut."""

    caseId: str
    diagnosisId: str
    runId: str | None
    legacy: bool
    sourceType: str
    faultCategory: str
    title: str
    rootCause: str
    solution: str
    createdBy: str
    createdAt: str
    edits: list[EditView]


class CasePage(TypedDict):
    """Newest first."""

    items: list[CaseView]
    cursor: str | None


class FeedbackView(TypedDict):
    """The answer to feedback, in no envelope. `caseId` is the case of a useful run; `runId` the run that was meant."""

    success: bool
    message: str
    caseId: str | None
    runId: str | None


def feedback_view(given: Given, accept_language: str | None) -> FeedbackView:
    """In Chinese, unless English is preferred."""
    language = "en" if prefers_english(accept_language) else "zh"
    return {"success": True, "message": RECORDED[language], "caseId": given.case_id, "runId": given.run_id}


def case_page(page: Page[Case]) -> CasePage:
    """A page of cases with their texts cut."""
    return {"items": [_cut(case_view(case)) for case in page.items], "cursor": page.cursor}


def case_view(case: Case) -> CaseView:
    """The whole case."""
    return {
        "caseId": case.case_id,
        "diagnosisId": case.diagnosis_id,
        "runId": None if case.legacy else case.diagnosis_id,
        "legacy": case.legacy,
        "sourceType": case.source_type,
        "faultCategory": case.fault_category,
        "title": case.title,
        "rootCause": case.root_cause,
        "solution": case.solution,
        "createdBy": case.created_by,
        "createdAt": iso(case.created_at),
        "edits": [{"by": e.by, "at": iso(e.at), "fields": list(e.fields)} for e in case.edits],
    }


def prefers_english(accept_language: str | None) -> bool:
    """Whether English is wanted more than Chinese. Nothing said, or nothing readable: it is not."""
    wanted = {"en": 0.0, "zh": 0.0}
    for part in (accept_language or "").split(","):
        tag, _, parameter = part.strip().partition(";")
        language = tag.strip().lower().split("-")[0]
        if language in wanted:
            wanted[language] = max(wanted[language], _quality(parameter))
    return wanted["en"] > wanted["zh"]


def _quality(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return min(1.0, max(0.0, float(value)))
    except ValueError:
        return 0.0


def _cut(view: CaseView) -> CaseView:
    return {**view, "rootCause": view["rootCause"][:PREVIEW_CHARS], "solution": view["solution"][:PREVIEW_CHARS]}
