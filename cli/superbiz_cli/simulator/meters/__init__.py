"""Metric series of the states: tables by namespace, and which of them a service has."""

from collections.abc import Iterator, Mapping, Sequence

from superbiz_cli.simulator.meters import services, shop, stores
from superbiz_cli.simulator.meters.meter import Number, Row, Table, table_rows
from superbiz_cli.simulator.weather import Climate, Weather

TABLES: Mapping[str, Table] = {
    "signals": services.SIGNALS,
    "load_balancer": services.LOAD_BALANCER,
    "api_gateway": services.API_GATEWAY,
    "ec2": services.EC2,
    "ecs": services.ECS,
    "ecs_tasks": services.ECS_TASKS,
    "pods": services.PODS,
    "node": services.NODES,
    "cluster": services.CLUSTER,
    "rds": stores.RDS,
    "replica": stores.REPLICA,
    "bursting": stores.BURSTING,
    "elasticache": stores.ELASTICACHE,
    "sqs": stores.SQS,
    "dead_letters": stores.DEAD_LETTERS,
    "lambda": stores.LAMBDA,
    "dynamodb": stores.DYNAMODB,
    "certificate": stores.CERTIFICATE,
}

__all__ = ["TABLES", "Number", "Row", "rows"]


def rows(climate: Climate, minutes: Sequence[Weather], cluster: str) -> Iterator[Row]:
    """All series, in the order of the system's services. A service that names no table has those of the demo's shop."""
    if not any(s.meters for s in climate.system.services):
        yield from shop.rows(climate, minutes, cluster)
        return
    for service in climate.system.services:
        for name in service.meters:
            yield from table_rows(climate, minutes, service, TABLES[name])
