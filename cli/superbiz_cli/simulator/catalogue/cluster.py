"""Worlds of a cluster's nodes: one that is lost, and too few for what is to run."""

from datetime import timedelta

from superbiz_cli.simulator.catalogue import clinic, ledger
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.chatter import Habit, Rollout
from superbiz_cli.simulator.faults import Bend, Failing, Stopped, Surge
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Gap


def unschedulable() -> Story:
    """booking is scaled out for the morning, but no node has CPU left: four pods stay Pending, and two carry the load of six.

    The scheduler says Insufficient cpu, the autoscaler that the node group has its maximum size. booking is at its CPU limit, slow and
    refusing, portal waits for it. An engineer names the want of room for booking in the cluster: its capacity, or the maximum of the group.
    """
    start, end = at(7, 56), at(8, 22)
    pods = tuple(f"booking-5c7b9d6f4-{tail}" for tail in ("b5rvc", "hj9dm", "k4s7x", "wq2nz"))
    no_room = (
        "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod."
    )
    no_growth = "pod didn't trigger scale-up: 1 max node group size reached"
    booking = clinic.CLINIC.by_name[clinic.BOOKING]._replace(capacity=1.45, overload="worker queue is full, request rejected")
    scaled = "New size: 6; reason: cpu resource utilization (percentage of request) above target"
    scenario = clinic.BASE._replace(
        id="k8s-unschedulable", load=Load(rps=0.9), system=clinic.CLINIC.replaced(booking),
        faults=(
            Surge(at(7, 50), end, 2.6, rise=9.0),
            Bend(clinic.BOOKING, "pending", start, end, to=4.0),
            *(Bend(n, "cpu", at(7, 50), end, to=93.0, rise=6.0) for n in clinic.NODES),
        ),
        start=at(7, 46), end=end, now=end + timedelta(minutes=1), alarm=clinic.latency_alarm(120.0),
        changes=(
            change(start, "kubernetes", "SuccessfulRescale", f"{clinic.NAMESPACE}/{clinic.BOOKING}", scaled, "horizontal-pod-autoscaler"),
            *(e for p in pods for e in clinic.repeated(at(7, 56, 10), 6.0, 4, "FailedScheduling", "Pod", p, no_room)),
            *(e for p in pods[:2] for e in clinic.repeated(at(7, 57), 8.0, 3, "NotTriggerScaleUp", "Pod", p, no_growth)),
            change(at(7, 30), "kubernetes", "SuccessfulCreate", f"{clinic.NAMESPACE}/reminders", "Created job reminders-29139870",
                "cronjob-controller"),
        ),
    )  # fmt: skip
    truth = Truth(
        "root_cause", (clinic.BOOKING, clinic.CLUSTER, *pods), "RESOURCE_EXHAUSTION", also=("INFRASTRUCTURE", "CONFIGURATION"),
        telling=("FailedScheduling", "NotTriggerScaleUp"),
    )  # fmt: skip
    return Story(scenario, truth)


def node_lost() -> Story:
    """A node dies: its kubelet stops, its metrics end, and the pods on it, one of each service, answer nobody until they are moved.

    Half of the calls of every service time out at once, whatever their language or path; on the other nodes all is well. Kubernetes says
    NodeNotReady, Kubelet stopped posting node status. An engineer names the node, not the services. What is gone left holes, not zeros.
    """
    lost, end = at(2, 14), at(2, 21)
    node = clinic.NODES[1]
    gone = "upstream request timeout"
    pods = (clinic.PORTAL_PODS[0], clinic.BOOKING_PODS[0], clinic.RECORDS_PODS[0])
    services = (clinic.PORTAL, clinic.BOOKING, clinic.RECORDS)
    left_over = zip(services, (clinic.PORTAL_PODS[1:], clinic.BOOKING_PODS[1:], clinic.RECORDS_PODS[1:]), strict=True)
    silent = "Node ip-10-0-12-203.eu-west-1.compute.internal status is now: NodeNotReady"
    scenario = clinic.BASE._replace(
        id="k8s-node-lost",
        faults=(
            *(Failing(s, lost, end, 0.45, gone, after_ms=3_000, seen="ETIMEDOUT", unreached=True) for s in services),
            *(Bend(s, "ready", lost, end, to=1.0) for s in services),
            Bend(clinic.CLUSTER, "failed_nodes", lost + timedelta(minutes=1), end, to=1.0),
            Stopped(node, lost, end),
        ),
        start=at(2, 0), end=end, now=end + timedelta(minutes=1), alarm=clinic.failures_alarm(4.0), notice="sns",
        habits=(*clinic.HABITS, Habit(clinic.NODES[0], 30, "{plain} kubelet: E0609 connection to node 10.0.12.203 timed out after {n} s",
            10, 30, since=lost)),
        gaps=(Gap("", node, lost, end),),
        rollouts=tuple(Rollout(s, lost, left) for s, left in left_over),
        changes=(
            clinic.object_event(at(2, 14, 48), "NodeNotReady", "Node", node, silent),
            *(clinic.object_event(at(2, 14, 50), "NodeNotReady", "Pod", p, "Node is not ready") for p in pods),
            *(clinic.object_event(at(2, 19, 55), "TaintManagerEviction", "Pod", p, f"Marking for deletion Pod clinic/{p}") for p in pods),
            change(at(2, 17), "health", "AWS_EC2_INSTANCE_STATUS_CHECK_FAILED", node,
                "System status check failed for i-0c4f1d7a9e2b63f58", "ec2"),
            *ledger.backup(at(1, 30), at(1, 36), clinic.DATABASE),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (node, "i-0c4f1d7a9e2b63f58"), "INFRASTRUCTURE", telling=("NodeNotReady", "STATUS_CHECK")))
