"""What grounding costs: reports as they leave against the Executor's findings as it stated them, of the same runs."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.grounding.scenes import Scene
from bench.rows import Row, Table, table
from bench.scoring import Summary, score, summary

LOST = 2.0  # points


def measured(scenes: Sequence[Scene]) -> Iterator[Row | Table]:
    """Set by set: conclusion, first cause and category, in points of a hundred."""
    sets: dict[str, list[Scene]] = defaultdict(list)
    for scene in scenes:
        if scene.truth is not None:
            sets[scene.set_name].append(scene)
    rows = []
    for name, group in sets.items():
        stated, told = (
            summary(score(s.world, s.truth or {}, report) for s, report in zip(group, reports, strict=True)) for reports in _both(group)
        )
        for what, before, after in _figures(stated, told):
            rows.append((name, what, len(group), before, after))
            yield Row(f"{name}: {what}, points lost to grounding", (before - after) * 100, "points", LOST)
    yield table("findings as stated, and reports", ("set", "figure", "worlds", "as stated", "as reported"), rows)


def _both(group: Sequence[Scene]) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    return [_as_stated(s.findings) for s in group], [s.report for s in group]


def _as_stated(findings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The Executor's findings in the shape of a report."""
    return {"conclusion": findings.get("conclusion"), "root_causes": list(findings.get("causes", ()))}


def _figures(stated: Summary, told: Summary) -> Iterator[tuple[str, float, float]]:
    pairs = {
        "conclusion": (stated.conclusion, told.conclusion),
        "recall@1": (stated.recall[1], told.recall[1]),
        "category": (stated.category, told.category),
    }
    yield from ((what, before, after) for what, (before, after) in pairs.items() if before is not None and after is not None)
