"""The rule of named times: what the record calls the first is not the last, and what started then did not end then."""

import re
from collections.abc import Iterator, Sequence

from superbiz.domain.entailment import worked_out
from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import quantities, times, words
from superbiz.domain.reading.clausing import CLAUSE
from superbiz.domain.reading.parts import Record, Saying
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.verification import CheckResult

REACH = 48
BEHIND = re.compile(r"\s(?P<word>before|after|later|earlier)\b|\s?(?:之|以)?(?P<chinese>[前后])")
AHEAD = re.compile(r"(?P<side>[前后])\s?(?:约|大约)?\s?\Z")
BESIDE = re.compile(r"\b(?:(?P<before>before|prior\sto)|after)\s(?:the\s)?\Z", re.IGNORECASE)
TRAILING = re.compile(r"\A\s?(?:before|after|earlier|later)\b", re.IGNORECASE)  # tells of the number ahead of it
SIDES = {"before": ("before", "after"), "earlier": ("before", "after"), "前": ("before", "after")}
BEFORE_SPAN = re.compile(r"(?:\bbefore\s(?:the\s|its\s)?)\Z", re.IGNORECASE)
COUNTS = r"(?:retries|retry|attempts?|tries|try|receives?|deliver(?:y|ies)|failures?|restarts?|times)"
SIDE_OF = re.compile(
    rf"\b(?:(?P<before>before|prior\sto)|after)\s(?:(?:its|the|their|only|just|about|all|some)\s){{0,2}}(?:[\w.]{{1,12}}\s){{0,2}}?(?P<what>{COUNTS})\b",
    re.IGNORECASE,
)
EARLY = words.table("before within prior earlier until")


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Each time of the claim against the field that holds it; each "before" of a span against the record's words."""
    yield from _labelled(said, cited)
    early = any(EARLY & r.raw_words for r in cited)
    yield from _counted(said, cited)
    yield from _spans(said, cited)
    yield from _beside(said, cited)
    for number in said.numbers if not early else ():
        if number.dimension == "time" and BEFORE_SPAN.search(said.text, max(0, number.span[0] - 16), number.span[0]):
            yield Complaint(CheckResult.UNSUPPORTED, f"nothing in the cited record is told of before {number.text}", number.text)


def _labelled(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """What the words before a time or a number call it, against the names of the fields that hold it."""
    times_held = [(m.span, m.text, [o.field for r in cited for o in r.moments if o.field and times.same(m, o)]) for m in said.moments]
    numbers_held = [(n.span, n.text, _fields(n, cited)) for n in said.numbers]
    spans = [span for span, _, _ in (*times_held, *numbers_held)]
    for span, text, fields in (*times_held, *numbers_held):
        start = max([0, span[0] - REACH, *(end for _, end in spans if end <= span[0])])
        ahead = TRAILING.sub("", said.text[start : span[0]]) if start else said.text[: span[0]]
        told = frozenset(words.words(CLAUSE.split(ahead)[-1]))
        labels = [frozenset(words.words(f)) for f in fields]
        for one, other in ((a, b) for pair in words.OPPOSITES for a, b in (pair, pair[::-1])):
            if told & one and not told & other and labels and all(f & other and not f & one for f in labels):
                yield Complaint(CheckResult.CONTRADICTED, f"the record has {text} under another name", text)


def _fields(number: Quantity, cited: Sequence[Record]) -> list[str]:
    """The fields that hold a number, where they are all named."""
    return [q.field for r in cited for q in r.numbers if q.typed and quantities.same(number, q)]


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


def _spans(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """ "77 minutes before": a span stands in the field that is named for that side, where it has one (`minutes_before_onset`)."""
    for number in (n for n in said.numbers if n.dimension == "time"):
        found = BEHIND.match(said.text, number.span[1]) or AHEAD.search(said.text, max(0, number.span[0] - 8), number.span[0])
        if found is None:
            continue
        told, other = SIDES.get(next(g for g in found.groups() if g), ("after", "before"))
        held = [frozenset(f.lower().split("_")) for f in _fields(number, cited)]
        if not held and (way := _way(number, said, cited)) and way != told:
            yield Complaint(CheckResult.CONTRADICTED, f"by the record's times it was {number.text} {way}, not {told}", number.text)
        if held and all(other in f and told not in f for f in held):
            yield Complaint(CheckResult.CONTRADICTED, f"the record has {number.text} as {other}, not {told}", number.text)


def _beside(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """ "Before 08:17": the record's own time is when it was, where the record has none on that side of it."""
    if len(said.moments) != 1 or any(c.denies for c in said.clauses):
        return
    moment = said.moments[0]
    found = BESIDE.search(said.text, max(0, moment.span[0] - 16), moment.span[0])
    held = [m for r in cited for t in r.texts for m in times.in_text(t) if m.clock is not None] if found else []
    own = [m for m in held if times.same(moment, m)]
    if found and own and not any((m.order < own[0].order) if found["before"] else (m.order > own[0].order) for m in held):
        yield Complaint(CheckResult.UNSUPPORTED, f"the record has nothing {found[0].strip()} {moment.text}", moment.text)


def _way(number: Quantity, said: Saying, cited: Sequence[Record]) -> str:
    """On which side of another recorded time the claim's one time lies at that distance; "" where that is not one side alone."""
    at = {worked_out.instant(m) for r in cited for m in r.moments} - {None}
    own = {worked_out.instant(m) for r in cited for m in r.moments if len(said.moments) == 1 and times.same(said.moments[0], m)} - {None}
    slack = max(quantities.tolerance(number), 0.5) * number.factor
    ways = {
        "after" if a > b else "before"
        for a in own
        for b in at - own
        if a and b and abs(abs((a - b).total_seconds()) - number.value * number.factor) <= slack
    }
    return ways.pop() if len(ways) == 1 else ""
