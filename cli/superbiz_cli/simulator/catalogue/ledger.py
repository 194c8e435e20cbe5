"""A ledger on RDS for PostgreSQL: a load balancer, an API, a worker that writes statements, one database with Performance Insights."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from superbiz.domain.values import JsonObject
from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.catalogue import lines
from superbiz_cli.simulator.catalogue.story import DAY, at, change, standing
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.faults import Failing
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Scenario
from superbiz_cli.simulator.system import Operation, Route, Service, System

CLUSTER = "ledger-prod"
EDGE, API, WORKER, DATABASE = "ledger-alb", "ledger-api", "statement-worker", "ledger-pg"
EDGE_ID = "app/ledger-alb/1f7ac9b2d5e84c30"
EDGE_KIND = "AWS::ElasticLoadBalancingV2::LoadBalancer"
DATABASE_LOG = f"/aws/rds/instance/{DATABASE}/postgresql"
API_TASKS = ("ecs/ledger-api/4b1d77c0e9", "ecs/ledger-api/a93e52f618")
WORKER_TASKS = ("ecs/statement-worker/d20c9b64f1",)
APP, APP_HOST = "ledger_app@ledger", "10.0.31.{n}(52114)"

_EDGE = (
    Operation("POST /entries", 1, ((API, "POST /entries"),)),
    Operation("GET /accounts/{id}/balance", 1, ((API, "GET /accounts/{id}/balance"),)),
)
_API = (
    Operation("POST /entries", 14, ((DATABASE, "INSERT entries"),), said="entry {n} booked"),
    Operation("GET /accounts/{id}/balance", 8, ((DATABASE, "SELECT balances"),), said="balance of account {n}"),
)
_WORKER = (Operation("statement", 180, ((DATABASE, "SELECT entries"),), said="statement {n} written"),)
_QUERIES = (Operation("INSERT entries", 4), Operation("SELECT balances", 2), Operation("SELECT entries", 9))

RESET = "connection reset by peer"
LEDGER = System(
    name="ledger",
    services=(
        Service(EDGE, EDGE_KIND, _EDGE, meters=("load_balancer",), known_as={"AWS/ApplicationELB": EDGE_ID}),
        Service(API, "AWS::ECS::Service", _API, "logback", "/ecs/ledger-api", API_TASKS, 29, 61, ("signals", "ecs", "ecs_tasks"),
            hiccup=RESET),
        Service(WORKER, "AWS::ECS::Service", _WORKER, "gunicorn", "/ecs/statement-worker", WORKER_TASKS, 22, 48, ("ecs", "ecs_tasks"),
            hiccup=RESET),
        Service(
            DATABASE, "Database::SQL", _QUERIES, None, DATABASE_LOG, (DATABASE,), cpu=24, meters=("rds",), levels={"connections": 58.0},
                hiccup="An I/O error occurred while sending to the backend."
        ),
    ),
    pools=(),
    routes=(
        Route((EDGE, "POST /entries"), 0.5),
        Route((EDGE, "GET /accounts/{id}/balance"), 0.4),
        Route((WORKER, "statement"), 0.1),
    ),
    dimensions={
        "ApplicationSignals": {"Environment": "ecs:ledger-prod"},
        "AWS/ECS": {"ClusterName": CLUSTER},
        "ECS/ContainerInsights": {"ClusterName": CLUSTER},
    },
)  # fmt: skip

_CHECKPOINT = "checkpoint complete: wrote {n} buffers (0.8%); 0 WAL file(s) added, 0 removed, 3 recycled"
_GONE = "disconnection: session time: 0:1{n}:04.220 user=ledger_app database=ledger"
_DUPLICATE = 'duplicate key value violates unique constraint "entries_idempotency_key"'
HABITS = (
    Habit(API, 35, lines.logback("com.ledger.Audit", "{n} audit rows written"), 2, 70),
    Habit(API, 220, lines.logback("com.ledger.Api", "idempotency key seen before, answered from record, age {n} s", "WARN"), 1, 90),
    Habit(WORKER, 90, lines.python("statement_worker.jobs", "{n} accounts due"), 3, 40),
    Habit(DATABASE, 300, lines.postgres(_CHECKPOINT), 100, 900),
    Habit(DATABASE, 110, lines.postgres(_GONE, session=APP, client=APP_HOST), 1, 9),
    Habit(DATABASE, 400, lines.postgres(_DUPLICATE, "ERROR", APP, APP_HOST), 4, 90),
)

_JDBC = (
    "\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2725)",
    "\tat org.postgresql.core.v3.QueryExecutorImpl.execute(QueryExecutorImpl.java:372)",
    "\tat com.ledger.store.Store.run(Store.java:57)",
    "\t... 48 more",
)
_PSYCOPG = (
    "Traceback (most recent call last):",
    '  File "/app/statement_worker/jobs.py", line 88, in statement',
    "    rows = connection.execute(STATEMENT, (account, since)).fetchall()",
)


def refusing(
    start: datetime,
    end: datetime,
    share: float,
    error: str,
    *operations: str,
    after_ms: float = 0.0,
    unreached: bool = False,
    rise: float = 0.0,
) -> tuple[Failing, ...]:
    """The database fails those operations with PostgreSQL's words, as its Java and its Python client log them."""
    return tuple(
        Failing(
            DATABASE, start, end, share, error, operation, after_ms, rise, trace=_traced(error, operation), unreached=unreached
        )
        for operation in operations or tuple(o.name for o in _QUERIES)
    )  # fmt: skip


def _traced(error: str, operation: str) -> tuple[str, ...]:
    if operation == "SELECT entries":
        return (*_PSYCOPG, f"psycopg.OperationalError: {error}")
    return (f"org.postgresql.util.PSQLException: {error}", *_JDBC)


QUIET_WAITS = (("CPU", 0.31), ("IO:DataFileRead", 0.12), ("Client:ClientRead", 0.05))
BALANCE_SQL = "SELECT balance_minor, currency FROM balances WHERE account_id = $1"
ENTRY_SQL = "INSERT INTO entries (account_id, amount_minor, currency, idempotency_key) VALUES ($1, $2, $3, $4) RETURNING id"
STATEMENT_SQL = "SELECT booked_at, amount_minor, text FROM entries WHERE account_id = $1 AND booked_at >= $2 ORDER BY booked_at"
QUIET_SQL = ((ENTRY_SQL, 0.22), (BALANCE_SQL, 0.17), (STATEMENT_SQL, 0.09))


def performance(
    load: float, waits: Sequence[tuple[str, float]], sql: Sequence[tuple[str, float]], *, instance: str = DATABASE, vcpus: int = 2
) -> JsonObject:
    """Performance Insights of a database."""
    shown = {
        "db_instance": instance,
        "db_load": load,
        "top_waits": [{"wait": name, "load": share} for name, share in waits],
        "top_sql": [{"sql": text, "load": share} for text, share in sql],
        "max_vcpus": vcpus,
    }
    return {"performance_insights": shown}


def rds(moment: datetime, number: str, message: str, instance: str = DATABASE) -> JsonObject:
    """An RDS event by its number."""
    return change(moment, "rds", f"RDS-EVENT-{number}", instance, message, "rds")


def backup(begin: datetime, end: datetime, instance: str = DATABASE) -> tuple[JsonObject, JsonObject]:
    """The automated backup."""
    return rds(begin, "0001", "Backing up DB instance", instance), rds(end, "0002", "Finished DB instance backup", instance)


def database_alarm(metric: str, threshold: float, *, datapoints: int = 3, instance: str = DATABASE) -> AlarmRule:
    """On one of the database's own metrics."""
    words = f"{metric} of {instance} is above {threshold:g}"
    return AlarmRule(f"{instance}-{metric}-high", "AWS/RDS", metric, "Average", instance, threshold, False, datapoints, words)


def failures_alarm(threshold: float = 10.0) -> AlarmRule:
    """The edge answers with 5xx; responses a minute."""
    words = f"ledger-alb gives more than {threshold:.0f} server errors a minute"
    return AlarmRule("ledger-alb-5xx-high", "AWS/ApplicationELB", "HTTPCode_Target_5XX_Count", "Sum", EDGE_ID, threshold, False, 3, words)


def latency_alarm(threshold: float) -> AlarmRule:
    """The edge answers too slowly; seconds."""
    words = f"p99 response time of ledger-alb is above {threshold} seconds"
    return AlarmRule("ledger-alb-latency-high", "AWS/ApplicationELB", "TargetResponseTime", "p99", EDGE_ID, threshold, False, 3, words)


RUNBOOKS: Mapping[str, str] = {
    "ledger-pg-connections.md": """# Too many connections to ledger-pg

`max_connections` is 200, 3 of them reserved. ledger-api keeps 2 x 20, statement-worker at most 10.

1. Who holds them: `SELECT application_name, state, count(*) FROM pg_stat_activity GROUP BY 1, 2 ORDER BY 3 DESC;`
2. Many `idle` ones of a single application are a leak: restart that application, then mend it.
3. Do not raise `max_connections` first: each connection takes memory.
""",
    "ledger-pg-storage.md": """# ledger-pg runs out of storage

At no free storage the instance goes to `storage-full` and writes fail. Enlarge it: `aws rds modify-db-instance --db-instance-identifier
ledger-pg --allocated-storage N --apply-immediately`; then find what grew.
""",
    "ledger-alb-5xx-high.md": """# ledger-alb-5xx-high

ledger-api fails most often because of ledger-pg. Read the errors of ledger-api; the text after `FATAL` or `ERROR` is PostgreSQL's own.
""",
}
OTHER_ALARMS = (
    standing("ledger-pg-deadlocks", "AWS/RDS Deadlocks", {"DBInstanceIdentifier": DATABASE}, DAY - timedelta(days=8), 5.0),
    standing(
        "statement-worker-memory",
        "AWS/ECS MemoryUtilization",
        {"ClusterName": CLUSTER, "ServiceName": WORKER},
        DAY - timedelta(days=5),
        90.0,
    ),
)
BASE = Scenario(
    id="", system=LEDGER, cluster=CLUSTER, load=Load(rps=1.5), faults=(), start=at(13, 20), end=at(13, 50), now=at(13, 51), habits=HABITS,
    runbooks=RUNBOOKS, other_alarms=OTHER_ALARMS, insights=performance(0.6, QUIET_WAITS, QUIET_SQL), without=("traces",),
        quiet_minutes=10, normal_minutes=110,
)  # fmt: skip
