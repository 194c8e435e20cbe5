"""What texts are searched by: stems of their words, with the parts and the whole of compounds, and pieces of their spelling.

`KubeAPIDown`, `kube-api-down` and `Kube API is down` share their terms. Words that every text has are none, nor are short numbers and
units (`5m`, `99th`): a threshold says nothing of what is measured. Codes (`503`, `4711`) are.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from superbiz.domain import words
from superbiz.domain.stemming import stem

PIECE = 4  # characters of a piece of spelling
FADING = 0.1  # a sentence begins with what it is about: its second word counts 1/1.1 of the first
NAME_BONUS = 0.5  # names say most precisely what is meant: a word with a capital
COMPOUND_BONUS = 1.0  # and one that is made of several
LABEL_WEIGHT = 0.7  # the place of a label in a template, by its name

_COMMON = """
    a an the this that these those of to in on at by for from with without as is are was were be been being am do does did
    has have had having it its they them their there here he she we you your our i and or but if then than so not no nor can
    could may might must shall should will would which who whom what when where why how all any both each few more most
    other some such only own same too very just about above after again also into over under up down out off once because
    until while during before between through per via within still yet
"""
COMMON = frozenset(_COMMON.split())
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\$\{[^}]*\}", re.DOTALL)
# What every alarm says in the same words, and when and where it was said.
_RITUAL = re.compile(
    r"Threshold Crossed: \d+ (?:out of [^(\[]*?)?datapoints?.*?threshold \([^)]*\)(?: \(minimum[^)]*\))?\.?"
    r"|\bwent (?:from \w+ )?to (?:ALARM|OK|INSUFFICIENT_DATA)\b|\bThreshold: \w+ [\d.]+\.?|\(account \d+\)|\bover \d+ s\b"
    r"|\b(?:at )?\d{4}-\d\d-\d\dT[\d:.]+Z?|\b(?:in )?[a-z]{2}(?:-[a-z]+){1,2}-\d\b|\b(?:Reason|Description|Metric|Labels|Contributor):",
    re.DOTALL,
)
_LABEL = re.compile(r"(?:labels?|annotations?)[.\[]\s*[\"']?(\w+)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|[。！？；\n]")
_CODE = re.compile(r"\d{3,5}|[45]xx", re.IGNORECASE)
_MEASURE = re.compile(r"\d+[A-Za-z]{0,3}|\d+(?:\.\d+)+[A-Za-z]*")
_SPELLING = re.compile(r"[^a-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Word(NamedTuple):
    """A run of letters as it is written. `parts` and `whole` are stems: of a compound its parts and itself, else one part alone."""

    parts: tuple[str, ...]
    whole: str
    capital: bool


def of(text: str) -> list[str]:
    """The terms of a text, in order, as often as they occur."""
    return [term for word in _words(text) for term in _terms(word)]


def asked(query: str) -> dict[str, float]:
    """The terms of a query with their weights. A term that is said twice counts for less than two: the root of their sum."""
    weights: defaultdict[str, float] = defaultdict(float)
    for sentence in _SENTENCE_END.split(plain(query)):
        place = 0
        for word in _words(sentence):
            bonus = (1 + NAME_BONUS * word.capital) * (1 + COMPOUND_BONUS * bool(word.whole))
            for term in _terms(word):
                weights[term] += bonus / (1 + FADING * place)
                place += 1
    for term in of(" ".join(labels(query))):
        weights[term] += LABEL_WEIGHT
    return {term: weight**0.5 for term, weight in weights.items()}


def sequence(text: str) -> list[str]:
    """Stems of all but the commonest words, in order, by which a phrase is found; a compound is its parts, then itself."""
    return [stem_ for word in _words(text, frozenset()) for stem_ in (*word.parts, word.whole) if stem_ and stem_ not in _LINKING]


def spelling(text: str) -> Counter[str]:
    """The pieces of four characters of a text in lower case: shared by words of one root, however they are put together."""
    plain = _SPELLING.sub(" ", _HUMP.sub(" ", unicodedata.normalize("NFKC", text)).lower()).strip()
    return Counter(plain[n : n + PIECE] for n in range(len(plain) - PIECE + 1))


def plain(query: str) -> str:
    """The query without `{{ … }}` and `${…}`, for what stands there is not known, and without what every alarm says."""
    return _RITUAL.sub(" ", _PLACEHOLDER.sub(" ", query))


def labels(text: str) -> list[str]:
    """Names of the labels that a template shows: `{{ $labels.pod }}` is about a pod."""
    return [name for found in _PLACEHOLDER.finditer(text) for name in _LABEL.findall(found[0])]


def _words(text: str, common: frozenset[str] = COMMON) -> Iterator[Word]:
    for run, parts in words.runs(text):
        if _CODE.fullmatch(run):
            yield Word((run.casefold(),), "", capital=False)
        elif not _MEASURE.fullmatch(run):
            yield from _word(run, [part.casefold() for part in parts], common)


def _word(run: str, parts: list[str], common: frozenset[str]) -> Iterator[Word]:
    whole = stem("".join(parts)) if len(parts) > 1 and run.isascii() else ""
    stems = tuple(s for part in parts if part not in common for s in _stems(part))
    if stems or whole:
        yield Word(stems, whole, capital=run[:1].isupper())


def _stems(part: str) -> list[str]:
    if words.is_ideographic(part):
        return words.pairs(part)
    return [] if len(part) < 2 or (part.isdigit() and not _CODE.fullmatch(part)) else [stem(part)]


def _terms(word: Word) -> list[str]:
    return [*word.parts, word.whole] if word.whole else list(word.parts)


_LINKING = frozenset(map(stem, ("has", "been", "is", "the", "a", "of", "to", "its", "in", "on")))
