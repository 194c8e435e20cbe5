"""Three viewpoints that never speak for each other: did it run, was the evidence enough, what people said."""

from pathlib import Path

from superbiz.domain.runs import Feedback, Status
from superbiz.domain.verification import CheckResult, Expressible, Verdict
from superbiz.flow import run_in_process
from superbiz.services import evaluating
from support.builders import NOW, RUN_ID, build_check, build_reply, build_run
from support.scripted import ScriptedEngine, build_ports, open_run

PACKAGE = Path(__file__).resolve().parents[3] / "layers/core/superbiz"


def test_feedback_needs_no_evaluation_and_evaluation_needs_no_feedback():  # REQ-006
    ports = build_ports()
    open_run(ports)
    run_in_process(RUN_ID, ports)
    ports.ledger.record_feedback(RUN_ID, Feedback.NOT_USEFUL, NOW, None)
    assert "rule_evaluation" not in ports.ledger.record(RUN_ID).self_evaluation
    other = build_run(run_id="run-00000000-0000-4000-8000-000000000007")
    open_run(ports, other)
    run_in_process(other.run_id, ports)
    evaluating.evaluate(other.run_id, ports)
    record = ports.ledger.record(other.run_id)
    assert record.run.feedback is None
    assert record.self_evaluation["rule_evaluation"]["source"] == "rule"


def test_much_evidence_under_a_wrong_answer_scores_well_and_is_still_rejected():  # REQ-020 REQ-021 REQ-221
    contradicted = build_reply(build_check(result=CheckResult.CONTRADICTED, expressible=Expressible.NONE), verdict=Verdict.REJECT)
    ports = build_ports(ScriptedEngine(reply=contradicted))
    open_run(ports)
    run_in_process(RUN_ID, ports)
    evaluating.evaluate(RUN_ID, ports)
    record = ports.ledger.record(RUN_ID)
    assert record.self_evaluation["rule_evaluation"]["evidence_score"] == 30
    assert record.self_evaluation["verifier_evaluation"]["verdict"] == Verdict.REJECT
    assert record.run.status is Status.SUCCESS


def test_no_step_of_a_run_reads_the_evidence_score():  # REQ-221 REQ-228
    for path in [*(PACKAGE / "flow").rglob("*.py"), *(PACKAGE / "engines").rglob("*.py"), PACKAGE / "domain/verdict.py"]:
        assert "evidence_score" not in path.read_text(encoding="utf-8"), path


def test_every_recorded_call_names_the_step_that_made_it():  # REQ-164 REQ-208
    ports = build_ports()
    open_run(ports)
    run_in_process(RUN_ID, ports)
    steps = {step.step_id for step in ports.ledger.steps(RUN_ID)}
    assert {call.step_id for call in ports.ledger.invocations(RUN_ID)} <= steps


def test_a_session_entry_holds_no_words_of_its_conversation():  # REQ-141 REQ-226
    ports = build_ports()
    open_run(ports)
    run_in_process(RUN_ID, ports)
    record = ports.ledger.record(RUN_ID)
    entry = ports.ledger.session(record.run.session_id).model_dump_json()
    assert record.request.query not in entry
    assert "connection" not in entry


def test_a_run_leaves_the_old_systems_rows_alone():  # REQ-181 REQ-227
    ports = build_ports()
    open_run(ports)
    run_in_process(RUN_ID, ports)
    assert ports.ledger.legacy(record_session(ports)) is None


def record_session(ports) -> str:
    return ports.ledger.run(RUN_ID).session_id
