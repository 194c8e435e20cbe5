"""The Executor's state: collects evidence and states claims. The only function whose role may read evidence."""

from typing import Any

from superbiz.domain.runs import StepName
from superbiz.domain.values import JsonObject
from superbiz.edge.telemetry import Telemetry
from superbiz.flow import RunRef, take
from superbiz.wiring import ports

TELEMETRY = Telemetry("executor")


@TELEMETRY.observe
def handler(event: JsonObject, _context: Any) -> JsonObject:
    """Errors go out by their class's name: the state machine retries by it."""
    ref = RunRef.model_validate(event)
    TELEMETRY.about(run_id=ref.run_id, step=StepName.EXECUTOR)
    outcome = take(StepName.EXECUTOR, ref, ports())
    TELEMETRY.log.info("step taken", round=ref.round)
    return outcome.to_json()
