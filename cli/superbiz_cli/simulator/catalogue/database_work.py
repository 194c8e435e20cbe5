"""Worlds of a database at work: a replica that can not keep up, locks, a slow query."""

from datetime import timedelta

from superbiz_cli.simulator.catalogue import clinic, ledger, lines, rides
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.faults import Bend, Failing, Slowdown


def replica_lag() -> Story:
    """An archiving job writes on rides-pg at eight times the usual rate; its replica can not keep up and lies fifteen minutes back.

    trips-api reads trips from the replica, so new trips are not found. The replica's lag grows from the job's start on, the primary's
    write IOPS rise with it, the replica's CPU is busy with replay. An engineer names the lag of the replica, under the write burst of
    rides-pg, and pauses the job. A rollout of pricing half a day ago has nothing to do with it.
    """
    begin, end = at(10, 2), at(10, 34)
    absent = lines.logback("com.trips.Api", "trip {n} not found on the reader, asked 1 s after it was written", "WARN")
    waiting = lines.postgres("recovery still waiting after 1000.{n} ms: recovery conflict on snapshot")
    scenario = rides.BASE._replace(
        id="rds-replica-lag",
        faults=(
            Bend(rides.DATABASE, "write_iops", begin, end, times=8.0, rise=2.0),
            Bend(rides.DATABASE, "cpu", begin, end, by=19.0, rise=2.0),
            Bend(rides.DATABASE, "db_load", begin, end, to=2.6, rise=2.0),
            Bend(rides.REPLICA, "db_load", begin, end, to=1.9, rise=3.0),
            Bend(rides.REPLICA, "replica_lag", begin, end, to=930.0, rise=31.0),
            Bend(rides.REPLICA, "cpu", begin, end, by=34.0, rise=3.0),
            Bend(rides.REPLICA, "write_iops", begin, end, times=4.0, rise=3.0),
            Slowdown(rides.REPLICA, begin, end, 2.0, rise=10.0),
        ),
        start=at(9, 52), end=end, now=end + timedelta(minutes=1),
        alarm=ledger.database_alarm("ReplicaLag", 300.0, instance=rides.REPLICA),
        habits=(
            *rides.HABITS,
            Habit(rides.TRIPS, 7, absent, 480_000, 484_000, since=at(10, 5)),
            Habit(rides.REPLICA, 25, waiting, 100, 990, since=at(10, 4)),
        ),
        changes=(
            change(at(1, 12), "deploy", "UpdateService", rides.PRICING, "pricing 5.11.0 rolled out to 2 tasks", "deploy-bot"),
            change(begin, "ecs", "RunTask", rides.DATABASE, "task trips-archiver started: move trips before 2025 to trips_archive",
                "data-team"),
        ),
        insights=ledger.performance(
            2.6, (("IO:WALWrite", 1.4), ("CPU", 0.8), ("IO:DataFileRead", 0.3)),
            (("INSERT INTO trips_archive SELECT * FROM trips WHERE requested_at < $1 LIMIT $2", 1.9),
                ("INSERT INTO trips VALUES ($1, $2)", 0.2)),
            instance=rides.DATABASE, vcpus=4,
        ),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (rides.REPLICA, rides.DATABASE), "RESOURCE_EXHAUSTION", telling=("RunTask",)))


_WAITED = "Lock wait timeout exceeded; try restarting transaction"
_LOCK_TRACE = (
    "Traceback (most recent call last):",
    '  File "/app/booking/store.py", line 112, in insert_booking',
    "    cursor.execute(INSERT_BOOKING, row)",
    '  File "/usr/local/lib/python3.12/site-packages/pymysql/err.py", line 150, in raise_mysql_exception',
    "    raise errorclass(errno, errval)",
    f"pymysql.err.OperationalError: (1205, '{_WAITED}')",
)


def metadata_lock() -> Story:
    """A migration's ALTER TABLE waits behind a long report for the lock of `bookings`, and everything that writes bookings waits behind it.

    Bookings fail after five seconds with Lock wait timeout exceeded; slots and patients are read as ever. The database's CPU is low, its
    load is waits for the metadata lock. An engineer names the lock on clinic-mysql, held up by the migration job.
    """
    begin, end = at(11, 3), at(11, 26)
    scenario = clinic.BASE._replace(
        id="mysql-metadata-lock",
        faults=(
            Failing(clinic.DATABASE, begin, end, 0.85, f"(1205, '{_WAITED}')", "INSERT bookings", after_ms=5_000, trace=_LOCK_TRACE),
            Bend(clinic.DATABASE, "db_load", begin, end, to=9.4, rise=4.0),
            Bend(clinic.DATABASE, "connections", begin, end, by=31.0, rise=8.0),
            Bend(clinic.DATABASE, "write_iops", begin, end, times=0.5),
        ),
        start=at(10, 50), end=end, now=end + timedelta(minutes=1), alarm=clinic.failures_alarm(5.0),
        habits=(
            *clinic.HABITS,
            Habit(clinic.DATABASE, 45,
                lines.mysql("Thread {n}: state 'Waiting for table metadata lock' for over 30 s, statement INSERT INTO bookings",
                    "MY-013360", "Warning"), 900, 1_400, since=begin),
        ),
        changes=(
            clinic.object_event(at(11, 2, 40), "SuccessfulCreate", "Job", "bookings-migrate-0412",
                "Created pod: bookings-migrate-0412-7kxvb", normal=True),
            change(at(9, 40), "rds", "RDS-EVENT-0002", clinic.DATABASE, "Finished DB instance backup", "rds"),
        ),
        insights=ledger.performance(
            9.4, (("wait/lock/metadata/sql/mdl", 8.6), ("CPU", 0.4), ("wait/io/table/sql/handler", 0.3)),
            (("INSERT INTO bookings (room_id, patient_id, starts_at) VALUES (?, ?, ?)", 7.2),
                ("ALTER TABLE bookings ADD INDEX idx_room_start (room_id, starts_at)", 1.0),
             ("SELECT b.*, r.name FROM bookings b JOIN rooms r ON r.id = b.room_id WHERE b.starts_at > ?", 1.0)),
            instance=clinic.DATABASE,
        ),
    )  # fmt: skip
    resources = (clinic.DATABASE, "bookings-migrate-0412")
    return Story(
        scenario, Truth("root_cause", resources, "RESOURCE_EXHAUSTION", also=("DEPLOYMENT", "DATA"), telling=("SuccessfulCreate",))
    )


_HISTORY_SQL = (
    "SELECT balance_minor, currency, max(e.booked_at) FROM balances b JOIN entries e USING (account_id) WHERE account_id = $1 GROUP BY 1, 2"
)


def slow_query() -> Story:
    """Somebody drops the index on entries(account_id): the balance query scans the table, and two vCPUs are not enough for that.

    ledger-pg's CPU goes to 97 percent under the same load, PostgreSQL logs durations of seconds, everything that uses it is slow and part
    of it times out. Performance Insights shows one statement on CPU. An engineer names ledger-pg, saturated by that query, and finds the
    DROP INDEX in its log.
    """
    dropped, end = at(17, 14), at(17, 40)
    timeout = "ERROR: canceling statement due to statement timeout"
    slow = "duration: {n}.441 ms  execute <unnamed>: SELECT balance_minor, currency, max(e.booked_at) FROM balances b JOIN entries e"
    ddl = "statement: DROP INDEX CONCURRENTLY entries_account_booked_idx"
    scenario = ledger.BASE._replace(
        id="rds-slow-query",
        faults=(
            Bend(ledger.DATABASE, "cpu", dropped, end, to=97.5, rise=2.0),
            Bend(ledger.DATABASE, "db_load", dropped, end, to=8.1, rise=3.0),
            Bend(ledger.DATABASE, "read_iops", dropped, end, times=6.0, rise=2.0),
            Slowdown(ledger.DATABASE, dropped, end, 70.0, rise=4.0),
            *ledger.refusing(at(17, 17), end, 0.22, timeout, "SELECT balances", after_ms=5_000),
        ),
        start=at(17, 2), end=end, now=end + timedelta(minutes=1), alarm=ledger.database_alarm("CPUUtilization", 90.0),
        habits=(
            *ledger.HABITS,
            Habit(ledger.DATABASE, 2.5, lines.postgres(slow, "LOG", ledger.APP, "10.0.31.14(52160)"), 2_100, 4_900, since=dropped),
            Habit(ledger.DATABASE, 20, lines.postgres(timeout.removeprefix("ERROR: "), "ERROR", ledger.APP, ledger.APP_HOST), 4, 90,
                since=at(17, 17)),
            Habit(ledger.DATABASE, 20, lines.postgres(ddl, "LOG", "dba@ledger", "10.0.9.{n}(49214)"), 5, 5, since=at(17, 13, 40),
                until=dropped),
        ),
        changes=(*ledger.backup(at(3, 10), at(3, 14)),),
        insights=ledger.performance(8.1, (("CPU", 7.4), ("IO:DataFileRead", 0.5)), ((_HISTORY_SQL, 7.2), (ledger.ENTRY_SQL, 0.5))),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (ledger.DATABASE,), "RESOURCE_EXHAUSTION", also=("CONFIGURATION",)))
