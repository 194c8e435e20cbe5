"""What kind of thing a metric measures, read from its name and unit: which side is bad, and what a move of it says."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from superbiz.domain.claims import FaultCategory
from superbiz.domain.observations import Series


class Kind(StrEnum):
    """Symptoms are felt by callers (availability, latency, errors); conditions are states of the resource itself."""

    AVAILABILITY = "availability"
    ERRORS = "errors"
    LATENCY = "latency"
    THROTTLING = "throttling"
    HEADROOM = "headroom"
    BACKLOG = "backlog"
    RESTARTS = "restarts"
    SATURATION = "saturation"
    TRAFFIC = "traffic"
    OTHER = "other"


class Rule(NamedTuple):
    """`falling` names the bad side: True below, False above, None either."""

    kind: Kind
    name: re.Pattern[str]
    falling: bool | None
    category: FaultCategory


def _rule(kind: Kind, name: str, falling: bool | None, category: FaultCategory = FaultCategory.GENERAL) -> Rule:
    return Rule(kind, re.compile(name, re.I), falling, category)


EXHAUSTION = FaultCategory.RESOURCE_EXHAUSTION
# The first row that matches decides. More telling words stand above more common ones.
RULES = (
    _rule(Kind.AVAILABILITY, r"availability|success|\bhealthy|healthyhost(?!.*un)|\bup\b", True),
    _rule(Kind.HEADROOM, r"free|available(memory|storage|disk)|remaining|creditbalance|burstbalance", True, EXHAUSTION),
    _rule(Kind.TRAFFIC, r"consumed\w*capacity", None),
    _rule(Kind.THROTTLING, r"throttl|rejected|quota|limitexceed", False, EXHAUSTION),
    _rule(Kind.RESTARTS, r"restart|crash|oom|evict", False, EXHAUSTION),
    _rule(Kind.ERRORS, r"error|fault|5xx|4xx|fail|exception|timeout|unhealthy|deadlock|dropped|aborted", False),
    _rule(Kind.BACKLOG, r"lag|ageof|iteratorage|backlog|queuedepth|queue.?length|messagesvisible|diskqueue", False, EXHAUSTION),
    _rule(Kind.LATENCY, r"latency|duration|response.?time|elapsed|time.?to|connect.?time", False),
    _rule(Kind.SATURATION, r"cpu|memory|mem_|heap|swap|utili[sz]ation|usage.?rate|connections|threads|concurren|capacity|iops|load",
          False, EXHAUSTION),
    _rule(Kind.TRAFFIC, r"requests?|invocations?|count|throughput|bytes|packets|operations|calls|transactions|syscall|workload", None),
)  # fmt: skip
OTHER = Rule(Kind.OTHER, re.compile(""), None, FaultCategory.GENERAL)
SYMPTOMS = (Kind.AVAILABILITY, Kind.ERRORS, Kind.LATENCY)
CONDITIONS = (Kind.SATURATION, Kind.HEADROOM, Kind.THROTTLING, Kind.BACKLOG, Kind.RESTARTS)

# Which dimension names the resource, most telling first; of what is not here, the first by name.
SUBJECT_DIMENSIONS = (
    "ServiceName", "Service", "FunctionName", "DBInstanceIdentifier", "DBClusterIdentifier", "CacheClusterId", "TableName", "QueueName",
    "TopicName", "StreamName", "StateMachineArn", "TargetGroup", "LoadBalancer", "ApiName", "ApiId", "BucketName", "FileSystemId",
    "VolumeId", "AutoScalingGroupName", "InstanceId", "PodName", "NodeName", "ContainerName", "ClusterName",
    "service", "deployment", "statefulset", "daemonset", "function", "persistentvolumeclaim", "pod", "container", "node", "instance",
    "namespace", "cluster",
)  # fmt: skip
_BALANCED = re.compile(r"(?:targetgroup|app|net|gwy)/([^/]+)/[0-9a-f]{6,}")
THINGS = re.compile(r"cpu|mem|disk|storage|heap|swap|connection|thread|network", re.I)
WEIGHTS = re.compile(r"requests?|requestcount|invocations?|calls|hits|count", re.I)


def rule_of(metric: str) -> Rule:
    """The first rule whose words stand in the metric's name."""
    return next((r for r in RULES if r.name.search(metric)), OTHER)


def subject_of(series: Series) -> str:
    """The name of the resource that a series measures; without dimensions its namespace."""
    return subject_among(series.dimensions) or series.namespace or series.metric_name


def subject_among(given: Mapping[str, str]) -> str:
    """The name of the resource that dimensions or labels tell; empty where there are none. A target group bears its service's name."""
    named = next((given[d] for d in SUBJECT_DIMENSIONS if given.get(d)), None)
    found = named or next((given[d] for d in sorted(given) if given[d]), "")
    balanced = _BALANCED.fullmatch(found)
    return balanced[1] if balanced else found


def is_weight(series: Series) -> bool:
    """Whether a series counts requests, so that it can weigh another."""
    return series.stat.lower() == "sum" and WEIGHTS.fullmatch(series.metric_name) is not None


def thing_of(series: Series) -> str:
    """What is used up: cpu, memory, disk, …; else the metric's own name."""
    found = THINGS.search(series.metric_name)
    return found[0].lower() if found else series.metric_name.lower()


def is_percent(series: Series) -> bool:
    """Whether its values have a natural limit of 100."""
    return series.unit.lower() in ("percent", "%")
