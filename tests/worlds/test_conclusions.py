"""Every world of the catalogue, diagnosed: the conclusion, the cause, its category, and that nothing is said without evidence.

The right answers stand beside the scenarios in the catalogue; what is still wrong, in one table in `known.py`.
"""

from collections.abc import Callable, Iterator, Mapping

import pytest

from superbiz.domain.values import JsonObject
from superbiz_cli.simulator.catalogue import CATALOGUE, Truth
from worlds.known import (
    CATEGORY,
    CAUSE,
    CLAIMS,
    CLEARED,
    CONCLUSION,
    HEALTH,
    KNOWN,
    NOT_CHECKED,
    NOTHING_NAMED,
    OPERATION,
    RULED_OUT,
    SECOND,
)
from worlds.reporting import Reported

TRUTHS: Mapping[str, Truth] = {name: teller().truth for name, teller in CATALOGUE.items()}
Chosen = Callable[[Truth], object]


def worlds(aspect: str, chosen: Chosen = lambda _truth: True) -> pytest.MarkDecorator:
    """One case a world that has this aspect to check."""
    return pytest.mark.parametrize("world", list(_cases(aspect, chosen)))


def _cases(aspect: str, chosen: Chosen) -> Iterator[object]:
    known = {k.world: k.reason for k in KNOWN if aspect in k.aspects}
    for name, truth in TRUTHS.items():
        if chosen(truth):
            marks = [pytest.mark.xfail(strict=True, reason=known[name])] if name in known else []
            yield pytest.param(name, marks=marks, id=name)


def has_cause(truth: Truth) -> bool:
    return truth.expect == "root_cause"


def is_one_of(resource: str, true: tuple[str, ...]) -> bool:
    """By its whole name or by a part of its path, case aside."""
    parts = {resource.lower(), *resource.lower().split("/")}
    return bool(parts & {t.lower() for t in true})


def rank_of(report: JsonObject, true: tuple[str, ...]) -> int:
    """Far behind where it is not named."""
    return next((n for n, cause in enumerate(report["root_causes"], 1) if is_one_of(cause["resource"], true)), 99)


def category_of(report: JsonObject, true: tuple[str, ...]) -> str:
    return next((str(c["fault_category"]) for c in report["root_causes"] if is_one_of(c["resource"], true)), "not named")


def unnamed(wanted: tuple[str, ...], rows: list[JsonObject]) -> list[str]:
    """The words that no row holds."""
    texts = [f"{row['what']} {row['why']}" for row in rows]
    return [word for word in wanted if not any(word in text for text in texts)]


@worlds(CONCLUSION)
def test_the_conclusion_is_the_engineers(world: str, reported: Reported) -> None:
    assert reported(world)["conclusion"] == TRUTHS[world].expect


@worlds(CAUSE, has_cause)
def test_the_cause_is_among_the_first(world: str, reported: Reported) -> None:
    assert rank_of(reported(world), TRUTHS[world].resources) <= TRUTHS[world].rank


@worlds(CATEGORY, has_cause)
def test_the_cause_has_its_category(world: str, reported: Reported) -> None:
    truth = TRUTHS[world]
    assert category_of(reported(world), truth.resources) in {truth.fault_category, *truth.also}


@worlds(OPERATION, lambda truth: truth.operation)
def test_the_failing_operation_is_named(world: str, reported: Reported) -> None:
    assert reported(world)["root_causes"][0]["operation"] == TRUTHS[world].operation


@worlds(SECOND, lambda truth: truth.second)
def test_two_faults_are_two_causes(world: str, reported: Reported) -> None:
    truth, report = TRUTHS[world], reported(world)
    assert {rank_of(report, truth.resources), rank_of(report, truth.second)} == {1, 2}
    assert category_of(report, truth.second) == truth.second_category


@worlds(NOTHING_NAMED, lambda truth: not has_cause(truth))
def test_no_cause_is_named_where_none_is_known(world: str, reported: Reported) -> None:
    report = reported(world)
    assert report["root_causes"] == []
    assert [c["claim_text"] for c in report["claims"] if c["claim_type"] == "cause"] == []


@worlds(HEALTH, lambda truth: truth.expect == "no_fault")
def test_health_is_stated_with_evidence(world: str, reported: Reported) -> None:
    alarm = CATALOGUE[world]().scenario.alarm
    assert alarm is not None
    told = [c for c in reported(world)["claims"] if c["result"] == "SUPPORTED" and alarm.metric_name in c["claim_text"]]
    assert [c for c in told if c["evidence"]]


@worlds(RULED_OUT, lambda truth: truth.ruled_out)
def test_what_is_no_cause_is_ruled_out(world: str, reported: Reported) -> None:
    assert unnamed(TRUTHS[world].ruled_out, reported(world)["ruled_out"]) == []


@worlds(NOT_CHECKED, lambda truth: truth.not_checked)
def test_what_could_not_be_read_is_told(world: str, reported: Reported) -> None:
    assert unnamed(TRUTHS[world].not_checked, reported(world)["not_checked"]) == []


@worlds(CLAIMS)
def test_every_claim_is_carried_by_its_evidence(world: str, reported: Reported) -> None:
    report = reported(world)
    assert report["verdict"] == "PASS"
    said = [c for c in report["claims"] if c["claim_type"] not in ("action", "absence")]
    assert [c["claim_text"] for c in said if c["result"] != "SUPPORTED" or not c["evidence"]] == []


@worlds(CLEARED, lambda truth: truth.telling)
def test_what_speaks_for_the_cause_is_not_ruled_out(world: str, reported: Reported) -> None:
    cleared = [row["what"] for row in reported(world)["ruled_out"]]
    assert [what for what in cleared if any(word in what for word in TRUTHS[world].telling)] == []
