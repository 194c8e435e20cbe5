"""A ride-hailing back end on ECS: a load balancer, four services, PostgreSQL with a replica, a cache, a queue, a map provider."""

from collections.abc import Mapping
from datetime import timedelta

from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.catalogue import lines
from superbiz_cli.simulator.catalogue.story import DAY, at, standing
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Scenario
from superbiz_cli.simulator.system import Operation, Pool, Queue, Route, Service, System

CLUSTER = "rides-prod"
EDGE, TRIPS, PRICING, DRIVERS, RECEIPTS = "rides-alb", "trips-api", "pricing", "drivers-api", "receipt-worker"
DATABASE, REPLICA, CACHE, QUEUE, MAPS = "rides-pg", "rides-pg-replica-1", "rides-cache", "receipts", "api.maps.example.net"
EDGE_ID = "app/rides-alb/6d0ecf831eec9f09"
POOL = "trips-pool"
EDGE_KIND = "AWS::ElasticLoadBalancingV2::LoadBalancer"
ON_ECS = ("signals", "ecs", "ecs_tasks")

_EDGE = (
    Operation("POST /v1/trips", 1.5, ((TRIPS, "POST /trips"),)),
    Operation("GET /v1/trips/{id}", 1.2, ((TRIPS, "GET /trips/{id}"),)),
    Operation("GET /v1/quotes", 1.2, ((PRICING, "GET /quotes"),)),
    Operation("GET /v1/drivers/nearby", 1.2, ((DRIVERS, "GET /nearby"),)),
)
_TRIPS = (
    Operation("POST /trips", 22, ((PRICING, "GET /quotes"), (DATABASE, "INSERT trips")), pool=POOL, said="trip {n} requested"),
    Operation("GET /trips/{id}", 8, ((REPLICA, "SELECT trips"),), said="trip {n} read"),
)
_PRICING = (Operation("GET /quotes", 16, ((MAPS, "GET /route"), (CACHE, "GET")), said="quote {n} for 3 zones"),)
_DRIVERS = (Operation("GET /nearby", 9, ((CACHE, "GEOSEARCH"),), said="7 drivers for request {n}"),)
_RECEIPTS = (Operation("receipt", 70, ((DATABASE, "UPDATE trips"),), said="receipt {n} sent"),)


DROPPED = "server closed the connection unexpectedly"


def _on_ecs(name: str, voice: str, tasks: str, operations: tuple[Operation, ...], cpu: float, memory: float) -> Service:
    streams = tuple(f"ecs/{name}/{t}" for t in tasks.split())
    return Service(
        name,
        "AWS::ECS::Service",
        operations,
        voice,
        f"/ecs/rides-prod/{name}",
        streams,
        cpu,
        memory,
        ON_ECS,
        hiccup="connection reset by peer",
    )


def _database(name: str, cpu: float, *operations: Operation, meters: tuple[str, ...] = ("rds",)) -> Service:
    group = f"/aws/rds/instance/{name}/postgresql"
    return Service(name, "Database::SQL", operations, log_group=group, tasks=(name,), cpu=cpu, meters=meters, hiccup=DROPPED)


RIDES = System(
    name="rides",
    services=(
        Service(EDGE, EDGE_KIND, _EDGE, meters=("load_balancer",), known_as={"AWS/ApplicationELB": EDGE_ID}),
        _on_ecs(TRIPS, "logback", "0b6f4d21c9 7e19aa5f03", _TRIPS, 33, 58),
        _on_ecs(PRICING, "gunicorn", "51c0e7d8aa c40b92f716", _PRICING, 27, 46),
        _on_ecs(DRIVERS, "zap", "9f2d6610be", _DRIVERS, 24, 31),
        _on_ecs(RECEIPTS, "winston", "e83a17f4c2", _RECEIPTS, 12, 37),
        Service(MAPS, "remote", (Operation("GET /route", 62),), hiccup="502 Bad Gateway"),
        _database(DATABASE, 21, Operation("INSERT trips", 4), Operation("UPDATE trips", 3)),
        _database(REPLICA, 14, Operation("SELECT trips", 2.5), meters=("rds", "replica")),
        Service(CACHE, "AWS::ElastiCache", (Operation("GET", 0.6), Operation("GEOSEARCH", 1.4)), cpu=9, meters=("elasticache",)),
        Service(QUEUE, "AWS::SQS::Queue", (), meters=("sqs",)),
    ),
    pools=(Pool(POOL, TRIPS, DATABASE, size=20, tasks=2, timeout_ms=2_000),),
    routes=(
        Route((EDGE, "POST /v1/trips"), 0.28),
        Route((EDGE, "GET /v1/trips/{id}"), 0.3),
        Route((EDGE, "GET /v1/quotes"), 0.22),
        Route((EDGE, "GET /v1/drivers/nearby"), 0.2),
    ),
    queues=(Queue(QUEUE, (TRIPS, "POST /trips"), (RECEIPTS, "receipt"), 2.4),),
    dimensions={
        "ApplicationSignals": {"Environment": "ecs:rides-prod"},
        "AWS/ECS": {"ClusterName": CLUSTER},
        "ECS/ContainerInsights": {"ClusterName": CLUSTER},
    },
)

_CHECKPOINT = "checkpoint complete: wrote {n} buffers (0.6%); 0 WAL file(s) added, 0 removed, 2 recycled"
_RESET = "could not receive data from client: Connection reset by peer"
HABITS = (
    Habit(TRIPS, 40, lines.logback("com.trips.Outbox", "published {n} outbox events")),
    Habit(TRIPS, 210, lines.logback("com.trips.Api", "client closed the connection after {n} ms", "WARN"), 300, 4_000),
    Habit(PRICING, 55, lines.python("pricing.surge", "refreshed {n} zones"), 40, 44),
    Habit(PRICING, 170, lines.python("pricing.maps", "route without traffic data for {n} segments, using averages", "WARNING"), 1, 9),
    Habit(DRIVERS, 30, lines.zap("loc/stream.go:118", "positions applied", "count"), 80, 140),
    Habit(DRIVERS, 260, lines.zap("loc/stream.go:131", "stale position dropped", "age_s", "warn"), 31, 120),
    Habit(RECEIPTS, 190, lines.winston(RECEIPTS, "mail provider asked to slow down, waiting {n} ms", "warn"), 200, 900),
    Habit(DATABASE, 300, lines.postgres(_CHECKPOINT), 90, 700),
    Habit(DATABASE, 200, lines.postgres(_RESET, session="rides_app@rides", client="10.0.21.{n}(48210)"), 4, 90),
    Habit(REPLICA, 300, lines.postgres("restartpoint complete: wrote {n} buffers (0.3%)"), 40, 300),
)


def latency_alarm(threshold: float, *, datapoints: int = 3, name: str = "rides-alb-latency-p99-high") -> AlarmRule:
    """The edge answers too slowly; seconds."""
    words = f"p99 response time of rides-alb is above {threshold} seconds"
    return AlarmRule(name, "AWS/ApplicationELB", "TargetResponseTime", "p99", EDGE_ID, threshold, False, datapoints, words)


def failures_alarm(threshold: float = 10.0) -> AlarmRule:
    """The edge answers with 5xx; responses a minute."""
    words = f"rides-alb gives more than {threshold:.0f} server errors a minute"
    return AlarmRule("rides-alb-5xx-high", "AWS/ApplicationELB", "HTTPCode_Target_5XX_Count", "Sum", EDGE_ID, threshold, False, 3, words)


RUNBOOKS: Mapping[str, str] = {
    "rides-alb-5xx-high.md": """# rides-alb-5xx-high

The load balancer passes on what the services behind it answer. Find the service whose own failures grew: trips-api, pricing, drivers-api.

1. Compare `Fault` of each service in Application Signals.
2. Read the errors of that service: a callee's name in them leads one step down.
3. `aws ecs describe-services --cluster rides-prod --services NAME` shows deploys and stopped tasks.
""",
    "rides-alb-latency-p99-high.md": """# rides-alb-latency-p99-high

Quotes wait for the map provider, trips for quotes and for PostgreSQL. A slow callee shows in every service above it.

Start with the slowest callee, not with the service that the customers see.
""",
    "receipts-age-high.md": """# receipts-age-high

receipt-worker takes receipts from the queue `receipts`. Check first that it runs at all (`RunningTaskCount`), then its errors.
""",
    "replica-lag.md": """# A replica of rides-pg lags

Trips are read from the replica: a customer does not find the trip that was just booked. A write burst on rides-pg (archiving, backfill) is
the usual reason. Pause the job, or send reads to the primary: `READS_FROM=primary` for trips-api.
""",
}
OTHER_ALARMS = (
    standing("rides-pg-cpu-high", "AWS/RDS CPUUtilization", {"DBInstanceIdentifier": DATABASE}, DAY - timedelta(days=12), 80.0),
    standing(
        "drivers-api-cpu-high", "AWS/ECS CPUUtilization", {"ClusterName": CLUSTER, "ServiceName": DRIVERS}, DAY - timedelta(days=3), 85.0
    ),
    standing("rides-cache-evictions", "AWS/ElastiCache Evictions", {"CacheClusterId": CACHE}, DAY - timedelta(days=40), 100.0),
)
BASE = Scenario(
    id="", system=RIDES, cluster=CLUSTER, load=Load(rps=1.6), faults=(), start=at(9, 30), end=at(10, 0), now=at(10, 1), habits=HABITS,
    runbooks=RUNBOOKS, other_alarms=OTHER_ALARMS, quiet_minutes=10, normal_minutes=110,
)  # fmt: skip
