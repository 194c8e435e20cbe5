"""Which resources changes are looked for, sorted by the service that keeps their events."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from superbiz.adapters.cloudwatch.catalog import Resource

Pair = tuple[str, str]
Row = Mapping[str, str]

# A dimension that names a resource of a service, whose changes are events of their own.
KINDS = {
    "FunctionName": "lambda",
    "DBInstanceIdentifier": "rds",
    "DBClusterIdentifier": "rds",
    "AutoScalingGroupName": "autoscaling",
    "TableName": "dynamodb",
    "QueueName": "sqs",
    "CacheClusterId": "elasticache",
    "ReplicationGroupId": "elasticache",
    "LoadBalancer": "elbv2",
    "TargetGroup": "elbv2",
}
KUBERNETES = "ContainerInsights"


class Targets(NamedTuple):
    """`names` are all of them, `kinds` the services that they belong to; `ecs` are (cluster, service), `scalable` (namespace, id) as
    Application Auto Scaling spells them, `clusters` Kubernetes'."""

    names: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    ecs: tuple[Pair, ...] = ()
    instances: tuple[str, ...] = ()
    db_clusters: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    scalable: tuple[Pair, ...] = ()
    clusters: tuple[str, ...] = ()


def targets(resources: Iterable[Resource | str]) -> Targets:
    """From resources as metrics name them; a bare name is known by name alone."""
    given = list(resources)
    rows = [r.named() for r in given if isinstance(r, Resource)]
    names = [name for r in given for name in ((r,) if isinstance(r, str) else (r.name, *r.named().values()))]
    ecs = [(r["ClusterName"], r["ServiceName"]) for r in rows if r.get("ClusterName") and r.get("ServiceName")]
    scalable = [
        *(("ecs", f"service/{cluster}/{service}") for cluster, service in ecs),
        *(("dynamodb", f"table/{table}") for table in _values(rows, "TableName")),
        *(("rds", f"cluster:{cluster}") for cluster in _values(rows, "DBClusterIdentifier")),
    ]
    kinds = [*(["ecs"] if ecs else []), *(kind for dimension, kind in KINDS.items() if _values(rows, dimension))]
    return Targets(
        names=_once(names),
        kinds=_once(kinds),
        ecs=tuple(dict.fromkeys(ecs)),
        instances=_values(rows, "DBInstanceIdentifier"),
        db_clusters=_values(rows, "DBClusterIdentifier"),
        groups=_values(rows, "AutoScalingGroupName"),
        scalable=tuple(dict.fromkeys(scalable)),
        clusters=_values([r.named() for r in given if isinstance(r, Resource) and r.namespace == KUBERNETES], "ClusterName"),
    )


def _values(rows: Sequence[Row], dimension: str) -> tuple[str, ...]:
    return _once(row.get(dimension, "") for row in rows)


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
