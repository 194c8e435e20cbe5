"""The target of an alarm's Lambda action. It only hands the event on: one consumer opens runs."""

from typing import Any

from superbiz.domain.values import JsonObject
from superbiz.edge.telemetry import Telemetry
from superbiz.wiring import ports

TELEMETRY = Telemetry("alarm_action")


@TELEMETRY.observe
def handler(event: JsonObject, _context: Any) -> None:
    """Whatever it is: the intake tells an alarm from rubbish, and keeps count of both."""
    ports().queue.enqueue_alarm(event)
