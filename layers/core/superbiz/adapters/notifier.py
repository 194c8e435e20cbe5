"""How a report reaches people and programs: an SNS topic, and the EventBridge event `RunCompleted`."""

import json

from superbiz.adapters.aws import client
from superbiz.adapters.aws_errors import mapped
from superbiz.domain.values import JsonObject
from superbiz.errors import Unavailable

DETAIL_TYPE = "RunCompleted"
SUBJECT_CHARS = 100


class AwsNotifier:
    """`ports.Notifier`. A channel that is not configured is left out."""

    def __init__(self, topic_arn: str, event_bus_name: str, source: str) -> None:
        self._topic_arn, self._bus, self._source = topic_arn, event_bus_name, source

    def run_completed(self, notice: JsonObject) -> None:
        """Event first: a program can tell a repetition by the run's id, a person would get the mail twice."""
        body = json.dumps(notice, ensure_ascii=False)
        if self._bus:
            self._put_event(body)
        if self._topic_arn:
            with mapped("publishing to the topic"):
                client("sns").publish(TopicArn=self._topic_arn, Subject=_subject(notice), Message=body)

    def _put_event(self, body: str) -> None:
        entry = {"EventBusName": self._bus, "Source": self._source, "DetailType": DETAIL_TYPE, "Detail": body}
        with mapped("putting the event"):
            answer = client("events").put_events(Entries=[entry])
        if answer.get("FailedEntryCount"):
            failed = answer["Entries"][0]
            raise Unavailable(f"putting the event: {failed.get('ErrorCode')}: {failed.get('ErrorMessage')}")


def _subject(notice: JsonObject) -> str:
    """SNS takes ASCII without line breaks, up to 100 characters, beginning with a letter or digit."""
    what = notice.get("alarm_name") or notice.get("title") or notice.get("run_id")
    said = f"{notice.get('verdict') or notice.get('status')} {notice.get('conclusion') or ''}: {what}"
    plain = " ".join(said.encode("ascii", "replace").decode("ascii").split())
    return "".join(c if c.isprintable() else "?" for c in plain)[:SUBJECT_CHARS]
