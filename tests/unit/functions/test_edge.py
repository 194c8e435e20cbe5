"""What every route of the API shares: problems, sizes, bodies, 404 and 405, and who is told what."""

import base64
import importlib
import json
import sys
from typing import Any

import pytest

from superbiz.edge import routes
from superbiz.errors import Broken, Unavailable
from superbiz.ports import Ports
from support.builders import RUN_ID
from support.recorded_runs import finished_run
from support.serving import CONTEXT, Functions, request

PROBLEM = "application/problem+json"
REQUEST_ID = "JKJaXmPLvHcESHA="


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"question": "q" "r"}', "line 1 column 18 (char 17)"),
        ("", "line 1 column 1"),
        ("question=q", "not JSON"),
        ("[1]", "not a JSON object"),
        ('"q"', "not a JSON object"),
        ('{"question": "a", "question": "b"}', "'question' stands twice"),
        ('{"question": NaN}', "NaN is not JSON"),
        ('{"question": "\\ud800"}', "surrogate"),
        ("[" * 20_000, "nested too deeply"),
    ],
)
def test_a_body_that_is_no_json_object_is_refused_with_the_position(api: Functions, body: str, said: str) -> None:
    answer = api.call("POST", "/api/chat", body)
    assert (answer.status, answer.headers["content-type"]) == (400, PROBLEM)
    assert said in answer.body["detail"]
    assert answer.body["code"] == "INVALID_JSON"


def test_a_field_that_is_wrong_is_named(api: Functions) -> None:
    missing = api.call("POST", "/api/chat", {}).body
    assert missing["detail"] == "question: Field required"
    session = api.call("POST", "/api/chat", {"question": "q", "sessionId": "a b"}).body
    assert session["detail"].startswith("sessionId: ")
    long = api.call("POST", "/api/chat", {"question": "q" * 2_001}).body
    assert "2000" in long["detail"]


def test_a_problem_carries_type_title_status_code_instance_and_request_id(api: Functions) -> None:
    answer = api.call("GET", f"/api/runs/{RUN_ID}")
    assert answer.body == {
        "type": "urn:superbiz:problem:not-found",
        "title": "Not Found",
        "status": 404,
        "detail": f"no run {RUN_ID}",
        "code": "NOT_FOUND",
        "instance": f"/api/runs/{RUN_ID}",
        "requestId": REQUEST_ID,
    }


def test_a_base64_body_is_read_as_what_it_holds(api: Functions) -> None:
    data = base64.b64encode(json.dumps({"question": "q"}).encode()).decode()
    assert api.call("POST", "/api/chat", data, isBase64Encoded=True).status == 202
    for broken in ("%%%", "ÿ", data[:-1]):
        assert api.call("POST", "/api/chat", broken, isBase64Encoded=True).status == 400
    latin = base64.b64encode('{"question": "Grüße"}'.encode("latin-1")).decode()
    assert "UTF-8" in api.call("POST", "/api/chat", latin, isBase64Encoded=True).body["detail"]


@pytest.mark.parametrize("encoded", [False, True])
def test_a_body_over_its_routes_limit_is_413_and_one_at_it_is_read(api: Functions, encoded: bool) -> None:
    def send(size: int) -> Any:
        body = json.dumps({"question": "q", "pad": ""})
        padded = body.replace('""', '"' + "x" * (size - len(body)) + '"')
        text = base64.b64encode(padded.encode()).decode() if encoded else padded
        return api.call("POST", "/api/chat", text, isBase64Encoded=encoded)

    assert send(routes.SMALL_BODY).status == 202
    over = send(routes.SMALL_BODY + 1)
    assert (over.status, over.body["code"]) == (413, "TOO_LARGE")
    wide = json.dumps({"question": "q", "pad": "界" * (routes.SMALL_BODY // 2)}, ensure_ascii=False)
    assert api.call("POST", "/api/chat", wide).status == 413


def test_a_path_that_is_no_route_is_404(api: Functions) -> None:
    for path in ("/", "/api", "/api/nothing", "/api/runs/", "/api/runs/a/b", "/favicon.ico", "/api/chat/../runs", "/%00"):
        answer = api.ask("traces", request("GET", path))
        assert (answer.status, answer.headers["content-type"]) == (404, PROBLEM), path


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/api/chat", "POST"),
        ("DELETE", f"/api/runs/{RUN_ID}", "GET"),
        ("POST", "/api/cases/x", "GET, PATCH"),
        ("DELETE", "/api/control", "GET, PUT"),
        ("PUT", "/api/knowledge/documents", "GET, POST"),
        ("POST", "/api/trace/a/b", "GET"),
        ("OPTIONS", "/api/runs", "GET"),
        ("BREW", "/api/health", "GET"),
    ],
)
def test_a_method_that_a_path_does_not_know_is_405_with_those_it_does(api: Functions, method: str, path: str, allow: str) -> None:
    answer = api.ask("traces", request(method, path))
    assert (answer.status, answer.headers["allow"], answer.body["code"]) == (405, allow, "METHOD_NOT_ALLOWED")


def test_what_passes_is_503_and_says_when_to_come_back(api: Functions, ports: Ports) -> None:
    def refuse(*_args: Any) -> None:
        raise Unavailable("table throttled")

    ports.ledger.record = refuse  # type: ignore[method-assign]
    answer = api.call("GET", f"/api/runs/{RUN_ID}")
    assert (answer.status, answer.headers["retry-after"], answer.body["code"]) == (503, "2", "UNAVAILABLE")


@pytest.mark.parametrize("error", [Broken("secret arn:aws:iam::1:role/x"), KeyError("secret"), ZeroDivisionError("secret")])
def test_what_is_our_fault_is_500_and_tells_nothing_of_our_insides(api: Functions, ports: Ports, error: Exception) -> None:
    def fail(*_args: Any) -> None:
        raise error

    ports.ledger.record = fail  # type: ignore[method-assign]
    answer = api.call("GET", f"/api/runs/{RUN_ID}")
    assert answer.status == 500
    assert "secret" not in answer.raw["body"]
    assert answer.body["requestId"] == REQUEST_ID


def test_an_event_that_is_no_request_gets_a_500_instead_of_a_crash(api: Functions) -> None:
    for rubbish in ({}, {"version": "2.0"}, {"requestContext": None}):
        raw = api.invoke("chat", rubbish)
        assert raw["statusCode"] == 500
        assert json.loads(raw["body"])["code"] == "BROKEN"


def test_no_answer_is_kept_or_sniffed(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    for answer in (api.call("GET", f"/api/runs/{RUN_ID}"), api.call("GET", "/api/nothing")):
        assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == ("no-store", "nosniff")


def test_an_unknown_parameter_is_refused_and_a_signature_is_none(api: Functions) -> None:
    refused = api.call("GET", "/api/runs", query={"verdit": "PASS"})
    assert (refused.status, refused.body["detail"]) == (400, "verdit: Extra inputs are not permitted")
    assert api.call("GET", "/api/runs", query={"X-Amz-Signature": "abc", "X-Amz-Date": "20260708T231000Z"}).status == 200


def test_answers_keep_their_characters(api: Functions, ports: Ports) -> None:
    finished_run(ports, answer="连接池耗尽 🙂")
    assert "连接池耗尽 🙂" in api.call("GET", f"/api/runs/{RUN_ID}").raw["body"]


def test_the_logs_name_the_run_and_the_metrics_never_do(
    api: Functions, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    logging_to = importlib.import_module("chat").app.telemetry.log.registered_handler
    monkeypatch.setattr(logging_to, "stream", sys.stdout)
    run_id = api.call("POST", "/api/chat", {"question": "q"}).body["runId"]
    api.call("GET", f"/api/trace/{run_id}")
    api.call("GET", f"/api/trace/{RUN_ID}")
    api.call("GET", "/api/runs")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    metrics = [line for line in lines if "_aws" in line]
    assert len(metrics) == 4
    for metric in metrics:
        assert run_id not in json.dumps(metric)
        assert sorted(metric["_aws"]["CloudWatchMetrics"][0]["Dimensions"][0]) == ["function", "service"]
    logs = [line for line in lines if "_aws" not in line]
    assert [line.get("run_id") for line in logs] == [run_id, run_id, RUN_ID, None]
    assert {line["function_request_id"] for line in logs} == {CONTEXT.aws_request_id}
