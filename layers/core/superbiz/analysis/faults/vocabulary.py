"""The words of fault knowledge: what can be seen at a resource, and the shape of a known fault."""

from enum import StrEnum
from typing import NamedTuple

from superbiz.domain.claims import FaultCategory


class Seen(StrEnum):
    """Something that one record shows at one resource. Names say what is seen, not why."""

    CPU_HIGH = "cpu high"
    CPU_THROTTLED = "cpu throttled"
    CPU_CREDITS_LOW = "cpu credits low"
    MEMORY_HIGH = "memory high"
    MEMORY_LIMIT_REACHED = "memory limit reached"
    OUT_OF_MEMORY = "out of memory"
    DISK_FILLING = "disk filling"
    DISK_FULL = "disk full"
    IO_HIGH = "io high"
    IO_CREDITS_LOW = "io credits low"
    READS_UP = "reads up"
    WRITES_UP = "writes up"
    CONNECTIONS_HIGH = "connections high"
    CONNECTIONS_LOST = "connections lost"
    CONNECTIONS_REFUSED_BY_LIMIT = "connection limit reached"
    POOL_EXHAUSTED = "pool exhausted"
    HANDLES_EXHAUSTED = "handles or threads exhausted"
    REPLICA_LAG = "replica lag"
    REPLICATION_ERROR = "replication error"
    LONG_TRANSACTION = "long transaction"
    LOCK_WAITS = "lock waits"
    SLOW_STATEMENTS = "slow statements"
    ONE_STATEMENT = "one statement dominates"
    WAITS_FOR_CPU = "sessions wait for cpu"
    WAITS_FOR_IO = "sessions wait for io"
    WAITS_FOR_COMMIT = "sessions wait for commit"
    FAILOVER = "failover"
    READ_ONLY = "read only"
    MAINTENANCE = "maintenance"
    RESTARTED = "restarted"
    CRASH_LOOP = "crash loop"
    IMAGE_PULL = "image pull"
    PROBE_FAILURE = "probe failure"
    MOUNT_FAILURE = "mount failure"
    UNSCHEDULABLE = "unschedulable"
    EVICTED = "evicted"
    NODE_LOST = "node lost"
    CAPACITY_LOST = "capacity lost"
    NAME_RESOLUTION = "name resolution"
    CERTIFICATE = "certificate"
    CREDENTIALS = "credentials"
    THROTTLED = "throttled"
    CONCURRENCY_HIGH = "concurrency high"
    QUEUE_DEEP = "queue deep"
    DEAD_LETTERS = "dead letters"
    SENT_MORE = "sent more"
    TAKEN_LESS = "taken less"
    COLD_START = "cold start"
    TIMED_OUT = "timed out"
    CACHE_EVICTS = "cache evicts"
    CACHE_MISSES = "cache misses"
    TRAFFIC_UP = "traffic up"
    TRAFFIC_GONE = "traffic gone"
    ERRORS_UP = "errors up"
    SLOWER = "slower"
    OWN_EXCESS = "own excess"
    NETWORK_LOSS = "network loss"
    CONNECTION_FAILED = "connection failed"
    DEPENDENCY_FAILED = "dependency failed"
    CODE_ERROR = "code error"
    MISCONFIGURED = "misconfigured"
    BAD_DATA = "bad data"
    DEPLOYED = "deployed"
    ROLLED_BACK = "rolled back"
    CONFIGURED = "configured"
    NETWORK_CHANGED = "network changed"
    ACCESS_CHANGED = "access changed"
    SCALED = "scaled"
    REMOVED = "removed or stopped"
    PROVIDER_ISSUE = "provider issue"
    BLAMED = "blamed by others"
    SERVES_NAMES = "serves names"
    AT_THE_EDGE = "at the edge"


class Feature(NamedTuple):
    """One sight: strength in the weighing unit (1: a person would look there first), and the finder's handle on its record.

    `told` says that the resource itself does not show it but speaks of it, as a client does of its server's limits.
    """

    resource: str
    seen: Seen
    strength: float
    key: str = ""
    told: bool = False


Group = frozenset[Seen]


class Fault(NamedTuple):
    """A row of fault knowledge.

    `needs`: of each group at least one must be seen at the resource. `nearby`: of each group at least one at another resource that it is
    tied to. `heard`: what callers say of it, as good as seen. `without`: none of these may be seen there. `helps` make it surer.
    `explains` names faults that are effects of this one at the same resource, `spreads` those that are its effects at what depends on the
    resource, `floods` at what the resource calls, `passes` at what its callers call beside it, `scatters` anywhere; where a fault scatters,
    `nearby` is anywhere too. `trust` scales the strength: what has many reasons speaks less for any of them. Steps name commands or
    consoles; `{resource}` stands for the recorded name.
    """

    name: str
    category: FaultCategory
    needs: tuple[Group, ...]
    steps: tuple[str, ...]
    nearby: tuple[Group, ...] = ()
    heard: Group = frozenset()
    without: Group = frozenset()
    helps: Group = frozenset()
    explains: frozenset[str] = frozenset()
    spreads: frozenset[str] = frozenset()
    floods: frozenset[str] = frozenset()
    passes: frozenset[str] = frozenset()
    scatters: frozenset[str] = frozenset()
    trust: float = 1.0


class Match(NamedTuple):
    """A fault recognised at a resource. `keys` are the records it was recognised by, strongest first.

    `told` says that the resource only speaks of what the fault needs.
    """

    resource: str
    fault: Fault
    strength: float
    keys: tuple[str, ...]
    told: bool = False

    @property
    def place(self) -> tuple[str, str]:
        """Which fault where."""
        return self.resource, self.fault.name


def seen(*sights: Seen) -> Group:
    """A group of alternatives."""
    return frozenset(sights)
