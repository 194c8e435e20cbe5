"""A ride-hailing back end on ECS: a load balancer, four services, PostgreSQL with a replica, a cache, a queue of receipts, a map provider."""

from collections.abc import Mapping

from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.system import Operation, Pool, Queue, Route, Service, System

CLUSTER, ENVIRONMENT = "rides-prod", "ecs:rides-prod"
EDGE, TRIPS, PRICING, DRIVERS, RECEIPTS = "rides-alb", "trips-api", "pricing", "drivers-api", "receipt-worker"
DATABASE, REPLICA, CACHE, QUEUE, MAPS = "rides-pg", "rides-pg-replica-1", "rides-cache", "receipts", "api.maps.example.net"
EDGE_ID = "app/rides-alb/6d0ecf831eec9f09"
POOL = "trips-pool"
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


def _on_ecs(name: str, voice: str | None, tasks: str, operations: tuple[Operation, ...], cpu: float, memory: float) -> Service:
    streams = tuple(f"ecs/{name}/{t}" for t in tasks.split())
    return Service(name, "AWS::ECS::Service", operations, voice, f"/ecs/rides-prod/{name}", streams, cpu, memory, ON_ECS)


RIDES = System(
    name="rides",
    services=(
        Service(EDGE, "AWS::ElasticLoadBalancingV2::LoadBalancer", _EDGE, meters=("load_balancer",), known_as={"AWS/ApplicationELB": EDGE_ID}),
        _on_ecs(TRIPS, "logback", "0b6f4d21c9 7e19aa5f03", _TRIPS, 33, 58),
        _on_ecs(
            PRICING, "gunicorn", "51c0e7d8aa c40b92f716",
            (Operation("GET /quotes", 16, ((MAPS, "GET /route"), (CACHE, "GET")), said="quote {n} for 3 zones"),), 27, 46,
        ),
        _on_ecs(
            DRIVERS, "zap", "9f2d6610be", (Operation("GET /nearby", 9, ((CACHE, "GEOSEARCH"),), said="7 drivers for request {n}"),), 24, 31
        ),
        _on_ecs(RECEIPTS, "winston", "e83a17f4c2", (Operation("receipt", 70, ((DATABASE, "UPDATE trips"),), said="receipt {n} sent"),), 12, 37),
        Service(MAPS, "remote", (Operation("GET /route", 62),)),
        Service(
            DATABASE, "Database::SQL", (Operation("INSERT trips", 4), Operation("UPDATE trips", 3)), cpu=21, meters=("rds",),
            log_group="/aws/rds/instance/rides-pg/postgresql", tasks=(DATABASE,),
        ),
        Service(
            REPLICA, "Database::SQL", (Operation("SELECT trips", 2.5),), cpu=14, meters=("rds", "replica"),
            log_group="/aws/rds/instance/rides-pg-replica-1/postgresql", tasks=(REPLICA,),
        ),
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
        "ApplicationSignals": {"Environment": ENVIRONMENT},
        "AWS/ECS": {"ClusterName": CLUSTER},
        "ECS/ContainerInsights": {"ClusterName": CLUSTER},
    },
)  # fmt: skip

HABITS = (
    Habit(TRIPS, 40, '{{"@timestamp":"{stamp}","level":"INFO","logger_name":"com.trips.Outbox","message":"published {n} outbox events"}}'),
    Habit(TRIPS, 210, '{{"@timestamp":"{stamp}","level":"WARN","logger_name":"com.trips.Api","message":"client closed the connection after {n} ms"}}',
          300, 4_000),
    Habit(PRICING, 55, "{comma} [21] [INFO] pricing.surge: refreshed {n} zones", 40, 44),
    Habit(PRICING, 170, "{comma} [22] [WARNING] pricing.maps: route answer without traffic data for {n} segments, using averages", 1, 9),
    Habit(DRIVERS, 30, '{{"level":"info","ts":"{stamp}","caller":"loc/stream.go:118","msg":"positions applied","count":{n}}}', 80, 140),
    Habit(DRIVERS, 260, '{{"level":"warn","ts":"{stamp}","caller":"loc/stream.go:131","msg":"stale position dropped","age_s":{n}}}', 31, 120),
    Habit(RECEIPTS, 190, '{{"level":"warn","message":"mail provider asked to slow down, waiting {n} ms","service":"receipt-worker","timestamp":"{stamp}"}}',
          200, 900),
    Habit(DATABASE, 300, "{zone}::@:[512]:LOG:  checkpoint complete: wrote {n} buffers (0.6%); 0 WAL file(s) added, 0 removed, 2 recycled", 90, 700),
    Habit(DATABASE, 200, "{zone}:10.0.21.{n}(48210):rides_app@rides:[7712]:LOG:  could not receive data from client: Connection reset by peer", 4, 90),
    Habit(REPLICA, 300, "{zone}::@:[498]:LOG:  restartpoint complete: wrote {n} buffers (0.3%)", 40, 300),
)  # fmt: skip


def latency_alarm(threshold: float, *, stat: str = "p99", datapoints: int = 3, name: str = "rides-alb-latency-p99-high") -> AlarmRule:
    """The edge answers too slowly; seconds."""
    words = f"{stat} response time of rides-alb is above {threshold} seconds"
    return AlarmRule(name, "AWS/ApplicationELB", "TargetResponseTime", stat, EDGE_ID, threshold, False, datapoints, words)


def failures_alarm(threshold: float = 12.0, *, datapoints: int = 3) -> AlarmRule:
    """The edge answers with 5xx; responses a minute."""
    words = f"rides-alb gives more than {threshold:.0f} server errors a minute"
    return AlarmRule(
        "rides-alb-5xx-high", "AWS/ApplicationELB", "HTTPCode_Target_5XX_Count", "Sum", EDGE_ID, threshold, False, datapoints, words
    )


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
    "receipts-backlog.md": """# Receipts are late

receipt-worker takes receipts from the queue `receipts`. Check first that it runs at all (`RunningTaskCount`), then its errors.
""",
}
