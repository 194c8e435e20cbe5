"""The rule of numbers: each of a claim stands in a cited record, under a name that can mean what the claim says it of."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from superbiz.domain.entailment import labelled, worked_out
from superbiz.domain.entailment.complaint import Complaint, owned, unsupported
from superbiz.domain.reading import labels, quantities
from superbiz.domain.reading.parts import META, Record, Saying, is_base, pieces
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.verification import CheckResult

JOINED = re.compile(r"\s?,?\s?(?:and\s|又|零)?")


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Every number of the claim stands in a record, under a name that can mean what the claim says it of, or follows from the records.

    One that stands there, of another thing or in a unit that nothing there tells, is doubted: a rule can not know.
    """
    for number in said.numbers:
        records = owned(number.span[0], said, cited)
        held = [(r, q) for r in records if (q := _holders(number, said, r))]
        others = [labelled.wrongs(number, said, r, q) for r, q in held]
        if (held and not all(others)) or _of_the_claim(number, said, cited):
            continue
        if held:
            yield unsupported(next(filter(None, others)), number.text)
        elif doubt := _doubt(number, said, cited):
            yield doubt
        else:
            yield unsupported(f"{number.text} is not in the cited record, which has {_shown(records)}", number.text)


def _doubt(number: Quantity, said: Saying, cited: Sequence[Record]) -> Complaint | None:
    """The complaint about a number that some cited record has, where it is not sure that this is what the claim tells."""
    for found in (r for r in cited if not _anothers(r, number, said)):
        for q in _equal(number, said, found):
            what = f"{q.text}{f' as its {q.field}' if q.field else ''}"
            return Complaint(CheckResult.PARTIAL, f"a cited record has {what}; that it is told of this is not sure", number.text)
    return None


def _anothers(found: Record, number: Quantity, said: Saying) -> bool:
    """Whether the record says whose it is, and the number's clause names somebody else."""
    clause = labelled.clause_of(number, said)
    named = any(n.hard and n.text in clause for n in said.names)
    return named and bool(found.owners) and not any(owner in clause.casefold() for owner in found.owners)


def _equal(number: Quantity, said: Saying, found: Record) -> list[Quantity]:
    """The record's numbers of this value, except those that are told of the opposite or count what the claim measures."""
    meant = (q for q in found.numbers if quantities.same(number, q) or (quantities.within(number, q) and not is_base(q.field)))
    return [q for q in meant if not worked_out.crosses(number, said.text, q) and not labelled.counts(number, q)]


def _holders(number: Quantity, said: Saying, found: Record) -> list[Quantity]:
    """The record's numbers that the claim's can be."""
    fit = _equal(number, said, found)
    return [q for q in fit if labelled.unit_fits(number, q, said, found) and labelled.tied(number, q, said)]


def _of_the_claim(number: Quantity, said: Saying, cited: Sequence[Record]) -> bool:
    """Worked out from the records, or a small count in words of what the claim itself names."""
    named = number.text.isalpha() and number.value <= max(len({n.text for n in said.names}), len(cited))
    return named or worked_out.follows(number, said.text, cited) or _own_share(number, said) or _with_rest(number, said, cited)


def _own_share(number: Quantity, said: Saying) -> bool:
    """ "625 of 13794, that is 4.5 %": the share of two numbers of the claim, which are checked themselves."""
    pairs = [(a, b) for a, b in pairwise(said.numbers) if labels.WHOLE.fullmatch(said.text[a.span[1] : b.span[0]]) and b.amount]
    slack = quantities.tolerance(number) * number.factor
    return number.dimension == "share" and any(abs(a.amount / b.amount - number.amount) <= slack for a, b in pairs)


def _with_rest(number: Quantity, said: Saying, cited: Sequence[Record]) -> bool:
    """ "34 minutes and 45 seconds" are one time."""
    for a, b in pairwise(said.numbers):
        joined = JOINED.fullmatch(said.text[a.span[1] : b.span[0]]) and a.dimension == b.dimension == "time" and a.factor > b.factor
        if joined and number in (a, b):
            whole = b._replace(value=b.value + a.value * a.factor / b.factor)
            return any(quantities.same(whole, q) for r in cited for q in r.numbers) or worked_out.follows(whole, said.text, cited)
    return False


def _shown(records: Sequence[Record]) -> str:
    return pieces([q.text for r in records for q in r.numbers if q.field not in META]) or "no number"
