"""L0 keys: names that find a document exactly, however they are spelled.

A key is an alarm name, an error code, an API path or a title. Two spellings of one name have one normalised form, which is what
the table stores: `KubeAPIDown`, `kube-api-down` and `Kube API Down` are one key; `E1-1` and `E11` are two.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from superbiz.domain.incidents import AlarmNotice

MAX_KEY = 200
MAX_KEYS = 50
MAX_CANDIDATES = 8
MAX_SCANNED = 4_000
META_FIELDS = ("keys", "key", "alarms", "alarm", "alerts", "alert", "error_codes", "error_code", "paths", "path", "aliases")

_PATH = re.compile(r"(?:(?:get|put|post|patch|delete|head|options)\s+)?(?:https?://[^/\s]+)?(/[^\s?#]*)(?:[?#]\S*)?", re.IGNORECASE)
_PARAMETER = re.compile(r"(?<=/)(?:\{[^/]*\}|:[^/]+|<[^/]*>)(?=/|\Z)")
_VALUE_SEGMENT = re.compile(r"(?<=/)(?:[0-9]+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,})(?=/|\Z)", re.IGNORECASE)
_SEPARATORS = re.compile(r"((?<=\d)[\s_-]+(?=\d))|[\s_-]+")
_WRAPPING = " \t\r\n\"'`“”‘’「」『』《》"

_QUOTED = re.compile(
    r"`([^`\n]{2,100})`|\"([^\"\n]{2,100})\"|“([^”\n]{2,100})”|「([^」\n]{2,100})」|『([^』\n]{2,100})』|《([^》\n]{2,100})》"
)
_PATH_IN_TEXT = re.compile(r"(?<![\w/.])/[A-Za-z][\w\-.{}:]*(?:/[\w\-.{}:]+)*")
_IDENTIFIER = re.compile(r"[A-Za-z0-9]+(?:[-_.:][A-Za-z0-9]+)*")
_NAME_LIKE = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z][-_.:]?\d|[-_]|\A[A-Z]{5,}\Z|\A[A-Z][a-z]+(?:\.[A-Z][a-z]+)+\Z")


def normalised(key: str) -> str:
    """The one form of a key; empty for what is no key (nothing left, or longer than 200 characters)."""
    folded = _folded(key).strip(_WRAPPING)
    path = _PATH.fullmatch(folded)
    form = _path_form(path[1]) if path else _folded(_name_form(folded))
    return form if len(form) <= MAX_KEY else ""


def of_document(filename: str, titles: Iterable[str], meta: Mapping[str, Sequence[str]], given: Iterable[str] = ()) -> tuple[str, ...]:
    """The keys of a document as they are written: those given, those of its front matter, its titles, its file's name."""
    named = [value for field in META_FIELDS for value in meta.get(field, ())]
    return unique([*given, *named, *titles, stem(filename)])[:MAX_KEYS]


def from_alarm(notice: AlarmNotice) -> tuple[str, ...]:
    """What to look up for an alarm: its name first, then names in its words, its metrics, and what they measure."""
    metrics = [m.metric_name for m in notice.metrics]
    measured = [value for m in notice.metrics for value in m.dimensions.values()]
    return unique([notice.alarm_name, *_names_in(notice.description), *_names_in(notice.reason), *metrics, *measured])[:MAX_CANDIDATES]


def from_text(text: str) -> tuple[str, ...]:
    """What to look up for a question: what it quotes, names in it, and itself where it is short enough to be a title."""
    whole = [text] if len(text) <= 100 else []
    return unique([*_names_in(text), *whole])[:MAX_CANDIDATES]


def unique(keys: Iterable[str]) -> tuple[str, ...]:
    """The keys without blanks and second spellings, in order."""
    first: dict[str, str] = {}
    for key in keys:
        form = normalised(key)
        if form:
            first.setdefault(form, key.strip())
    return tuple(first.values())


def stem(filename: str) -> str:
    """A file's name without folders and ending."""
    name = filename.replace("\\", "/").rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[0] if "." in name[1:] else name


def _folded(text: str) -> str:
    """Case and width folded; twice, because folding can yield what folds again."""
    for _ in range(2):
        text = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", text)


def _path_form(path: str) -> str:
    """Parameters have no names: `/orders/{id}`, `/orders/:id` and `/orders/<id>` are one path. A trailing slash means nothing."""
    return _PARAMETER.sub("{}", path).rstrip("/") or "/"


def _name_form(name: str) -> str:
    """Separators mean nothing, except between two digits."""
    return _SEPARATORS.sub(lambda m: "-" if m[1] else "", name)


def _names_in(text: str) -> list[str]:
    """Quoted words, API paths and identifiers, in that order: what could be a key. `/orders/17` also asks for `/orders/{}`."""
    text = text[:MAX_SCANNED]
    quoted = [next(g for g in m.groups() if g) for m in _QUOTED.finditer(text)]
    paths = [m[0].rstrip(".:") for m in _PATH_IN_TEXT.finditer(text)]
    general = [_VALUE_SEGMENT.sub("{}", p) for p in paths]
    rest = _PATH_IN_TEXT.sub(" ", text)
    return [*quoted, *paths, *general, *(m[0] for m in _IDENTIFIER.finditer(rest) if _NAME_LIKE.search(m[0]))]
