"""A newspaper on EC2: a load balancer, two instances of type t3 with nginx and PHP, a cache, MySQL."""

from collections.abc import Mapping
from datetime import timedelta

from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.catalogue import lines
from superbiz_cli.simulator.catalogue.story import DAY, at, standing
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Scenario
from superbiz_cli.simulator.system import Operation, Route, Service, System

EDGE, WEB, CACHE, DATABASE = "press-alb", "press-web", "press-cache-001", "press-mysql"
EDGE_ID = "app/press-alb/0c5f2b7ad81e6639"
INSTANCES = ("i-07d3b2c9f1a84e650", "i-0be91f6a3d27c4081")
WEB_LOG, PHP_LOG = "/press/web/access", "/press/web/php-fpm"

_EDGE = (
    Operation("GET /articles/{id}", 1, ((WEB, "GET /articles/{id}"),)),
    Operation("GET /", 1, ((WEB, "GET /"),)),
)
_WEB = (
    Operation("GET /articles/{id}", 38, ((CACHE, "GET"), (DATABASE, "SELECT articles"))),
    Operation("GET /", 55, ((CACHE, "MGET"), (DATABASE, "SELECT front"))),
)
PRESS = System(
    name="press",
    services=(
        Service(
            EDGE, "AWS::ElasticLoadBalancingV2::LoadBalancer", _EDGE, meters=("load_balancer",), known_as={"AWS/ApplicationELB": EDGE_ID}
        ),
        Service(WEB, "AWS::EC2::Instance", _WEB, "nginx", WEB_LOG, INSTANCES, meters=("signals",), hiccup="upstream prematurely closed"),
        *(Service(i, "", (), None, PHP_LOG, (i,), meters=("ec2",)) for i in INSTANCES),
        Service(CACHE, "AWS::ElastiCache", (Operation("GET", 0.6), Operation("MGET", 1.1)), cpu=11, meters=("elasticache",)),
        Service(
            DATABASE, "Database::SQL", (Operation("SELECT articles", 3), Operation("SELECT front", 6)), None,
            f"/aws/rds/instance/{DATABASE}/slowquery", (DATABASE,), cpu=19, meters=("rds",), hiccup="MySQL server has gone away",
        ),
    ),
    pools=(),
    routes=(Route((EDGE, "GET /articles/{id}"), 0.7), Route((EDGE, "GET /"), 0.3)),
    dimensions={"ApplicationSignals": {"Environment": "ec2:press"}},
)  # fmt: skip

_OPCACHE = "[09-Jun-2026] NOTICE: [pool www] opcache: {n} scripts cached"
_DEPRECATED = "[09-Jun-2026] WARNING: PHP Deprecated:  strftime() is deprecated in /var/www/press/theme/date.php on line {n}"
HABITS = (
    *(Habit(i, 70, _OPCACHE, 1_180, 1_240) for i in INSTANCES),
    *(Habit(i, 160, _DEPRECATED, 41, 44) for i in INSTANCES),
    Habit(DATABASE, 300,
        lines.mysql("Aborted connection {n} to db: 'press' user: 'web' host: '10.0.41.7' (Got timeout reading packets)."), 300, 900),
)  # fmt: skip


def latency_alarm(threshold: float) -> AlarmRule:
    """The edge answers too slowly; seconds."""
    words = f"Average response time of press-alb is above {threshold} seconds"
    return AlarmRule("press-alb-slow", "AWS/ApplicationELB", "TargetResponseTime", "Average", EDGE_ID, threshold, False, 3, words)


RUNBOOKS: Mapping[str, str] = {
    "press-alb-slow.md": """# press-alb-slow

Pages are made by PHP on two instances, from the cache, and from MySQL where the cache has nothing. Look at the instances first, then at the
cache's hit rate, then at MySQL.
""",
}
OTHER_ALARMS = (standing("press-mysql-cpu", "AWS/RDS CPUUtilization", {"DBInstanceIdentifier": DATABASE}, DAY - timedelta(days=6), 85.0),)
BASE = Scenario(
    id="", system=PRESS, cluster="", load=Load(rps=1.6), faults=(), start=at(18, 0), end=at(18, 30), now=at(18, 31), habits=HABITS,
    runbooks=RUNBOOKS, other_alarms=OTHER_ALARMS, quiet_minutes=10, normal_minutes=110,
)  # fmt: skip
