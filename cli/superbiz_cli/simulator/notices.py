"""How an alarm arrives: as EventBridge, as SNS, or as Alertmanager sends it."""

import hashlib
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from superbiz.domain.values import JsonObject, iso
from superbiz_cli.simulator import writing
from superbiz_cli.simulator.alarms import AlarmRule, Crossing, reason

NEVER = "0001-01-01T00:00:00Z"


class Place(NamedTuple):
    """Where it happened. `labels` and `summary` are Alertmanager's."""

    region: str
    account: str
    seed: int
    labels: Mapping[str, str] = {}
    summary: str = ""


def eventbridge(rule: AlarmRule, found: Crossing, place: Place) -> JsonObject:
    """The EventBridge event as it arrives: inner times without a Z, `reasonData` a JSON string, dimensions a map."""
    metric = {"namespace": rule.namespace, "name": rule.metric_name, "dimensions": found.dimensions}
    state = {
        "value": "ALARM",
        "reason": reason(rule, found),
        "reasonData": writing.compact(_data(rule, found)),
        "timestamp": _aws(found.at),
    }
    before = {"value": "OK", "reason": "Unchecked: Initial alarm creation", "timestamp": _aws(found.at - timedelta(days=30))}
    return {
        "version": "0",
        "id": _id(rule, found, place),
        "detail-type": "CloudWatch Alarm State Change",
        "source": "aws.cloudwatch",
        "account": place.account,
        "time": iso(found.at),
        "region": place.region,
        "resources": [_arn(rule, place)],
        "detail": {
            "alarmName": rule.name,
            "state": state,
            "previousState": before,
            "configuration": {
                "description": rule.description,
                "metrics": [{"id": "m1", "metricStat": {"metric": metric, "period": 60, "stat": rule.stat}, "returnData": True}],
            },
        },
    }


def sns(rule: AlarmRule, found: Crossing, place: Place) -> JsonObject:
    """SNS's envelope around the alarm's message: a JSON string, dimensions a list, statistics in capitals."""
    message = {
        "AlarmName": rule.name, "AlarmDescription": rule.description, "AWSAccountId": place.account, "NewStateValue": "ALARM",
        "AlarmConfigurationUpdatedTimestamp": _aws(found.at - timedelta(days=30)), "NewStateReason": reason(rule, found),
        "StateChangeTime": _aws(found.at), "Region": "EU (Ireland)", "AlarmArn": _arn(rule, place), "OldStateValue": "OK",
        "OKActions": [], "AlarmActions": [f"arn:aws:sns:{place.region}:{place.account}:on-call"], "InsufficientDataActions": [],
        "Trigger": {
            "MetricName": rule.metric_name, "Namespace": rule.namespace, "StatisticType": "Statistic", "Statistic": rule.stat.upper(),
            "Unit": None, "Dimensions": [{"value": v, "name": k} for k, v in found.dimensions.items()], "Period": 60,
            "EvaluationPeriods": rule.datapoints, "DatapointsToAlarm": rule.datapoints,
            "ComparisonOperator": "LessThanThreshold" if rule.below else "GreaterThanThreshold", "Threshold": rule.threshold,
            "TreatMissingData": "missing", "EvaluateLowSampleCountPercentile": "",
        },
    }  # fmt: skip
    return {
        "Type": "Notification", "MessageId": _id(rule, found, place), "TopicArn": f"arn:aws:sns:{place.region}:{place.account}:on-call",
        "Subject": f'ALARM: "{rule.name}" in EU (Ireland)', "Message": writing.compact(message), "Timestamp": _aws(found.at)[:-5] + "Z",
    }  # fmt: skip


def alertmanager(rule: AlarmRule, found: Crossing, place: Place) -> JsonObject:
    """Alertmanager's webhook, version 4."""
    labels = {"alertname": rule.name, "severity": "critical", **place.labels}
    annotations = {"summary": place.summary, "description": rule.description}
    shared = writing.compact(labels)
    alert = {
        "status": "firing", "labels": labels, "annotations": annotations, "startsAt": iso(found.at), "endsAt": NEVER,
        "generatorURL": "http://prometheus.monitoring.svc:9090/graph?g0.tab=1",
        "fingerprint": hashlib.sha256(shared.encode()).hexdigest()[:16],
    }  # fmt: skip
    return {
        "version": "4", "groupKey": f'{{}}:{{alertname="{rule.name}"}}', "truncatedAlerts": 0, "status": "firing", "receiver": "superbiz",
        "groupLabels": {"alertname": rule.name}, "commonLabels": labels, "commonAnnotations": annotations,
        "externalURL": "http://alertmanager.monitoring.svc:9093", "alerts": [alert],
    }  # fmt: skip


NOTICES: Mapping[str, Callable[[AlarmRule, Crossing, Place], JsonObject]] = {
    "eventbridge": eventbridge,
    "sns": sns,
    "alertmanager": alertmanager,
}


def _data(rule: AlarmRule, found: Crossing) -> JsonObject:
    return {
        "version": "1.0",
        "queryDate": _aws(found.at),
        "startDate": _aws(found.points[0][0]),
        "statistic": rule.stat,
        "period": 60,
        "recentDatapoints": [value for _, value in found.points],
        "threshold": rule.threshold,
        "evaluatedDatapoints": [{"timestamp": _aws(moment), "value": value} for moment, value in reversed(found.points)],
    }


def _id(rule: AlarmRule, found: Crossing, place: Place) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{rule.name}/{iso(found.at)}/{place.seed}"))


def _arn(rule: AlarmRule, place: Place) -> str:
    return f"arn:aws:cloudwatch:{place.region}:{place.account}:alarm:{rule.name}"


def _aws(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S.000}+0000"
