"""What a resource is tied to, as its own service tells: the queue a function reads, a service's task definition, a cluster's members."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from superbiz.adapters.cloudwatch import catalog
from superbiz.adapters.cloudwatch.asking import ask, listed
from superbiz.adapters.cloudwatch.catalog import Resource
from superbiz.adapters.cloudwatch.session import Clients
from superbiz.domain.values import JsonObject

PAGES = 2
APIS_PAGES = 10


class Place(NamedTuple):
    """What an ARN needs beside the resource's name."""

    partition: str
    region: str
    account: str


class Tied(NamedTuple):
    """Resources, who calls whom among them by name, and log groups that a definition names (`*` at the end for all that follows)."""

    resources: tuple[Resource, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()
    groups: tuple[str, ...] = ()


def tied(clients: Clients, resource: Resource, place: Place) -> Tied:
    """Nothing for kinds that are not asked. Raises SourceUnavailable where AWS refuses."""
    names = tuple(name for name, _ in resource.dimensions)
    asked = TIES.get((resource.namespace, names))
    return asked(clients, resource, place) if asked else Tied()


def _function(clients: Clients, function: Resource, _place: Place) -> Tied:
    told = ask(clients, function.name, "lambda", "GetFunctionConfiguration", FunctionName=function.name)
    group = _mapping(told.get("LoggingConfig")).get("LogGroup")
    dead = catalog.from_arn(str(_mapping(told.get("DeadLetterConfig")).get("TargetArn") or ""))
    sources = [catalog.from_arn(_stream(m.get("EventSourceArn"))) for m in _mappings(clients, function, FunctionName=function.name)]
    return Tied(
        tuple(r for r in [*sources, dead] if r),
        tuple((source.name, function.name) for source in sources if source),
        (group,) if group else (),
    )


def _consumers(clients: Clients, source: Resource, place: Place) -> Tied:
    """The functions that read a queue or stream."""
    arn = catalog.arn_of(source, *place)
    rows = _mappings(clients, source, EventSourceArn=arn) if arn else []
    functions = [r for row in rows if (r := catalog.from_arn(str(row.get("FunctionArn") or "")))]
    return Tied(tuple(functions), tuple((source.name, f.name) for f in functions))


def _mappings(clients: Clients, resource: Resource, **asked: Any) -> tuple[JsonObject, ...]:
    return listed(clients, resource.name, "lambda", "ListEventSourceMappings", "EventSourceMappings", "NextMarker", 1, **asked).rows


def _ecs_service(clients: Clients, service: Resource, _place: Place) -> Tied:
    """The log groups of its containers, and the target groups that send it requests."""
    named = service.named()
    told = ask(clients, service.name, "ecs", "DescribeServices", cluster=named["ClusterName"], services=[named["ServiceName"]])
    groups: list[str] = []
    targets: list[Resource] = []
    for row in told.get("services", ()):
        targets += [r for b in row.get("loadBalancers", ()) if (r := catalog.from_arn(str(b.get("targetGroupArn") or "")))]
        if row.get("taskDefinition"):
            groups += _container_groups(ask(clients, service.name, "ecs", "DescribeTaskDefinition", taskDefinition=row["taskDefinition"]))
    return Tied(tuple(targets), tuple((t.name, service.name) for t in targets), tuple(dict.fromkeys(groups)))


def _container_groups(answer: JsonObject) -> Iterator[str]:
    """`awslogs` writes by itself; the log router takes the group as an option of its output."""
    for container in _mapping(answer.get("taskDefinition")).get("containerDefinitions", ()):
        options = _mapping(_mapping(container.get("logConfiguration")).get("options"))
        group = options.get("awslogs-group") or options.get("log_group_name")
        if group:
            yield str(group)


def _db_cluster(clients: Clients, cluster: Resource, _place: Place) -> Tied:
    rows = ask(clients, cluster.name, "rds", "DescribeDBClusters", DBClusterIdentifier=cluster.name).get("DBClusters", ())
    return _instances(cluster, (m.get("DBInstanceIdentifier") for row in rows for m in row.get("DBClusterMembers", ())))


def _db_instance(clients: Clients, instance: Resource, _place: Place) -> Tied:
    """Its cluster, and its replicas or what it is a replica of."""
    rows = ask(clients, instance.name, "rds", "DescribeDBInstances", DBInstanceIdentifier=instance.name).get("DBInstances", ())
    clusters = [str(row["DBClusterIdentifier"]) for row in rows if row.get("DBClusterIdentifier")]
    others = [
        n for row in rows for n in (*row.get("ReadReplicaDBInstanceIdentifiers", ()), row.get("ReadReplicaSourceDBInstanceIdentifier"))
    ]
    found = _instances(instance, (str(n).rsplit(":", 1)[-1] for n in others if n))
    return Tied((*(Resource("AWS/RDS", (("DBClusterIdentifier", c),)) for c in clusters), *found.resources))


def _instances(whole: Resource, names: Iterable[Any]) -> Tied:
    found = [str(n) for n in names if n]
    return Tied(tuple(Resource("AWS/RDS", (("DBInstanceIdentifier", n),)) for n in found), tuple((whole.name, n) for n in found))


def _rest_api(clients: Clients, api: Resource, _place: Place) -> Tied:
    """An API is measured by its name, and logs under its id."""
    rows = listed(clients, api.name, "apigateway", "GetRestApis", "items", "position", APIS_PAGES, limit=500).rows
    groups: list[str] = []
    for row in rows:
        if row.get("name") == api.name:
            groups.append(f"API-Gateway-Execution-Logs_{row['id']}/*")
            stages = ask(clients, api.name, "apigateway", "GetStages", restApiId=row["id"]).get("item", ())
            groups += [_mapping(stage.get("accessLogSettings")).get("destinationArn", "") for stage in stages]
    return Tied(groups=_groups(groups))


def _http_api(clients: Clients, api: Resource, _place: Place) -> Tied:
    stages = ask(clients, api.name, "apigatewayv2", "GetStages", ApiId=api.name).get("Items", ())
    return Tied(groups=_groups(_mapping(stage.get("AccessLogSettings")).get("DestinationArn", "") for stage in stages))


def _state_machine(clients: Clients, machine: Resource, _place: Place) -> Tied:
    told = ask(clients, machine.name, "stepfunctions", "DescribeStateMachine", stateMachineArn=machine.name)
    outputs = _mapping(told.get("loggingConfiguration")).get("destinations", ())
    return Tied(groups=_groups(_mapping(o.get("cloudWatchLogsLogGroup")).get("logGroupArn", "") for o in outputs))


def _groups(given: Iterable[str]) -> tuple[str, ...]:
    """Names, where some are ARNs (`arn:aws:logs:…:log-group:NAME:*`); other destinations are none."""
    names = (text.partition(":log-group:")[2].removesuffix(":*") if text.startswith("arn:") else text for text in given)
    return tuple(dict.fromkeys(n for n in names if n))


def _stream(arn: Any) -> str:
    """A table's stream is the table's."""
    return str(arn or "").split("/stream/", 1)[0]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


TIES: Mapping[tuple[str, tuple[str, ...]], Callable[[Clients, Resource, Place], Tied]] = {
    ("AWS/Lambda", ("FunctionName",)): _function,
    ("AWS/SQS", ("QueueName",)): _consumers,
    ("AWS/Kinesis", ("StreamName",)): _consumers,
    ("AWS/ECS", ("ClusterName", "ServiceName")): _ecs_service,
    ("ECS/ContainerInsights", ("ClusterName", "ServiceName")): _ecs_service,
    ("AWS/RDS", ("DBClusterIdentifier",)): _db_cluster,
    ("AWS/RDS", ("DBInstanceIdentifier",)): _db_instance,
    ("AWS/ApiGateway", ("ApiName",)): _rest_api,
    ("AWS/ApiGateway", ("ApiId",)): _http_api,
    ("AWS/States", ("StateMachineArn",)): _state_machine,
}
