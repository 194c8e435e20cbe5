"""Changes against an onset: causes, and red herrings."""

from datetime import timedelta

from superbiz.analysis import changes
from superbiz.analysis.changes import Relation
from superbiz.domain.claims import FaultCategory
from support.incidents import START, build_change


def relation(minutes_before: float, **fields: str) -> Relation:
    return changes.align([build_change(minutes_before, **fields)], START, ["orders"])[0].relation


def test_a_deploy_shortly_before_the_onset_may_be_the_cause() -> None:
    found = changes.align([build_change(5)], START, ["orders"])[0]
    assert found.relation is Relation.BEFORE
    assert found.touches == "orders"
    assert found.category is FaultCategory.DEPLOYMENT
    assert found.minutes == 5
    assert found.strength > 1


def test_an_old_rollout_is_a_red_herring() -> None:
    assert relation(3 * 24 * 60) is Relation.OLD
    assert changes.align([build_change(3 * 24 * 60)], START, ["orders"])[0].strength == 0


def test_a_routine_backup_is_a_red_herring() -> None:
    assert relation(10, name="Backup completed", message="automated snapshot") is Relation.ROUTINE


def test_what_came_after_the_onset_is_no_cause() -> None:
    assert relation(-20) is Relation.AFTER


def test_a_failure_that_the_platform_reports_counts_on_either_side() -> None:
    assert relation(-4, name="OOMKilled", message="container was OOMKilled") is Relation.FAILURE
    assert relation(4, name="OOMKilled", message="container was OOMKilled") is Relation.FAILURE
    assert relation(3 * 24 * 60, name="OOMKilled") is Relation.OLD


def test_nearer_changes_and_those_that_touch_a_suspect_weigh_more() -> None:
    near, far, elsewhere = build_change(5), build_change(60), build_change(5, resource="billing", message="billing 2.0")
    found = changes.align([far, elsewhere, near], START, ["orders"])
    assert [a.change for a in found] == [near, elsewhere, far]


def test_a_suspect_is_touched_by_its_arn_or_by_the_message() -> None:
    assert changes.touched(build_change(resource="arn:aws:ecs:eu-west-1:111122223333:service/shop/orders"), ["orders"]) == "orders"
    assert changes.touched(build_change(resource="", message="rolled out orders 1.4.2"), ["orders"]) == "orders"
    assert changes.touched(build_change(resource="reorders", message=""), ["orders"]) is None


def test_nothing_changed_is_an_empty_list() -> None:
    assert changes.align([], START + timedelta(days=1), []) == []
