"""`query_metrics` over incidents in memory."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.domain import canonical
from superbiz.domain.observations import Series
from superbiz.errors import Invalid
from superbiz.ports import SourceUnavailable
from superbiz.tools.query_metrics import MetricsQuery
from support.builders import NOW
from support.incidents import START, Incident, build_series, normal_series, run_tool, wavering

USUAL = wavering(0.1, 60)


def slow(**fields: object) -> Series:
    return build_series([*USUAL[:10], *[0.9] * 5], **fields)


def test_a_series_that_left_its_normal_range_is_told_with_baseline_worst_and_onset() -> None:
    found = run_tool("query_metrics", Incident(series=[slow()], normal_series=[normal_series(USUAL)]))["series"][0]
    assert (found["subject"], found["metric"], found["stat"], found["unit"]) == ("orders", "Latency", "Average", "Seconds")
    assert (found["worst"], found["baseline"], found["direction"]) == (0.9, 0.1, "rose")
    assert found["onset"] == found["worst_at"] == "2026-07-08T22:40:00Z"
    assert found["basis"] == "normal period"
    assert found["points"][-1] == ["2026-07-08T22:44:00Z", 0.9]


def test_an_excerpt_holds_what_a_claim_needs() -> None:
    """The fields of a claim stand within the first 400 characters of its record."""
    found = run_tool("query_metrics", Incident(series=[slow()], normal_series=[normal_series(USUAL)]))["series"][0]
    excerpt = canonical.dumps(found)[:400]
    assert all(f'"{name}":' in excerpt for name in ("subject", "metric", "stat", "baseline", "worst", "worst_at", "onset", "deviation"))


def test_without_a_normal_period_the_time_before_is_what_is_ordinary() -> None:
    long = build_series([*USUAL, *[0.9] * 5], start=START - timedelta(minutes=60))
    found = run_tool("query_metrics", Incident(series=[long]))["series"][0]
    assert found["basis"] == "time before the window"
    assert found["worst"] == 0.9


def test_without_any_time_before_the_windows_first_part_has_to_do() -> None:
    found = run_tool("query_metrics", Incident(series=[slow()]))["series"][0]
    assert found["basis"] == "first part of the window"
    assert found["direction"] == "rose"


def test_datapoints_long_before_the_window_are_not_the_incident() -> None:
    early = build_series([5.0, *USUAL, *USUAL[:10]], start=START - timedelta(minutes=61))
    found = run_tool("query_metrics", Incident(series=[early]))["series"]
    assert all(row["worst"] < 1 for row in found)


def test_filters_compare_whole_names_case_aside() -> None:
    incident = Incident(series=[slow(), slow(subject="orders-2")], normal_series=None)
    assert run_tool("query_metrics", incident, subjects=["ORDERS"])["matched"] == 1
    assert run_tool("query_metrics", incident, metrics=["latency"], stats=["average"])["matched"] == 2
    assert run_tool("query_metrics", incident, metrics=["lat"])["matched"] == 0


def test_what_is_not_shown_is_counted() -> None:
    incident = Incident(series=[slow(subject=f"s{n}") for n in range(9)])
    found = run_tool("query_metrics", incident, top=2)
    assert len(found["series"]) == 2
    assert found["left_out"] == {"signals": 7}


def test_a_resource_near_its_limit_is_a_condition() -> None:
    cpu = build_series([*wavering(20, 10), *[98.0] * 5], metric="CPUUtilization", unit="Percent")
    found = run_tool("query_metrics", Incident(series=[cpu], normal_series=[normal_series(wavering(20, 60), metric="CPUUtilization")]))
    condition = found["conditions"][0]
    assert (condition["subject"], condition["metric"], condition["category"]) == ("orders", "CPUUtilization", "RESOURCE_EXHAUSTION")
    assert condition["weight"] > 1


def test_what_percent_measures_is_not_counted_again_in_another_unit() -> None:
    percent = build_series([*wavering(1, 10), *[10.0] * 5], metric="CpuUsageRate", unit="Percent")
    cores = build_series([*wavering(5, 10), *[50.0] * 5], metric="CpuUsage", unit="Millicores")
    names = [c["metric"] for c in run_tool("query_metrics", Incident(series=[cores, percent]))["conditions"]]
    assert "CpuUsage" not in names


def test_a_value_that_resources_share_is_their_hosts() -> None:
    rows = [build_series([*wavering(20, 10), *[97.0] * 5], metric="NodeCpuUsageRate", unit="Percent", subject=f"pod-{n}") for n in range(3)]
    own = build_series([*wavering(20, 10), *[90.0] * 5], metric="CpuUsageRate", unit="Percent", subject="orders")
    found = run_tool("query_metrics", Incident(series=[*rows, own]))["conditions"]
    assert found[0]["subject"] == "orders"
    assert found[-1]["shared_with"] == 2


def test_series_too_short_to_judge_are_said_and_not_guessed() -> None:
    found = run_tool("query_metrics", Incident(series=[build_series([1.0]), build_series([None, None], subject="b")]))
    assert found["series"] == []
    assert found["matched"] == 1, "a series without a datapoint in the window matches nothing"
    assert "1 series have too few datapoints" in found["notes"][0]


def test_what_the_source_could_not_use_is_passed_on() -> None:
    assert run_tool("query_metrics", Incident(series=[], notes=["three values were NaN"]))["notes"] == ["three values were NaN"]


def test_a_missing_source_is_unavailable() -> None:
    with pytest.raises(SourceUnavailable):
        run_tool("query_metrics", Incident())


def test_a_window_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(Invalid):
        run_tool("query_metrics", Incident(series=[]), start=NOW)
    with pytest.raises(ValueError, match="start must be before end"):
        MetricsQuery(start=NOW, end=START)


VALUES = st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), max_size=20)


@settings(max_examples=60)
@given(VALUES, VALUES, st.sampled_from([1, 60, 3600]), st.sampled_from(["CPUUtilization", "Latency", "FreeStorageSpace", "x"]))
def test_any_series_gives_a_storable_answer(now: list[float | None], usual: list[float | None], period: int, metric: str) -> None:
    incident = Incident(
        series=[build_series(now, metric=metric, period=period, unit="Percent")],
        normal_series=[normal_series(usual, metric=metric, period=period)],
    )
    canonical.dumps(run_tool("query_metrics", incident))
    canonical.dumps(run_tool("rank_suspects", incident, metric=metric))
