"""Finishes what something left half-way: by schedule, and at once where the state machine tells of an execution's end."""

from typing import Any

from superbiz.domain.values import JsonObject
from superbiz.edge.telemetry import Telemetry
from superbiz.services import sweeping
from superbiz.wiring import ports

TELEMETRY = Telemetry("sweeper")
STATUS_CHANGE = "Step Functions Execution Status Change"


@TELEMETRY.observe
def handler(event: JsonObject, _context: Any) -> JsonObject:
    """The schedule is the guarantee; a status event is only quicker."""
    if event.get("detail-type") == STATUS_CHANGE:
        return _execution_ended(event["detail"])
    swept = sweeping.sweep(ports())
    for error in swept.errors:
        TELEMETRY.log.error("left for the next sweep", cause=error)
    TELEMETRY.log.info("swept", **swept._asdict())
    TELEMETRY.count("SweepErrors", len(swept.errors))
    return swept._asdict()


def _execution_ended(detail: JsonObject) -> JsonObject:
    run_id, status = str(detail["name"]), str(detail["status"])
    TELEMETRY.about(run_id=run_id)
    failed = sweeping.execution_ended(run_id, status, detail.get("cause") or detail.get("error"), ports())
    TELEMETRY.log.info("an execution ended", status=status, failed_run=failed)
    return {"run_id": run_id, "failed": failed}
