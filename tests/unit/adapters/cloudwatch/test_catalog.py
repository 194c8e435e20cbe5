"""What AWS calls its kinds of resources."""

import pytest

from superbiz.adapters.cloudwatch import catalog
from superbiz.adapters.cloudwatch.catalog import KINDS, Resource

PLACE = ("aws", "eu-west-1", "111122223333")
ARN = "arn:aws:{}:eu-west-1:111122223333:{}"


def resource(namespace: str, **dimensions: str) -> Resource:
    return Resource(namespace, tuple(dimensions.items()))


KNOWN = [
    ("lambda", "function:pay", resource("AWS/Lambda", FunctionName="pay")),
    ("rds", "db:orders", resource("AWS/RDS", DBInstanceIdentifier="orders")),
    ("rds", "cluster:orders", resource("AWS/RDS", DBClusterIdentifier="orders")),
    ("ecs", "service/prod/web", resource("AWS/ECS", ClusterName="prod", ServiceName="web")),
    ("elasticloadbalancing", "targetgroup/web/1a2b", resource("AWS/ApplicationELB", TargetGroup="targetgroup/web/1a2b")),
    ("elasticloadbalancing", "loadbalancer/app/web/1a2b", resource("AWS/ApplicationELB", LoadBalancer="app/web/1a2b")),
    ("elasticloadbalancing", "loadbalancer/net/web/1a2b", resource("AWS/NetworkELB", LoadBalancer="net/web/1a2b")),
    ("sqs", "jobs.fifo", resource("AWS/SQS", QueueName="jobs.fifo")),
    ("dynamodb", "table/orders", resource("AWS/DynamoDB", TableName="orders")),
    ("kinesis", "stream/clicks", resource("AWS/Kinesis", StreamName="clicks")),
    ("states", "stateMachine:pay", resource("AWS/States", StateMachineArn=ARN.format("states", "stateMachine:pay"))),
    ("ec2", "instance/i-1", resource("AWS/EC2", InstanceId="i-1")),
]


@pytest.mark.parametrize(("service", "path", "found"), KNOWN)
def test_an_arn_and_its_resource_tell_each_other(service: str, path: str, found: Resource) -> None:
    arn = ARN.format(service, path)
    assert catalog.from_arn(arn) == found
    assert catalog.arn_of(found, *PLACE) == arn


@pytest.mark.parametrize("qualifier", ["prod", "7", "$LATEST"])
def test_a_functions_alias_is_the_function(qualifier: str) -> None:
    assert catalog.from_arn(ARN.format("lambda", f"function:pay:{qualifier}")) == resource("AWS/Lambda", FunctionName="pay")


@pytest.mark.parametrize("arn", ["", "orders", "arn:aws:sns", ARN.format("dynamodb", "table/orders/index/i"), ARN.format("iam", "role/x")])
def test_an_arn_of_another_kind_is_none(arn: str) -> None:
    assert catalog.from_arn(arn) is None


def test_without_an_account_there_is_no_arn() -> None:
    assert catalog.arn_of(resource("AWS/SQS", QueueName="q"), "aws", "eu-west-1", "") is None


def test_a_metric_names_its_resource_and_the_wider_ones() -> None:
    found = catalog.resources_of("AWS/ApplicationELB", {"LoadBalancer": "app/web/1", "TargetGroup": "targetgroup/web/1"})
    assert found == (
        resource("AWS/ApplicationELB", TargetGroup="targetgroup/web/1"),
        resource("AWS/ApplicationELB", LoadBalancer="app/web/1"),
    )


def test_a_custom_metrics_resource_is_all_its_dimensions_and_called_after_what_it_is() -> None:
    (found,) = catalog.resources_of("Shop", {"stage": "prod", "service": "cart"})
    assert found.named() == {"stage": "prod", "service": "cart"}
    assert found.name == "cart"


def test_a_metric_without_dimensions_names_no_resource() -> None:
    assert catalog.resources_of("Shop", {}) == ()


@pytest.mark.parametrize(
    ("name", "kind", "found"),
    [
        ("pay", "AWS::Lambda::Function", resource("AWS/Lambda", FunctionName="pay")),
        ("shop/prod", "AWS::ApiGateway::Stage", resource("AWS/ApiGateway", ApiName="shop")),
        ("cart", "AWS::ECS::Fargate", resource("ApplicationSignals", Service="cart")),
        ("cart", "client", None),
        ("", "AWS::SQS::Queue", None),
    ],
)
def test_a_node_of_the_map_is_the_resource_behind_it(name: str, kind: str, found: Resource | None) -> None:
    assert catalog.from_node(name, kind) == found


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("/aws/lambda/pay", resource("AWS/Lambda", FunctionName="pay")),
        ("/aws/rds/instance/orders/postgresql", resource("AWS/RDS", DBInstanceIdentifier="orders")),
        ("/aws/rds/cluster/orders/error", resource("AWS/RDS", DBClusterIdentifier="orders")),
        ("/ecs/web", None),
        ("/aws/lambda/a/b", None),
    ],
)
def test_a_log_group_of_awss_own_naming_tells_whose_it_is(name: str, found: Resource | None) -> None:
    assert catalog.from_log_group(name) == found


def test_a_resource_is_measured_in_its_companion_namespaces() -> None:
    assert list(catalog.measured_in(resource("AWS/ECS", ClusterName="prod", ServiceName="web"))) == [
        resource("AWS/ECS", ClusterName="prod", ServiceName="web"),
        resource("ECS/ContainerInsights", ClusterName="prod", ServiceName="web"),
    ]


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: f"{k.namespace} {'+'.join(k.dimensions)}")
def test_a_row_fills_its_templates_from_its_own_dimensions(kind: catalog.Kind) -> None:
    one = Resource(kind.namespace, tuple((d, "x") for d in kind.dimensions))
    assert catalog.kind_of(one) is not None
    for told in [*catalog.log_groups_of(one), catalog.arn_of(one, *PLACE) or ""]:
        assert "{" not in told
    assert len(list(catalog.measured_in(one))) == 1 + len(kind.beside)
    assert len({(k.namespace, k.dimensions) for k in KINDS}) == len(KINDS)
