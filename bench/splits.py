"""How far a figure depends on the worlds that happen to be in a set: intervals, halves, groups.

Nothing is trained: the constants were set by hand with these sets in sight. So halves show the spread of a figure, and no more than that.
"""

import math
import random
from collections.abc import Iterator, Sequence

from bench.diagnosing import Outcome
from bench.rows import Table, table
from bench.scoring import Scored, mean, summary

SEED = 7
HALVINGS = 200
GROUPED = ("group", "worlds", "conclusion", "recall@1", "recall@3", "category")
Z = 1.96  # of a 95 % interval


def spread(name: str, found: Sequence[Outcome]) -> Iterator[Table]:
    """Intervals and halves of recall, and the figures of each group."""
    faults = [o.scored for o in found if o.scored.recall]
    rows = [_spread(k, faults) for k in (1, 3, 5)]
    columns = ("measure", "all", "95 % from", "95 % to", "halves: lowest", "halves: median", "halves: highest")
    note = f"{len(faults)} worlds; Wilson's interval; {HALVINGS} seeded halvings, both halves each"
    yield table(f"{name}: how far recall depends on the worlds", columns, rows, note)
    groups = sorted({o.case.group for o in found})
    if len(groups) > 1:
        yield table(f"{name}: by group", GROUPED, [_group(g, found) for g in groups])


def wilson(right: float, n: int) -> tuple[float, float]:
    """The interval of a share, by Wilson's score."""
    share, z2 = right / n, Z * Z
    centre, half = share + z2 / (2 * n), Z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max((centre - half) / (1 + z2 / n), 0.0), min((centre + half) / (1 + z2 / n), 1.0)


def halves(values: Sequence[float]) -> list[float]:
    """The means of both halves of each halving, sorted."""
    chance, out = random.Random(SEED), []
    for _ in range(HALVINGS):
        mixed = chance.sample(list(values), len(values))
        middle = len(mixed) // 2
        out += [sum(part) / len(part) for part in (mixed[:middle], mixed[middle:]) if part]
    return sorted(out)


def _spread(k: int, faults: Sequence[Scored]) -> tuple[str | float | None, ...]:
    values = [s.recall[k] for s in faults if s.recall]
    found = halves(values)
    return (f"recall@{k}", mean(values), *wilson(sum(values), len(values)), found[0], found[len(found) // 2], found[-1])


def _group(group: str, found: Sequence[Outcome]) -> tuple[str | float | int | None, ...]:
    got = summary(o.scored for o in found if o.case.group == group)
    return (group, got.n, got.conclusion, got.recall[1], got.recall[3], got.category)
