"""Log templates: one generic configuration for every kind of log, mined by Drain.

A line that names its place in the code (`OrderService#41`, `order.py:41`) is one statement whatever its text; other lines are told
apart by template.
"""

import json
import re
from functools import lru_cache
from typing import Any, NamedTuple

from superbiz.errors import Broken

LONGEST = 2_000  # characters of a line that are looked at
MOST_TEMPLATES = 20_000
REMEMBERED = 20_000
PARAMETER = "<*>"
SIMILARITY = 0.5
SHORTEST_ID = 8

_VARIABLE = re.compile(
    r"""
    \b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?        # date and time
    | \b\d{4}[-/]\d\d[-/]\d\d\b                                             # date
    | \b\d\d:\d\d:\d\d(?:[.,]\d+)?\b                                        # time of day
    | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b      # UUID
    | \b0x[0-9a-f]+\b
    | \b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b                     # hexadecimal id
    | \b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b                                  # IPv4
    | (?<![\w.$])[+-]?\d+(?:[.,]\d+)*(?=[a-z%]{0,3}\b|%)                    # number, maybe with a unit
    """,
    re.X | re.I,
)
_DIGIT = re.compile(r"\d")
_NUMERIC = "0123456789.,:+-TZ"
_HEXADECIMAL = "0123456789abcdefABCDEF-"
_TELLING = re.compile(r"status|code|level|severity|errno", re.I)  # fields of a JSON line whose number says what happened
_LEVEL = re.compile(
    r"\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL|PANIC)\b"
    r"|(?i:level|severity|lvl)[\"']?\s*[:=]\s*[\"']?(?i:(trace|debug|info|notice|warn|warning|error|severe|critical|fatal|panic|[1-6]0))\b"
)
_NUMBERED = {"10": "TRACE", "20": "DEBUG", "30": "INFO", "40": "WARN", "50": "ERROR", "60": "FATAL"}
# Both patterns start at a token's beginning only, so that a hostile line can not make them quadratic.
_SOURCE = r"\.(?:java|kt|scala|py|go|js|ts|rb|cs|php|rs|cc|cpp|c):\d+"
_LOCATION = re.compile(rf"(?<![\w.$/-])((?:[\w$]+\.)*[A-Z][\w$]*#\d{{1,5}}|[\w$/.-]+{_SOURCE})\b")
_EXCEPTION = re.compile(r"(?<![\w.])((?:[a-z_]\w*\.)*[A-Z]\w*(?:Exception|Error|Timeout|Fault|Refused))\b")
_PLACED = re.compile(rf"[A-Z]\w*#\d{{1,5}}\b|{_SOURCE}\b")
_THROWN = ("Exception", "Error", "Timeout", "Fault", "Refused")
_CONTINUED = re.compile(
    r"^\s+(?:at\s|\.\.\. \d+ (?:more|common)|File \")|^Caused by:|^\s*\.\.\. \d+ more|^Traceback \(most recent call last\)"
)
_CONTINUING = frozenset(" \tCT")  # how such a line begins
_WORSE = {"ERROR", "SEVERE", "CRITICAL", "FATAL", "PANIC"}


class Statement(NamedTuple):
    """`key` is the same for lines of one statement. `level` is in capitals, empty where the line names none.

    `bad` statements say of themselves that something went wrong.
    """

    key: str
    level: str
    location: str | None
    exception: str | None
    bad: bool


class Miner:
    """Finds the statement behind a line. One miner for both periods that are compared, so that their keys agree."""

    def __init__(self) -> None:
        self._drain = _drain()
        self._known: dict[str, Statement] = {}
        self._clusters: dict[str, Any] = {}

    def read(self, message: str) -> Statement:
        """The statement of one raw line, of which at most 2,000 characters count. Masked lines that were met before are remembered."""
        text = masked(message[:LONGEST])
        found = self._known.get(text)
        if found is None:
            found = self._statement(text)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[text] = found
        return found

    def template(self, key: str) -> str:
        """The template as it stands now: it grows more general while lines are read."""
        cluster = self._clusters.get(key)
        return cluster.get_template() if cluster else ""

    def _statement(self, text: str) -> Statement:
        level = level_of(text)
        location = _found(_LOCATION, text) if _PLACED.search(text) else None
        exception = _found(_EXCEPTION, text) if any(word in text for word in _THROWN) else None
        cluster = self._drain.add_log_message(text)[0]
        key = f"{location}|{level}" if location else f"t{cluster.cluster_id}"
        self._clusters.setdefault(key, cluster)
        return Statement(key, level, location, exception, level in _WORSE or exception is not None)


def masked(line: str) -> str:
    """The line with times, ids, addresses and numbers replaced, white space as single blanks; a JSON line as `key:value` words."""
    fields = _fields(line) if line[:1] == "{" else None
    if fields is not None:
        return " ".join([f"{key}:{_masked_value(key, value)}" for key, value in fields.items()])
    return _masked_words(line)


def _masked_words(text: str) -> str:
    return " ".join([token if token.isalpha() else _masked_token(token) for token in text.split()])


def _fields(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found else None


def _masked_value(key: str, value: Any) -> str:
    kind = type(value)
    if kind is str:
        return _masked_words(value) if " " in value else _masked_token(value)
    if kind is int or kind is float:
        return str(value) if _is_telling(key) else PARAMETER
    return _masked_token(json.dumps(value))


@lru_cache(maxsize=4_096)
def _is_telling(key: str) -> bool:
    return _TELLING.search(key) is not None


@lru_cache(maxsize=65_536)
def _masked_token(token: str) -> str:
    """Lines share most of their tokens; those without a digit hold nothing variable, and those of nothing else are all variable."""
    if not _DIGIT.search(token):
        return token
    if not token.strip(_NUMERIC) or (len(token) >= SHORTEST_ID and not token.strip(_HEXADECIMAL)):
        return PARAMETER
    if _PLACED.search(token):
        return token  # its number is a line of code, which tells statements apart
    return _VARIABLE.sub(PARAMETER, token)


def level_of(line: str) -> str:
    """The severity that the line's first 200 characters name, or an empty text."""
    match = _LEVEL.search(line, 0, 200)
    level = (match[1] or match[2]).upper() if match else ""
    return _NUMBERED.get(level, "WARN" if level == "WARNING" else level)


def continues(message: str) -> bool:
    """Whether a line is the rest of the one before it, as the frames of a stack trace are."""
    return message[:1] in _CONTINUING and _CONTINUED.match(message) is not None


def _found(pattern: re.Pattern[str], line: str) -> str | None:
    match = pattern.search(line)
    return match[1] if match else None


def _drain() -> Any:
    try:
        from drain3.drain import Drain  # here, so that what never mines logs does not load it
    except ImportError as e:
        raise Broken("log templates need the package drain3-improved", code="MISSING_PACKAGE", mend="attach the diagnosis layer") from e
    return Drain(depth=4, sim_th=SIMILARITY, max_children=100, max_clusters=MOST_TEMPLATES, param_str=PARAMETER)
