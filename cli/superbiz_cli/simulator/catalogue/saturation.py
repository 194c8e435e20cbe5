"""Worlds of services at their limits: CPU, memory, more requests than usual, a queue that nobody works off."""

from datetime import datetime, timedelta

from superbiz.domain.observations import LogLine
from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.catalogue import clinic, ledger, lines, rides
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change, standing
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.faults import Bend, Failing, Fault, Slowdown, Stopped, Surge
from superbiz_cli.simulator.load import Load


def cpu_saturated() -> Story:
    """pricing is given a map of zones a hundred times finer and needs three times the CPU for a quote: its two tasks are at 100 percent.

    Requests are as many as ever. Quotes queue, workers are killed by Gunicorn's time-out, trips wait for quotes. Callees answer as fast as
    before. An engineer names pricing, its CPU; the log line of the zones tells what changed. Nothing was deployed.
    """
    start, end = at(18, 2), at(18, 26)
    by_name = rides.RIDES.by_name
    pricing = by_name[rides.PRICING]._replace(capacity=2.2, overload="worker queue is full, request rejected")
    killed = "{zone} [1] [CRITICAL] WORKER TIMEOUT (pid:{n})"
    scenario = rides.BASE._replace(
        id="ecs-cpu-saturated", system=rides.RIDES.replaced(pricing),
        faults=(Slowdown(rides.PRICING, start, end, 3.1, rise=3.0),), start=at(17, 48), end=end, now=end + timedelta(minutes=1),
        alarm=rides.latency_alarm(0.6),
        habits=(
            *rides.HABITS,
            Habit(rides.PRICING, 55, lines.python("pricing.surge", "refreshed {n} zones"), 4_180, 4_190, since=start),
            Habit(rides.PRICING, 24, killed, 21, 60, since=start + timedelta(minutes=2)),
        ),
        changes=(
            change(at(18, 1, 30), "cloudtrail", "PutObject", "s3://rides-config/zones/current.json", "object written, 38 MB", "geo-team"),
            *ledger.backup(at(3, 10), at(3, 14), rides.DATABASE),
        ),
    )  # fmt: skip
    return Story(
        scenario, Truth("root_cause", (rides.PRICING,), "RESOURCE_EXHAUSTION", also=("DATA", "CONFIGURATION"), telling=("PutObject",))
    )


def _killed(moments: tuple[datetime, ...]) -> tuple[Fault, ...]:
    """For a minute and a half after each kill the other pod has all the work, and what hit the dead one fails."""
    gone = "connect ECONNREFUSED 10.0.12.31:8080"
    return tuple(Failing(clinic.RECORDS, m, m + timedelta(minutes=2), 0.5, gone, seen=gone, unreached=True) for m in moments)


_HEAP = (
    '{"@timestamp":"%s","level":"ERROR","logger_name":"com.records.Export","message":"export aborted",'
    '"stack_trace":"java.lang.OutOfMemoryError: Java heap space\\n\\tat java.base/java.util.Arrays.copyOf(Arrays.java:3541)\\n'
    '\\tat com.records.export.PdfBuffer.grow(PdfBuffer.java:64)"}'
)
_KILLED = "Memory cgroup out of memory: Killed process {} (java) total-vm:2893412kB, anon-rss:786012kB, file-rss:0kB"


def out_of_memory() -> Story:
    """records loses memory with each export: its containers climb to their limit in nine minutes, are killed, start, and climb again.

    Kubernetes says OOMKilled and counts restarts, the JVM says Java heap space before it dies, portal gets connection refused while a pod
    is away. An engineer names records, out of memory. Nodes have memory left; a CronJob that ran on time is routine.
    """
    begin, end = at(15, 1), at(15, 39)
    moments = tuple(begin + timedelta(minutes=9 * n) for n in (1, 2, 3, 4))
    again = "Back-off restarting failed container records in pod {} (last state: OOMKilled, exit code 137)"
    pods = clinic.RECORDS_PODS
    scenario = clinic.BASE._replace(
        id="k8s-out-of-memory",
        faults=(
            *_killed(moments),
            Bend(clinic.RECORDS, "memory", begin, end, to=99.0, teeth=9.0),
            Bend(clinic.RECORDS, "restarts", begin, end, to=5.0, rise=39.0),
            *(Bend(clinic.RECORDS, "ready", m, m + timedelta(minutes=2), to=1.0) for m in moments),
            Bend(clinic.RECORDS, "cpu", begin, end, by=22.0),
        ),
        start=at(14, 54), end=end, now=end, alarm=clinic.failures_alarm(3.0)._replace(datapoints=1),
        habits=(
            *clinic.HABITS,
            Habit(clinic.RECORDS, 40, lines.logback("com.records.Gc", "G1 Pause Full (Allocation Failure) took {n} ms", "WARN"), 400,
                2_900, since=begin),
        ),
        said=tuple(
            LogLine(clinic.APPLICATION_LOG, pods[n % 2], int(m.timestamp() * 1000) - 4_000,
                _HEAP % (m - timedelta(seconds=4)).strftime("%Y-%m-%dT%H:%M:%S.812Z"))
            for n, m in enumerate(moments)
        ),
        changes=(
            *(clinic.object_event(m, "OOMKilling", "Node", clinic.NODES[n % 2], _KILLED.format(21_870 + 911 * n)) for n,
                m in enumerate(moments)),
            *(
                clinic.object_event(m + timedelta(seconds=20), "BackOff", "Pod", pods[n % 2], again.format(pods[n % 2]), count=n + 1)
                for n, m in enumerate(moments)
            ),
            clinic.object_event(at(15, 0), "SuccessfulCreate", "CronJob", "reminders", "Created job reminders-29140020", normal=True),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (clinic.RECORDS, *pods), "RESOURCE_EXHAUSTION", telling=("OOMKilling", "BackOff")))


def traffic_surge() -> Story:
    """A scraper asks for nearby drivers nine times as often as all customers together: drivers-api is at its limit and refuses a part.

    The load balancer counts three times its requests, all of the surplus on one path; drivers-api's CPU is at 100 percent, its answers are
    slow or 503; everything else is as ever. An engineer names the surge at the edge, or drivers-api that it exhausts. No deploy, no change.
    """
    start, end = at(20, 10), at(20, 30)
    drivers = rides.RIDES.by_name[rides.DRIVERS]._replace(capacity=1.15, overload="http: server overloaded, 256 requests in flight")
    scenario = rides.BASE._replace(
        id="traffic-surge", system=rides.RIDES.replaced(drivers), load=Load(rps=1.5),
        faults=(Surge(start, end, 9.0, rise=3.0, route="GET /v1/drivers/nearby"), Bend(rides.CACHE, "cpu", start, end, by=21.0, rise=3.0)),
        start=at(19, 56), end=end, now=end + timedelta(minutes=1), alarm=rides.failures_alarm(),
        habits=(
            *rides.HABITS,
            Habit(rides.DRIVERS, 4, lines.zap("api/limit.go:40", "client 198.51.100.23 python-requests/2.32.3 over soft limit", "rpm",
                "warn"), 280, 900, since=start),
        ),
        other_alarms=(
            *rides.OTHER_ALARMS[::2],
            standing("drivers-api-cpu-high", "AWS/ECS CPUUtilization", {"ClusterName": rides.CLUSTER, "ServiceName": rides.DRIVERS},
                     at(20, 14), 85.0, ringing=True),
        ),
        changes=(change(at(8, 30), "deploy", "UpdateService", rides.TRIPS, "trips-api 7.11.2 rolled out to 2 tasks", "deploy-bot"),),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (rides.DRIVERS, rides.EDGE, rides.EDGE_ID), "RESOURCE_EXHAUSTION"))


def queue_backlog() -> Story:
    """Somebody sets receipt-worker to no tasks for a test and forgets it: the queue of receipts grows, the oldest waits for half an hour.

    Messages are sent as ever, none is received; RunningTaskCount and DesiredTaskCount are zero since UpdateService; the worker is silent.
    An engineer names receipt-worker, set to zero: a configuration. The queue is a symptom, and a snapshot of the database is routine.
    """
    begin, end = at(7, 4), at(7, 38)
    stopped = "(service receipt-worker) has stopped 1 running tasks: (task e83a17f4c2)."
    scenario = rides.BASE._replace(
        id="queue-backlog", faults=(Stopped(rides.RECEIPTS, begin, end),), start=at(6, 50), end=end, now=end + timedelta(minutes=1),
        alarm=AlarmRule("receipts-age-high", "AWS/SQS", "ApproximateAgeOfOldestMessage", "Maximum", rides.QUEUE, 600.0, False, 3,
                              "The oldest receipt waits for more than ten minutes"),
        changes=(
            change(begin, "cloudtrail", "UpdateService", rides.RECEIPTS, "desiredCount 0 in cluster rides-prod", "j.moreau",
                desiredCount=0),
            change(begin + timedelta(seconds=25), "ecs", "SERVICE_TASK_STOPPED", rides.RECEIPTS, stopped, "ecs"),
            *ledger.backup(at(6, 55), at(7, 2), rides.DATABASE),
        ),
    )  # fmt: skip
    return Story(
        scenario, Truth("root_cause", (rides.RECEIPTS,), "CONFIGURATION", also=("DEPLOYMENT",), telling=("UpdateService", "STOPPED"))
    )
