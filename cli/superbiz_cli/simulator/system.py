"""What runs: services with their operations, the connection pools they hold, the queues between them, and the routes that callers use."""

from collections.abc import Mapping
from typing import NamedTuple

Key = tuple[str, str]


class Operation(NamedTuple):
    """`own_ms` is the median of the time spent in the service itself. `pool` is held from the first to the last call.

    `said` is what the service logs of a success, with `{n}` for the request's number; where it is empty, its voice has words of its own.
    """

    name: str
    own_ms: float
    calls: tuple[Key, ...] = ()
    pool: str | None = None
    said: str = ""


class Service(NamedTuple):
    """`kind` is the type in the service map. `voice` names its way of logging; None logs nothing.

    `meters` names the tables its metrics come from (none: by its kind); `levels` what their quantities stand at; `known_as` the value of
    the dimension, by namespace, where it is not the name. `capacity` is what it serves a second at most (0: endless), `overload` what it
    says of the rest, `hiccup` words the few failures that are always there, `retries` how often a caller tries again,
    `restless` how much more than others its metrics scatter.
    """

    name: str
    kind: str
    operations: tuple[Operation, ...]
    voice: str | None = None
    log_group: str = ""
    tasks: tuple[str, ...] = ()
    cpu: float = 20.0
    memory: float = 50.0
    meters: tuple[str, ...] = ()
    levels: Mapping[str, float] = {}
    known_as: Mapping[str, str] = {}
    capacity: float = 0.0
    overload: str = "no worker is free"
    hiccup: str = ""
    retries: int = 0
    restless: float = 1.0


class Pool(NamedTuple):
    """A connection pool: `size` connections in each of `tasks` tasks of one service; a caller waits at most `timeout_ms`."""

    name: str
    service: str
    database: str
    size: int
    tasks: int
    timeout_ms: float


class Queue(NamedTuple):
    """Messages that a call of `sent_by` leaves, worked off by `taken_by`, at most `capacity` a second. `name` is a service too."""

    name: str
    sent_by: Key
    taken_by: Key
    capacity: float


class Route(NamedTuple):
    """An entry point and its share of all requests."""

    key: Key
    share: float


class System(NamedTuple):
    """Callers enter by `routes`; everything else is reached by calls and queues.

    `dimensions` are on every metric of a namespace, or of a `namespace/dimension` where only those are meant.
    """

    name: str
    services: tuple[Service, ...]
    pools: tuple[Pool, ...]
    routes: tuple[Route, ...]
    queues: tuple[Queue, ...] = ()
    dimensions: Mapping[str, Mapping[str, str]] = {}

    @property
    def operations(self) -> Mapping[Key, Operation]:
        """Operations by service and name."""
        return {(s.name, o.name): o for s in self.services for o in s.operations}

    @property
    def by_name(self) -> Mapping[str, Service]:
        """Services by name."""
        return {s.name: s for s in self.services}

    def calls_of(self, service: Service) -> tuple[str, ...]:
        """The services that one calls, for the service map; a queue's producer calls it, and it calls its consumer."""
        called = {callee for o in service.operations for callee, _ in o.calls} | {
            p.database for p in self.pools if p.service == service.name
        }
        called |= {q.name for q in self.queues if q.sent_by[0] == service.name} | {
            q.taken_by[0] for q in self.queues if q.name == service.name
        }
        return tuple(sorted(called))

    def replaced(self, *changed: Service) -> "System":
        """The same with other values for services of those names."""
        new = {s.name: s for s in changed}
        return self._replace(services=tuple(new.get(s.name, s) for s in self.services))
