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


def test_a_change_that_touches_no_suspect_is_told_as_such_and_one_of_the_network_may_touch_all() -> None:
    assert relation(5, resource="billing", message="billing 2.0") is Relation.UNTOUCHED
    assert relation(5, name="RevokeSecurityGroupIngress", resource="sg-1", message="tcp 5432") is Relation.BEFORE
    assert relation(5, name="PutParameter", resource="/shop/url", message="") is Relation.BEFORE
    assert relation(5, name="RunTask", resource="archiver", message="by hand") is Relation.BEFORE
    assert changes.align([build_change(5, resource="billing", message="billing 2.0")], START, [])[0].relation is Relation.BEFORE


def test_a_failure_stands_for_its_own_resource_whoever_is_suspected() -> None:
    found = changes.align([build_change(5, name="OOMKilling", resource="billing", message="")], START, ["orders"])[0]
    assert (found.relation, found.touches) == (Relation.FAILURE, None)
    assert found.strength > 1


def test_a_pod_touches_the_workload_that_it_belongs_to() -> None:
    found = changes.align([build_change(5, name="BackOff", resource="shop/pod/orders-7d9f4c8b6d-x2x4q", message="")], START, ["orders"])[0]
    assert (found.touches, found.owner) == ("orders", "orders")


def test_a_failure_that_repeats_at_the_pods_of_a_workload_is_told_once_by_the_nearest() -> None:
    pods = [f"shop/pod/orders-7d9f4c8b6d-x2x4{n}" for n in "bcdf"]
    events = [build_change(-n, name="FailedScheduling", resource=pod, message="Insufficient cpu") for n, pod in enumerate(pods)]
    found = changes.align(events, START, [])
    assert [(a.owner, a.times, a.minutes) for a in found] == [("orders", 4, 0.0)]


def test_deploys_of_one_service_are_each_told() -> None:
    assert len(changes.align([build_change(5), build_change(15)], START, ["orders"])) == 2


def test_health_is_a_routine_whatever_it_says_of_failures() -> None:
    assert relation(5, name="SERVICE_STEADY_STATE", message="(service orders) has reached a steady state.") is Relation.ROUTINE


def test_nothing_changed_is_an_empty_list() -> None:
    assert changes.align([], START + timedelta(days=1), []) == []
