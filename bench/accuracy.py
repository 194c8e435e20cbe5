"""How often a diagnosis is right: conclusions, causes and categories on recorded and simulated incidents.

Every world goes through the same chain as `superbiz diagnose`, in this process.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import ablation, locations, minutes, quiet, reliability, splits, tradeoff
from bench.diagnosing import Case, Outcome, outcomes
from bench.rows import Cell, Row, Table, table
from bench.scoring import KS, Summary, summary
from bench.sets import RECORDED, recorded_set, simulated

# What is held, where the set's truth tells it.
BOUNDS: dict[str, dict[str, float]] = {
    "PetShop": {"recall@1": 0.96, "recall@3": 1.0, "false alarms": 0.0},
    "Train Ticket": {"recall@1": 0.90, "recall@3": 0.96, "recall@5": 1.0, "category": 0.95},
}
SEEDS = (7, 11)  # of the simulated incidents: the one that they are looked at with, and one that nobody looks at
QUIET = {"petshop": quiet.windows, "trainticket": minutes.windows}


def measure() -> Iterator[Row | Table]:
    """Set by set; then what parts bring, how far it depends on the worlds, scores, and thresholds."""
    with tempfile.TemporaryDirectory() as folder:
        sets = {RECORDED[name]: cases for name in RECORDED if (cases := recorded_set(name))}
        sets["Simulated"] = simulated(Path(folder), SEEDS)
        whole = {name: outcomes(cases) for name, cases in sets.items()}
        for name, found in whole.items():
            yield from figures(name, found)
            yield from locations.located(name, found)
            yield from splits.spread(name, found)
        faults = [o for found in whole.values() for o in found]
        yield mistakes(faults)
        lacking = [o for cases in sets.values() for o in _lacking(cases)]
        yield from ablation.ablations([*faults, *lacking])
        windows = outcomes([case for name, cut in QUIET.items() for case in cut(name, Path(folder))])
    yield from _false_alarms(windows)
    yield from reliability.tables("all worlds and quiet windows", [*faults, *windows])
    yield from reliability.tables("the same, and with parts of the evidence missing", [*faults, *windows, *lacking])
    yield reliability.rules([*faults, *windows])
    yield from _moved([*faults, *windows])


def _lacking(cases: Sequence[Case]) -> list[Outcome]:
    """Without each part that the set has; of simulated worlds the first seed alone."""
    once = [c for c in cases if c.kind == "recorded" or c.group == f"seed {SEEDS[0]}"]
    return outcomes(once, [(part,) for part in ablation.present(once)]) if once else []


def figures(name: str, found: Sequence[Outcome]) -> Iterator[Row | Table]:
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
    rows: list[list[Cell]] = [[true, *(counts.get(s, 0) for s in said)] for true, counts in got.confusion.items() if counts]
    return table(f"{name}: conclusions", ("true \\ said", *said), rows)


def mistakes(found: Sequence[Outcome]) -> Table:
    """Every world whose conclusion or first cause is wrong."""
    rows: list[list[Cell]] = []
    for o in found:
        s, causes = o.scored, (o.report or {}).get("root_causes") or [{"resource": o.error or None}]
        if not s.right or (s.recall and s.recall[1] < 1):
            rows.append([o.case.world, s.expect, ", ".join(o.case.truth["resources"]) or None, s.said, causes[0]["resource"], o.reason])
    return table("What was got wrong", ("world", "true", "resource", "said", "first cause", "rule"), rows)


def _of(got: Summary, what: str) -> str:
    n = got.n_category if what == "category" else got.n if what == "conclusion" else got.n_root_cause
    return f" of {n}"


def _false_alarms(found: Sequence[Outcome]) -> Iterator[Row | Table]:
    """By kind of quiet window."""
    kinds: dict[str, list[Outcome]] = {}
    for o in found:
        kinds.setdefault(f"{o.case.set_name} {o.case.kind}", []).append(o)
    for kind, group in kinds.items():
        got = summary(o.scored for o in group)
        yield Row(f"quiet windows, {kind}: share with a root cause, of {got.n}", got.false_alarms / got.n, "")
    if found:
        yield confusion("quiet windows", summary(o.scored for o in found))


def _moved(found: Sequence[Outcome]) -> Iterator[Row | Table]:
    if found:
        yield Row("pictures decided anew as the reports were, share", tradeoff.agreement(found), "", 0.95, at_least=True)
        yield from tradeoff.curves(found)
        yield tradeoff.left_out(found)
