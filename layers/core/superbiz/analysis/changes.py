"""Changes and platform events against an onset: which could have caused it, and which are red herrings."""

import math
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from superbiz.analysis import signatures
from superbiz.domain.claims import FaultCategory
from superbiz.domain.observations import Change

OLD = timedelta(hours=6)
AFTERMATH = timedelta(minutes=10)  # a failure is reported late; what fails later still is a consequence
HALF_LIFE = timedelta(minutes=30)
SLACK = timedelta(minutes=5)  # onsets are known to a datapoint, not to the second
UNRELATED = 0.4  # the weight of a change that touches no suspect
MOST = 1.5


class Relation(StrEnum):
    """How a change stands to the onset."""

    BEFORE = "shortly before the onset"
    FAILURE = "a failure around the onset"
    ROUTINE = "routine"
    OLD = "long before the onset"
    AFTER = "after the onset"


class Aligned(NamedTuple):
    """`strength` is 0 for what can not have caused it. `minutes` is the time from the change to the onset, negative after it."""

    change: Change
    relation: Relation
    minutes: float
    touches: str | None
    strength: float
    category: FaultCategory


def align(changes: Iterable[Change], onset: datetime, suspects: Collection[str]) -> list[Aligned]:
    """Every change, the most telling first, then by nearness to the onset."""
    found = [_aligned(c, onset, suspects) for c in changes]
    return sorted(found, key=lambda a: (-a.strength, abs(a.minutes), a.change.time, a.change.name))


def touched(change: Change, suspects: Collection[str]) -> str | None:
    """The suspect that the change names as its resource, whole or as a part of its path; else one that its message names."""
    resource = change.resource.lower()
    parts = {resource, *resource.replace(":", "/").split("/")}
    named = next((s for s in suspects if s.lower() in parts), None)
    return named or next((s for s in suspects if len(s) > 3 and s.lower() in change.message.lower()), None)


def _aligned(change: Change, onset: datetime, suspects: Collection[str]) -> Aligned:
    ahead = onset - change.time
    text = f"{change.name} {change.message}"
    relation = _relation(text, ahead)
    suspect = touched(change, suspects)
    strength = _strength(relation, ahead) * (1.0 if suspect else UNRELATED)
    return Aligned(change, relation, round(ahead.total_seconds() / 60, 1), suspect, round(strength, 6), _category(text))


def _relation(text: str, ahead: timedelta) -> Relation:
    if signatures.FAILING.search(text) and -AFTERMATH <= ahead <= OLD:
        return Relation.FAILURE
    if ahead < -SLACK:
        return Relation.AFTER
    if signatures.ROUTINE.search(text):
        return Relation.ROUTINE
    return Relation.OLD if ahead > OLD else Relation.BEFORE


def _strength(relation: Relation, ahead: timedelta) -> float:
    """Halves with every half hour between change and onset."""
    if relation not in (Relation.BEFORE, Relation.FAILURE):
        return 0.0
    return MOST * math.exp2(-(abs(ahead) / HALF_LIFE))


def _category(text: str) -> FaultCategory:
    known = signatures.signature_of(text)
    if known:
        return known.category
    if signatures.DEPLOYING.search(text):
        return FaultCategory.DEPLOYMENT
    return FaultCategory.CONFIGURATION if signatures.CONFIGURING.search(text) else FaultCategory.GENERAL
