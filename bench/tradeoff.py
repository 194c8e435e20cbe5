"""What moving the policy's thresholds buys and costs, over pictures that were made once; and thresholds fitted on some, tried on others."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple
from unittest.mock import patch

from bench.diagnosing import Outcome
from bench.rows import Table, table
from bench.scoring import Scored, mean, score
from superbiz.analysis import deciding

MOST_CAUSES = 5
APART = ("NOISE",)  # constants of the same module that decide nothing
FACTORS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 10.0)
STEPS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 4.0)  # of a fit, tried one constant after the other
ROUNDS = 2
READ = "@1: recall of worlds with a fault; false: the share of quiet worlds with a root cause"
# Which way a constant lets more causes through. Those that are not here have no say in whether a cause is named.
LOOSER = {"SIGNIFICANT": 1, "COMMON": 1, "UNUSUAL": 1, "TELLING": -1, "NOTABLE": -1}
Thresholds = Mapping[str, float]


class Point(NamedTuple):
    """Recall of worlds with a fault, and the share of those without that a cause is named for, by kind of world."""

    recall: Mapping[str, float | None]
    alarms: Mapping[str, float | None]


def thresholds() -> dict[str, float]:
    """The policy's constants as they are."""
    return {name: v for name, v in vars(deciding).items() if name.isupper() and isinstance(v, float) and name not in APART}


def decided(found: Sequence[Outcome], at: Thresholds) -> list[Scored]:
    """Each picture decided anew."""
    with _moved(at):
        return [_decided(o) for o in found]


def _decided(outcome: Outcome) -> Scored:
    picture, case = outcome.picture, outcome.case
    if picture is None:
        return outcome.scored
    causes = [{"resource": c.resource, "score": c.score, "fault_category": c.category.value} for c in picture.candidates[:MOST_CAUSES]]
    return score(case.world, case.truth, {"conclusion": deciding.decide(picture).conclusion.value, "root_causes": causes})


@contextmanager
def _moved(at: Thresholds) -> Iterator[None]:
    with ExitStack() as stack:
        for name, value in at.items():
            stack.enter_context(patch.object(deciding, name, value))
        yield


def agreement(found: Sequence[Outcome]) -> float:
    """The share of conclusions that are the report's own where nothing was moved: what the curves can be trusted by."""
    return sum(a.said == o.scored.said for a, o in zip(decided(found, {}), found, strict=True)) / len(found)


def curves(found: Sequence[Outcome]) -> Iterator[Table]:
    """All that let causes through together, and each constant by itself, where it makes a difference at all."""
    now = thresholds()
    together = [(f"x {f:g}", {n: now[n] * f**way for n, way in LOOSER.items() if n in now}) for f in FACTORS]
    yield _curve("All thresholds together (x 1 as they are, more is looser)", found, together)
    for name in now:
        moved = [(f"{now[name] * f:g}{' (as it is)' if f == 1 else ''}", {name: now[name] * f}) for f in FACTORS]
        curve = _curve(f"{name} alone", found, moved)
        if len({row[1:] for row in curve.rows}) > 1:
            yield curve


def _curve(title: str, found: Sequence[Outcome], moves: Sequence[tuple[str, Thresholds]]) -> Table:
    points = [(label, _point(found, at)) for label, at in moves]
    first = points[0][1]
    columns = ("at", *(f"{s} @1" for s in first.recall), *(f"false: {k}" for k in first.alarms))
    return table(f"Trade-off: {title}", columns, [(label, *p.recall.values(), *p.alarms.values()) for label, p in points], READ)


def _point(found: Sequence[Outcome], at: Thresholds) -> Point:
    scored = list(zip(found, decided(found, at), strict=True))
    sets = sorted({o.case.set_name for o, s in scored if s.recall})
    kinds = sorted({_kind(o) for o, s in scored if s.expect == "no_fault"})
    return Point(
        {name: mean([s.recall[1] for o, s in scored if s.recall and o.case.set_name == name]) for name in sets},
        {kind: mean([float(s.false_alarm) for o, s in scored if s.expect == "no_fault" and _kind(o) == kind]) for kind in kinds},
    )


def _kind(outcome: Outcome) -> str:
    return f"{outcome.case.set_name} {outcome.case.kind}"


def left_out(found: Sequence[Outcome]) -> Table:
    """Thresholds fitted on all resources but one, tried on the one; quiet worlds take part by turns."""
    kept = [o for o in found if o.picture is not None and o.case.truth["expect"] in ("root_cause", "no_fault")]
    folds = sorted({_resource(o) for o in kept if o.scored.recall})
    quiet = [o for o in kept if not o.scored.recall]
    turn = {id(o): folds[n % len(folds)] for n, o in enumerate(quiet)} if folds else {}
    rows, tried = [], []
    for fold in folds:
        out = [o for o in kept if (turn.get(id(o)) or _resource(o)) == fold]
        fitted = fit([o for o in kept if not any(o is other for other in out)])
        scored = decided(out, fitted)
        tried += scored
        rows.append((fold, *_figures(scored), ", ".join(f"{k} {v:g}" for k, v in fitted.items() if v != thresholds()[k]) or "as they are"))
    rows.append(("all left out", *_figures(tried), ""))
    rows.append(("as they are", *_figures(decided(kept, {})), ""))
    columns = ("left out", "faults", "recall@1", "quiet", "false alarms", "fitted on the rest")
    return table("Thresholds fitted on the rest", columns, rows, "the fit weighs worlds with and without a fault alike")


def fit(found: Sequence[Outcome]) -> dict[str, float]:
    """The thresholds that do best, one after the other in steps from where they are; of equals, the nearest to that."""
    best = thresholds()
    start = dict(best)
    for _ in range(ROUNDS):
        for name in start:
            tried = {start[name] * f: _worth(decided(found, {**best, name: start[name] * f})) for f in STEPS}
            best[name] = max(tried, key=lambda v: (round(tried[v], 9), -abs(v - best[name])))
    return best


def _worth(scored: Sequence[Scored]) -> float:
    faults = mean([s.recall[1] for s in scored if s.recall]) or 0.0
    quiet = mean([float(not s.false_alarm) for s in scored if s.expect == "no_fault"]) or 0.0
    return faults + quiet


def _figures(scored: Sequence[Scored]) -> tuple[int, float | None, int, int]:
    faults, quiet = [s for s in scored if s.recall], [s for s in scored if s.expect == "no_fault"]
    return len(faults), mean([s.recall[1] for s in faults if s.recall]), len(quiet), sum(s.false_alarm for s in quiet)


def _resource(outcome: Outcome) -> str:
    names = outcome.case.truth["resources"]
    return str(names[0]) if names else ""
