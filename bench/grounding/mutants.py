"""False claims made from true ones: how many the Gatekeeper and the Verifier let through in full."""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench.grounding.families import FAMILIES
from bench.grounding.judging import FULL, HEDGED, NONE, Judged, judge
from bench.grounding.mutant import Mutant, Outcome
from bench.grounding.sampling import A_FAMILY, Sampled, mutants
from bench.grounding.scenes import PROCESSES, Scene
from bench.rows import Row, Table, table
from bench.splits import wilson

_RANKS = (NONE, HEDGED, FULL)
LAYERS_SHOWN = 3
SLIPS_A_KIND = 5
PARTS_TOLD = 20


def measured(
    scenes: Sequence[Scene], seed: int, slips: Path | None, spoiled: Collection[tuple[str, str]] = (), a_family: int = A_FAMILY
) -> Iterator[Row | Table]:
    """Family by family: the share caught against its target, then by kind and by layer."""
    found = outcomes(scenes, mutants(scenes, seed, a_family, spoiled))
    for family in FAMILIES:
        group = found.get(family.name, [])
        if group:
            yield Row(f"mutants, {family.name}: caught, of {len(group)}", _share(group), "", family.target, at_least=True)
    yield table(f"mutants by family, seed {seed}", COLUMNS, [_row(f.name, found[f.name]) for f in FAMILIES if found.get(f.name)], NOTE)
    kinds = ((name, kind, g) for name, group in found.items() for kind, g in _by_kind(group).items())
    yield table("mutants by kind", ("family", "kind", "n", "caught"), [(name, kind, len(g), _share(g)) for name, kind, g in kinds])
    if slips is not None:
        write(slips, scenes, found)


COLUMNS = ("family", "n", "caught", "95 % from", "95 % to", "rejected", "caught by")
NOTE = (
    "of true claims that are said in full; caught: not to be said in full, of absences not at all; "
    "rejected: not to be said even with a hedge; Wilson's interval"
)


def outcomes(scenes: Sequence[Scene], sampled: Sampled) -> Mapping[str, list[Outcome]]:
    """What became of each mutant, by family."""
    asked = [(scene, part) for scene in scenes for part in _parts(sampled.get(scene.key, []))]
    by_family: dict[str, list[Outcome]] = defaultdict(list)
    if len(asked) == 1 or len(scenes) == 1:
        done: Iterable[list[Outcome]] = map(_judged, asked)
        for part in done:
            _sort_in(by_family, part)
        return by_family
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        for n, part in enumerate(pool.map(_judged, asked), 1):
            _sort_in(by_family, part)
            if n % PARTS_TOLD == 0:
                print(f"     mutants: {n} of {len(asked)} parts", file=sys.stderr, flush=True)
    return by_family


def _sort_in(by_family: dict[str, list[Outcome]], part: Iterable[Outcome]) -> None:
    for outcome in part:
        by_family[outcome.mutant.family].append(outcome)


def _parts(group: Sequence[Mutant], size: int = 60) -> Iterator[Sequence[Mutant]]:
    yield from (group[n : n + size] for n in range(0, len(group), size))


def _judged(asked: tuple[Scene, Sequence[Mutant]]) -> list[Outcome]:
    scene, part = asked
    return [Outcome(m, _best(judge(dossier(scene, m)), m)) for m in part]


def dossier(scene: Scene, mutant: Mutant) -> dict[str, Any]:
    """The mutant's claims as anybody would hand them in."""
    return scene.dossier(mutant.twist.claims, mutant.twist.calls)


def _best(found: Mapping[str, Judged], mutant: Mutant) -> Judged:
    return max((found[i] for i in mutant.judged_ids()), key=lambda j: _RANKS.index(j.expressible))


def _share(group: Sequence[Outcome]) -> float:
    return sum(o.caught for o in group) / len(group)


def _row(name: str, group: Sequence[Outcome]) -> tuple[str | float | int, ...]:
    caught = sum(o.caught for o in group)
    layers = Counter(o.best.layer for o in group if o.caught).most_common(LAYERS_SHOWN)
    by = ", ".join(f"{layer} {n}" for layer, n in layers)
    return name, len(group), caught / len(group), *wilson(caught, len(group)), sum(o.rejected for o in group) / len(group), by


def _by_kind(group: Iterable[Outcome]) -> Mapping[str, list[Outcome]]:
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for o in group:
        kinds[o.mutant.kind].append(o)
    return kinds


def write(place: Path, scenes: Sequence[Scene], found: Mapping[str, Sequence[Outcome]], each: int = SLIPS_A_KIND) -> None:
    """The first slips of each kind of each family, a line each, with the whole dossier."""
    by_world = {s.key: s for s in scenes}
    with place.open("w", encoding="utf-8") as out:
        for o in (o for group in found.values() for kind in _by_kind(group).values() for o in _slips(kind, each)):
            told = {"family": o.mutant.family, "kind": o.mutant.kind, "of": o.mutant.of, "world": o.mutant.world}
            said = [c["claim_text"] for c in o.mutant.twist.claims]
            line = told | {"said": said, "judged": o.best._asdict(), "dossier": dossier(by_world[o.mutant.world], o.mutant)}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def _slips(group: Iterable[Outcome], each: int) -> list[Outcome]:
    return [o for o in group if not o.caught][:each]
