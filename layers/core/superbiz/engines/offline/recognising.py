"""Known faults in what was recorded: which stand as causes, and which records show no more than their effects."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from superbiz.analysis import faults
from superbiz.analysis.deciding import Channel, Sign
from superbiz.analysis.faults import Match, Name, Recognition
from superbiz.analysis.weighing import MOST
from superbiz.domain import canonical
from superbiz.domain.claims import FaultCategory
from superbiz.domain.naming import names
from superbiz.engines.offline import sighting
from superbiz.engines.offline.sighting import Row
from superbiz.ports import RecordedCall

LEFT = 0.2  # what remains of a record's weight for its own resource, where a sure fault elsewhere explains it
SURE = 1.0  # the strength from which a fault explains in full; half as strong, it explains a quarter


class Recognised(NamedTuple):
    """`signs` of the faults that stand as causes, strongest first; `echoes`: by key, what is left of the weight of an effect's record.

    `owner` gives the workload that a name belongs to.
    """

    signs: tuple[Sign, ...]
    echoes: Mapping[str, float]
    owner: Callable[[str], str]


Near = Callable[[str], float]
Lasting = Callable[[str, FaultCategory], float]


def _everywhere(_resource: str) -> float:
    return 1.0


def _still(_key: str, _category: FaultCategory) -> float:
    return 1.0


def read(calls: Sequence[RecordedCall], near: Near = _everywhere, lasting: Lasting = _still) -> Recognised:
    """The evidence of an effect speaks for its cause, as far as the cause is sure, and no longer for the place where it was felt.

    `near` says how much a resource has to do with what the run is about, `lasting` how much the state that a record (by key) tells of was
    still there for a fault of that category, both from 0 to 1. A cause is as near as the nearest of its effects, so its sign needs no such
    weighing any more.
    """
    scene = sighting.scene_of(calls)
    shown = _shown(faults.recognise(sighting.features(scene), scene.calls))
    rows = {row.key: row for row in scene.rows}
    made, echoes = [], dict[str, float]()
    for cause, keys in shown:
        if cause.fault.name == Name.FELT:
            continue  # what everybody feels is no fault that one knows
        sure, category = min(cause.strength / SURE, 1.0) ** 2, cause.fault.category
        placed = [(rows[key], scene.place(rows[key])) for key in keys]
        own = _left(cause.strength * max(near(place) for _, place in placed), lasting(cause.keys[0], category))
        weights = [(row.name, place, _left(sighting.weight_of(row) * near(place), lasting(row.key, category))) for row, place in placed]
        here = max((weight for name, place, weight in weights if place == cause.resource and name != "suspects"), default=0.0)
        carried = max(here, _joint((name, weight) for name, place, weight in weights if place != cause.resource))
        made.append(_sign(cause, max(own, sure * carried), rows))
        left = 1 - (1 - LEFT) * sure
        echoes |= {row.key: min(echoes.get(row.key, 1.0), left) for row, place in placed if place != cause.resource}
    return Recognised(tuple(sorted(made, key=lambda s: (-s.strength, s.resource, s.fault))), echoes, scene.owner)


def _joint(weights: Iterable[tuple[str, float]]) -> float:
    """The strongest record of each list, added as independent distances are."""
    best: dict[str, float] = {}
    for name, weight in weights:
        best[name] = max(best.get(name, 0.0), weight)
    return math.hypot(*best.values())


def _left(strength: float, lasting: float) -> float:
    """A state that had its time counts no more than a plain sign."""
    return strength if lasting >= 1 else min(strength, 1.0) * lasting


def _shown(found: Recognition) -> list[tuple[Match, list[str]]]:
    """Each cause with the keys of all records that show it or any of its effects."""
    effects = [(e.of.place, key) for e in found.effects for key in e.match.keys]
    return [(m, list(dict.fromkeys([*m.keys, *(key for place, key in effects if place == m.place)]))) for m in found.causes if m.keys]


def _sign(match: Match, strength: float, rows: Mapping[str, Row]) -> Sign:
    """Records that name the resource stand first, since what is said of it has to be read there."""
    keys = sorted(match.keys, key=lambda key: not names(canonical.dumps(rows[key].node), match.resource))
    shown = round(min(strength, MOST), 6)
    return Sign(match.resource, Channel.FAULT, shown, match.fault.category, key=keys[0], fault=str(match.fault.name), also=tuple(keys[1:]))
