"""A metric as a row of a table: what it is called, which quantity it tells, how it is read off a minute of weather, how it scatters."""

import math
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from superbiz_cli.simulator import faults
from superbiz_cli.simulator.load import drift
from superbiz_cli.simulator.system import Service
from superbiz_cli.simulator.weather import Climate, ServiceState, Weather

Number = float | None
COUNTED = -1.0  # scatters as counts do: by the root of what is expected


class Row(NamedTuple):
    """One series of a metrics file, before its times are spelled."""

    namespace: str
    metric_name: str
    dimensions: dict[str, str]
    stat: str
    unit: str
    values: list[Number]


class Seen(NamedTuple):
    """What a meter reads: a service's minute."""

    climate: Climate
    service: Service
    weather: Weather

    @property
    def state(self) -> ServiceState:
        """The service's own state."""
        return self.weather.services[self.service.name]

    @property
    def load(self) -> float:
        """How much is asked, against the day's mean."""
        usual = self.climate.usual[self.service.name]
        return self.state.rps / usual if usual else self.weather.rps / self.climate.load.rps

    @property
    def in_flight(self) -> float:
        """Requests being worked on (Little's law)."""
        return self.state.rps * self.state.typical_ms / 1000

    @property
    def running(self) -> bool:
        """Whether anything of it runs."""
        return not faults.stopped(self.climate.faults, self.service.name, self.weather.at)


Base = Callable[[Seen], Number]


class Meter(NamedTuple):
    """`quantity` is what faults bend it by, and what `Service.levels` may set it to; `base` reads it where no level is set.

    `noise` is relative and has a memory; COUNTED scatters as counts do. What is bent counts before noise and bounds.
    """

    metric_name: str
    stat: str
    unit: str
    quantity: str
    base: Base
    noise: float = 0.03
    high: float = math.inf
    digits: int = 3


class Table(NamedTuple):
    """The metrics of one namespace for one kind of thing. `dimension` holds its name there."""

    namespace: str
    dimension: str
    meters: tuple[Meter, ...]


def level(default: float, by_load: float = 0.0) -> Base:
    """A quantity that stands at a level; `by_load` is the share of it that follows the load."""
    return lambda seen: default * (1 - by_load + by_load * seen.load)


def table_rows(climate: Climate, minutes: Sequence[Weather], service: Service, table: Table) -> list[Row]:
    """The series of one service from one table."""
    known = climate.system.dimensions
    shared = known.get(f"{table.namespace}/{table.dimension}", known.get(table.namespace, {}))
    own = {**shared, table.dimension: service.known_as.get(table.namespace, service.name)}
    return [
        Row(table.namespace, m.metric_name, dict(own), m.stat, m.unit, _values(climate, minutes, service, table.namespace, m))
        for m in table.meters
    ]


def _values(climate: Climate, minutes: Sequence[Weather], service: Service, namespace: str, meter: Meter) -> list[Number]:
    seed = f"{climate.seed}/{minutes[0].at.isoformat()}/{service.name}/{namespace}/{meter.metric_name}/{meter.stat}"
    scatter = drift(seed, len(minutes), max(meter.noise, 0.0) * service.restless)
    chance = random.Random(seed + "/count")
    moving = faults.bends(climate.faults, service.name, meter.quantity)
    found: list[Number] = []
    for weather, factor in zip(minutes, scatter, strict=True):
        base = _base(meter, Seen(climate, service, weather))
        if base is None:
            found.append(None)
            continue
        value = faults.bent(base, moving, weather.at)
        value = chance.gauss(value, max(0.0, value) ** 0.5) if meter.noise == COUNTED else value * factor
        found.append(_rounded(min(meter.high, max(0.0, value)), meter.digits))
    return found


def _base(meter: Meter, seen: Seen) -> Number:
    """A level that the service sets takes the place of the table's, under the same load."""
    base = meter.base(seen)
    own = seen.service.levels.get(meter.quantity)
    return base if own is None or base is None else own * (seen.load if meter.quantity in FOLLOW_LOAD else 1.0)


FOLLOW_LOAD = frozenset({"cpu", "read_iops", "write_iops", "db_load"})


def _rounded(value: float, digits: int) -> float:
    return float(round(value)) if digits == 0 else round(value, digits)
