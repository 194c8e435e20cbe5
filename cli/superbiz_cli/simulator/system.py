"""What runs: services with their operations, the connection pools they hold, and the routes that callers use."""

from collections.abc import Mapping
from typing import NamedTuple

Key = tuple[str, str]


class Operation(NamedTuple):
    """`own_ms` is the median of the time spent in the service itself. `pool` is held from the first to the last call."""

    name: str
    own_ms: float
    calls: tuple[Key, ...] = ()
    pool: str | None = None


class Service(NamedTuple):
    """`kind` is the type in the service map. `voice` names its way of logging; None logs nothing."""

    name: str
    kind: str
    operations: tuple[Operation, ...]
    voice: str | None = None
    log_group: str = ""
    tasks: tuple[str, ...] = ()
    cpu: float = 20.0
    memory: float = 50.0


class Pool(NamedTuple):
    """A connection pool: `size` connections in each of `tasks` tasks of one service; a caller waits at most `timeout_ms`."""

    name: str
    service: str
    database: str
    size: int
    tasks: int
    timeout_ms: float


class Route(NamedTuple):
    """An entry point and its share of all requests."""

    key: Key
    share: float


class System(NamedTuple):
    """Callers enter by `routes`; everything else is reached by calls."""

    name: str
    services: tuple[Service, ...]
    pools: tuple[Pool, ...]
    routes: tuple[Route, ...]

    @property
    def operations(self) -> Mapping[Key, Operation]:
        """Operations by service and name."""
        return {(s.name, o.name): o for s in self.services for o in s.operations}

    @property
    def by_name(self) -> Mapping[str, Service]:
        """Services by name."""
        return {s.name: s for s in self.services}

    def calls_of(self, service: Service) -> tuple[str, ...]:
        """The services that one calls, for the service map."""
        called = {callee for o in service.operations for callee, _ in o.calls} | {
            p.database for p in self.pools if p.service == service.name
        }
        return tuple(sorted(called))
