"""Known faults in recorded outputs, through the real tools and recorder."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from superbiz.analysis.deciding import Channel, Sign
from superbiz.analysis.faults import Name, Seen
from superbiz.domain.claims import FaultCategory as F
from superbiz.domain.observations import AlarmListing, AlarmRow, LogLine, Series
from superbiz.domain.values import iso
from superbiz.engines.offline import recognising, sighting
from superbiz.ports import RecordedCall
from support.incidents import START, Incident, build_change, build_line, build_series, calls, toolbox, wavering

MINUTES_BEFORE = 60
DB: dict[str, Any] = {"namespace": "AWS/RDS", "dimensions": {"DBInstanceIdentifier": "orders-db"}}
SHOP = calls(gateway=["orders"], orders=["orders-db", "api.pay.example.com"])


def recorded(incident: Incident, *more: tuple[str, dict[str, Any]]) -> list[RecordedCall]:
    """What the first calls of an investigation record."""
    tools = toolbox(incident)
    first = [("query_metrics", {}), ("rank_suspects", {"metric": "Latency"}), ("query_logs", {}), ("list_alarms", {})]
    return [tools.call(name, params) for name, params in [*first, ("list_changes", {"onset": iso(START)}), *more]]


def signs(incident: Incident, *more: tuple[str, dict[str, Any]]) -> list[Sign]:
    return list(recognising.read(recorded(incident, *more)).signs)


def told(found: Sequence[Sign]) -> list[tuple[str, str]]:
    return [(s.resource, s.fault) for s in found if s.strength >= 0.5]


def jump(before: float, now: float, **fields: Any) -> Series:
    """An hour as always, then half an hour at another value."""
    values = [*wavering(before, MINUTES_BEFORE), *wavering(now, 30, 0.01)]
    return build_series(values, start=START - timedelta(minutes=MINUTES_BEFORE), **fields)


def lines(message: str, service: str, count: int = 120) -> list[LogLine]:
    ordinary = [build_line(f"INFO handled request {n}", minute=n / 10, service=service) for n in range(200)]
    return [*ordinary, *(build_line(message, minute=5 + n / 10, service=service) for n in range(count))]


def logged(*bad: tuple[str, str], **fields: Any) -> Incident:
    """(service, bad line): an incident in which each says so again and again."""
    now = [line for service, message in bad for line in lines(message, service)]
    usual = [line for service, _ in bad for line in lines("", service, 0)]
    return Incident(lines=sorted(now, key=lambda x: x.timestamp), normal_lines=sorted(usual, key=lambda x: x.timestamp), **fields)


def test_a_saturated_database_is_recognised_from_its_metrics() -> None:
    found = signs(Incident(series=[jump(20, 97, metric="CPUUtilization", unit="Percent", **DB)]))
    assert told(found) == [("orders-db", Name.CPU)]
    assert (found[0].channel, found[0].category) == (Channel.FAULT, F.RESOURCE_EXHAUSTION)
    assert found[0].key.endswith("$.conditions[0]")


def test_waits_and_one_statement_tell_what_is_behind_the_cpu() -> None:
    load = {
        "db_instance": "orders-db",
        "max_vcpus": 2,
        "top_waits": [{"wait": "CPU", "load": 8}],
        "top_sql": [{"sql": "SELECT 1", "load": 7}],
    }
    incident = Incident(series=[jump(20, 97, metric="CPUUtilization", unit="Percent", **DB)], documents={"performance_insights": load})
    assert told(signs(incident, ("read_insights", {}))) == [("orders-db", Name.STATEMENT)]


def test_locks_behind_an_open_transaction() -> None:
    load = {"db_instance": "orders-db", "max_vcpus": 2, "top_waits": [{"wait": "Lock:transactionid", "load": 30}],
            "sessions": [{"pid": 1, "state": "idle in transaction", "xact_start": iso(START)}]}  # fmt: skip
    found = signs(Incident(documents={"performance_insights": load}), ("read_insights", {}))
    assert told(found) == [("orders-db", Name.LOCKS)]
    assert found[0].category is F.DATA


def test_an_idle_database_shows_nothing() -> None:
    load = {"db_instance": "orders-db", "max_vcpus": 4, "db_load": [0.2], "top_waits": [{"wait": "CPU", "load": 0.1}]}
    assert signs(Incident(documents={"performance_insights": load}), ("read_insights", {})) == []


def test_a_bad_line_that_names_its_fault_is_a_sign() -> None:
    found = signs(logged(("orders", "ERROR x509: certificate signed by unknown authority")))
    assert told(found) == [("orders", Name.CERTIFICATE)]


def test_who_is_named_in_a_bad_line_is_blamed_and_who_speaks_has_the_effect() -> None:
    incident = logged(("orders", "ERROR POST https://api.pay.example.com/charges: 503 Service Unavailable"), series=[], services=SHOP)
    found = recognising.read(recorded(incident))
    assert told(found.signs) == [("api.pay.example.com", Name.BLAMED)]
    assert min(found.echoes.values()) < 0.5


def test_a_host_that_nobody_knows_is_blamed_by_its_name() -> None:
    assert told(signs(logged(("orders", "ERROR https://hooks.example.org/v1 timed out")))) == [("hooks.example.org", Name.BLAMED)]


def test_what_a_client_hears_of_a_limit_is_of_the_server_that_it_names() -> None:
    found = signs(
        logged(("orders", "ERROR orders-db: FATAL: sorry, too many clients already"), series=[jump(20, 20, metric="CPUUtilization", **DB)])
    )
    assert told(found) == [("orders-db", Name.CONNECTION_LIMIT)]


def test_a_clients_words_of_a_full_disk_are_of_its_database() -> None:
    said = ("orders", 'ERROR org.postgresql.util.PSQLException: could not extend file "base/1": No space left on device')
    incident = logged(said, ("orders-db", "ERROR: could not extend file: No space left on device"), series=[], services=SHOP)
    assert ("orders-db", Name.STORAGE_FULL) in told(signs(incident))


def test_evidence_of_an_effect_speaks_for_its_cause_and_no_longer_for_its_place() -> None:
    failing = ("orders", "ERROR connection refused")
    failover = build_change(-1, source="rds", name="RDS-EVENT-0013", resource="orders-db", message="Multi-AZ instance failover started.")
    incident = logged(failing, events=[failover], series=[], services=SHOP)
    found = recognising.read(recorded(incident))
    alone = next(s for s in signs(Incident(events=[failover])) if s.fault == Name.FAILOVER)
    assert told(found.signs) == [("orders-db", Name.FAILOVER)]
    assert found.signs[0].strength > alone.strength
    assert found.signs[0].key.endswith("$.changes[0]"), "the record that names the resource stands first"
    assert found.echoes


def test_a_cause_counts_by_what_it_has_to_do_with_the_run() -> None:
    incident = logged(("orders", "ERROR connection refused"), events=[build_change(-1, name="Failover", resource="orders-db", message="")],
                      series=[], services=SHOP)  # fmt: skip
    made = recorded(incident)
    whole = recognising.read(made).signs[0].strength
    near = recognising.read(made, lambda resource: 1.0 if resource == "orders" else 0.0).signs[0].strength
    far = recognising.read(made, lambda _: 0.2).signs[0].strength
    over = recognising.read(made, lasting=lambda _key, _category: 0.2).signs[0].strength
    assert whole == near > far > over
    assert far == pytest.approx(0.2 * whole)
    assert over < 0.5, "a state that had its time counts no more than a plain sign"


def test_pods_speak_for_their_workload() -> None:
    events = [
        build_change(-1, source="kubernetes", name="OOMKilling", resource=f"shop/pod/orders-7d9f4c8b6d-x2x4{n}", message="") for n in "bc"
    ]
    assert told(signs(Incident(events=events))) == [("orders", Name.OUT_OF_MEMORY)]


def test_a_pod_that_tells_of_its_node_was_only_moved() -> None:
    events = [
        build_change(-1, source="kubernetes", name="NodeNotReady", resource="node/ip-10-0-0-1", message="Node ip-10-0-0-1 is not ready"),
        build_change(
            -2, source="kubernetes", name="NodeNotReady", resource="shop/pod/orders-7d9f4c8b6d-x2x4b", message="Node is not ready"
        ),
    ]
    assert told(signs(Incident(events=events))) == [("node/ip-10-0-0-1", Name.NODE_LOST)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RDS-EVENT-0001", "Backing up DB instance"),
        ("SERVICE_STEADY_STATE", "(service orders) has reached a steady state."),
        ("Pulled", "Container image already present on machine"),
        ("Evicted", "Evicted pod: Underutilized"),
    ],
)
def test_routines_and_health_are_no_sights(name: str, message: str) -> None:
    made = recorded(Incident(events=[build_change(5, name=name, message=message)]))
    assert sighting.features(sighting.scene_of(made)) == []


def test_a_surge_stands_where_requests_arrive() -> None:
    rows = [jump(100, 900, subject=name, metric="RequestCount", stat="Sum") for name in ("gateway", "orders", "orders-db")]
    slow = [jump(0.1, 2.0, subject=name) for name in ("gateway", "orders", "orders-db")]
    found = signs(Incident(series=[*rows, *slow], services=SHOP))
    assert told(found) == [("gateway", Name.SURGE)]


def test_a_change_needs_a_trouble_beside_it() -> None:
    assert signs(Incident(events=[build_change(5)])) == []
    found = signs(logged(("orders", "ERROR java.lang.NullPointerException"), events=[build_change(-1)]))
    assert told(found) == [("orders", Name.DEPLOY)]
    assert found[0].category is F.DEPLOYMENT


def test_a_setting_is_of_what_is_named_after_the_same_thing() -> None:
    setting = build_change(5, source="cloudtrail", name="PutParameter", resource="/prod/checkout/gateway-url", message="version 9")
    bad = ("checkout-api", "ERROR java.lang.NullPointerException")
    found = signs(logged(bad, events=[setting]))
    assert ("checkout-api", Name.CONFIGURATION) in told(found)
    other = signs(logged(("billing-api", "ERROR java.lang.NullPointerException"), events=[setting]))
    assert told(other) == [("billing-api", Name.CODE)]


def test_what_was_stopped_by_hand_is_behind_those_who_call_it() -> None:
    stopped = build_change(2, source="cloudtrail", name="StopDBInstance", resource="orders-db", message="by hand")
    incident = logged(("orders", "ERROR could not connect to server: connection refused"), events=[stopped], series=[], services=SHOP)
    assert told(signs(incident)) == [("orders-db", Name.REMOVED)]


def test_a_name_that_was_redacted_names_no_resource() -> None:
    hidden = build_change(
        5, source="cloudtrail", name="RotateSecret", resource="arn:aws:secretsmanager:eu-west-1:1:secret:<SECRET:0a1b2c3d>", message=""
    )
    found = signs(logged(("orders", "ERROR password authentication failed for user app"), events=[hidden]))
    assert told(found) == [("orders", Name.CREDENTIALS)]


def test_an_alarm_that_is_on_tells_of_its_metric() -> None:
    """Where the metric itself can not be read."""
    row = AlarmRow(
        name="cpu", state="ALARM", metric="AWS/RDS/FreeStorageSpace", reason="less than the threshold", dimensions=DB["dimensions"]
    )
    incident = Incident(listing=AlarmListing(alarms=(row,)), series=[jump(20, 20, metric="ReadIOPS", **DB)])
    shown = [f for f in sighting.features(sighting.scene_of(recorded(incident))) if f.key.endswith("$.alarms[0]")]
    assert [(f.resource, f.seen) for f in shown] == [("orders-db", Seen.DISK_FILLING)]


def test_nothing_recorded_is_nothing_recognised() -> None:
    assert signs(Incident()) == []
    found = recognising.read([])
    assert (found.signs, found.echoes) == ((), {})


def test_every_list_that_is_read_tells_whose_its_rows_are() -> None:
    without = set(sighting.READERS) - set(sighting.NAMING)
    assert without == {("list_alarms", "alarms")}
