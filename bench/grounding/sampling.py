"""Seeded mutants of true claims, so many a family, its kinds in equal parts as far as the claims allow."""

import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from bench.grounding.families import FAMILIES
from bench.grounding.mutant import Family, Maker, Mutant, as_twist
from bench.grounding.plain import plain_claims
from bench.grounding.scenes import Claim, Scene
from bench.grounding.truth import Truth

A_FAMILY = 300
LONGEST = 500  # characters of a claim
ROUNDS = 6  # how often a kind goes through all claims for want of mutants
STATED = ("observation", "cause", "impact")
Sampled = dict[str, list[Mutant]]


def truths(scenes: Sequence[Scene], *, plain: bool = True) -> list[Truth]:
    """The Executor's claims that carry citations, and as many again in plain words."""
    return [Truth(scene, claim) for scene in scenes for claim in _claims(scene, plain=plain)]


def _claims(scene: Scene, *, plain: bool) -> Iterator[Claim]:
    yield from (c for c in scene.claims if c["claim_type"] in STATED and c["evidence"])
    if plain:
        yield from ({**claim, "marked": marked} for claim, marked in plain_claims(scene))


def mutants(scenes: Sequence[Scene], seed: int, a_family: int = A_FAMILY, spoiled: Collection[tuple[str, str]] = ()) -> Sampled:
    """By world, as they are judged. Each family and kind has its own draw, so that a new kind changes no other.

    `spoiled` are (world, sentence) of true claims that are not said in full: a mutant of one proves nothing, and is not made.
    """
    able = [t for t in truths(scenes) if (t.scene.key, t.text) not in spoiled]
    by_world: Sampled = defaultdict(list)
    for family in FAMILIES:
        for mutant in of_family(family, able, seed, a_family):
            by_world[mutant.world].append(mutant)
    return by_world


def of_family(family: Family, able: Sequence[Truth], seed: int, a_family: int) -> list[Mutant]:
    """A kind that runs dry leaves its share to the others."""
    made: list[Mutant] = []
    left = list(family.kinds)
    drawn = {kind: _drawn(family, kind, family.kinds[kind], able, seed) for kind in left}
    while left and len(made) < a_family:
        for kind in list(left):
            mutant = next(drawn[kind], None)
            if mutant is None:
                left.remove(kind)
            else:
                made.append(mutant)
    return made


def _drawn(family: Family, kind: str, make: Maker, able: Sequence[Truth], seed: int) -> Iterator[Mutant]:
    chance, seen = random.Random(f"{seed} {family.name} {kind}"), set()
    for _ in range(ROUNDS):
        for truth in chance.sample(able, len(able)):
            twist = _made(make, truth, chance)
            mark = repr([(c["claim_text"], c["evidence"], c.get("facts")) for c in twist.claims]) if twist else None
            if twist is not None and mark not in seen and (twist.calls is not None or twist.claims != (truth.claim,)):
                seen.add(mark)
                yield Mutant(family.name, kind, truth.scene.key, truth.text, twist, family.firm)


def _made(make: Maker, truth: Truth, chance: random.Random) -> Any:
    twist = as_twist(make(truth, chance))
    within = twist is not None and all(0 < len(c["claim_text"]) <= LONGEST for c in twist.claims)
    return twist if within else None
