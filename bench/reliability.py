"""Whether a cause's score means something: how often the first cause is right, by its score; and how often each rule of the policy is."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from bench.diagnosing import Outcome
from bench.rows import Cell, Row, Table, table
from bench.scoring import mean

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)


class Claimed(NamedTuple):
    """A first cause: its score, and whether it is right (by expectation, where several tie)."""

    score: float
    right: float


def claimed(found: Iterable[Outcome]) -> list[Claimed]:
    """The first causes of all that concluded a root cause; where there was no fault, or another conclusion is true, none is right."""
    out = []
    for outcome in found:
        report, scored = outcome.report, outcome.scored
        if report and scored.said == "root_cause" and report["root_causes"]:
            out.append(Claimed(float(report["root_causes"][0]["score"]), scored.recall[1] if scored.recall else 0.0))
    return out


def binned(causes: Sequence[Claimed]) -> list[tuple[str, list[Claimed]]]:
    """By score; the last bin holds its upper edge."""
    return [
        (f"{low:.1f} to {high:.1f}", [c for c in causes if low <= c.score < high or c.score == high == EDGES[-1]])
        for low, high in pairwise(EDGES)
    ]


def calibration_error(causes: Sequence[Claimed]) -> float | None:
    """Expected calibration error: how far score and share of right causes lie apart, by bins weighed by their causes."""
    if not causes:
        return None
    apart = (abs(sum(c.score for c in group) - sum(c.right for c in group)) for _, group in binned(causes))
    return sum(apart) / len(causes)


def tables(what: str, found: Sequence[Outcome]) -> Iterator[Row | Table]:
    """The reliability of scores."""
    causes = claimed(found)
    rows = [(bin_, len(group), mean([c.score for c in group]), mean([c.right for c in group])) for bin_, group in binned(causes) if group]
    error = calibration_error(causes)
    yield table(f"Reliability of the first cause's score: {what}", ("score", "causes", "mean score", "right"), rows)
    if error is not None:
        yield Row(f"expected calibration error of scores, {what}: causes {len(causes)}", error, "")


def rules(found: Sequence[Outcome]) -> Table:
    """Which rule decided, and how often its conclusion (and first cause) was right: on worlds with a fault, and without."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for o in found:
        kind = "quiet" if o.case.truth["expect"] == "no_fault" else "fault"
        counts.setdefault((o.scored.said, o.reason), Counter())[f"{kind} {'right' if _right(o) else 'wrong'}"] += 1
    columns = ("fault right", "fault wrong", "quiet right", "quiet wrong")
    rows: list[list[Cell]] = [[said, reason, *(c[k] for k in columns), _error(c)] for (said, reason), c in sorted(counts.items())]
    note = "a root cause is right where its first cause is; quiet worlds are those without a fault"
    return table("The policy's rules", ("conclusion", "rule", *columns, "error rate"), rows, note)


def _right(outcome: Outcome) -> bool:
    scored = outcome.scored
    return scored.right and (not scored.recall or scored.recall[1] > 1 / 2)


def _error(counts: Counter[str]) -> float:
    return sum(n for k, n in counts.items() if k.endswith("wrong")) / sum(counts.values())
