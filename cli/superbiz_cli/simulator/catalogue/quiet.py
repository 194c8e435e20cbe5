"""Hours without a fault that an alarm or a person takes for an incident."""

from datetime import timedelta

from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.catalogue import clinic, ledger, lines, rides
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.chatter import Habit, Rollout
from superbiz_cli.simulator.faults import Bend, Slowdown


def tight_alarm() -> Story:
    """A new alarm on the edge's p99 is set inside what is ordinary: two ordinary datapoints in a row set it off.

    Everything is as on the day before: same latency, no more errors, the usual warnings. An engineer says that the threshold is too tight
    and closes it.
    """
    scenario = rides.BASE._replace(
        id="quiet-tight-alarm", start=at(11, 12), end=at(11, 40), now=at(11, 41),
        alarm=rides.latency_alarm(0.142, name="rides-alb-latency-p99-new", datapoints=2),
        changes=(
            *ledger.backup(at(0, 20), at(0, 26), rides.DATABASE),
            change(at(10, 15), "cloudtrail", "PutMetricAlarm", "rides-alb-latency-p99-new", "alarm created, threshold 0.142", "platform"),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("no_fault"))


def recovered() -> Story:
    """Autovacuum of a large table takes ledger-pg's CPU to 90 percent for four minutes; the alarm is looked at half an hour later.

    No request was slow, none failed; CPU fell by itself and the alarm went back to OK two minutes after it rang. An engineer says that it
    recovered, with the times, and leaves it: vacuuming is routine.
    """
    begin, end = at(17, 20), at(17, 54)
    vacuum = 'automatic vacuum of table "ledger.public.entries": index scans: 1, pages: 0 removed, {n} remain'
    scenario = ledger.BASE._replace(
        id="quiet-recovered", faults=(Bend(ledger.DATABASE, "cpu", begin, begin + timedelta(minutes=4), to=90.0),),
        start=at(17, 10), end=end, now=end + timedelta(minutes=1), alarm=ledger.database_alarm("CPUUtilization", 80.0),
        habits=(*ledger.HABITS, Habit(ledger.DATABASE, 50, lines.postgres(vacuum), 40_000, 90_000, since=begin + timedelta(minutes=3),
            until=begin + timedelta(minutes=5))),
        changes=(*ledger.backup(at(3, 10), at(3, 14)),),
    )  # fmt: skip
    return Story(scenario, Truth("no_fault"))


def healthy_rollout() -> Story:
    """portal is rolled out, and all goes well: new pods wait a minute for a node, fail their readiness probe while they start, and serve.

    An alarm on pending pods rings meanwhile and goes back. Kubernetes says Unhealthy and Killing, as in any rollout; no request failed or
    was slow. An engineer reads that it was over before anybody looked, and names no fault.
    """
    begin, end = at(13, 4), at(13, 22)
    new, old = ("portal-6d5c8f7b99-4kqzt", "portal-6d5c8f7b99-v8m2x"), clinic.PORTAL_PODS
    not_ready = 'Readiness probe failed: Get "http://10.0.13.90:3000/ready": dial tcp 10.0.13.90:3000: connect: connection refused'
    scenario = clinic.BASE._replace(
        id="quiet-healthy-rollout", faults=(Bend(clinic.PORTAL, "pending", begin, begin + timedelta(minutes=3), to=1.0),),
        start=at(12, 54), end=end, now=end + timedelta(minutes=1), rollouts=(Rollout(clinic.PORTAL, begin + timedelta(minutes=3), new),),
        alarm=AlarmRule("portal-pods-pending", "ContainerInsights", "pod_status_pending", "Sum", clinic.PORTAL, 0.5, False, 2,
                        "Pods of portal find no place"),
        changes=(
            clinic.rolled_out(begin, clinic.PORTAL, "deployment portal: image portal:2026.06.2 -> portal:2026.06.3"),
            *(clinic.object_event(begin + timedelta(seconds=30 + 60 * n), "Unhealthy", "Pod", p, not_ready, count=2) for n,
                p in enumerate(new)),
            *(clinic.object_event(begin + timedelta(minutes=2 + n), "Killing", "Pod", p, "Stopping container portal", normal=True)
              for n, p in enumerate(old)),
            clinic.object_event(begin + timedelta(minutes=3), "RolloutFinished", "Deployment", clinic.PORTAL,
                "2 of 2 updated replicas are available",
                                normal=True),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("no_fault"))


def batch_window() -> Story:
    """Every night at two statement-worker writes the day's statements: ledger-pg's CPU and reads rise for an hour, as the night before.

    The alarm on CPU does not know that. The same hour of the day before shows the same level from the same minute on, requests are as fast
    as then, nothing fails. An engineer says that this is the batch window and names no fault.
    """
    begin, end = at(2, 0), at(2, 32)
    batch = (
        Bend(ledger.DATABASE, "cpu", begin, at(3, 0), to=84.0, rise=3.0),
        Bend(ledger.DATABASE, "read_iops", begin, at(3, 0), times=7.0, rise=2.0),
        Bend(ledger.DATABASE, "db_load", begin, at(3, 0), to=1.7, rise=2.0),
        Bend(ledger.WORKER, "cpu", begin, at(3, 0), by=48.0, rise=2.0),
        Slowdown(ledger.DATABASE, begin, at(3, 0), 1.15),
    )
    nightly = lines.python("statement_worker.nightly", "{n} statements of the day written")
    scenario = ledger.BASE._replace(
        id="quiet-batch-window", always=batch, start=at(1, 50), end=end, now=end + timedelta(minutes=1), quiet_minutes=30,
        alarm=ledger.database_alarm("CPUUtilization", 75.0),
        habits=(
            *ledger.HABITS,
            *(Habit(ledger.WORKER, 12, nightly, 200, 9_000, since=begin - timedelta(days=n), until=at(3,
                0) - timedelta(days=n)) for n in (0, 1)),
        ),
        changes=(
            change(begin, "ecs", "RunTask", ledger.WORKER, "scheduled task statement-nightly started", "events.amazonaws.com"),
            change(begin - timedelta(days=1), "ecs", "RunTask", ledger.WORKER, "scheduled task statement-nightly started",
                "events.amazonaws.com"),
        ),
        insights=ledger.performance(1.7, (("CPU", 1.4), ("IO:DataFileRead", 0.2)), ((ledger.STATEMENT_SQL, 1.2), (ledger.ENTRY_SQL, 0.2))),
    )  # fmt: skip
    return Story(scenario, Truth("no_fault"))


def noisy_healthy() -> Story:
    """A noisy database that is healthy: connections between 130 and 165 of 200, deadlocks now and then, slow statements as every day.

    The alarm stands at 149 connections and rings on an ordinary value. There was an emergency rollback three days ago and a backup runs
    right now. Level, noise and log lines are those of the day before; latency and errors at the edge are ordinary. No fault.
    """
    end = at(3, 24)
    noisy = ledger.LEDGER.by_name[ledger.DATABASE]._replace(levels={"connections": 146.0}, restless=2.6)
    deadlock = "deadlock detected"
    slow = "duration: {n}.118 ms  execute <unnamed>: SELECT booked_at, amount_minor, text FROM entries WHERE account_id = $1"
    scenario = ledger.BASE._replace(
        id="quiet-noisy-healthy", system=ledger.LEDGER.replaced(noisy), start=at(2, 54), end=end, now=end + timedelta(minutes=1),
        alarm=ledger.database_alarm("DatabaseConnections", 149.0, datapoints=2),
        habits=(
            *ledger.HABITS,
            Habit(ledger.DATABASE, 160, lines.postgres(deadlock, "ERROR", ledger.APP, ledger.APP_HOST), 4, 90),
            Habit(ledger.DATABASE, 45, lines.postgres(slow, "LOG", ledger.APP, ledger.APP_HOST), 1_050, 1_900),
            Habit(ledger.API, 150, lines.logback("com.ledger.Api", "transaction retried after a deadlock, attempt {n}", "WARN"), 2, 3),
        ),
        changes=(
            change(at(3, 2) - timedelta(days=3), "deploy", "UpdateService", ledger.API, "EMERGENCY rollback ledger-api 9.2.0 -> 9.1.8",
                "on-call"),
            ledger.rds(at(3, 10), "0001", "Backing up DB instance"),
        ),
        insights=ledger.performance(1.1, (("CPU", 0.6), ("Lock:transactionid", 0.2), ("IO:DataFileRead", 0.2)), ledger.QUIET_SQL),
    )  # fmt: skip
    return Story(scenario, Truth("no_fault", ruled_out=(ledger.API,)))
