"""Incidents that the evidence at hand does not settle: an honest engineer says so."""

from superbiz_cli.simulator.catalogue import ledger
from superbiz_cli.simulator.catalogue.story import Story, Truth, at
from superbiz_cli.simulator.faults import Failing
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Gap, Scenario


def edge_only() -> Story:
    """The edge's errors rise, and that is all that can be seen: no logs, no traces, no events, no metric of anything behind the edge.

    That there is a fault is plain; what it is can not be told. An engineer says which sources were missing and names no cause.
    """
    start, end = at(15, 6), at(15, 24)
    scenario = Scenario(
        id="unclear-edge-only", system=ledger.LEDGER, cluster=ledger.CLUSTER, load=Load(rps=1.5),
        faults=(Failing(ledger.DATABASE, start, end, 0.4, "connection refused"),),
        start=at(14, 52), end=end, now=at(15, 25), alarm=ledger.failures_alarm(),
        gaps=tuple(Gap("", resource) for resource in (ledger.API, ledger.WORKER, ledger.DATABASE)),
        without=("logs", "traces", "events", "insights", "service_map"), runbooks=ledger.RUNBOOKS, quiet_minutes=10, normal_minutes=110,
    )  # fmt: skip
    return Story(scenario, Truth("inconclusive", not_checked=("logs", "traces")))
