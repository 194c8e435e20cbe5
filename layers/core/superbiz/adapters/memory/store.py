"""What a memory ledger holds, under one lock."""

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

from superbiz.adapters import cursors
from superbiz.domain import canonical
from superbiz.domain.cases import Case
from superbiz.domain.control import Control
from superbiz.domain.evidence import Invocation
from superbiz.domain.incidents import AlarmEvent, Episode
from superbiz.domain.knowledge import Chunk, Document, Domain
from superbiz.domain.legacy import LegacySession
from superbiz.domain.records import History
from superbiz.domain.runs import Run, RunRequest, Session, Step
from superbiz.domain.values import JsonObject
from superbiz.ports import Page

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Place = tuple[int, int]
Listed = tuple[str, str]


class Store:
    """Each group of the ledger is a view of this one store. Values are frozen, so they are handed out as they are."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.runs: dict[str, Run] = {}
        self.requests: dict[str, RunRequest] = {}
        self.answers: dict[str, str] = {}
        self.reports: dict[str, str] = {}
        self.nodes: dict[str, dict[str, str]] = defaultdict(dict)
        self.steps: dict[str, dict[int, Step]] = defaultdict(dict)
        self.artifacts: dict[str, dict[int, str]] = defaultdict(dict)
        self.invocations: dict[str, dict[Place, Invocation]] = defaultdict(dict)
        self.outputs: dict[str, bytes] = {}
        self.replies: dict[str, dict[Place, str]] = defaultdict(dict)
        self.sessions: dict[str, Session] = {}
        self.histories: dict[str, History] = {}
        self.cases: dict[str, Case] = {}
        self.legacy: dict[str, LegacySession] = {}
        self.episodes: dict[str, list[Episode]] = defaultdict(list)
        self.events: dict[tuple[str, str], AlarmEvent] = {}
        self.domains: dict[str, Domain] = {}
        self.documents: dict[str, Document] = {}
        self.chunks: dict[str, tuple[Chunk, ...]] = {}
        self.control = Control()


class Group:
    """A group of the ledger's methods. Without a store it makes its own."""

    def __init__(self, store: Store | None = None) -> None:
        self._store = store or Store()


G = TypeVar("G", bound=Group)


def locked(method: Callable[Concatenate[G, P], R]) -> Callable[Concatenate[G, P], R]:
    """Run the method alone: what it reads, decides and writes is one transaction."""

    @wraps(method)
    def alone(self: G, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._store.lock:
            return method(self, *args, **kwargs)

    return cast("Callable[Concatenate[G, P], R]", alone)


def page(found: Sequence[tuple[Listed, T]], scope: str, limit: int, cursor: str | None) -> Page[T]:
    """The part of a list, newest (highest place) first, that follows the cursor."""
    ordered = sorted(found, key=lambda row: row[0], reverse=True)
    if cursor is not None:
        after = cursors.decode(scope, cursor, parts=2)
        ordered = [row for row in ordered if row[0] < after]
    shown = ordered[: max(1, limit)]
    more = len(ordered) > len(shown)
    return Page([item for _, item in shown], cursors.encode(scope, *shown[-1][0]) if more else None)


def text_of(document: JsonObject) -> str:
    """Documents are kept as text: nobody can change what is stored, and numbers keep their spelling."""
    return canonical.dumps(document)
