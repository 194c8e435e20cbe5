"""Which resources and log groups a run looks at."""

from datetime import UTC, datetime
from typing import Any

import pytest

from superbiz.adapters.cloudwatch import catalog, discovery, groups, relations
from superbiz.adapters.cloudwatch.catalog import Resource
from superbiz.adapters.cloudwatch.discovery import Scope
from superbiz.adapters.cloudwatch.logs import LogGroup
from superbiz.adapters.cloudwatch.queries import Only
from superbiz.adapters.cloudwatch.relations import Place, Tied
from superbiz.adapters.cloudwatch.session import Clients, Found, Limits, Subject
from superbiz.adapters.cloudwatch.tracing import Node
from superbiz.domain.incidents import AlarmMetric
from superbiz.ports import SourceUnavailable
from support.fake_account import ACCOUNT, REGION, FakeAccount

LIMITS = Limits(workers=1)
PLACE = Place("aws", REGION, ACCOUNT)
Json = dict[str, Any]


def resource(namespace: str, **dimensions: str) -> Resource:
    return Resource(namespace, tuple(dimensions.items()))


PAY = resource("AWS/Lambda", FunctionName="pay")
JOBS = resource("AWS/SQS", QueueName="jobs")
WEB = resource("AWS/ECS", ClusterName="prod", ServiceName="web")
TARGETS = resource("AWS/ApplicationELB", TargetGroup="targetgroup/web/1a2b")


def arn(service: str, path: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{path}"


def tied(one: Resource, **answers: Any) -> Tied:
    """`lambda_GetFunctionConfiguration={…}`."""
    return relations.tied(FakeAccount({tuple(k.split("_")): v for k, v in answers.items()}).clients(), one, PLACE)  # type: ignore[misc]


def test_a_function_is_tied_to_its_log_group_its_sources_and_its_dead_letters() -> None:
    found = tied(
        PAY,
        lambda_GetFunctionConfiguration={
            "LoggingConfig": {"LogFormat": "JSON", "LogGroup": "/shop/pay"},
            "DeadLetterConfig": {"TargetArn": arn("sqs", "pay-dead")},
        },
        lambda_ListEventSourceMappings={
            "EventSourceMappings": [{"EventSourceArn": arn("sqs", "jobs")}, {"EventSourceArn": arn("dynamodb", "table/orders/stream/2026")}]
        },
    )
    assert found.resources == (JOBS, resource("AWS/DynamoDB", TableName="orders"), resource("AWS/SQS", QueueName="pay-dead"))
    assert found.calls == (("jobs", "pay"), ("orders", "pay"))
    assert found.groups == ("/shop/pay",)


def test_a_queue_is_tied_to_the_functions_that_read_it() -> None:
    found = tied(JOBS, lambda_ListEventSourceMappings={"EventSourceMappings": [{"FunctionArn": arn("lambda", "function:pay:live")}]})
    assert found == Tied((PAY,), (("jobs", "pay"),))


def test_a_service_is_tied_to_its_containers_log_groups_and_its_target_groups() -> None:
    definition = {
        "containerDefinitions": [
            {"logConfiguration": {"logDriver": "awslogs", "options": {"awslogs-group": "/shop/web", "awslogs-stream-prefix": "web"}}},
            {"logConfiguration": {"logDriver": "awsfirelens", "options": {"Name": "cloudwatch", "log_group_name": "/shop/router"}}},
            {"name": "silent"},
        ]
    }
    found = tied(
        WEB,
        ecs_DescribeServices={
            "services": [
                {
                    "taskDefinition": arn("ecs", "task-definition/web:7"),
                    "loadBalancers": [{"targetGroupArn": arn("elasticloadbalancing", "targetgroup/web/1a2b")}],
                }
            ]
        },
        ecs_DescribeTaskDefinition={"taskDefinition": definition},
    )
    assert found == Tied((TARGETS,), (("targetgroup/web/1a2b", "web"),), ("/shop/web", "/shop/router"))


def test_a_cluster_is_tied_to_its_members_and_an_instance_to_its_replicas() -> None:
    cluster = tied(resource("AWS/RDS", DBClusterIdentifier="orders"),
                   rds_DescribeDBClusters={"DBClusters": [{"DBClusterMembers": [{"DBInstanceIdentifier": "orders-1"}]}]})  # fmt: skip
    assert cluster == Tied((resource("AWS/RDS", DBInstanceIdentifier="orders-1"),), (("orders", "orders-1"),))
    row = {"DBClusterIdentifier": "orders", "ReadReplicaDBInstanceIdentifiers": [arn("rds", "db:orders-copy")]}
    instance = tied(resource("AWS/RDS", DBInstanceIdentifier="orders-1"), rds_DescribeDBInstances={"DBInstances": [row]})
    assert [r.name for r in instance.resources] == ["orders", "orders-copy"]


def test_an_api_is_tied_to_the_groups_of_its_id_and_of_its_access_logs() -> None:
    found = tied(
        resource("AWS/ApiGateway", ApiName="shop"),
        apigateway_GetRestApis={"items": [{"id": "a1", "name": "shop"}, {"id": "b2", "name": "other"}]},
        apigateway_GetStages={
            "item": [{"stageName": "prod", "accessLogSettings": {"destinationArn": arn("logs", "log-group:/shop/api")}}, {}]
        },
    )
    assert found.groups == ("API-Gateway-Execution-Logs_a1/*", "/shop/api")
    http = tied(
        resource("AWS/ApiGateway", ApiId="h1"),
        apigatewayv2_GetStages={
            "Items": [{"StageName": "$default", "AccessLogSettings": {"DestinationArn": arn("logs", "log-group:/shop/h:*")}}]
        },
    )
    assert http.groups == ("/shop/h",)


def test_a_state_machine_is_tied_to_its_log_group() -> None:
    machine = resource("AWS/States", StateMachineArn=arn("states", "stateMachine:pay"))
    logging = {"destinations": [{"cloudWatchLogsLogGroup": {"logGroupArn": arn("logs", "log-group:/shop/pay-flow:*")}}]}
    told = {"stateMachineArn": machine.name, "name": "pay", "definition": "{}", "roleArn": arn("iam", "role/x"), "type": "STANDARD",
            "creationDate": datetime(2026, 1, 1, tzinfo=UTC), "loggingConfiguration": logging}  # fmt: skip
    assert tied(machine, stepfunctions_DescribeStateMachine=told).groups == ("/shop/pay-flow",)


def test_a_kind_without_ties_asks_nothing() -> None:
    assert tied(resource("AWS/DynamoDB", TableName="orders")) == Tied()


NODES = (
    Node("web", ("AWS::ECS::Fargate",), ("pay", "other")),
    Node("pay", ("AWS::Lambda", "AWS::Lambda::Function"), ("orders",)),
    Node("orders", ("AWS::DynamoDB::Table",), ("pay",)),
    Node("other", ("AWS::SQS::Queue",), ()),
    Node("apart", ("AWS::DynamoDB::Table",), ()),
)


def test_the_map_gives_what_the_alarms_resource_reaches_then_who_calls_it() -> None:
    assert [r.name for r in dict.fromkeys(discovery.near_on_map([PAY], NODES))] == ["pay", "orders", "web"]


def test_a_resource_that_is_not_on_the_map_takes_all_of_it() -> None:
    assert {r.name for r in discovery.near_on_map([JOBS], NODES)} == {n.name for n in NODES}


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ({"Application": "shop", "aws:cloudformation:stack-name": "s"}, ("Application", "shop")),
        ({"aws:cloudformation:stack-name": "s", "Owner": "me"}, ("aws:cloudformation:stack-name", "s")),
        ({"Owner": "me", "service": ""}, None),
    ],
)
def test_the_most_telling_tag_groups(tags: dict[str, str], found: tuple[str, str] | None) -> None:
    assert discovery.grouping_tag(tags) == found


def scope(account: FakeAccount, subject: Subject, nodes: tuple[Node, ...] = (), limits: Limits = LIMITS) -> Scope:
    return discovery.scope(account.clients(), subject, (), nodes, (), limits)


def about(namespace: str, **dimensions: str) -> Subject:
    return Subject("alarm", REGION, ACCOUNT, (AlarmMetric(namespace=namespace, metric_name="M", dimensions=dimensions),))


def tags(request: Json) -> Json:
    if "ResourceARNList" in request:
        return {"ResourceTagMappingList": [{"ResourceARN": request["ResourceARNList"][0], "Tags": [{"Key": "app", "Value": "shop"}]}]}
    rows = [arn("lambda", "function:pay"), arn("dynamodb", "table/orders"), arn("iam", "role/x")]
    return {"ResourceTagMappingList": [{"ResourceARN": a} for a in rows], "PaginationToken": ""}


def test_the_alarms_own_stand_first_then_what_it_is_tied_to_the_map_and_the_tags() -> None:
    account = FakeAccount(
        {
            ("lambda", "ListEventSourceMappings"): {"EventSourceMappings": [{"FunctionArn": arn("lambda", "function:pay")}]},
            ("lambda", "GetFunctionConfiguration"): {"LoggingConfig": {"LogGroup": "/shop/pay"}},
            ("resourcegroupstaggingapi", "GetResources"): tags,
        }
    )
    found = scope(account, about("AWS/SQS", QueueName="jobs"), NODES[1:3])
    assert [r.name for r in found.resources] == ["jobs", "pay", "orders"]
    assert found.groups == ("/shop/pay",)
    assert found.calls == (("jobs", "pay"),)
    assert account.requests("resourcegroupstaggingapi", "GetResources") == [
        {"ResourceARNList": [arn("sqs", "jobs")]},
        {"TagFilters": [{"Key": "app", "Values": ["shop"]}], "ResourcesPerPage": 100},
    ]


def test_what_is_refused_is_noted_with_the_missing_action_and_done_without() -> None:
    found = scope(FakeAccount({}), about("AWS/SQS", QueueName="jobs"))
    assert [r.name for r in found.resources] == ["jobs"]
    assert found.notes == (
        "what jobs is tied to could not be asked: AccessDenied: lambda:ListEventSourceMappings",
        "tagged resources: AccessDenied: tag:GetResources",
    )


def test_resources_beyond_the_limit_are_counted() -> None:
    found = scope(FakeAccount({}), about("AWS/DynamoDB", TableName="t"), NODES, Limits(resources=2, workers=1))
    assert len(found.resources) == 2
    assert "4 resources farther from the alarm were not looked at" in found.notes


def test_an_alert_from_elsewhere_is_looked_for_by_its_labels() -> None:
    labels = {"alertname": "KubePodCrashLooping", "namespace": "shop", "pod": "cart-6d4f9c7b5d-x2x9z"}
    subject = Subject("KubePodCrashLooping", metrics=(AlarmMetric(dimensions=labels),))
    assert scope(FakeAccount({}), subject).resources[:2] == (
        resource("ContainerInsights", Namespace="shop", PodName="cart"),
        resource("ContainerInsights", Namespace="shop"),
    )


@pytest.mark.parametrize(
    ("pod", "workload"), [("cart-6d4f9c7b5d-x2x9z", "cart"), ("my-redis-0", "my-redis-0"), ("my-redis", "my-redis"), ("job-x2x9z", "job")]
)
def test_a_pods_name_is_its_workloads_and_a_suffix(pod: str, workload: str) -> None:
    assert resource("ApplicationSignals", Service=workload) in catalog.from_labels({"pod": pod})


def test_a_question_that_names_nothing_says_so() -> None:
    assert scope(FakeAccount({}), Subject(question="why?")).notes == (
        "no resource is named by the alarm or question; metrics and logs can not be narrowed down",
    )


class Groups:
    """DescribeLogGroups over these names."""

    def __init__(self, *names: str, **fields: Any) -> None:
        self.rows = [{"logGroupName": n, "creationTime": 5} | fields for n in names]

    def __call__(self, request: Json) -> Json:
        prefix, part = request.get("logGroupNamePrefix", ""), request.get("logGroupNamePattern", "")
        return {"logGroups": [r for r in self.rows if r["logGroupName"].startswith(prefix) and part in r["logGroupName"]]}


def found_groups(
    there: Groups, *resources: Resource, told: tuple[str, ...] = (), words: tuple[str, ...] = (), limits: Limits = LIMITS
) -> Found[LogGroup]:
    account = FakeAccount({("logs", "DescribeLogGroups"): there})
    return groups.found(account.clients(), resources, told, words, limits)


def test_only_groups_that_are_there_are_read() -> None:
    found = found_groups(Groups("/aws/lambda/pay", "/aws/lambda/pay-old", "/shop/web"), PAY, told=("/shop/web", "/shop/gone"))
    assert [g.name for g in found.rows] == ["/shop/web", "/aws/lambda/pay"]
    assert found.rows[0].created == 5


def test_a_databases_logs_are_found_by_the_beginning_of_their_names() -> None:
    there = Groups("/aws/rds/instance/orders/postgresql", "/aws/rds/instance/orders/upgrade", "/aws/rds/instance/orders2/postgresql")
    found = found_groups(there, resource("AWS/RDS", DBInstanceIdentifier="orders"))
    assert [g.name for g in found.rows] == ["/aws/rds/instance/orders/postgresql", "/aws/rds/instance/orders/upgrade"]


def test_a_service_whose_group_is_named_otherwise_is_looked_for_by_its_name() -> None:
    found = found_groups(Groups("/company/prod/checkout-api"), resource("ApplicationSignals", Service="checkout"))
    assert [g.name for g in found.rows] == ["/company/prod/checkout-api"]


def test_a_resource_without_a_group_is_told() -> None:
    assert found_groups(Groups(), PAY).notes == ("no log group of pay was found",)


def test_a_kind_that_writes_no_logs_is_not_told() -> None:
    assert found_groups(Groups(), resource("AWS/DynamoDB", TableName="orders")) == Found()


def test_a_clusters_group_is_read_for_the_alarms_namespace_alone() -> None:
    there = Groups("/aws/containerinsights/prod/application", "/aws/containerinsights/prod/performance")
    pod = resource("ContainerInsights", ClusterName="prod", Namespace="shop", PodName="cart")
    found = found_groups(there, pod, resource("ContainerInsights", ClusterName="prod"))
    assert found.rows == (LogGroup("/aws/containerinsights/prod/application", 5, (Only("namespace", "shop"),)),)


def test_a_cluster_that_no_label_names_is_found() -> None:
    there = Groups("/aws/containerinsights/a/application", "/aws/containerinsights/a/host", "/aws/containerinsights/b/application")
    found = found_groups(there, resource("ContainerInsights", Namespace="shop"))
    assert [g.name for g in found.rows] == ["/aws/containerinsights/a/application", "/aws/containerinsights/b/application"]


@pytest.mark.parametrize("name", ["/aws/containerinsights/prod/performance", "RDSOSMetrics", "/vpc/flow-logs", "aws-cloudtrail-logs-1-x"])
def test_records_that_are_no_lines_are_not_read(name: str) -> None:
    found = found_groups(Groups(name), told=(name,))
    assert found.rows == ()
    assert found.notes == (f"log group {name} was not read: it holds records that are no log lines",)


def test_a_delivery_group_can_not_be_queried() -> None:
    assert found_groups(Groups("/shop/web", logGroupClass="DELIVERY"), told=("/shop/web",)).rows == ()


def test_groups_beyond_the_limit_are_counted() -> None:
    found = found_groups(Groups(*(f"/shop/web-{n}" for n in range(9))), words=("web-",), limits=Limits(log_groups=4, workers=1))
    assert len(found.rows) == 4
    assert found.notes == ("5 log groups farther from the alarm were not read, /shop/web-4 among them",)


@pytest.mark.parametrize("word", ["a b|c", "x", "查询", "y" * 200])
def test_a_word_that_fits_no_groups_name_is_bent_or_left_out(word: str) -> None:
    account = FakeAccount({("logs", "DescribeLogGroups"): Groups("/shop/abc")})
    groups.found(account.clients(), (), (), (word,), LIMITS)
    for request in account.requests("logs", "DescribeLogGroups"):
        assert request["logGroupNamePattern"].isalnum()


def test_a_denied_listing_names_the_missing_action() -> None:
    with pytest.raises(SourceUnavailable, match="AccessDenied: logs:DescribeLogGroups"):
        groups.found(FakeAccount({}).clients(), (PAY,), (), (), LIMITS)


def test_a_question_finds_the_owners_of_log_groups_that_it_names() -> None:
    account = FakeAccount({("logs", "DescribeLogGroups"): Groups("/aws/lambda/pay-worker", "/shop/pay-worker")})
    assert groups.named_by(account.clients(), ("pay-worker",), LIMITS) == [resource("AWS/Lambda", FunctionName="pay-worker")]


def test_groups_that_were_made_are_found(moto_clients: Clients) -> None:
    """Against moto's own CloudWatch Logs, which knows nothing of our answers."""
    for name in ("/aws/lambda/pay", "/aws/lambda/pay-old", "/company/checkout"):
        moto_clients.of("logs").create_log_group(logGroupName=name)
    found = groups.found(moto_clients, (PAY, resource("ApplicationSignals", Service="checkout")), (), (), LIMITS)
    assert [g.name for g in found.rows] == ["/aws/lambda/pay", "/company/checkout"]
    assert all(g.created > 0 for g in found.rows)
