"""The rule of wording: what a claim says in its words, the cited records speak of, clause by clause."""

from collections.abc import Iterator, Sequence

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import words
from superbiz.domain.reading.parts import Record, Saying, pieces
from superbiz.domain.verification import CheckResult

SUPPORTED_SHARE = 0.6
PARTIAL_SHARE = 0.4
CLAUSE_SHARE = 0.4


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """The claim's words are the record's, or of their families: most of them, and some of every clause."""
    have = frozenset().union(*(r.words for r in cited))
    content = [w for clause in said.clauses for w in clause.content if not _directs(w)]
    missing = [w for w in dict.fromkeys(content) if not words.carried(w, have)]
    share = 1 - len(missing) / len(set(content)) if content else 1.0
    if share < SUPPORTED_SHARE:
        result = CheckResult.PARTIAL if share >= PARTIAL_SHARE else CheckResult.UNSUPPORTED
        yield Complaint(result, f"the cited text says nothing of: {pieces(missing)}", pieces(missing))
    for clause in said.clauses:
        own = {w for w in clause.content if not _directs(w)}
        absent = [w for w in own if not words.carried(w, have)]
        if len(own) >= 2 and 1 - len(absent) / len(own) < CLAUSE_SHARE:
            yield Complaint(CheckResult.UNSUPPORTED, f"the cited text says nothing of {clause.text!r}", clause.text)


def _directs(word: str) -> bool:
    return word in words.CLAIM_UP or word in words.CLAIM_DOWN
