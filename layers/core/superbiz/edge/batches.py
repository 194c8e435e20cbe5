"""Batches of queue messages: each by itself, and only the failed ones back to the queue."""

from collections.abc import Callable
from typing import TypedDict

from superbiz.domain.values import JsonObject
from superbiz.edge.telemetry import Telemetry


class FailedItem(TypedDict):
    """A message that is to come again."""

    itemIdentifier: str


class BatchReply(TypedDict):
    """The partial batch answer of an event source."""

    batchItemFailures: list[FailedItem]


def each_record(event: JsonObject, work: Callable[[JsonObject], None], telemetry: Telemetry) -> BatchReply:
    """Do each message's work. A message that fails, for whatever reason, holds up no other."""
    failed: list[FailedItem] = []
    for record in event["Records"]:
        message_id = str(record.get("messageId", ""))
        telemetry.about(message_id=message_id, run_id=None, incident_id=None)
        try:
            work(record)
        except Exception:  # the process edge of one message: told here, kept by the queue
            telemetry.log.exception("the message failed")
            telemetry.count("MessagesFailed")
            failed.append({"itemIdentifier": message_id})
    return {"batchItemFailures": failed}
