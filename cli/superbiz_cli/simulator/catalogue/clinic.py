"""A clinic's booking system on EKS: an ingress, three services, CoreDNS, three nodes, MySQL on RDS."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from superbiz.domain.values import JsonObject
from superbiz_cli.simulator.catalogue.story import change
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.system import Operation, Route, Service, System

CLUSTER, NAMESPACE = "clinic-prod", "clinic"
INGRESS, PORTAL, BOOKING, RECORDS, COREDNS = "ingress-nginx", "portal", "booking", "records", "coredns"
DATABASE = "clinic-mysql"
NODES = (
    "ip-10-0-11-47.eu-west-1.compute.internal",
    "ip-10-0-12-203.eu-west-1.compute.internal",
    "ip-10-0-13-88.eu-west-1.compute.internal",
)
APPLICATION_LOG, HOST_LOG = f"/aws/containerinsights/{CLUSTER}/application", f"/aws/containerinsights/{CLUSTER}/host"
PORTAL_PODS = ("portal-78f6d9c5bd-2mv8k", "portal-78f6d9c5bd-xq4zt")
BOOKING_PODS = ("booking-5c7b9d6f4-9hk2w", "booking-5c7b9d6f4-lz7pq")
RECORDS_PODS = ("records-66d8f74c97-c5tjn", "records-66d8f74c97-vw9rs")

_INGRESS = (
    Operation("GET /slots", 1.0, ((PORTAL, "GET /slots"),)),
    Operation("POST /appointments", 1.2, ((PORTAL, "POST /appointments"),)),
    Operation("GET /patients/{id}", 1.1, ((RECORDS, "GET /patients/{id}"),)),
)
_PORTAL = (
    Operation("GET /slots", 12, ((BOOKING, "GET /slots"),), said="slots listed for clinic {n}"),
    Operation("POST /appointments", 18, ((RECORDS, "GET /patients/{id}"), (BOOKING, "POST /bookings")), said="appointment {n} requested"),
)
_BOOKING = (
    Operation("GET /slots", 9, ((DATABASE, "SELECT slots"),), said="slots for {n}"),
    Operation("POST /bookings", 15, ((DATABASE, "INSERT bookings"),), said="booking {n} stored"),
)
_RECORDS = (Operation("GET /patients/{id}", 20, ((DATABASE, "SELECT patients"),), said="record {n} read"),)
_QUERIES = (Operation("SELECT slots", 4), Operation("INSERT bookings", 5), Operation("SELECT patients", 3))


def deployment(
    name: str, voice: str | None, pods: tuple[str, ...], operations: tuple[Operation, ...], cpu: float = 30.0, memory: float = 55.0
) -> Service:
    """A deployment with its pods."""
    return Service(name, "AWS::EKS::Deployment", operations, voice, APPLICATION_LOG, pods, cpu, memory, ("signals", "pods"))


CLINIC = System(
    name="clinic",
    services=(
        deployment(INGRESS, "nginx", ("ingress-nginx-controller-6b94c75599-7plmx",), _INGRESS, 18, 41),
        deployment(PORTAL, "winston", PORTAL_PODS, _PORTAL, 26, 49),
        deployment(BOOKING, "fluentbit", BOOKING_PODS, _BOOKING, 31, 57),
        deployment(RECORDS, "logback", RECORDS_PODS, _RECORDS, 34, 66),
        Service(COREDNS, "", (), None, APPLICATION_LOG, ("coredns-54d6f577c6-d8lqk", "coredns-54d6f577c6-mx5tv"), 11, 27, ("pods",)),
        *(Service(n, "", (), None, HOST_LOG, (n,), meters=("node",)) for n in NODES),
        Service(CLUSTER, "", (), meters=("cluster",)),
        Service(
            DATABASE, "Database::SQL", _QUERIES, cpu=17, meters=("rds",), log_group=f"/aws/rds/instance/{DATABASE}/error", tasks=(DATABASE,)
        ),
    ),
    pools=(),
    routes=(
        Route((INGRESS, "GET /slots"), 0.46),
        Route((INGRESS, "POST /appointments"), 0.22),
        Route((INGRESS, "GET /patients/{id}"), 0.32),
    ),
    dimensions={
        "ApplicationSignals": {"Environment": f"eks:{CLUSTER}/{NAMESPACE}"},
        "ContainerInsights/PodName": {"ClusterName": CLUSTER, "Namespace": NAMESPACE},
        "ContainerInsights/NodeName": {"ClusterName": CLUSTER},
    },
)

_FLUENT = '{{"stream":"stderr","_p":"F","log":"{comma} [{n}] [WARNING] booking.slots: calendar of room {n} has overlapping entries","kubernetes":{{"pod_name":"{task}","namespace_name":"clinic","container_name":"booking"}}}}'  # noqa: E501 - one line of a log
HABITS = (
    Habit(PORTAL, 45, '{{"level":"info","message":"session store swept, {n} expired","service":"portal","timestamp":"{stamp}"}}', 0, 30),
    Habit(PORTAL, 240, '{{"level":"warn","message":"request aborted by the client after {n} ms","service":"portal","timestamp":"{stamp}"}}', 900, 8_000),
    Habit(BOOKING, 120, _FLUENT, 21, 60),
    Habit(RECORDS, 50, '{{"@timestamp":"{stamp}","level":"INFO","logger_name":"com.records.Audit","message":"flushed {n} audit rows"}}', 2, 60),
    Habit(RECORDS, 180, '{{"@timestamp":"{stamp}","level":"WARN","logger_name":"com.records.Api","message":"patient {n} has no birth date, continuing"}}', 1_000, 9_999),
    Habit(COREDNS, 90, '[INFO] 10.0.12.{n}:41877 - 8812 "A IN {n}.example.org. udp 44 false 1232" NXDOMAIN qr,rd,ra 119 0.0021s', 2, 250),
    Habit(DATABASE, 400, "{plain} 0 [Note] [MY-010914] [Server] Aborted connection {n} to db: 'clinic' user: 'clinic_app' host: '10.0.12.88' (Got an error reading communication packets).", 800, 9_000),
    *(Habit(n, 75, "{plain} kubelet: I0609 prober.go:107] Probe succeeded for {n} containers", 12, 16) for n in NODES),
)  # fmt: skip


def object_event(moment: datetime, reason: str, kind: str, name: str, message: str, *, count: int = 1, normal: bool = False) -> JsonObject:
    """An event as `kubectl get events` shows it."""
    told = {"kind": kind, "namespace": NAMESPACE, "type": "Normal" if normal else "Warning", "count": count}
    return change(moment, "kubernetes", reason, name if kind == "Node" else f"{NAMESPACE}/{name}", message, "kubelet", **told)


def repeated(first: datetime, every: float, times: int, reason: str, kind: str, name: str, message: str) -> tuple[JsonObject, ...]:
    """An event that comes again every so many minutes; its count grows."""
    return tuple(object_event(first + timedelta(minutes=every * n), reason, kind, name, message, count=1 + 4 * n) for n in range(times))


RUNBOOKS: Mapping[str, str] = {
    "KubePodCrashLooping.md": """# KubePodCrashLooping

A container starts, ends, and is started again with growing pauses.

1. `kubectl -n clinic describe pod POD` shows the last state, its exit code and the events.
2. `kubectl -n clinic logs POD --previous` shows what it said before it ended.
3. Compare with the last rollout: `kubectl -n clinic rollout history deployment/NAME`.
""",
    "portal-faults.md": """# portal answers with errors

portal does little itself. Its errors name booking or records. Look at the pods of the one that is named, then at their nodes.
""",
    "node-not-ready.md": """# A node is not ready

The kubelet has stopped to report. Pods on it are moved after five minutes. `kubectl describe node NODE`; the instance's status checks in
EC2; replace the instance if they fail.
""",
}
