"""The one consumer that opens runs for alarms, behind the intake queue."""

from datetime import UTC, datetime
from typing import Any

from superbiz.domain.values import JsonObject
from superbiz.edge.batches import BatchReply, each_record
from superbiz.edge.telemetry import Telemetry
from superbiz.services import intake
from superbiz.wiring import ports

TELEMETRY = Telemetry("alerts")


@TELEMETRY.observe
def handler(event: JsonObject, _context: Any) -> BatchReply:
    """What can not be settled goes back to the queue, and in the end to its dead letters."""
    return each_record(event, take_in, TELEMETRY)


def take_in(record: JsonObject) -> None:
    """One message: each of its events is recorded, settled and counted."""
    for row in intake.take_in(_delivery(record), ports()):
        TELEMETRY.about(run_id=row.run_id, incident_id=row.incident_id)
        TELEMETRY.log.info("alarm event settled", outcome=row.outcome, reason=row.reason, alarm=row.alarm_name, delivery=row.row_id)
        TELEMETRY.count(f"Alarms{str(row.outcome).title()}")


def _delivery(record: JsonObject) -> intake.Delivery:
    """The queue's own clock and id: the same when it hands the message over again."""
    sent = int(record["attributes"]["SentTimestamp"])
    return intake.Delivery(record["messageId"], datetime.fromtimestamp(sent / 1000, UTC), record["body"])
