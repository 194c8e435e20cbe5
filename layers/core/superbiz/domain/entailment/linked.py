"""The rule of causes: what is said to cause another is tied to it by something that both records speak of."""

import re
from collections.abc import Iterator, Sequence

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import names
from superbiz.domain.reading.parts import Record, Saying
from superbiz.domain.verification import CheckResult

_JOINT = re.compile(r"[-_./:]")


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Records that hold names of the claim and share none of them are two stories, not a cause and its effect."""
    groups: list[frozenset[str]] = []
    for held in filter(None, (_held(said, r) for r in cited)):
        apart = [g for g in groups if g.isdisjoint(held)]
        groups = [*apart, held.union(*(g for g in groups if not g.isdisjoint(held)))]
    if len(groups) > 1:
        yield Complaint(CheckResult.PARTIAL, "nothing that is cited ties the one record to the other", said.text)


def _held(said: Saying, read: Record) -> frozenset[str]:
    """The claim's names that stand in the record itself, and their parts, beyond those of kinds of things."""
    own = names.of_record(read.texts)
    whole = {n.text.casefold() for n in said.names if n.hard}
    parts = {p for name in whole for p in _JOINT.split(name)} - names.NAMING
    return frozenset(p for p in whole | parts if len(p) > 2 and names.stands_in(p, own))
