"""All other states of a run: Gatekeeper, Verifier and Composer, and what follows its end."""

from collections.abc import Callable, Mapping
from typing import Any

from superbiz import flow
from superbiz.domain.runs import StepName
from superbiz.domain.values import JsonObject
from superbiz.edge.telemetry import Telemetry
from superbiz.errors import Broken
from superbiz.flow import Ending, RunRef
from superbiz.wiring import ports

TELEMETRY = Telemetry("steps")
STEPS = (StepName.GATEKEEPER, StepName.VERIFIER, StepName.COMPOSER)


@TELEMETRY.observe
def handler(event: JsonObject, _context: Any) -> JsonObject:
    """`step` names the state. Errors go out by their class's name: the state machine retries by it."""
    ref, name = RunRef.model_validate(event), str(event.get("step"))
    TELEMETRY.about(run_id=ref.run_id, step=name)
    if name in STEPS:
        outcome = flow.take(StepName(name), ref, ports())
        TELEMETRY.log.info("step taken", round=ref.round, verdict=outcome.verdict)
        return outcome.to_json()
    if name in ENDINGS:
        ENDINGS[Ending(name)](ref.run_id, event)
        TELEMETRY.log.info("ending done")
        return ref.to_json()
    raise Broken(f"no state is called {name!r} here", code="UNKNOWN_STEP")


def _fail(run_id: str, event: JsonObject) -> None:
    error = event.get("error") or {}
    flow.fail(run_id, ": ".join(str(error[key]) for key in ("Error", "Cause") if error.get(key)) or "no cause was told", ports())


ENDINGS: Mapping[Ending, Callable[[str, JsonObject], None]] = {
    Ending.ENQUEUE_EVALUATION: lambda run_id, _event: flow.enqueue_evaluation(run_id, ports()),
    Ending.NOTIFY: lambda run_id, _event: flow.notify(run_id, ports()),
    Ending.FAIL_RUN: _fail,
}
