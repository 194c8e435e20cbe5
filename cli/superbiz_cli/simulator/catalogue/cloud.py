"""Worlds of what a cloud adds: credits, a replaced cache node, a security group, a reserved concurrency, a network between two zones."""

from datetime import timedelta

from superbiz_cli.simulator.catalogue import ledger, lines, press, readings, rides
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.faults import Bend, Failing, Lag, Slowdown


def credits_spent() -> Story:
    """A breaking story keeps the t3 instances above their baseline until their CPU credits are gone; from then on they may use a fifth.

    CPU does not rise, it falls to 20 percent and stays there, while pages take seconds and PHP runs out of workers. CPUCreditBalance is at
    zero since that minute. Cache and MySQL are as fast as ever. An engineer names the instances of press-web, out of credits.
    """
    begin, spent, end = at(17, 30), at(18, 12), at(18, 34)
    full = "[09-Jun-2026] WARNING: [pool www] server reached pm.max_children setting ({n}), consider raising it"
    scenario = press.BASE._replace(
        id="ec2-credits-spent",
        faults=(
            *(Bend(i, "cpu", begin, spent, to=71.0, rise=4.0) for i in press.INSTANCES),
            *(Bend(i, "credits", begin, end, to=0.0, rise=42.0) for i in press.INSTANCES),
            *(Bend(i, "cpu", spent, end, to=20.0) for i in press.INSTANCES),
            Slowdown(press.WEB, spent, end, 26.0, rise=4.0),
            Failing(press.WEB, spent + timedelta(minutes=4), end, 0.08, "upstream timed out", after_ms=10_000),
        ),
        start=at(18, 0), end=end, now=end + timedelta(minutes=1), alarm=press.latency_alarm(0.6),
        habits=(*press.HABITS, *(Habit(i, 20, full, 40, 40, since=spent) for i in press.INSTANCES)),
        changes=(
            change(at(9, 12), "deploy", "CreateDeployment", press.WEB, "press-web release 881 deployed to 2 instances", "codedeploy"),
            *ledger.backup(at(3, 40), at(3, 44), press.DATABASE),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (press.WEB, *press.INSTANCES), "RESOURCE_EXHAUSTION"))


def cache_emptied() -> Story:
    """ElastiCache replaces the cache's node in its maintenance window; the new one is empty, and every page is made from MySQL.

    The hit rate falls from 94 to 9 percent at once, MySQL's CPU and reads rise with the misses and it becomes slow: an effect. Requests are
    as many as ever. An engineer names the cache's node and waits for it to warm, or sheds load; MySQL is not the cause.
    """
    replaced, end = at(4, 6), at(4, 26)
    select = "# Query_time: {n}.214 Lock_time: 0.000 Rows_sent: 1 Rows_examined: 48211 SELECT body FROM articles WHERE id = 91"
    scenario = press.BASE._replace(
        id="cache-emptied",
        faults=(
            Bend(press.CACHE, "hit_rate", replaced, end, to=9.0),
            Bend(press.CACHE, "memory", replaced, end, to=3.0),
            Bend(press.CACHE, "connections", replaced, replaced + timedelta(minutes=2), to=2.0),
            Bend(press.DATABASE, "cpu", replaced, end, to=91.0, rise=2.0),
            Bend(press.DATABASE, "read_iops", replaced, end, times=11.0, rise=2.0),
            Bend(press.DATABASE, "db_load", replaced, end, to=5.8, rise=2.0),
            Slowdown(press.DATABASE, replaced, end, 120.0, rise=4.0),
        ),
        start=at(3, 54), end=end, now=end + timedelta(minutes=1), alarm=press.latency_alarm(0.25),
        habits=(*press.HABITS, Habit(press.DATABASE, 6, select, 1, 3, since=replaced + timedelta(minutes=1))),
        changes=(
            change(at(4, 5, 40), "elasticache", "ElastiCache:CacheNodeReplaceStarted", press.CACHE, "Cache node 0001 is being replaced",
                "elasticache"),
            change(at(4, 6, 30), "elasticache", "ElastiCache:CacheNodeReplaceComplete", press.CACHE,
                "Finished recovery for cache nodes 0001", "elasticache"),
            *ledger.backup(at(3, 40), at(3, 44), press.DATABASE),
        ),
        insights=ledger.performance(
            5.8, (("CPU", 4.9), ("wait/io/table/sql/handler", 0.7)), (("SELECT body FROM articles WHERE id = ?", 4.4),
                ("SELECT * FROM front", 1.1)),
            instance=press.DATABASE,
        ),
    )  # fmt: skip
    truth = Truth("root_cause", (press.CACHE,), "INFRASTRUCTURE", also=("DEPENDENCY", "RESOURCE_EXHAUSTION"), telling=("CacheNodeReplace",))
    return Story(scenario, truth)


_CONNECT = "Connect timed out"
_CONNECT_TRACE = (
    "java.net.SocketTimeoutException: Connect timed out",
    "\tat java.base/sun.nio.ch.NioSocketImpl.timedFinishConnect(NioSocketImpl.java:546)",
    "\tat org.postgresql.core.PGStream.createSocket(PGStream.java:260)",
    "\tat com.zaxxer.hikari.pool.PoolBase.newConnection(PoolBase.java:364)",
    "\t... 38 more",
)
GROUP = "sg-0f3c9a7be21d44f05"


def port_closed() -> Story:
    """Somebody tidies security groups and revokes the rule that lets trips-api's tasks reach rides-pg: new connections time out.

    Open connections live on, so it gets worse as the pool renews them. rides-pg is idle and healthy, its connections fall; nothing is
    refused, packets are dropped. CloudTrail has RevokeSecurityGroupIngress of that minute. An engineer names the security group: network.
    """
    revoked, end = at(15, 20), at(15, 44)
    error = f"Connection to rides-pg failed: {_CONNECT}"
    scenario = rides.BASE._replace(
        id="security-group-closed",
        faults=(
            Failing(rides.DATABASE, revoked, end, 0.75, error, "INSERT trips", 3_000, 12, trace=_CONNECT_TRACE, unreached=True),
            Bend(rides.DATABASE, "connections", revoked, end, to=9.0, rise=14.0),
            Bend(rides.DATABASE, "cpu", revoked, end, times=0.6, rise=12.0),
            Bend(rides.DATABASE, "write_iops", revoked, end, times=0.4, rise=12.0),
        ),
        start=at(15, 6), end=end, now=end + timedelta(minutes=1), alarm=rides.failures_alarm(6.0),
        changes=(
            change(revoked, "cloudtrail", "RevokeSecurityGroupIngress", GROUP,
                "tcp 5432 from sg-06bb17d20c9e8a3f1 (trips-api) revoked on rides-pg",
                   "s.lindqvist"),
            change(at(14, 30), "deploy", "UpdateService", rides.PRICING, "pricing 5.11.3 rolled out to 2 tasks", "deploy-bot"),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (GROUP, rides.DATABASE), "NETWORK", also=("CONFIGURATION",), telling=("Revoke",)))


def concurrency_reserved() -> Story:
    """ingest-reading is given a reserved concurrency of one, meant for another function: two of five calls are throttled.

    Lambda counts Throttles, API Gateway answers 5xx; the function's own log shows only calls that went well, as fast as ever. An engineer
    names ingest-reading and PutFunctionConcurrency, a configuration; requests are as many as ever.
    """
    changed, end = at(10, 40), at(10, 56)
    throttled = "Rate Exceeded"
    scenario = readings.BASE._replace(
        id="lambda-concurrency-reserved",
        faults=(
            Failing(readings.INGEST, changed, end, 0.4, throttled, seen=throttled, unreached=True),
            Bend(readings.INGEST, "throttles", changed, end, by=32.0),
            Bend(readings.INGEST, "concurrency", changed, end, to=1.0),
            Bend(readings.INGEST, "requests", changed, end, times=0.6),
            Bend(readings.INGEST, "faults", changed, end, to=0.0),
        ),
        start=at(10, 28), end=end, now=end + timedelta(minutes=1), alarm=readings.failures_alarm(8.0),
        changes=(
            change(changed, "cloudtrail", "PutFunctionConcurrency20171031", readings.INGEST, "reservedConcurrentExecutions 1", "t.okafor"),
            change(at(8, 2), "cloudtrail", "UpdateFunctionCode20150331v2", readings.TARIFF, "quote-tariff 1.30.2 published", "ci"),
        ),
    )  # fmt: skip
    return Story(
        scenario, Truth("root_cause", (readings.INGEST,), "CONFIGURATION", also=("RESOURCE_EXHAUSTION",), telling=("PutFunction",))
    )


def zone_lossy() -> Story:
    """Between the zones of trips-api and pricing packets are lost: a third of the calls is under way for a second and a half.

    trips-api's spans are long, pricing's are as short as ever and begin late; the edge's own calls of pricing are fast. Neither service
    has errors, CPU or a deploy. An engineer names the way between the two, a network fault; AWS Health tells of it later.
    """
    start, end = at(21, 4), at(21, 28)
    slow = lines.logback("com.trips.http.Client", "call of pricing took {n} ms, of which 60 ms in pricing", "WARN")
    scenario = rides.BASE._replace(
        id="network-lossy", faults=(Lag(rides.TRIPS, rides.PRICING, start, end, 0.34, 1_500.0),), start=at(20, 50), end=end,
        now=end + timedelta(minutes=1), alarm=rides.latency_alarm(0.35),
        habits=(*rides.HABITS, Habit(rides.TRIPS, 14, slow, 1_100, 2_200, since=start)),
        changes=(change(at(16, 10), "deploy", "UpdateService", rides.PRICING, "pricing 5.11.4 rolled out to 2 tasks", "deploy-bot"),),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (rides.TRIPS, rides.PRICING), "NETWORK"))
