"""How a report is scored against the truth: conclusion, resource recall by expectation over ties, category, false alarms.

Truth: `{"expect", "resources", "fault_category", "operation"}`. A resource matches if it equals a true one, case aside, or if one
of the parts of its path does. Causes of equal score are in no order: they earn what a blind draw among them earns.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

CONCLUSIONS = ("root_cause", "no_fault", "inconclusive")
KS = (1, 3, 5)
UNCLASSIFIED = ("GENERAL", "NONE", None)
LONGEST_PATH = 8  # parts; a longer path is compared only as a whole
Cause = Mapping[str, Any]


class Scored(NamedTuple):
    """One world. `recall` is by k, None where there is no true cause; `category` None where the true one is not known."""

    world: str
    expect: str
    said: str
    recall: Mapping[int, float] | None
    category: float | None

    @property
    def right(self) -> bool:
        """Whether the conclusion is the true one."""
        return self.said == self.expect

    @property
    def false_alarm(self) -> bool:
        """A cause claimed where there was no fault."""
        return self.expect == "no_fault" and self.said == "root_cause"


class Summary(NamedTuple):
    """Means over worlds; None where no world counts."""

    n: int
    conclusion: float | None
    confusion: Mapping[str, Mapping[str, int]]
    n_root_cause: int
    recall: Mapping[int, float | None]
    n_category: int
    category: float | None
    n_no_fault: int
    false_alarms: int


def score(world: str, truth: Mapping[str, Any], report: Mapping[str, Any] | None) -> Scored:
    """A missing report is wrong everywhere; causes count only where a root cause is concluded."""
    said = _said(report)
    if truth["expect"] != "root_cause":
        return Scored(world, truth["expect"], said, None, None)
    causes = report.get("root_causes") if report is not None and said == "root_cause" else None
    tied = tiers(causes if isinstance(causes, list | tuple) else ())
    recall = {k: chance(tied, lambda c: matches(c["resource"], truth["resources"]), k) for k in KS}
    known = truth["fault_category"] not in UNCLASSIFIED
    return Scored(world, truth["expect"], said, recall, _category(tied, truth["fault_category"]) if known else None)


def summary(scored: Iterable[Scored]) -> Summary:
    """All figures of a set."""
    rows = list(scored)
    faults, healthy = [s for s in rows if s.recall is not None], [s for s in rows if s.expect == "no_fault"]
    categories = [s.category for s in rows if s.category is not None]
    return Summary(
        len(rows),
        mean([float(s.right) for s in rows]),
        {c: Counter(s.said for s in rows if s.expect == c) for c in CONCLUSIONS},
        len(faults),
        {k: mean([s.recall[k] for s in faults if s.recall]) for k in KS},
        len(categories),
        mean(categories),
        len(healthy),
        sum(s.false_alarm for s in healthy),
    )


def mean(values: Sequence[float]) -> float | None:
    """None of nothing."""
    return sum(values) / len(values) if values else None


def matches(resource: Any, true: Iterable[str]) -> bool:
    """Whether a resource names one of the true ones."""
    return not _names(str(resource or "")).isdisjoint({t.strip().lower() for t in true if t})


def tiers(causes: Iterable[Any]) -> list[list[Cause]]:
    """Causes as they rank, equals together: by score where all have one, else in their order. A resource counts where it ranks best."""
    given = [c for c in causes if isinstance(c, Mapping) and c.get("resource")]
    scored = all(_number(c.get("score")) for c in given)
    ordered = sorted(given, key=lambda c: -c["score"]) if scored else given
    out: list[list[Cause]] = []
    last, seen = 0.0, set()
    for cause in ordered:
        name = str(cause["resource"]).strip().lower()
        if name in seen:
            continue
        seen.add(name)
        tied = scored and out and math.isclose(cause["score"], last, rel_tol=1e-9, abs_tol=1e-12)
        if tied:
            out[-1].append(cause)
        else:
            out.append([cause])
        last = cause["score"] if scored else 0.0
    return out


def chance(tied: Sequence[Sequence[Cause]], is_right: Callable[[Cause], bool], k: int) -> float:
    """The chance that one of the first k is right, ties drawn blindly."""
    room = k
    for group in tied:
        wrong = sum(not is_right(c) for c in group)
        if wrong < len(group):
            drawn = min(max(room, 0), len(group))
            return 1 - math.prod((wrong - i) / (len(group) - i) for i in range(drawn))
        room -= len(group)
    return 0.0


def _said(report: Mapping[str, Any] | None) -> str:
    if report is None:
        return "missing"
    said = report.get("conclusion")
    return said if isinstance(said, str) and said in CONCLUSIONS else "invalid"


def _category(tied: Sequence[Sequence[Cause]], true: str) -> float:
    first = tied[0] if tied else ()
    return mean([float(str(c.get("fault_category") or "").upper() == true) for c in first]) or 0.0


def _names(resource: str) -> set[str]:
    """The resource and the parts of its path. An ARN has `:` between its parts too; a sentence has none."""
    whole = resource.strip().lower()
    if whole.startswith("arn:"):
        return {whole, *re.split(r"[:/]", whole)}
    parts = whole.split("/")
    return {whole} if re.search(r"[\s,;]", whole) or len(parts) > LONGEST_PATH else {whole, *parts}


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
