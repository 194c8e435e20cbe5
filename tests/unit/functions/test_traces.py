"""Reading back: runs and their lists, the trace with its three views, sessions, outputs, progress, cases, incidents, health."""

import base64
from typing import Any

import pytest

from superbiz.domain import ids
from superbiz.domain.legacy import LegacySession
from superbiz.domain.runs import Feedback, Flow, StepName, Work
from superbiz.ports import Ports
from superbiz.services import evaluating, tracing
from support import alarm_events as events
from support.builders import NOW, OTHER_RUN_ID, QUERY, RUN_ID, SESSION_ID
from support.recorded_runs import ANSWER, CAUSE, call_of, failed_run, finish, finished_run, first_call, open_run, record_step
from support.serving import Functions, clock_of, event, request

OLD = "alice@example.com/第 7 次 100%?#"


def trace(api: Functions, run_id: str = RUN_ID, **more: Any) -> Any:
    return api.call("GET", f"/api/trace/{run_id}", **more).body


# REQ-130
@pytest.mark.parametrize("feedback", [None, Feedback.USEFUL])
@pytest.mark.parametrize("flow", [Flow.CHAT, Flow.AI_OPS])
@pytest.mark.parametrize("evaluated", [False, True])
@pytest.mark.parametrize("ended", ["SUCCESS", "FAILED"])
def test_the_flags_tell_which_nodes_are_there(
    api: Functions, ports: Ports, feedback: Feedback | None, flow: Flow, evaluated: bool, ended: str
) -> None:
    finished_run(ports, agent_flow=flow) if ended == "SUCCESS" else failed_run(ports, agent_flow=flow)
    if evaluated:
        evaluating.evaluate(RUN_ID, ports)
    if feedback:
        ports.ledger.record_feedback(RUN_ID, feedback, NOW, None)
    found = trace(api)
    assert found["hasFeedback"] is (feedback is not None)
    assert found["feedback"] == feedback
    assert found["hasRuleEvaluation"] is evaluated
    assert found["hasVerifierEvaluation"] is (ended == "SUCCESS")
    assert found["hasAiOpsRuleEvaluation"] is (evaluated and flow is Flow.AI_OPS)


# REQ-017, REQ-037: without any node the container is null, all flags are false, and nobody sees an error.
def test_a_run_that_was_never_evaluated_is_shown_all_the_same(api: Functions, ports: Ports) -> None:
    failed_run(ports)
    answer = api.call("GET", f"/api/trace/{RUN_ID}")
    assert answer.status == 200
    assert answer.body["selfEvaluation"] is None
    assert [answer.body["views"]["evidence"][node]["state"] for node in ("rule", "verifier", "aiops")] == [
        "pending",
        "absent",
        "not_applicable",
    ]
    ports.ledger.work_done(RUN_ID, Work.EVAL)
    assert trace(api)["views"]["evidence"]["rule"]["state"] == "absent"


# REQ-131
def test_the_trace_shows_session_steps_and_tool_calls(api: Functions, ports: Ports) -> None:
    run = open_run(ports)
    record_step(ports, call_of(run), call_of(run, seq=2), run=run)
    record_step(ports, run=run, step_index=2, agent_name=StepName.GATEKEEPER)
    finish(ports, run)
    found = trace(api)
    assert found["session"]["sessionId"] == SESSION_ID
    assert [(s["step_index"], s["agent_name"], s["has_tool_call"]) for s in found["steps"]] == [
        (1, "executor", True),
        (2, "gatekeeper", False),
    ]
    assert [(c["step_index"], c["seq"], c["tool_name"]) for c in found["toolInvocations"]] == [(1, 1, "query_logs"), (1, 2, "query_logs")]
    call = found["toolInvocations"][0]
    assert call["step_id"] == ids.step_id(RUN_ID, 1)
    assert call["retrieval_details"]["evidence_refs"][0]["raw_path"] == "$.logs[0]"
    assert not {"lease_until", "result"} & set(found["steps"][0])


# REQ-048, REQ-132
def test_two_runs_of_one_session_do_not_see_each_other(api: Functions, ports: Ports) -> None:
    for run_id in (RUN_ID, OTHER_RUN_ID):
        finished_run(ports, run_id=run_id)
    for run_id in (RUN_ID, OTHER_RUN_ID):
        found = trace(api, run_id)
        assert {item["run_id"] for item in found["steps"] + found["toolInvocations"]} == {run_id}


# REQ-133, REQ-134
def test_the_order_is_the_display_order_whatever_the_order_of_writing(api: Functions, ports: Ports) -> None:
    run = open_run(ports)
    for index in (3, 1, 2):
        record_step(ports, run=run, step_index=index)
    for index, seq in ((3, 1), (1, 2), (2, 1), (1, 1)):
        ports.ledger.record_invocation(call_of(run, step_index=index, seq=seq).invocation, None)
    found = trace(api)
    assert [s["step_index"] for s in found["steps"]] == [1, 2, 3]
    assert [(c["step_index"], c["seq"]) for c in found["toolInvocations"]] == [(1, 1), (1, 2), (2, 1), (3, 1)]


# REQ-135, REQ-200: typed nodes beside the container.
def test_the_nodes_are_typed_and_the_container_is_still_there(api: Functions, ports: Ports) -> None:
    run = open_run(ports, agent_flow=Flow.AI_OPS, trigger=events.eventbridge())
    record_step(ports, call_of(run), run=run)
    finish(ports, run)
    evaluating.evaluate(RUN_ID, ports)
    found = trace(api)
    evidence = found["views"]["evidence"]
    assert (evidence["rule"]["state"], evidence["rule"]["evidenceScore"], evidence["rule"]["source"]) == ("present", 30, "rule")
    assert evidence["rule"]["factors"][0]["name"] == "has_successful_tool_call"
    assert (evidence["verifier"]["verdict"], evidence["verifier"]["groundednessScore"]) == ("PASS", 0.8)
    assert {c["name"] for c in evidence["aiops"]["checks"]} >= {"final_report_present", "payload_alert_focus"}
    assert set(found["selfEvaluation"]) == {"rule_evaluation", "verifier_evaluation", "aiops_rule_evaluation"}


# REQ-007: three views, which may disagree.
def test_the_three_views_are_kept_apart(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    ports.ledger.record_feedback(RUN_ID, Feedback.NOT_USEFUL, NOW, None)
    views = trace(api)["views"]
    assert views["execution"]["status"] == "SUCCESS"
    assert views["evidence"]["verifier"]["verdict"] == "PASS"
    assert views["people"] == {"feedback": "not_useful", "feedbackAt": "2026-07-08T23:10:00Z", "caseId": None}


def test_a_trace_under_way_says_what_is_still_to_come(api: Functions, ports: Ports) -> None:
    open_run(ports, agent_flow=Flow.AI_OPS)
    evidence = trace(api)["views"]["evidence"]
    assert [evidence[node]["state"] for node in ("rule", "verifier", "aiops")] == ["pending"] * 3


def test_a_long_trace_comes_in_pages(api: Functions, ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "PAGE_BYTES", 3_000)
    run = open_run(ports)
    record_step(ports, *(call_of(run, seq=n) for n in range(1, 12)), run=run)
    page = first = trace(api)
    calls, pages = list(page["toolInvocations"]), 1
    while page["cursor"]:
        page = trace(api, query={"cursor": page["cursor"]})
        assert set(page) == {"runId", "steps", "toolInvocations", "cursor"}
        calls += page["toolInvocations"]
        pages += 1
    assert [c["seq"] for c in calls] == list(range(1, 12))
    assert pages > 2
    assert api.call("GET", f"/api/trace/{RUN_ID}", query={"cursor": "rubbish"}).status == 400
    assert api.call("GET", f"/api/trace/{OTHER_RUN_ID}", query={"cursor": first["cursor"]}).status == 400


# REQ-012, REQ-013, REQ-180: rows of the old system, their ids of any form, their flat scores wrapped.
def test_a_legacy_session_is_traced_by_its_id_of_whatever_form(api: Functions, ports: Ports) -> None:
    flat = {"evidence_score": 65, "factors": [{"name": "l0_exact_match", "delta": 35, "description": "d"}], "source": "rule"}
    ports.ledger.import_legacy([LegacySession(session_id=OLD, query="q", answer="a", self_evaluation=flat, created_at=NOW)])
    # The gateway decodes a path's escapes, but leaves %25.
    found = trace(api, OLD.replace("%", "%25"))
    assert (found["legacy"], found["runId"], found["sessionId"], found["query"], found["answer"]) == (True, None, OLD, "q", "a")
    assert found["selfEvaluation"] == {"rule_evaluation": flat}
    assert found["hasRuleEvaluation"]
    assert not found["hasVerifierEvaluation"]
    assert found["views"]["evidence"]["rule"]["evidenceScore"] == 65
    assert found["views"]["evidence"]["verifier"]["state"] == "absent"
    assert (found["steps"], found["toolInvocations"], found["session"]) == ([], [], None)


def test_a_legacy_container_of_odd_forms_is_shown_as_far_as_it_goes(api: Functions, ports: Ports) -> None:
    odd = {"rule_evaluation": {"factors": "many"}, "verifier_evaluation": {"claim_checks": [1, {"claim_id": "c"}], "adjustments": 7}}
    ports.ledger.import_legacy([LegacySession(session_id="odd", self_evaluation=odd)])
    evidence = trace(api, "odd")["views"]["evidence"]
    assert evidence["rule"]["factors"] == []
    assert evidence["verifier"]["claimChecks"] == [{"claimId": "c"}]
    assert evidence["verifier"]["adjustments"] == []


def test_an_unknown_trace_is_not_found(api: Functions) -> None:
    for unknown in (RUN_ID, "nobody", "a/b/c", "%00"):
        assert api.call("GET", f"/api/trace/{unknown}").status == 404


# REQ-152
def test_a_run_is_read_with_answer_report_feedback_and_case(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    case_id = api.call("POST", "/api/feedback", {"runId": RUN_ID, "feedback": "useful"}).body["caseId"]
    found = api.call("GET", f"/api/runs/{RUN_ID}").body
    assert (found["runId"], found["sessionId"], found["query"], found["answer"]) == (RUN_ID, SESSION_ID, QUERY, ANSWER)
    assert (found["feedback"], found["caseId"]) == ("useful", case_id)
    assert found["report"]["root_causes"] == [CAUSE]


def test_a_run_under_way_has_no_answer_yet(api: Functions, ports: Ports) -> None:
    open_run(ports)
    found = api.call("GET", f"/api/runs/{RUN_ID}").body
    assert (found["status"], found["answer"], found["report"], found["finishedAt"]) == ("RUNNING", None, None, None)


def test_runs_are_listed_newest_first_by_pages(api: Functions, ports: Ports) -> None:
    made = [ids.run_id_from(n) for n in range(5)]
    for run_id in made:
        clock_of(ports).advance(1)
        finished_run(ports, run_id=run_id, created_at=ports.clock.now())
    seen: list[str] = []
    cursor: str | None = None
    while True:
        query = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = api.call("GET", "/api/runs", query=query).body
        assert len(page["items"]) <= 2
        seen += [run["runId"] for run in page["items"]]
        cursor = page["cursor"]
        if not cursor:
            break
    assert seen == made[::-1]


def test_runs_are_filtered(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    failed_run(ports, run_id=OTHER_RUN_ID, agent_flow=Flow.AI_OPS, alarm_name=events.NAME)
    ports.ledger.record_feedback(RUN_ID, Feedback.NOT_USEFUL, NOW, None)

    def found(**query: str) -> set[str]:
        return {run["runId"] for run in api.call("GET", "/api/runs", query=query).body["items"]}

    for query, expected in (
        ({"status": "SUCCESS"}, {RUN_ID}),
        ({"status": "FAILED"}, {OTHER_RUN_ID}),
        ({"verdict": "PASS"}, {RUN_ID}),
        ({"verdict": "REJECT"}, set()),
        ({"conclusion": "root_cause"}, {RUN_ID}),
        ({"flow": "AI_OPS"}, {OTHER_RUN_ID}),
        ({"alarm": events.NAME}, {OTHER_RUN_ID}),
        ({"feedback": "not_useful"}, {RUN_ID}),  # REQ-008: the bad cases
        ({"feedback": "not_useful", "status": "FAILED"}, set()),
        ({"month": "2026-07"}, {RUN_ID, OTHER_RUN_ID}),
        ({"month": "2026-06"}, set()),
    ):
        assert found(**query) == expected, query


@pytest.mark.parametrize(
    "query",
    [
        {"status": "success"},
        {"verdict": "MAYBE"},
        {"flow": "chat"},
        {"feedback": "bad"},
        {"limit": "0"},
        {"limit": "101"},
        {"limit": "x"},
        {"month": "2026-13"},
        {"month": "July"},
        {"cursor": "rubbish"},
        {"cursor": "c" * 4_001},
        {"alarm": "a" * 256},
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(api: Functions, query: dict[str, str]) -> None:
    assert api.call("GET", "/api/runs", query=query).status == 400


# REQ-145
def test_a_session_lists_its_runs(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    finished_run(ports, run_id=OTHER_RUN_ID)
    finished_run(ports, run_id=ids.run_id_from("x"), session_id="session-2")
    page = api.call("GET", f"/api/sessions/{SESSION_ID}/runs").body
    assert {run["runId"] for run in page["items"]} == {RUN_ID, OTHER_RUN_ID}
    assert api.call("GET", "/api/sessions/nobody/runs").status == 404


# REQ-140, REQ-141, REQ-144, REQ-146
def test_a_session_is_a_directory_entry_without_bodies(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    found = api.call("GET", f"/api/sessions/{SESSION_ID}")
    assert set(found.body) == {"sessionId", "status", "messagePairCount", "lastActiveAt", "expiresAt", "latestTerminalRun"}
    assert (found.body["status"], found.body["messagePairCount"], found.body["latestTerminalRun"]) == ("ACTIVE", 1, RUN_ID)
    assert QUERY not in found.raw["body"]
    clock_of(ports).advance(8 * 24 * 3_600)
    expired = api.call("GET", f"/api/sessions/{SESSION_ID}").body
    assert (expired["status"], expired["messagePairCount"]) == ("EXPIRED", 0)


@pytest.mark.parametrize("session_id", ["a b", "é", "s" * 65, "a.b", "a%2Fb"])
def test_a_session_id_out_of_form_is_400(api: Functions, session_id: str) -> None:
    assert api.call("GET", f"/api/sessions/{session_id}").status == 400
    assert api.call("GET", f"/api/sessions/{session_id}/runs").status == 400


def test_an_output_comes_whole_or_by_range_as_it_was_stored(api: Functions, ports: Ports) -> None:
    run = finished_run(ports)
    call = first_call(ports, run)
    stored = ports.ledger.output(call)
    assert stored is not None
    path = f"/api/runs/{RUN_ID}/invocations/{call.invocation_id}/output"

    def fetched(**more: Any) -> tuple[int, bytes, Any]:
        answer = api.call("GET", path, **more)
        assert answer.raw["isBase64Encoded"]
        return answer.status, base64.b64decode(answer.body), answer.headers

    status, data, headers = fetched()
    assert (status, data, headers["accept-ranges"]) == (200, stored, "bytes")
    assert call.output is not None
    assert headers["etag"] == f'"{call.output.sha256}"'
    status, data, headers = fetched(headers={"Range": "bytes=2-5"})
    assert (status, data, headers["content-range"]) == (206, stored[2:6], f"bytes 2-5/{len(stored)}")
    assert fetched(query={"from": "2", "to": "6"})[:2] == (206, stored[2:6])
    beyond = api.call("GET", path, headers={"range": "bytes=999999-"})
    assert (beyond.status, beyond.body["code"]) == (416, "RANGE_NOT_SATISFIABLE")
    assert api.call("GET", path, query={"from": "-1"}).status == 400
    assert api.call("GET", f"/api/runs/{RUN_ID}/invocations/nobody/output").status == 404
    assert api.call("GET", f"/api/runs/{OTHER_RUN_ID}/invocations/{call.invocation_id}/output").status == 404


def test_progress_is_a_stream_of_events_and_ends_with_204(api: Functions, ports: Ports) -> None:
    run = open_run(ports)
    record_step(ports, call_of(run), run=run)
    path = f"/api/runs/{RUN_ID}/events"
    answer = api.call("GET", path)
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.body.startswith("retry: 1500\n\n")
    assert '\n\nid: 0001.0001\nevent: invocation\ndata: {"stepIndex": 1, "seq": 1, "invocationId": ' in answer.body
    held = api.call("GET", path, headers={"Last-Event-ID": "0001.9999"})
    assert (held.status, held.body) == (200, "retry: 1500\n\n: nothing new\n\n")
    finish(ports, run)
    done = api.call("GET", path, query={"lastEventId": "0001.9999"}).body
    assert done.startswith('retry: 1500\n\nid: 9999.0000\nevent: done\ndata: {"runId": ')
    over = api.call("GET", path, headers={"last-event-id": "9999.0000"})
    assert (over.status, over.raw["body"]) == (204, "")
    assert api.call("GET", path, headers={"last-event-id": "soon"}).status == 400
    assert api.call("GET", f"/api/runs/{OTHER_RUN_ID}/events").status == 404


def test_cases_are_listed_newest_first_with_their_texts_cut(api: Functions, ports: Ports) -> None:
    for n in range(3):
        clock_of(ports).advance(1)
        run = finished_run(ports, run_id=ids.run_id_from(n), answer=f"{n}" * 1_000)
        api.call("POST", "/api/feedback", {"runId": run.run_id, "feedback": "useful"})
    page = api.call("GET", "/api/cases", query={"limit": "2"}).body
    assert [case["solution"] for case in page["items"]] == ["2" * 300, "1" * 300]
    rest = api.call("GET", "/api/cases", query={"limit": "2", "cursor": page["cursor"]}).body
    assert ([case["solution"][0] for case in rest["items"]], rest["cursor"]) == (["0"], None)


def test_incidents_show_episodes_with_events_and_runs(api: Functions, ports: Ports) -> None:
    api.invoke("alerts", event("alerts"))
    api.invoke("alerts", {"Records": [event("alerts")["Records"][0] | {"messageId": "again"}]})
    listed = api.call("GET", "/api/incidents").body
    (episode,) = listed["items"]
    assert (episode["alarmName"], episode["state"], episode["eventCount"], listed["cursor"]) == (events.NAME, "ALARM", 2, None)
    found = api.call("GET", f"/api/incidents/{episode['incidentId']}").body
    assert found["episodes"][0]["runs"][0]["runId"] == episode["runId"]
    assert {e["outcome"] for e in found["events"]} == {"OPENED", "DEDUPED"}
    assert all(e["reason"] for e in found["events"])
    assert api.call("GET", "/api/incidents/nobody").status == 404


def test_health_tells_what_is_configured(api: Functions) -> None:
    answer = api.call("GET", "/api/health")
    assert (answer.status, answer.body["status"], answer.body["engine"]) == (200, "ok", "offline")
    assert answer.body["parts"]["vectorIndex"] == {"configured": False, "reachable": None, "detail": "exact search over the stored chunks"}


def test_the_example_event_reads_a_trace(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    assert api.ask("traces", event("traces")).body["runId"] == RUN_ID


def test_a_stage_before_the_path_changes_nothing(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    given = request("GET", f"/prod/api/trace/{RUN_ID}")
    given["requestContext"]["stage"] = "prod"
    assert api.ask("traces", given).body["runId"] == RUN_ID
