"""Worlds of a database at its limits: connections, storage, the IO that its disk may do, failing over."""

from datetime import datetime, timedelta

from superbiz_cli.simulator.catalogue import ledger, lines
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.faults import Bend, Fault, Slowdown
from superbiz_cli.simulator.meters.stores import GIB
from superbiz_cli.simulator.scenario import Gap

_NO_SLOT = "FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute"
_NO_SPACE = 'could not extend file "base/16401/24817.12": No space left on device'


def connections_leaked() -> Story:
    """statement-worker 3.4.0 opens a connection a batch and never closes it: ledger-pg reaches its 200 connections in half an hour.

    From then on PostgreSQL refuses new ones, ledger-api answers a share of its requests with 500, the worker fails too. CPU and DB load
    stay low: the connections are idle. An engineer names the connection limit of ledger-pg (or the worker that leaks), a resource
    exhaustion. The change of a CA certificate six days ago and the automated backup are routine.
    """
    deploy, full, end = at(13, 2), at(13, 34), at(13, 52)
    opened = lines.python("statement_worker.db", "opened connection for batch, {n} open in this process", "DEBUG")
    refused = lines.postgres(_NO_SLOT.removeprefix("FATAL: "), "FATAL", ledger.APP, "10.0.31.77({n})")
    scenario = ledger.BASE._replace(
        id="rds-connections-leaked",
        faults=(
            Bend(ledger.DATABASE, "connections", deploy, end, to=198.0, rise=32.0),
            Bend(ledger.DATABASE, "free_memory", deploy, end, times=0.72, rise=32.0),
            *ledger.refusing(full, end, 0.34, _NO_SLOT, rise=3.0),
        ),
        start=at(13, 22), end=end, now=end + timedelta(minutes=1), alarm=ledger.database_alarm("DatabaseConnections", 185.0),
        habits=(
            *ledger.HABITS,
            Habit(ledger.DATABASE, 3.2, refused, 40_000, 61_000, since=full),
            Habit(ledger.WORKER, 24, opened, 96, 138, since=deploy),
        ),
        changes=(
            *ledger.backup(at(3, 10), at(3, 14)),
            change(deploy - timedelta(days=6), "cloudtrail", "ModifyDBInstance", ledger.DATABASE,
                "caCertificateIdentifier rds-ca-rsa2048-g1",
                   "dba"),
            change(deploy, "deploy", "UpdateService", ledger.WORKER, "statement-worker 3.4.0 rolled out to 1 task", "deploy-bot"),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (ledger.DATABASE, ledger.WORKER), "RESOURCE_EXHAUSTION", telling=("UpdateService",)))


def storage_full() -> Story:
    """An abandoned replication slot keeps the write-ahead log: ledger-pg's storage runs down to nothing, and writes fail.

    Reads go on. PostgreSQL says No space left on device, RDS tells first that storage is low, then that it is exhausted. A rollout of
    statement-worker shortly before is unrelated: the storage had been falling for an hour. An engineer names ledger-pg's storage.
    """
    full, end = at(10, 22), at(10, 27)
    told = (
        ledger.rds(at(9, 58), "0089", "The free storage capacity for DB instance ledger-pg is low at 8% of the provisioned storage "
                   "[Provisioned Storage: 97.66 GB, Free Storage: 7.81 GB]. You may want to increase the provisioned storage."),
        ledger.rds(at(10, 23), "0007", "Allocated storage has been exhausted. Allocate additional storage to resolve."),
    )  # fmt: skip
    scenario = ledger.BASE._replace(
        id="rds-storage-full", faults=_running_full(at(9, 6), full, end), start=at(10, 8), end=end, now=end + timedelta(minutes=1),
        alarm=ledger.failures_alarm(), habits=(*ledger.HABITS, *_no_space(full)), without=("traces", "insights"),
        changes=(
            *told,
            change(at(10, 9), "deploy", "UpdateService", ledger.WORKER, "statement-worker 3.3.7 rolled out to 1 task", "deploy-bot"),
        ),
    )  # fmt: skip
    return Story(
        scenario, Truth("root_cause", (ledger.DATABASE,), "RESOURCE_EXHAUSTION", ruled_out=(ledger.WORKER,), telling=("0007", "0089"))
    )


def storage_full_unmeasured() -> Story:
    """The same, but FreeStorageSpace is not collected, other metrics have holes, and RDS sends no event: only the logs tell.

    PostgreSQL's own words name the full disk. An engineer still names ledger-pg's storage, and does not take the holes for zeros.
    """
    full, end = at(21, 22), at(21, 42)
    scenario = ledger.BASE._replace(
        id="rds-storage-full-unmeasured", faults=_running_full(at(20, 6), full, end), start=at(21, 8), end=end,
        now=end + timedelta(minutes=1), alarm=ledger.failures_alarm(), habits=(*ledger.HABITS, *_no_space(full)),
        gaps=(
            Gap("FreeStorageSpace"),
            Gap("CPUUtilization", ledger.DATABASE, at(21, 12), at(21, 27)),
            Gap("WriteIOPS", ledger.DATABASE, at(20, 0), end, 0.4),
            Gap("Latency", ledger.API, at(21, 16), at(21, 20)),
        ),
        without=("traces", "insights"), changes=(*ledger.backup(at(3, 10), at(3, 14)),),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (ledger.DATABASE,), "RESOURCE_EXHAUSTION"))


def _running_full(begin: datetime, full: datetime, end: datetime) -> tuple[Fault, ...]:
    minutes = (full - begin).total_seconds() / 60
    return (
        Bend(ledger.DATABASE, "free_storage", begin - timedelta(days=1), end, to=11 * GIB),
        Bend(ledger.DATABASE, "free_storage", begin, end, to=0.02 * GIB, rise=minutes),
        Bend(ledger.DATABASE, "write_iops", full, end, times=0.25),
        *ledger.refusing(full, end, 0.93, f"ERROR: {_NO_SPACE}", "INSERT entries"),
    )


def _no_space(full: datetime) -> tuple[Habit, ...]:
    return (
        Habit(ledger.DATABASE, 4.5, lines.postgres(_NO_SPACE, "ERROR", ledger.APP, ledger.APP_HOST), 4, 90, since=full),
        Habit(ledger.DATABASE, 4.6, lines.postgres("Check free disk space.", "HINT", ledger.APP, ledger.APP_HOST), 4, 90, since=full),
    )


def burst_spent() -> Story:
    """A backfill of statements reads ledger-pg's gp2 volume at three times its baseline until the burst credits are gone.

    BurstBalance falls to zero within the hour; from then on IO is capped: latencies twentyfold, the disk queue grows, the API times out
    now and then. CPU is low, the wait is IO:DataFileRead. An engineer names the IO of ledger-pg (the backfill is what to pause).
    """
    begin, spent, end = at(14, 5), at(14, 58), at(15, 18)
    timeout = "ERROR: canceling statement due to statement timeout"
    system = ledger.LEDGER.replaced(ledger.LEDGER.by_name[ledger.DATABASE]._replace(meters=("rds", "bursting")))
    scenario = ledger.BASE._replace(
        id="rds-io-burst-spent", system=system,
        faults=(
            Bend(ledger.DATABASE, "read_iops", begin, spent, to=890.0, rise=3.0),
            Bend(ledger.DATABASE, "burst_balance", begin, end, to=0.0, rise=53.0),
            Bend(ledger.DATABASE, "read_iops", spent, end, to=292.0),
            Bend(ledger.DATABASE, "disk_queue", spent, end, to=31.0, rise=4.0),
            Bend(ledger.DATABASE, "db_load", spent, end, to=7.3, rise=3.0),
            Slowdown(ledger.DATABASE, spent, end, 24.0, rise=3.0),
            *ledger.refusing(spent, end, 0.07, timeout, after_ms=5_000),
        ),
        start=at(14, 48), end=end, now=end + timedelta(minutes=1), alarm=ledger.latency_alarm(0.4),
        habits=(
            *ledger.HABITS,
            Habit(ledger.WORKER, 16, lines.python("statement_worker.backfill", "quarter 2026Q1: {n} of 41200 accounts done"), 9_000,
                31_000, since=begin),
            Habit(ledger.DATABASE, 21, lines.postgres(timeout.removeprefix("ERROR: "), "ERROR", ledger.APP, ledger.APP_HOST), 4, 90,
                since=spent),
        ),
        changes=(
            change(begin, "ecs", "RunTask", ledger.WORKER, "task statement-worker-backfill started: statements 2026Q1", "finance-ops"),
            *ledger.backup(at(3, 10), at(3, 14)),
        ),
        insights=ledger.performance(7.3, (("IO:DataFileRead", 6.1), ("IO:WALWrite", 0.7), ("CPU", 0.4)), ((ledger.STATEMENT_SQL, 5.4),
            (ledger.ENTRY_SQL, 1.1), (ledger.BALANCE_SQL, 0.6))),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (ledger.DATABASE, ledger.WORKER), "RESOURCE_EXHAUSTION", telling=("RunTask",)))


def failed_over() -> Story:
    """ledger-pg fails over to its standby after its host fails; one of the two API tasks keeps connections to the old primary.

    For a minute nobody can connect. After that half of the writes fail: the old primary is read-only now. RDS tells of the failover,
    PostgreSQL of its start. An engineer names the failover of ledger-pg, an infrastructure fault; restarting the task helps.
    """
    lost, up, end = at(16, 20), at(16, 22), at(16, 36)
    refused = "Connection to ledger-pg.cx1a2b3c4d5e.eu-west-1.rds.amazonaws.com:5432 refused"
    frozen = "ERROR: cannot execute INSERT in a read-only transaction"
    scenario = ledger.BASE._replace(
        id="rds-failover",
        faults=(
            *ledger.refusing(lost, up, 0.96, refused, unreached=True),
            *ledger.refusing(up, end, 0.5, frozen, "INSERT entries"),
            Bend(ledger.DATABASE, "connections", lost, up, to=0.0),
            Bend(ledger.DATABASE, "connections", up, end, times=0.6),
            Bend(ledger.DATABASE, "cpu", lost, up, times=0.2),
            Bend(ledger.DATABASE, "write_iops", lost, up, times=0.05),
        ),
        start=at(16, 8), end=end, now=end + timedelta(minutes=1), alarm=ledger.failures_alarm(),
        habits=(
            *ledger.HABITS,
            Habit(ledger.API, 9, lines.logback("com.zaxxer.hikari.pool.PoolBase",
                f"HikariPool-1 - Failed to validate connection ({{n}}): {frozen}", "WARN"), 1, 20, since=up),
            Habit(ledger.DATABASE, 14, lines.postgres("terminating connection due to administrator command", "FATAL", ledger.APP,
                ledger.APP_HOST), 4, 90, since=lost, until=up),
            Habit(ledger.DATABASE, 40, lines.postgres("database system was interrupted; last known up at 2026-06-09 16:19:5{n} UTC"), 1,
                9, since=at(16, 21), until=up),
            Habit(ledger.DATABASE, 30, lines.postgres("database system is ready to accept connections"), since=at(16, 21, 30),
                until=at(16, 22, 10)),
        ),
        changes=(
            *ledger.backup(at(3, 10), at(3, 14)),
            ledger.rds(at(16, 20, 11), "0013", "Multi-AZ instance failover started."),
            ledger.rds(at(16, 21, 2), "0006", "DB instance restarted"),
            ledger.rds(at(16, 21, 48), "0015", "Multi-AZ failover to standby complete - DNS propagation may take a few minutes."),
            ledger.rds(at(16, 21, 55), "0049",
                "Multi-AZ instance failover completed: the primary host of the RDS Multi-AZ instance is unhealthy."),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (ledger.DATABASE,), "INFRASTRUCTURE", telling=("0013", "0049", "0015")))
