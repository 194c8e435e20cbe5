"""Databases, caches, queues, tables and functions, by their namespaces."""

from superbiz_cli.simulator.backlog import QueueState
from superbiz_cli.simulator.meters.meter import COUNTED, Base, Meter, Number, Seen, Table, level

GIB = 2.0**30
A_FEW = 1.4  # messages that are just on their way


def _connections(seen: Seen) -> float:
    """A pool keeps its connections open whether they are used or not; without pools they follow the load."""
    pools = [p for p in seen.climate.system.pools if p.database == seen.service.name]
    if pools:
        return float(4 + sum(seen.weather.pools[p.name].size for p in pools))
    return seen.service.levels.get("connections", 24.0) + 2 * seen.in_flight


def _latency(usual: float) -> Base:
    return lambda seen: usual * (seen.state.slow if seen.state.slow > 0 else 1.0)


def _cpu(seen: Seen) -> Number:
    if seen.service.capacity:
        return 100 * seen.state.asked
    return seen.service.cpu * (0.3 + 0.7 * seen.load)


def _queue(read: str) -> Base:
    def base(seen: Seen) -> float:
        state: QueueState = seen.weather.queues[seen.service.name]
        return float(getattr(state, read)) + (A_FEW if read == "depth" else 0.0)

    return base


RDS = Table("AWS/RDS", "DBInstanceIdentifier", (
    Meter("CPUUtilization", "Average", "Percent", "cpu", _cpu, 0.05, 100.0),
    Meter("DatabaseConnections", "Average", "Count", "connections", _connections, 0.02, digits=0),
    Meter("FreeableMemory", "Average", "Bytes", "free_memory", level(5.1 * GIB), 0.01, digits=0),
    Meter("FreeStorageSpace", "Average", "Bytes", "free_storage", level(71.0 * GIB), 0.0004, digits=0),
    Meter("ReadIOPS", "Average", "Count/Second", "read_iops", level(62.0, 0.8), 0.09),
    Meter("WriteIOPS", "Average", "Count/Second", "write_iops", level(118.0, 0.8), 0.08),
    Meter("ReadLatency", "Average", "Seconds", "read_latency", _latency(0.0009), 0.1, digits=6),
    Meter("WriteLatency", "Average", "Seconds", "write_latency", _latency(0.0021), 0.1, digits=6),
    Meter("DiskQueueDepth", "Average", "Count", "disk_queue", level(0.4, 0.6), 0.12),
    Meter("DBLoad", "Average", "None", "db_load", level(0.8, 0.8), 0.1),
    Meter("NetworkTransmitThroughput", "Average", "Bytes/Second", "sent_bytes", level(410_000.0, 0.9), 0.06, digits=0),
))  # fmt: skip
REPLICA = Table("AWS/RDS", "DBInstanceIdentifier", (
    Meter("ReplicaLag", "Average", "Seconds", "replica_lag", level(0.6), 0.2),
))  # fmt: skip
BURSTING = Table("AWS/RDS", "DBInstanceIdentifier", (
    Meter("BurstBalance", "Average", "Percent", "burst_balance", level(99.0), 0.003, 100.0),
))  # fmt: skip
ELASTICACHE = Table("AWS/ElastiCache", "CacheClusterId", (
    Meter("EngineCPUUtilization", "Average", "Percent", "cpu", _cpu, 0.06, 100.0),
    Meter("CacheHitRate", "Average", "Percent", "hit_rate", level(94.0), 0.008, 100.0),
    Meter("DatabaseMemoryUsagePercentage", "Average", "Percent", "memory", level(58.0), 0.006, 100.0),
    Meter("Evictions", "Sum", "Count", "evictions", level(0.0), COUNTED, digits=0),
    Meter("CurrConnections", "Average", "Count", "connections", level(36.0), 0.03, digits=0),
))  # fmt: skip
SQS = Table("AWS/SQS", "QueueName", (
    Meter("ApproximateNumberOfMessagesVisible", "Maximum", "Count", "depth", _queue("depth"), COUNTED, digits=0),
    Meter("ApproximateAgeOfOldestMessage", "Maximum", "Seconds", "age", _queue("age"), 0.04, digits=0),
    Meter("NumberOfMessagesSent", "Sum", "Count", "sent", _queue("sent"), COUNTED, digits=0),
    Meter("NumberOfMessagesReceived", "Sum", "Count", "taken", _queue("taken"), COUNTED, digits=0),
    Meter("NumberOfMessagesDeleted", "Sum", "Count", "done", _queue("done"), COUNTED, digits=0),
))  # fmt: skip
DEAD_LETTERS = Table("AWS/SQS", "QueueName", (
    Meter("ApproximateNumberOfMessagesVisible", "Maximum", "Count", "depth", level(3.0), 0.0, digits=0),
))  # fmt: skip
LAMBDA = Table("AWS/Lambda", "FunctionName", (
    Meter("Invocations", "Sum", "Count", "requests", lambda s: s.state.rps * 60, COUNTED, digits=0),
    Meter("Errors", "Sum", "Count", "faults", lambda s: s.state.rps * 60 * s.state.failed, COUNTED, digits=0),
    Meter("Throttles", "Sum", "Count", "throttles", level(0.0), COUNTED, digits=0),
    Meter("Duration", "Average", "Milliseconds", "latency", lambda s: s.state.typical_ms * 1.06 if s.state.rps else None),
    Meter("Duration", "p99", "Milliseconds", "latency", lambda s: s.state.typical_ms * 2.6 if s.state.rps else None, 0.08),
    Meter("ConcurrentExecutions", "Maximum", "Count", "concurrency", lambda s: 2 + 2.2 * s.in_flight, 0.08, digits=0),
))  # fmt: skip
DYNAMODB = Table("AWS/DynamoDB", "TableName", (
    Meter("ConsumedWriteCapacityUnits", "Sum", "Count", "write_units", lambda s: s.state.rps * 60 * (1 - s.state.failed), 0.05),
    Meter("ProvisionedWriteCapacityUnits", "Average", "Count", "provisioned_write", level(10.0), 0.0, digits=0),
    Meter("WriteThrottleEvents", "Sum", "Count", "write_throttles", lambda s: s.state.rps * 60 * max(0.0, s.state.failed - 0.001), COUNTED,
          digits=0),
    Meter("SuccessfulRequestLatency", "Average", "Milliseconds", "latency", level(4.2), 0.06),
    Meter("UserErrors", "Sum", "Count", "user_errors", level(0.0), 0.0, digits=0),
))  # fmt: skip
CERTIFICATE = Table("AWS/CertificateManager", "CertificateArn", (
    Meter("DaysToExpiry", "Minimum", "None", "days", level(61.0), 0.0, digits=0),
))  # fmt: skip
