"""The light checks of an alarm's run."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from superbiz.domain import aiops_rules, composing
from superbiz.domain.claims import Cause, Conclusion
from superbiz.domain.evidence import Invocation
from superbiz.domain.incidents import AlarmMetric, AlarmNotice
from superbiz.domain.report import Citation, Report, ReportClaim
from superbiz.domain.runs import EngineName, Flow, RunRecord, Status
from superbiz.domain.values import JsonObject
from superbiz.domain.verification import CheckResult, ComposerMode, Expressible, Verdict
from superbiz.ports import RecordedCall
from support.builders import (
    build_alarm,
    build_call,
    build_cause,
    build_failed_invocation,
    build_record,
    build_run,
    build_silent_call,
)

ALARM = build_alarm()
NAMES = (
    "final_report_present",
    "payload_alert_focus",
    "no_unrelated_alert_expansion",
    "evidence_tool_called",
    "lookup_knowledge_called",
    "logs_called",
    "metrics_called",
)
LOOKUP = build_silent_call({"hits": []}, category="KNOWLEDGE", tool_name="lookup_knowledge", seq=1)
LOGS = build_call(seq=2)
METRICS = build_call({"series": []}, category="METRIC", tool_name="query_metrics", seq=3)
SERVICES = [{"name": "shop", "calls": ["order-service"]}, {"name": "order-service", "calls": ["payments"]}, {"name": "mail", "calls": []}]
MAP = build_call({"services": SERVICES}, category="METRIC", tool_name="rank_suspects", seq=4)


def listing(*alarms: JsonObject) -> RecordedCall:
    return build_call({"alarms": list(alarms)}, category="ALERT", tool_name="list_alarms", seq=5)


def ringing(name: str, service: str, state: str = "ALARM", **dimensions: str) -> JsonObject:
    return {"name": name, "state": state, "dimensions": {"Service": service} | dimensions}


ALARMS = listing(
    ringing("order-service-errors", "order-service"),
    ringing("order-service-latency", "order-service"),
    ringing("payments-errors", "payments"),
    ringing("mail-queue-depth", "mail"),
    ringing("mail-old", "mail-old", state="OK"),
)
CALLS = (LOOKUP, LOGS, METRICS, MAP, ALARMS)


def report_of(*causes: Cause, text: str = "order-service could not obtain a connection", **fields: Any) -> Report:
    cited = Citation(n=1, invocation_id="inv-1", tool_name="query_logs", raw_path="$.logs[0]", excerpt="Connection is not available")
    claim = ReportClaim(
        claim_id="c1",
        claim_text=text,
        claim_type="cause",
        critical=True,
        result=CheckResult.SUPPORTED,
        expressible=Expressible.FULL,
        evidence=(cited,),
    )
    defaults = {
        "run_id": "run-1",
        "status": Status.SUCCESS,
        "engine": EngineName.OFFLINE,
        "verdict": Verdict.PASS,
        "conclusion": Conclusion.ROOT_CAUSE if causes else Conclusion.INCONCLUSIVE,
        "root_causes": causes,
        "claims": (claim,),
        "subjects": (ALARM.alarm_name,),
    }
    return Report(**(defaults | fields))


def record_of(report: Report | None = None, alarm: AlarmNotice | None = ALARM, **fields: Any) -> RunRecord:
    report = report or report_of(build_cause())
    answer = composing.render(report, mode=ComposerMode.FULL, alarm=alarm)
    run = build_run(status=Status.SUCCESS, agent_flow=Flow.AI_OPS)
    return build_record(run, **({"answer": answer, "report": report.to_json()} | fields))


def evaluated(
    record: RunRecord | None = None, calls: Sequence[RecordedCall | Invocation] = CALLS, alarm: AlarmNotice | None = ALARM
) -> JsonObject:
    recorded = [RecordedCall(c, None) if isinstance(c, Invocation) else c for c in calls]
    outputs: Mapping[str, Any] = {c.invocation.invocation_id: c.output for c in recorded if c.output is not None}
    return aiops_rules.evaluate(record or record_of(), [c.invocation for c in recorded], outputs, alarm)


def failed(node: JsonObject) -> list[str]:
    return [check["name"] for check in node["checks"] if check["status"] == "fail"]


def detail(node: JsonObject, name: str) -> str:
    return next(check["detail"] for check in node["checks"] if check["name"] == name)


# REQ-090
# REQ-091
def test_a_sound_report_passes_every_check() -> None:
    node = evaluated()
    assert failed(node) == []
    assert (node["verdict"], node["source"], node["rules_version"]) == ("PASS", "rule", "aiops-1")
    assert tuple(check["name"] for check in node["checks"]) == NAMES
    assert all(set(check) == {"name", "status", "severity", "detail"} and check["detail"] for check in node["checks"])


def test_severities_are_those_of_the_table() -> None:
    assert [check["severity"] for check in evaluated()["checks"]] == ["critical"] * 4 + ["warning"] * 3


# REQ-092
@pytest.mark.parametrize(
    "answer",
    [
        "",
        " \n ",
        None,
        '{"plan": ["query_logs"]}',
        '```json\n[{"step": 1}]\n```',
        "The pool ran dry.",
        "# Alert report\n\n## Conclusion\n\nThe pool ran dry.",
    ],
)
def test_no_final_report_fails(answer: str | None) -> None:
    node = evaluated(record_of(answer=answer))
    assert failed(node)[0] == "final_report_present"
    assert node["verdict"] == "FAIL"


def test_a_plan_is_called_a_plan() -> None:
    node = evaluated(record_of(answer='```json\n[{"step": 1}]\n```'))
    assert detail(node, "final_report_present") == "the answer is a JSON document, not a report"


@pytest.mark.parametrize("mode", [ComposerMode.FULL, ComposerMode.LOW_CONFIDENCE, ComposerMode.DEGRADED])
@pytest.mark.parametrize("causes", [(), (build_cause(),)])
def test_the_template_is_a_final_report_in_every_mode(mode: ComposerMode, causes: tuple[Cause, ...]) -> None:
    report = report_of(*causes)
    assert failed(evaluated(record_of(report, answer=composing.render(report, mode=mode, alarm=ALARM)))) == []


def test_a_failed_run_fails_and_keeps_its_status() -> None:
    record = build_record(build_run(status=Status.FAILED, agent_flow=Flow.AI_OPS))
    node = evaluated(record)
    assert node["verdict"] == "FAIL"
    assert detail(node, "final_report_present") == "the run is FAILED"
    assert record.run.status is Status.FAILED


# REQ-093
def test_a_report_about_another_alarm_is_out_of_focus() -> None:
    report = report_of(build_cause(), subjects=("mail-queue-depth",))
    assert "payload_alert_focus" in failed(evaluated(record_of(report)))
    assert "payload_alert_focus" in failed(evaluated(record_of(report_of(build_cause(), subjects=()))))


def test_a_report_that_never_speaks_of_the_alarm_is_out_of_focus() -> None:
    report = report_of(build_cause(resource="mail"), text="mail has a long queue")
    record = record_of(report, answer=composing.render(report, mode=ComposerMode.FULL))
    assert "payload_alert_focus" in failed(evaluated(record, calls=(LOOKUP, LOGS, METRICS, MAP)))


def test_a_cause_downstream_of_the_alarm_is_in_focus() -> None:
    report = report_of(build_cause(resource="payments"), text="payments answered 500")
    record = record_of(report, answer=composing.render(report, mode=ComposerMode.FULL))
    assert failed(evaluated(record)) == []
    assert failed(evaluated(record, calls=(LOOKUP, LOGS, METRICS))) == ["payload_alert_focus"]


def test_the_conclusion_alone_may_speak_of_the_alarm() -> None:
    assert failed(evaluated(record_of(report_of(claims=())))) == []


# REQ-093
def test_without_an_input_alarm_its_checks_do_not_apply() -> None:
    node = evaluated(record_of(alarm=None), alarm=None)
    assert [c["status"] for c in node["checks"]] == ["pass", "not_applicable", "not_applicable", "pass", "pass", "pass", "pass"]
    assert node["verdict"] == "PASS"


# REQ-095
def test_an_unrelated_alarm_as_a_subject_fails() -> None:
    report = report_of(build_cause(), subjects=(ALARM.alarm_name, "mail-queue-depth"))
    assert failed(evaluated(record_of(report))) == ["no_unrelated_alert_expansion"]


# REQ-095
@pytest.mark.parametrize("resource", ["mail", "mail-queue-depth"])
def test_an_unrelated_alarm_as_the_cause_fails(resource: str) -> None:
    node = evaluated(record_of(report_of(build_cause(), build_cause(resource=resource))))
    assert failed(node) == ["no_unrelated_alert_expansion"]
    assert "mail-queue-depth" in detail(node, "no_unrelated_alert_expansion")


# REQ-095
def test_mention_in_a_list_is_allowed() -> None:
    report = report_of(build_cause(), text="order-service failed while mail-queue-depth was ringing too")
    assert failed(evaluated(record_of(report))) == []


@pytest.mark.parametrize("name", ["order-service-latency", "payments-errors"])
def test_an_alarm_on_the_same_resource_or_along_the_map_is_related(name: str) -> None:
    report = report_of(build_cause(resource="payments"), subjects=(ALARM.alarm_name, name))
    assert failed(evaluated(record_of(report))) == []


def test_an_alarm_of_a_caller_is_related_too() -> None:
    calls = (LOOKUP, LOGS, METRICS, MAP, listing(ringing("shop-errors", "shop")))
    assert failed(evaluated(record_of(report_of(build_cause(resource="shop"))), calls=calls)) == []


def test_an_alarm_that_is_not_ringing_is_no_matter() -> None:
    assert failed(evaluated(record_of(report_of(build_cause(resource="mail-old"))))) == []


def test_a_region_or_a_stage_in_common_relates_nothing() -> None:
    metric = AlarmMetric(dimensions={"Service": "order-service", "Environment": "prod", "Region": "eu-west-1"})
    other = listing(ringing("mail-queue-depth", "mail", Environment="prod", Region="eu-west-1"))
    node = evaluated(record_of(report_of(build_cause(resource="mail"))), (*CALLS[:4], other), build_alarm(metrics=(metric,)))
    assert failed(node) == ["no_unrelated_alert_expansion"]


def test_children_of_a_composite_alarm_are_related_to_it() -> None:
    composite = build_alarm(metrics=(), reason="arn:aws:cloudwatch:eu-west-1:111122223333:alarm:mail-queue-depth transitioned to ALARM")
    assert failed(evaluated(record_of(report_of(build_cause(resource="mail"))), alarm=composite)) == []


def test_listed_dimensions_may_be_pairs_or_rubbish() -> None:
    pairs = {"name": "mail-queue-depth", "state": "ALARM", "dimensions": [{"name": "Queue", "value": "mail"}, 7]}
    rubbish = listing(pairs, {"name": 3, "state": "ALARM"}, {"state": "ALARM"}, {"name": "x", "state": "ALARM", "dimensions": "y"})
    node = evaluated(record_of(report_of(build_cause(resource="mail"))), (*CALLS[:4], rubbish))
    assert failed(node) == ["no_unrelated_alert_expansion"]


# REQ-094
@pytest.mark.parametrize(("without", "check"), [(LOOKUP, "lookup_knowledge_called"), (LOGS, "logs_called"), (METRICS, "metrics_called")])
def test_a_source_that_was_never_asked_is_a_warning(without: RecordedCall, check: str) -> None:
    calls = [c for c in (LOOKUP, LOGS, METRICS, ALARMS) if c is not without]
    node = evaluated(calls=calls)
    assert (failed(node), node["verdict"]) == ([check], "WARN")


def test_a_call_that_failed_was_still_made() -> None:
    calls = (
        build_failed_invocation(category="KNOWLEDGE", tool_name="lookup_knowledge", seq=1),
        build_failed_invocation(seq=2),
        METRICS,
    )
    assert failed(evaluated(calls=calls)) == []


# REQ-094
@pytest.mark.parametrize(
    "calls",
    [
        (),
        (ALARMS,),
        (build_call({"now": "x"}, category="UTILITY", tool_name="current_time"),),
        (build_failed_invocation(), build_failed_invocation(category="METRIC"), build_failed_invocation(category="KNOWLEDGE")),
    ],
)
def test_without_one_successful_evidence_call_the_run_fails(calls: tuple[Any, ...]) -> None:
    node = evaluated(calls=calls)
    assert "evidence_tool_called" in failed(node)
    assert node["verdict"] == "FAIL"


# REQ-096
def test_the_checks_do_not_look_at_the_verifiers_verdict() -> None:
    rejected = report_of(verdict=Verdict.REJECT)
    assert evaluated(record_of(rejected))["verdict"] == "PASS"
    words = {evaluated(calls=calls)["verdict"] for calls in (CALLS, CALLS[1:], ())}
    assert words == {"PASS", "WARN", "FAIL"}
