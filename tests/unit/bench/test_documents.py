"""The page of benchmarks is made of the figures beside it, holds what a reader looks for, and tells of what is missed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from bench import documents
from bench.documents import FIGURES, PAGE, record, render, write
from bench.published import MEASURES, SOURCES
from bench.rows import Row, table

SECTIONS = (
    "Beside published figures",
    "How it is measured",
    "Diagnoses that are right",
    "Time and memory of a diagnosis",
    "What falls short",
    "Sources",
)
ACCURACY = (
    "What each part of the evidence brings",
    "how far recall depends on the worlds",
    "Quiet windows",
    "Reliability of the first cause's score",
    "The policy's rules",
    "Trade-off: All thresholds together",
    "Thresholds fitted on the rest",
)


def test_the_page_is_made_of_the_figures_beside_it() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(json.loads(FIGURES.read_text(encoding="utf-8")))


@pytest.mark.parametrize("heading", SECTIONS)
def test_the_page_has_its_sections(heading: str) -> None:
    assert f"\n## {heading}\n" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("heading", ACCURACY)
def test_accuracy_is_shown_from_every_side(heading: str) -> None:
    assert re.search(rf"^### .*{re.escape(heading)}", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_figure_of_others_has_its_source() -> None:
    assert {p.source for m in MEASURES for p in m.others} == SOURCES.keys()


def test_every_measure_of_ours_that_was_measured_stands_in_the_table() -> None:
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    rows = [m for m in MEASURES if m.benchmark in figures["benchmarks"]]

    assert rows
    assert not [m.row for m in rows if documents._row_of(m, figures["benchmarks"]) is None]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(documents, "FIGURES", tmp_path / "b.json")
    monkeypatch.setattr(documents, "PAGE", tmp_path / "b.md")
    return tmp_path


def test_a_benchmark_takes_the_place_of_its_earlier_figures_and_leaves_others_alone(place: Path) -> None:
    record("imports", "Cold.", [Row("chat: import", 300.0, "ms")])
    record("accuracy", "Right.\n\nBy the same chain.", [Row("PetShop: recall@1 of 26", 0.5, "", 0.96, at_least=True)])
    record("accuracy", "Right.", [Row("PetShop: recall@1 of 26", 1.0, "", 0.96, at_least=True), table("bins", ("a",), [(1 / 3,)], "note")])
    write()
    page = (place / "b.md").read_text(encoding="utf-8")

    assert "300 ms" in page
    assert "**1.000** of 26" in page
    assert "0.500" not in page
    assert "### Bins" in page
    assert "| 0.333 |" in page
    assert "Every figure above is within its bound." in page


def test_a_missed_bound_is_told_where_it_stands_and_in_the_end(place: Path) -> None:
    record("accuracy", "Right.", [Row("PetShop: recall@1 of 26", 0.9, "", 0.96, at_least=True)])
    write()
    page = (place / "b.md").read_text(encoding="utf-8")

    assert page.count("| PetShop: recall@1 of 26 | 0.900 | ≥ 0.96 **missed** |") == 2
    assert "within its bound" not in page


def test_what_was_not_measured_is_said(place: Path) -> None:
    write()

    assert (place / "b.md").read_text(encoding="utf-8").count("not measured") == len(MEASURES)


@pytest.mark.parametrize(
    ("value", "unit", "told"), [(163_000.0, "lines/s", "163,000 lines/s"), (0.4567, "s", "0.457 s"), (2.0, "MB", "2 MB")]
)
def test_figures_are_told_as_people_read_them(place: Path, value: float, unit: str, told: str) -> None:
    record("logs", "Logs.", [Row("x", value, unit)])
    figures: Any = json.loads((place / "b.json").read_text(encoding="utf-8"))

    assert f"| x | {told} | - |" in render(figures)
