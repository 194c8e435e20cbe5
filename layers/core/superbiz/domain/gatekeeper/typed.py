"""Rules on the facts of a claim: each recomputes from the recorded JSON, and the sentence tells each number under its own name."""

from collections.abc import Iterable, Iterator, Sequence
from weakref import WeakKeyDictionary

from superbiz.domain import facts, refs
from superbiz.domain.facts import Aggregate, Fact, Outcome, Source
from superbiz.domain.gatekeeper.rule import Statement
from superbiz.domain.reading.parts import Saying
from superbiz.errors import Invalid

MOST_ELEMENTS = 400_000  # of arrays, for all facts of a run
TOO_MUCH = f"expected at most {MOST_ELEMENTS:,} elements to recompute in all facts of one dossier, found more; split the dossier"
_KNOWN: WeakKeyDictionary[Statement, tuple[tuple[Fact, Outcome], ...]] = WeakKeyDictionary()


def malformed(s: Statement) -> Iterable[str]:
    """A fact that can not be read is no fact."""
    return (f"fact {n + 1}: {why}" for n, (_, why) in enumerate(map(_read, s.claim.facts)) if why)


def mismatched(s: Statement) -> Iterable[str]:
    """What the record gives is what the fact says."""
    return (outcome.reason for _, outcome in recomputed(s) if not outcome.holds)


def swapped(s: Statement) -> Iterable[str]:
    """No number of the sentence is told under the name of another fact."""
    return facts.swapped(s.said, [fact for fact, _ in recomputed(s)]) if s.claim.facts else ()


def untyped(s: Statement) -> Saying:
    """The sentence without the numbers that code has worked out, or read elsewhere in the cited calls: no excerpt need hold those."""
    if not s.claim.facts:
        return s.said
    beyond = [fact for fact, outcome in recomputed(s) if outcome.holds and not _within(fact, s)]
    spans = facts.carried(s.said, beyond)
    return s.said._replace(numbers=tuple(q for q in s.said.numbers if q.span not in spans))


def recomputed(s: Statement) -> tuple[tuple[Fact, Outcome], ...]:
    """The claim's facts that can be read, each with what the record gives; worked out once for a statement."""
    if s not in _KNOWN:
        read = [fact for fact, _ in map(_read, s.claim.facts) if fact]
        calls = tuple(_sources(s)) if read else ()
        _KNOWN[s] = tuple((fact, _outcome(fact, calls, s)) for fact in read)
    return _KNOWN[s]


def _outcome(fact: Fact, calls: Sequence[Source], s: Statement) -> Outcome:
    """What the record gives, worked out once in a run for facts that are the same. Of elements without end it is not worked out."""
    key = (fact, *(c.invocation_id for c in calls))
    if key not in s.book.worked_out:
        nodes = [refs.node_at(c.output, refs.parse_path(fact.path) or ())[1] for c in calls]
        s.book.elements += sum(len(n) for n in nodes if isinstance(n, list | tuple))
        over = s.book.elements > MOST_ELEMENTS
        s.book.worked_out[key] = Outcome(False, f"{fact.path}: {TOO_MUCH}") if over else facts.recompute(fact, calls)
    return s.book.worked_out[key]


def _within(fact: Fact, s: Statement) -> bool:
    """Whether it tells a value of a cited node, which the rules on excerpts read too."""
    place = refs.parse_path(fact.path) or ()
    cited = [refs.parse_path(c.binding.raw_path) or () for c in s.citations]
    return fact.aggregate is Aggregate.VALUE and any(place[: len(path)] == path for path in cited)


def _sources(s: Statement) -> Iterator[Source]:
    """The calls that the claim cites."""
    for call in {c.call.invocation_id: c.call for c in s.citations}.values():
        output = s.book.node(call.invocation_id, "$")
        if output is not None:
            whole = call.output.complete if call.output else False
            yield Source(call.invocation_id, output, call.input_params, whole, call.tool_name)


def _read(given: object) -> tuple[Fact | None, str]:
    """(the fact, why it is none)."""
    try:
        return facts.parse(given), ""
    except Invalid as e:
        return None, e.message
