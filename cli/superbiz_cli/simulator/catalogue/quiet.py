"""Hours without a fault that an alarm or a person takes for an incident."""

from superbiz_cli.simulator.catalogue import rides
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Scenario


def tight_alarm() -> Story:
    """A new alarm on the edge's p99 is set inside what is ordinary: two ordinary datapoints in a row set it off.

    Everything is as on the day before: same latency, no more errors, the usual warnings. An engineer says that the threshold is too tight
    and closes it; a rollout of drivers-api two days ago is no cause of anything.
    """
    scenario = Scenario(
        id="quiet-tight-alarm", system=rides.RIDES, cluster=rides.CLUSTER, load=Load(rps=1.6), faults=(), start=at(11, 12), end=at(11, 40),
        now=at(11, 41), alarm=rides.latency_alarm(0.145, name="rides-alb-latency-p99-new", datapoints=2), habits=rides.HABITS,
        changes=(
            change(at(0, 20), "rds", "RDS-EVENT-0001", rides.DATABASE, "Backing up DB instance", "rds"),
            change(at(10, 15), "cloudtrail", "PutMetricAlarm", "rides-alb-latency-p99-new", "alarm created, threshold 0.145", "platform-team"),
        ),
        runbooks=rides.RUNBOOKS, quiet_minutes=10, normal_minutes=110,
    )  # fmt: skip
    return Story(scenario, Truth("no_fault"))
