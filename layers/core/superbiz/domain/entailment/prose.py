"""What of the rules' complaints stands where the record is running text, which says a matter in other words and forms than a field."""

import re
from collections.abc import Iterable, Iterator, Sequence

from superbiz.domain.entailment import calibration
from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import words
from superbiz.domain.reading.parts import Record
from superbiz.domain.verification import CheckResult

UNSURE = frozenset({"DIRECTION", "ROLE", "WHOLE"})  # rules that a page neither bears out nor refutes, where they find a claim doubtful
_LEFT_OUT = re.compile(r"\[?(?:\.\.\.|…)\]?")
_SPELLED = re.compile(r"[^\W_]+")


def standing(code: str, found: Iterable[Complaint], cited: Sequence[Record]) -> Iterator[Complaint]:
    """The complaints of one rule that stand: all of them, unless everything that is cited is running text."""
    complaints = list(found)
    if not complaints or not calibration.is_prose(cited):
        yield from complaints
        return
    for complaint in complaints:
        if not _excused(code, complaint, cited):
            yield complaint


def _excused(code: str, found: Complaint, cited: Sequence[Record]) -> bool:
    if code == "QUOTE":
        return _quoted(found.fact, cited)
    if code == "NAME":
        return _spoken_of(found.fact, cited)
    if code == "NUMBER":
        return _written(found.fact, cited)
    return code in UNSURE and found.result is CheckResult.PARTIAL


def _quoted(quote: str, cited: Sequence[Record]) -> bool:
    """Titles and quotations are spelled in many ways; `[...]` leaves out what stands between."""
    texts = [_letters(r.flat) for r in cited]
    parts = [p for p in map(_letters, _LEFT_OUT.split(quote)) if p]
    return bool(parts) and all(any(p in t for t in texts) for p in parts)


def _spoken_of(name: str, cited: Sequence[Record]) -> bool:
    """A compound of plain words is no name; a form of a name stands for it (`Libyan`, `U.S`)."""
    if name.islower() and name.replace("-", "").isalpha():
        return True
    wanted = [words.meaning(w) for w in words.words(name)]
    have = frozenset().union(*(r.words for r in cited))
    alike = all(found > 0 for found in calibration.held(wanted, have).values())
    return alike or _letters(name) in {_letters(w) for r in cited for w in r.flat.split()}


def _written(number: str, cited: Sequence[Record]) -> bool:
    """A number stands in a page as it is written, be it the year of a date or an end of a range; a page has no labels for it."""
    alone = re.compile(rf"(?<![\w.,]){re.escape(number)}(?![\w]|[.,]\d)")
    return any(alone.search(r.flat) or any(alone.search(m.text) for m in r.moments) for r in cited)


def _letters(text: str) -> str:
    return "".join(_SPELLED.findall(text)).casefold()
