"""By which statistics a metric is read, in which unit it comes, and what a missing datapoint of it means. Tables over names.

Statistics and units as the services' "CloudWatch metrics" pages give them; GetMetricData tells no unit.
"""

import re
from typing import NamedTuple


class Read(NamedTuple):
    """The row that fits a metric's name first decides."""

    name: re.Pattern[str]
    stats: tuple[str, ...]
    unit: str


def _read(name: str, unit: str, *stats: str) -> Read:
    return Read(re.compile(name, re.I), stats, unit)


READS = (
    _read(r"percent|utili[sz]ation|hitrat(e|io)|(burst|byte|io)balance|_over_.*_limit|availability", "Percent", "Average", "Maximum"),
    _read(r"creditbalance", "Count", "Average"),
    _read(r"replicalag|replicationlag|ageof|delayseconds|timetoendpoint", "Seconds", "Average", "Maximum"),
    _read(r"iteratorage", "Milliseconds", "Maximum"),
    _read(r"latency|responsetime|duration|executiontime|timetofirst|elapsed|processingtime", "Seconds", "Average", "p99"),
    _read(r"concurrentexecutions|healthyhost|hostcount", "Count", "Maximum", "Minimum"),
    _read(r"statuscheckfailed", "Count", "Maximum"),
    _read(r"httpcode|[2-5]xx|error|fault|fail|exception|throttl|reject|timeout|timedout|abort|deadlock|invocations?|request|consumed|"
          r"executions|messages(sent|received|deleted)|published|delivered|conditionalcheck|retries|cancelled|deadletter", "Count", "Sum"),
    _read(r"connections$|dbload|queuedepth|messages(visible|notvisible|delayed)|diskqueue|activetransactions|(running|pending|desired)task|"
          r"number_of|_count$|threads|evictions?$|inservice", "Count", "Average", "Maximum"),
    _read(r"free|available(memory|bytes)|remaining", "Bytes", "Average", "Minimum"),
    _read(r"bytes|throughput", "Bytes", "Average", "Sum"),
    _read(r"iops", "Count/Second", "Average"),
    _read(r"memory|_mem|storage|swap", "Bytes", "Average", "Maximum"),
    _read(r"cpu", "None", "Average", "Maximum"),
    _read(r"count$|_total$|number", "Count", "Sum"),
)  # fmt: skip
OTHER = Read(re.compile(""), ("Average", "Maximum"), "None")
# Where a service differs from what the names of its metrics say.
IN_MILLISECONDS = frozenset(
    {"AWS/Lambda", "AWS/ApiGateway", "AWS/DynamoDB", "AWS/States", "ApplicationSignals", "LambdaInsights", "AWS/Kinesis"}
)
SHARES = frozenset({("AWS/ApiGateway", "4XXError"), ("AWS/ApiGateway", "5XXError"), ("AWS/ApiGateway", "4xx"), ("AWS/ApiGateway", "5xx")})
SPELT_IN = {
    ("ECS/ContainerInsights", "MemoryUtilized"): "Megabytes",
    ("ECS/ContainerInsights", "MemoryReserved"): "Megabytes",
    ("AWS/RDS", "AuroraReplicaLag"): "Milliseconds",
    ("AWS/RDS", "AuroraReplicaLagMaximum"): "Milliseconds",
}
# Written only where there is something to count ("Reporting criteria: There is a nonzero value"): no datapoint is a zero.
ONLY_NONZERO = {
    "AWS/ApplicationELB": re.compile(r"HTTPCode_|ErrorCount$|RejectedConnectionCount|LambdaUserError|_Count$"),
    "AWS/ELB": re.compile(r"HTTPCode_|BackendConnectionErrors|SpilloverCount"),
    "AWS/DynamoDB": re.compile(r"Throttle|SystemErrors|UserErrors|ConditionalCheckFailed|TransactionConflict"),
    "AWS/Lambda": re.compile(r"DeadLetterErrors|DestinationDeliveryFailures|AsyncEventsDropped"),
}


def stats_of(namespace: str, metric: str) -> tuple[str, ...]:
    """What to read of a metric: sums of what is counted, average and extreme of what is a state."""
    return ("Sum", "Average") if (namespace, metric) in SHARES else _row(metric).stats


def unit_of(namespace: str, metric: str, stat: str) -> str:
    """The unit of the values; `None` where it is not known. The average of an API's 0-or-1 error metric is a share."""
    if stat == "SampleCount":
        return "Count"
    if (namespace, metric) in SPELT_IN:
        return SPELT_IN[namespace, metric]
    if (namespace, metric) in SHARES and stat != "Sum":
        return "None"
    unit = _row(metric).unit
    if unit == "Seconds" and namespace in IN_MILLISECONDS:
        return "Milliseconds"
    return unit if namespace.startswith("AWS/") or unit in ("Percent", "Count") else "None"


def missing_is_zero(namespace: str, metric: str, stat: str) -> bool:
    """Whether no datapoint means that nothing was counted."""
    written = ONLY_NONZERO.get(namespace)
    return stat == "Sum" and written is not None and written.search(metric) is not None


def _row(metric: str) -> Read:
    return next((r for r in READS if r.name.search(metric)), OTHER)
