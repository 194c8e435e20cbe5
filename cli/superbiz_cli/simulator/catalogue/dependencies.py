"""Worlds in which something outside fails: a provider, a certificate, a password, a name that does not resolve."""

from superbiz_cli.simulator.catalogue import rides
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.faults import Failing
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Scenario

_DOWN_TRACE = (
    "Traceback (most recent call last):",
    '  File "/app/pricing/maps.py", line 58, in route',
    "    answer = self._session.get(url, timeout=(1.0, 2.5))",
    '  File "/usr/local/lib/python3.12/site-packages/requests/adapters.py", line 713, in send',
    "    raise ReadTimeout(e, request=request)",
    "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='api.maps.example.net', port=443): Read timed out. (read timeout=2.5)",
)


def provider_down() -> Story:
    """The map provider stops answering; pricing waits 2.5 s for it, and trips and quotes fail above it.

    An engineer sees read time-outs to one host in pricing's log, the remote spans at 2.5 s, everything above slow and failing, and
    pricing's own resources idle: the provider is down. There is no deploy near; a rollout of drivers-api five hours before is unrelated.
    """
    start, end = at(9, 42), at(10, 5)
    down = "HTTPSConnectionPool(host='api.maps.example.net', port=443): Read timed out. (read timeout=2.5)"
    scenario = Scenario(
        id="maps-provider-down", system=rides.RIDES, cluster=rides.CLUSTER, load=Load(rps=1.7),
        faults=(Failing(rides.MAPS, start, end, 0.7, down, after_ms=2_440.0, trace=_DOWN_TRACE),),
        start=at(9, 28), end=end, now=at(10, 7), alarm=rides.failures_alarm(10.0), habits=rides.HABITS,
        changes=(
            change(at(4, 40), "deploy", "UpdateService", rides.DRIVERS, "drivers-api 1.88.0 rolled out to 1 task", "deploy-bot"),
            change(at(9, 15), "rds", "RDS-EVENT-0001", rides.DATABASE, "Backing up DB instance", "rds"),
            change(at(9, 24), "rds", "RDS-EVENT-0002", rides.DATABASE, "Finished DB instance backup", "rds"),
        ),
        runbooks=rides.RUNBOOKS, quiet_minutes=10, normal_minutes=110,
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (rides.MAPS,), "DEPENDENCY", ruled_out=("drivers-api",)))
