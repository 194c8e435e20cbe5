"""What metrics show, by their names in CloudWatch, Container Insights, Prometheus and common agents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis.faults import Seen
from superbiz.analysis.faults.gauges import MOST, Move, sights

RISES = {
    Seen.CPU_HIGH: ("CPUUtilization", "EngineCPUUtilization", "pod_cpu_utilization_over_pod_limit", "LoadAverage1m"),
    Seen.CPU_THROTTLED: ("container_cpu_cfs_throttled_periods_total",),
    Seen.MEMORY_HIGH: ("MemoryUtilization", "pod_memory_utilization_over_pod_limit", "container_memory_working_set_bytes", "SwapUsage",
                       "DatabaseMemoryUsagePercentage", "JVMMemoryPressure"),
    Seen.DISK_FILLING: ("disk_used_percent", "node_filesystem_utilization", "StorageUtilization"),
    Seen.IO_HIGH: ("DiskQueueDepth", "ReadLatency", "WriteLatency", "VolumeQueueLength"),
    Seen.IO_CREDITS_LOW: ("PercentIOLimit",),
    Seen.WRITES_UP: ("WriteIOPS", "WriteThroughput", "ConsumedWriteCapacityUnits"),
    Seen.READS_UP: ("ReadIOPS", "ConsumedReadCapacityUnits"),
    Seen.CONNECTIONS_HIGH: ("DatabaseConnections", "CurrConnections", "threads_connected", "ActiveConnectionCount"),
    Seen.POOL_EXHAUSTED: ("hikaricp_connections_pending", "PoolWaitTime", "ConnectionBorrowLatency"),
    Seen.CONNECTION_FAILED: ("TargetConnectionErrorCount", "RejectedConnectionCount", "Aborted_clients"),
    Seen.REPLICA_LAG: ("ReplicaLag", "AuroraReplicaLag", "Seconds_Behind_Master", "OldestReplicationSlotLag"),
    Seen.LOCK_WAITS: ("Deadlocks", "innodb_row_lock_waits", "BlockedTransactions"),
    Seen.RESTARTED: ("pod_number_of_container_restarts", "kube_pod_container_status_restarts_total"),
    Seen.CAPACITY_LOST: ("UnHealthyHostCount",),
    Seen.NODE_LOST: ("StatusCheckFailed", "StatusCheckFailed_System", "cluster_failed_node_count"),
    Seen.UNSCHEDULABLE: ("PendingTaskCount", "scheduler_pending_pods"),
    Seen.CERTIFICATE: ("ClientTLSNegotiationErrorCount",),
    Seen.CREDENTIALS: ("LoginFailures", "AuthenticationErrors"),
    Seen.THROTTLED: ("Throttles", "ThrottledRequests", "WriteThrottleEvents", "ReadProvisionedThroughputExceeded"),
    Seen.CONCURRENCY_HIGH: ("ConcurrentExecutions",),
    Seen.QUEUE_DEEP: ("ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage", "IteratorAge", "SumOffsetLag", "queue_depth"),
    Seen.DEAD_LETTERS: ("DeadLetterErrors",),
    Seen.SENT_MORE: ("NumberOfMessagesSent", "IncomingRecords"),
    Seen.COLD_START: ("InitDuration", "ProvisionedConcurrencySpilloverInvocations"),
    Seen.CACHE_EVICTS: ("Evictions",),
    Seen.CACHE_MISSES: ("CacheMisses",),
    Seen.TRAFFIC_UP: ("RequestCount", "Invocations", "requests", "RequestCountPerTarget"),
    Seen.ERRORS_UP: ("HTTPCode_Target_5XX_Count", "HTTPCode_ELB_504_Count", "Errors", "5XXError", "SystemErrors"),
    Seen.SLOWER: ("TargetResponseTime", "Latency", "Duration", "IntegrationLatency"),
    Seen.NETWORK_LOSS: ("ErrorPortAllocation", "pod_interface_network_rx_dropped", "tcp_retransmits"),
}  # fmt: skip
FALLS = {
    Seen.MEMORY_HIGH: ("FreeableMemory", "mem_available"),
    Seen.DISK_FILLING: ("FreeStorageSpace", "FreeLocalStorage", "disk_free"),
    Seen.IO_CREDITS_LOW: ("BurstBalance", "EBSIOBalance%", "EBSByteBalance%"),
    Seen.CPU_CREDITS_LOW: ("CPUCreditBalance",),
    Seen.CONNECTIONS_LOST: ("DatabaseConnections",),
    Seen.CAPACITY_LOST: ("HealthyHostCount", "RunningTaskCount", "service_number_of_running_pods"),
    Seen.CERTIFICATE: ("DaysToExpiry",),
    Seen.TAKEN_LESS: ("NumberOfMessagesDeleted",),
    Seen.TRAFFIC_GONE: ("RequestCount",),
    Seen.ERRORS_UP: ("Availability", "SuccessRate"),
    Seen.CACHE_MISSES: ("CacheHitRate",),
}


def shown(metric: str, deviation: float, **fields: object) -> dict[Seen, float]:
    given = {"unit": "", "baseline": 10.0, "worst": 100.0 if deviation > 0 else 1.0} | fields
    return dict(sights(Move(metric, deviation=deviation, **given)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("seen", "metric"), [(s, m) for s, ms in RISES.items() for m in ms])
def test_a_metric_that_rises_shows(seen: Seen, metric: str) -> None:
    assert seen in shown(metric, 20.0)


@pytest.mark.parametrize(("seen", "metric"), [(s, m) for s, ms in FALLS.items() for m in ms])
def test_a_metric_that_falls_shows(seen: Seen, metric: str) -> None:
    assert seen in shown(metric, -20.0)
    assert seen not in shown(metric, 20.0)


@pytest.mark.parametrize("metric", ["cpu_limit", "memory_reserved", "kube_pod_container_resource_requests_cpu", "CPUIdle", "MemberCount"])
def test_a_limit_or_a_reserve_is_no_usage(metric: str) -> None:
    assert not {Seen.CPU_HIGH, Seen.MEMORY_HIGH} & shown(metric, 20.0).keys()


def test_errors_are_no_traffic_and_a_disks_latency_is_no_slow_service() -> None:
    assert Seen.TRAFFIC_UP not in shown("RequestErrorCount", 20.0)
    assert Seen.SLOWER not in shown("ReadLatency", 20.0)


def test_a_lag_of_moments_is_none() -> None:
    assert shown("ReplicaLag", 50.0, unit="Seconds", baseline=0.02, worst=0.9) == {}
    assert shown("AuroraReplicaLag", 50.0, unit="Milliseconds", baseline=15.0, worst=80.0) == {}
    assert shown("ReplicaLag", 50.0, unit="Seconds", baseline=0.02, worst=200.0) == {Seen.REPLICA_LAG: 1.0}


def test_a_count_has_to_multiply_to_weigh() -> None:
    little = shown("RequestCount", 20.0, baseline=100.0, worst=130.0)[Seen.TRAFFIC_UP]
    double = shown("RequestCount", 20.0, baseline=100.0, worst=200.0)[Seen.TRAFFIC_UP]
    assert little < 0.4
    assert double == pytest.approx(1.0)


def test_a_condition_weighs_what_it_was_given() -> None:
    assert shown("CPUUtilization", 5.0, weight=2.5) == {Seen.CPU_HIGH: 2.5}
    assert shown("CPUUtilization", 5.0, weight=19.0) == {Seen.CPU_HIGH: MOST}


def test_an_ordinary_value_shows_nothing() -> None:
    assert shown("CPUUtilization", 1.5) == {}


NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)


@given(st.text(max_size=30), st.text(max_size=8), NUMBERS, NUMBERS, NUMBERS, st.none() | st.floats(0, 50))
def test_any_name_and_numbers_give_bounded_strengths(
    metric: str, unit: str, baseline: float, worst: float, deviation: float, weight: float | None
) -> None:
    assert all(0 < strength <= MOST for _, strength in sights(Move(metric, unit, baseline, worst, deviation, weight)))
