"""The API of the product on the local stack as its clients meet it: waiting, following, and being told what is wrong."""

import json
import os
import re
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from superbiz_local.stack import LocalStack
from support.local import QUESTION, Json, ask, call, ended, evaluated, eventually
from support.requests import Reply, request

pytestmark = pytest.mark.stack
DONE = "9999.0000"
NO_RUN = "run-00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def finished(product: LocalStack) -> Json:
    return ended(product, ask(product)["runId"])


def post(stack: LocalStack, path: str, body: object) -> Reply:
    return request(stack, "POST", path, json.dumps(body).encode())


def events(reply: Reply) -> list[tuple[str, str, Json]]:
    """(id, event, data) of a stream of server-sent events."""
    blocks = [dict(line.split(": ", 1) for line in block.splitlines()) for block in reply.body.decode().split("\n\n") if block.strip()]
    return [(block["id"], block["event"], json.loads(block["data"])) for block in blocks if "id" in block]


def followed(stack: LocalStack, run_id: str) -> list[tuple[str, str, Json]]:
    """All events, asked for again and again with the last id that was seen, until 204."""
    seen: list[tuple[str, str, Json]] = []
    for _ in range(60):
        reply = request(stack, "GET", f"/api/runs/{run_id}/events", **({"last_event_id": seen[-1][0]} if seen else {}))
        if reply.status == 204:
            return seen
        assert (reply.status, reply.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")
        assert b"retry: 1500" in reply.body
        seen += events(reply)
    raise AssertionError("no end came")


def test_a_question_that_waits_is_answered_with_its_run(product: LocalStack, finished: Json) -> None:
    reply = post(product, "/api/chat?wait=25", {"Question": QUESTION, "Id": "old-client"})
    assert reply.status == 200
    run = reply.json
    assert (run["status"], run["sessionId"], run["verdict"]) == ("SUCCESS", "old-client", finished["verdict"])
    assert run["answer"]


def test_a_question_that_does_not_wait_is_told_where_to_look(product: LocalStack) -> None:
    reply = post(product, "/api/chat", {"question": QUESTION})
    opened = reply.json
    assert (reply.status, opened["status"], reply.headers["location"]) == (202, "RUNNING", f"/api/runs/{opened['runId']}")
    assert {name: call(product, "GET", path).status for name, path in opened["links"].items() if name != "events"} == dict.fromkeys(
        set(opened["links"]) - {"events"}, 200
    )
    ended(product, opened["runId"])


def test_a_run_is_followed_to_its_end_without_a_gap_or_a_repetition(product: LocalStack) -> None:
    run_id = ask(product)["runId"]
    seen = followed(product, run_id)
    ids = [event_id for event_id, _, _ in seen]
    assert ids == sorted(set(ids))
    assert (ids[-1], seen[-1][1], seen[-1][2]["status"]) == (DONE, "done", "SUCCESS")
    trace = call(product, "GET", f"/api/trace/{run_id}").body
    assert [data["invocationId"] for _, kind, data in seen if kind == "invocation"] == [
        i["invocation_id"] for i in trace["toolInvocations"]
    ]
    assert [(d["agentName"], d["status"]) for _, kind, d in seen if kind == "step"] == [
        (step["agent_name"], status) for step in trace["steps"] for status in ("RUNNING", "SUCCESS")
    ]
    assert followed(product, run_id) == seen  # whoever comes late sees the same


def test_a_reader_who_has_seen_the_end_is_told_so(product: LocalStack, finished: Json) -> None:
    path = f"/api/runs/{finished['runId']}/events"
    assert request(product, "GET", path, last_event_id=DONE).status == 204
    assert request(product, "GET", f"{path}?lastEventId={DONE}").status == 204
    assert request(product, "GET", path, last_event_id="rubbish").json["code"] == "BAD_EVENT_ID"


# REQ-100: the session's latest terminal run is meant.
def test_feedback_by_session_alone_goes_to_its_latest_run(product: LocalStack) -> None:
    session = f"session-{uuid.uuid4().hex[:8]}"
    first, second = (ended(product, ask(product, sessionId=session)["runId"])["runId"] for _ in range(2))
    answer = call(product, "POST", "/api/feedback", {"sessionId": session, "feedback": "not_useful"})
    assert (answer.status, answer.body["runId"]) == (200, second)
    assert [call(product, "GET", f"/api/runs/{run}").body["feedback"] for run in (first, second)] == [None, "not_useful"]


# REQ-003, REQ-104: minds change, all at once; the status never.
def test_opinions_at_once_leave_one_of_them_and_at_most_one_case(product: LocalStack) -> None:
    run = ended(product, ask(product)["runId"])
    said = [{"runId": run["runId"], "feedback": feedback} for feedback in ("useful", "not_useful") * 10]
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda body: call(product, "POST", "/api/feedback", body), said))
    assert {answer.status for answer in answers} == {200}
    after = call(product, "GET", f"/api/runs/{run['runId']}").body
    assert (after["status"], after["feedback"] in {"useful", "not_useful"}) == (run["status"], True)
    cases = [case for case in call(product, "GET", "/api/cases?limit=100").body["items"] if case["diagnosisId"] == run["runId"]]
    assert len(cases) == 1


MALFORMED = {
    "cut off": b'{"question": "wh',
    "empty": b"",
    "a list": b"[]",
    "null": b"null",
    "NaN": b'{"question": NaN}',
    "bottomless": b"[" * 50_000,
    "a lone surrogate": rb'{"question": "a\ud800b"}',
    "twice the same key": b'{"question": "a", "question": 1}',
    "no question": b"{}",
    "a blank question": b'{"question": " \\n"}',
    "a long question": json.dumps({"question": "x" * 2_001}).encode(),
    "a question that is a number": b'{"question": 7}',
    "a session with a space": b'{"question": "why?", "sessionId": "a b"}',
    "a long session": json.dumps({"question": "why?", "sessionId": "x" * 65}).encode(),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_body_is_refused(product: LocalStack, name: str) -> None:
    assert_problem(request(product, "POST", "/api/chat", MALFORMED[name]), 400)


@pytest.mark.parametrize(
    ("path", "size"), [("/api/chat", 64 * 1024), ("/api/feedback", 64 * 1024), ("/api/knowledge/documents", 5 * 1024 * 1024)]
)
def test_a_body_that_is_too_large_is_refused_by_its_size(product: LocalStack, path: str, size: int) -> None:
    assert_problem(request(product, "POST", path, b"{" + b" " * size), 413)


@pytest.mark.parametrize(
    "path",
    [
        f"/api/runs/{NO_RUN}",
        f"/api/runs/{NO_RUN}/events",
        f"/api/runs/{NO_RUN}/invocations/inv-1/output",
        f"/api/trace/{NO_RUN}",
        "/api/trace/%E6%97%A7%20row",
        "/api/sessions/nobody",
        "/api/sessions/nobody/runs",
        "/api/cases/none",
        "/api/incidents/none",
        "/api/runs/%00",
        "/api/runs/..%2Fhealth",
        "/",
        "/api",
        "/api/runs/",
        "/no/such/thing",
    ],
)
def test_what_is_not_there_is_not_found(product: LocalStack, path: str) -> None:
    assert_problem(request(product, "GET", path), 404)


def test_what_is_not_there_is_not_written_to(product: LocalStack) -> None:
    assert_problem(post(product, "/api/feedback", {"runId": NO_RUN, "feedback": "useful"}), 404)
    assert_problem(post(product, "/api/feedback", {"sessionId": "nobody", "feedback": "useful"}), 404)
    assert_problem(post(product, "/api/chat/clear", {"sessionId": "nobody"}), 404)
    assert_problem(request(product, "DELETE", "/api/knowledge/documents/none"), 404)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/api/chat", "POST"),
        ("DELETE", "/api/runs", "GET"),
        ("PATCH", f"/api/trace/{NO_RUN}", "GET"),
        ("PUT", "/api/feedback", "POST"),
        ("DELETE", "/api/control", "GET, PUT"),
        ("POST", "/api/cases/none", "GET, PATCH"),
        ("PUT", "/api/knowledge/documents", "GET, POST"),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(product: LocalStack, method: str, path: str, allowed: str) -> None:
    reply = request(product, method, path, b"{}")
    assert_problem(reply, 405)
    assert reply.headers["allow"] == allowed


def assert_problem(reply: Reply, status: int) -> None:
    assert (reply.status, reply.headers["content-type"]) == (status, "application/problem+json"), reply.body
    problem = reply.json
    assert problem["status"] == status
    assert re.fullmatch(r"\S{8,}", problem["requestId"])
    assert problem["detail"]
    assert "Traceback" not in reply.body.decode()


# REQ-130: rows of the old system, loaded by the importer, are read and judged like runs, under ids of any form.
def test_a_row_of_the_old_system_has_a_trace_and_takes_feedback(product: LocalStack, tmp_path: Path) -> None:
    rows, path = tmp_path / "rows.jsonl", "/api/trace/%E6%97%A7%20%E4%BC%9A%E8%AF%9D%2F7"
    rows.write_text(json.dumps({"session_id": (session := "旧 会话/7"), "query": "why?", "answer": "because"}))
    assert [imported(product, rows) for _ in range(2)] == ["1 rows read, 1 new", "1 rows read, 0 new"]
    trace = request(product, "GET", path).json
    assert (trace["sessionId"], trace["legacy"], trace["query"], trace["feedback"]) == (session, True, "why?", None)
    given = [call(product, "POST", "/api/feedback", {"sessionId": session, "feedback": "useful"}) for _ in range(2)]
    assert {answer.status for answer in given} == {200}
    (case_id,) = {answer.body["caseId"] for answer in given}
    assert call(product, "GET", f"/api/cases/{case_id}").body["diagnosisId"] == session
    after = request(product, "GET", path).json
    assert (after["status"], after["feedback"], after["caseId"]) == ("SUCCESS", "useful", case_id)


def imported(stack: LocalStack, rows: Path) -> str:
    """What `superbiz legacy import` said."""
    told = {"AWS_ENDPOINT_URL": stack.url, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
    environment = {**os.environ, **told, "TABLE_NAME": stack.outputs["TableName"], "BUCKET_NAME": stack.outputs["BucketName"]}
    command = [Path(sys.executable).with_name("superbiz"), "legacy", "import", rows]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


# REQ-015: each ended run has its nodes soon, and its record can be read in the meantime.
def test_many_questions_at_once_all_end_and_are_evaluated(product: LocalStack) -> None:
    with ThreadPoolExecutor(6) as pool:
        opened = list(pool.map(lambda _: ask(product)["runId"], range(6)))
    assert len(set(opened)) == 6
    for run_id in opened:
        assert ended(product, run_id)["status"] == "SUCCESS"
        assert evaluated(product, run_id, "rule_evaluation")["hasRuleEvaluation"]


# The run's id stands in each line about a run; nothing fails unseen; no credential is written down.
def test_logs_name_the_run_and_tell_no_secret(product: LocalStack, finished: Json) -> None:
    evaluated(product, finished["runId"], "rule_evaluation")
    for function in ("chat", "executor", "steps", "evaluator", "traces"):
        eventually(
            lambda function=function: [line for line in lines(product, function) if line.get("run_id") == finished["runId"]],
            f"{function} logged nothing of the run",
        )
    everything = [line for function in ("chat", "executor", "steps", "evaluator", "traces") for line in lines(product, function)]
    assert not [line for line in everything if line.get("exception") or line["level"] in {"ERROR", "CRITICAL"}]
    assert not [line for line in everything if "secret" in json.dumps(line).lower() or "authorization" in json.dumps(line).lower()]


def lines(stack: LocalStack, function: str) -> list[Json]:
    """What a function's logger wrote."""
    logs, group = stack.client("logs"), f"/aws/lambda/{stack.stack_name}/{function}"
    streams = logs.describe_log_streams(logGroupName=group)["logStreams"]
    messages = [
        event["message"]
        for stream in streams
        for event in logs.get_log_events(logGroupName=group, logStreamName=stream["logStreamName"], limit=10_000)["events"]
    ]
    assert not [message for message in messages if message.startswith("Traceback")]
    return [line for message in messages if message.startswith("{") if "level" in (line := json.loads(message))]
