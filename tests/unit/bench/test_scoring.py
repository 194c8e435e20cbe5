"""Scores are those of the sets' own scorer, where it stands beside the recorded data; ties earn what a blind draw earns."""

import importlib.util
import json
from types import ModuleType
from typing import Any

import pytest
from bench.scoring import KS, chance, matches, score, summary, tiers
from hypothesis import given, settings
from hypothesis import strategies as st

from support.recorded import DATA

RESOURCES = st.sampled_from(
    ("a", "b", "A", "a/b", "arn:aws:rds:eu-west-1:1:db:a", "c", "d", " b ", "e f", "x/b/y", "1/2/3/4/5/6/7/8/a", "")
)
SCORES = st.sampled_from((0.9, 0.9 + 1e-13, 0.5, 0.1, 0, 1, True, None, float("nan"), "0.4"))
CAUSES = st.lists(
    st.one_of(
        st.fixed_dictionaries({"resource": RESOURCES, "score": st.sampled_from((0.9, 0.5, 0.1)), "fault_category": st.just("data")}),
        st.fixed_dictionaries({"resource": RESOURCES, "score": SCORES, "fault_category": st.sampled_from(("DATA", "NETWORK", None))}),
        st.just("no cause"),
    ),
    max_size=7,
)
REPORTS = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {
            "conclusion": st.sampled_from(("root_cause", "root_cause", "root_cause", "no_fault", "inconclusive", "perhaps", 3)),
            "root_causes": st.one_of(CAUSES, st.none()),
        }
    ),
)
TRUTHS = st.one_of(
    st.fixed_dictionaries(
        {
            "expect": st.just("root_cause"),
            "resources": st.lists(st.sampled_from(("a", "b", "C", "")), min_size=1, max_size=3),
            "fault_category": st.sampled_from(("DATA", "NETWORK", "GENERAL", None)),
        }
    ),
    st.fixed_dictionaries(
        {"expect": st.sampled_from(("no_fault", "inconclusive")), "resources": st.just([]), "fault_category": st.just("NONE")}
    ),
)


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    """The scorer that comes with the sets."""
    file = DATA.parent / "bench" / "score_worlds.py"
    if not file.is_file():
        pytest.skip(f"no scorer of the recorded sets at {file}")
    spec = importlib.util.spec_from_file_location("score_worlds", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@given(st.lists(st.tuples(TRUTHS, REPORTS), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_a_set_scores_what_the_sets_own_scorer_gives(tmp_path_factory: pytest.TempPathFactory, scorer: ModuleType, worlds: Any) -> None:
    folder = tmp_path_factory.mktemp("reports")
    truth = {f"w{n}": true for n, (true, _) in enumerate(worlds)}
    for n, (_, report) in enumerate(worlds):
        if report is not None:
            (folder / f"w{n}.json").write_text(json.dumps(report))

    own = summary(score(f"w{n}", true, _as_read(report)) for n, (true, report) in enumerate(worlds))
    theirs = scorer.score(truth, str(folder))

    assert _rounded(own.conclusion) == theirs["conclusion_accuracy"]
    assert {k: _rounded(own.recall[k]) for k in KS} == {k: theirs[f"recall@{k}"] for k in KS}
    assert (_rounded(own.category), own.n_category) == (theirs["category_accuracy@1"], theirs["n_category"])
    assert (own.false_alarms, own.n_no_fault) == (theirs["false_alarms"], theirs["n_no_fault"])
    assert {k: dict(v) for k, v in own.confusion.items()} == theirs["confusion"]


def _as_read(report: Any) -> Any:
    return None if report is None else json.loads(json.dumps(report))


def _rounded(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, abs=5.1e-5)


def test_equal_scores_earn_what_a_blind_draw_earns() -> None:
    tied = tiers([{"resource": name, "score": 0.5} for name in "abcd"])

    assert chance(tied, lambda c: c["resource"] == "b", 1) == pytest.approx(0.25)
    assert chance(tied, lambda c: c["resource"] == "b", 3) == pytest.approx(0.75)
    assert chance(tied, lambda c: c["resource"] == "b", 5) == 1.0


def test_scores_that_differ_beyond_nine_digits_are_equal() -> None:
    tied = tiers([{"resource": "a", "score": 0.5}, {"resource": "b", "score": 0.5 + 1e-12}, {"resource": "c", "score": 0.5 + 1e-6}])

    assert [[c["resource"] for c in group] for group in tied] == [["c"], ["b", "a"]]


def test_ties_that_do_not_fit_any_more_earn_only_what_is_left() -> None:
    tied = tiers([{"resource": "x", "score": 0.9}, *({"resource": name, "score": 0.5} for name in "ab")])

    assert chance(tied, lambda c: c["resource"] in "ab", 1) == 0.0
    assert chance(tied, lambda c: c["resource"] == "a", 2) == pytest.approx(0.5)


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from((0.1, 0.2, 0.3))), max_size=8), st.integers(1, 8))
def test_recall_never_falls_as_more_is_let_in(causes: list[tuple[str, float]], k: int) -> None:
    tied = tiers([{"resource": name, "score": s} for name, s in causes])

    assert 0.0 <= chance(tied, lambda c: c["resource"] in "ab", k) <= chance(tied, lambda c: c["resource"] in "ab", k + 1) <= 1.0


def test_causes_count_only_where_a_root_cause_is_concluded() -> None:
    truth = {"expect": "root_cause", "resources": ["a"], "fault_category": "DATA"}
    causes = [{"resource": "a", "score": 1.0, "fault_category": "DATA"}]

    assert score("w", truth, {"conclusion": "root_cause", "root_causes": causes}).recall == dict.fromkeys(KS, 1.0)
    assert score("w", truth, {"conclusion": "inconclusive", "root_causes": causes}).recall == dict.fromkeys(KS, 0.0)
    assert score("w", truth, None).said == "missing"


def test_a_resource_matches_by_a_part_of_its_path_and_no_sentence_does() -> None:
    assert matches("prod/ts-food-service/pod-1", ["TS-food-service"])
    assert matches("arn:aws:lambda:eu-west-1:1:function:pay", ["pay"])
    assert not matches("the service a, or b", ["a"])
    assert not matches("payments", ["pay"])
