"""A clinic's booking system on EKS: an ingress, three services, CoreDNS, three nodes, MySQL on RDS."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from superbiz.domain.values import JsonObject
from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.catalogue import lines
from superbiz_cli.simulator.catalogue.story import DAY, at, change, standing
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Scenario
from superbiz_cli.simulator.system import Operation, Route, Service, System

CLUSTER, NAMESPACE = "clinic-prod", "clinic"
INGRESS, PORTAL, BOOKING, RECORDS, COREDNS = "ingress-nginx", "portal", "booking", "records", "coredns"
DATABASE = "clinic-mysql"
NODES = tuple(f"ip-10-0-{n}.eu-west-1.compute.internal" for n in ("11-47", "12-203", "13-88"))
APPLICATION_LOG, HOST_LOG = f"/aws/containerinsights/{CLUSTER}/application", f"/aws/containerinsights/{CLUSTER}/host"
PORTAL_PODS = ("portal-78f6d9c5bd-2mv8k", "portal-78f6d9c5bd-xq4zt")
BOOKING_PODS = ("booking-5c7b9d6f4-9hk2w", "booking-5c7b9d6f4-lz7pq")
RECORDS_PODS = ("records-66d8f74c97-c5tjn", "records-66d8f74c97-vw9rs")
COREDNS_PODS = ("coredns-54d6f577c6-d8lqk", "coredns-54d6f577c6-mx5tv")

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


def _deployment(
    name: str, voice: str | None, pods: tuple[str, ...], operations: tuple[Operation, ...], cpu: float, memory: float
) -> Service:
    return Service(
        name,
        "AWS::EKS::Deployment",
        operations,
        voice,
        APPLICATION_LOG,
        pods,
        cpu,
        memory,
        ("signals", "pods"),
        hiccup="connection reset by peer",
    )


CLINIC = System(
    name="clinic",
    services=(
        _deployment(INGRESS, "nginx", ("ingress-nginx-controller-6b94c75599-7plmx",), _INGRESS, 18, 41),
        _deployment(PORTAL, "winston", PORTAL_PODS, _PORTAL, 26, 49),
        _deployment(BOOKING, "fluentbit", BOOKING_PODS, _BOOKING, 31, 57),
        _deployment(RECORDS, "logback", RECORDS_PODS, _RECORDS, 34, 66),
        Service(COREDNS, "", (), None, APPLICATION_LOG, COREDNS_PODS, 11, 27, ("pods",)),
        *(Service(n, "", (), None, HOST_LOG, (n,), meters=("node",)) for n in NODES),
        Service(CLUSTER, "", (), meters=("cluster",)),
        Service(
            DATABASE, "Database::SQL", _QUERIES, None, f"/aws/rds/instance/{DATABASE}/error", (DATABASE,), cpu=17, meters=("rds",),
            hiccup="Lost connection to MySQL server during query",
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
)  # fmt: skip

_OVERLAP = lines.fluentbit(BOOKING, "{comma} [22] [WARNING] booking.slots: calendar of room {n} has overlapping entries", NAMESPACE)
_ABORTED = "Aborted connection {n} to db: 'clinic' user: 'clinic_app' host: '10.0.12.88' (Got an error reading communication packets)."
_PROBED = "{plain} kubelet: I0609 prober.go:107] Probe succeeded for {n} containers"
_SEARCHED = '10.0.12.{n}:41877 - 8812 "A IN clinic.clinic.svc.cluster.local. udp 44 false 1232" NXDOMAIN qr,aa,rd 137 0.0002s'
HABITS = (
    Habit(PORTAL, 45, lines.winston(PORTAL, "session store swept, {n} expired"), 0, 30),
    Habit(PORTAL, 240, lines.winston(PORTAL, "request aborted by the client after {n} ms", "warn"), 900, 8_000),
    Habit(BOOKING, 120, _OVERLAP, 1, 60),
    Habit(RECORDS, 50, lines.logback("com.records.Audit", "flushed {n} audit rows"), 2, 60),
    Habit(RECORDS, 180, lines.logback("com.records.Api", "patient {n} has no birth date, continuing", "WARN"), 1_000, 9_999),
    Habit(COREDNS, 60, lines.coredns(_SEARCHED), 2, 250),
    Habit(DATABASE, 400, lines.mysql(_ABORTED), 800, 9_000),
    *(Habit(n, 75, _PROBED, 12, 16) for n in NODES),
)


def failures_alarm(threshold: float = 10.0) -> AlarmRule:
    """portal answers with errors; responses a minute."""
    words = f"portal gives more than {threshold:.0f} faults a minute"
    return AlarmRule("portal-faults-high", "ApplicationSignals", "Fault", "Sum", PORTAL, threshold, False, 3, words)


def latency_alarm(threshold: float) -> AlarmRule:
    """portal is slow; milliseconds."""
    return AlarmRule(
        "portal-latency-high",
        "ApplicationSignals",
        "Latency",
        "Average",
        PORTAL,
        threshold,
        False,
        3,
        f"portal takes over {threshold:.0f} ms",
    )


def object_event(moment: datetime, reason: str, kind: str, name: str, message: str, *, count: int = 1, normal: bool = False) -> JsonObject:
    """An event as `kubectl get events` shows it."""
    told = {"kind": kind, "namespace": NAMESPACE, "type": "Normal" if normal else "Warning", "count": count}
    return change(moment, "kubernetes", reason, name if kind == "Node" else f"{NAMESPACE}/{name}", message, "kubelet", **told)


def repeated(
    first: datetime, every: float, times: int, reason: str, kind: str, name: str, message: str, *, growing: int = 4
) -> tuple[JsonObject, ...]:
    """An event that comes again every so many minutes; its count grows."""
    moments = (first + timedelta(minutes=every * n) for n in range(times))
    return tuple(object_event(m, reason, kind, name, message, count=1 + growing * n) for n, m in enumerate(moments))


def rolled_out(moment: datetime, name: str, message: str) -> JsonObject:
    """What the delivery tool records of a rollout."""
    return change(moment, "deploy", "RolloutStarted", f"{NAMESPACE}/{name}", message, "argocd")


RUNBOOKS: Mapping[str, str] = {
    "KubePodCrashLooping.md": """# KubePodCrashLooping

A container starts, ends, and is started again with growing pauses.

1. `kubectl -n clinic describe pod POD` shows the last state, its exit code and the events.
2. `kubectl -n clinic logs POD --previous` shows what it said before it ended.
3. Compare with the last rollout: `kubectl -n clinic rollout history deployment/NAME`.
""",
    "portal-faults-high.md": """# portal-faults-high

portal does little itself. Its errors name booking or records. Look at the pods of the one that is named, then at their nodes.
""",
    "node-not-ready.md": """# A node is not ready

The kubelet has stopped to report. Pods on it are moved after five minutes. `kubectl describe node NODE`; the instance's status checks in
EC2; replace the instance if they fail.
""",
}
OTHER_ALARMS = (
    standing("clinic-mysql-cpu-high", "AWS/RDS CPUUtilization", {"DBInstanceIdentifier": DATABASE}, DAY - timedelta(days=21), 80.0),
    standing(
        "clinic-prod-node-memory", "ContainerInsights node_memory_utilization", {"ClusterName": CLUSTER}, DAY - timedelta(days=2), 85.0
    ),
)
BASE = Scenario(
    id="", system=CLINIC, cluster=CLUSTER, load=Load(rps=1.3), faults=(), start=at(8, 20), end=at(8, 50), now=at(8, 51), habits=HABITS,
    runbooks=RUNBOOKS, other_alarms=OTHER_ALARMS, quiet_minutes=10, normal_minutes=110,
)  # fmt: skip
