"""The words of claims and records: stop words, word families, and the tables that say what rises, falls, fails or denies.

Each table is data. A word stands for its whole family (`acquire`, `obtain` and `available` are one matter to a connection pool).
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from superbiz.domain.reading import chinese

CJK = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
LETTER = rf"[^\W{CJK}]"  # what a name or number may be glued to: Chinese is written without blanks around them
_WORD = re.compile(rf"[^\W_{CJK}]+(?:['’][a-z]{{1,2}})?|(?:(?![_\W])[{CJK}])+")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CJK = re.compile(rf"[{CJK}]")

_TIMED_OUT = re.compile(r"\btim(?:es?|ed|ing)[ -]out\b", re.IGNORECASE)
SHORT = 80  # field names and phrases recur; longer texts are not kept


def table(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


STOP = table(
    "a an the this that these those it its it's he she they them their there here i we our you your my me us his her "
    "is are was were be been being am do does did done has have had having can could may might must shall should will would "
    "of in on at to from by for with without within into onto over under between among through during about as than then so such "
    "and or but if when while where which who whom whose what why how also only just very both either neither each every all any "
    "some several many much more most other another same own out up off again still yet already around approximately roughly nearly "
    "almost per via because since until after before following due therefore thus hence whereas however not no nor never none "
    "itself themselves himself herself now later ago "
    "s t re ve ll d m"
)
# How a claim speaks about evidence. Such words carry no fact of their own, so a record need not hold them.
FRAMING = table(
    "show shows showed shown say says said state states stated report reports reported record recorded records observe observed see seen "
    "indicate indicates indicated suggest suggests evidence cite cited claim according consistent root cause causes caused causing likely "
    "probable probably suspect suspected explain explains explained incident investigation diagnosis period window interval time times "
    "value values reach reached become became remain remained begin began begun start started starting occur occurred happen happened "
    "compare compared comparison versus against relative respectively total overall first last next new one two three metric metrics "
    "statistic series data datapoint datapoints point points reading readings sample samples level levels unit units utc make made take "
    "took find found match matched matching line lines entry entries message messages log logs logged contain contained containing include "
    "included name named call called service services resource component operation system instance "
    "container containers pod pods host node function span trace database server endpoint took went goes ran running run "
    "average averaged stay stays stayed last lasted lasts long begins starts makes takes comes came come stood stand stands goes told tell "
    "tells symptom symptoms spend spends spent observes sees notes noted"
)
NEGATIONS = table(
    "no not never none nothing neither nor without cannot can't couldn't didn't doesn't isn't wasn't weren't won't false n't hardly "
    "lacks lack"
)
FAILURES = table(
    "fail fails failed failing failure failures error errors exception exceptions refuse refused refuses deny denied denies reject "
    "rejected unable unavailable unreachable unhealthy timeout timeouts timed exhausted exhaustion expired invalid broken crash crashed "
    "crashes killed terminated oomkilled evicted throttled throttles degraded stuck aborted dropped lost unresponsive "
    "starved starvation outage"
)
UP = table(
    "rise rises rose risen rising increase increases increased increasing grow grows grew grown growing climb climbed climbs jump jumped "
    "spike spiked spikes surge surged surges higher above exceed exceeds exceeded exceeding greater grows slower longer raised elevated "
    "up upward high soared doubled tripled quadrupled worsened slowed"
)
DOWN = table(
    "fall falls fell fallen falling drop drops dropped dropping decrease decreases decreased decreasing decline declines declined "
    "declining lower below less fewer shrink shrank shrunk reduced reduces reduce lowered faster shorter downward low sank halved plunged "
    "dipped recovered"
)
# "up" and "down" tell a state as often as a direction, so in a claim they give none; in a record's field they do.
CLAIM_UP, CLAIM_DOWN = UP - {"up", "high", "slowed", "worsened"}, DOWN - {"low", "recovered"}
UP_FIELD, DOWN_FIELD = UP | {"up"}, DOWN | {"down"}

# Two sides of one matter. A claim on one side is contradicted by a record that is labelled with the other alone.
OPPOSITES = tuple(
    (table(one), table(other))
    for one, other in (
        ("before earlier prior preceded", "after later following followed"),
        ("new appeared emerged", "gone vanished disappeared"),
        ("more", "fewer less"),
        ("enabled", "disabled"),
        ("started began begun", "stopped finished ended completed"),
        ("sent tx", "received rx"),
        ("first", "last"),
        ("active busy", "idle"),
        ("removed deleted", "added created"),
        ("minimum min lowest", "maximum max highest"),
    )
)

FAMILIES = (
    "available availability obtain acquire get borrow",
    "exhaust exhaustion deplete drain dry full saturate saturation starve",
    "timeout timed time-out timing",
    "fail failure error fault exception err fatal 5xx",
    "latency duration slow slowness response elapsed delay",
    "db database sql jdbc rdbms",
    "deploy deployment rollout release deployed rolled",
    "restart restarted reboot respawn",
    "mem memory heap",
    "conn connection connections connect connectivity",
    "req request requests",
    "alarm alert",
    "baseline normal usual usually normally ordinary median expected",
    "worst peak peaked maximum max highest",
    "minimum min lowest trough bottomed",
    "config configuration setting parameter configured",
    "refuse refused reject rejected deny denied",
    "volume traffic load throughput rate requests",
    "pct percent percentage share ratio",
    "change changed modify modified update updated set",
    "occurrence count times number counted",
    "gone vanish disappear missing absent",
    "appear new emerged",
    "excess surplus deviation deviate abnormal anomaly anomalous",
    "rise rose increase grew climb jump spike surge",
    "fall fell drop decrease decline",
    "kill killed terminate terminated oom oomkilled",
    "template statement pattern",
    "write wrote written writes writing",
    "hold held holds holding",
    "evict evicted eviction evictions",
    "expire expired expires expiry expiration",
    "send sent sends sending",
    "use usage used uses utilisation utilization utilised utilized consumed consumption",
)
# What a record's word (right) also lets a claim say (left). One way only, and for wording alone.
ALSO = {
    "latency": "p99 p95 p90 p50",
    "received": "rx ingress",
    "sent": "tx egress",
    "threw": "exception issue",
    "thrown": "exception issue",
    "affected": "users customers impacted",
    "impact": "users customers affected",
    "connection": "dial upstream",
    "duration": "dur elapsed took",
    "limit": "exceeds exceeded threshold max quota",
    "link": "speed interface",
    "turned": "enabled disabled",
    "expires": "notafter expiry left",
    "expired": "notafter",
    "answered": "status code http",
    "rolled": "rollback",
    "longest": "max maximum worst",
    "removed": "revoke delete deleted",
    "replication": "replica",
    "ended": "status exit",
    "timeout": "deadline",
    "released": "release deploy",
    "full": "used exhausted",
    "left": "avail available free remaining",
    "disk": "fs filesystem device mount volume used_pct",
    "old": "age",
    "lookup": "query resolve",
    "dns": "query server",
    "returned": "status code",
    "response": "status",
    "died": "fatal killed terminated exited crashed",
    "crashed": "fatal killed terminated exited",
    "changed": "was",
    "rate": "ratio share hits misses",
    "set": "requestparameters parameters",
    "lost": "before",
    "disrupted": "error",
    "accounts": "duration",
    "hit": "maximum",
    "request": "get post put delete http operation",
    "maximum": "maxmemory max",
    "memory": "maxmemory",
}


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A light stem: endings of number, tense and manner go, so that `connections` meets `connection` and `dropped` meets `drop`."""
    if len(word) < 4:
        return word
    for ending, instead in (
        ("'s", ""),
        ("’s", ""),
        ("sses", "ss"),
        ("ies", "y"),
        ("ied", "y"),
        ("ss", "ss"),
        ("us", "us"),
        ("s", ""),
        ("ing", ""),
        ("ed", ""),
        ("ly", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: len(word) - len(ending)] + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsez":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _families() -> dict[str, str]:
    return {stem(word): f"~{family.split()[0]}" for family in FAMILIES for word in family.split()}


FAMILY = _families()


@lru_cache(maxsize=50_000)
def meaning(word: str) -> str:
    """What a word is compared by: its family, else its stem."""
    root = stem(word)
    return FAMILY.get(root, root)


ALSO_BY_STEM = {stem(word): frozenset(map(meaning, others.split())) for word, others in ALSO.items()}


def carried(word: str, have: frozenset[str]) -> bool:
    """Whether a record with these meanings carries a claim's word."""
    return meaning(word) in have or not have.isdisjoint(ALSO_BY_STEM.get(stem(word), ()))


def plain(text: str) -> str:
    """NFKC and case-folded, for words alone. Citations, numbers and names are compared as they are written."""
    return unicodedata.normalize("NFKC", text).casefold()


def words(text: str) -> Sequence[str]:
    """The words of a text in order, humps and underscores taken apart; a run of Chinese as the English that stands for it."""
    return _of_short(text) if len(text) <= SHORT else tuple(_of(text))


@lru_cache(maxsize=20_000)
def _of_short(text: str) -> tuple[str, ...]:
    return tuple(_of(text))


def _of(text: str) -> Iterator[str]:
    text = _TIMED_OUT.sub("timeout", text)
    for found in _WORD.finditer(text if text.islower() else HUMP.sub(" ", text)):
        word = plain(found[0])
        if _CJK.search(word):
            yield from chinese.words(word)
        else:
            yield word


def content(text: str) -> list[str]:
    """The words that carry a claim's facts."""
    return [w for w in words(text) if w not in STOP and w not in FRAMING and not w.isdigit() and (len(w) > 1 or _CJK.match(w))]
