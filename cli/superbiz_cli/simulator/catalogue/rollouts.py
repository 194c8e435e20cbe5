"""Worlds of a deploy that brings a fault into the code, with and without a service map, and of two faults at once."""

from datetime import datetime, timedelta

from superbiz_cli.simulator.catalogue import ledger, rides
from superbiz_cli.simulator.catalogue.dependencies import DOWN_TRACE, READ_TIMED_OUT
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.chatter import Rollout
from superbiz_cli.simulator.faults import Bend, Failing, Fault
from superbiz_cli.simulator.scenario import Scenario

_NULL = 'java.lang.NullPointerException: Cannot invoke "com.trips.model.Rider.loyaltyTier()" because "rider" is null'
_NULL_TRACE = (
    _NULL,
    "\tat com.trips.fare.LoyaltyDiscount.apply(LoyaltyDiscount.java:47)",
    "\tat com.trips.fare.FareService.estimate(FareService.java:121)",
    "\tat com.trips.TripController.create(TripController.java:66)",
    "\tat java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)",
    "\t... 52 more",
)
NEW_TASKS = ("ecs/trips-api/d1107c3e95", "ecs/trips-api/38fa60b2c7")


def _regression() -> Scenario:
    deploy, end = at(12, 20), at(12, 28)
    return rides.BASE._replace(
        id="deploy-regression",
        faults=(
            Failing(rides.TRIPS, deploy, end, 0.42, _NULL, "POST /trips", seen="500 Internal Server Error", trace=_NULL_TRACE, rise=3.0),
        ),
        start=at(12, 6), end=end, now=end + timedelta(minutes=1), alarm=rides.failures_alarm(4.0),
        rollouts=(Rollout(rides.TRIPS, deploy, NEW_TASKS),),
        changes=(
            change(deploy, "deploy", "UpdateService", rides.TRIPS, "trips-api 7.12.0 rolled out to 2 tasks", "deploy-bot",
                previous="7.11.2",
                   version="7.12.0"),
            change(deploy + timedelta(minutes=2), "deploy", "UpdateService", rides.DRIVERS, "drivers-api 1.88.1 rolled out to 1 task",
                   "deploy-bot"),
            ledger.rds(at(12, 14), "0042", "Manual DB snapshot created: rides-pg-before-july", rides.DATABASE),
        ),
    )  # fmt: skip


def deploy_regression() -> Story:
    """trips-api 7.12.0 does not expect a rider without a loyalty tier: four of ten new trips end in a NullPointerException.

    Only POST /trips fails, only after the rollout, and the stack trace names LoyaltyDiscount.java:47. drivers-api was rolled out two
    minutes later and a snapshot was made just before: neither touches trips. An engineer names trips-api's new version and rolls it back.
    """
    truth = Truth(
        "root_cause", (rides.TRIPS,), "DEPLOYMENT", "POST /trips", also=("CODE_DEFECT",), ruled_out=(rides.DRIVERS, rides.DATABASE),
        telling=("UpdateService of trips-api",),
    )  # fmt: skip
    return Story(_regression(), truth)


def deploy_regression_unmapped() -> Story:
    """The same rollout in an account without a service map and without traces.

    Metrics, logs and changes still name trips-api; that there was no map must be said, and drivers-api is cleared by its own health.
    """
    scenario = _regression()._replace(id="deploy-regression-unmapped", without=("service_map", "traces"))
    truth = Truth(
        "root_cause", (rides.TRIPS,), "DEPLOYMENT", also=("CODE_DEFECT",), not_checked=("map", "traces"),
        telling=("UpdateService of trips-api",),
    )  # fmt: skip
    return Story(scenario, truth)


def two_faults() -> Story:
    """Two faults meet: the map provider times out for a part of the quotes, and drivers-api's only task is killed for want of memory.

    They have nothing to do with each other: other paths, other words, other starts. The edge's errors are the sum. An engineer names both,
    the provider (a dependency) and drivers-api (out of memory, exit code 137), and does not explain one by the other.
    """
    first, second, end = at(19, 6), at(19, 11), at(19, 36)
    scenario = rides.BASE._replace(
        id="two-faults",
        faults=(
            Failing(rides.MAPS, first, end, 0.4, READ_TIMED_OUT, after_ms=2_440.0, trace=DOWN_TRACE),
            *_task_killed(tuple(second + timedelta(minutes=8 * n) for n in range(3))),
            Bend(rides.DRIVERS, "memory", at(18, 50), end, to=100.0, teeth=8.0),
        ),
        start=at(18, 52), end=end, now=end + timedelta(minutes=1), alarm=rides.failures_alarm(),
        changes=(
            *(
                change(second + timedelta(minutes=8 * n, seconds=4), "ecs", "ECS Task State Change", rides.DRIVERS,
                       "task drivers-api/9f2d6610be stopped: OutOfMemoryError: Container killed due to memory usage (exit code 137)", "ecs",
                       stopCode="EssentialContainerExited")
                for n in range(3)
            ),
            *ledger.backup(at(3, 10), at(3, 14), rides.DATABASE),
        ),
    )  # fmt: skip
    truth = Truth(
        "root_cause", (rides.MAPS,), "DEPENDENCY", second=(rides.DRIVERS,), second_category="RESOURCE_EXHAUSTION", rank=2,
        telling=("ECS Task",),
    )  # fmt: skip
    return Story(scenario, truth)


def _task_killed(moments: tuple[datetime, ...]) -> tuple[Fault, ...]:
    """Until another task runs, nobody answers for drivers-api."""
    gone = "502 Bad Gateway"
    killed = (Failing(rides.DRIVERS, m, m + timedelta(minutes=4), 1.0, gone, seen=gone, unreached=True) for m in moments)
    away = (Bend(rides.DRIVERS, "running", m, m + timedelta(minutes=4), to=0.0) for m in moments)
    return (*killed, *away)
