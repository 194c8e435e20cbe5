"""The rules of names: what a claim names stands in a cited record, and the record is about what the claim speaks of."""

from collections.abc import Iterator, Sequence

from superbiz.domain.entailment import strangers
from superbiz.domain.entailment.complaint import Complaint, unsupported
from superbiz.domain.reading import names, words
from superbiz.domain.reading.names import Name
from superbiz.domain.reading.parts import Record, Saying, pieces
from superbiz.domain.verification import CheckResult


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Every service, resource, path and code of the claim stands in a cited record or in what its call was asked."""
    for name in said.names:
        if not any(names.stands_in(name.text, r.names) for r in cited) and not (name.spelled and _spelled_out(name, cited)):
            result = CheckResult.UNSUPPORTED if name.hard and not name.spelled else CheckResult.PARTIAL
            yield Complaint(result, f"the cited records do not speak of {name.text}", name.text)
    text = said.text.casefold()
    another = any(r.owners and not any(o in text for o in r.owners) for r in cited)
    for word in strangers.in_claim(said, cited):
        result = CheckResult.UNSUPPORTED if another else CheckResult.PARTIAL
        yield Complaint(result, f"the cited records do not speak of {word}", word)


def owners(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """A record that is about one service says nothing of another, even where it mentions it.

    Where all that the claim names stands in one record, another beside it may be there to tell how they hang together.
    """
    hard = [n.text for n in said.names if n.hard]
    text = said.text.casefold()
    for found in (r for r in cited if r.owners and hard and not any(o in text for o in r.owners) and not _within(hard, r.owners)):
        reason = f"the cited record is about {pieces(sorted(found.owners))}, which the claim does not name"
        known = any(all(names.stands_in(name, names.of_record(r.texts)) for name in hard) for r in cited if r is not found)
        yield Complaint(CheckResult.PARTIAL, reason, said.text) if known else unsupported(reason, said.text)


def _within(hard: Sequence[str], owned: frozenset[str]) -> bool:
    """`CN=login.example.com` is of login.example.com."""
    return any(o.endswith(f"{mark}{name.casefold()}") for o in owned for name in hard for mark in "=:/")


def _spelled_out(name: Name, cited: Sequence[Record]) -> bool:
    """A compound (`connection-pool`) or a capital word may stand as its words."""
    meanings = [words.meaning(w) for w in words.words(name.text)]
    return any(all(m in r.words for m in meanings) for r in cited)
