"""The names of the known faults, and which of them others feel."""

from enum import StrEnum


class Name(StrEnum):
    """One name a fault, as it is told."""

    CONNECTION_LIMIT = "connection limit"
    CONNECTION_POOL = "connection pool"
    LOCKS = "lock contention"
    STATEMENT = "expensive statement"
    SLOW_STATEMENTS = "slow statements"
    LONG_TRANSACTION = "long transaction"
    STORAGE_FULL = "storage full"
    IO = "io saturation"
    BURST_CREDITS = "burst credits"
    WRITE_BURST = "write burst"
    REPLICATION_LAG = "replication lag"
    FAILOVER = "failover"
    READ_ONLY = "read only"
    MAINTENANCE = "maintenance"
    RESTARTS = "restarts"
    CPU = "cpu saturation"
    MEMORY = "memory saturation"
    OUT_OF_MEMORY = "out of memory"
    HANDLES = "handles or threads"
    IMAGE_PULL = "image pull"
    CRASH_BY_CONFIGURATION = "crash loop after a configuration change"
    CRASH_BY_DEPLOY = "crash loop after a deploy"
    CRASH_LOOP = "crash loop"
    PROBE = "probe failure"
    MOUNT = "mount failure"
    UNSCHEDULABLE = "unschedulable"
    EVICTION = "eviction"
    NODE_LOST = "node lost"
    NAME_SERVER = "name server"
    NAME_RESOLUTION = "name resolution"
    CERTIFICATE = "certificate"
    ACCESS_CHANGE = "access change"
    CREDENTIALS = "credentials"
    NETWORK_CHANGE = "network change"
    NETWORK = "network blocked"
    PROVIDER = "provider issue"
    THROTTLING = "throttling"
    BACKLOG = "queue backlog"
    COLD_START = "cold start"
    TIME_OUT = "time-out"
    SURGE = "traffic surge"
    CACHE_EVICTION = "cache eviction"
    CACHE_MISSES = "cache misses"
    CACHE_EMPTIED = "cache emptied"
    DEPLOY = "deploy regression"
    CONFIGURATION = "configuration change"
    MISCONFIGURED = "misconfigured"
    CODE = "code defect"
    DATA = "bad data"
    DEPENDENCY = "dependency down"
    BLAMED = "blamed by its callers"
    SCALED_AWAY = "scaled away"
    REMOVED = "removed or stopped"
    FELT = "errors or slowness"


# What the callers of a faulty resource feel.
FELT = frozenset({Name.DEPENDENCY, Name.NETWORK, Name.TIME_OUT, Name.CONNECTION_POOL, Name.PROBE, Name.BACKLOG, Name.THROTTLING,
                  Name.BLAMED, Name.FELT})  # fmt: skip
# What one finds beside it, at the faulty resource itself.
BESIDE = frozenset({Name.DEPENDENCY, Name.NETWORK, Name.TIME_OUT, Name.PROBE, Name.RESTARTS, Name.BLAMED, Name.FELT})
