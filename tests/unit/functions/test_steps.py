"""The state machine's functions: each state by its name, over the real flow."""

import json
from dataclasses import replace
from typing import Any

import pytest

from superbiz.domain.runs import Status
from superbiz.errors import Broken, Conflict, NotFound
from superbiz.flow import Ending
from superbiz.ports import Ports
from support.builders import RUN_ID
from support.recorded_runs import open_run
from support.scripted import ScriptedEngine, build_ports
from support.serving import Functions, event, memory_ports, notifier_of, queue_of


@pytest.fixture
def ports() -> Ports:
    made = build_ports(ScriptedEngine())
    open_run(made)
    return made


def status(ports: Ports) -> Status:
    run = ports.ledger.run(RUN_ID)
    assert run is not None
    return run.status


def state(name: str, **more: Any) -> dict[str, Any]:
    return {"step": name, "run_id": RUN_ID, "round": 1} | more


def test_the_states_one_after_another_make_a_finished_run(api: Functions, ports: Ports) -> None:
    said = api.invoke("executor", event("executor"))
    assert json.loads(json.dumps(said))["run_id"] == RUN_ID
    api.invoke("steps", event("steps"))
    verified = api.invoke("steps", state("verifier"))
    assert (verified["verdict"], verified["retry"]) == ("PASS", False)
    api.invoke("steps", state("composer"))
    assert status(ports) is Status.SUCCESS
    api.invoke("steps", state("enqueue_evaluation"))
    assert queue_of(ports).evaluations == [RUN_ID]
    api.invoke("steps", state("notify"))
    assert notifier_of(ports).notices[0]["verdict"] == "PASS"


def test_a_state_that_is_tried_again_returns_its_first_result(api: Functions) -> None:
    assert api.invoke("executor", event("executor")) == api.invoke("executor", event("executor"))


def test_a_failed_state_fails_the_run_with_error_and_cause_and_never_a_finished_one(api: Functions, ports: Ports) -> None:
    error = {"Error": "States.Timeout", "Cause": "too long"}
    api.invoke("steps", state("fail_run", error=error))
    run = ports.ledger.run(RUN_ID)
    assert run is not None
    assert (run.status, run.error) == (Status.FAILED, "States.Timeout: too long")
    api.invoke("steps", state("fail_run", error={"Error": "Later"}))
    again = ports.ledger.run(RUN_ID)
    assert again is not None
    assert again.error == "States.Timeout: too long"


@pytest.mark.parametrize("error", [None, {}, {"Error": None}])
def test_a_failure_without_a_cause_fails_the_run_too(api: Functions, ports: Ports, error: Any) -> None:
    api.invoke("steps", state("fail_run", error=error))
    assert status(ports) is Status.FAILED


def test_a_step_of_an_ended_run_is_refused_by_name(api: Functions, ports: Ports) -> None:
    api.invoke("steps", state("fail_run"))
    with pytest.raises(Conflict):
        api.invoke("executor", event("executor"))


def test_an_unknown_run_and_an_unknown_state_are_refused(api: Functions) -> None:
    with pytest.raises(NotFound):
        api.invoke("executor", {"run_id": "run-of-nobody"})
    for name in ("executor", "nothing", ""):
        with pytest.raises(Broken):
            api.invoke("steps", state(name))


def test_every_ending_is_known(api: Functions, ports: Ports) -> None:
    api.ports = replace(memory_ports(), ledger=ports.ledger)
    for ending in Ending:
        assert api.invoke("steps", state(ending))["run_id"] == RUN_ID


def test_an_open_run_stays_open_until_its_composer(api: Functions, ports: Ports) -> None:
    api.invoke("executor", event("executor"))
    assert status(ports) is Status.RUNNING
    assert open_run(ports).run_id == RUN_ID
