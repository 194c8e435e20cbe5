"""Changes of a live account, service by service, against answers that botocore's models hold to be possible."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from superbiz.adapters.cloudwatch.catalog import Resource
from superbiz.adapters.cloudwatch.changes import changes
from superbiz.adapters.cloudwatch.session import Found
from superbiz.domain.observations import Change
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable
from support.fake_account import DENIED, FakeAccount, refusal

NOW = datetime(2026, 5, 19, 15, 0, tzinfo=UTC)
WINDOW = Window(start=NOW - timedelta(days=7), end=NOW)
ORDERS = Resource("AWS/ECS", (("ClusterName", "prod"), ("ServiceName", "orders")))
DATABASE = Resource("AWS/RDS", (("DBInstanceIdentifier", "orders-db"),))
CLUSTER = Resource("AWS/RDS", (("DBClusterIdentifier", "orders-cluster"),))
POD = Resource("ContainerInsights", (("ClusterName", "prod-eks"), ("Namespace", "shop"), ("Service", "orders")))
GROUP = Resource("AWS/EC2", (("AutoScalingGroupName", "web-asg"),))
QUIET: Mapping[tuple[str, str], Any] = {
    ("cloudtrail", "LookupEvents"): {"Events": []},
    ("rds", "DescribeEvents"): {"Events": []},
    ("codedeploy", "ListDeployments"): {"deployments": []},
    ("health", "DescribeEvents"): {"events": []},
    ("ecs", "DescribeServices"): {"services": []},
    ("ecs", "ListTasks"): {"taskArns": []},
    ("autoscaling", "DescribeScalingActivities"): {"Activities": []},
    ("application-autoscaling", "DescribeScalingActivities"): {"ScalingActivities": []},
    ("logs", "DescribeLogGroups"): {"logGroups": []},
}


def account(**answers: Any) -> FakeAccount:
    """A quiet account with some answers of its own: `rds_DescribeEvents={…}`, `-` in a service's name written as `0`."""
    own = {tuple(key.replace("0", "-").split("_")): answer for key, answer in answers.items()}
    return FakeAccount({**QUIET, **own})


def read(
    given: FakeAccount, *resources: Resource | str, window: Window = WINDOW, sleep: Callable[[float], None] | None = None
) -> Found[Change]:
    return changes(given.clients(), window, resources, now=NOW, sleep=sleep or (lambda _seconds: None))


def trail_event(name: str, minutes: float = 30, *, detail: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "EventId": f"{name}-{minutes}",
        "EventName": name,
        "EventTime": NOW - timedelta(minutes=minutes),
        "EventSource": "ecs.amazonaws.com",
        "ReadOnly": "false",
        "Username": "anna",
        "CloudTrailEvent": json.dumps(detail or {}),
    } | fields


# ---------------------------------------------------------------- CloudTrail


def test_a_write_event_names_its_resource_actor_and_parameters():
    detail = {
        "userIdentity": {"type": "AssumedRole", "sessionContext": {"sessionIssuer": {"userName": "deploy-role"}}},
        "requestParameters": {"cluster": "prod", "service": "orders", "taskDefinition": "orders:42", "clientToken": "x" * 20},
    }
    (row,) = read(account(cloudtrail_LookupEvents={"Events": [trail_event("UpdateService", detail=detail)]}), ORDERS).rows
    assert (row.source, row.name, row.resource, row.actor) == ("cloudtrail", "UpdateService", "orders", "deploy-role/anna")
    assert row.message == "cluster=prod, service=orders, taskDefinition=orders:42"


def test_a_refused_call_says_that_it_changed_nothing():
    detail = {"errorCode": "AccessDenied", "errorMessage": "not allowed", "requestParameters": {"functionName": "pay"}}
    (row,) = read(account(cloudtrail_LookupEvents={"Events": [trail_event("UpdateFunctionCode20150331v2", detail=detail)]})).rows
    assert row.message == "refused with AccessDenied: not allowed; functionName=pay"
    assert row.raw["error_code"] == "AccessDenied"


def test_only_write_events_are_asked_for_by_the_one_attribute_that_a_lookup_takes():
    given = account()
    read(given)
    (request,) = given.requests("cloudtrail", "LookupEvents")
    assert request["LookupAttributes"] == [{"AttributeKey": "ReadOnly", "AttributeValue": "false"}]


def test_what_agents_write_all_day_is_no_change():
    events = [trail_event("CreateLogStream"), trail_event("UpdateInstanceInformation"), trail_event("ModifyDBInstance")]
    assert [r.name for r in read(account(cloudtrail_LookupEvents={"Events": events})).rows] == ["ModifyDBInstance"]


def busy_trail(request: dict[str, Any]) -> dict[str, Any]:
    """More write events than anybody pages through; a lookup by name finds one of last week."""
    (attribute,) = request["LookupAttributes"]
    if attribute["AttributeKey"] == "ReadOnly":
        page = int(request.get("NextToken", "0"))
        return {"Events": [trail_event("PutObjectAcl", page * 50 + n) for n in range(50)], "NextToken": str(page + 1)}
    if attribute["AttributeValue"] == "orders":
        return {"Events": [trail_event("UpdateService", 3 * 24 * 60), trail_event("DescribeServices", 3 * 24 * 60, ReadOnly="true")]}
    return {"Events": []}


def test_where_there_are_too_many_the_named_resources_are_looked_up_and_the_rest_is_told():
    found = read(account(cloudtrail_LookupEvents=busy_trail), ORDERS)
    assert "UpdateService" in {r.name for r in found.rows}
    assert "DescribeServices" not in {r.name for r in found.rows}
    (sentence,) = found.partial
    assert sentence.startswith("CloudTrail: the 400 newest write events were read, back to 2026-05-19T08:21:00Z")


def test_lookups_keep_to_two_requests_a_second():
    waits: list[float] = []
    given = account(cloudtrail_LookupEvents=busy_trail)
    read(given, ORDERS, sleep=waits.append)
    asked = len(given.requests("cloudtrail", "LookupEvents"))
    assert asked > 10
    assert len(waits) == asked - 1
    assert all(0.3 < seconds <= 0.5 for seconds in waits)


def test_an_event_that_is_no_json_is_told_by_its_head():
    event = trail_event(
        "ModifyDBInstance", CloudTrailEvent="{not json", Resources=[{"ResourceName": "arn:aws:rds:eu-west-1:1:db:orders-db"}]
    )
    (row,) = read(account(cloudtrail_LookupEvents={"Events": [event]}), DATABASE).rows
    assert (row.resource, row.actor, row.message) == ("orders-db", "anna", "")


# ---------------------------------------------------------------- RDS


def rds_event(message: str, *categories: str, name: str = "orders-db", minutes: float = 10) -> dict[str, Any]:
    return {"SourceIdentifier": name, "SourceType": "db-instance", "Message": message, "EventCategories": list(categories),
            "Date": NOW - timedelta(minutes=minutes)}  # fmt: skip


def test_an_rds_event_is_named_by_its_category_whoever_it_is_about():
    given = account(rds_DescribeEvents={"Events": [rds_event("Multi-AZ instance failover started.", "failover", name="other-db")]})
    (row,) = read(given, DATABASE).rows
    assert (row.source, row.name, row.resource) == ("rds", "failover", "other-db")


def test_of_too_many_rds_events_the_named_databases_are_asked_again_and_each_is_told_once():
    def busy(request: dict[str, Any]) -> dict[str, Any]:
        page = int(request.get("Marker", "0"))
        of_one = "SourceIdentifier" in request
        events = [rds_event("restarted", "availability"), *([] if of_one else [rds_event(f"backup {page}", "backup", name="noisy")])]
        return {"Events": events} | ({} if of_one else {"Marker": str(page + 1)})

    given = account(rds_DescribeEvents=busy)
    found = read(given, DATABASE, CLUSTER)
    assert [r.message for r in found.rows if r.resource == "orders-db"] == ["restarted"]
    asked = [(r["SourceType"], r["SourceIdentifier"]) for r in given.requests("rds", "DescribeEvents") if "SourceType" in r]
    assert asked == [("db-instance", "orders-db"), ("db-cluster", "orders-cluster")]
    assert found.partial == ("RDS events: only the first 10 of the region were read, and those of the named databases",)


def test_rds_keeps_fourteen_days_and_older_windows_are_told_as_unread():
    window = Window(start=NOW - timedelta(days=40), end=NOW - timedelta(days=30))
    found = read(account(), DATABASE, window=window)
    assert found.partial == ("could not read RDS events: RDS keeps them for 14 days, and the window is older",)


def test_a_window_that_begins_before_them_is_read_from_there_on():
    given = account()
    found = read(given, window=Window(start=NOW - timedelta(days=20), end=NOW))
    (request,) = given.requests("rds", "DescribeEvents")
    assert request["StartTime"] == NOW - timedelta(days=14)
    assert found.partial == ("RDS keeps events for 14 days: those before 2026-05-05T15:00:00Z are gone",)


# ---------------------------------------------------------------- ECS and what scales


SERVICE = {
    "serviceName": "orders",
    "events": [
        {"id": "1", "createdAt": NOW - timedelta(minutes=20), "message": "(service orders) has reached a steady state."},
        {"id": "2", "createdAt": NOW - timedelta(minutes=9), "message": "(service orders) was unable to place a task."},
        {"id": "3", "createdAt": NOW - timedelta(days=30), "message": "(service orders) has started 1 tasks: (task 1)."},
    ],
    "deployments": [
        {"id": "ecs-svc/1", "status": "PRIMARY", "taskDefinition": "arn:aws:ecs:eu-west-1:1:task-definition/orders:42", "desiredCount": 4,
         "createdAt": NOW - timedelta(minutes=12), "updatedAt": NOW - timedelta(minutes=5), "rolloutState": "FAILED",
         "rolloutStateReason": "ECS deployment circuit breaker: tasks failed to start."},
    ],
}  # fmt: skip


def test_a_service_tells_its_events_and_deployments_but_not_that_nothing_happened():
    rows = read(account(ecs_DescribeServices={"services": [SERVICE]}), ORDERS).rows
    assert [(r.source, r.name) for r in rows] == [("deploy", "deployment"), ("ecs", "service event"), ("deploy", "deployment failed")]
    assert rows[0].message == "deployment of orders:42, 4 tasks wanted"
    assert rows[2].message == "deployment of orders:42 failed: ECS deployment circuit breaker: tasks failed to start."


def test_a_stopped_task_tells_why_and_what_its_containers_said():
    task = {
        "taskArn": "arn:aws:ecs:eu-west-1:1:task/prod/0a1b",
        "stoppedAt": NOW - timedelta(minutes=4),
        "stopCode": "EssentialContainerExited",
        "stoppedReason": "Essential container in task exited",
        "containers": [
            {"name": "app", "exitCode": 137, "reason": "OutOfMemoryError: Container killed due to memory usage"},
            {"name": "sidecar", "exitCode": 0},
        ],
    }
    given = account(
        ecs_DescribeServices={"services": [{"serviceName": "orders"}]},
        ecs_ListTasks={"taskArns": [task["taskArn"]]},
        ecs_DescribeTasks={"tasks": [task]},
    )
    (row,) = read(given, ORDERS).rows
    assert (row.source, row.name, row.resource, row.actor) == ("ecs", "task stopped", "orders", "EssentialContainerExited")
    assert row.message == (
        "Essential container in task exited; container app: OutOfMemoryError: Container killed due to memory usage, exit code 137"
    )
    assert given.requests("ecs", "ListTasks")[0]["desiredStatus"] == "STOPPED"


def test_a_service_that_is_gone_is_not_asked_for_tasks():
    given = account(ecs_DescribeServices={"services": [], "failures": [{"arn": "orders", "reason": "MISSING"}]})
    assert read(given, ORDERS).partial == ()
    assert given.requests("ecs", "ListTasks") == []


def test_services_are_described_by_tens():
    many = [Resource("AWS/ECS", (("ClusterName", "prod"), ("ServiceName", f"s{n}"))) for n in range(13)]
    given = account()
    read(given, *many)
    assert [len(r["services"]) for r in given.requests("ecs", "DescribeServices")] == [10, 3]


def test_a_scaler_at_its_maximum_is_told():
    activity = {
        "ActivityId": "a", "ServiceNamespace": "ecs", "ResourceId": "service/prod/orders", "ScalableDimension": "ecs:service:DesiredCount",
        "Description": "Attempting to scale due to alarm triggered", "Cause": "monitor alarm cpu-high in state ALARM",
        "StartTime": NOW - timedelta(minutes=6), "StatusCode": "Unfulfilled",
        "NotScaledReasons": [{"Code": "AlreadyAtMaxCapacity", "MaxCapacity": 4, "CurrentCapacity": 4}],
    }  # fmt: skip
    (row,) = read(account(application0autoscaling_DescribeScalingActivities={"ScalingActivities": [activity]}), ORDERS).rows
    assert (row.source, row.name, row.resource) == ("autoscaling", "scaling activity Unfulfilled", "orders")
    assert "not scaled: AlreadyAtMaxCapacity (current 4, maximum 4)" in row.message


def test_a_group_of_instances_is_asked_by_its_name():
    activity = {
        "ActivityId": "a", "AutoScalingGroupName": "web-asg", "Cause": "an instance was taken out of service", "StatusCode": "Failed",
        "StatusMessage": "We currently do not have sufficient capacity", "Description": "Launching a new EC2 instance",
        "StartTime": NOW - timedelta(minutes=6),
    }  # fmt: skip
    given = account(autoscaling_DescribeScalingActivities={"Activities": [activity]})
    (row,) = read(given, GROUP).rows
    assert (row.name, row.resource) == ("scaling activity Failed", "web-asg")
    assert given.requests("autoscaling", "DescribeScalingActivities") == [{"AutoScalingGroupName": "web-asg"}]


def test_what_is_left_unread_of_a_fleet_is_told():
    def activities(request: dict[str, Any]) -> dict[str, Any]:
        page = int(request.get("NextToken", "0"))
        one = {"ActivityId": str(page), "AutoScalingGroupName": "web-asg", "Cause": "c", "StatusCode": "Successful",
               "StartTime": NOW - timedelta(hours=page + 1)}  # fmt: skip
        return {"Activities": [one], "NextToken": str(page + 1)}

    given = account(
        autoscaling_DescribeScalingActivities=activities,
        ecs_DescribeServices={"services": [{"serviceName": "orders"}]},
        ecs_ListTasks={"taskArns": ["arn:aws:ecs:eu-west-1:1:task/prod/1"], "nextToken": "more"},
        ecs_DescribeTasks={"tasks": []},
    )
    assert read(given, GROUP, ORDERS).partial == (
        "ECS events: only 1 stopped tasks of orders were read",
        "scaling activities of web-asg: only the last 3 were read",
    )


def test_activities_of_before_the_window_need_not_be_read():
    window = Window(start=NOW - timedelta(hours=2), end=NOW)
    old = {
        "ActivityId": "a",
        "AutoScalingGroupName": "web-asg",
        "Cause": "c",
        "StatusCode": "Successful",
        "StartTime": NOW - timedelta(days=1),
    }
    given = account(autoscaling_DescribeScalingActivities={"Activities": [old], "NextToken": "more"})
    assert read(given, GROUP, window=window).partial == ()


def test_what_nobody_named_is_not_asked():
    given = account()
    read(given, DATABASE)
    assert {service for service, _, _ in given.asked} == {"cloudtrail", "rds", "codedeploy", "health"}


# ---------------------------------------------------------------- CodeDeploy and Health


def test_a_deployment_that_failed_is_told_at_its_beginning_and_its_end():
    deployment = {
        "applicationName": "checkout", "deploymentGroupName": "blue", "deploymentId": "d-1", "status": "Failed", "creator": "user",
        "createTime": NOW - timedelta(minutes=40), "completeTime": NOW - timedelta(minutes=31),
        "errorInformation": {"code": "HEALTH_CONSTRAINTS", "message": "too few healthy instances"},
    }  # fmt: skip
    given = account(codedeploy_ListDeployments={"deployments": ["d-1"]}, codedeploy_BatchGetDeployments={"deploymentsInfo": [deployment]})
    began, ended = read(given).rows
    assert (began.source, began.name, began.resource) == ("deploy", "deployment", "checkout")
    assert ended.message == "deployment d-1 of checkout to blue failed: HEALTH_CONSTRAINTS: too few healthy instances"


def test_deployments_are_read_by_twenty_fives():
    given = account(codedeploy_ListDeployments={"deployments": [f"d-{n}" for n in range(30)]}, codedeploy_BatchGetDeployments={})
    read(given)
    assert [len(r["deploymentIds"]) for r in given.requests("codedeploy", "BatchGetDeployments")] == [25, 5]


HEALTH = {
    "arn": "arn:aws:health:eu-west-1::event/RDS/AWS_RDS_OPERATIONAL_ISSUE/1", "service": "RDS",
    "eventTypeCode": "AWS_RDS_OPERATIONAL_ISSUE", "eventTypeCategory": "issue", "statusCode": "open",
    "startTime": NOW - timedelta(minutes=50),
}  # fmt: skip


def test_a_health_event_is_about_our_resource_where_one_is_affected():
    given = account(
        health_DescribeEvents={"events": [HEALTH]},
        health_DescribeEventDetails={
            "successfulSet": [{"event": HEALTH, "eventDescription": {"latestDescription": "Increased API error rates"}}]
        },
        health_DescribeAffectedEntities={"entities": [{"eventArn": HEALTH["arn"], "entityValue": "orders-db"}]},
    )
    (row,) = read(given).rows
    assert (row.source, row.name, row.resource, row.actor) == ("health", "AWS_RDS_OPERATIONAL_ISSUE", "orders-db", "AWS")
    assert row.message == "Increased API error rates"


def test_an_account_without_a_support_plan_has_a_note_and_no_failure():
    found = read(account(health_DescribeEvents=refusal("SubscriptionRequiredException")))
    assert found.partial == ()
    assert found.notes == (
        "AWS Health was not asked: its API needs a Business or Enterprise support plan, which the account does not have",
    )


# ---------------------------------------------------------------- Kubernetes


def kubernetes_event(**fields: Any) -> dict[str, Any]:
    return {
        "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "orders-7d9f"},
        "reason": "BackOff", "type": "Warning", "message": "Back-off restarting failed container", "count": 7,
        "lastTimestamp": "2026-05-19T14:40:00Z", "source": {"component": "kubelet"},
    } | fields  # fmt: skip


def shipped(*messages: str) -> FakeAccount:
    groups = {
        "logGroups": [
            {"logGroupName": "/aws/containerinsights/prod-eks/events"},
            {"logGroupName": "/aws/containerinsights/prod-eks/application"},
        ]
    }
    lines = [{"timestamp": int((NOW - timedelta(minutes=1)).timestamp() * 1000), "message": m} for m in messages]
    return account(
        logs_DescribeLogGroups=lambda request: groups if "containerinsights" in request["logGroupNamePrefix"] else {"logGroups": []},
        logs_FilterLogEvents={"events": lines},
    )


@pytest.mark.parametrize(
    "wrap",
    [
        lambda event: event,
        lambda event: {"object": event, "type": "ADDED"},
        lambda event: {"log": json.dumps({"verb": "ADDED", "event": event}), "kubernetes": {}},
    ],
    ids=["plain", "watched", "logged by a pod"],
)
def test_a_kubernetes_event_is_found_in_whatever_it_was_shipped_in(wrap: Callable[[dict[str, Any]], dict[str, Any]]):
    given = shipped(json.dumps(wrap(kubernetes_event())))
    (row,) = read(given, POD).rows
    assert (row.source, row.name, row.resource, row.actor) == ("kubernetes", "BackOff", "orders-7d9f", "kubelet")
    assert row.message == "Pod shop/orders-7d9f: Back-off restarting failed container (7 times)"
    assert row.time == datetime(2026, 5, 19, 14, 40, tzinfo=UTC)
    assert {r["logGroupName"] for r in given.requests("logs", "FilterLogEvents")} == {"/aws/containerinsights/prod-eks/events"}


def test_of_what_goes_well_only_a_change_is_told():
    quiet = kubernetes_event(type="Normal", reason="Pulled", message="Container image already present")
    scaled = kubernetes_event(type="Normal", reason="ScalingReplicaSet", message="Scaled up replica set orders-7d9f to 3")
    rows = read(shipped(json.dumps(quiet), json.dumps(scaled), "no json", "[1]", "{}"), POD).rows
    assert [r.name for r in rows] == ["ScalingReplicaSet"]


def test_an_event_without_a_usable_time_has_its_lines():
    (row,) = read(shipped(json.dumps(kubernetes_event(lastTimestamp=None, eventTime="yesterday"))), POD).rows
    assert row.time == NOW - timedelta(minutes=1)


# ---------------------------------------------------------------- all together


def test_one_service_that_is_denied_does_not_hide_the_others():
    given = account(cloudtrail_LookupEvents=DENIED, rds_DescribeEvents={"Events": [rds_event("DB instance restarted", "availability")]})
    found = read(given, DATABASE)
    assert [r.source for r in found.rows] == ["rds"]
    assert found.partial == ("could not read CloudTrail events: AccessDenied: cloudtrail:LookupEvents",)


def test_where_none_can_be_read_the_source_is_unavailable_with_every_missing_action():
    with pytest.raises(SourceUnavailable) as refused:
        changes(FakeAccount({}).clients(), WINDOW, [ORDERS, POD], now=NOW, sleep=lambda _s: None)
    assert refused.value.code == "ACCESS_DENIED"
    for action in ("cloudtrail:LookupEvents", "rds:DescribeEvents", "ecs:DescribeServices", "codedeploy:ListDeployments",
                   "health:DescribeEvents", "application-autoscaling:DescribeScalingActivities", "logs:DescribeLogGroups"):  # fmt: skip
        assert f"AccessDenied: {action}" in refused.value.why


def test_a_missing_support_plan_alone_is_no_reading():
    with pytest.raises(SourceUnavailable):
        changes(FakeAccount({("health", "DescribeEvents"): refusal("SubscriptionRequiredException")}).clients(), WINDOW, [], now=NOW)


def test_rows_come_by_time_and_lie_in_the_window():
    events = [trail_event("ModifyDBInstance", 5), trail_event("UpdateService", 60), trail_event("UpdateStack", 60 * 24 * 8)]
    rows = read(account(cloudtrail_LookupEvents={"Events": events}, rds_DescribeEvents={"Events": [rds_event("x", minutes=30)]})).rows
    assert [r.name for r in rows] == ["UpdateService", "event", "ModifyDBInstance"]
