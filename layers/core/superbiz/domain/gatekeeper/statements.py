"""Rules on a whole claim whose citations are real: its numbers, times, names and directions are those of the cited records."""

from collections.abc import Iterable

from superbiz.domain import entailment
from superbiz.domain.gatekeeper.rule import Statement


def numbers(s: Statement) -> Iterable[str]:
    """Equal after conversion of units, at the precision that the claim shows, or worked out from recorded values."""
    return _firm(s, "NUMBER", "DIGITS", "COUNTED")


def times(s: Statement) -> Iterable[str]:
    """In UTC, of the cited record, and in the window of its query."""
    return _firm(s, "TIME")


def entities(s: Statement) -> Iterable[str]:
    """Services, resources, operations and codes stand in the excerpt's record or in the call's parameters."""
    return _firm(s, "NAME", "OWNER")


def directions(s: Statement) -> Iterable[str]:
    """What rose did rise, what came after did."""
    return _firm(s, "DIRECTION", "TURN", "ORDER", "OPPOSITE")


def negations(s: Statement) -> Iterable[str]:
    """What the record denies is not affirmed, and the other way round."""
    return _firm(s, "NEGATION", "PREDICATE")


def _firm(s: Statement, *codes: str) -> Iterable[str]:
    return (reason for code in codes for reason in entailment.firm(code, s.said, s.records))
