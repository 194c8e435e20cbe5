"""Reliability, splits, quiet windows and thresholds: their arithmetic, on small cases."""

from pathlib import Path
from typing import Any

import pytest
from bench import tradeoff
from bench.diagnosing import Case, Outcome
from bench.reliability import Claimed, binned, calibration_error, claimed, rules
from bench.splits import halves, spread, wilson
from bench.tradeoff import agreement, decided, fit, left_out, thresholds
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis import deciding
from superbiz.analysis.deciding import Channel, Picture, Sign, rank
from superbiz.domain.claims import FaultCategory

FAULT = {"expect": "root_cause", "resources": ["a"], "fault_category": "DATA", "operation": None}
QUIET: dict[str, Any] = {"expect": "no_fault", "resources": [], "fault_category": "NONE", "operation": None}


def outcome(truth: dict[str, Any], *signs: tuple[str, float], world: str = "w", kind: str = "recorded") -> Outcome:
    """As a run over a question would have decided it."""
    picture = Picture(None, rank(Sign(name, Channel.CONDITION, strength, FaultCategory.DATA) for name, strength in signs), True)
    rule = deciding.decide(picture)
    causes = [{"resource": c.resource, "score": c.score, "fault_category": c.category.value} for c in picture.candidates]
    report = {"conclusion": rule.conclusion.value, "root_causes": causes if rule.conclusion.value == "root_cause" else []}
    return Outcome(Case("set", world, Path(), truth, "g", kind), (), report, picture, rule.reason)


def test_the_calibration_error_is_how_far_score_and_share_of_right_lie_apart() -> None:
    assert calibration_error([Claimed(0.75, 1.0), Claimed(0.75, 1.0), Claimed(0.75, 1.0), Claimed(0.75, 0.0)]) == pytest.approx(0.0)
    assert calibration_error([Claimed(0.95, 0.0), Claimed(0.05, 0.0)]) == pytest.approx(0.5)
    assert calibration_error([]) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from((0.0, 0.5, 1.0))), max_size=20))
def test_every_cause_stands_in_one_bin(rows: list[tuple[float, float]]) -> None:
    causes = [Claimed(*row) for row in rows]

    assert sum(len(group) for _, group in binned(causes)) == len(causes)
    assert 0.0 <= (calibration_error(causes) or 0.0) <= 1.0


def test_a_cause_named_where_there_was_no_fault_is_wrong() -> None:
    found = [outcome(FAULT, ("a", 3.0)), outcome(QUIET, ("a", 3.0)), outcome(QUIET)]

    assert [c.right for c in claimed(found)] == [1.0, 0.0]


def test_the_rules_are_told_with_what_they_got_wrong() -> None:
    shown = rules([outcome(FAULT, ("a", 3.0)), outcome(FAULT, ("b", 3.0)), outcome(QUIET, ("a", 3.0)), outcome(QUIET)])

    assert {row[0]: row[2:] for row in shown.rows} == {"root_cause": (1, 1, 0, 1, pytest.approx(2 / 3)), "inconclusive": (0, 0, 0, 1, 1.0)}


def test_wilsons_interval_holds_the_share_and_stays_within_bounds() -> None:
    assert wilson(26, 26) == (pytest.approx(0.8713, abs=1e-4), 1.0)  # by hand: 26 / (26 + 1.96 ** 2)
    low, high = wilson(5, 10)
    assert low + high == pytest.approx(1.0)
    assert wilson(0, 5)[0] == 0.0


@given(st.lists(st.sampled_from((0.0, 1.0)), min_size=2, max_size=30))
def test_halves_lie_about_the_whole(values: list[float]) -> None:
    found = halves(values)

    assert found == sorted(found)
    assert found[0] <= sum(values) / len(values) <= found[-1]


def test_a_spread_tells_recall_of_worlds_with_a_fault_alone() -> None:
    (shown,) = spread("set", [outcome(FAULT, ("a", 3.0)), outcome(FAULT, ("b", 3.0)), outcome(QUIET)])

    assert shown.rows[0][:2] == ("recall@1", 0.5)
    assert shown.note.startswith("2 worlds")


def test_thresholds_are_the_policys_own_and_are_put_back() -> None:
    before = thresholds()
    found = [outcome(FAULT, ("a", 3.0)), outcome(QUIET, ("a", 0.6))]

    assert agreement(found) == 1.0
    assert [s.said for s in decided(found, {"TELLING": 100.0, "NOTABLE": 100.0})] == ["inconclusive", "inconclusive"]
    assert thresholds() == before
    assert "NOISE" not in before
    assert before.keys() >= {"TELLING", "NOTABLE"}


def test_a_fit_moves_what_tells_faults_from_quiet_and_nothing_else() -> None:
    found = [*(outcome(FAULT, ("a", 3.0), world=f"f{n}") for n in range(3)), *(outcome(QUIET, ("a", 0.8), world=f"q{n}") for n in range(3))]
    fitted = fit(found)

    assert {name for name, value in fitted.items() if value != thresholds()[name]} == {"NOTABLE"}
    assert 0.8 < fitted["NOTABLE"] <= 3.0
    assert [s.said for s in decided(found, fitted)] == ["root_cause"] * 3 + ["inconclusive"] * 3


def test_what_is_left_out_takes_no_part_in_its_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    other = {**FAULT, "resources": ["b"]}
    found = [
        outcome(FAULT, ("a", 3.0), world="a"),
        outcome(other, ("b", 3.0), world="b"),
        *(outcome(QUIET, world=f"q{n}") for n in range(4)),
    ]

    def fitted(kept: list[Outcome]) -> dict[str, float]:
        seen.append([o.case.world for o in kept])
        return thresholds()

    monkeypatch.setattr(tradeoff, "fit", fitted)
    shown = left_out(found)

    assert seen == [["b", "q1", "q3"], ["a", "q0", "q2"]]
    assert shown.rows[-2][1:5] == (2, 1.0, 4, 0)
