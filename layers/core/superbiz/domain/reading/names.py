"""Names of claims and records: services, resources, paths, codes. A claim's name has to stand in the record as it is written."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from superbiz.domain.reading import units, words

_TOKEN = re.compile(
    rf"{words.LETTER}(?:{words.LETTER}|[./:@#$<>*%+=-])*(?:{words.LETTER}|[*>/])|/(?:{words.LETTER}|[./*{{}}-])+|{words.LETTER}"
)
_SEGMENT = re.compile(r"[/:|=,;\[\](){}\"'\s@#&?<>]+")
_LOOSE = re.compile(r"[=,;|()\[\]{}\"'\s<>]+")  # `upstream=profile:8443` holds `profile:8443`
_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_HASHED = re.compile(r"[-_./](?=[\w.-]*\d)[\w.-]+\Z")
# Ends and beginnings that make a hyphenated word the name of a thing, not an English compound.
NAMING = words.table(
    "service svc api db database server gateway worker queue cache cluster pod node job lambda function fn topic bucket table proxy "
    "app web prod production staging dev ts master primary replica "
    "broker consumer producer scheduler controller frontend backend store stack alarm"
)
# Fields of a record that hold the name of a thing.
ENTITY_FIELDS = words.table(
    "service services subject resource resources name host hostname pod container function operation component database cluster "
    "instance alarm node target_group callee caller log_group log_stream queue topic table bucket app application dependency"
)
OWNER_FIELDS = words.table("service subject resource stack app application")
_PROPER = re.compile(r"[A-Z][a-z]+\Z")
_UNIT_WORD = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:%|[a-zA-Zµμ]{1,3})?(?:/(?:s|sec|second|min|minute|h|hour|day))?\Z")


_STATUSES = re.compile(r"[1-5][xX]{2}")
_URL_PATH = re.compile(r"://[^/\s]{1,200}(?P<path>/[^?#\s]{1,400})")


class Name(NamedTuple):
    """`hard` names must be found; the others are compounds that may also stand as words."""

    text: str
    hard: bool
    span: tuple[int, int]

    @property
    def spelled(self) -> bool:
        """Whether it may be told in words instead."""
        return not self.hard or bool(_PROPER.match(self.text))


def in_text(text: str, known: frozenset[str] = frozenset()) -> Iterator[Name]:
    """The names of a claim. `known` are names that records hold (case-folded), which makes an ordinary word a name too."""
    for found in _TOKEN.finditer(text):
        token = found[0].rstrip(".,:;")
        kind = _kind(token, token.casefold() in known or _proper(token, text, found.start()))
        if kind is not None:
            yield Name(token, kind, (found.start(), found.start() + len(token)))


def _proper(token: str, text: str, place: int) -> bool:
    """A capital letter inside a sentence makes a word a name."""
    before = text[:place].rstrip(" ('\"")
    return bool(_PROPER.match(token)) and bool(before) and before[-1] not in ".:!?\n"


def _kind(token: str, known: bool) -> bool | None:
    """True: a name; False: perhaps a compound; None: an ordinary word or a number."""
    if _STATUSES.fullmatch(token):
        return True
    if _UNIT_WORD.match(token) or (token.lower() in units.UNITS and len(token) > 1):
        return None
    if known:
        return True
    if token.isalpha() and not _HUMP.search(token):
        return None
    parts = [p.casefold() for p in _PART.findall(token)]
    if token.replace("-", "").isalpha() and "-" in token and not _HUMP.search(token):
        return bool({parts[0], parts[-1]} & NAMING)
    return bool(parts)


def of_record(texts: Iterable[str]) -> frozenset[str]:
    """All names that a record could be called by: its tokens, and their segments between separators, case-folded."""
    return frozenset().union(*(_forms(token) for text in texts for token in _TOKEN.findall(text)))


@lru_cache(maxsize=50_000)
def _forms(token: str) -> frozenset[str]:
    """What a thing of that token may be called by."""
    token = token.rstrip(".,:;").casefold()
    found = {token, *(m["path"].strip("/") for m in _URL_PATH.finditer(token))}
    found.update(s for split in (_SEGMENT, _LOOSE) for s in split.split(token) if s)
    found.update(_PART.findall(token) if "." in token or "_" in token or "=" in token else ())
    return frozenset(found)


def entities(node: Any, field: str = "") -> Iterator[str]:
    """The values of fields that hold names, case-folded."""
    if isinstance(node, dict):
        for key, item in node.items():
            yield from entities(item, str(key))
    elif isinstance(node, list | tuple):
        for item in node:
            yield from entities(item, field)
    elif isinstance(node, str) and _names_a_thing(field) and 1 < len(node) <= 200 and " " not in node:
        yield node.casefold()


@lru_cache(maxsize=10_000)
def _names_a_thing(field: str) -> bool:
    """`service`, `QueueName`, `DBInstanceIdentifier`."""
    if field.casefold() in ENTITY_FIELDS:
        return True
    parts = [w for part in field.split("_") for w in words.HUMP.sub(" ", part).casefold().split()]
    return len(parts) > 1 and parts[-1] in ("name", "identifier") and parts[-2] in ENTITY_FIELDS


def owners(node: Any) -> Iterator[str]:
    """Whom a record is about: the values of its own fields for that, case-folded."""
    if isinstance(node, dict):
        yield from (v.casefold() for k, v in node.items() if k in OWNER_FIELDS and isinstance(v, str) and v)
    elif isinstance(node, list):
        for item in node:
            yield from owners(item)


def stands_in(name: str, record: frozenset[str]) -> bool:
    """Whether the record holds the name itself, or an instance of it (`order-service-6f6c-x2` is one of `order-service`)."""
    wanted = name.casefold().strip("/")
    if wanted in record or name.casefold() in record:
        return True
    if re.fullmatch(r"[1-5]xx", wanted):
        return any(len(n) == 3 and n.isdigit() and n[0] == wanted[0] for n in record)
    return any(n.startswith(wanted) and _HASHED.fullmatch(n[len(wanted) :]) for n in record if len(n) > len(wanted))
