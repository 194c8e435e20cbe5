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
            result = CheckResult.UNSUPPORTED if name.hard else CheckResult.PARTIAL
            yield Complaint(result, f"the cited records do not speak of {name.text}", name.text)
    for word in strangers.in_claim(said, cited):
        yield unsupported(f"the cited records do not speak of {word}", word)


def owners(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """A record that is about one service says nothing of another, even where it mentions it."""
    if any(n.hard for n in said.names):
        text = said.text.casefold()
        for owners in {r.owners for r in cited if r.owners}:
            if not any(o in text for o in owners):
                yield unsupported(f"the cited record is about {pieces(sorted(owners))}, which the claim does not name", said.text)


def _spelled_out(name: Name, cited: Sequence[Record]) -> bool:
    """A compound (`connection-pool`) or a capital word may stand as its words."""
    meanings = [words.meaning(w) for w in words.words(name.text)]
    return any(all(m in r.words for m in meanings) for r in cited)
