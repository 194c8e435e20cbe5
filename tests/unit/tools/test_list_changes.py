"""`list_changes` over incidents in memory."""

import pytest

from superbiz.domain.values import iso
from superbiz.ports import SourceUnavailable
from support.incidents import START, Incident, build_change, run_tool


def test_a_change_is_told_with_its_distance_from_the_onset() -> None:
    found = run_tool("list_changes", Incident(events=[build_change(12)]), onset=iso(START), suspects=["orders"])["changes"][0]
    assert (found["name"], found["resource"], found["minutes_before_onset"]) == ("DeployService", "orders", 12)
    assert (found["relation"], found["touches"], found["category"]) == ("shortly before the onset", "orders", "DEPLOYMENT")


def test_an_event_is_told_with_its_kind_its_workload_and_how_often_it_came() -> None:
    pods = [f"shop/pod/orders-7d9f4c8b6d-x2x4{n}" for n in "bcd"]
    events = [build_change(-1.0 - n, name="OOMKilling", resource=pod, message="Memory cgroup out of memory") for n, pod in enumerate(pods)]
    found = run_tool("list_changes", Incident(events=events), onset=iso(START))["changes"]
    assert [(c["kind"], c["owner"], c["times"], c["minutes_after_onset"]) for c in found] == [("out of memory", "orders", 3, 1)]


def test_red_herrings_are_named() -> None:
    events = [build_change(3_000), build_change(9, name="Backup completed", message="automated"), build_change(-15)]
    found = run_tool("list_changes", Incident(events=events))["changes"]
    assert {c["relation"] for c in found} == {"long before the onset", "routine", "after the onset"}
    assert all(c["weight"] == 0 for c in found)
    assert next(c for c in found if c["relation"] == "long before the onset")["hours_before_onset"] == 50


def test_changes_after_the_incident_are_not_read() -> None:
    assert run_tool("list_changes", Incident(events=[build_change(-60)]))["changes"] == []


def test_nothing_changed_is_an_empty_answer_over_a_week() -> None:
    found = run_tool("list_changes", Incident(events=[]))
    assert found["changes"] == []
    assert found["window"]["start"] == "2026-07-01T22:30:00Z"


def test_what_is_not_shown_is_counted() -> None:
    found = run_tool("list_changes", Incident(events=[build_change(n + 1.0) for n in range(9)]), top=4)
    assert (len(found["changes"]), found["matched"], found["left_out"]) == (4, 9, {"changes": 5})


def test_a_missing_source_is_unavailable() -> None:
    with pytest.raises(SourceUnavailable):
        run_tool("list_changes", Incident())
