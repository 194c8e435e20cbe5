"""A whole run through the real steps, with engines whose words are given."""

import pytest

from superbiz.domain.claims import ClaimType, Conclusion
from superbiz.domain.runs import EngineName, Flow, Status, StepName, StepStatus, Work
from superbiz.domain.verification import CheckResult, ComposerMode, Expressible, Verdict
from superbiz.errors import Conflict, NotFound
from superbiz.flow import RunRef, run_in_process, take
from superbiz.ports import Composition, Execution, Verification
from support.builders import RUN_ID, build_binding, build_check, build_claim, build_output, build_reply, build_run
from support.scripted import LogTool, ScriptedEngine, build_ports, open_run, outputs_of, says


def finished(ports, run_id=RUN_ID):
    run_in_process(run_id, ports)
    return ports.ledger.record(run_id)


def node(record):
    return record.self_evaluation["verifier_evaluation"]


def test_a_run_goes_from_its_question_to_a_verified_answer():
    ports = build_ports()
    open_run(ports)
    record = finished(ports)
    assert record.run.status is Status.SUCCESS
    assert record.run.verdict is Verdict.PASS
    assert record.run.conclusion is Conclusion.ROOT_CAUSE
    assert record.run.first_cause == "order-service"
    assert "order-service could not obtain a database connection at 23:05:28 [1]" in record.answer
    assert record.report["answer"] == record.answer
    assert outputs_of(ports.ledger.steps(RUN_ID)) == ["executor:1", "gatekeeper:1", "verifier:1", "composer:1"]
    assert record.run.work is Work.EVAL
    assert ports.queue.evaluations == [RUN_ID]  # REQ-036: after the answer is readable
    assert ports.notifier.notices[0]["first_cause"]["resource"] == "order-service"


def test_a_rejected_run_still_ends_in_success():  # REQ-001 REQ-083
    contradicted = build_reply(build_check(result=CheckResult.CONTRADICTED, expressible=Expressible.NONE), verdict=Verdict.REJECT)
    ports = build_ports(ScriptedEngine(reply=contradicted))
    open_run(ports)
    record = finished(ports)
    assert (record.run.status, record.run.verdict) == (Status.SUCCESS, Verdict.REJECT)
    assert record.run.conclusion is Conclusion.INCONCLUSIVE
    assert "could not obtain a database connection" not in record.answer
    assert node(record)["composer_output"]["mode"] == ComposerMode.DEGRADED


def test_verifier_and_composer_results_stand_in_one_node():  # REQ-051 REQ-062 REQ-077 REQ-084 REQ-085
    ports = build_ports()
    open_run(ports)
    verifier = node(finished(ports))
    assert verifier["round"] == 1
    assert verifier["traceability_version"] == "v1"
    assert verifier["executor_output_parse_status"]["status"] == "OK"
    assert verifier["executor_structured_output"]["claims"][0]["claim_id"] == "c1"
    assert verifier["gatekeeper_result"]["status"] == "PASS"
    assert [row["tool_name"] for row in verifier["tool_trace_summary"]] == ["query_logs"]
    assert verifier["composer_output"]["used_claim_ids"] == ["c1"]
    assert len(verifier["composer_output"]["summary"]) <= 200


def test_a_fixable_gap_gets_a_second_round_and_no_third():  # REQ-082
    unsupported = build_reply(build_check(result=CheckResult.UNSUPPORTED, expressible=Expressible.NONE), verdict=Verdict.LOW_CONFID)
    engine = ScriptedEngine(reply=unsupported)
    ports = build_ports(engine)
    open_run(ports)
    record = finished(ports)
    assert outputs_of(ports.ledger.steps(RUN_ID)) == [
        "executor:1", "gatekeeper:1", "verifier:1", "executor:2", "gatekeeper:2", "verifier:2", "composer:2",
    ]  # fmt: skip
    assert engine.briefs[1].retry.missing[0].claim_id == "c1"
    assert node(record)["round"] == 2
    assert record.run.verdict is not Verdict.PASS


def test_the_same_call_in_the_second_round_is_not_executed_again():  # REQ-207
    tool = LogTool()
    unsupported = build_reply(build_check(result=CheckResult.UNSUPPORTED, expressible=Expressible.NONE), verdict=Verdict.LOW_CONFID)
    ports = build_ports(ScriptedEngine(reply=unsupported), tools={"query_logs": tool})
    open_run(ports)
    finished(ports)
    assert tool.ran == 1


def test_a_fabricated_citation_never_reaches_the_verifier_as_evidence():  # REQ-063
    def forged(brief, tools):
        call = tools.call("query_logs", {})
        claim = build_claim(evidence=(build_binding(call, evidence_excerpt="disk is full on db-1"),))
        return Execution(raw=build_output(claim, run_id=brief.run.run_id, round=brief.round).model_dump_json())

    engine = ScriptedEngine(forged)
    ports = build_ports(engine)
    open_run(ports)
    record = finished(ports)
    assert all(not dossier.excerpts for dossier in engine.dossiers)
    assert record.run.verdict is Verdict.REJECT
    assert "disk is full" not in record.answer


def test_free_text_is_kept_from_the_verifier_while_the_structure_is_valid():  # REQ-053 REQ-225
    def chatty(brief, tools):
        call = tools.call("query_logs", {})
        output = build_output(
            build_claim(evidence=(build_binding(call),)),
            run_id=brief.run.run_id,
            round=brief.round,
            executor_final_answer="payments-db lost its disk at 22:59",
        )
        return Execution(raw=output.model_dump_json())

    engine = ScriptedEngine(chatty)
    ports = build_ports(engine)
    open_run(ports)
    record = finished(ports)
    assert engine.dossiers[0].fallback_text is None
    assert "payments-db" not in record.answer


def test_broken_executor_output_is_recorded_and_the_run_goes_on():  # REQ-052
    ports = build_ports(ScriptedEngine(lambda _brief, _tools: Execution(raw='{"schema_version": "executor_evidence_v2", ')))
    open_run(ports)
    record = finished(ports)
    assert record.run.status is Status.SUCCESS
    assert record.run.conclusion is Conclusion.INCONCLUSIVE
    assert node(record)["executor_output_parse_status"]["valid"] is False


def test_a_greeting_gets_its_fixed_reply_and_calls_no_tool():
    tool = LogTool()
    ports = build_ports(tools={"query_logs": tool})
    open_run(ports, query="hello")
    record = finished(ports)
    assert record.run.verdict is Verdict.PASS
    assert node(record)["composer_output"]["mode"] == ComposerMode.CONVERSATIONAL
    assert node(record)["critical_fact_count"] == 0
    assert record.answer
    assert tool.ran == 0


def test_a_model_can_not_decide_that_a_question_about_a_system_needs_no_evidence():
    ports = build_ports(ScriptedEngine(says(build_output(claims=(), no_evidence_needed=True, run_id=RUN_ID))))
    open_run(ports)
    record = finished(ports)
    assert record.run.verdict is not Verdict.PASS
    assert record.run.conclusion is Conclusion.INCONCLUSIVE


def test_an_executor_that_gives_up_is_replaced_and_its_claims_are_dropped():
    model = ScriptedEngine(lambda _brief, _tools: Execution(raw="{}", engine=EngineName.MODEL, degraded="the model endpoint is down"))
    offline = ScriptedEngine()
    ports = build_ports(model, offline)
    open_run(ports)
    record = finished(ports)
    assert record.run.degraded == "the model endpoint is down"
    assert record.report["degraded"] == "the model endpoint is down"
    assert (len(offline.briefs), len(offline.dossiers), len(offline.materials)) == (1, 1, 1)
    assert (model.dossiers, model.materials) == ([], [])  # sticky from the failing stage on


def test_with_only_the_verifier_gone_the_verdict_is_at_most_low_confidence():
    model = ScriptedEngine(verification=Verification(reply=None, degraded="answered nonsense twice"))
    ports = build_ports(model, ScriptedEngine())
    open_run(ports)
    record = finished(ports)
    assert record.run.verdict is Verdict.LOW_CONFID
    assert record.run.degraded == "answered nonsense twice"


def test_a_composer_that_gives_up_leaves_the_template():
    model = ScriptedEngine(composition=Composition(body=None, degraded="the model endpoint is down"))
    ports = build_ports(model, ScriptedEngine())
    open_run(ports)
    record = finished(ports)
    assert node(record)["composer_output"]["parse_status"] == "TEMPLATE_FALLBACK"
    assert "## Conclusion" in record.answer
    assert record.run.degraded == "the model endpoint is down"


def test_a_draft_that_says_more_than_its_claims_is_replaced_by_the_template():  # REQ-080
    ports = build_ports(ScriptedEngine(body="# Alert report\n\npayments-db lost 37 connections [1]\n"))
    open_run(ports)
    record = finished(ports)
    assert "payments-db" not in record.answer
    assert node(record)["composer_output"]["violations"]


def test_a_failing_step_fails_the_run_with_its_cause_and_asks_for_evaluation():  # REQ-036
    def explode(_brief, _tools):
        raise RuntimeError("out of luck")

    ports = build_ports(ScriptedEngine(explode))
    open_run(ports)
    with pytest.raises(RuntimeError):
        run_in_process(RUN_ID, ports)
    run = ports.ledger.run(RUN_ID)
    assert run.status is Status.FAILED
    assert run.error == "RuntimeError: out of luck"
    assert ports.queue.evaluations == [RUN_ID]
    assert ports.ledger.steps(RUN_ID)[0].status is StepStatus.FAILED


def test_nothing_after_the_end_can_spoil_a_finished_run(caplog):  # REQ-037
    ports = build_ports()
    ports.queue.failure = Conflict("the queue is gone")
    ports.notifier.failure = Conflict("the topic is gone")
    open_run(ports)
    record = finished(ports)
    assert record.run.status is Status.SUCCESS
    assert record.run.work is Work.EVAL  # the sweeper asks again
    assert "the queue is gone" in caplog.text


def test_an_ended_run_takes_no_step():
    ports = build_ports()
    open_run(ports)
    finished(ports)
    again = take(StepName.COMPOSER, RunRef(run_id=RUN_ID), ports)
    assert again.verdict is Verdict.PASS
    with pytest.raises(Conflict):
        take(StepName.EXECUTOR, RunRef(run_id=RUN_ID, round=2), ports)


def test_an_unknown_run_is_not_found():
    with pytest.raises(NotFound):
        take(StepName.EXECUTOR, RunRef(run_id=RUN_ID), build_ports())


def test_two_runs_of_a_session_do_not_see_each_other():  # REQ-016 REQ-048 REQ-155
    ports = build_ports()
    second = build_run(run_id="run-00000000-0000-4000-8000-000000000009")
    open_run(ports)
    open_run(ports, second)
    first_record, second_record = finished(ports), finished(ports, second.run_id)
    assert {i.run_id for i in ports.ledger.invocations(RUN_ID)} == {RUN_ID}
    assert node(first_record)["executor_structured_output"]["run_id"] == RUN_ID
    assert node(second_record)["executor_structured_output"]["run_id"] == second.run_id


def test_both_flows_pass_through_the_whole_chain():  # REQ-204
    ports = build_ports()
    open_run(ports, build_run(agent_flow=Flow.AI_OPS))
    assert node(finished(ports))["verdict"] == Verdict.PASS


def test_absence_is_told_within_its_query_only():  # REQ-046 REQ-224
    def silent(brief, tools):
        call = tools.call("query_logs", {})
        claim = build_claim(claim_text="There is no connection pool problem", claim_type=ClaimType.ABSENCE, critical=False,
                            evidence=(build_binding(call, raw_path="$.no_evidence", evidence_excerpt=""),))  # fmt: skip
        return Execution(raw=build_output(claim, run_id=brief.run.run_id, round=brief.round).model_dump_json())

    ports = build_ports(ScriptedEngine(silent))
    open_run(ports)
    assert "no connection pool problem" not in finished(ports).answer
