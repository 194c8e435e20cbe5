"""Known faults in what was recorded: which stand as causes, which records show only their effects."""

from collections.abc import Sequence

from superbiz.analysis import faults
from superbiz.analysis.deciding import Channel, Sign
from superbiz.analysis.faults import Match, Recognition
from superbiz.engines.offline import sighting
from superbiz.ports import RecordedCall


def signs(calls: Sequence[RecordedCall]) -> list[Sign]:
    """One sign for each known fault that stands as a cause, strongest first."""
    return [_sign(m) for m in recognised(calls).causes if m.keys]


def explained(calls: Sequence[RecordedCall]) -> dict[str, str]:
    """Records that show no more than an effect, by key, with the resource whose fault they come of."""
    found = recognised(calls)
    own = {key for m in found.causes for key in m.keys}
    return {key: e.of.resource for e in found.effects if e.match.resource != e.of.resource for key in e.match.keys if key not in own}


def recognised(calls: Sequence[RecordedCall]) -> Recognition:
    """Causes and effects among the known faults."""
    scene = sighting.scene_of(calls)
    return faults.recognise(sighting.features(scene), scene.calls)


def _sign(match: Match) -> Sign:
    return Sign(
        match.resource, Channel.FAULT, match.strength, match.fault.category, key=match.keys[0], fault=match.fault.name, also=match.keys[1:]
    )
