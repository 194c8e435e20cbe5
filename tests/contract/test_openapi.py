"""The checked-in API document is what the routes and models say, and what the functions really answer."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate

from superbiz.domain.legacy import LegacySession
from superbiz.domain.runs import Flow
from superbiz.edge import routes
from superbiz.services import evaluating
from support import alarm_events as events
from support.builders import RUN_ID, SESSION_ID
from support.recorded_runs import call_of, finish, first_call, open_run, record_step
from support.serving import Answer, Functions, event, memory_ports

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("openapi_script", ROOT / "scripts" / "openapi.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    return found


def test_the_document_that_is_checked_in_is_the_one_that_is_made(script: ModuleType) -> None:
    assert script.TARGET.read_text(encoding="utf-8") == script.text(), "run scripts/openapi.py"
    assert script.main(["--check"]) == 0


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    validate(document)


def test_every_route_is_documented_and_nothing_else(document: dict[str, Any], script: ModuleType) -> None:
    told = {(method.upper(), path): made["operationId"] for path, methods in document["paths"].items() for method, made in methods.items()}
    assert told == {(route.method, route.path): route.operation for route in routes.ROUTES}
    assert set(script.OPERATIONS) == set(told.values())


@pytest.fixture(scope="module")
def api() -> Iterator[Functions]:
    """A ledger with something of everything."""
    with pytest.MonkeyPatch.context() as patch:
        made = Functions(patch, memory_ports())
        run = open_run(made.ports, agent_flow=Flow.AI_OPS, alarm_name=events.NAME, trigger=events.eventbridge())
        record_step(made.ports, call_of(run), run=run)
        finish(made.ports, run)
        evaluating.evaluate(RUN_ID, made.ports)
        made.ports.ledger.import_legacy([LegacySession(session_id="old", query="q", answer="a", self_evaluation={"verdict": "PASS"})])
        made.invoke("alerts", event("alerts"))
        made.call("POST", "/api/feedback", {"runId": RUN_ID, "feedback": "useful"})
        yield made


def conforms(document: dict[str, Any], operation: str, answer: Answer) -> None:
    """The status is documented, and the body is of its schema, with no key that the schema does not know."""
    (made,) = [m for methods in document["paths"].values() for m in methods.values() if m["operationId"] == operation]
    assert str(answer.status) in made["responses"], (operation, answer)
    media = answer.headers.get("content-type", "").split(";")[0]
    content = made["responses"][str(answer.status)]["content"]
    assert media in content
    OAS31Validator(_closed(content[media]["schema"], document)).validate(answer.body)


def _closed(schema: Any, document: dict[str, Any]) -> Any:
    """References written out, and objects with named properties closed, so that an undocumented key shows."""
    if isinstance(schema, list):
        return [_closed(part, document) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _closed(document["components"]["schemas"][schema["$ref"].split("/")[-1]], document)
    made = {key: _closed(value, document) for key, value in schema.items()}
    return made | ({"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {})


def test_what_is_answered_is_what_is_documented(document: dict[str, Any], api: Functions) -> None:
    incident = api.call("GET", "/api/incidents").body["items"][0]["incidentId"]
    output = f"/api/runs/{RUN_ID}/invocations/{first_call(api.ports, api.ports.ledger.run(RUN_ID)).invocation_id}/output"  # type: ignore[arg-type]
    calls: list[tuple[str, str, str, Any, dict[str, Any]]] = [
        ("ask", "POST", "/api/chat", {"question": "q"}, {}),
        ("ask", "POST", "/api/chat", {}, {}),
        ("clearHistory", "POST", "/api/chat/clear", {"sessionId": SESSION_ID}, {}),
        ("clearHistory", "POST", "/api/chat/clear", {"sessionId": "nobody"}, {}),
        ("sendAlarm", "POST", "/api/alarms", events.eventbridge(), {}),
        ("listRuns", "GET", "/api/runs", None, {"query": {"limit": "1"}}),
        ("listRuns", "GET", "/api/runs", None, {"query": {"limit": "0"}}),
        ("getRun", "GET", f"/api/runs/{RUN_ID}", None, {}),
        ("getRun", "GET", "/api/runs/nobody", None, {}),
        ("getOutput", "GET", output, None, {"headers": {"range": "bytes=99999-"}}),
        ("getTrace", "GET", f"/api/trace/{RUN_ID}", None, {}),
        ("getTrace", "GET", "/api/trace/old", None, {}),
        ("getTrace", "GET", "/api/trace/nobody", None, {}),
        ("getSession", "GET", f"/api/sessions/{SESSION_ID}", None, {}),
        ("listSessionRuns", "GET", f"/api/sessions/{SESSION_ID}/runs", None, {}),
        ("giveFeedback", "POST", "/api/feedback", {"runId": RUN_ID, "feedback": "useful"}, {}),
        ("giveFeedback", "POST", "/api/feedback", {"runId": RUN_ID, "feedback": "bad"}, {}),
        ("editCase", "PATCH", f"/api/cases/{RUN_ID}", {"title": "t"}, {}),
        ("listCases", "GET", "/api/cases", None, {}),
        ("getCase", "GET", f"/api/cases/{RUN_ID}", None, {}),
        ("listIncidents", "GET", "/api/incidents", None, {}),
        ("getIncident", "GET", f"/api/incidents/{incident}", None, {}),
        ("getControl", "GET", "/api/control", None, {}),
        ("setControl", "PUT", "/api/control", {"modelPaused": True}, {}),
        ("getHealth", "GET", "/api/health", None, {}),
    ]
    for operation, method, path, body, more in calls:
        conforms(document, operation, api.call(method, path, body, **more))


def test_a_bodys_fields_are_told_as_callers_write_them(document: dict[str, Any]) -> None:
    fields = {
        name: set(document["components"]["schemas"][name]["properties"]) for name in ("Question", "Opinion", "CaseChanges", "Switches")
    }
    assert fields == {
        "Question": {"question", "sessionId"},
        "Opinion": {"feedback", "runId", "sessionId"},
        "CaseChanges": {"faultCategory", "title", "rootCause", "solution"},
        "Switches": {"intakePaused", "modelPaused"},
    }
