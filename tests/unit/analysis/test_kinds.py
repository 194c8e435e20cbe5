"""What metrics measure, by their names."""

import pytest

from superbiz.analysis import kinds
from superbiz.analysis.kinds import Kind
from support.incidents import build_series


@pytest.mark.parametrize(
    ("metric", "kind", "falling"),
    [
        ("Availability", Kind.AVAILABILITY, True),
        ("SuccessRate", Kind.AVAILABILITY, True),
        ("UnHealthyHostCount", Kind.ERRORS, False),
        ("HealthyHostCount", Kind.AVAILABILITY, True),
        ("HTTPCode_Target_5XX_Count", Kind.ERRORS, False),
        ("TargetResponseTime", Kind.LATENCY, False),
        ("Duration", Kind.LATENCY, False),
        ("CPUUtilization", Kind.SATURATION, False),
        ("DatabaseConnections", Kind.SATURATION, False),
        ("FreeStorageSpace", Kind.HEADROOM, True),
        ("FreeableMemory", Kind.HEADROOM, True),
        ("BurstBalance", Kind.HEADROOM, True),
        ("ReplicaLag", Kind.BACKLOG, False),
        ("ApproximateAgeOfOldestMessage", Kind.BACKLOG, False),
        ("ReadThrottleEvents", Kind.THROTTLING, False),
        ("pod_number_of_container_restarts", Kind.RESTARTS, False),
        ("RequestCount", Kind.TRAFFIC, None),
        ("Wibble", Kind.OTHER, None),
    ],
)
def test_a_metrics_name_tells_its_kind_and_its_bad_side(metric: str, kind: Kind, falling: bool | None) -> None:
    rule = kinds.rule_of(metric)
    assert (rule.kind, rule.falling) == (kind, falling)


def test_the_subject_is_the_most_telling_dimension() -> None:
    assert kinds.subject_of(build_series([], dimensions={"ClusterName": "c1", "ServiceName": "orders"})) == "orders"
    assert kinds.subject_of(build_series([], dimensions={"Region": "eu", "DBInstanceIdentifier": "orders-db"})) == "orders-db"
    assert kinds.subject_of(build_series([], dimensions={"B": "second", "A": "first"})) == "first"
    assert kinds.subject_of(build_series([], dimensions={}, namespace="AWS/Billing")) == "AWS/Billing"


def test_requests_can_weigh_and_rates_can_not() -> None:
    assert kinds.is_weight(build_series([], metric="Requests", stat="Sum"))
    assert not kinds.is_weight(build_series([], metric="Requests", stat="Average"))
    assert not kinds.is_weight(build_series([], metric="RequestLatency", stat="Sum"))


def test_millicores_and_percent_measure_one_thing() -> None:
    assert kinds.thing_of(build_series([], metric="CpuUsage")) == kinds.thing_of(build_series([], metric="CPUUtilization")) == "cpu"
    assert kinds.thing_of(build_series([], metric="Wibble")) == "wibble"
