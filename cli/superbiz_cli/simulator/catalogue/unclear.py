"""Incidents that the evidence at hand does not settle: an honest engineer says so."""

from datetime import timedelta

from superbiz_cli.simulator.catalogue import ledger, rides
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.faults import Failing
from superbiz_cli.simulator.scenario import Gap


def edge_only() -> Story:
    """The edge's errors rise, and that is all that can be seen: no logs, no traces, no events, no metric of anything behind the edge.

    That there is a fault is plain; what it is can not be told. An engineer says which sources were missing and names no cause.
    """
    start, end = at(15, 6), at(15, 24)
    scenario = ledger.BASE._replace(
        id="unclear-edge-only", faults=(Failing(ledger.DATABASE, start, end, 0.4, "connection refused"),),
        start=at(14, 52), end=end, now=at(15, 25), alarm=ledger.failures_alarm(), insights={},
        gaps=tuple(Gap("", resource) for resource in (ledger.API, ledger.WORKER, ledger.DATABASE)),
        without=("logs", "traces", "events", "insights", "service_map"),
    )  # fmt: skip
    return Story(scenario, Truth("inconclusive", not_checked=("logs", "traces")))


def twin_rollouts() -> Story:
    """Two services on one path are rolled out by the same pipeline in the same minute; the edge's errors rise right after.

    Logs and traces can not be read, and neither service has metrics of its own. Each rollout explains the errors as well as the other, and
    nothing tells them apart. An engineer rolls back one after the other, but names no cause.
    """
    start, end = at(12, 8), at(12, 26)
    scenario = rides.BASE._replace(
        id="unclear-twin-rollouts",
        faults=(Failing(rides.PRICING, start, end, 0.3, "KeyError: 'tier'", seen="500 Internal Server Error"),),
        start=at(11, 54), end=end, now=end + timedelta(minutes=1), alarm=rides.failures_alarm(8.0),
        gaps=tuple(Gap("", resource) for resource in (rides.TRIPS, rides.PRICING)), without=("logs", "traces"),
        changes=tuple(
            change(at(12, 7, 30), "deploy", "UpdateService", name, f"{name} {version} rolled out to 2 tasks", "deploy-bot")
            for name, version in ((rides.PRICING, "5.12.0"), (rides.TRIPS, "7.13.0"))
        ),
    )  # fmt: skip
    return Story(scenario, Truth("inconclusive", not_checked=("logs", "traces")))
