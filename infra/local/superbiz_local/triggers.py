"""One recorded alarm event, sent by each of the three ways in which CloudWatch announces an alarm."""

import json
from enum import StrEnum
from typing import Any

from superbiz_local.names import REPLAY
from superbiz_local.stack import LocalStack

JsonObject = dict[str, Any]


class Way(StrEnum):
    """How an alarm reaches the intake."""

    EVENTBRIDGE = "eventbridge"
    SNS = "sns"
    LAMBDA = "lambda"


def put_alarm_event(stack: LocalStack, event: JsonObject, way: Way = Way.EVENTBRIDGE) -> None:
    """Send an EventBridge event "CloudWatch Alarm State Change" by this way, in the form that the way gives it."""
    match way:
        case Way.EVENTBRIDGE:
            _put_event(stack, event)
        case Way.SNS:
            stack.client("sns").publish(TopicArn=stack.alarm_topic_arn, Message=json.dumps(as_sns_message(event)))
        case Way.LAMBDA:
            function = stack.outputs["AlarmActionFunctionArn"]
            stack.client("lambda").invoke(FunctionName=function, InvocationType="Event", Payload=json.dumps(as_lambda_event(event)))


def as_sns_message(event: JsonObject) -> JsonObject:
    """The message that an alarm publishes to a topic: its own names, dimensions as a list, and no reasonData."""
    detail = event["detail"]
    configuration = detail.get("configuration", {})
    message = {
        "AlarmName": detail["alarmName"],
        "AlarmDescription": configuration.get("description"),
        "AWSAccountId": event["account"],
        "AlarmArn": event["resources"][0],
        "NewStateValue": detail["state"]["value"],
        "NewStateReason": detail["state"].get("reason", ""),
        "StateChangeTime": detail["state"].get("timestamp", event["time"]),
        "OldStateValue": detail.get("previousState", {}).get("value", "INSUFFICIENT_DATA"),
        "Region": event["region"],
    }
    metrics = [m["metricStat"] for m in configuration.get("metrics", []) if "metricStat" in m]
    return message | ({"Trigger": _trigger(metrics[0])} if len(metrics) == 1 else {})


def as_lambda_event(event: JsonObject) -> JsonObject:
    """What an alarm's Lambda action receives."""
    same = {"source": "aws.cloudwatch", "accountId": event["account"], "time": event["time"], "region": event["region"]}
    return same | {"alarmArn": event["resources"][0], "alarmData": event["detail"]}


def _put_event(stack: LocalStack, event: JsonObject) -> None:
    entry = {
        "Source": event["source"],
        "DetailType": event["detail-type"],
        "Resources": event.get("resources", []),
        "Detail": json.dumps(event["detail"]),
        "TraceHeader": REPLAY,
    }
    answer = stack.client("events").put_events(Entries=[entry])
    if answer["FailedEntryCount"]:
        raise ValueError(f"the event was refused: {answer['Entries'][0]}")


def _trigger(metric_stat: JsonObject) -> JsonObject:
    metric = metric_stat["metric"]
    return {
        "MetricName": metric.get("name"),
        "Namespace": metric.get("namespace"),
        "Statistic": metric_stat.get("stat"),
        "Period": metric_stat.get("period"),
        "Dimensions": [{"name": name, "value": value} for name, value in metric.get("dimensions", {}).items()],
    }
