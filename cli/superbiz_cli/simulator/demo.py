"""The demo's incident: a deploy leaves the order service one database connection a task, where it had ten.

At the day's peak two connections are too few: callers wait three seconds for one and give up, the gateway's availability falls, its
alarm goes off. Around it: an older rollout, a routine backup that loads another database, a search re-index, a queue's alarm that has
nothing to do with it, and a restart after the fact.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path

from superbiz.domain.observations import LogLine
from superbiz.domain.values import JsonObject, iso
from superbiz_cli.simulator import scenario, shop
from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.chatter import Rollout
from superbiz_cli.simulator.faults import Busy, Fault, PoolResize
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Scenario
from superbiz_cli.simulator.voices import stamp

DAY = datetime(2026, 5, 19, tzinfo=UTC)


def _at(hour: int, minute: int, second: int = 0) -> datetime:
    return DAY.replace(hour=hour, minute=minute, second=second)


DEPLOY, BACKUP, BACKUP_END, REINDEX = _at(14, 3, 20), _at(13, 40), _at(13, 58), _at(13, 52)
ALARM = AlarmRule(
    name="shop-gateway-availability-low",
    namespace="Shop/Services",
    metric_name="Availability",
    stat="Average",
    service=shop.GATEWAY,
    threshold=98.0,
    below=True,
    datapoints=3,
    description="Availability of shop-gateway is below 98 percent",
)
FAULTS: tuple[Fault, ...] = (
    PoolResize(shop.POOL, DEPLOY, 1),
    Busy(shop.USERS_DB, BACKUP, BACKUP_END, "iops", 900.0),
    Busy(shop.USERS_DB, BACKUP, BACKUP_END, "cpu", 22.0),
    Busy(shop.CATALOG, REINDEX, _at(14, 1), "cpu", 38.0),
    Busy(shop.QUEUE, DAY - timedelta(days=1), DAY + timedelta(days=1), "queue_age", 2_400.0),
)


def write_demo_world(folder: Path, *, seed: int = 7) -> None:
    """Write the demo's world into a folder, which is made. The same seed gives the same bytes."""
    scenario.write(folder, demo_scenario(), seed)


def demo_scenario() -> Scenario:
    """The incident as a value, to vary."""
    return Scenario(
        id="shop-order-pool",
        system=shop.SHOP,
        cluster=shop.CLUSTER,
        load=Load(rps=3.4, noise=0.02),
        faults=FAULTS,
        start=_at(13, 50),
        end=_at(14, 25),
        now=_at(14, 31),
        alarm=ALARM,
        habits=shop.HABITS,
        rollouts=(Rollout(shop.ORDERS, DEPLOY, shop.NEW_TASKS),),
        said=tuple(_starting()),
        changes=tuple(_changes()),
        other_alarms=tuple(_other_alarms()),
        insights=_insights(),
        runbooks=_runbooks(),
    )


def _starting() -> Iterator[LogLine]:
    """What the new tasks say as they come up. The password is no password."""
    group = shop.SHOP.by_name[shop.ORDERS].log_group
    for n, task in enumerate(shop.NEW_TASKS):
        ms = DEPLOY.timestamp() * 1000 + n * 21_000
        head = f"{stamp(ms, ' ')}  INFO [order-service,,] [main]"
        for text in (
            f"{head} s.o.OrderApplication : Starting OrderApplication v2.14.1 using Java 21.0.6",
            f"{head} com.zaxxer.hikari.HikariConfig : maximumPoolSize=1 connectionTimeout=3000 "
            "jdbcUrl=jdbc:postgresql://orders-db:5432/orders?user=orders_app&password=EXAMPLE-not-a-password",
            f"{head} com.zaxxer.hikari.HikariDataSource : HikariPool-1 - Start completed.",
            f"{head} s.o.OrderApplication : Started OrderApplication in 11.8 seconds",
        ):
            yield LogLine(group, task, int(ms), text)


def _changes() -> Iterator[JsonObject]:
    yield _change(
        DAY - timedelta(days=2, hours=-9),
        "deploy",
        "UpdateService",
        shop.PAYMENT,
        "deploy-bot",
        "payment-service 5.3.0 rolled out to 2 tasks",
    )
    yield _change(BACKUP, "rds", "BackupStarted", shop.USERS_DB, "rds", "Backing up DB instance (automated backup window)")
    yield _change(REINDEX, "ecs", "RunTask", shop.CATALOG, "scheduler", "scheduled search re-index started")
    yield _change(BACKUP_END, "rds", "BackupFinished", shop.USERS_DB, "rds", "Finished DB instance backup")
    resized = "order-service 2.14.1 rolled out to 2 tasks; configuration: spring.datasource.hikari.maximum-pool-size changed from 10 to 1"
    yield _change(DEPLOY, "deploy", "UpdateService", shop.ORDERS, "deploy-bot", resized) | {
        "raw": {"previous": "2.14.0", "version": "2.14.1"}
    }
    yield _change(_at(14, 19), "ecs", "StopTask", shop.GATEWAY, "operator", "task shop-gateway/a81f20 restarted by hand")


def _change(at: datetime, source: str, name: str, resource: str, actor: str, message: str) -> JsonObject:
    return {"time": iso(at), "source": source, "name": name, "resource": resource, "actor": actor, "message": message, "raw": {}}


def _other_alarms() -> Iterator[JsonObject]:
    crossed = "Threshold Crossed: 5 out of the last 5 datapoints were greater than the threshold (900.0)."
    fine = "Threshold not crossed: 3 datapoints were not greater than the threshold"
    age, cpu, latency = "AWS/SQS ApproximateAgeOfOldestMessage", "AWS/RDS CPUUtilization", "Shop/Services Latency"
    yield _alarm("thumbnails-queue-age-high", "ALARM", crossed, age, {"QueueName": shop.QUEUE}, DAY - timedelta(hours=5, minutes=18))
    yield _alarm("orders-db-cpu-high", "OK", f"{fine} (80.0).", cpu, {"DBInstanceIdentifier": shop.ORDERS_DB}, DAY - timedelta(days=9))
    yield _alarm(
        "payment-service-latency-high", "OK", f"{fine} (3.0).", latency, {"ServiceName": shop.PAYMENT}, DAY - timedelta(days=2, hours=3)
    )


def _alarm(name: str, state: str, reason: str, metric: str, dimensions: dict[str, str], updated: datetime) -> JsonObject:
    return {"name": name, "state": state, "reason": reason, "metric": metric, "dimensions": dimensions, "updated": iso(updated)}


def _insights() -> JsonObject:
    waits = [{"event": "CPU", "load": 0.2}, {"event": "Client:ClientRead", "load": 0.1}]
    return {"performance_insights": {"db_instance": shop.ORDERS_DB, "db_load_average": 0.4, "max_vcpu": 4, "top_waits": waits}}


def _runbooks() -> dict[str, str]:
    folder = resources.files("superbiz_cli.simulator") / "runbooks"
    return {f.name: f.read_text(encoding="utf-8") for f in sorted(folder.iterdir(), key=lambda f: f.name) if f.name.endswith(".md")}
