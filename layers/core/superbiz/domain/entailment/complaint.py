"""What a rule answers with, and what rules share."""

from bisect import bisect
from collections.abc import Sequence
from typing import NamedTuple

from superbiz.domain.reading import names
from superbiz.domain.reading.parts import CLAUSE, Record, Saying
from superbiz.domain.verification import CheckResult


class Complaint(NamedTuple):
    """`fact` is what the claim says and the records do not."""

    result: CheckResult
    reason: str
    fact: str


def unsupported(reason: str, fact: str) -> Complaint:
    return Complaint(CheckResult.UNSUPPORTED, reason, fact)


def _asked(name: str) -> bool:
    """A method or a path: what was called, not whose the number is."""
    return name.startswith("/") or name.isupper()


def owned(place: int, said: Saying, cited: Sequence[Record]) -> Sequence[Record]:
    """The records of the nearest name that any record has, of the same clause first, then before this place; all where there is none."""
    ends = [found.end() for found in CLAUSE.finditer(said.text)]
    own = bisect(ends, place)
    things = frozenset().union(*(r.entities | r.owners for r in cited))
    hard = [n for n in said.names if n.hard and (bisect(ends, n.span[0]) == own or n.text.casefold() in things or not _asked(n.text))]
    for name in sorted(hard, key=lambda n: (bisect(ends, n.span[0]) != own, n.span[0] > place, abs(n.span[0] - place))):
        holders = [r for r in cited if names.stands_in(name.text, r.names)]
        if holders and len(holders) < len(cited):
            return holders
        if holders and bisect(ends, name.span[0]) == own:
            return cited
    return cited
