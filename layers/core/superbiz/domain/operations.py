"""What a query is about beside its own words: a vocabulary of operations (`operations.txt`), and the same words in Chinese.

An alarm says what is measured, a runbook what to do about it: they meet in words like these.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from superbiz.domain import terms

NEAR = 4  # words within which those of one phrase stand
TABLE = "operations.txt"

Phrase = tuple[str, ...]


class Topic(NamedTuple):
    """`cues`: each is a list of phrases that all must stand in the query. `said` are the terms to look for as well."""

    cues: tuple[tuple[Phrase, ...], ...]
    said: tuple[str, ...]


class Vocabulary(NamedTuple):
    """`topics` by the first word of each of their cues; `english` by what is written in Chinese, the longest first."""

    topics: dict[str, list[Topic]]
    english: dict[str, str]


def related(query: str) -> dict[str, float]:
    """Terms that runbooks about the query's matter are likely to have, with weights: the more of a cue is found, the more it counts."""
    found: defaultdict[str, float] = defaultdict(float)
    told = terms.sequence(in_english(terms.plain(query)))
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, term in enumerate(told):
        places[term].append(place)
    for topic, size in _topics_of(told, places):
        for term in topic.said:
            found[term] += size / len(topic.said) ** 0.5
    return dict(found)


def in_english(text: str) -> str:
    """The text with those Chinese words in English that the vocabulary knows; what it does not know stays."""
    if text.isascii():
        return text
    for written, english in vocabulary().english.items():
        text = text.replace(written, f" {english} ")
    return text


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The table as it is searched."""
    topics: defaultdict[str, list[Topic]] = defaultdict(list)
    translations: dict[str, str] = {}
    for line in files("superbiz.domain").joinpath(TABLE).read_text(encoding="utf-8").splitlines():
        cues, arrow, said = line.partition(" -> ")
        written, equals, english = line.partition(" = ")
        if line.startswith("#"):
            continue
        if arrow:
            _add(topics, cues, tuple(terms.of(said)))
        elif equals:
            translations[written] = english
            _add(topics, english, tuple(terms.of(written)))
    return Vocabulary(dict(topics), dict(sorted(translations.items(), key=lambda pair: -len(pair[0]))))


def _add(topics: defaultdict[str, list[Topic]], cues: str, said: tuple[str, ...]) -> None:
    read = tuple(tuple(tuple(terms.sequence(phrase)) for phrase in cue.split(" + ")) for cue in cues.split(";"))
    topic = Topic(read, said)
    for first in {cue[0][0] for cue in read}:
        topics[first].append(topic)


def _topics_of(told: Sequence[str], places: dict[str, list[int]]) -> Iterator[tuple[Topic, int]]:
    """The topics whose cues are found, each once, with the number of words of its longest cue."""
    candidates = {id(topic): topic for term in places for topic in vocabulary().topics.get(term, ())}
    for topic in candidates.values():
        sizes = [sum(map(len, cue)) for cue in topic.cues if all(_stands(phrase, told, places) for phrase in cue)]
        if sizes:
            yield topic, max(sizes)


def _stands(phrase: Phrase, told: Sequence[str], places: dict[str, list[int]]) -> bool:
    """Whether the words of a phrase stand near each other."""
    return any(all(word in told[place : place + NEAR] for word in phrase) for place in places.get(phrase[0], ()))
