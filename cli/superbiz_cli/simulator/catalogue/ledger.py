"""A ledger on RDS for PostgreSQL: a load balancer, an API, a worker that writes statements, one database with Performance Insights."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from superbiz.domain.values import JsonObject
from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.catalogue.story import change
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.system import Operation, Route, Service, System

CLUSTER = "ledger-prod"
EDGE, API, WORKER, DATABASE = "ledger-alb", "ledger-api", "statement-worker", "ledger-pg"
EDGE_ID = "app/ledger-alb/1f7ac9b2d5e84c30"
DATABASE_LOG = f"/aws/rds/instance/{DATABASE}/postgresql"
API_TASKS = ("ecs/ledger-api/4b1d77c0e9", "ecs/ledger-api/a93e52f618")
WORKER_TASKS = ("ecs/statement-worker/d20c9b64f1",)

_API = (
    Operation("POST /entries", 14, ((DATABASE, "INSERT entries"),), said="entry {n} booked"),
    Operation("GET /accounts/{id}/balance", 8, ((DATABASE, "SELECT balances"),), said="balance of account {n}"),
)

LEDGER = System(
    name="ledger",
    services=(
        Service(
            EDGE, "AWS::ElasticLoadBalancingV2::LoadBalancer",
            (Operation("POST /entries", 1, ((API, "POST /entries"),)), Operation("GET /accounts/{id}/balance", 1, ((API, "GET /accounts/{id}/balance"),))),
            meters=("load_balancer",), known_as={"AWS/ApplicationELB": EDGE_ID},
        ),
        Service(API, "AWS::ECS::Service", _API, "logback", "/ecs/ledger-api", API_TASKS, 29, 61, ("signals", "ecs", "ecs_tasks")),
        Service(
            WORKER, "AWS::ECS::Service", (Operation("statement", 180, ((DATABASE, "SELECT entries"),), said="statement {n} written"),),
            "gunicorn", "/ecs/statement-worker", WORKER_TASKS, 22, 48, ("ecs", "ecs_tasks"),
        ),
        Service(
            DATABASE, "Database::SQL", (Operation("INSERT entries", 4), Operation("SELECT balances", 2), Operation("SELECT entries", 9)),
            cpu=24, meters=("rds",), log_group=DATABASE_LOG, tasks=(DATABASE,), levels={"connections": 58.0},
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

HABITS = (
    Habit(API, 35, '{{"@timestamp":"{stamp}","level":"INFO","logger_name":"com.ledger.Audit","message":"{n} audit rows written"}}', 2, 70),
    Habit(API, 220, '{{"@timestamp":"{stamp}","level":"WARN","logger_name":"com.ledger.Api","message":"idempotency key seen before, answered from record, age {n} s"}}', 1, 90),
    Habit(WORKER, 90, "{comma} [22] [INFO] statement_worker.jobs: {n} accounts due", 3, 40),
    Habit(DATABASE, 300, "{zone}::@:[531]:LOG:  checkpoint complete: wrote {n} buffers (0.8%); 0 WAL file(s) added, 0 removed, 3 recycled", 100, 900),
    Habit(DATABASE, 110, "{zone}:10.0.31.{n}(52114):ledger_app@ledger:[8{n}1]:LOG:  disconnection: session time: 0:10:0{n}.220 user=ledger_app database=ledger", 1, 9),
    Habit(DATABASE, 400, '{zone}:10.0.31.{n}(52188):ledger_app@ledger:[7{n}2]:ERROR:  duplicate key value violates unique constraint "entries_idempotency_key"', 4, 90),
)  # fmt: skip

QUIET_WAITS = (("CPU", 0.31), ("IO:DataFileRead", 0.12), ("Client:ClientRead", 0.05))
BALANCE_SQL = "SELECT balance_minor, currency FROM balances WHERE account_id = $1"
ENTRY_SQL = "INSERT INTO entries (account_id, amount_minor, currency, idempotency_key) VALUES ($1, $2, $3, $4) RETURNING id"
STATEMENT_SQL = "SELECT booked_at, amount_minor, text FROM entries WHERE account_id = $1 AND booked_at >= $2 ORDER BY booked_at"


def performance(load: float, waits: Sequence[tuple[str, float]], sql: Sequence[tuple[str, float]], *, vcpus: int = 2) -> JsonObject:
    """Performance Insights of the database."""
    return {
        "performance_insights": {
            "db_instance": DATABASE,
            "db_load": load,
            "top_waits": [{"wait": name, "load": share} for name, share in waits],
            "top_sql": [{"sql": text, "load": share} for text, share in sql],
            "max_vcpus": vcpus,
        }
    }


def rds(moment: datetime, number: str, message: str, instance: str = DATABASE) -> JsonObject:
    """An RDS event by its number."""
    return change(moment, "rds", f"RDS-EVENT-{number}", instance, message, "rds")


def database_alarm(metric: str, threshold: float, *, below: bool = False, name: str = "", datapoints: int = 3) -> AlarmRule:
    """On one of the database's own metrics."""
    words = f"{metric} of {DATABASE} is {'below' if below else 'above'} {threshold:g}"
    return AlarmRule(name or f"{DATABASE}-{metric}", "AWS/RDS", metric, "Average", DATABASE, threshold, below, datapoints, words)


def failures_alarm(threshold: float = 10.0) -> AlarmRule:
    """The edge answers with 5xx; responses a minute."""
    words = f"ledger-alb gives more than {threshold:.0f} server errors a minute"
    return AlarmRule("ledger-alb-5xx-high", "AWS/ApplicationELB", "HTTPCode_Target_5XX_Count", "Sum", EDGE_ID, threshold, False, 3, words)


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
