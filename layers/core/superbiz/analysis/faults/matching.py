"""From sights to faults: which known faults stand at which resources, and which of them are only effects of another.

Two faults that do not explain one another stay two.
"""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from superbiz.analysis.faults.names import Name
from superbiz.analysis.faults.vocabulary import Fault, Feature, Group, Match, Seen

HELP = 0.5  # what a helping sight adds, beside a needed one
HIDES = 0.35  # a cause hides its effects where it is at least so strong beside them
MOST = 4.0
LEAST = 0.1  # sights below are not worth a fault
_HOST = re.compile(r"(?:^|/)(?:i-[0-9a-f]{8,}|ip-\d+-\d+)")
Calls = Mapping[str, Collection[str]]
_STAGE = re.compile(r"[-_.](?:prod|production|prd|live|staging|stage|test|dev)$")
_FAMILY = re.compile(
    r"[-_.](?:read|write|ro|rw|replica|reader|writer|primary|standby|secondary|master|follower|leader|instance|node|\d{1,3}|[a-z])$"
)


class Effect(NamedTuple):
    """A fault that was recognised, and what it comes of."""

    match: Match
    of: Match


class Recognition(NamedTuple):
    """`causes` strongest first, ties by name; `effects` in the same order."""

    causes: tuple[Match, ...]
    effects: tuple[Effect, ...]


class _Scene(NamedTuple):
    """The sights by resource, each kind with its records, strongest first, and who calls whom."""

    sights: Mapping[str, Mapping[Seen, Sequence[Feature]]]
    calls: Calls

    def at(self, resource: str, group: Group) -> list[Feature]:
        """What is seen of the group at the resource, strongest first."""
        kinds = self.sights.get(resource, {})
        return sorted((kinds[s][0] for s in group if s in kinds), key=lambda f: (-f.strength, f.seen))

    def around(self, resource: str, group: Group, anywhere: bool) -> list[Feature]:
        """What is seen of the group at others that the resource is tied to, strongest first."""
        others = (o for o in self.sights if o != resource and (anywhere or self.tied(o, resource)))
        return sorted((f for o in others for f in self.at(o, group)), key=lambda f: (-f.strength, f.resource, f.seen))

    def callers(self, resource: str, group: Group) -> list[Feature]:
        """What those say of the group that depend on the resource, or of which nobody knows what they call, strongest first."""
        others = (o for o in self.sights if o != resource and self.may_call(o, resource))
        return sorted((f for o in others for f in self.at(o, group)), key=lambda f: (-f.strength, f.resource, f.seen))

    def tied(self, one: str, other: str) -> bool:
        """One calls the other, however far, or both are of one family."""
        return akin(one, other) or self.reaches(one, other) or self.reaches(other, one)

    def may_call(self, caller: str, resource: str) -> bool:
        """Whether calls lead there, or who calls the resource is not known."""
        return self.reaches(caller, resource) or not any(resource in callees for callees in self.calls.values())

    def depends(self, one: str, other: str) -> bool:
        """It calls the other, however far, or may run on it: of a host that no map knows, nobody can say who does not."""
        return self.reaches(one, other) or (_HOST.search(other) is not None and not _HOST.search(one) and not self.calls.get(other))

    def share_a_caller(self, one: str, other: str) -> bool:
        """Somebody calls both: what the one does not give is asked of the other."""
        return any(one in callees and other in callees for callees in self.calls.values())

    def may_read(self, reader: str, queue: str) -> bool:
        """Whether it reads the queue, whichever way the map draws that; maps that end at a queue know of no reader."""
        return self.reaches(reader, queue) or not self.calls.get(queue)

    def reaches(self, start: str, goal: str) -> bool:
        """Whether calls lead from the one to the other."""
        seen, todo = {start}, [start]
        while todo:
            for callee in self.calls.get(todo.pop(), ()):
                if callee == goal:
                    return True
                if callee not in seen:
                    seen.add(callee)
                    todo.append(callee)
        return False


@lru_cache(maxsize=4_096)
def family(resource: str) -> str:
    """The name without what tells the members of one cluster apart: `orders-replica-1` and `orders-primary` are of `orders`."""
    name = resource.casefold()
    while (shorter := _FAMILY.sub("", name)) != name:
        name = shorter
    return name


def akin(one: str, other: str) -> bool:
    """Of one family; a primary may be named after its stage where its replica is not: `orders-prod`, `orders-replica`."""
    families = family(one), family(other)
    if families[0] == families[1]:
        return True
    a_member = families != (one.casefold(), other.casefold())
    return a_member and _STAGE.sub("", families[0]) == _STAGE.sub("", families[1])


def matches(features: Iterable[Feature], calls: Calls, table: Sequence[Fault]) -> list[Match]:
    """The faults that stand as causes, strongest first."""
    return list(recognise(features, calls, table).causes)


def recognise(features: Iterable[Feature], calls: Calls, table: Sequence[Fault]) -> Recognition:
    """Every fault of the table at every resource, causes apart from their effects."""
    scene = _Scene(_gathered(features), calls)
    found = [m for resource in sorted(scene.sights) for fault in table if (m := _match(fault, resource, scene))]
    return _settled(found, scene)


def _gathered(features: Iterable[Feature]) -> dict[str, dict[Seen, list[Feature]]]:
    out: dict[str, dict[Seen, list[Feature]]] = defaultdict(lambda: defaultdict(list))
    for feature in features:
        if feature.strength >= LEAST:
            out[feature.resource][feature.seen].append(feature)
    return {r: {s: sorted(rows, key=lambda f: (-f.strength, f.key)) for s, rows in kinds.items()} for r, kinds in out.items()}


def _match(fault: Fault, resource: str, scene: _Scene) -> Match | None:
    """The weakest of what is needed decides, and what helps is added as independent distances are."""
    own = [scene.at(resource, group) for group in fault.needs]
    far = [scene.around(resource, group, bool(fault.scatters)) for group in fault.nearby]
    if not all(own) or not all(far) or scene.at(resource, fault.without):
        return None
    needed = [rows[0] for rows in (*own, *far)]
    helping = [f for f in scene.at(resource, fault.helps) if f not in needed] + [f for rows in own for f in rows[1:]]
    weakest = min(f.strength for f in needed)
    heard = [f for f in scene.callers(resource, fault.heard) if f.told][:1]
    strength = fault.trust * math.hypot(weakest, *(HELP * min(f.strength, weakest) for f in helping), *(f.strength for f in heard))
    used = sorted([*needed, *helping, *heard], key=lambda f: (f.resource != resource, -f.strength))
    keys = [f.key for f in [*used, *(again for f in used for again in scene.sights[f.resource][f.seen])] if f.key]
    told = bool(own) and all(rows[0].told for rows in own)
    return Match(resource, fault, round(min(strength, MOST), 6), tuple(dict.fromkeys(keys)), told)


def _settled(found: Sequence[Match], scene: _Scene) -> Recognition:
    """An effect goes to its strongest cause, and on to that one's; a cause takes over the records of its effects at its own resource."""
    behind = {m.place: max(causes, key=lambda c: c.strength) for m in found if (causes := _causes_of(m, found, scene))}
    ends = {m.place: _end(m, behind) for m in found}
    effects = tuple(Effect(m, ends[m.place]) for m in sorted(found, key=_order) if ends[m.place] is not m)
    standing = (_with_effects(m, effects) for m in found if ends[m.place] is m)
    return Recognition(tuple(sorted(standing, key=_order)), effects)


def _causes_of(effect: Match, found: Sequence[Match], scene: _Scene) -> list[Match]:
    return [c for c in found if c is not effect and _explains(c, effect, scene) and not _explains(effect, c, scene)]


def _end(match: Match, behind: Mapping[tuple[str, str], Match]) -> Match:
    """The end of the chain of causes. Of those that explain one another in a circle, the strongest stands for all."""
    chain = [match]
    while (cause := behind.get(chain[-1].place)) is not None:
        if cause in chain:
            return min(chain[chain.index(cause) :], key=_order)
        chain.append(cause)
    return chain[-1]


def _explains(cause: Match, effect: Match, scene: _Scene) -> bool:
    if cause.strength < HIDES * effect.strength:
        return False
    if cause.resource == effect.resource:
        return effect.fault.name in cause.fault.explains
    return _reached(cause, effect, scene) or _told_of(cause, effect, scene)


def _reached(cause: Match, effect: Match, scene: _Scene) -> bool:
    """Down the calls, up the calls, among the members of a cluster, or anywhere."""
    name, fault = effect.fault.name, cause.fault
    if name in fault.scatters or (name in fault.floods and scene.reaches(cause.resource, effect.resource)):
        return True
    if name in fault.passes and scene.share_a_caller(cause.resource, effect.resource):
        return True
    kin = akin(effect.resource, cause.resource) or scene.depends(effect.resource, cause.resource)
    waits = name == Name.BACKLOG and scene.may_read(cause.resource, effect.resource)
    return (kin or waits) and name in fault.spreads


def _told_of(cause: Match, effect: Match, scene: _Scene) -> bool:
    """Who only speaks of a fault speaks of the one that shows it."""
    same = effect.fault is cause.fault and bool(cause.fault.heard)
    return same and effect.told and not cause.told and scene.may_call(effect.resource, cause.resource)


def _with_effects(match: Match, effects: Iterable[Effect]) -> Match:
    """The same with the records of what it explains at its own resource."""
    own = [k for e in effects if e.of.place == match.place and e.match.resource == match.resource for k in e.match.keys]
    return match._replace(keys=tuple(dict.fromkeys([*match.keys, *own])))


def _order(match: Match) -> tuple[float, str, str]:
    return -match.strength, match.resource, match.fault.name
