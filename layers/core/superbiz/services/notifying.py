"""The notice of a run's end: the body of the SNS message and of the EventBridge event `RunCompleted`. Its shape is public and versioned.

What it tells for people (title, cause, errors) is inert: chats and mail make links of what looks like one. An alarm's name stays exact.
"""

from collections.abc import Mapping
from typing import Any

from superbiz.domain.composing.markup import inert
from superbiz.domain.runs import RunRecord
from superbiz.domain.values import JsonObject, iso

SCHEMA = "run_completed/1"
CAUSE_FIELDS = ("resource", "operation", "fault_category", "score")


def run_completed(record: RunRecord, console_url: str) -> JsonObject:
    """`first_cause` is null where none was found; `link` opens the run in the console, or names the API's path where there is none."""
    run = record.run
    return {
        "schema": SCHEMA,
        "run_id": run.run_id,
        "session_id": run.session_id,
        "agent_flow": run.agent_flow,
        "status": run.status,
        "verdict": run.verdict,
        "conclusion": run.conclusion,
        "first_cause": _first_cause(record.report),
        "title": inert(run.title),
        "alarm_name": run.alarm_name,
        "incident_id": run.incident_id,
        "engine": run.engine,
        "degraded": _inert(run.degraded),
        "error": _inert(run.error),
        "created_at": iso(run.created_at),
        "finished_at": iso(run.finished_at) if run.finished_at else None,
        "link": f"{console_url.rstrip('/')}/runs/{run.run_id}" if console_url else f"/api/runs/{run.run_id}",
    }


def _first_cause(report: JsonObject | None) -> JsonObject | None:
    causes = (report or {}).get("root_causes") or ()
    first: Any = causes[0] if causes else None
    return {name: _inert(first.get(name)) for name in CAUSE_FIELDS} if isinstance(first, Mapping) else None


def _inert(told: Any) -> Any:
    return inert(told) if isinstance(told, str) else told
