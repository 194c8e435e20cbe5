"""Dossiers written by hand, apart from the code: true claims, and mutants of a named family, as their author expects them."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.grounding.families import FAMILIES
from bench.grounding.judging import HEDGED, NONE, Judged, judge
from bench.grounding.truths import APART, LOWERED, REJECTED
from bench.rows import Row, Table, table
from bench.splits import wilson
from superbiz.errors import Invalid

FOLDER = Path(__file__).with_name("seeds")
TRUE = "true"
OTHER_TARGET = 0.95  # of a family that has no mutants of its own
TARGETS = {f.name: f.target for f in FAMILIES}
FIRM = frozenset(f.name for f in FAMILIES if f.firm)


class Seed(NamedTuple):
    """One line: a dossier, and by claim id `true` or the family of the claim's mutation. `where` is file and line."""

    where: str
    dossier: dict[str, Any]
    expect: Mapping[str, str]


class Met(NamedTuple):
    """A claim of a seed, what its author expects, and what was made of it."""

    seed: Seed
    expected: str
    judged: Judged

    @property
    def caught(self) -> bool:
        """Not to be said in full; silence that is overstretched not at all."""
        return self.judged.expressible == NONE if self.expected in FIRM else not self.judged.held


def read(folder: Path = FOLDER) -> Iterator[Seed]:
    """The seeds of a folder. A line that is none is named."""
    for file in sorted(folder.glob("*.jsonl")):
        for n, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip():
                yield _seed(f"{file.name}:{n}", line)


def _seed(where: str, line: str) -> Seed:
    try:
        found = json.loads(line)
        expect, ids = {k: v.strip() for k, v in found["expect"].items()}, {c["claim_id"] for c in found["dossier"]["claims"]}
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise Invalid(f"{where}: no seed: {e}", mend="follow bench/grounding/seeds/README.md") from e
    if set(expect) != ids:
        raise Invalid(f"{where}: `expect` tells of {sorted(expect)}, the claims are {sorted(ids)}", mend="expect something of every claim")
    return Seed(where, found["dossier"], expect)


def met(seeds: Sequence[Seed]) -> list[Met]:
    """Every claim of every seed."""
    return [Met(s, s.expect[i], judged) for s in seeds for i, judged in judge(s.dossier).items()]


def measured(slips: Path | None = None, folder: Path = FOLDER) -> Iterator[Row | Table]:
    """Caught by family, and what became of the true ones. Nothing where there are no seeds."""
    found = met(list(read(folder)))
    families: dict[str, list[Met]] = defaultdict(list)
    for m in found:
        families[m.expected].append(m)
    true = [m for m in families.pop(TRUE, []) if m.judged.claim_type not in APART]
    if true:
        for what, said, bound in (("rejected", NONE, REJECTED), ("lowered", HEDGED, LOWERED)):
            yield Row(f"seeds, true: {what}, of {len(true)}", sum(m.judged.expressible == said for m in true) / len(true), "", bound)
    for name, group in sorted(families.items()):
        share = sum(m.caught for m in group) / len(group)
        yield Row(f"seeds, {name}: caught, of {len(group)}", share, "", TARGETS.get(name, OTHER_TARGET), at_least=True)
    if found:
        yield table(
            "seeds by family",
            ("family", "n", "caught", "95 % from", "95 % to", "rejected"),
            [_row(n, g) for n, g in sorted(families.items())],
        )
        yield _missed(found)
    if slips is not None and found:
        _append(slips, [m for m in found if _is_missed(m)])


def _row(name: str, group: Sequence[Met]) -> tuple[str | float | int, ...]:
    caught = sum(m.caught for m in group)
    return name, len(group), caught / len(group), *wilson(caught, len(group)), sum(m.judged.expressible == NONE for m in group) / len(group)


def _is_missed(m: Met) -> bool:
    if m.expected == TRUE:
        return not m.judged.held and m.judged.claim_type not in APART
    return not m.caught


def _missed(found: Sequence[Met]) -> Table:
    rows = [
        (m.seed.where, m.judged.claim_id, m.expected, m.judged.expressible, m.judged.layer or "-", m.judged.reason[:110])
        for m in found
        if _is_missed(m)
    ]
    return table("seeds that are not as expected", ("seed", "claim", "expected", "said", "layer", "reason"), rows)


def _append(place: Path, found: Sequence[Met]) -> None:
    with place.open("a", encoding="utf-8") as out:
        for m in found:
            told = {"family": f"seed: {m.expected}", "kind": m.seed.where, "judged": m.judged._asdict(), "dossier": m.seed.dossier}
            out.write(json.dumps(told, ensure_ascii=False) + "\n")
