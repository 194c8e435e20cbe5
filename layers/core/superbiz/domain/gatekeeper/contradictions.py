"""The rule on all claims of a run together: two that speak of the same matter at the same time do not contradict each other."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from superbiz.domain import refs
from superbiz.domain.claims import ClaimType
from superbiz.domain.gatekeeper.rule import Citation, Statement
from superbiz.domain.reading import quantities, words
from superbiz.domain.reading.parts import Saying
from superbiz.domain.reading.quantities import Quantity

MOST = 50  # of one matter that are compared with each other
SIDES = {word: (n, side) for n, pair in enumerate(words.OPPOSITES) for side, table in enumerate(pair) for word in table}
# States of which a thing is in one at a time.
STATES = {
    word: n
    for n, group in enumerate(
        (
            "ok alarm insufficient_data",
            "open closed",
            "healthy unhealthy degraded",
            "running stopped pending terminated",
            "up down",
            "active inactive",
            "enabled disabled",
            "ready unready notready",
            "succeeded failed",
            "completed rolled_back",
        )
    )
    for word in group.split()
}
STATE_FIELD = re.compile(r"(?:state|status|phase|health)\s(?P<state>[A-Za-z]{2,20})", re.IGNORECASE)
WORD = re.compile(r"[A-Za-z_]{2,20}")
TURNING = words.CLAIM_UP | words.CLAIM_DOWN
_EQUAL = ("=", "==", "eq", "equals", "is")


class _Side(NamedTuple):
    """What of a claim may not differ from another on the same matter."""

    numbers: tuple[Quantity, ...]
    turn: int
    opposites: frozenset[tuple[int, int]]
    denies: bool
    counts_none: bool  # "0 bad lines" denies as "no bad line" does
    states: frozenset[tuple[str, str]]


def opposed(statements: Sequence[Statement]) -> Iterator[tuple[str, str]]:
    """Both claims of every such pair, with the text of the other."""
    matters: dict[Hashable, list[Statement]] = defaultdict(list)
    for s in statements:
        if s.claim.claim_type not in (ClaimType.ACTION, ClaimType.ABSENCE):
            matters[_matter(s.said)].append(s)
            for fact in s.claim.facts:
                matters[_measure(fact)].append(s)
    for key, group in matters.items():
        for one, other in combinations(group[:MOST], 2):
            if one is not other and (why := _why(key, one, other)):
                yield one.claim.claim_id, f"it contradicts {other.claim.claim_id} ({why}): {other.claim.claim_text[:120]!r}"
                yield other.claim.claim_id, f"it contradicts {one.claim.claim_id} ({why}): {one.claim.claim_text[:120]!r}"


def _matter(said: Saying) -> Hashable:
    spoken = frozenset(w for c in said.clauses for w in map(words.meaning, c.content) if w not in _VARYING)
    times = frozenset(m.order for m in said.moments)
    return frozenset(n for n in (n.text.casefold() for n in said.names) if n not in STATES), spoken, times, said.quotes


def _why(key: Hashable, one: Statement, other: Statement) -> str | None:
    if isinstance(key, _Measure):
        return _values(key, one, other)
    a, b = _side(one), _side(other)
    if told := next((f"{x[1]} and {y[1]}" for x in a.states for y in b.states if x[0] == y[0] and x[1] != y[1]), None):
        return None if _neighbours(one, other) and not one.said.moments else told
    if a.denies != b.denies:
        return None if (b if a.denies else a).counts_none else "one affirms what the other denies"
    if a.turn * b.turn < 0:
        return "the other direction"
    if _neighbours(one, other):
        return None
    if any((n, 1 - side) in b.opposites for n, side in a.opposites):
        return "the opposite"
    held = [q for r in one.records for q in r.numbers] if _rows(one) == _rows(other) else []
    apart = [(x, y) for x, y in zip(a.numbers, b.numbers, strict=False) if not _equal(x, y, held)]
    return f"{apart[0][0].text} and {apart[0][1].text}" if apart and len(a.numbers) == len(b.numbers) else None


def _equal(x: Quantity, y: Quantity, held: Sequence[Quantity]) -> bool:
    """Whether two numbers tell the same: of each other, or of one number of the record that both cite (2062.46 and 2.06 s)."""
    if x.multiple != y.multiple or (x.dimension != y.dimension and "share" in (x.dimension, y.dimension)):
        return True  # a factor or a share, and an amount
    return quantities.same(x, y) or quantities.same(y, x) or any(quantities.same(x, q) and quantities.same(y, q) for q in held)


def _neighbours(one: Statement, other: Statement) -> bool:
    """Whether they cite different rows of one output: those are of different things or moments, so that their numbers may differ."""
    rows, others = _rows(one), _rows(other)
    return bool(rows and others) and rows.isdisjoint(others) and {call for call, _ in rows} == {call for call, _ in others}


def _rows(s: Statement) -> set[tuple[str, refs.Path]]:
    """The cited rows, with the call of each."""
    return {(c.binding.invocation_id, _row(c)) for c in s.citations}


def _row(c: Citation) -> refs.Path:
    """The path up to its last index."""
    path = refs.parse_path(c.binding.raw_path) or ()
    last = max((n for n, part in enumerate(path) if isinstance(part, int)), default=len(path) - 1)
    return path[: last + 1]


def _side(s: Statement) -> _Side:
    said = s.said
    spoken = [w for c in said.clauses for w in c.words]
    return _Side(
        said.numbers,
        sum(w in words.CLAIM_UP for w in spoken) - sum(w in words.CLAIM_DOWN for w in spoken),
        frozenset(SIDES[w] for w in spoken if w in SIDES),
        sum(c.denies for c in said.clauses) % 2 == 1,
        any(q.value == 0 for q in said.numbers),
        frozenset(_states(s)),
    )


def _states(s: Statement) -> Iterator[tuple[str, str]]:
    """The states that the claim tells, with the group of states that exclude each other."""
    told: dict[int, list[str]] = defaultdict(list)
    for word in WORD.findall(s.claim.claim_text):
        if (group := STATES.get(word.lower())) is not None and word not in ("alarm", "Alarm"):  # the thing, not its state
            told[group].append(word.lower())
    spoken_of = frozenset(words.words(s.claim.claim_text))
    for found in (m for r in s.records for t in r.texts if (m := STATE_FIELD.fullmatch(t)) and m["state"].lower() in spoken_of):
        yield "a field of state", found["state"].lower()
    for group, spoken in told.items():
        yield f"state {group}", spoken[-1]  # "from OK to ALARM" ends in the latter
        if len(spoken) > 1:
            yield f"former state {group}", spoken[0]


class _Measure(NamedTuple):
    """The matter of a typed fact: one value of it holds."""

    subject: str
    metric: str
    aggregate: str
    time: str
    unit: str
    path: str


def _measure(fact: dict[str, Any]) -> _Measure:
    return _Measure(*(str(fact.get(field) or "").casefold() for field in _Measure._fields))


def _values(key: _Measure, one: Statement, other: Statement) -> str | None:
    told = [
        {
            str(f.get("value"))
            for f in s.claim.facts
            if _measure(f) == key and str(f.get("op", "=")) in _EQUAL and f.get("value") is not None
        }
        for s in (one, other)
    ]
    if all(told) and told[0].isdisjoint(told[1]):
        return f"{key.metric} of {key.subject}: {min(told[0])} and {min(told[1])}"
    return None


_VARYING = frozenset(map(words.meaning, TURNING | words.NEGATIONS | frozenset(SIDES) | frozenset(STATES)))
