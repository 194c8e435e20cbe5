"""Evaluates runs that have ended, behind the evaluation queue."""

from typing import Any

from superbiz.domain import canonical
from superbiz.domain.values import JsonObject
from superbiz.edge.batches import BatchReply, each_record
from superbiz.edge.telemetry import Telemetry
from superbiz.services import evaluating
from superbiz.wiring import ports

TELEMETRY = Telemetry("evaluator")


@TELEMETRY.observe
def handler(event: JsonObject, _context: Any) -> BatchReply:
    """A failure here never touches a run: the message comes again, then goes to the dead letters."""
    return each_record(event, evaluate, TELEMETRY)


def evaluate(record: JsonObject) -> None:
    """One message names one run."""
    run_id = str(canonical.loads(record["body"])["run_id"])
    TELEMETRY.about(run_id=run_id)
    nodes = evaluating.evaluate(run_id, ports())
    TELEMETRY.log.info("evaluated" if nodes else "nothing to evaluate", nodes=sorted(nodes or ()))
