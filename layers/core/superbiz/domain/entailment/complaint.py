"""What a rule answers with, and what rules share."""

from collections.abc import Sequence
from typing import NamedTuple

from superbiz.domain.entailment import names
from superbiz.domain.entailment.reading import Record, Saying
from superbiz.domain.verification import CheckResult


class Complaint(NamedTuple):
    """`fact` is what the claim says and the records do not."""

    result: CheckResult
    reason: str
    fact: str


def owned(place: int, said: Saying, cited: Sequence[Record]) -> Sequence[Record]:
    """The records of the nearest name before this place that any record has; all of them where there is none."""
    for name in sorted((n for n in said.names if n.hard), key=lambda n: (n.span[0] > place, abs(n.span[0] - place))):
        holders = [r for r in cited if names.stands_in(name.text, r.names)]
        if holders and len(holders) < len(cited):
            return holders
    return cited
