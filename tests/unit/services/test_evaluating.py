"""Every run that has ended is evaluated by rules, and nothing that goes wrong there touches the run."""

import pytest

from superbiz.domain.evidence import ToolCategory
from superbiz.domain.runs import Flow, Status, Work
from superbiz.errors import Broken
from superbiz.ports import Ports, RecordedCall
from superbiz.services import evaluating
from support import alarm_events as events
from support.builders import RUN_ID, build_failed_invocation
from support.recorded_runs import call_of, failed_run, finish, finished_run, open_run, record_step
from support.serving import memory_ports


@pytest.fixture
def ports() -> Ports:
    return memory_ports()


def stored(ports: Ports) -> dict[str, object]:
    record = ports.ledger.record(RUN_ID)
    assert record is not None
    return record.self_evaluation or {}


# REQ-015: a CHAT run carries the rule and the verifier node.
def test_a_chat_run_gets_the_rule_node_beside_the_verifiers(ports: Ports) -> None:
    finished_run(ports)
    nodes = evaluating.evaluate(RUN_ID, ports)
    assert nodes is not None
    assert nodes["rule"]["evidence_score"] == 30
    assert set(stored(ports)) == {"rule_evaluation", "verifier_evaluation"}
    run = ports.ledger.run(RUN_ID)
    assert run is not None
    assert run.work is None


# REQ-015, REQ-090: an AI_OPS run carries all three.
def test_an_alarms_run_gets_the_aiops_node_too(ports: Ports) -> None:
    run = open_run(ports, agent_flow=Flow.AI_OPS, alarm_name=events.NAME, trigger=events.eventbridge())
    listing = {"alarms": [{"name": events.NAME, "state": "ALARM"}], "history": [], "complete": True}
    calls = (call_of(run), call_of(run, listing, seq=2, tool_name="list_alarms", category=ToolCategory.ALERT))
    record_step(ports, *calls, run=run)
    finish(ports, run)
    evaluating.evaluate(RUN_ID, ports)
    assert set(stored(ports)) == {"rule_evaluation", "verifier_evaluation", "aiops_rule_evaluation"}
    checks = {c["name"]: c["status"] for c in stored(ports)["aiops_rule_evaluation"]["checks"]}  # type: ignore[index]
    assert checks["evidence_tool_called"] == "pass"
    assert checks["payload_alert_focus"] != "not_applicable"


# REQ-023, REQ-036: a failed run is evaluated, with 0.
def test_a_failed_run_is_evaluated_too(ports: Ports) -> None:
    failed_run(ports)
    evaluating.evaluate(RUN_ID, ports)
    assert stored(ports) == {"rule_evaluation": stored(ports)["rule_evaluation"]}
    assert stored(ports)["rule_evaluation"]["evidence_score"] == 0  # type: ignore[index]


def test_failed_calls_are_read_without_an_output(ports: Ports) -> None:
    run = open_run(ports, agent_flow=Flow.AI_OPS, trigger=events.eventbridge())
    record_step(ports, RecordedCall(build_failed_invocation(), None), run=run)
    finish(ports, run)
    nodes = evaluating.evaluate(RUN_ID, ports)
    assert nodes is not None
    assert nodes["rule"]["evidence_score"] == 0


def test_evaluating_again_writes_the_same(ports: Ports) -> None:
    finished_run(ports)
    first = (evaluating.evaluate(RUN_ID, ports), stored(ports))
    assert (evaluating.evaluate(RUN_ID, ports), stored(ports)) == first


def test_there_is_nothing_to_evaluate_before_the_end(ports: Ports) -> None:
    open_run(ports)
    assert evaluating.evaluate(RUN_ID, ports) is None
    assert evaluating.evaluate("run-of-nobody", ports) is None
    assert stored(ports) == {}


# REQ-037: status and answer are not touched, whatever becomes of the evaluation.
def test_an_evaluation_that_fails_leaves_the_run_as_it_is(ports: Ports) -> None:
    finished_run(ports)
    before = ports.ledger.record(RUN_ID)

    def broken(*_args: object) -> None:
        raise Broken("no space")

    ports.ledger.put_evaluations = broken  # type: ignore[method-assign]
    with pytest.raises(Broken):
        evaluating.evaluate(RUN_ID, ports)
    assert ports.ledger.record(RUN_ID) == before
    assert before is not None
    assert (before.run.status, before.run.work) == (Status.SUCCESS, Work.EVAL)
