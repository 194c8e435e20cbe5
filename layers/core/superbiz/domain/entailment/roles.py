"""The rule of roles: who did what to whom. A line that tells "A calls B" does not tell that B calls A."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading.parts import Record, Saying
from superbiz.domain.verification import CheckResult

# What turns the order of the two round without turning their roles.
TURNED = re.compile(
    r"\b(?:by|from|of|when|while|as|because|since|after|whose|which|that|and|or|than)\b|[被由与和因]|[,;:，；：]", re.IGNORECASE
)


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Two neighbouring names of the claim stand in one line in the other order alone."""
    for one, other in pairwise(sorted(said.names, key=lambda n: n.span)):
        between = said.text[one.span[1] : other.span[0]]
        if one.text.casefold() == other.text.casefold() or TURNED.search(between) or "/" in one.text + other.text:
            continue  # a path is called, and calls nobody
        told = [order for r in cited for t in r.texts if (order := _order(one.text, other.text, t))]
        if told and all(order < 0 for order in told):
            yield Complaint(CheckResult.PARTIAL, f"the cited line tells of {other.text} first, and then of {one.text}", said.text)


def _order(one: str, other: str, text: str) -> int:
    """+1 where a text has the names in this order, -1 in the other, 0 where it has not both, or both ways."""
    line = text.casefold()
    places = [[found.start() for found in re.finditer(rf"(?<![\w/-]){re.escape(name.casefold())}(?![\w-])", line)] for name in (one, other)]
    if not places[0] or not places[1]:
        return 0
    ahead, behind = min(places[0]) < min(places[1]), max(places[0]) > max(places[1])
    return 1 if ahead else -1 if behind or len(places[0]) == 1 else 0
