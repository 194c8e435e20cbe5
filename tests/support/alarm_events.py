"""Alarm events of every form, as CloudWatch sends them, around one alarm of an order service."""

import json
from typing import Any

ACCOUNT, REGION = "111122223333", "eu-west-1"
NAME = "order-service-errors"
ARN = f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{NAME}"
RANG_AT = "2026-07-08T23:06:00.125+0000"
REASON = "Threshold Crossed: 1 out of the last 1 datapoints [27.0 (08/07/26 23:05:00)] was greater than the threshold (5.0)."
REASON_DATA = {"version": "1.0", "statistic": "Sum", "period": 60, "recentDatapoints": [27.0], "threshold": 5.0}

Event = dict[str, Any]


def eventbridge(**detail: Any) -> Event:
    """A single-metric alarm's change. Keywords replace or add keys of `detail`; None removes one."""
    given = {
        "alarmName": NAME,
        "state": {"value": "ALARM", "reason": REASON, "reasonData": json.dumps(REASON_DATA), "timestamp": RANG_AT},
        "previousState": {"value": "OK", "timestamp": "2026-07-08T22:00:00.000+0000"},
        "configuration": {
            "description": "Orders fail",
            "metrics": [
                {
                    "id": "m1",
                    "metricStat": {
                        "metric": {"namespace": "Shop", "name": "Errors", "dimensions": {"Service": "order-service"}},
                        "period": 60,
                        "stat": "Sum",
                    },
                    "returnData": True,
                }
            ],
        },
    } | detail
    return {
        "version": "0",
        "id": "5f0b6c9e-7a63-4a58-9d57-4f1f6a4f0001",
        "detail-type": "CloudWatch Alarm State Change",
        "source": "aws.cloudwatch",
        "account": ACCOUNT,
        "time": "2026-07-08T23:06:00Z",
        "region": REGION,
        "resources": [ARN],
        "detail": {key: value for key, value in given.items() if value is not None},
    }


def changed_to(state: str, before: str = "ALARM", at: str = RANG_AT) -> Event:
    return eventbridge(state={"value": state, "reason": "", "timestamp": at}, previousState={"value": before})


def contributor(series: str = "6d442278dba546f6") -> Event:
    """One series of a multi-series alarm: no previous state, no reason data."""
    event = eventbridge(
        alarmContributor={"id": series, "attributes": {"TableName": "orders"}},
        previousState=None,
        state={"value": "ALARM", "reason": "Threshold Crossed: 1 datapoint was less than the threshold (1.0).", "timestamp": RANG_AT},
        configuration={"metrics": [{"id": "m1", "expression": "SELECT AVG(Writes) FROM Shop GROUP BY TableName", "period": 60}]},
    )
    return event | {"detail-type": "CloudWatch Alarm Contributor State Change"}


def composite(**state: Any) -> Event:
    """A composite alarm: a rule, no metrics, reason data of another kind."""
    reason_data = {"triggeringAlarms": [{"arn": ARN, "state": {"value": "ALARM"}}]}
    return eventbridge(
        configuration={"alarmRule": "ALARM(order-service-errors) OR ALARM(order-service-latency)"},
        state={"value": "ALARM", "reason": f"{ARN} transitioned to ALARM", "reasonData": json.dumps(reason_data), "timestamp": RANG_AT}
        | state,
    )


def metric_math() -> Event:
    stat = {"metric": {"namespace": "Shop", "name": "Errors", "dimensions": {"Service": "order-service"}}, "period": 60, "stat": "Sum"}
    requests = {"metric": {"namespace": "Shop", "name": "Requests", "dimensions": {}}, "period": 60, "stat": "Sum"}
    return eventbridge(
        configuration={
            "metrics": [
                {"id": "e1", "expression": "100*m1/m2", "label": "error rate", "returnData": True},
                {"id": "m1", "metricStat": stat, "returnData": False},
                {"id": "m2", "metricStat": requests, "returnData": False},
            ]
        }
    )


def muted() -> Event:
    return eventbridge(muteDetail={"mutedByArn": f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm-mute-rule:night", "muteWindowEnd": RANG_AT})


def configuration_change() -> Event:
    event = eventbridge(operation="update", previousState=None)
    return event | {"detail-type": "CloudWatch Alarm Configuration Change"}


def lambda_action(**fields: Any) -> Event:
    """What the alarm sends to its Lambda action."""
    detail = eventbridge()["detail"]
    return {
        "source": "aws.cloudwatch",
        "alarmArn": ARN,
        "accountId": ACCOUNT,
        "time": RANG_AT,
        "region": REGION,
        "alarmData": detail,
    } | fields


def sns_message(**fields: Any) -> Event:
    """The message inside an SNS notification. None removes a key."""
    message = {
        "AlarmName": NAME,
        "AlarmDescription": "Orders fail",
        "AWSAccountId": ACCOUNT,
        "NewStateValue": "ALARM",
        "NewStateReason": REASON,
        "StateChangeTime": RANG_AT,
        "Region": "EU (Ireland)",
        "AlarmArn": ARN,
        "OldStateValue": "OK",
        "Trigger": {
            "MetricName": "Errors",
            "Namespace": "Shop",
            "StatisticType": "Statistic",
            "Statistic": "SUM",
            "Unit": None,
            "Dimensions": [{"value": "order-service", "name": "Service"}],
            "Period": 60,
            "EvaluationPeriods": 1,
            "ComparisonOperator": "GreaterThanThreshold",
            "Threshold": 5.0,
        },
    } | fields
    return {key: value for key, value in message.items() if value is not None}


def sns_envelope(message: Any = None, **fields: Any) -> Event:
    return {
        "Type": "Notification",
        "MessageId": "95df01b4-ee98-5cb9-9903-4c221d41eb5e",
        "TopicArn": f"arn:aws:sns:{REGION}:{ACCOUNT}:alarms",
        "Message": json.dumps(sns_message() if message is None else message),
        "Timestamp": "2026-07-08T23:06:01.000Z",
    } | fields


def sns_records(*envelopes: Event) -> Event:
    return {"Records": [{"EventSource": "aws:sns", "EventVersion": "1.0", "Sns": e} for e in envelopes or (sns_envelope(),)]}


def sqs_records(*bodies: Any) -> Event:
    return {"Records": [{"messageId": f"m{n}", "body": json.dumps(b), "eventSource": "aws:sqs"} for n, b in enumerate(bodies)]}
