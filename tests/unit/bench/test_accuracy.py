"""What is shown of a set: figures held against bounds, parts that it has, the places of its code faults."""

from pathlib import Path
from typing import Any

import pytest
from bench.ablation import ablations, present
from bench.accuracy import figures, mistakes
from bench.diagnosing import Case, Outcome
from bench.locations import located
from bench.rows import Row

FAULT = {"expect": "root_cause", "resources": ["a"], "fault_category": "DATA", "operation": "x.Pay#31_x.Pay#34"}
QUIET: dict[str, Any] = {"expect": "no_fault", "resources": [], "fault_category": "NONE", "operation": None}


def outcome(truth: dict[str, Any], conclusion: str, *causes: str, said: str = "", without: tuple[str, ...] = ()) -> Outcome:
    found = [{"resource": c, "score": 0.9 - n / 10, "fault_category": "DATA", "claim_ids": [f"c{n}"]} for n, c in enumerate(causes)]
    claims = [{"claim_id": "c0", "claim_text": said}, {"claim_id": "c9", "claim_text": "x.Pay#34"}]
    report = {"conclusion": conclusion, "root_causes": found, "claims": claims}
    return Outcome(Case("PetShop", "w", Path(), truth), without, report, None, "r")


def rows(found: list[Outcome]) -> dict[str, Row]:
    return {i.what: i for i in figures("PetShop", found) if isinstance(i, Row)}


def test_a_sets_figures_are_told_with_how_many_worlds_they_are_of_and_held_against_its_bounds() -> None:
    got = rows([outcome(FAULT, "root_cause", "a"), outcome(FAULT, "root_cause", "b", "a"), outcome(QUIET, "root_cause", "a")])

    assert got["PetShop: recall@1 of 2"].value == 0.5
    assert not got["PetShop: recall@1 of 2"].holds
    assert got["PetShop: recall@3 of 2"].holds
    assert got["PetShop: false alarms of 1"].value == 1
    assert not got["PetShop: false alarms of 1"].holds
    assert got["PetShop: conclusion of 3"].value == pytest.approx(2 / 3)


def test_a_code_place_is_told_where_the_first_causes_own_claims_hold_an_end_of_it() -> None:
    found = [
        outcome(FAULT, "root_cause", "a", said="after x.Pay#31"),
        outcome(FAULT, "root_cause", "a", said="in x.Pay#99"),
        outcome(FAULT, "root_cause", "a", said="somewhere"),
        outcome(FAULT, "inconclusive"),
        outcome(QUIET, "no_fault"),
    ]

    told = {row.what: row.value for row in located("T", found)}

    assert told == {"T: code statement told by the first cause, of 4": 0.25, "T: code class told by the first cause, of 4": 0.5}
    assert list(located("T", found[-1:])) == []


def test_what_was_got_wrong_is_told_world_by_world() -> None:
    wrong = [outcome(FAULT, "root_cause", "b", "a"), outcome(FAULT, "inconclusive"), outcome(QUIET, "root_cause", "a")]

    assert [row[1:5] for row in mistakes([outcome(FAULT, "root_cause", "a"), outcome(QUIET, "no_fault"), *wrong]).rows] == [
        ("root_cause", "a", "root_cause", "b"),
        ("root_cause", "a", "inconclusive", None),
        ("no_fault", None, "root_cause", "a"),
    ]


def test_only_parts_that_a_set_has_are_left_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "world.json").write_text('{"normal": "../n"}')
    (tmp_path / "logs.jsonl.gz").touch()

    assert present([Case("s", "w", tmp_path, QUIET)]) == ["logs", "normal"]


def test_each_part_has_its_line_under_the_whole() -> None:
    found = [outcome(FAULT, "root_cause", "b", without=("map",)), outcome(FAULT, "root_cause", "a")]
    (shown,) = ablations(found)

    assert [(row[1], row[4]) for row in shown.rows] == [("all of it", 1.0), ("without map", 0.0)]
