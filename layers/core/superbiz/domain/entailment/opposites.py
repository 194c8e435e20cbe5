"""The rule of opposites: what the record labels "after" was not before, and what it tells as started was not stopped."""

from collections.abc import Iterator, Sequence

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import words
from superbiz.domain.reading.parts import Clause, Record, Saying, pieces
from superbiz.domain.verification import CheckResult

Side = frozenset[str]
# Two sides that are told of one thing in passing words as well as in labels, beside those of `words.OPPOSITES`.
PAIRS: tuple[tuple[Side, Side], ...] = tuple(
    (words.table(one), words.table(other))
    for one, other in (
        ("started starts began begun starting launched", "stopped stops finished ended completed stopping"),
        ("enabled enables", "disabled disables"),
        ("opened opens", "closed closes"),
        ("attached attaches", "detached detaches"),
        ("connected connects", "disconnected disconnects"),
        ("locked", "unlocked"),
        ("acquired acquires", "released releases"),
        ("joined joins", "left leaves"),
        ("upgraded upgrade", "downgraded downgrade"),
        ("promoted", "demoted"),
        ("granted", "revoked"),
        ("registered", "deregistered unregistered"),
        ("mounted", "unmounted"),
        ("added created", "removed deleted"),
        ("renewed renews", "expired expires"),
        ("sent sends", "received receives"),
        ("inbound incoming ingress", "outbound outgoing egress"),
        ("forward forwards", "back rollback"),
        ("faster", "slower"),
        ("grew grown grows", "shrank shrunk shrinks"),
        ("doubled", "halved"),
        ("widened", "narrowed"),
        ("accepted", "rejected refused"),
    )
)
BEGINS = words.table("onset first since start begin")  # labels that speak of a beginning
SHARED = 2  # words that a clause of a record has to share with the claim's to tell of the same
MOST = 200  # clauses of a record that are read


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """By the labels of the records first, then by their clauses on the same matter."""
    told = frozenset(w for clause in said.clauses for w in clause.words)
    named = frozenset(w for n in said.names for w in words.words(n.text))
    labels = frozenset().union(*(r.labels for r in cited)) - named
    for claimed, opposite in _sides(words.OPPOSITES):
        if (
            not told.isdisjoint(claimed)
            and told.isdisjoint(opposite)
            and not labels.isdisjoint(opposite)
            and labels.isdisjoint(_wide(claimed))
        ):
            word = min(told & claimed)
            shown = pieces(sorted(labels & opposite))
            yield Complaint(CheckResult.CONTRADICTED, f"the claim says {word!r}, the record is labelled {shown}", word)
    for claimed, opposite in _sides(PAIRS) if cited else ():
        if not told.isdisjoint(claimed) and told.isdisjoint(opposite):
            yield from _told_otherwise(claimed, opposite, said, cited)


def _sides(pairs: Sequence[tuple[Side, Side]]) -> Iterator[tuple[Side, Side]]:
    for one, other in pairs:
        yield one, other
        yield other, one


def _wide(claimed: Side) -> Side:
    return claimed | BEGINS if "began" in claimed else claimed


def _told_otherwise(claimed: Side, opposite: Side, said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """The records have a clause on the same matter with the other word, and nowhere the claim's."""
    if any(not r.raw_words.isdisjoint(_wide(claimed)) for r in cited):
        return
    for clause in (c for c in said.clauses if not c.denies and not claimed.isdisjoint(c.words)):
        for found in (c for r in cited for c in r.clauses[:MOST] if not c.denies and not opposite.isdisjoint(c.words)):
            if _of_one_matter(clause, found, said):
                word = next(w for w in clause.words if w in claimed)
                yield Complaint(CheckResult.CONTRADICTED, f"the claim says {word!r}, the record tells {found.text[:120]!r}", word)
                return


def _of_one_matter(clause: Clause, found: Clause, said: Saying) -> bool:
    """By words and by the names of the claim, which stand apart from its clauses."""
    named = {words.meaning(w) for n in said.names for w in words.words(n.text)}
    own = frozenset(map(words.meaning, found.content)) - {words.meaning(w) for pair in PAIRS for side in pair for w in side}
    shared = clause.meanings & own
    return len(shared) >= SHARED or (bool(shared) and len(own - shared - named) == 0) or (not own - shared and bool(own & named))
