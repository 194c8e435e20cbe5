"""The rule of the present: what a record holds for normal or former is not told as what is, nor a part of a service as the whole."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from superbiz.domain.entailment import turns
from superbiz.domain.entailment.complaint import Complaint, owned
from superbiz.domain.reading import quantities, words
from superbiz.domain.reading.parts import Record, Saying, is_base
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.verification import CheckResult

# Words by which a claim says that it speaks of what was before, or of what is usual.
FORMER = re.compile(
    r"\b(?:normal\w*|baselines?|usual\w*|ordinar\w*|typical\w*|expect\w*|before\w*|previous\w*|prior|former\w*|earlier|old|original\w*|initial\w*"
    r"|yesterday|ago|used\sto|until|against|compared|comparison|versus|vs|instead|rather|than|(?:up|down)\sfrom|it\swas|had\sbeen|times|regular\w*"
    r"|history|historic\w*|reference|healthy|median\sof|limit\w*|threshold\w*|target\w*)\b"
    r"|平时|正常|基线|基准|之前|以前|此前|原来|原先|原本|往常|通常|一般|从|由|比|历史|昨[天日]|预期|日常",
    re.IGNORECASE,
)
FROM = re.compile(r"\bfrom\b", re.IGNORECASE)
FEW = 2
DISTANCES = words.table("minutes hours seconds days onset")
PART_FIELDS = ("operation", "operationName", "route", "endpoint", "path")
PART_WORDS = re.compile(r"\b(?:operations?|endpoints?|routes?|paths?|calls?)\b|操作|接口|路径|端点", re.IGNORECASE)
WHOLES = words.table("spans requests calls errors error_rate total own_median_ms median_ms p99_ms p95_ms")
METHODS = words.table("get post put delete patch head http https api v1 v2 v3 query the of and in to")


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Each number that stands in fields of the normal alone; each number of an operation that the claim does not name."""
    if not FORMER.search(said.text) and not FROM.search(said.text):
        for number in said.numbers:
            if found := _former(number, owned(number.span[0], said, cited), timed=bool(said.moments)):
                yield Complaint(
                    CheckResult.PARTIAL, f"{number.text} is the record's {found.field}, which the claim tells as what is", number.text
                )
    for part in _left_out(said, cited):
        yield Complaint(CheckResult.PARTIAL, f"the cited record is about {part!r} alone, which the claim leaves out", part)


def _former(number: Quantity, cited: Sequence[Record], *, timed: bool) -> Quantity | None:
    """A field of the normal that holds it, where no other does; one that holds it to the last digit counts before one that is near.

    A point of a series holds it for those alone who tell its time.
    """
    series = frozenset() if timed else frozenset(f for r in cited for f in _series(r))
    near = [q for r in cited for q in r.numbers if q.field not in series and quantities.same(number, q)]
    held = [q for q in near if q.value == number.value] or near
    return held[0] if held and all(q.typed and _is_former(q) for q in held) else None


def _series(read: Record) -> Iterator[str]:
    """The fields that hold several numbers."""
    held = Counter(q.field for q in read.numbers if q.typed)
    return (field for field, n in held.items() if n > FEW)


def _is_former(number: Quantity) -> bool:
    """`minutes_before_onset` is a distance, and no value of before."""
    parts = number.field.lower().split("_")
    return (is_base(number.field) or is_base(number.within)) and DISTANCES.isdisjoint(parts)


def _left_out(said: Saying, cited: Sequence[Record]) -> Iterator[str]:
    """Of records that count spans or requests of one operation, where the claim tells a number of them and no word of it."""
    if not said.numbers or PART_WORDS.search(said.text):
        return
    for r in cited:
        part, text = _part(r), _without_owners(said, r)
        spoken = frozenset(words.words(text))
        unsaid = part and not _named(part, said) and spoken.isdisjoint(frozenset(words.words(part)) - METHODS - _owner(r))
        if unsaid and any(q.field in WHOLES for n in said.numbers for q in turns.meant(n, r)):
            yield part


def _part(read: Record) -> str:
    """The operation that a record of a service is about."""
    fields = dict(t.split(" ", 1) for t in reversed(read.texts) if " " in t)
    service = fields.get("service") or fields.get("process") or ""
    named = next((fields[f] for f in PART_FIELDS if f in fields), fields.get("name", "") if service else "")
    counted = any(q.field in WHOLES for q in read.numbers)
    return named if service and counted and named != service else ""


def _named(part: str, said: Saying) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(part)}(?![\w-])", said.text) is not None


def _without_owners(said: Saying, read: Record) -> str:
    """`ingest` of `ingest-reading` names no operation."""
    text = said.text
    for name in (n for n in said.names if n.text.casefold() in read.owners):
        text = text.replace(name.text, " ")
    return text


def _owner(read: Record) -> frozenset[str]:
    return frozenset(w for o in read.owners for w in words.words(o))
