"""The state machine, read as data, and held to the ordered steps that run in process."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from superbiz import errors
from superbiz.domain.runs import StepName
from superbiz.flow.endings import ENDINGS, Ending
from superbiz.flow.outcome import LAST_ROUND, StepOutcome
from superbiz.flow.running import ROUND
from support.template import Json, definition, resources

STATES: dict[str, Json] = definition()["States"]
STEPS = {name: state for name, state in STATES.items() if state.get("Parameters", {}).get("step") in set(StepName)}
TRANSIENT = {errors.Unavailable, errors.LeaseHeld}


def step(state: str) -> str:
    name: str = STATES[state]["Parameters"]["step"]
    return name


def retried(state: str) -> set[str]:
    return {error for rule in STATES[state]["Retry"] for error in rule["ErrorEquals"]}


def caught(state: str) -> str:
    (rule,) = STATES[state]["Catch"]
    assert rule["ErrorEquals"] == ["States.ALL"]
    following: str = rule["Next"]
    return following


def reached_from(state: str) -> set[str]:
    """Every state that can follow, Catch included."""
    found: set[str] = set()
    waiting = [state]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += following(STATES[name])
    return found


def following(state: Json) -> list[str]:
    choices: list[Any] = state.get("Choices", []) + state.get("Catch", [])
    return [n for n in (state.get("Next"), state.get("Default"), *(c.get("Next") for c in choices)) if n]


# cfn-lint reads a definition inside the native type alone, never inside SAM's.
def test_the_definition_is_valid_states_language(tmp_path: Path) -> None:
    arn = "arn:aws:lambda:us-east-1:111122223333:function:any"
    text = json.loads(json.dumps(definition()).replace("${ExecutorFunctionArn}", arn).replace("${StepsFunctionArn}", arn))
    machine = {
        "Type": "AWS::StepFunctions::StateMachine",
        "Properties": {"RoleArn": "arn:aws:iam::111122223333:role/any", "Definition": text},
    }
    wrapper = tmp_path / "wrapper.json"

    def lint(machine: Json) -> subprocess.CompletedProcess[str]:
        wrapper.write_text(json.dumps({"AWSTemplateFormatVersion": "2010-09-09", "Resources": {"Machine": machine}}))
        command = [str(Path(sys.executable).with_name("cfn-lint")), str(wrapper)]
        return subprocess.run(command, check=False, capture_output=True, text=True)

    linted = lint(machine)
    assert linted.returncode == 0, linted.stdout
    text["States"]["Composer"]["Retry"][0]["MaxAttempts"] = "often"
    assert "E3601" in lint(machine).stdout  # and the linter does look inside


def test_the_states_take_the_steps_in_the_order_of_the_process() -> None:
    order, state = [], "Executor"
    while state in STEPS:
        order.append(step(state))
        state = STATES[state]["Next"] if STATES[state]["Next"] != "Judged" else "Composer"
    assert order == [*ROUND, StepName.COMPOSER]
    assert set(order) == set(StepName)


def test_the_endings_follow_the_composer_in_the_order_of_the_process() -> None:
    first = STATES["Composer"]["Next"]
    assert (step(first), step(STATES[first]["Next"])) == ENDINGS
    assert STATES[STATES[first]["Next"]]["Next"] == "Finished"
    assert step("FailRun") == Ending.FAIL_RUN


# REQ-063: the Gatekeeper comes before the Verifier, and nothing goes round it.
def test_nothing_reaches_the_verifier_but_through_the_gatekeeper() -> None:
    assert [name for name, state in STATES.items() if "Verifier" in following(state)] == ["Gatekeeper"]


# REQ-081, REQ-082, REQ-083: every verdict ends at the Composer; a second round only for a retryable LOW_CONFID, a third never.
def test_verdicts_are_routed_by_the_policy() -> None:
    again, *ends = STATES["Judged"]["Choices"]
    assert again["Next"] == "Executor"
    assert again["And"] == [
        {"Variable": "$.verdict", "StringEquals": "LOW_CONFID"},
        {"Variable": "$.retry", "BooleanEquals": True},
        {"Variable": "$.round", "NumericEquals": LAST_ROUND},
    ]
    assert {(c["StringEquals"], c["Next"]) for c in ends} == {(v, "Composer") for v in ("PASS", "LOW_CONFID", "REJECT")}
    assert STATES[STATES["Judged"]["Default"]]["Next"] == "FailRun"


# REQ-221: no branch reads a score.
def test_no_branch_reads_a_score() -> None:
    assert "score" not in json.dumps(STATES["Judged"])


@pytest.mark.parametrize("name", sorted(STEPS))
def test_every_step_retries_transient_errors_with_jitter_and_ends_in_fail_run(name: str) -> None:
    assert {error.__name__ for error in TRANSIENT} <= retried(name)
    assert {
        "Lambda.ServiceException",
        "Lambda.TooManyRequestsException",
        "Lambda.Unknown",
        "Sandbox.Timedout",
        "States.Timeout",
    } <= retried(name)
    assert all(rule["JitterStrategy"] == "FULL" for rule in STATES[name]["Retry"])
    assert caught(name) == "FailRun"


def test_every_step_has_the_same_retries_and_catch() -> None:
    assert len({json.dumps([state["Retry"], state["Catch"]]) for state in STEPS.values()}) == 1


def test_no_mistake_of_ours_is_tried_again() -> None:
    names = {error.__name__ for error in vars(errors).values() if isinstance(error, type)}
    assert all(retried(name) & names == {error.__name__ for error in TRANSIENT} for name in STEPS)


def test_waiting_for_a_lease_outlasts_the_longest_life_of_an_attempt() -> None:
    (lease,) = [rule for rule in STATES["Executor"]["Retry"] if rule["ErrorEquals"] == ["LeaseHeld"]]
    waited_in_the_step = 30  # a try waits for one lease before it says LeaseHeld
    life = resources("AWS::Lambda::Function")["ExecutorFunction"]["Timeout"]
    assert lease["BackoffRate"] == 1
    assert lease["MaxAttempts"] * (waited_in_the_step + lease["IntervalSeconds"] / 2) > life


# REQ-001, REQ-037: after the Composer there is no way to a failed run.
def test_a_finished_run_can_not_be_turned_into_a_failed_one() -> None:
    after = reached_from(STATES["Composer"]["Next"])
    assert after == {"EnqueueEvaluation", "Notify", "Finished"}
    assert all(STATES[name]["Retry"] for name in after - {"Finished"})


# REQ-036: failed runs are evaluated too.
def test_a_failed_run_is_evaluated_before_the_execution_fails() -> None:
    assert step(STATES["FailRun"]["Next"]) == Ending.ENQUEUE_EVALUATION
    assert STATES[STATES["FailRun"]["Next"]]["Next"] == "Failed"
    assert STATES["Failed"]["Type"] == "Fail"


def test_every_state_can_be_reached() -> None:
    assert reached_from(definition()["StartAt"]) == set(STATES)


def test_every_task_has_a_time_out_and_a_catch() -> None:
    for name, state in STATES.items():
        if state["Type"] == "Task":
            assert state["TimeoutSeconds"], name
            assert state["Catch"], name


def test_the_state_carries_ids_and_control_fields_only() -> None:
    control = {"step", "run_id.$", "round.$", "error.$"}
    for name, state in STATES.items():
        if state["Type"] == "Task":
            assert set(state["Parameters"]) <= control, name
    assert set(StepOutcome.model_fields) == {"run_id", "round", "verdict", "retry"}


def test_the_evidence_step_alone_runs_where_evidence_may_be_read() -> None:
    assert [name for name, state in STATES.items() if state.get("Resource") == "${ExecutorFunctionArn}"] == ["Executor"]
