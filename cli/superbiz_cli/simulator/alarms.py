"""The alarm of a scenario: when its datapoints set it off, and the event that CloudWatch sends then."""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from superbiz.domain.values import JsonObject, iso
from superbiz_cli.simulator import writing
from superbiz_cli.simulator.gauges import Row

DELAY = timedelta(seconds=84)  # from the start of the last datapoint to the change of state


class AlarmRule(NamedTuple):
    """Goes off when that many datapoints in a row lie below (or above) the threshold."""

    name: str
    namespace: str
    metric_name: str
    stat: str
    service: str
    threshold: float
    below: bool
    datapoints: int
    description: str

    @property
    def words(self) -> str:
        """As CloudWatch words it."""
        return "less than" if self.below else "greater than"


class Crossing(NamedTuple):
    """When the alarm went off, and the datapoints that did it."""

    at: datetime
    points: tuple[tuple[datetime, float], ...]


def crossing(rule: AlarmRule, series: Sequence[Row], times: Sequence[datetime]) -> Crossing:
    """The first run of datapoints beyond the threshold. A scenario whose fault does not set off its alarm is a mistake."""
    wanted = (rule.namespace, rule.metric_name, rule.stat)
    row = next(r for r in series if (r.namespace, r.metric_name, r.stat) == wanted and rule.service in r.dimensions.values())
    run: list[tuple[datetime, float]] = []
    for moment, value in zip(times, row.values, strict=True):
        beyond = value is not None and (value < rule.threshold if rule.below else value > rule.threshold)
        run = [*run, (moment, value)] if beyond and value is not None else []
        if len(run) == rule.datapoints:
            return Crossing(moment + DELAY, tuple(run))
    raise ValueError(f"the faults do not set off {rule.name}: mend load, fault or threshold")


def listing(rule: AlarmRule, found: Crossing, others: Sequence[JsonObject]) -> JsonObject:
    """`alarms.json`: this alarm, and those that stand beside it."""
    own = {"name": rule.name, "state": "ALARM", "reason": reason(rule, found), "metric": f"{rule.namespace} {rule.metric_name}",
           "dimensions": {"ServiceName": rule.service}, "updated": iso(found.at)}  # fmt: skip
    changed = {"timestamp": iso(found.at), "alarm": rule.name, "from": "OK", "to": "ALARM", "reason": reason(rule, found)}
    older = [
        {"timestamp": o["updated"], "alarm": o["name"], "from": "OK", "to": "ALARM", "reason": o["reason"]}
        for o in others
        if o["state"] == "ALARM"
    ]
    return {"alarms": [own, *others], "history": [changed, *older]}


def trigger(rule: AlarmRule, found: Crossing, region: str, account: str, seed: int) -> JsonObject:
    """The EventBridge event as it arrives: inner times without a Z, `reasonData` a JSON string, dimensions a map."""
    metric = {"namespace": rule.namespace, "name": rule.metric_name, "dimensions": {"ServiceName": rule.service}}
    state = {
        "value": "ALARM",
        "reason": reason(rule, found),
        "reasonData": writing.compact(_data(rule, found)),
        "timestamp": _aws(found.at),
    }
    before = {"value": "OK", "reason": "Unchecked: Initial alarm creation", "timestamp": _aws(found.at - timedelta(days=30))}
    return {
        "version": "0",
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{rule.name}/{iso(found.at)}/{seed}")),
        "detail-type": "CloudWatch Alarm State Change",
        "source": "aws.cloudwatch",
        "account": account,
        "time": iso(found.at),
        "region": region,
        "resources": [f"arn:aws:cloudwatch:{region}:{account}:alarm:{rule.name}"],
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


def reason(rule: AlarmRule, found: Crossing) -> str:
    """CloudWatch's sentence, newest datapoint first."""
    shown = ", ".join(f"{value} ({moment:%d/%m/%y %H:%M:%S})" for moment, value in reversed(found.points))
    count = rule.datapoints
    return (
        f"Threshold Crossed: {count} out of the last {count} datapoints [{shown}] were {rule.words} the threshold ({rule.threshold}) "
        f"(minimum {count} datapoints for OK -> ALARM transition)."
    )


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


def _aws(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S.000}+0000"
