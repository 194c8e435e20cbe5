"""The notice of a run's end has a stable body."""

import json

from superbiz.services.notifying import run_completed
from support.builders import RUN_ID, SESSION_ID
from support.recorded_runs import failed_run, finished_run
from support.serving import memory_ports

KEYS = {
    "schema",
    "run_id",
    "session_id",
    "agent_flow",
    "status",
    "verdict",
    "conclusion",
    "first_cause",
    "title",
    "alarm_name",
    "incident_id",
    "engine",
    "degraded",
    "error",
    "created_at",
    "finished_at",
    "link",
}


def test_the_body_tells_verdict_conclusion_first_cause_and_link() -> None:
    ports = memory_ports()
    finished_run(ports)
    record = ports.ledger.record(RUN_ID)
    assert record is not None
    body = run_completed(record, "https://console.example/")
    assert set(body) == KEYS
    assert (body["schema"], body["run_id"], body["session_id"]) == ("run_completed/1", RUN_ID, SESSION_ID)
    assert (body["verdict"], body["conclusion"]) == ("PASS", "root_cause")
    assert body["first_cause"] == {"resource": "order-service", "operation": None, "fault_category": "RESOURCE_EXHAUSTION", "score": 0.9}
    assert body["link"] == f"https://console.example/runs/{RUN_ID}"
    assert json.loads(json.dumps(body)) == body


def test_a_failed_run_tells_its_cause_and_no_verdict() -> None:
    ports = memory_ports()
    failed_run(ports)
    record = ports.ledger.record(RUN_ID)
    assert record is not None
    body = run_completed(record, "")
    assert set(body) == KEYS
    assert (body["status"], body["verdict"], body["first_cause"], body["error"]) == ("FAILED", None, None, "States.Timeout")
    assert body["link"] == f"/api/runs/{RUN_ID}"
