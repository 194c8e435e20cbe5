"""How often a diagnosis is right: conclusions, causes and categories on recorded and simulated incidents, beside published figures."""

from collections.abc import Iterator

from bench.diagnosing import Outcome, outcomes
from bench.rows import Row, Table, table
from bench.scoring import KS, Summary, summary
from bench.sets import RECORDED, recorded_set

# What is held: (recall@1, recall@3, recall@5, category), None where the set's truth does not tell.
BOUNDS: dict[str, dict[str, float]] = {
    "petshop": {"recall@1": 0.96, "recall@3": 1.0, "false alarms": 0.0},
    "trainticket": {"recall@1": 0.90, "recall@3": 0.96, "recall@5": 1.0, "category": 0.95},
}


def measure() -> Iterator[Row | Table]:
    """Set by set."""
    for name in RECORDED:
        cases = recorded_set(name)
        if cases:
            found = outcomes(cases)
            yield from figures(name, found)


def figures(name: str, found: list[Outcome]) -> Iterator[Row | Table]:
    """The rows that are held against bounds, and the confusion of conclusions."""
    got, bounds = summary(o.scored for o in found), BOUNDS.get(name, {})
    values = {"conclusion": got.conclusion, **{f"recall@{k}": got.recall[k] for k in KS}, "category": got.category}
    for what, value in values.items():
        if value is not None:
            yield Row(f"{name}: {what}{_of(got, what)}", value, "", bounds.get(what), at_least=True)
    if got.n_no_fault:
        yield Row(f"{name}: false alarms of {got.n_no_fault}", got.false_alarms, "", bounds.get("false alarms"))
    yield confusion(name, got)


def confusion(name: str, got: Summary) -> Table:
    """True conclusions by what was said."""
    said = sorted({s for counts in got.confusion.values() for s in counts})
    rows = [[true, *(counts.get(s, 0) for s in said)] for true, counts in got.confusion.items() if counts]
    return table(f"{name}: conclusions", ("true \\ said", *said), rows)


def _of(got: Summary, what: str) -> str:
    n = got.n_category if what == "category" else got.n if what == "conclusion" else got.n_root_cause
    return f" of {n}"
