"""What callers see of a service: Application Signals, load balancers, API Gateway; and what it runs on: ECS, pods, nodes."""

from superbiz_cli.simulator.meters.meter import COUNTED, Base, Meter, Number, Seen, Table, level


def _requests(seen: Seen) -> float:
    return seen.state.served * 60


def _failures(seen: Seen) -> float:
    return seen.state.failed_inside * 60


def _milliseconds(factor: float, per: float = 1.0) -> Base:
    return lambda seen: seen.state.typical_ms * factor / per if seen.state.served * 60 >= 1 else None


def cpu(seen: Seen) -> Number:
    """Follows the load and the own slowness; of a service with a capacity it is the share of that which is asked for."""
    if not seen.running:
        return None
    return 100 * seen.state.asked if seen.service.capacity else seen.service.cpu * (0.2 + 0.8 * seen.load)


def _memory(seen: Seen) -> Number:
    return seen.service.memory if seen.running else None


def _tasks(seen: Seen) -> float:
    return float(len(seen.service.tasks)) if seen.running else 0.0


SIGNALS = Table("ApplicationSignals", "Service", (
    Meter("Latency", "SampleCount", "Count", "requests", _requests, COUNTED, digits=0),
    Meter("Fault", "Sum", "Count", "faults", _failures, COUNTED, digits=0),
    Meter("Latency", "Average", "Milliseconds", "latency", _milliseconds(1.06)),
    Meter("Latency", "p50", "Milliseconds", "latency", _milliseconds(1.0)),
    Meter("Latency", "p99", "Milliseconds", "latency", _milliseconds(2.6), 0.08),
))  # fmt: skip
LOAD_BALANCER = Table("AWS/ApplicationELB", "LoadBalancer", (
    Meter("RequestCount", "Sum", "Count", "requests", _requests, COUNTED, digits=0),
    Meter("HTTPCode_Target_5XX_Count", "Sum", "Count", "faults", _failures, COUNTED, digits=0),
    Meter("HTTPCode_Target_4XX_Count", "Sum", "Count", "rejected", lambda s: s.state.rps * 60 * 0.012, COUNTED, digits=0),
    Meter("TargetResponseTime", "Average", "Seconds", "latency", _milliseconds(1.06, 1000), digits=6),
    Meter("TargetResponseTime", "p99", "Seconds", "latency", _milliseconds(2.6, 1000), 0.08, digits=6),
    Meter("HealthyHostCount", "Minimum", "Count", "healthy_hosts", level(2.0), 0.0, digits=0),
    Meter("UnHealthyHostCount", "Maximum", "Count", "unhealthy_hosts", level(0.0), 0.0, digits=0),
    Meter("ActiveConnectionCount", "Sum", "Count", "client_connections", lambda s: 40 + 30 * s.load + s.in_flight * 4, 0.05, digits=0),
))  # fmt: skip
API_GATEWAY = Table("AWS/ApiGateway", "ApiName", (
    Meter("Count", "Sum", "Count", "requests", _requests, COUNTED, digits=0),
    Meter("5XXError", "Sum", "Count", "faults", _failures, COUNTED, digits=0),
    Meter("4XXError", "Sum", "Count", "rejected", lambda s: s.state.rps * 60 * 0.02, COUNTED, digits=0),
    Meter("Latency", "Average", "Milliseconds", "latency", _milliseconds(1.06)),
    Meter("Latency", "p99", "Milliseconds", "latency", _milliseconds(2.6), 0.08),
))  # fmt: skip
EC2 = Table("AWS/EC2", "InstanceId", (
    Meter("CPUUtilization", "Average", "Percent", "cpu", level(34.0, 0.8), 0.06, 100.0),
    Meter("CPUCreditBalance", "Average", "Count", "credits", level(420.0), 0.004),
    Meter("NetworkIn", "Average", "Bytes", "received", level(3_900_000.0, 0.9), 0.06, digits=0),
    Meter("StatusCheckFailed", "Maximum", "Count", "status", level(0.0), 0.0, digits=0),
))  # fmt: skip
ECS = Table("AWS/ECS", "ServiceName", (
    Meter("CPUUtilization", "Average", "Percent", "cpu", cpu, 0.05, 100.0),
    Meter("MemoryUtilization", "Average", "Percent", "memory", _memory, 0.015, 100.0),
))  # fmt: skip
ECS_TASKS = Table("ECS/ContainerInsights", "ServiceName", (
    Meter("RunningTaskCount", "Average", "Count", "running", _tasks, 0.0, digits=0),
    Meter("DesiredTaskCount", "Average", "Count", "desired", _tasks, 0.0, digits=0),
    Meter("PendingTaskCount", "Average", "Count", "pending", level(0.0), 0.0, digits=0),
))  # fmt: skip
PODS = Table("ContainerInsights", "PodName", (
    Meter("pod_cpu_utilization_over_pod_limit", "Average", "Percent", "cpu", cpu, 0.05, 100.0),
    Meter("pod_memory_utilization_over_pod_limit", "Average", "Percent", "memory", _memory, 0.015, 100.0),
    Meter("pod_number_of_container_restarts", "Maximum", "Count", "restarts", level(0.0), 0.0, digits=0),
    Meter("pod_status_ready", "Sum", "Count", "ready", _tasks, 0.0, digits=0),
    Meter("pod_status_pending", "Sum", "Count", "pending", level(0.0), 0.0, digits=0),
    Meter("pod_network_rx_bytes", "Average", "Bytes/Second", "received", level(48_000.0, 0.9), 0.06),
))  # fmt: skip
NODES = Table("ContainerInsights", "NodeName", (
    Meter("node_cpu_utilization", "Average", "Percent", "cpu", level(42.0, 0.5), 0.06, 100.0),
    Meter("node_memory_utilization", "Average", "Percent", "memory", level(61.0), 0.015, 100.0),
    Meter("node_filesystem_utilization", "Average", "Percent", "filesystem", level(47.0), 0.002, 100.0),
    Meter("node_number_of_running_pods", "Average", "Count", "pods", level(14.0), 0.0, digits=0),
    Meter("node_status_condition_ready", "Minimum", "Count", "ready", level(1.0), 0.0, digits=0),
))  # fmt: skip
CLUSTER = Table("ContainerInsights", "ClusterName", (
    Meter("cluster_node_count", "Average", "Count", "nodes", level(3.0), 0.0, digits=0),
    Meter("cluster_failed_node_count", "Maximum", "Count", "failed_nodes", level(0.0), 0.0, digits=0),
))  # fmt: skip
