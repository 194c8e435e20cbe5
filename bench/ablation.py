"""What each part of the evidence brings: the same worlds diagnosed without it."""

from collections.abc import Iterable, Iterator, Sequence

from bench.diagnosing import Case, Outcome
from bench.rows import Table, table
from bench.scoring import Summary, summary

FILES = {
    "map": "service_map.json",
    "metrics": "metrics.json",
    "logs": "logs.jsonl.gz",
    "traces": "traces.jsonl.gz",
    "changes": "events.json",
}
ABLATED = (*FILES, "normal")
COLUMNS = ("set", "evidence", "worlds", "conclusion", "recall@1", "recall@3", "recall@5", "category", "false alarms")


def present(cases: Sequence[Case]) -> list[str]:
    """The parts that any of these worlds has."""
    return [part for part in ABLATED if any(_has(case, part) for case in cases)]


def _has(case: Case, part: str) -> bool:
    if part == "normal":
        return any((case.folder / "world.json").read_text(encoding="utf-8").find(f'"{key}"') >= 0 for key in ("normal", "metrics_normal"))
    return (case.folder / FILES[part]).is_file()


def ablations(found: Iterable[Outcome]) -> Iterator[Table]:
    """One row a set and part, the whole evidence first."""
    grouped: dict[tuple[str, tuple[str, ...]], list[Outcome]] = {}
    for outcome in found:
        grouped.setdefault((outcome.case.set_name, outcome.without), []).append(outcome)
    ordered = sorted(grouped.items(), key=lambda row: (row[0][0], bool(row[0][1])))
    rows = [_row(name, without, summary(o.scored for o in group)) for (name, without), group in ordered]
    yield table("What each part of the evidence brings", COLUMNS, rows, "a part that a set does not have is not listed for it")


def _row(name: str, without: tuple[str, ...], got: Summary) -> tuple[str | float | int | None, ...]:
    told = f"without {', '.join(without)}" if without else "all of it"
    alarms = f"{got.false_alarms} of {got.n_no_fault}" if got.n_no_fault else None
    return (name, told, got.n, got.conclusion, got.recall[1], got.recall[3], got.recall[5], got.category, alarms)
