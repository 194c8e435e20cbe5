"""Log templates: how well lines are grouped on the LogHub-2k sets, and how many are read in a second.

Grouping accuracy (GA, Zhu et al., ICSE-SEIP 2019) is the share of lines whose group holds exactly the lines of their true group; FGA
(Jiang et al., ISSTA 2024) is the F1 of the same by groups. One configuration serves all sets. Its shapes of values were made with these
sets in sight; its five limits are also chosen anew for each set without that set. Rates are of processor time on one core.
"""

import csv
import itertools
import random
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench import recorded
from bench.rows import Row, Table, table
from superbiz.analysis.clustering import LIMITS, Limits
from superbiz.analysis.templates import Miner

BOUNDS = {"GA": 0.93, "FGA": 0.90}
LEAST_RATE = 150_000
MANY = 1_000_000
BLOCK = 2_000  # lines
RUNS = 3
GRID = tuple(
    Limits(name=name, word=word, upper=upper, announced=announced, many=many)
    for name, word, upper, announced, many in itertools.product((1.5, 2.5, 4.0), (3.5, 4.5, 6.0), (3.5, 5.0, 8.0), (1.5, 2.5), (6, 10))
)
_NUMBER = re.compile(r"0x|[0-9a-f]*[0-9][0-9a-f]{7,}|\d+")


class LogSet(NamedTuple):
    """`events` are the true groups, by line."""

    name: str
    lines: Sequence[str]
    events: Sequence[str]


class Score(NamedTuple):
    """Grouping accuracy, and F1 of groups."""

    ga: float
    fga: float


def measure() -> Iterator[Row | Table]:
    """Set by set, means, means under limits chosen without the set, and rates."""
    folder = recorded.folder("loghub")
    if folder is None:
        return
    sets = [_read(file) for file in sorted(folder.glob("*_2k.csv"))]
    yield from _accuracy(sets)
    yield from _held_out(sets)
    yield from _rates(sets)


def score(events: Sequence[str], found: Sequence[str]) -> Score:
    """As the sets' own papers score it."""
    true, groups = _groups(events), _groups(found)
    right = true & groups
    return Score(sum(map(len, right)) / len(events), 2 * len(right) / (len(true) + len(groups)))


def _accuracy(sets: Sequence[LogSet]) -> Iterator[Row | Table]:
    whole = {s.name: score(s.events, _keys(s.lines)) for s in sets}
    varied = {s.name: score(s.events, _keys(_varied(s.lines, seed=n))) for n, s in enumerate(sets)}
    rows = [(name, *whole[name], *varied[name]) for name in whole]
    yield table("LogHub-2k, set by set", ("set", "GA", "FGA", "GA, numbers varied", "FGA, numbers varied"), rows)
    yield from _means("mean", whole.values(), BOUNDS)
    yield from _means("mean, with every number of every line varied", varied.values(), {})


def _held_out(sets: Sequence[LogSet]) -> Iterator[Row | Table]:
    """For each set, the limits that are best on the others."""
    scores = {s.name: _by_limits(s) for s in sets}
    chosen = {name: max(GRID, key=lambda g: (_sum(scores, g, name), g == LIMITS)) for name in scores}
    yield from _means(f"mean, limits of {len(GRID)} chosen without the set", [scores[name][limits] for name, limits in chosen.items()], {})
    best = max(GRID, key=lambda g: (_sum(scores, g, ""), g == LIMITS))
    worst = min(GRID, key=lambda g: _sum(scores, g, ""))
    rows = [
        (what, *map(float, _mean(scores, limits)), *limits) for what, limits in (("as they are", LIMITS), ("best", best), ("worst", worst))
    ]
    yield table("Limits: how much depends on them", ("limits", "GA", "FGA", *Limits._fields), rows)


def _rates(sets: Sequence[LogSet]) -> Iterator[Row]:
    lines = [line for s in sets for line in s.lines]
    many = _varied(itertools.islice(itertools.cycle(lines), MANY), seed=1)
    yield Row(f"lines a second, {len(set(many)):,} distinct of {len(many):,}", _rate(many), "/s", LEAST_RATE, at_least=True)
    yield Row(f"lines a second, the sets' own {len(lines):,}", _rate(lines), "/s")


def _read(file: Path) -> LogSet:
    with file.open(newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    return LogSet(file.name.removesuffix("_2k.csv"), [r["content"].replace("\n", " ") for r in rows], [r["event_id"] for r in rows])


def _keys(lines: Sequence[str]) -> list[str]:
    miner = Miner(placed=False)
    return [miner.key(n) for n in _numbers(miner, lines)]


def _numbers(miner: Miner, lines: Sequence[str]) -> list[int]:
    """As `superbiz logs templates` reads them."""
    blocks = ("\n".join(lines[start : start + BLOCK]).encode() for start in range(0, len(lines), BLOCK))
    return [n for block in blocks for n in miner.numbers(block)]


def _varied(lines: Iterable[str], seed: int) -> list[str]:
    """The lines with other numbers and hexadecimal ids, of the same lengths."""
    rng = random.Random(seed)

    def other(match: re.Match[str]) -> str:
        text = match[0]
        digits = "0123456789" if text.isdigit() else "0123456789abcdef"
        return text if text == "0x" else "".join(rng.choice(digits) for _ in text)

    return [_NUMBER.sub(other, line) for line in lines]


def _by_limits(of: LogSet) -> dict[Limits, Score]:
    miner = Miner(placed=False)
    numbers = _numbers(miner, of.lines)
    out = {}
    for limits in {*GRID, LIMITS}:
        keys = miner.settled(limits).keys
        out[limits] = score(of.events, [keys[n] for n in numbers])
    return out


def _sum(scores: dict[str, dict[Limits, Score]], limits: Limits, without: str) -> float:
    return round(sum(sum(of[limits]) for name, of in scores.items() if name != without), 9)


def _mean(scores: dict[str, dict[Limits, Score]], limits: Limits) -> Score:
    return Score(statistics.fmean(of[limits].ga for of in scores.values()), statistics.fmean(of[limits].fga for of in scores.values()))


def _means(what: str, scores: Iterable[Score], bounds: dict[str, float]) -> Iterator[Row]:
    given = list(scores)
    for name, values in (("GA", [s.ga for s in given]), ("FGA", [s.fga for s in given])):
        yield Row(f"{name}, {what} of {len(given)}", statistics.fmean(values), "", bounds.get(name), at_least=True)


def _rate(lines: Sequence[str]) -> float:
    """The median of several readings."""
    rates = []
    for _ in range(RUNS):
        miner = Miner(placed=False)
        started = time.process_time()
        numbers = _numbers(miner, lines)
        miner.key(numbers[0])
        rates.append(len(lines) / (time.process_time() - started))
    return statistics.median(rates)


def _groups(ids: Sequence[str]) -> set[frozenset[int]]:
    by_id: dict[str, list[int]] = defaultdict(list)
    for line, group in enumerate(ids):
        by_id[group].append(line)
    return {frozenset(lines) for lines in by_id.values()}
