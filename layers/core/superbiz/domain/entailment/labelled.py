"""Whether a number of a claim stands in the record under the name that the claim gives it."""

import re
from collections.abc import Sequence

from superbiz.domain.entailment import turns
from superbiz.domain.reading import labels, measured, quantities, times, words
from superbiz.domain.reading.clausing import CLAUSE
from superbiz.domain.reading.parts import BASE, META, Record, Saying, is_base
from superbiz.domain.reading.quantities import Quantity

STATES = words.table("active idle waiting code status port partition")  # shares of them are told too, and numbers that count nothing
MOST = 200


def words_of(number: Quantity, said: Saying, found: Record) -> tuple[str, ...]:
    """The meanings of what the claim says that its number is of."""
    spans = [q.span for q in said.numbers]
    at = spans.index(number.span)
    text = _without_names(said, found)
    left, right = labels.beside(text, spans)[at]
    if at + 1 < len(spans) and labels.WHOLE.fullmatch(right):  # "12 of the 310 jobs failed": what failed is the 12
        between, after = right.rpartition(" of ")[0], CLAUSE.split(labels.beside(text, spans)[at + 1][1])[0]
        return labels.of_text(left, f"{between} {' '.join(after.split()[1:])}" if between.strip(" out") else " ".join(after.split()[1:]))
    if is_whole(at, said):
        noun = text[spans[at - 1][1] : number.span[0]].rpartition("of")[0].removesuffix("out ").split()[-1:]
        return labels.of_text("", " ".join(noun or right.split()[:1]))
    if pair := next((p for p in turns.of_claim(said) if number in p), None):
        first = min(pair, key=lambda q: q.span)
        head = turns.FROM.sub("", labels.beside(text, spans)[spans.index(first.span)][0])
        return labels.of_text(VERB.sub("", head.rstrip()), right if number is not first else "")
    return labels.of_text(left, right)


VERB = re.compile(r"(?:\s(?:up|down|rose|fell|went|grew|climbed|dropped|increased|decreased|changed|moved|jumped)){1,3}\Z", re.IGNORECASE)


def is_whole(at: int, said: Saying) -> bool:
    """Whether the number at this place is the M of "N lines of M"."""
    spans = [q.span for q in said.numbers]
    return at > 0 and labels.WHOLE.fullmatch(said.text[spans[at - 1][1] : spans[at][0]]) is not None


def _without_names(said: Saying, found: Record) -> str:
    """Names of things are no labels, names of fields are."""
    fields = {part for q in found.numbers for part in (q.field.casefold(), *words.words(q.field), *words.words(q.within))}
    text = said.text
    for start, end in [m.span for m in said.moments] + [n.span for n in said.names if n.text.casefold() not in fields]:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


HTTP = frozenset((*range(200, 208), *range(300, 309), *range(400, 432), 451, 499, *range(500, 512), *range(520, 531)))
CODES = words.table("code status exit")
BEFORE_CODE = re.compile(r"\b(?:of|with|answered|returned|got|http|status|code)\s\Z", re.IGNORECASE)
AFTER_CODE = re.compile(r"\A\s?(?:responses?|errors?|status|replies|requests?|请求|错误|响应)")
FORMER = re.compile(r"\b(?:from|against|versus|vs\.?|compared|than|instead of|or)\b|[从由比]|基线|平时|正常|之前|此前|原来", re.IGNORECASE)
AGO = 40  # characters


def is_code(number: Quantity, said: Saying, holders: Sequence[Quantity]) -> bool:
    """ "The rate of 503 responses": a code is no amount of what it is said with."""
    start, end = number.span
    told = BEFORE_CODE.search(said.text[max(0, start - 12) : start]) or AFTER_CODE.match(said.text[end:])
    return bool(told) and number.value in HTTP and any(not CODES.isdisjoint(words.words(q.field)) or not q.typed for q in holders)


def is_former(number: Quantity, said: Saying, found: Record, holders: Sequence[Quantity]) -> Quantity | None:
    """The present value beside a former or normal one, where the claim tells the former as the present."""
    start, end = number.span
    around = said.text[max(0, start - AGO) : start], said.text[end : end + AGO // 2]
    if not holders or not all(is_base(q.field) for q in holders) or FORMER.search(around[0]):
        return None
    if any(quantities.same(number, value) for _, value in found.points):
        return None
    if not BASE.isdisjoint(words.words(f"{clause_of(number, said)} {' '.join(around)}")):
        return None
    rests = [frozenset(words.words(q.field)) - BASE for q in holders]
    return next((q for q in found.numbers if not is_base(q.field) and q.within == holders[0].within and _is_now(q, rests)), None)


PRESENT = words.table("worst value current now latest observed actual peak last")


def _is_now(q: Quantity, rests: Sequence[frozenset[str]]) -> bool:
    """`bad_lines` beside `normal_bad_lines`, `worst` beside `baseline`."""
    spoken = frozenset(words.words(q.field))
    return spoken in rests or (frozenset() in rests and spoken <= PRESENT and bool(spoken))


def clause_of(number: Quantity, said: Saying) -> str:
    """The clause in which a number stands."""
    start = max((f.end() for f in CLAUSE.finditer(said.text, 0, number.span[0])), default=0)
    end = CLAUSE.search(said.text, number.span[1])
    return said.text[start : end.start() if end else len(said.text)]


FRAME = re.compile(
    r"\A\W*(?:normally|usually|ordinarily|in the (?:normal|ordinary|usual|baseline) (?:period|times?))\b|在?(?:正常时段|平时|基线期)",
    re.IGNORECASE,
)
BESIDE = re.compile(r"\b(?:than|against|versus|vs|compared|from|now|but)\b|[比较从由]|而|现在", re.IGNORECASE)


def is_present(said: Saying, holders: Sequence[Quantity], found: Record) -> Quantity | None:
    """The normal value beside the present one, where a sentence about the normal period tells the present one."""
    if not FRAME.search(said.text) or BESIDE.search(said.text) or not holders or any(is_base(q.field) for q in holders):
        return None
    rests = [frozenset(words.words(q.field)) for q in holders]
    return next(
        (
            q
            for q in found.numbers
            if is_base(q.field) and q.within == holders[0].within and frozenset(words.words(q.field)) - BASE in rests
        ),
        None,
    )


RANKED = words.table("rank score share")  # an amount of its own where a claim tells it
# Numbers about a number: a claim that tells one says so.
STATISTICS = words.table("deviation deviations rarity rank weight score confidence")
PERCENTILES = words.table("p1 p5 p10 p50 p90 p95 p99 min max mean std low high")
RANGE = re.compile(r"percentile|\bbetween\b|\brange\b|\bband\b|\bwithin\b|分位|范围|之间", re.IGNORECASE)
ORDINAL = re.compile(r"排名|排在|[列排]第|\b(?:rank\w*|place[ds]?)\b", re.IGNORECASE)


def wrongs(number: Quantity, said: Saying, found: Record, holders: Sequence[Quantity]) -> str | None:
    """Why none of the record's equal numbers can be the claim's."""
    if other := mislabels(number, said, found, holders):
        return f"the cited record has {other.text} under that name, not {number.text}"
    if holders and all(_unspoken(q, number, said, found) for q in holders):
        return f"{number.text} is the record's {holders[0].field}, which the claim does not speak of"
    return None


def _unspoken(held: Quantity, number: Quantity, said: Saying, found: Record) -> bool:
    """Whether the field holds a number about another number, or no count where one is told."""
    if not held.typed:
        return False
    if not held.whole and _is_counted(number, said):
        return True
    parts = words.words(held.field)
    if is_base(held.field) and PERCENTILES.intersection(parts):
        if RANGE.search(said.text) or not PERCENTILES.isdisjoint({*parts} & {*words.words(said.text)}):
            return False
        told = _tells_base(number, said)
        return any(
            q.typed
            and q.within == held.within
            and q.dimension == held.dimension
            and (BASE.issuperset(words.words(q.field)) or not (told or is_base(q.field)))
            for q in found.numbers
        )
    about = STATISTICS.intersection(parts)
    if not about or ("rank" in about and ORDINAL.search(said.text)):
        return False
    spoken = frozenset(map(words.meaning, words.words(said.text)))
    return spoken.isdisjoint(map(words.meaning, parts))


def _is_counted(number: Quantity, said: Saying) -> bool:
    """Whether the number is a part or a whole of things that are counted: "12 of 310 lines"."""
    if number.unit or number.whole:
        return False
    spans = [q.span for q in said.numbers]
    at = spans.index(number.span)
    return is_whole(at, said) or (at + 1 < len(spans) and is_whole(at + 1, said))


def _part_of(number: Quantity, said: Saying) -> Quantity | None:
    """The N of the "N of M" whose M the number is."""
    at = [q.span for q in said.numbers].index(number.span)
    return said.numbers[at - 1] if is_whole(at, said) else None


def _tells_base(number: Quantity, said: Saying) -> bool:
    before = said.text[max(0, number.span[0] - AGO) : number.span[0]]
    return bool(FORMER.search(before)) or not BASE.isdisjoint(words.words(f"{clause_of(number, said)} {before}"))


def mislabels(number: Quantity, said: Saying, found: Record, holders: Sequence[Quantity]) -> Quantity | None:
    """The record's number that the words beside the claim's number name better than any that has its value."""
    if other := is_former(number, said, found, holders) or is_present(said, holders, found):
        return other
    named = words_of(number, said, found)
    if not named or is_code(number, said, holders) or (number.per and all(q.per for q in holders)):
        return None
    own = {q.value * q.factor for q in holders}
    best = [_named(named, q) for q in holders]
    part = _part_of(number, said)
    named_field, typed = any(had and q.typed for had, q in zip(best, holders, strict=True)), all(q.typed for q in holders)
    others = (q for q in found.numbers[:MOST] if not q.aside and (q.typed or not named_field) and not (part and quantities.same(part, q)))
    for q in others:
        if (META - RANKED).isdisjoint(q.field.lower().split("_")) and q.value * q.factor not in own and not quantities.same(number, q):
            meant = _named(named, q)
            if meant and all(meant > had for had in best) and (q.typed or not typed or len(meant) > 1):
                return q
            if (
                meant
                and _whole(meant, q)
                and not any(meant <= had for had in best)
                and all(len(meant) >= len(had) and not _whole(had, h) for had, h in zip(best, holders, strict=True))
            ):
                return q
    return None


def _whole(meant: frozenset[str], found: Quantity) -> bool:
    """Whether the claim says all that a text calls its number."""
    return not found.typed and meant >= frozenset(found.label)


def unit_fits(number: Quantity, held: Quantity, said: Saying, found: Record) -> bool:
    """A record that writes this kind of unit elsewhere leaves it out only where the name is that of the claim."""
    if held.unit or not number.dimension or not any(q.dimension == number.dimension and q.typed == held.typed for q in found.numbers):
        return True
    return bool(_named(words_of(number, said, found), held))


def counts(number: Quantity, held: Quantity) -> bool:
    """A field that counts things holds no time, no bytes and, where it is whole, no share."""
    if held.typed and held.unit is None and number.dimension and not _may_be(number.dimension, held.kind):
        return True
    if number.dimension in (None, "count") or not held.typed or held.unit not in (None, "count"):
        return False
    spoken = measured.counted(held.field) | ({"count"} if held.unit == "count" else frozenset())
    return bool(spoken - STATES if number.dimension == "share" else spoken) and (held.whole or number.dimension != "share")


def _may_be(dimension: str, kind: str) -> bool:
    """A processor's use is told in cores, in seconds and as a share; other kinds have one dimension."""
    if kind == "cpu":
        return dimension in ("cpu", "share", "time", "count")
    return kind in ("", "count", dimension) or {kind, dimension} == {"bytes", "bits"}


def tied(number: Quantity, held: Quantity, said: Saying) -> bool:
    """A point's value is told of its own time, where a time stands right beside the number."""
    near = [m for m in said.moments if m.clock and _beside(number, m, said)]
    return not held.at or not near or any(times.same(m, at) for m in near for at in times.in_text(held.at))


TIE = 8  # characters


def _beside(number: Quantity, moment: times.Moment, said: Saying) -> bool:
    """Right before the time, or right behind it where no other number stands before it."""
    if 0 <= moment.span[0] - number.span[1] <= TIE:
        return True
    behind = 0 <= number.span[0] - moment.span[1] <= TIE
    return behind and not any(0 <= moment.span[0] - q.span[1] <= TIE for q in said.numbers)


def _named(named: tuple[str, ...], found: Quantity) -> frozenset[str]:
    label = frozenset(found.label)
    return frozenset(w for w in named if w in label or not label.isdisjoint(words.ALSO_BY_STEM.get(w, ())))
