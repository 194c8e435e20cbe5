"""Faults of databases and of what stores data."""

from superbiz.analysis.faults.names import FELT, Name
from superbiz.analysis.faults.vocabulary import Fault, Seen, seen
from superbiz.domain.claims import FaultCategory as F

S = Seen
_LOADED = frozenset({Name.CONNECTION_LIMIT, Name.SLOW_STATEMENTS, Name.LONG_TRANSACTION, Name.BLAMED, Name.TIME_OUT})
_PI = "Open Performance Insights (CloudWatch Database Insights) of {resource}"
_EVENTS = "Run: aws rds describe-events --source-type db-instance --source-identifier {resource} --duration 1440"
_DESCRIBE = "Run: aws rds describe-db-instances --db-instance-identifier {resource}"

DATABASES = (
    Fault(
        Name.CONNECTION_LIMIT, F.RESOURCE_EXHAUSTION,
        (seen(S.CONNECTIONS_REFUSED_BY_LIMIT, S.CONNECTIONS_HIGH),),
        ("Compare DatabaseConnections of {resource} with max_connections, and count sessions by client in pg_stat_activity or "
         "information_schema.processlist",
         "Put RDS Proxy or a smaller client pool before {resource}, or raise max_connections in its parameter group"),
        heard=seen(S.CONNECTIONS_REFUSED_BY_LIMIT), helps=seen(S.CONNECTION_FAILED, S.MEMORY_HIGH), explains=frozenset({Name.MEMORY,
            Name.BLAMED}), spreads=FELT | {Name.CONNECTION_LIMIT},
    ),
    Fault(
        Name.CONNECTION_POOL, F.RESOURCE_EXHAUSTION,
        (seen(S.POOL_EXHAUSTED),),
        ("Compare the connections in use by {resource} with its pool size, and take a thread dump for calls that hold a connection long",
         "Compare the pool settings of {resource} with those of its last version, and with max_connections of the database"),
        helps=seen(S.CONFIGURED, S.DEPLOYED, S.TRAFFIC_UP), explains=frozenset({Name.TIME_OUT, Name.DEPENDENCY, Name.BLAMED}), spreads=FELT,
    ),
    Fault(
        Name.LOCKS, F.DATA,
        (seen(S.LOCK_WAITS),),
        ("List who blocks whom in {resource}: pg_blocking_pids() with pg_stat_activity, or SHOW ENGINE INNODB STATUS",
         "End the blocking session of {resource} with pg_terminate_backend or KILL, once its owner agrees"),
        heard=seen(S.LOCK_WAITS), helps=seen(S.LONG_TRANSACTION, S.ONE_STATEMENT, S.CONNECTIONS_HIGH, S.SLOW_STATEMENTS),
        explains=_LOADED | {Name.STATEMENT, Name.CPU, Name.IO}, spreads=FELT | {Name.LOCKS, Name.SLOW_STATEMENTS},
    ),
    Fault(
        Name.STATEMENT, F.RESOURCE_EXHAUSTION,
        (seen(S.ONE_STATEMENT), seen(S.CPU_HIGH, S.WAITS_FOR_CPU, S.WAITS_FOR_IO, S.IO_HIGH, S.SLOW_STATEMENTS)),
        (_PI + ", top SQL by load, and run EXPLAIN (ANALYZE, BUFFERS) on the first statement",
         "Compare the statement's plan and indexes in {resource} with those of last week"),
        helps=seen(S.READS_UP, S.CONNECTIONS_HIGH), explains=_LOADED | {Name.CPU, Name.IO, Name.MEMORY}, spreads=FELT,
    ),
    Fault(
        Name.SLOW_STATEMENTS, F.RESOURCE_EXHAUSTION,
        (seen(S.SLOW_STATEMENTS),),
        ("Read the slow query log of {resource}, and run EXPLAIN on its first statement", _PI + ", top SQL by load"),
        helps=seen(S.ONE_STATEMENT, S.READS_UP), explains=frozenset({Name.CONNECTION_LIMIT, Name.BLAMED}), spreads=FELT, trust=0.7,
    ),
    Fault(
        Name.LONG_TRANSACTION, F.DATA,
        (seen(S.LONG_TRANSACTION),),
        ("List the oldest transactions of {resource}: SELECT pid, xact_start, state, query FROM pg_stat_activity ORDER BY xact_start",),
        helps=seen(S.CONNECTIONS_HIGH, S.REPLICA_LAG), explains=frozenset({Name.REPLICATION_LAG, Name.BLAMED}), spreads=FELT, trust=0.7,
    ),
    Fault(
        Name.STORAGE_FULL, F.RESOURCE_EXHAUSTION,
        (seen(S.DISK_FULL, S.DISK_FILLING),),
        ("Compare FreeStorageSpace of {resource} with its allocated storage; for RDS run: aws rds modify-db-instance "
         "--db-instance-identifier {resource} --allocated-storage <GiB> --apply-immediately",
         "Find what fills {resource}: logs, temporary files, replication slots, the largest tables"),
        heard=seen(S.DISK_FULL), helps=seen(S.WRITES_UP, S.RESTARTED, S.READ_ONLY, S.CONNECTION_FAILED),
        explains=_LOADED | {Name.IO, Name.RESTARTS, Name.CRASH_LOOP, Name.PROBE, Name.READ_ONLY, Name.REPLICATION_LAG, Name.EVICTION,
                            Name.FAILOVER, Name.CODE, Name.LOCKS, Name.CPU}, scatters=frozenset({Name.EVICTION}),
                            spreads=FELT | {Name.STORAGE_FULL, Name.READ_ONLY},
    ),
    Fault(
        Name.IO, F.RESOURCE_EXHAUSTION,
        (seen(S.IO_HIGH, S.WAITS_FOR_IO),),
        ("Compare ReadIOPS, WriteIOPS and DiskQueueDepth of {resource} with the limits of its volume", _PI + ", waits of kind IO"),
        helps=seen(S.READS_UP, S.WRITES_UP, S.WAITS_FOR_COMMIT), explains=_LOADED | {Name.REPLICATION_LAG}, spreads=FELT, trust=0.8,
    ),
    Fault(
        Name.BURST_CREDITS, F.RESOURCE_EXHAUSTION,
        (seen(S.IO_CREDITS_LOW, S.CPU_CREDITS_LOW),),
        ("Read BurstBalance, EBSIOBalance% and CPUCreditBalance of {resource} over the last day in the CloudWatch console",
         "Move {resource} to gp3 or provisioned IOPS, or to an instance class without burst credits"),
        helps=seen(S.IO_HIGH, S.READS_UP, S.WRITES_UP, S.CPU_HIGH, S.WAITS_FOR_IO),
        explains=_LOADED | {Name.IO, Name.CPU, Name.REPLICATION_LAG}, spreads=FELT,
    ),
    Fault(
        Name.WRITE_BURST, F.RESOURCE_EXHAUSTION,
        (seen(S.WRITES_UP),),
        (_PI + ", top SQL by load, and find the job that writes in bulk", "Slow the bulk writes down, or run them while the replicas idle"),
        nearby=(seen(S.REPLICA_LAG),), without=seen(S.REPLICA_LAG), helps=seen(S.IO_HIGH, S.WAITS_FOR_COMMIT, S.CPU_HIGH),
        explains=frozenset({Name.IO, Name.CPU, Name.BLAMED}), spreads=FELT | {Name.REPLICATION_LAG, Name.IO, Name.CPU, Name.MEMORY},
    ),
    Fault(
        Name.REPLICATION_LAG, F.RESOURCE_EXHAUSTION,
        (seen(S.REPLICA_LAG, S.REPLICATION_ERROR),),
        ("Compare WriteIOPS and WriteThroughput of the primary and of {resource}, and look for long queries on {resource}", _EVENTS),
        helps=seen(S.IO_HIGH, S.WRITES_UP, S.LONG_TRANSACTION), explains=frozenset({Name.BLAMED}), spreads=FELT,
    ),
    Fault(
        Name.FAILOVER, F.INFRASTRUCTURE,
        (seen(S.FAILOVER),),
        (_EVENTS, "Check that clients of {resource} look its name up again and reconnect (DNS time to live, pool validation)"),
        heard=seen(S.READ_ONLY), helps=seen(S.RESTARTED, S.READ_ONLY, S.CONNECTIONS_LOST, S.NODE_LOST, S.MAINTENANCE),
        explains=_LOADED | {Name.RESTARTS, Name.READ_ONLY, Name.IO, Name.CPU, Name.REPLICATION_LAG, Name.NODE_LOST, Name.MAINTENANCE,
                            Name.MEMORY, Name.PROVIDER}, spreads=FELT | {Name.READ_ONLY, Name.REPLICATION_LAG},
    ),
    Fault(
        Name.READ_ONLY, F.INFRASTRUCTURE,
        (seen(S.READ_ONLY),),
        ("Check which instance the writer endpoint that {resource} uses points to: aws rds describe-db-clusters", _EVENTS),
        helps=seen(S.FAILOVER, S.RESTARTED), explains=frozenset({Name.BLAMED}), spreads=FELT | {Name.READ_ONLY}, trust=0.8,
    ),
    Fault(
        Name.MAINTENANCE, F.INFRASTRUCTURE,
        (seen(S.MAINTENANCE), seen(S.RESTARTED, S.CONNECTIONS_LOST, S.CONNECTION_FAILED, S.ERRORS_UP, S.READ_ONLY)),
        (_EVENTS, _DESCRIBE + " --query DBInstances[0].PendingModifiedValues"),
        explains=frozenset({Name.RESTARTS, Name.READ_ONLY, Name.BLAMED}), spreads=FELT, trust=0.8,
    ),
    Fault(
        Name.RESTARTS, F.GENERAL,
        (seen(S.RESTARTED),),
        (_EVENTS, "Read the last lines of {resource} before each restart"),
        helps=seen(S.CONNECTIONS_LOST, S.CAPACITY_LOST), explains=frozenset({Name.BLAMED}), spreads=FELT, trust=0.5,
    ),
)  # fmt: skip
