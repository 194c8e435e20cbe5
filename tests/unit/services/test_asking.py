"""A question opens a run: written first, started then, never lost in between."""

import pytest
from pydantic import ValidationError

from superbiz.domain import ids
from superbiz.domain.runs import EngineName, Flow, Run, Status, Work
from superbiz.errors import Broken, NotFound, Unavailable
from superbiz.ports import Ports
from superbiz.services import asking
from superbiz.services.asking import Question
from support.serving import clock_of, machine_of, memory_ports


@pytest.fixture
def ports() -> Ports:
    return memory_ports()


def ask(ports: Ports, **fields: str) -> Run:
    return asking.ask(Question.model_validate({"question": "Why is it slow?"} | fields), ports)


# REQ-151, REQ-153
def test_a_question_opens_a_chat_run_that_is_owed_an_end(ports: Ports) -> None:
    run = ask(ports)
    assert ids.RUN_ID.match(run.run_id)
    assert (run.agent_flow, run.status, run.work) == (Flow.CHAT, Status.RUNNING, Work.OPEN)
    record = ports.ledger.record(run.run_id)
    assert record is not None
    assert record.request.query == "Why is it slow?"
    assert machine_of(ports).describe(run.run_id) is not None


# REQ-154
def test_questions_in_one_session_are_several_runs_of_one_session(ports: Ports) -> None:
    runs = {ask(ports, sessionId="s-1").run_id for _ in range(3)}
    assert {r.run_id for r in ports.ledger.session_runs("s-1", 10, None).items} == runs
    assert len(runs) == 3


def test_the_run_is_written_before_it_is_started(ports: Ports) -> None:
    machine_of(ports).failure = Broken("no such machine")
    with pytest.raises(Broken):
        ask(ports, sessionId="s-1")
    (run,) = ports.ledger.session_runs("s-1", 10, None).items
    assert run.work is Work.OPEN


def test_a_machine_that_does_not_answer_leaves_the_start_to_the_sweeper(ports: Ports) -> None:
    machine_of(ports).failure = Unavailable("throttled")
    run = ask(ports)
    assert run.status is Status.RUNNING
    clock_of(ports).advance(61)
    assert list(ports.ledger.waiting(Work.OPEN, clock_of(ports).now())) == [run.run_id]


def test_the_engine_is_the_deployments() -> None:
    assert ask(memory_ports(engine=EngineName.MODEL)).engine is EngineName.MODEL


@pytest.mark.parametrize("body", [{"Question": "q", "Id": "s"}, {"question": "q", "id": "s"}, {"question": "q", "sessionId": "s"}])
def test_old_spellings_are_understood(body: dict[str, str]) -> None:
    assert Question.model_validate(body) == Question.model_validate({"question": "q", "sessionId": "s"})


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": None},
        {"question": ""},
        {"question": " \n\t"},
        {"question": 7},
        {"question": ["q"]},
        {"question": "x" * 2_001},
        {"question": "q", "sessionId": ""},
        {"question": "q", "sessionId": "a b"},
        {"question": "q", "sessionId": "s" * 65},
        {"question": "q", "sessionId": "s\n"},
        {"question": "q", "sessionId": "é"},
        {"question": "q", "sessionId": "٣"},
        {"question": "q", "sessionId": 7},
    ],
)
def test_a_question_out_of_its_bounds_is_refused(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Question.model_validate(body)


def test_the_bounds_themselves_are_allowed() -> None:
    assert Question.model_validate({"question": "界" * 2_000, "sessionId": "aZ09_-" + "s" * 58})
    assert Question.model_validate({"question": "q", "sessionId": None}).session_id is None


def test_waiting_ends_with_the_run_or_with_the_patience(ports: Ports) -> None:
    run = ask(ports)
    assert asking.wait_for_end(run.run_id, 3, ports).status is Status.RUNNING
    assert 3 <= clock_of(ports).slept <= 3.5
    ports.ledger.fail_run(run.run_id, "cause", ports.clock.now())
    before = clock_of(ports).slept
    assert asking.wait_for_end(run.run_id, 25, ports).status is Status.FAILED
    assert clock_of(ports).slept == before
    with pytest.raises(NotFound):
        asking.wait_for_end("run-none", 1, ports)
