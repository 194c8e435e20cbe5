"""Known faults in what was recorded: which stand as causes, and which records show no more than their effects."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from superbiz.analysis import faults
from superbiz.analysis.deciding import Channel, Sign
from superbiz.analysis.faults import Feature, Match, Recognition
from superbiz.analysis.weighing import MOST
from superbiz.domain import canonical
from superbiz.domain.naming import names
from superbiz.engines.offline import sighting
from superbiz.engines.offline.sighting import Row, Scene
from superbiz.ports import RecordedCall

LEFT = 0.2  # what remains of a record's weight for its own resource, where a sure fault elsewhere explains it
SURE = 1.0  # the strength from which a fault explains in full


class Recognised(NamedTuple):
    """`signs` of the faults that stand as causes, strongest first; `echoes`: by key, what is left of the weight of an effect's record."""

    signs: tuple[Sign, ...]
    echoes: Mapping[str, float]


Weigh = Callable[[Feature], float]


def _whole(_feature: Feature) -> float:
    return 1.0


def signs(calls: Sequence[RecordedCall]) -> list[Sign]:
    """One sign for each known fault that stands as a cause, strongest first."""
    return list(read(calls).signs)


def read(calls: Sequence[RecordedCall], weigh: Weigh = _whole) -> Recognised:
    """The evidence of an effect speaks for its cause, as far as the cause is sure, and no longer for the place where it was felt.

    `weigh` says how much a sight has to do with what the run is about, from 0 to 1; the signs need no such weighing any more.
    """
    scene = sighting.scene_of(calls)
    found = faults.recognise((f._replace(strength=f.strength * weigh(f)) for f in sighting.features(scene)), scene.calls)
    rows = {row.key: row for row in scene.rows}
    carried, echoes = _effects(found, scene)
    made = [_sign(m, carried.get((m.resource, m.fault.name), 0.0), rows) for m in found.causes if m.keys]
    return Recognised(tuple(sorted(made, key=lambda s: (-s.strength, s.resource, s.fault))), echoes)


def _effects(found: Recognition, scene: Scene) -> tuple[dict[tuple[str, str], float], dict[str, float]]:
    """What each cause takes over from records of other resources, its own sights among them, and what those keep."""
    rows = {row.key: row for row in scene.rows}
    origin = {id(e.match): e.of for e in found.effects}
    shown = [(m, key) for m in found.causes for key in m.keys]
    shown += [(_origin(e.of, origin), key) for e in found.effects for key in e.match.keys]
    carried: dict[tuple[str, str], float] = defaultdict(float)
    echoes: dict[str, float] = {}
    for cause, key in shown:
        if scene.place(rows[key]) != cause.resource:
            sure = min(cause.strength / SURE, 1.0)
            carried[cause.resource, cause.fault.name] = max(carried[cause.resource, cause.fault.name], sure * sighting.weight_of(rows[key]))
            echoes[key] = min(echoes.get(key, 1.0), 1 - (1 - LEFT) * sure)
    return carried, echoes


def _origin(match: Match, origin: Mapping[int, Match]) -> Match:
    """The end of a chain of effects; chains are short, and end where they come back."""
    seen = {id(match)}
    while id(match) in origin and id(origin[id(match)]) not in seen:
        match = origin[id(match)]
        seen.add(id(match))
    return match


def _sign(match: Match, carried: float, rows: Mapping[str, Row]) -> Sign:
    """Records that name the resource stand first, since what is said of it has to be read there."""
    keys = sorted(match.keys, key=lambda key: not names(canonical.dumps(rows[key].node), match.resource))
    strength = round(min(math.hypot(match.strength, carried), MOST), 6)
    return Sign(match.resource, Channel.FAULT, strength, match.fault.category, key=keys[0], fault=match.fault.name, also=tuple(keys[1:]))
