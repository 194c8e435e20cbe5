"""Worlds without servers: a table that throttles, a function that starts cold."""

from datetime import timedelta

from superbiz_cli.simulator.catalogue import readings
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.faults import Bend, Delayed, Failing, Surge

_THROTTLED = (
    "An error occurred (ProvisionedThroughputExceededException) when calling the PutItem operation (reached max retries: 4): The level of "
    "configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API."
)
_THROTTLED_TRACE = (
    "Traceback (most recent call last):",
    '  File "/var/task/store/app.py", line 42, in handler',
    "    table.put_item(Item=reading)",
    '  File "/opt/python/botocore/client.py", line 1078, in _make_api_call',
    "    raise error_class(parsed_response, operation_name)",
    f"botocore.errorfactory.ProvisionedThroughputExceededException: {_THROTTLED}",
)


def table_throttled() -> Story:
    """Meters send twice as many readings after a firmware update; the table's write capacity is provisioned for less and throttles.

    store-reading fails with ProvisionedThroughputExceededException, its messages come back, the queue grows and its oldest message ages;
    the dead-letter queue fills. ingest-reading is healthy; its own deploy of this morning changed a log level. An engineer names
    meter-readings, its write capacity.
    """
    start, end = at(5, 30), at(5, 54)
    scenario = readings.BASE._replace(
        id="dynamodb-throttled",
        faults=(
            Surge(start, end, 2.1, rise=4.0, route="POST /readings"),
            Failing(readings.TABLE, start, end, 0.46, _THROTTLED, after_ms=900.0, rise=4.0, trace=_THROTTLED_TRACE),
            Bend(readings.DEAD, "depth", at(5, 38), end, by=260.0, rise=16.0),
        ),
        start=at(5, 20), end=end, now=end + timedelta(minutes=1), alarm=readings.age_alarm(180.0),
        changes=(
            change(at(5, 4), "cloudtrail", "UpdateFunctionConfiguration20150331v2", readings.INGEST, "environment LOG_LEVEL INFO -> WARN",
                "ci"),
            change(at(1, 0), "cloudtrail", "CreateBackup", readings.TABLE, "on-demand backup meter-readings-daily", "backup.amazonaws.com"),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (readings.TABLE,), "RESOURCE_EXHAUSTION"))


def cold_starts() -> Story:
    """The provisioned concurrency of quote-tariff is taken away to save money: every third call starts cold, some longer than they may.

    REPORT lines tell Init Durations of four seconds, a part of the calls ends with Task timed out after 6.00 seconds; warm calls are as
    fast as ever, the table answers in milliseconds. An engineer names quote-tariff, and the deleted provisioned concurrency as the change.
    """
    changed, end = at(16, 2), at(16, 16)
    timed_out = "Task timed out after 6.00 seconds"
    scenario = readings.BASE._replace(
        id="lambda-cold-starts",
        faults=(
            Delayed(readings.TARIFF, changed, end, 0.34, 4_100.0),
            Failing(readings.TARIFF, changed, end, 0.07, timed_out, after_ms=5_900.0, seen="504 Gateway Timeout"),
        ),
        start=at(15, 50), end=end, now=end + timedelta(minutes=1), alarm=readings.latency_alarm(700.0),
        changes=(
            change(changed, "cloudtrail", "DeleteProvisionedConcurrencyConfig", readings.TARIFF, "qualifier live", "m.keller"),
            change(at(11, 20), "deploy", "UpdateFunctionCode", readings.STORE, "store-reading 2.7.0 deployed", "ci"),
        ),
    )  # fmt: skip
    return Story(
        scenario, Truth("root_cause", (readings.TARIFF,), "CONFIGURATION", also=("RESOURCE_EXHAUSTION",), telling=("DeleteProvisioned",))
    )
