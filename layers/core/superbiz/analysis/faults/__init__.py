"""Fault knowledge that carries across services: what a known fault shows, what it explains, and what to do next."""

from collections.abc import Iterable

from superbiz.analysis.faults import matching
from superbiz.analysis.faults.databases import DATABASES
from superbiz.analysis.faults.matching import Calls, Effect, Recognition, akin
from superbiz.analysis.faults.names import Name
from superbiz.analysis.faults.platform import PLATFORM
from superbiz.analysis.faults.traffic import TRAFFIC
from superbiz.analysis.faults.vocabulary import Fault, Feature, Match, Seen

__all__ = [
    "FAULTS",
    "Calls",
    "Effect",
    "Fault",
    "Feature",
    "Match",
    "Name",
    "Recognition",
    "Seen",
    "akin",
    "fault_of",
    "matches",
    "recognise",
]

FAULTS: tuple[Fault, ...] = (*DATABASES, *PLATFORM, *TRAFFIC)
_BY_NAME = {f.name: f for f in FAULTS}


def fault_of(name: str) -> Fault | None:
    """The row of that name."""
    return _BY_NAME.get(name)


def matches(features: Iterable[Feature], calls: Calls) -> list[Match]:
    """The known faults that stand as causes, strongest first."""
    return matching.matches(features, calls, FAULTS)


def recognise(features: Iterable[Feature], calls: Calls) -> Recognition:
    """The same, and beside them the faults that are their effects."""
    return matching.recognise(features, calls, FAULTS)
