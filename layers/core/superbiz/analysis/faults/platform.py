"""Faults of processes, containers and nodes, and of what they need to run."""

from superbiz.analysis.faults.names import BESIDE, FELT, Name
from superbiz.analysis.faults.vocabulary import Fault, Seen, seen
from superbiz.domain.claims import FaultCategory as F

S = Seen
_POD = "Run: kubectl describe pod -l app={resource}; for ECS: aws ecs describe-services --services {resource}, field events"
_LOGS = "Read the last lines before each exit: kubectl logs --previous deploy/{resource}, or the stopped tasks in the ECS console"
# What one finds at a workload whose instances do not come up: those that are left carry the load of all.
_STARTING = BESIDE | {
    Name.CRASH_LOOP,
    Name.CRASH_BY_DEPLOY,
    Name.DEPLOY,
    Name.CODE,
    Name.CPU,
    Name.MEMORY,
    Name.EVICTION,
    Name.UNSCHEDULABLE,
}

PLATFORM = (
    Fault(
        Name.CPU, F.RESOURCE_EXHAUSTION,
        (seen(S.CPU_HIGH, S.WAITS_FOR_CPU, S.CPU_THROTTLED),),
        ("Compare CPU of {resource} with its limit in the CloudWatch console, and find what runs: Performance Insights for a database, "
         "kubectl top pod or a profile for a service",
         "Give {resource} more CPU or more instances until the cause is found"),
        helps=seen(S.SLOWER, S.SLOW_STATEMENTS, S.TRAFFIC_UP),
        explains=frozenset({Name.CONNECTION_LIMIT, Name.SLOW_STATEMENTS, Name.REPLICATION_LAG, Name.BLAMED, Name.TIME_OUT, Name.PROBE,
                            Name.CONNECTION_POOL}), spreads=FELT,
    ),
    Fault(
        Name.MEMORY, F.RESOURCE_EXHAUSTION,
        (seen(S.MEMORY_HIGH, S.MEMORY_LIMIT_REACHED),),
        ("Compare memory of {resource} with its limit over the last day, and take a heap profile while it grows",
         "Run: kubectl top pod -l app={resource}, or read FreeableMemory and SwapUsage in the CloudWatch console"),
        heard=seen(S.MEMORY_LIMIT_REACHED), helps=seen(S.RESTARTED, S.CACHE_EVICTS), explains=frozenset({Name.BLAMED, Name.CACHE_EVICTION,
            Name.RESTARTS}), scatters=frozenset({Name.EVICTION}), spreads=FELT | {Name.MEMORY}, trust=0.8,
    ),
    Fault(
        Name.OUT_OF_MEMORY, F.RESOURCE_EXHAUSTION,
        (seen(S.OUT_OF_MEMORY),),
        ("Compare the memory limit of {resource} with its usage before each kill: kubectl describe pod -l app={resource}, or the stopped "
         "tasks in the ECS console",
         "Raise the memory limit of {resource}, or find what allocates: a heap dump on OutOfMemoryError, the request it served last"),
        helps=seen(S.MEMORY_HIGH, S.RESTARTED, S.CRASH_LOOP, S.EVICTED),
        explains=BESIDE | {Name.MEMORY, Name.CRASH_LOOP, Name.CRASH_BY_DEPLOY, Name.EVICTION, Name.CPU, Name.CODE, Name.CACHE_EVICTION,
                           Name.NODE_LOST}, spreads=FELT,
    ),
    Fault(
        Name.HANDLES, F.RESOURCE_EXHAUSTION,
        (seen(S.HANDLES_EXHAUSTED),),
        ("Compare open files and threads of {resource} with their limits: ls /proc/<pid>/fd, ulimit -n, a thread dump",),
        explains=BESIDE | {Name.CODE}, spreads=FELT,
    ),
    Fault(
        Name.IMAGE_PULL, F.DEPLOYMENT,
        (seen(S.IMAGE_PULL),),
        (_POD, "Check that the image and tag of {resource} exist and may be read: aws ecr describe-images, and the pull role or secret"),
        helps=seen(S.DEPLOYED, S.ROLLED_BACK), explains=_STARTING | {Name.CONFIGURATION}, spreads=FELT,
    ),
    Fault(
        Name.CRASH_BY_CONFIGURATION, F.CONFIGURATION,
        (seen(S.CRASH_LOOP, S.RESTARTED), seen(S.MISCONFIGURED, S.CONFIGURED)),
        (_LOGS, "Compare the configuration of {resource} with the last one that started: kubectl rollout history deploy/{resource}, the "
                "ConfigMap or parameter that changed"),
        helps=seen(S.PROBE_FAILURE), explains=_STARTING | {Name.CONFIGURATION, Name.MISCONFIGURED, Name.DATA}, spreads=FELT,
    ),
    Fault(
        Name.CRASH_BY_DEPLOY, F.DEPLOYMENT,
        (seen(S.CRASH_LOOP), seen(S.DEPLOYED)),
        (_LOGS, "Roll {resource} back: kubectl rollout undo deploy/{resource}, or aws ecs update-service with the last task definition"),
        helps=seen(S.CODE_ERROR, S.PROBE_FAILURE), explains=_STARTING, spreads=FELT,
    ),
    Fault(
        Name.CRASH_LOOP, F.GENERAL,
        (seen(S.CRASH_LOOP),),
        (_LOGS, _POD),
        helps=seen(S.RESTARTED, S.CODE_ERROR, S.PROBE_FAILURE), explains=frozenset({Name.PROBE, Name.RESTARTS, Name.BLAMED}), spreads=FELT,
    ),
    Fault(
        Name.MOUNT, F.CONFIGURATION,
        (seen(S.MOUNT_FAILURE),),
        (_POD, "Check that the volume, ConfigMap or secret that {resource} mounts exists in its namespace and zone"),
        explains=_STARTING, spreads=FELT,
    ),
    Fault(
        Name.UNSCHEDULABLE, F.RESOURCE_EXHAUSTION,
        (seen(S.UNSCHEDULABLE),),
        ("Run: kubectl describe pod -l app={resource}, and kubectl describe nodes for what is allocated; for ECS read the service events",
         "Raise the maximum size of the node group, or lower the requests of {resource}"),
        helps=seen(S.SCALED, S.CPU_HIGH, S.CAPACITY_LOST), explains=BESIDE | {Name.CPU, Name.MEMORY, Name.CRASH_LOOP, Name.SURGE},
        spreads=FELT,
    ),
    Fault(
        Name.EVICTION, F.RESOURCE_EXHAUSTION,
        (seen(S.EVICTED),),
        ("Run: kubectl describe node for the pressure that evicted {resource}, and set requests and limits for it",),
        helps=seen(S.MEMORY_HIGH, S.DISK_FULL), explains=BESIDE, spreads=FELT, trust=0.8,
    ),
    Fault(
        Name.NODE_LOST, F.INFRASTRUCTURE,
        (seen(S.NODE_LOST),),
        ("Run: kubectl describe node {resource}, and aws ec2 describe-instance-status for the instance behind it",
         "Drain {resource} and replace its instance"),
        helps=seen(S.EVICTED, S.CAPACITY_LOST), explains=BESIDE | {Name.EVICTION, Name.MEMORY, Name.CPU},
        spreads=FELT | {Name.RESTARTS, Name.CRASH_LOOP}, scatters=frozenset({Name.EVICTION}),
    ),
    Fault(
        Name.PROBE, F.GENERAL,
        (seen(S.PROBE_FAILURE),),
        (_POD, "Call the health check of {resource} by hand and compare its answer and time with the probe's settings"),
        helps=seen(S.CAPACITY_LOST, S.RESTARTED, S.CONFIGURED), explains=frozenset({Name.RESTARTS, Name.BLAMED}), trust=0.7,
    ),
    Fault(
        Name.PROVIDER, F.INFRASTRUCTURE,
        (seen(S.PROVIDER_ISSUE),),
        ("Read the AWS Health Dashboard for {resource}, and move traffic to another zone or region where it can be",),
        explains=BESIDE, spreads=FELT, trust=0.8,
    ),
)  # fmt: skip
