"""Feedback goes to the run that is meant, makes at most one case of it, and never touches its status."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from pydantic import ValidationError

from superbiz.domain.legacy import LegacySession
from superbiz.domain.runs import Feedback
from superbiz.errors import Conflict, Invalid, NotFound
from superbiz.ports import Ports
from superbiz.services import feedback
from superbiz.services.feedback import Given, Opinion
from support.builders import NOW, OTHER_RUN_ID, QUERY, RUN_ID, SESSION_ID
from support.recorded_runs import ANSWER, failed_run, finished_run, open_run
from support.serving import memory_ports

OLD = "alice@example.com/第 7 次"


@pytest.fixture
def ports() -> Ports:
    return memory_ports()


def give(ports: Ports, value: str = "useful", run_id: str | None = None, session_id: str | None = None) -> Given:
    return feedback.give(Opinion.model_validate({"feedback": value, "runId": run_id, "sessionId": session_id}), ports)


def head(ports: Ports, run_id: str = RUN_ID) -> object:
    run = ports.ledger.run(run_id)
    assert run is not None
    return run


# REQ-104, REQ-110, REQ-111, REQ-113 to REQ-118
def test_useful_makes_the_runs_case(ports: Ports) -> None:
    finished_run(ports)
    given = give(ports, run_id=RUN_ID)
    case = ports.ledger.case(given.case_id or "")
    assert case is not None
    assert str(UUID(case.case_id)) == case.case_id
    assert (case.diagnosis_id, case.title, case.root_cause, case.solution) == (RUN_ID, QUERY[:100], ANSWER, ANSWER)
    assert (case.source_type, case.fault_category, case.created_by, case.legacy) == ("AUTO", "GENERAL", "system", False)


# REQ-119, REQ-120
def test_useful_again_is_the_same_case(ports: Ports) -> None:
    finished_run(ports)
    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(lambda _: give(ports, run_id=RUN_ID).case_id, range(20)))
    assert len(ids) == 1
    assert len(ports.ledger.cases(10, None).items) == 1


# REQ-003, REQ-105, REQ-220
def test_not_useful_stores_the_opinion_alone(ports: Ports) -> None:
    finished_run(ports)
    before = head(ports)
    assert give(ports, "not_useful", RUN_ID).case_id is None
    after = head(ports)
    assert after == before.model_copy(update={"feedback": Feedback.NOT_USEFUL, "feedback_at": NOW})  # type: ignore[attr-defined]
    assert ports.ledger.cases(10, None).items == []


def test_a_change_of_mind_keeps_the_case_and_names_none(ports: Ports) -> None:
    finished_run(ports)
    made = give(ports, run_id=RUN_ID).case_id
    assert give(ports, "not_useful", RUN_ID).case_id is None
    assert give(ports, "useful", RUN_ID).case_id == made


# REQ-121, REQ-155
def test_two_useful_runs_of_one_session_are_two_cases(ports: Ports) -> None:
    finished_run(ports)
    finished_run(ports, run_id=OTHER_RUN_ID)
    assert give(ports, run_id=RUN_ID).case_id != give(ports, run_id=OTHER_RUN_ID).case_id


# REQ-102
def test_a_run_id_touches_that_run_only(ports: Ports) -> None:
    finished_run(ports)
    finished_run(ports, run_id=OTHER_RUN_ID)
    other = head(ports, OTHER_RUN_ID)
    give(ports, run_id=RUN_ID)
    assert head(ports, OTHER_RUN_ID) == other


# REQ-101, REQ-183
def test_a_session_alone_means_its_latest_terminal_run(ports: Ports) -> None:
    finished_run(ports)
    finished_run(ports, run_id=OTHER_RUN_ID)
    open_run(ports, run_id="run-00000000-0000-4000-8000-000000000003")
    assert give(ports, session_id=SESSION_ID).run_id == OTHER_RUN_ID


def test_both_ids_must_belong_together(ports: Ports) -> None:
    finished_run(ports)
    assert give(ports, run_id=RUN_ID, session_id=SESSION_ID).run_id == RUN_ID
    with pytest.raises(Invalid):
        give(ports, run_id=RUN_ID, session_id="session-2")
    with pytest.raises(Invalid):
        give(ports)
    with pytest.raises(Invalid):
        give(ports, run_id="", session_id="")


def test_unknown_ids_are_not_found(ports: Ports) -> None:
    with pytest.raises(NotFound):
        give(ports, run_id=RUN_ID)
    with pytest.raises(NotFound):
        give(ports, session_id="nobody")


def test_a_run_under_way_can_not_be_judged_yet(ports: Ports) -> None:
    open_run(ports)
    for ids in ({"run_id": RUN_ID}, {"session_id": SESSION_ID}):
        with pytest.raises(Conflict):
            give(ports, **ids)  # type: ignore[arg-type]


def test_a_useful_run_without_an_answer_makes_no_case(ports: Ports) -> None:
    failed_run(ports)
    assert give(ports, run_id=RUN_ID).case_id is None
    assert head(ports).feedback is Feedback.USEFUL  # type: ignore[attr-defined]


# REQ-112, REQ-180, REQ-182: a session of the old system is meant itself, whatever form its id has.
def test_a_legacy_session_gets_the_opinion_and_a_case_of_its_own(ports: Ports) -> None:
    ports.ledger.import_legacy([LegacySession(session_id=OLD, query="q" * 150, answer="pool ran dry")])
    given = give(ports, session_id=OLD)
    assert given.run_id is None
    case = ports.ledger.case_of(OLD)
    assert case is not None
    assert (case.case_id, case.diagnosis_id, case.legacy, case.title) == (given.case_id, OLD, True, "q" * 100)
    assert give(ports, "not_useful", session_id=OLD).case_id is None
    row = ports.ledger.legacy(OLD)
    assert row is not None
    assert (row.feedback, row.status) == (Feedback.NOT_USEFUL, "SUCCESS")


def test_a_session_that_lives_on_in_the_new_system_means_its_new_run(ports: Ports) -> None:
    ports.ledger.import_legacy([LegacySession(session_id=SESSION_ID, answer="old")])
    finished_run(ports)
    assert give(ports, session_id=SESSION_ID).run_id == RUN_ID


# REQ-106
@pytest.mark.parametrize("value", [None, "", "USEFUL", "Useful", " useful", 1, True, ["useful"], {"a": 1}])
def test_any_other_value_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        Opinion.model_validate({"runId": RUN_ID, "feedback": value})
    with pytest.raises(ValidationError):
        Opinion.model_validate({"runId": RUN_ID})
