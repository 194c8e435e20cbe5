"""Feedback, cases and rows of the old system: what every ledger does."""

import random
from datetime import timedelta

import pytest

from superbiz.domain.cases import Case, CasePatch, case_for
from superbiz.domain.claims import FaultCategory
from superbiz.domain.ids import case_id, run_id_from
from superbiz.domain.legacy import LegacySession
from superbiz.domain.runs import Feedback, Status
from superbiz.errors import Conflict, NotFound
from superbiz.ports import Ledger, RunFilter
from support.builders import NOW, OTHER_RUN_ID, QUERY, RUN_ID, SESSION_ID, build_request, build_run, build_session

LATER = NOW + timedelta(minutes=5)
ANSWER = "The pool ran dry. 连接池耗尽。 " * 50
LEGACY_ID = "old session/№ 1#x"


@pytest.fixture
def ended(ledger: Ledger) -> Ledger:
    """A ledger with one run that ended."""
    ledger.open_run(build_run(), build_request(), build_session())
    ledger.fail_run(RUN_ID, "ended", NOW)
    return ledger


def a_case(diagnosis_id: str = RUN_ID, answer: str = ANSWER, **fields: object) -> Case:
    return case_for(diagnosis_id, QUERY, answer, LATER).model_copy(update=fields)


# REQ-003 REQ-110 REQ-111 REQ-113 REQ-114 REQ-115 REQ-116 REQ-117 REQ-118
def test_useful_makes_a_case_and_leaves_the_status(ended: Ledger) -> None:
    before = ended.run(RUN_ID)
    case = ended.record_feedback(RUN_ID, Feedback.USEFUL, LATER, a_case())
    assert case == a_case()
    assert ended.case(case_id(RUN_ID)) == ended.case_of(RUN_ID) == case
    after = ended.run(RUN_ID)
    assert before is not None
    assert after == before.model_copy(update={"feedback": Feedback.USEFUL, "feedback_at": LATER, "case_id": case_id(RUN_ID)})
    assert (case.diagnosis_id, case.source_type, case.fault_category, case.created_by) == (RUN_ID, "AUTO", FaultCategory.GENERAL, "system")
    assert (case.root_cause, case.solution, case.title) == (ANSWER, ANSWER, QUERY[:100])


# REQ-119 REQ-120
def test_useful_again_keeps_the_one_case(ended: Ledger) -> None:
    for n in range(3):
        case = ended.record_feedback(RUN_ID, Feedback.USEFUL, LATER + timedelta(minutes=n), a_case(answer=f"answer {n}"))
        assert case == a_case(answer="answer 0")
    assert len(ended.cases(10, None).items) == 1


# REQ-003 REQ-105
def test_not_useful_makes_no_case(ended: Ledger) -> None:
    assert ended.record_feedback(RUN_ID, Feedback.NOT_USEFUL, LATER, None) is None
    run = ended.run(RUN_ID)
    assert run is not None
    assert (run.status, run.feedback, run.case_id) == (Status.FAILED, Feedback.NOT_USEFUL, None)
    assert ended.cases(10, None).items == []


def test_a_changed_mind_keeps_the_case_as_it_is(ended: Ledger) -> None:
    ended.record_feedback(RUN_ID, Feedback.USEFUL, LATER, a_case())
    assert ended.record_feedback(RUN_ID, Feedback.NOT_USEFUL, LATER, None) is None
    run = ended.run(RUN_ID)
    assert run is not None
    assert (run.feedback, run.case_id) == (Feedback.NOT_USEFUL, case_id(RUN_ID))
    assert ended.case_of(RUN_ID) == a_case()
    assert ended.record_feedback(RUN_ID, Feedback.USEFUL, LATER, a_case(answer="another")) == a_case()


# REQ-008
def test_a_bad_case_is_found_by_its_feedback_until_the_mind_changes(ended: Ledger) -> None:
    bad = RunFilter(feedback="not_useful")
    ended.record_feedback(RUN_ID, Feedback.NOT_USEFUL, LATER, None)
    assert [r.run_id for r in ended.list_runs(bad, 10, None).items] == [RUN_ID]
    assert [r.run_id for r in ended.list_runs(bad, 10, None, month="2026-07").items] == [RUN_ID]
    assert ended.list_runs(bad, 10, None, month="2026-06").items == []
    ended.record_feedback(RUN_ID, Feedback.USEFUL, LATER, None)
    assert ended.list_runs(bad, 10, None).items == []


# REQ-008
def test_bad_cases_come_in_pages(ledger: Ledger) -> None:
    made = [run_id_from("bad", n) for n in range(5)]
    for n, run_id in enumerate(made):
        ledger.open_run(build_run(run_id=run_id, created_at=NOW + timedelta(days=20 * n)), build_request(), build_session())
        ledger.fail_run(run_id, "ended", NOW)
        ledger.record_feedback(run_id, Feedback.NOT_USEFUL, NOW, None)
    seen, cursor = [], None
    for _ in range(3):
        page = ledger.list_runs(RunFilter(feedback="not_useful"), 2, cursor)
        seen += [r.run_id for r in page.items]
        cursor = page.cursor
    assert (seen, cursor) == ([*reversed(made)], None)


def test_feedback_needs_a_run_that_ended(ledger: Ledger) -> None:
    with pytest.raises(NotFound):
        ledger.record_feedback(RUN_ID, Feedback.USEFUL, NOW, a_case())
    ledger.open_run(build_run(), build_request(), build_session())
    with pytest.raises(Conflict):
        ledger.record_feedback(RUN_ID, Feedback.USEFUL, NOW, a_case())
    assert ledger.run(RUN_ID) == build_run()
    assert ledger.case_of(RUN_ID) is None


# REQ-121 REQ-155
def test_two_useful_runs_of_a_session_make_two_cases(ended: Ledger) -> None:
    ended.open_run(build_run(run_id=OTHER_RUN_ID), build_request(), build_session())
    ended.fail_run(OTHER_RUN_ID, "ended", NOW)
    first = ended.record_feedback(RUN_ID, Feedback.USEFUL, LATER, a_case())
    second = ended.record_feedback(OTHER_RUN_ID, Feedback.USEFUL, LATER, a_case(OTHER_RUN_ID))
    assert first
    assert second
    assert first.case_id != second.case_id
    assert len(ended.cases(10, None).items) == 2


# REQ-116 REQ-117 REQ-156
@pytest.mark.parametrize("answer", ["", "界" * 100_000, random.Random(1).randbytes(60_000).hex()])
def test_a_case_keeps_an_answer_of_any_size(ended: Ledger, answer: str) -> None:
    ended.record_feedback(RUN_ID, Feedback.USEFUL, LATER, a_case(answer=answer))
    case = ended.case_of(RUN_ID)
    assert case is not None
    assert case.root_cause == case.solution == answer


def test_cases_are_listed_newest_first_in_pages(ledger: Ledger) -> None:
    made = []
    for n in range(5):
        run_id = run_id_from("case", n)
        ledger.open_run(build_run(run_id=run_id), build_request(), build_session())
        ledger.fail_run(run_id, "ended", NOW)
        ledger.record_feedback(run_id, Feedback.USEFUL, LATER, a_case(run_id, created_at=NOW + timedelta(seconds=n)))
        made.append(case_id(run_id))
    first = ledger.cases(3, None)
    second = ledger.cases(3, first.cursor)
    assert [c.case_id for c in [*first.items, *second.items]] == [*reversed(made)]
    assert second.cursor is None


# REQ-114
def test_a_case_is_completed_by_hand_and_keeps_who_and_when(ended: Ledger) -> None:
    case = ended.record_feedback(RUN_ID, Feedback.USEFUL, LATER, a_case())
    assert case is not None
    patch = CasePatch(fault_category=FaultCategory.RESOURCE_EXHAUSTION, title=case.title, solution="Raise the pool's size.")
    edited = ended.edit_case(case.case_id, patch, "anna", LATER)
    assert edited == ended.case(case.case_id)
    assert (edited.fault_category, edited.solution, edited.root_cause) == (
        FaultCategory.RESOURCE_EXHAUSTION,
        "Raise the pool's size.",
        ANSWER,
    )
    assert [(e.by, e.at, set(e.fields)) for e in edited.edits] == [("anna", LATER, {"fault_category", "solution"})]
    again = ended.edit_case(case.case_id, CasePatch(title="Pool dry"), "ben", LATER)
    assert [e.by for e in again.edits] == ["anna", "ben"]
    assert [c.title for c in ended.cases(10, None).items] == ["Pool dry"]


def test_an_edit_that_changes_nothing_leaves_no_trace(ended: Ledger) -> None:
    ended.record_feedback(RUN_ID, Feedback.USEFUL, LATER, a_case())
    assert ended.edit_case(case_id(RUN_ID), CasePatch(title=QUERY[:100]), "anna", LATER).edits == ()
    with pytest.raises(NotFound):
        ended.edit_case(case_id(OTHER_RUN_ID), CasePatch(title="x"), "anna", LATER)


# REQ-180
def test_old_rows_are_imported_once_and_read_as_they_were(ledger: Ledger) -> None:
    rows = [
        LegacySession(
            session_id=LEGACY_ID, query="旧问题", answer=ANSWER, self_evaluation={"evidence_score": 65, "factors": [{"delta": 1.50}]}
        ),
        LegacySession(session_id="", status="FAILED"),
        LegacySession(session_id="x" * 5_000, extra={"k": [None]}, created_at=NOW),
    ]
    assert ledger.import_legacy(rows) == 3
    assert ledger.import_legacy([rows[0].model_copy(update={"query": "changed"}), LegacySession(session_id="new")]) == 1
    assert [ledger.legacy(row.session_id) for row in rows] == rows
    assert ledger.legacy("unknown") is None


# REQ-112 REQ-182 REQ-183
def test_feedback_on_an_old_session_makes_a_case_keyed_by_it(ledger: Ledger) -> None:
    ledger.import_legacy([LegacySession(session_id=LEGACY_ID, answer=ANSWER)])
    for _ in range(2):
        case = ledger.record_legacy_feedback(LEGACY_ID, Feedback.USEFUL, LATER, a_case(LEGACY_ID))
        assert case == a_case(LEGACY_ID)
    row = ledger.legacy(LEGACY_ID)
    assert row is not None
    assert (row.feedback, row.feedback_at, row.status) == (Feedback.USEFUL, LATER, "SUCCESS")
    found = ledger.case_of(LEGACY_ID)
    assert found == a_case(LEGACY_ID)
    assert found is not None
    assert found.legacy
    assert ledger.record_legacy_feedback(LEGACY_ID, Feedback.NOT_USEFUL, LATER, None) is None
    assert ledger.case_of(LEGACY_ID) == found


def test_feedback_on_an_old_session_that_is_not_there_writes_nothing(ledger: Ledger) -> None:
    with pytest.raises(NotFound):
        ledger.record_legacy_feedback(LEGACY_ID, Feedback.USEFUL, LATER, a_case(LEGACY_ID))
    assert ledger.legacy(LEGACY_ID) is None
    assert ledger.case_of(LEGACY_ID) is None


# REQ-181
def test_a_run_writes_no_old_row(ended: Ledger) -> None:
    assert ended.legacy(SESSION_ID) is None
    ended.import_legacy([LegacySession(session_id=SESSION_ID, query="old")])
    ended.record_feedback(RUN_ID, Feedback.USEFUL, LATER, a_case())
    assert ended.legacy(SESSION_ID) == LegacySession(session_id=SESSION_ID, query="old")
