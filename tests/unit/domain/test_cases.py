"""Cases: what a useful run leaves behind."""

import uuid

import pytest

from superbiz.domain import cases
from superbiz.domain.cases import case_for
from superbiz.domain.claims import FaultCategory
from superbiz.domain.runs import Feedback, Run
from superbiz.domain.verification import Verdict
from support.builders import NOW, RUN_ID, SESSION_ID, build_run


# REQ-110
# REQ-111
# REQ-113
# REQ-114
# REQ-118
def test_a_new_case_has_its_fixed_fields() -> None:
    case = case_for(RUN_ID, "why", "because", NOW)
    assert str(uuid.UUID(case.case_id)) == case.case_id
    assert (case.diagnosis_id, case.source_type, case.created_by) == (RUN_ID, "AUTO", "system")
    assert case.fault_category is FaultCategory.GENERAL
    assert not case.legacy


# REQ-115
@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("a" * 99, "a" * 99),
        ("a" * 100, "a" * 100),
        ("a" * 101, "a" * 100),
        ("故" * 101, "故" * 100),
        ("\U0001f525" * 101, "\U0001f525" * 100),
        ("", ""),
        (None, ""),
    ],
)
def test_a_title_is_the_first_hundred_characters_of_the_query(query: str | None, title: str) -> None:
    assert case_for(RUN_ID, query, "because", NOW).title == title


# REQ-116
# REQ-117
# REQ-156
def test_cause_and_solution_are_the_whole_answer() -> None:
    answer = "# Alert report\r\n" + "说明 \U0001f525\n" * 20_000
    case = case_for(RUN_ID, "why", answer, NOW)
    assert case.root_cause == case.solution == answer


# REQ-119
# REQ-120
# REQ-121
def test_a_run_has_one_case_and_two_runs_have_two() -> None:
    first, again = case_for(RUN_ID, "why", "because", NOW), case_for(RUN_ID, "what", "therefore", NOW)
    other = case_for(RUN_ID.replace("1", "2"), "why", "because", NOW)
    assert first.case_id == again.case_id
    assert first.case_id != other.case_id


# REQ-112
# REQ-182
@pytest.mark.parametrize("diagnosis_id", [SESSION_ID, "run-7", "RUN-00000000-0000-4000-8000-000000000001", RUN_ID + "\n"])
def test_a_case_keyed_by_anything_but_a_run_id_is_legacy(diagnosis_id: str) -> None:
    case = case_for(diagnosis_id, "why", "because", NOW)
    assert case.legacy
    assert case.diagnosis_id == diagnosis_id


# REQ-222
@pytest.mark.parametrize(
    ("run", "offered"),
    [
        (build_run(feedback=Feedback.USEFUL, verdict=Verdict.PASS), True),
        (build_run(feedback=Feedback.USEFUL, verdict=Verdict.LOW_CONFID), False),
        (build_run(feedback=Feedback.NOT_USEFUL, verdict=Verdict.PASS), False),
        (build_run(verdict=Verdict.PASS), False),
        (build_run(feedback=Feedback.USEFUL), False),
    ],
)
def test_a_case_is_offered_while_its_run_is_useful_and_passed(run: Run, offered: bool) -> None:
    assert cases.offered(run) is offered
