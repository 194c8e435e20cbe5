"""What a bad line tells by known words, and of whom: a client speaks of what its server lacks, and names who did not answer."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from superbiz.analysis import signatures
from superbiz.analysis.faults import Seen
from superbiz.domain.naming import names

SHORTEST = 4  # letters of a name that texts are searched for
FIELDS = ("exception", "statement", "template", "line", "then")
BAD_LEVELS = frozenset({"ERROR", "FATAL", "CRITICAL", "WARN", "WARNING", "SEVERE", "ALERT", "EMERGENCY"})
# A host of others in a text: where a URL has it, or by a top-level name that code and files do not end in.
_HOST = re.compile(
    r"://(?:[\w.~-]+@)?((?:[a-z0-9-]+\.)+[a-z]{2,10})\b"
    r"|(?<![\w@./-])((?:[a-z0-9-]+\.){1,5}(?:com|net|org|io|cloud|app|dev|internal|local|svc|example|test|co|ai|edu|gov))(?![\w.(-])",
    re.IGNORECASE,
)
_PACKAGE = re.compile(r"^(?:com|org|net|io|java|javax|sun)\.", re.IGNORECASE)
# By these words a client speaks of what its server lacks.
_CLIENT = re.compile(
    r"sql(?:state|exception)|jdbc|psycopg|psql|operationalerror|databaseerror|could not extend file|mongo|\bpq:|\bredis", re.IGNORECASE
)
SERVERS = (Seen.DISK_FULL, Seen.OUT_OF_MEMORY)
BLAMING = (Seen.DEPENDENCY_FAILED, Seen.CONNECTION_FAILED, Seen.TIMED_OUT)
# What a caller says of the one it calls: where it names that one, it was seen there.
SERVED = (Seen.CERTIFICATE, Seen.CONNECTIONS_REFUSED_BY_LIMIT, Seen.THROTTLED, Seen.READ_ONLY, Seen.LOCK_WAITS, Seen.MEMORY_LIMIT_REACHED)


class Told(NamedTuple):
    """Something that a line shows: at the resource it names (`of`), else at the one that speaks.

    `share` is its part of the line's strength; `heard` says that the speaker does not show it but speaks of it.
    """

    seen: Seen
    share: float
    of: str | None = None
    heard: bool = False


def words_of(node: Mapping[str, Any]) -> str:
    """All that a record of lines says."""
    return " ".join(str(node[f]) for f in FIELDS if node.get(f))


def is_bad(node: Mapping[str, Any]) -> bool:
    """Whether the record's lines say that something went wrong."""
    named = node.get("signature") or node.get("exception") or "bad_lines" in node
    return bool(named) or str(node.get("level", "")).upper() in BAD_LEVELS


def named(text: str, known: Iterable[str]) -> list[str]:
    """The known resources that the text names."""
    return [name for name in known if len(name) >= SHORTEST and names(text, name)]


def hosts(text: str) -> list[str]:
    """Hosts in the order in which they are named, in lower case."""
    found = ((host[1] or host[2]).lower() for host in _HOST.finditer(text))
    return [host for host in found if not _PACKAGE.search(host)]


def told(text: str, blamed: Collection[str]) -> Iterator[Told]:
    """The line's known words, the first the strongest; those of a server's limits at the server, where the line names it."""
    known = signatures.signatures_of(text)
    first = known[0].seen if known else None
    if first is None or first in (*BLAMING, *SERVED):
        served = first if first in SERVED else None
        yield from (Told(served or Seen.BLAMED, 1.0, other) for other in blamed)
        if served and blamed:
            known = known[1:]
            yield Told(Seen.DEPENDENCY_FAILED, 1.0)
    for rank, one in enumerate(known):
        heard = one.seen in SERVED or (one.seen in SERVERS and _CLIENT.search(text) is not None)
        yield Told(one.seen, 1 / (1 + rank), heard=heard)
