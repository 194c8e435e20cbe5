"""Meter readings without servers: API Gateway, two functions, a queue with its dead-letter queue, a table; and a tariff function."""

from collections.abc import Mapping
from datetime import timedelta

from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.catalogue import lines
from superbiz_cli.simulator.catalogue.story import DAY, at, standing
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.faults import Delayed
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Scenario
from superbiz_cli.simulator.system import Operation, Queue, Route, Service, System

API, INGEST, STORE, TARIFF = "readings-api", "ingest-reading", "store-reading", "quote-tariff"
QUEUE, DEAD, TABLE, TARIFFS = "readings", "readings-dlq", "meter-readings", "tariffs"

_API = (
    Operation("POST /readings", 4, ((INGEST, "ingest"),)),
    Operation("GET /tariff", 4, ((TARIFF, "quote"),)),
)


def function(name: str, operation: Operation) -> Service:
    """A function with its log group and its newest streams."""
    streams = tuple(f"2026/06/09/[$LATEST]{name[:3]}{n}c41d77a0be4e2f9d5513a8" for n in (0, 1, 2))
    return Service(
        name,
        "AWS::Lambda::Function",
        (operation,),
        "lambda",
        f"/aws/lambda/{name}",
        streams,
        meters=("lambda",),
        hiccup="Connection was closed before we received a valid response from endpoint URL",
    )


READINGS = System(
    name="readings",
    services=(
        Service(API, "AWS::ApiGateway::Stage", _API, meters=("api_gateway",)),
        function(INGEST, Operation("ingest", 26, (), said="reading {n} accepted")),
        function(STORE, Operation("store", 18, ((TABLE, "PutItem"),), said="reading {n} stored")),
        function(TARIFF, Operation("quote", 34, ((TARIFFS, "GetItem"),), said="tariff quoted for {n}")),
        Service(QUEUE, "AWS::SQS::Queue", (), meters=("sqs",)),
        Service(DEAD, "AWS::SQS::Queue", (), meters=("dead_letters",)),
        Service(TABLE, "AWS::DynamoDB::Table", (Operation("PutItem", 5),), meters=("dynamodb",), levels={"provisioned_write": 2.0}),
        Service(TARIFFS, "AWS::DynamoDB::Table", (Operation("GetItem", 4),), meters=("dynamodb",)),
    ),
    pools=(),
    routes=(Route((API, "POST /readings"), 0.75), Route((API, "GET /tariff"), 0.25)),
    queues=(Queue(QUEUE, (INGEST, "ingest"), (STORE, "store"), 3.4),),
)

_WARMED = '{{"level":"INFO","location":"cache:19","message":"{n} meters known","timestamp":"{stamp}","service":"ingest-reading"}}'
_ODD = '{{"level":"WARNING","location":"checks:57","message":"reading below the last one by {n}, kept for review","timestamp":"{stamp}","service":"store-reading"}}'  # noqa: E501 - one line of a log
HABITS = (
    Habit(INGEST, 60, _WARMED, 18_000, 18_400),
    Habit(STORE, 150, _ODD, 1, 40),
    Habit(TARIFF, 300, lines.python("quote_tariff", "tariff table older than {n} min, read again", "WARNING"), 60, 64),
)
# a cold start now and then is ordinary
WARM = tuple(Delayed(f, DAY, DAY.replace(hour=23), 0.006, 640.0) for f in (INGEST, STORE, TARIFF))


def age_alarm(threshold: float) -> AlarmRule:
    """Readings wait too long; seconds."""
    words = f"The oldest reading waits for more than {threshold:.0f} seconds"
    return AlarmRule("readings-age-high", "AWS/SQS", "ApproximateAgeOfOldestMessage", "Maximum", QUEUE, threshold, False, 3, words)


def failures_alarm(threshold: float) -> AlarmRule:
    """The API answers with 5xx; responses a minute."""
    words = f"readings-api gives more than {threshold:.0f} server errors a minute"
    return AlarmRule("readings-api-5xx-high", "AWS/ApiGateway", "5XXError", "Sum", API, threshold, False, 3, words)


def latency_alarm(threshold: float) -> AlarmRule:
    """The API is slow; milliseconds."""
    words = f"p99 latency of readings-api is above {threshold:.0f} ms"
    return AlarmRule("readings-api-latency-high", "AWS/ApiGateway", "Latency", "p99", API, threshold, False, 3, words)


RUNBOOKS: Mapping[str, str] = {
    "readings-age-high.md": """# readings-age-high

Readings wait in the queue `readings` because store-reading is too slow, fails, or does not run. Look at its errors and throttles, then at
the table meter-readings: `WriteThrottleEvents`, consumed against provisioned capacity.
""",
    "readings-api-latency-high.md": """# readings-api-latency-high

Compare `Duration` of ingest-reading and quote-tariff. Long `Init Duration` in REPORT lines are cold starts.
""",
}
OTHER_ALARMS = (
    standing("store-reading-errors", "AWS/Lambda Errors", {"FunctionName": STORE}, DAY - timedelta(days=30), 50.0),
    standing("readings-api-4xx", "AWS/ApiGateway 4XXError", {"ApiName": API}, DAY - timedelta(days=1), 40.0),
)
BASE = Scenario(
    id="", system=READINGS, cluster="", load=Load(rps=1.7), faults=(), start=at(9, 30), end=at(10, 0), now=at(10, 1), habits=HABITS,
    runbooks=RUNBOOKS, other_alarms=OTHER_ALARMS, quiet_minutes=10, normal_minutes=110, always=WARM,
)  # fmt: skip
