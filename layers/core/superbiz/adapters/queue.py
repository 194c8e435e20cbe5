"""The queues: SQS. A message is the run's id, or an alarm's event as it came."""

import json

from superbiz.adapters.aws import client
from superbiz.adapters.aws_errors import mapped
from superbiz.domain.values import JsonObject
from superbiz.errors import Broken


class SqsQueue:
    """`ports.Queue`."""

    def __init__(self, evaluation_url: str, intake_url: str) -> None:
        self._evaluation_url, self._intake_url = evaluation_url, intake_url

    def enqueue_evaluation(self, run_id: str) -> None:
        """Ask for the run's evaluation. Twice is harmless: evaluating again writes the same."""
        self._send("EVALUATION_QUEUE_URL", self._evaluation_url, {"run_id": run_id})

    def enqueue_alarm(self, event: JsonObject) -> None:
        """Hand an event to the one consumer that opens runs."""
        self._send("INTAKE_QUEUE_URL", self._intake_url, event)

    def _send(self, setting: str, url: str, message: JsonObject) -> None:
        if not url:
            raise Broken(f"{setting} is empty: this function sends nothing there", code="BAD_SETTING")
        with mapped("sending to the queue"):
            client("sqs").send_message(QueueUrl=url, MessageBody=json.dumps(message))
