"""Changes and platform events against an onset: which could have caused it, and which are red herrings."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from superbiz.analysis import events, signatures
from superbiz.analysis.events import Kind, Nature
from superbiz.domain.claims import FaultCategory
from superbiz.domain.naming import Owners, names, owner_of
from superbiz.domain.observations import Change

OLD = timedelta(hours=6)
AFTERMATH = timedelta(minutes=15)  # a failure is reported late; what fails later still is a consequence
HALF_LIFE = timedelta(minutes=30)
SLACK = timedelta(minutes=5)  # onsets are known to a datapoint, not to the second
UNRELATED = 0.4  # the weight of a change that touches no suspect
MOST = 1.5
SHORTEST = 4  # letters of a name that a message is searched for


class Relation(StrEnum):
    """How a change stands to the onset."""

    BEFORE = "shortly before the onset"
    FAILURE = "a failure around the onset"
    ROUTINE = "routine"
    OLD = "long before the onset"
    AFTER = "after the onset"
    UNTOUCHED = "touches no suspect"


class Aligned(NamedTuple):
    """`strength` is 0 for what can not have caused it. `minutes` is the time from the change to the onset, negative after it.

    Of an event that repeats at one resource, or at the pods of one workload, the nearest stands for all `times`. `owner` is the workload
    that the resource belongs to.
    """

    change: Change
    relation: Relation
    minutes: float
    touches: str | None
    strength: float
    category: FaultCategory
    kind: Kind
    owner: str | None = None
    times: int = 1


def align(changes: Iterable[Change], onset: datetime, suspects: Collection[str]) -> list[Aligned]:
    """Every change, the most telling first, then by nearness to the onset."""
    given = list(changes)
    owners = Owners([*suspects, *dict.fromkeys(c.resource for c in given if c.resource)])
    found = [_aligned(c, onset, suspects, owners) for c in given]
    return sorted(_folded(found), key=lambda a: (-a.strength, abs(a.minutes), a.change.time, a.change.name))


def touched(change: Change, suspects: Collection[str]) -> str | None:
    """The suspect that the change names as its resource, whole or as a part of its path, or that owns it; else one in its message."""
    resource = change.resource.lower()
    parts = {resource, *resource.replace(":", "/").split("/")}
    named = next((s for s in suspects if s.lower() in parts), None) or owner_of(change.resource, suspects)
    if named in suspects:
        return named
    return next((s for s in suspects if len(s) >= SHORTEST and names(change.message, s)), None)


def _aligned(change: Change, onset: datetime, suspects: Collection[str], owners: Owners) -> Aligned:
    ahead = onset - change.time
    kind = events.kind_of(change.name, change.message)
    suspect = touched(change, suspects)
    relation = _relation(kind, ahead, bool(suspect or not suspects))
    owner = owners.of(change.resource) if change.resource else None
    strength = _strength(relation, ahead, bool(suspect))
    return Aligned(
        change, relation, round(ahead.total_seconds() / 60, 1), suspect, round(strength, 6), _category(kind, change), kind, owner
    )


def _relation(kind: Kind, ahead: timedelta, touches: bool) -> Relation:
    if kind.nature is Nature.FAILURE and -AFTERMATH <= ahead <= OLD:
        return Relation.FAILURE
    if ahead < -SLACK:
        return Relation.AFTER
    if kind.nature in (Nature.ROUTINE, Nature.HEALTH):
        return Relation.ROUTINE
    if ahead > OLD:
        return Relation.OLD
    return Relation.BEFORE if touches or kind.wide else Relation.UNTOUCHED


def _strength(relation: Relation, ahead: timedelta, touches: bool) -> float:
    """Halves with every half hour between change and onset. A failure stands for its own resource, a change for what it touches."""
    if relation not in (Relation.BEFORE, Relation.FAILURE, Relation.UNTOUCHED):
        return 0.0
    near = MOST * math.exp2(-(abs(ahead) / HALF_LIFE))
    return near if touches or relation is Relation.FAILURE else near * UNRELATED


def _category(kind: Kind, change: Change) -> FaultCategory:
    if kind.category is not FaultCategory.GENERAL:
        return kind.category
    known = signatures.signature_of(f"{change.name} {change.message}")
    return known.category if known else FaultCategory.GENERAL


def _folded(found: Sequence[Aligned]) -> list[Aligned]:
    """Failures and routines that repeat are told once, by the one that tells most."""
    groups: dict[tuple[object, ...], list[Aligned]] = defaultdict(list)
    for n, a in enumerate(found):
        once = (n,) if a.kind.nature is Nature.CHANGE else ()
        groups[(a.change.source, a.change.name, a.owner or a.change.resource, a.relation, a.kind.name, *once)].append(a)
    return [max(same, key=lambda a: (a.strength, -abs(a.minutes)))._replace(times=len(same)) for same in groups.values()]
