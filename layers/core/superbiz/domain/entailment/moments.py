"""The rule of named times: what the record calls the first is not the last, and what started then did not end then."""

import re
from collections.abc import Iterator, Sequence

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import times, words
from superbiz.domain.reading.clausing import CLAUSE
from superbiz.domain.reading.parts import Record, Saying
from superbiz.domain.verification import CheckResult

REACH = 48
BEFORE_SPAN = re.compile(r"(?:\bbefore\s(?:the\s|its\s)?)\Z", re.IGNORECASE)
COUNTS = r"(?:retries|retry|attempts?|tries|try|receives?|deliver(?:y|ies)|failures?|restarts?|times)"
SIDE_OF = re.compile(
    rf"\b(?:(?P<before>before|prior\sto)|after)\s(?:(?:its|the|their|only|just|about|all|some)\s){{0,2}}(?:[\w.]{{1,12}}\s){{0,2}}?(?P<what>{COUNTS})\b",
    re.IGNORECASE,
)
EARLY = words.table("before within prior earlier until")


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Each time of the claim against the field that holds it; each "before" of a span against the record's words."""
    for n, moment in enumerate(said.moments):
        start = max([moment.span[0] - REACH, *(m.span[1] for m in said.moments[:n] if m.span[1] <= moment.span[0])])
        told = frozenset(words.words(CLAUSE.split(said.text[max(0, start) : moment.span[0]])[-1]))
        fields = [frozenset(words.words(m.field)) for r in cited for m in r.moments if m.field and times.same(moment, m)]
        for one, other in ((a, b) for pair in words.OPPOSITES for a, b in (pair, pair[::-1])):
            if told & one and not told & other and fields and all(f & other and not f & one for f in fields):
                yield Complaint(CheckResult.CONTRADICTED, f"the record has {moment.text} under another name", moment.text)
    early = any(EARLY & r.raw_words for r in cited)
    yield from _counted(said, cited)
    for number in said.numbers if not early else ():
        if number.dimension == "time" and BEFORE_SPAN.search(said.text, max(0, number.span[0] - 16), number.span[0]):
            yield Complaint(CheckResult.UNSUPPORTED, f"nothing in the cited record is told of before {number.text}", number.text)


def _counted(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """ "Before 2 retries": what was tried so often happened already, where the records do not themselves say before."""
    told = {(words.meaning(f["what"]), bool(f["before"])) for r in cited for f in SIDE_OF.finditer(r.flat)}
    for found in SIDE_OF.finditer(said.text):
        what, before = words.meaning(found["what"]), bool(found["before"])
        if (what, before) in told:
            continue
        if (what, not before) in told:
            yield Complaint(CheckResult.CONTRADICTED, f"the record tells the other order than {found[0]!r}", found[0])
        elif before:
            yield Complaint(CheckResult.UNSUPPORTED, f"nothing in the cited record tells what was {found[0]!r}", found[0])
