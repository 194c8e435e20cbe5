"""Worlds of a database: connections, storage, replication, locks, slow queries, IO, a failover."""

from datetime import timedelta

from superbiz_cli.simulator.catalogue import ledger
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.faults import Bend, Failing
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Scenario

_NO_SLOT = "FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute"
_JDBC_TRACE = (
    f"org.postgresql.util.PSQLException: {_NO_SLOT}",
    "\tat org.postgresql.core.v3.ConnectionFactoryImpl.doAuthentication(ConnectionFactoryImpl.java:711)",
    "\tat org.postgresql.core.v3.ConnectionFactoryImpl.tryConnect(ConnectionFactoryImpl.java:213)",
    "\tat com.zaxxer.hikari.util.DriverDataSource.getConnection(DriverDataSource.java:138)",
    "\t... 42 more",
)


def connections_leaked() -> Story:
    """statement-worker 3.4.0 opens a connection a batch and never closes it: ledger-pg reaches its 200 connections in half an hour.

    From then on PostgreSQL refuses new ones, ledger-api answers a share of its requests with 500, the worker fails too. CPU and DB load
    stay low: the connections are idle. An engineer names the connection limit of ledger-pg (or the worker that leaks), a resource
    exhaustion. An older certificate update and the automated backup are routine.
    """
    deploy, full, end = at(13, 2), at(13, 34), at(13, 52)
    refused = "{zone}:10.0.31.77({n}):ledger_app@ledger:[9{n}]:FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute"
    scenario = Scenario(
        id="rds-connections-leaked", system=ledger.LEDGER, cluster=ledger.CLUSTER, load=Load(rps=1.5),
        faults=(
            Bend(ledger.DATABASE, "connections", deploy, end, to=198.0, rise=32.0),
            Bend(ledger.DATABASE, "free_memory", deploy, end, times=0.72, rise=32.0),
            Failing(ledger.DATABASE, full, end, 0.34, _NO_SLOT, rise=3.0, trace=_JDBC_TRACE),
        ),
        start=at(13, 22), end=end, now=end + timedelta(minutes=1), alarm=ledger.database_alarm("DatabaseConnections", 185.0),
        habits=(
            *ledger.HABITS,
            Habit(ledger.DATABASE, 3.2, refused, 40_000, 61_000, since=full),
            Habit(ledger.WORKER, 24, "{comma} [22] [DEBUG] statement_worker.db: opened connection for batch, {n} open in this process", 96, 138, since=deploy),
        ),
        changes=(
            ledger.rds(at(3, 10), "0001", "Backing up DB instance"),
            ledger.rds(at(3, 14), "0002", "Finished DB instance backup"),
            change(deploy - timedelta(days=6), "cloudtrail", "ModifyDBInstance", ledger.DATABASE, "caCertificateIdentifier rds-ca-rsa2048-g1", "dba"),
            change(deploy, "deploy", "UpdateService", ledger.WORKER, "statement-worker 3.4.0 rolled out to 1 task", "deploy-bot"),
        ),
        insights=ledger.performance(0.6, ledger.QUIET_WAITS, ((ledger.ENTRY_SQL, 0.22), (ledger.BALANCE_SQL, 0.17), (ledger.STATEMENT_SQL, 0.09))),
        runbooks=ledger.RUNBOOKS, without=("traces",), quiet_minutes=10, normal_minutes=110,
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (ledger.DATABASE, ledger.WORKER), "RESOURCE_EXHAUSTION"))
