"""The rule on all claims of a run together: two that speak of the same matter at the same time do not contradict each other."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from superbiz.domain import refs
from superbiz.domain.claims import ClaimType
from superbiz.domain.gatekeeper.rule import Citation, Statement
from superbiz.domain.reading import quantities, words
from superbiz.domain.reading.parts import Saying

MOST = 50  # of one matter that are compared with each other
SIDES = {word: (n, side) for n, pair in enumerate(words.OPPOSITES) for side, table in enumerate(pair) for word in table}
TURNING = words.CLAIM_UP | words.CLAIM_DOWN
_EQUAL = ("=", "==", "eq", "equals", "is")


class _Side(NamedTuple):
    """What of a claim may not differ from another on the same matter."""

    numbers: tuple[quantities.Quantity, ...]
    turn: int
    opposites: frozenset[tuple[int, int]]
    denies: bool


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
    return frozenset(n.text.casefold() for n in said.names), spoken, times, said.quotes


def _why(key: Hashable, one: Statement, other: Statement) -> str | None:
    if isinstance(key, _Measure):
        return _values(key, one, other)
    a, b = _side(one.said), _side(other.said)
    if a.denies != b.denies:
        return "one affirms what the other denies"
    if a.turn * b.turn < 0:
        return "the other direction"
    if any((n, 1 - side) in b.opposites for n, side in a.opposites):
        return "the opposite"
    if _neighbours(one, other):
        return None
    apart = [(x, y) for x, y in zip(a.numbers, b.numbers, strict=False) if not quantities.same(x, y) and not quantities.same(y, x)]
    return f"{apart[0][0].text} and {apart[0][1].text}" if apart and len(a.numbers) == len(b.numbers) else None


def _neighbours(one: Statement, other: Statement) -> bool:
    """Whether they cite different rows of one output: those are of different things or moments, so that their numbers may differ."""
    rows, others = ({(c.binding.invocation_id, _row(c)) for c in s.citations} for s in (one, other))
    return bool(rows and others) and rows.isdisjoint(others) and {call for call, _ in rows} == {call for call, _ in others}


def _row(c: Citation) -> refs.Path:
    """The path up to its last index."""
    path = refs.parse_path(c.binding.raw_path) or ()
    last = max((n for n, part in enumerate(path) if isinstance(part, int)), default=len(path) - 1)
    return path[: last + 1]


def _side(said: Saying) -> _Side:
    spoken = [w for c in said.clauses for w in c.words]
    return _Side(
        said.numbers,
        sum(w in words.CLAIM_UP for w in spoken) - sum(w in words.CLAIM_DOWN for w in spoken),
        frozenset(SIDES[w] for w in spoken if w in SIDES),
        sum(c.denies for c in said.clauses) % 2 == 1,
    )


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


_VARYING = frozenset(map(words.meaning, TURNING | words.NEGATIONS | frozenset(SIDES)))
