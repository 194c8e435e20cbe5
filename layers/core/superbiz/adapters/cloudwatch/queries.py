"""The Logs Insights queries there are, and the one way by which a text gets into one.

A text becomes a regular expression of letters, digits, `-`, `_` and escapes by code point (`\\x22`): nothing in it can end a string, a
pattern or a command, whatever the query language takes for special.
"""

from string import ascii_letters, digits
from typing import NamedTuple

from superbiz.errors import Invalid

MOST_ROWS = 10_000  # that one query answers
TEXT_CHARS = 200
PLAIN = frozenset(ascii_letters + digits + "-_")
LINES = "fields @timestamp, @message, @logStream, @log\n{filters}| sort @timestamp asc\n| limit {limit}"
FILTER = "| filter {field} like /{pattern}/\n"
# The fields that a query may be narrowed by, by our names for them.
FIELDS = {"namespace": "kubernetes.namespace_name", "stream": "@logStream", "text": "@message"}
WHOLE = frozenset({"namespace"})


class Only(NamedTuple):
    """A narrowing: a field by its name in `FIELDS`, and the text that it holds."""

    field: str
    text: str


def lines(limit: int, only: tuple[Only, ...] = ()) -> str:
    """All lines, oldest first; of the narrowed ones those alone."""
    filters = "".join(FILTER.format(field=FIELDS[one.field], pattern=_pattern(one)) for one in only)
    return LINES.format(filters=filters, limit=int(limit))


def literal(text: str) -> str:
    """A regular expression that matches this text and no other. Raises Invalid for one that is empty or too long."""
    if not 0 < len(text) <= TEXT_CHARS:
        raise Invalid("the text to look for is empty or too long", mend=f"give 1 to {TEXT_CHARS} characters")
    return "".join(c if c in PLAIN else _escaped(ord(c)) for c in text)


def _pattern(one: Only) -> str:
    return f"^{literal(one.text)}$" if one.field in WHOLE else literal(one.text)


def _escaped(point: int) -> str:
    return f"\\x{point:02X}" if point < 0x100 else f"\\x{{{point:X}}}"
