"""What a claim says and what a record holds, taken apart once so that every rule reads the same."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from superbiz.domain import canonical
from superbiz.domain.reading import focus, names, quantities, times, words
from superbiz.domain.reading.clausing import CLAUSE as CLAUSE
from superbiz.domain.reading.names import Name
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.reading.times import Moment
from superbiz.domain.values import JsonObject

QUOTE = re.compile(r"[\"“”`]([^\"“”`]{3,})[\"“”`]|(?<!\w)'([^']{3,})'(?!\w)|「([^」]{2,})」")
FIELD = re.compile(r'"(?P<field>\w{1,80})":\s?(?P<number>-?\d{1,30}(?:\.\d{1,30})?)(?![\w.])')
PUNCTUATION = re.compile(r'(?<=")\s*:|[\[\]{},"]')  # of JSON
# How loud a line is denies nothing.
LEVEL = re.compile(r"\b(?:ERROR|FATAL|SEVERE|CRITICAL|WARN(?:ING)?|ERR|INFO|DEBUG|TRACE)\b")
BASE = words.table(
    "baseline normal normally before previous previously old from expected usual usually median prior ordinary ago yesterday former "
    "formerly"
)
LABEL_WORDS = 5
FRAME = words.table("window queried_at")  # when it was asked, not when it happened
META = words.table("period score share rank window queried_at complete start end matched first last onset time timestamp updated since")


class Cited(NamedTuple):
    """One real citation: the excerpt, the text of its node, the fields around it, and which tool was asked what."""

    excerpt: str
    text: str
    around: JsonObject
    params: JsonObject
    tool: str = ""


class Clause(NamedTuple):
    """A part of a sentence that can be true or false by itself. `denies` has an odd number of negations, `fails` a word of failure."""

    text: str
    words: tuple[str, ...]
    content: tuple[str, ...]
    denies: bool
    fails: bool

    @property
    def meanings(self) -> frozenset[str]:
        return frozenset(map(words.meaning, self.content))


class Record(NamedTuple):
    """`words` are meanings of the record and of what surrounds it; `excerpt` is the cited passage alone."""

    excerpt: str
    texts: tuple[str, ...]
    flat: str
    words: frozenset[str]
    names: frozenset[str]
    entities: frozenset[str]
    owners: frozenset[str]
    numbers: tuple[Quantity, ...]
    moments: tuple[Moment, ...]
    window: tuple[Moment, ...]
    points: tuple[tuple[Moment, Quantity], ...]
    clauses: tuple[Clause, ...]
    raw_words: frozenset[str]
    labels: frozenset[str]
    node: tuple[str, str, str] = ("", "", "")  # the whole text, what surrounds it, what was asked


class Saying(NamedTuple):
    """A claim, taken apart. Quoted passages, times, names and numbers are out of `clauses`, each is checked by itself."""

    text: str
    quotes: tuple[str, ...]
    moments: tuple[Moment, ...]
    names: tuple[Name, ...]
    numbers: tuple[Quantity, ...]
    clauses: tuple[Clause, ...]
    odd_digits: bool


def is_base(field: str) -> bool:
    """Whether a field holds what is normal, against which another is compared."""
    parts = field.lower().split("_")
    return not BASE.isdisjoint(parts if len(parts) == 1 else [p for p in parts if p != "median"])  # `own_median_ms` is a statistic


@lru_cache(maxsize=128)
def saying(text: str, known: frozenset[str]) -> Saying:
    """Take a claim apart; what one kind of reading has taken is blanked for the next."""
    quotes = tuple(q for found in QUOTE.finditer(text) if (q := next(g for g in found.groups() if g)))
    rest = QUOTE.sub(_blank, text)
    moments = tuple(times.in_text(rest))
    rest = _without(rest, (m.span for m in moments))
    found_names = tuple(names.in_text(rest, known))
    free = _without(rest, (n.span for n in found_names if n.hard))
    numbers = tuple(sorted((*_free(quantities.in_text(rest), found_names), *quantities.spelled(free)), key=lambda q: q.span))
    plain = _without(rest, [*(n.span for n in found_names if n.hard), *(q.span for q in numbers)])
    odd = bool(quantities.ODD_DIGIT.search(text))
    return Saying(text, quotes, moments, found_names, numbers, tuple(clauses(plain)), odd)


def _free(numbers: Iterable[Quantity], found: Sequence[Name]) -> Iterator[Quantity]:
    """The numbers that are no part of a name."""
    return (q for q in numbers if not any(n.span[0] <= q.span[0] < n.span[1] and n.hard for n in found))


def record(cited: Cited) -> Record:
    """Take a citation apart."""
    return _record(cited.excerpt, cited.text, canonical.dumps(cited.around), canonical.dumps(cited.params | {"tool": cited.tool}))


@lru_cache(maxsize=128)
def _record(excerpt: str, text: str, around: str, params: str) -> Record:
    node = focus.record_of(text, excerpt)
    context = [canonical.loads(around), canonical.loads(params)]
    texts = tuple(_strings(node))
    flat = " ".join(texts)
    everything = [*texts, *(t for part in context for t in _strings(part)), *(k for part in (node, *context) for k in _keys(part))]
    raw = frozenset(w for t in everything for w in words.words(t))
    return Record(
        excerpt=excerpt,
        texts=texts,
        flat=" ".join(flat.split()),
        words=frozenset(map(words.meaning, raw)),
        names=names.of_record(everything),
        owners=frozenset(e for part in (node, context[0]) for e in names.owners(part)),
        entities=frozenset(e for part in (node, *context) for e in names.entities(part)),
        numbers=(
            *quantities.in_record(node),
            *(q._replace(aside=True) for part in context for q in quantities.in_record(part)),
        ),
        moments=tuple(m for part in (node, *context) for m in times.in_record(part, FRAME)),
        window=tuple(m for part in context for m in times.in_record({k: v for k, v in part.items() if k in FRAME})),
        points=tuple((m, q) for m, value in times.points(node) for q in quantities.in_record(value)),
        clauses=tuple(c for t in _strings(node, plain=True) for c in clauses(t)),
        raw_words=raw,
        labels=frozenset(w for part in (node, context[0]) if isinstance(part, dict | list) for t in _labels(part) for w in words.words(t)),
        node=(text, around, params),
    )


def widened(found: Record) -> Record:
    """The same citation, read as if its excerpt were the whole node."""
    return _record("", *found.node) if found.node[0] else found


def clauses(text: str) -> Iterator[Clause]:
    """The clauses of a text."""
    for part in CLAUSE.split(LEVEL.sub(" ", text)):
        found = tuple(words.words(part))
        if found:
            denies = sum(w in words.NEGATIONS for w in found) % 2 == 1
            yield Clause(part.strip(), found, tuple(words.content(part)), denies, any(w in words.FAILURES for w in found))


def to_the_point(said: Saying, cited: Record) -> bool:
    """Whether the excerpt itself has a word, name, number, time or quoted passage of the claim: one beside the matter has none."""
    passage = " ".join(cited.excerpt.split())  # a quotation of wrapped lines is on one
    if not passage:
        return True
    meant = frozenset().union(*(c.meanings for c in said.clauses))
    own_names = names.of_record([passage])
    return (
        not meant.isdisjoint(map(words.meaning, words.words(passage)))
        or any(names.stands_in(n.text, own_names) for n in said.names)
        or any(quantities.same(number, q) or quantities.within(number, q) for number in said.numbers for q in _numbers_in(passage))
        or any(times.same(m, found) for m in said.moments for found in times.in_text(passage))
        or any(q in passage or passage in q for q in said.quotes)
    )


def _numbers_in(passage: str) -> Iterator[Quantity]:
    """The numbers of a passage, in the unit that a field's name beside them gives."""
    yield from quantities.in_text(PUNCTUATION.sub(" ", times.blanked(passage)))
    for found in FIELD.finditer(passage):
        yield from quantities.in_record({found["field"]: float(found["number"])})


def known_entities(records: Iterable[Record]) -> frozenset[str]:
    """Names that the cited records hold in fields of names; long ones and bare numbers are none."""
    return frozenset(e for r in records for e in r.entities if not e.isdigit())


def _strings(node: Any, field: str = "", *, plain: bool = False) -> Iterator[str]:
    """A record's sentences: each text with its field's name, or plain; numbers and truth values always with it."""
    if isinstance(node, dict):
        for key, item in node.items():
            yield from _strings(item, str(key), plain=plain)
    elif isinstance(node, list | tuple):
        if all(isinstance(item, str | int | float | None) for item in node) and len(node) <= 4:
            yield f"{field} {' '.join(str(item) for item in node)}"
        else:
            for item in node:
                yield from _strings(item, field, plain=plain)
    elif isinstance(node, str):
        yield f"{field} {node}" if field and not plain else node
    elif node is not None:
        yield f"{field} {json.dumps(node)}"


def _keys(node: Any) -> Iterator[str]:
    """The names of fields that hold objects."""
    if isinstance(node, dict):
        for key, item in node.items():
            if isinstance(item, dict | list):
                yield str(key)
                yield from _keys(item)
    elif isinstance(node, list | tuple):
        for item in node:
            yield from _keys(item)


def _labels(node: Any) -> Iterator[str]:
    """How a record labels itself: the names of its fields, and values of few words."""
    if isinstance(node, dict):
        for key, item in node.items():
            yield str(key)
            yield from _labels(item)
    elif isinstance(node, list | tuple):
        for item in node:
            yield from _labels(item)
    elif isinstance(node, str) and node.count(" ") < LABEL_WORDS:
        yield node


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    chars = list(text)
    for start, end in spans:
        chars[start:end] = " " * (end - start)
    return "".join(chars)


def pieces(sequence: Sequence[Any]) -> str:
    """A short enumeration for a reason."""
    shown = [str(s) for s in sequence[:4]]
    return ", ".join(shown) + (" …" if len(sequence) > 4 else "")
