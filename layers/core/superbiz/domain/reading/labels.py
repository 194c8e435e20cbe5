"""What a number is said to be of: the words beside it in a text, or its field's name in a record."""

import re
from collections.abc import Sequence
from functools import lru_cache

from superbiz.domain.reading import words
from superbiz.domain.reading.clausing import CLAUSE

COARSE = frozenset(map(words.meaning, words.table("volume pct occurrence use change set config timeout")))
REACH = 80  # characters
BEFORE, AFTER = 4, 3  # words
# A number that follows one of these belongs to that phrase and not to the words ahead of it.
LEADS_IN = re.compile(
    r"\b(?:in|within|over|for|after|during|since|per|by|from|with|than|against|versus|vs|until|on|every|above|below|exceed\w*|crossed|reached)\b"
    r"|[从由在于每]|超过|高于|低于|大于|小于",
    re.IGNORECASE,
)
# What ties a label to the number after it.
TIES = re.compile(
    r"(?:\b(?:of|is|was|are|were|at|to|reached|be|about|around|equals|only|just|hit|totalled|has|had)|[=:(\[#]|[为是达到至了])\s*\Z",
    re.IGNORECASE,
)
_PREPOSITIONS = "in within over for after during since per by from with of to at against versus vs than until on out under below above"
_VERBS = r"exceed\w*|reached|reach|crossed|rose|fell"
_CHINESE_CUTS = "超过|高于|低于|大于|小于|达到|上升|下降|升至|降至|增长|[在从于至到]"
CUTS = re.compile(rf"\A[内后前里中间]|\b(?:{'|'.join(_PREPOSITIONS.split())}|{_VERBS})\b|[(\[{{=|]|{_CHINESE_CUTS}", re.IGNORECASE)


def beside(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[str, str]]:
    """For each number of a text what stands left and right of it, up to its neighbours."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans[1:]), len(text)]
    return [
        (_left(text[max(ends[n], start - REACH) : start], has_neighbour=n > 0), text[end : min(starts[n], end + REACH)])
        for n, (start, end) in enumerate(spans)
    ]


def _left(passage: str, *, has_neighbour: bool) -> str:
    """Words between two numbers are those of the number before, where nothing ties them to the second."""
    if has_neighbour and OF.search(passage) and not NAMED_OF.search(passage):
        return ""
    if has_neighbour and not CLAUSE.search(passage) and not TIES.search(passage):
        return ""
    return passage


# What stands between a part and its whole: "12 of the 310", "789 bad lines out of 4416".
WHOLE = re.compile(
    r"\s?(?:(?!(?:at|with|against|in|for|to|over|and|from|by|an?|above|below|within|than)\s)[^\W\d]{1,30}\s){0,3}(?:out\s)?of\s"
    r"(?:(?:the|its|all|their|those|these)\s){0,3}\Z",
    re.IGNORECASE,
)
COLON = re.compile(r"\s*[:=：]\s*\Z")
OF = re.compile(r"\bof\s+(?:the\s|its\s)?\Z", re.IGNORECASE)
NAMED_OF = re.compile(r"\b(?:an?|the|its)\s\w{1,30}\s(?:\w{1,30}\s)?of\s+\Z", re.IGNORECASE)  # "a minimum of"
OF_THAT = re.compile(r"\A\s*of\s(?!the\s)", re.IGNORECASE)
PREDICATE = re.compile(r"\b(?:is|are|was|were|been)\s(?:still\s|now\s)?([a-z]{4,})", re.IGNORECASE)
OF_WHICH = re.compile(r"\A\s*of\s(?:which|them|those|these)\b", re.IGNORECASE)


@lru_cache(maxsize=20_000)
def of_text(left: str, right: str) -> tuple[str, ...]:
    """The meanings of the words that a number stands by: before it, after it, and what its noun is said to be."""
    right = CLAUSE.split(OF_THAT.sub(" ", OF_WHICH.sub("", right)))[0]
    said = [m for found in PREDICATE.finditer(right) for m in _meanings(found[1])] + [
        _sense(w) for w in words.words(right)[-1:] if w in words.FAILURES
    ]
    left = COLON.sub("", left)
    for cut in (CLAUSE, LEADS_IN):
        left = left[max((f.end() for f in cut.finditer(left)), default=0) :]
    cut_off = CUTS.search(right)
    right = right[: cut_off.start()] if cut_off else right
    return (*_meanings(left)[::-1][:BEFORE], *_meanings(right)[:AFTER], *said)


@lru_cache(maxsize=20_000)
def of_field(field: str, within: str) -> tuple[str, ...]:
    """The meanings of a field's name and of the name of what holds it."""
    return tuple(_sense(w) for w in (*words.words(field), *words.words(within)))


def _meanings(text: str) -> list[str]:
    return [_sense(w) for w in words.words(text) if (w not in words.STOP or w == "own") and not w.isdigit() and (len(w) > 1)]


def _sense(word: str) -> str:
    """The word's family, where its members name the same number: a rate is no count, though both tell of traffic."""
    meant = words.meaning(word)
    return words.stem(word) if meant in COARSE else meant
