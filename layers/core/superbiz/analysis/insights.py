"""Database load as Performance Insights tells it: by instance, by what sessions wait for, and by statement.

Loads are average active sessions. Read tolerantly, since recorded documents differ: summaries written by hand, and the answers of
`GetResourceMetrics` and `DescribeDimensionKeys`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

DEEPEST = 8
VCPUS = 2  # of a database whose size is not known: the smallest that is made for load


class Load(NamedTuple):
    """A database's load over the document's time. `vcpus` is None where it is not told."""

    database: str
    average: float
    peak: float
    vcpus: float | None

    @property
    def ratio(self) -> float:
        """Peak load by vCPUs: above 1, sessions queue."""
        return self.peak / (self.vcpus or VCPUS)


class Part(NamedTuple):
    """What a part of the load waits for, or which statement makes it. `share` is of all parts of its kind."""

    database: str
    name: str
    load: float
    share: float


class Session(NamedTuple):
    """A session that was listed by itself. `since` is the start of its transaction, as the document spells it."""

    database: str
    user: str
    state: str
    since: str
    statement: str


class Insights(NamedTuple):
    """All that was read, heaviest first."""

    databases: tuple[Load, ...]
    waits: tuple[Part, ...]
    statements: tuple[Part, ...]
    sessions: tuple[Session, ...] = ()


class WaitKind(StrEnum):
    """What a waiting session lacks."""

    CPU = "cpu"
    IO = "io"
    LOCK = "lock"
    COMMIT = "commit"
    CLIENT = "client"
    OTHER = "other"


# Wait events of RDS for PostgreSQL, Aurora and MySQL, as AWS documents them. The first row that matches decides.
WAIT_KINDS = (
    (WaitKind.CPU, re.compile(r"^cpu\b|^runqueue", re.IGNORECASE)),
    (WaitKind.CLIENT, re.compile(r"^client:|^idle|network packet|socket", re.IGNORECASE)),
    (WaitKind.LOCK, re.compile(r"^lock:|row lock|lock wait|table_?lock|metadata|/lock/|lck_m|innodb_row|transactionid|deadlock",
                               re.IGNORECASE)),
    (WaitKind.COMMIT, re.compile(r"xactsync|walwrite|walsync|redo_log_flush|log_?sync|commit|binlog|innodb_log", re.IGNORECASE)),
    (WaitKind.IO, re.compile(r"^io:|^io/|/io/|datafile|buffile|pageio|disk", re.IGNORECASE)),
)  # fmt: skip
_NAMES = (
    "db_instance",
    "dbinstance",
    "dbinstanceidentifier",
    "instance",
    "instanceid",
    "database",
    "resource",
    "identifier",
    "dbidentifier",
)
_LOADS = (
    "load",
    "total",
    "avgload",
    "averageload",
    "dbload",
    "dbloadavg",
    "aas",
    "avgactivesessions",
    "averageactivesessions",
    "value",
    "avg",
)
_WAITS = ("wait", "waitevent", "event", "waiteventname", "waitname")
_SQLS = ("sql", "statement", "query", "sqltext", "sqlstatement", "querytext", "digesttext", "text")
_VCPUS = ("maxvcpus", "maxvcpu", "vcpus", "vcpu", "maxcpu", "cpucount", "vcpucount")
_DB_LOADS = ("dbload", "dbloadaverage", "dbloadavg", "averageload", "avgload", "avgactivesessions", "averageactivesessions", "load", "aas")
_RESOURCE_ID = re.compile(r"db-[A-Z0-9]{20,}")  # by which Performance Insights knows an instance, and nobody else
_WAIT_LISTS = re.compile(r"wait|event")
_SQL_LISTS = re.compile(r"sql|quer|statement|digest")


def wait_kind(name: str) -> WaitKind:
    """What a session that waits so lacks."""
    return next((kind for kind, words in WAIT_KINDS if words.search(name)), WaitKind.OTHER)


def read(document: Any, database: str = "") -> Insights:
    """Everything that the document tells of load. `database` names the instance where the document names none."""
    found = _Reading()
    found.visit(document, database, "", 0)
    return Insights(tuple(found.loads.values()), _shared(found.waits), _shared(found.statements), tuple(found.sessions))


class _Reading:
    """What was found so far."""

    def __init__(self) -> None:
        self.loads: dict[str, Load] = {}
        self.waits: dict[tuple[str, str], float] = {}
        self.statements: dict[tuple[str, str], float] = {}
        self.sessions: list[Session] = []

    def visit(self, node: Any, database: str, under: str, depth: int) -> None:
        if depth > DEEPEST:
            return
        if isinstance(node, Mapping):
            self._mapping({_plain(str(k)): v for k, v in node.items()}, database, under, depth)
        elif isinstance(node, Sequence) and not isinstance(node, str | bytes):
            for element in node:
                self.visit(element, database, under, depth + 1)

    def _mapping(self, node: Mapping[str, Any], database: str, under: str, depth: int) -> None:
        named = _text(node, _NAMES)
        database = database if not named or (database and _RESOURCE_ID.fullmatch(named)) else named
        if self._part(node, database, under) or self._metric(node, database) or self._session(node, database):
            return
        self._database(node, database)
        for key, value in node.items():
            if isinstance(value, Mapping | Sequence) and not isinstance(value, str | bytes):
                self.visit(value, database, key if _is_list_name(key) else under, depth + 1)

    def _part(self, node: Mapping[str, Any], database: str, under: str) -> bool:
        """A row of a list: something waited for or a statement, with its load."""
        dimensions = node.get("dimensions")
        named = {_plain(str(k)): v for k, v in dimensions.items()} if isinstance(dimensions, Mapping) else node
        load = _load(node, _LOADS)
        wait, sql = _wait(named), _sql(named)
        if load is None or not (wait or sql):
            wait, sql = ("", "") if load is None else _by_list(named, under)
        if load is None or not (wait or sql):
            return False
        self._add(self.waits if wait else self.statements, database, wait or sql, load)
        return True

    def _metric(self, node: Mapping[str, Any], database: str) -> bool:
        """A row of `MetricList`: the load over time, whole or of one dimension."""
        key, points = node.get("key"), node.get("datapoints")
        if not isinstance(key, Mapping) or points is None:
            return False
        values = _numbers(points)
        plain = {_plain(str(k)): v for k, v in key.items()}
        if not values or "load" not in str(plain.get("metric", "")):
            return True
        average = sum(values) / len(values)
        dimensions = plain.get("dimensions")
        if isinstance(dimensions, Mapping) and dimensions:
            named = {_plain(str(k)): v for k, v in dimensions.items()}
            wait, sql = _wait(named), _sql(named)
            if wait or sql:
                self._add(self.waits if wait else self.statements, database, wait or sql, average)
        else:
            self._known(Load(database, average, max(values), None))
        return True

    def _session(self, node: Mapping[str, Any], database: str) -> bool:
        """A row of a list of sessions: a process with its state."""
        state = _text(node, ("state", "status", "command"))
        if not state or not any(k in node for k in ("pid", "sessionid", "processid", "threadid")):
            return False
        since = _text(node, ("xactstart", "transactionstart", "trxstarted", "since", "started", "querystart"))
        user = _text(node, ("user", "usename", "username"))
        self.sessions.append(Session(database, user, state, since, _text(node, _SQLS)))
        return True

    def _database(self, node: Mapping[str, Any], database: str) -> None:
        values = next((v for k in _DB_LOADS if (v := _numbers(node.get(k)))), [])
        vcpus = _load(node, _VCPUS)
        if values or vcpus is not None:
            average, peak = (sum(values) / len(values), max(values)) if values else (0.0, 0.0)
            self._known(Load(database, average, peak, vcpus))

    def _known(self, load: Load) -> None:
        known = self.loads.get(load.database)
        self.loads[load.database] = load if known is None else Load(
            load.database, max(known.average, load.average), max(known.peak, load.peak), known.vcpus or load.vcpus
        )  # fmt: skip

    def _add(self, to: dict[tuple[str, str], float], database: str, name: str, load: float) -> None:
        key = database, " ".join(name.split())
        to[key] = max(to.get(key, 0.0), load)


def _shared(parts: Mapping[tuple[str, str], float]) -> tuple[Part, ...]:
    """Largest first within all databases."""
    sums: dict[str, float] = {}
    for (database, _), load in parts.items():
        sums[database] = sums.get(database, 0.0) + load
    rows = (Part(d, n, load, load / sums[d] if sums[d] > 0 else 0.0) for (d, n), load in parts.items())
    return tuple(sorted(rows, key=lambda p: (-p.load, p.database, p.name)))


def _is_list_name(key: str) -> bool:
    return bool(_WAIT_LISTS.search(key) or _SQL_LISTS.search(key))


def _by_list(named: Mapping[str, Any], under: str) -> tuple[str, str]:
    """A row that calls its thing `name`, under a list that says what it lists."""
    name = _text(named, ("name", "id", "key"))
    if _SQL_LISTS.search(under):
        return "", name
    return (name, "") if _WAIT_LISTS.search(under) else ("", "")


def _wait(named: Mapping[str, Any]) -> str:
    """The event with its type, as `IO:DataFileRead`, where the two stand apart."""
    name = _text(named, _WAITS) or _text(named, ("dbwaiteventname",))
    kind = _text(named, ("dbwaiteventtype", "waiteventtype", "waittype"))
    if kind and name and ":" not in name and kind.casefold() != name.casefold():
        return f"{kind}:{name}"
    return name or kind


def _sql(named: Mapping[str, Any]) -> str:
    return _text(named, ("dbsqlstatement", "dbsqltokenizedstatement", *_SQLS)) or _text(named, ("dbsqlid", "dbsqltokenizedid", "sqlid"))


def _text(node: Mapping[str, Any], keys: Iterable[str]) -> str:
    return next((v.strip() for k in keys if isinstance(v := node.get(_plain(k)), str) and v.strip()), "")


def _load(node: Mapping[str, Any], keys: Iterable[str]) -> float | None:
    return next((n for k in keys if (n := _number(node.get(k))) is not None), None)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        return None
    return float(value)


def _numbers(value: Any) -> list[float]:
    """A number, a list of numbers, of `[time, value]` or of rows with a value."""
    return list(_each(value))


def _each(value: Any) -> Iterator[float]:
    if (one := _number(value)) is not None:
        yield one
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for row in value:
            given = row
            if isinstance(row, Mapping):
                given = next((v for k, v in row.items() if _plain(str(k)) in (*_LOADS, *_DB_LOADS)), None)
            elif isinstance(row, Sequence) and not isinstance(row, str | bytes) and row:
                given = row[-1]
            if (number := _number(given)) is not None:
                yield number


def _plain(key: str) -> str:
    return re.sub(r"[^a-z0-9]", "", key.lower())
