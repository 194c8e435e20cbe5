"""What a metric shows when it rises or falls: names of CloudWatch, Container Insights, Prometheus and common agents.

Names are compared without case and separators, so `CPUUtilization`, `cpu_utilization` and `pod_cpu_utilization` are read alike.
"""

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from superbiz.analysis.faults.vocabulary import Seen
from superbiz.analysis.patterns import Pattern

MOST = 3.0
WIDTHS = 20.0  # a move of so many ordinary widths is as strong as a doubling
LEAST_MOVE = 3.0  # ordinary widths from which a move is one at all
STRANGE = re.compile(r"[^a-z0-9]")
# Where a low number is no trouble, however unusual it is: (unit, least value).
LAG_SECONDS, LAG_MS = 5.0, 2_000.0


class Gauge(NamedTuple):
    """`falls` says which move is meant. `counted` moves are judged by how many times the ordinary value they reach, too."""

    seen: Seen
    falls: bool
    name: Pattern
    counted: bool = False


class Move(NamedTuple):
    """A series that left what is ordinary for it; `deviation` is signed, in ordinary widths. `weight` is its condition's, if it has one."""

    metric: str
    unit: str
    baseline: float
    worst: float
    deviation: float
    weight: float | None = None


def _rises(seen: Seen, name: str, *, counted: bool = False) -> Gauge:
    return Gauge(seen, False, Pattern(name, ignore_case=False), counted)


def _falls(seen: Seen, name: str, *, counted: bool = False) -> Gauge:
    return Gauge(seen, True, Pattern(name, ignore_case=False), counted)


_NO_LIMIT = r"^(?!.*(?:(?<!overpod)(?<!overcontainer)(?<!of)limit|request|reserved|capacity|idle|free|avail|credit|throttl|steal|expected))"
_CONNECTIONS = r"connection(?:s|count)|threadsconnected|numbackends"
_NOT_OPEN = r"^(?!.*(?:refus|fail|error|time|lost|reset|duration|attempt|pending|wait|reject|new))"
_REQUESTS = r"^(?:requests?|invocations?|calls|hits|rps|qps)$|request(?:s|count|rate|sper)|newconnection"
GAUGES = (
    _rises(Seen.CPU_HIGH, _NO_LIMIT + r".*(?:cpu|processor|loadaverage)(?!credit)"),
    _rises(Seen.CPU_THROTTLED, r"(?:cpu|cfs).*throttl|throttl.*cpu"),
    _falls(Seen.CPU_CREDITS_LOW, r"cpucreditbalance"),
    _rises(Seen.CPU_CREDITS_LOW, r"cpusurpluscredit"),
    _rises(Seen.MEMORY_HIGH, _NO_LIMIT + r".*(?:mem(?:ory)?(?!ber)|heap|rss|workingset|swap)"),
    _falls(Seen.MEMORY_HIGH, r"free(?:able)?mem|mem(?:ory)?(?:free|avail)|avail(?:able)?mem"),
    _falls(Seen.DISK_FILLING,
           r"free(?:local|allocated)?storage|(?:disk|filesystem|volume|storage).*(?:free|avail|remain)|avail(?:able)?(?:storage|disk)"),
    _rises(Seen.DISK_FILLING,
           r"(?:disk|filesystem|volume|storage)(?!.*(?:iops|read|write|queue|time|inode|burst)).*(?:used|utili[sz]ation|usage|percent|full)"),
    _rises(Seen.IO_HIGH, r"diskqueue|volumequeue|^(?:read|write)latency$|iowait|await$|disk(?:io|busy)"),
    _falls(Seen.IO_CREDITS_LOW, r"burstbalance|ebs(?:io|byte)balance|burstcredit"),
    _rises(Seen.IO_CREDITS_LOW, r"percentiolimit"),
    _rises(Seen.WRITES_UP,
           r"write(?:iops|throughput|ops|bytes|rate|requests)|consumedwrite|walgenerat|(?:insert|update|delete|dml|commit)throughput",
           counted=True),
    _rises(Seen.READS_UP, r"read(?:iops|throughput|ops|bytes|rate|requests)|consumedread|selectthroughput", counted=True),
    _rises(Seen.CONNECTIONS_HIGH, _NOT_OPEN + rf".*(?:{_CONNECTIONS})", counted=True),
    _falls(Seen.CONNECTIONS_LOST, _NOT_OPEN + rf".*(?:{_CONNECTIONS})"),
    _rises(Seen.POOL_EXHAUSTED,
           r"(?:pool|connection|hikari).*(?:pending|wait|exhaust|timeout)|pending(?:thread|connection)|connectionborrow"),
    _rises(Seen.CONNECTION_FAILED,
           r"connectionerror|connection(?:s)?(?:refus|fail|lost|reset|reject)|rejectedconnection|connectattempt|erroredconn|aborted(?:client|connect)"),
    _rises(Seen.REPLICA_LAG, r"repli(?:ca|cation)\w*lag|slavelag|secondsbehind|replicationslotlag|applylag|replaylag"),
    _rises(Seen.REPLICATION_ERROR, r"underreplicated|offlinepartition"),
    _rises(Seen.LONG_TRANSACTION,
           r"(?:long|oldest).*(?:transaction|xact|query|snapshot)|idleintrans|historylistlength|maximumusedtransactionids"),
    _rises(Seen.LOCK_WAITS,
           r"deadlock|lock(?:s)?(?:wait|timeout|ed)|rowlock|blocked(?:trans|session|quer|process)|waiting.*lock|blockedsessions"),
    _rises(Seen.SLOW_STATEMENTS, r"slowquer|(?:query|select|insert|update|delete|dml|commit|ddl)(?:latency|time|duration)"),
    _rises(Seen.WAITS_FOR_CPU, r"dbloadcpu|dbloadrelativetonumvcpus"),
    _rises(Seen.RESTARTED, r"restart"),
    _falls(Seen.CAPACITY_LOST,
           r"(?<!un)healthyhost|running(?:task|pod|instance)|numberofrunning|(?:available|ready)(?:replica|pod|task)|inservice"),
    _rises(Seen.CAPACITY_LOST, r"unhealthyhost|unavailable(?:replica|pod)|notready(?:pod|replica)"),
    _rises(Seen.NODE_LOST, r"failednode|nodenotready|statuscheckfailed"),
    _rises(Seen.UNSCHEDULABLE, r"pending(?:pod|task)|pods?pending|unschedulable"),
    _rises(Seen.CERTIFICATE, r"(?:tls|ssl)\w*error"),
    _falls(Seen.CERTIFICATE, r"daystoexpiry"),
    _rises(Seen.CREDENTIALS, r"(?:auth\w*|login)(?:error|fail)|accessdenied|unauthori[sz]ed"),
    _rises(Seen.THROTTLED, r"^(?!.*(?:cpu|cfs)).*(?:throttl|ratelimit|limitexceed|throughputexceed|toomanyrequest|429)"),
    _rises(Seen.CONCURRENCY_HIGH, r"concurren"),
    _rises(Seen.QUEUE_DEEP,
           r"messages(?:visible|delayed|ready|inqueue)|ageofoldest|iteratorage|(?:consumer|offset|records|time)lag|lagmax|backlog|^(?!disk|volume)\w*queue(?:depth|length|size)"),
    _rises(Seen.DEAD_LETTERS, r"deadletter|dlq"),
    _rises(Seen.SENT_MORE, r"messagessent|incoming(?:records|messages|bytes)|messages?in|publish|enqueue", counted=True),
    _falls(Seen.TAKEN_LESS, r"messages(?:deleted|received)|getrecords|dequeue|consumed|acknowledg"),
    _rises(Seen.COLD_START, r"initduration|coldstart|spillover"),
    _rises(Seen.TIMED_OUT, r"time(?:d)?outs?$"),
    _rises(Seen.CACHE_EVICTS, r"^(?!.*pod).*eviction"),
    _rises(Seen.CACHE_MISSES, r"cachemiss|keyspacemiss|missrate|getmiss"),
    _falls(Seen.CACHE_MISSES, r"(?:cache)?hitrat|cachehit"),
    _rises(Seen.TRAFFIC_UP,
           r"^(?!.*(?:error|fail|fault|[45]xx|rejected|throttl|latency|time|duration|read|write)).*(?:" + _REQUESTS + r")", counted=True),
    _falls(Seen.TRAFFIC_GONE, r"^(?!.*(?:error|fail|fault|[45]xx|rejected|throttl|latency|time|duration)).*(?:" + _REQUESTS + r")"),
    _rises(Seen.ERRORS_UP, r"^(?!.*(?:connection|tls|ssl|auth|packet|rx|tx)).*(?:error|fault|5xx|http(?:code)?\w*5\d\d|fail|exception)"),
    _falls(Seen.ERRORS_UP, r"availability|success"),
    _rises(Seen.SLOWER,
           r"^(?!read|write|init|query|select|insert|update|delete|dml|commit).*(?:latency|duration|responsetime|elapsed|timeto)"),
    _rises(Seen.NETWORK_LOSS,
           r"packet(?:loss|drop|slost)|(?:drop(?:ped)?|lost)packet|packets?drop|retrans|(?:rx|tx|network)(?:error|drop)|portallocation"),
)  # fmt: skip


def sights(move: Move) -> Iterator[tuple[Seen, float]]:
    """What the move shows, with its strength: its condition's weight where it has one, else how far out of the ordinary it is."""
    if abs(move.deviation) < LEAST_MOVE and not move.weight:
        return
    for gauge in _gauges(move.metric, move.deviation < 0):
        strength = _strength(gauge, move)
        if strength > 0:
            yield gauge.seen, strength


@lru_cache(maxsize=4_096)
def _gauges(metric: str, falls: bool) -> tuple[Gauge, ...]:
    name = STRANGE.sub("", metric.lower())
    return tuple(g for g in GAUGES if g.falls is falls and g.name.search(name))


def _strength(gauge: Gauge, move: Move) -> float:
    if gauge.seen is Seen.REPLICA_LAG and not _behind(move):
        return 0.0
    plain = min(abs(move.deviation) / WIDTHS, 1.0)
    if gauge.counted:
        return min(plain * _times(move), MOST)
    return min(move.weight, MOST) if move.weight is not None else plain


def _times(move: Move) -> float:
    """How many doublings the worst value is from the ordinary one; a rise from nothing is one."""
    return min(math.log2(move.worst / move.baseline), MOST) if move.baseline > 0 and move.worst > move.baseline else 1.0


def _behind(move: Move) -> bool:
    unit = move.unit.lower()
    if unit.startswith(("second", "none", "")) and not unit.startswith(("milli", "byte")):
        return move.worst >= LAG_SECONDS
    return move.worst >= (LAG_MS if unit.startswith("milli") else 0)
