"""What the name of a field or a metric tells of the numbers under it: the dimension, and whether they count or measure."""

from functools import lru_cache

from superbiz.domain.reading import words

# Numbers about a measurement that are not in its unit.
BESIDES = words.table(
    "deviation deviations rarity rank weight score confidence sigma zscore datapoints datapoint samples count points period index "
    "size total matched evaluation line lines hits occurrences port version id"
)
# What is counted one by one: no time, no bytes, no share of anything.
_COUNTED = words.table(
    "count replica attempt retry code status error request sample user partition invocation message row entry job task "
    "host pod connection active idle waiting thread worker port line span call of vcpu datapoint point item fault "
    "node instance container restart throttle session process file record event visitor retransmit "
    "rank shard consumer queued inflight deviation rarity weight score sigma zscore index"
)
COUNTED = frozenset(map(words.stem, _COUNTED))
# What a measurement is one of, by the words of its name; the first row that has one counts.
KINDS = (
    ("share", words.table("utilization utilisation percent percentage pct ratio availability")),
    ("time", words.table("latency duration time age delay lag elapsed")),
    ("bytes", words.table("bytes")),
    ("", words.table("rate memory size load")),
    ("cpu", words.table("cpu millicores")),
)


@lru_cache(maxsize=10_000)
def kind_of(name: str) -> str:
    """The dimension that a name tells: `count` of what is counted."""
    spoken = words.words(name)
    kind = next((kind for kind, table in KINDS if not table.isdisjoint(spoken)), None)
    return kind if kind is not None else "count" if counted(name) else ""


@lru_cache(maxsize=10_000)
def counted(name: str) -> frozenset[str]:
    """The words of a name that tell of things counted one by one."""
    return COUNTED.intersection(map(words.stem, words.words(name)))


@lru_cache(maxsize=10_000)
def measures(field: str) -> bool:
    """Whether a field's number is in the unit that stands beside it."""
    return BESIDES.isdisjoint(words.words(field))
