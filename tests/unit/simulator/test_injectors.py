"""What each injector does, and that queues, capacities and retries keep their sums."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.simulator import faults, meters
from superbiz_cli.simulator.backlog import EMPTY, worked_off
from superbiz_cli.simulator.catalogue import readings, rides
from superbiz_cli.simulator.faults import Bend, Delayed, Failing, Fault, Lag, Slowdown, Stopped, Surge
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.requests import Walker
from superbiz_cli.simulator.system import System
from superbiz_cli.simulator.weather import Climate, Weather, crowding

NOON = datetime(2026, 6, 9, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
STEADY = Load(rps=2.0, swing=0.0, noise=0.0)


def hour(*injected: Fault, system: System = rides.RIDES) -> list[Weather]:
    return list(Climate(system, STEADY, injected, 1).minutes(NOON, LATER))


def values(metric: str, resource: str, *injected: Fault, system: System = rides.RIDES) -> list[float | None]:
    climate = Climate(system, STEADY, injected, 1)
    weather = list(climate.minutes(NOON, LATER))
    return next(r.values for r in meters.rows(climate, weather, "") if r.metric_name == metric and resource in r.dimensions.values())


def walked(*injected: Fault, system: System = rides.RIDES) -> Walker:
    climate = Climate(system, STEADY, injected, 3)
    walker = Walker(climate, kept_traces=100)
    for weather in climate.minutes(NOON, NOON + timedelta(minutes=8)):
        walker.minute(weather, {})
    return walker


@given(st.floats(0, 1e6), st.floats(0, 1e4), st.floats(0, 1e4), st.floats(0, 1))
def test_no_message_is_lost_or_made(depth: float, sent: float, able: float, lost: float) -> None:
    after = worked_off(EMPTY._replace(depth=depth), sent, able, lost)
    assert after.taken <= able
    assert after.depth == pytest.approx(depth + sent - after.done, abs=1)
    assert after.age <= EMPTY.age + 60


def test_an_unserved_queue_ages_a_minute_a_minute() -> None:
    states = [w.queues[rides.QUEUE] for w in hour(Stopped(rides.RECEIPTS, NOON, LATER))]
    assert states[-1].age == pytest.approx(60 * 60, rel=0.02)
    assert states[-1].depth == pytest.approx(60 * states[0].sent, rel=0.01)
    assert {s.taken for s in states} == {0.0}


@given(st.floats(0, 3), st.floats(0, 3))
def test_more_asked_is_never_faster(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 1 <= crowding(low) <= crowding(high)


def test_a_service_refuses_what_is_above_its_capacity() -> None:
    small = rides.RIDES.by_name[rides.DRIVERS]._replace(capacity=0.2)
    state = hour(system=rides.RIDES.replaced(small))[0].services[rides.DRIVERS]
    assert state.asked == pytest.approx(2.0)
    assert state.refused == pytest.approx(0.51)
    assert state.failed == pytest.approx(state.refused, abs=0.01)


def test_retries_make_more_calls_and_fewer_failures() -> None:
    failing = Failing(rides.MAPS, NOON, LATER, 0.5, "timeout")
    again = rides.RIDES.replaced(rides.RIDES.by_name[rides.MAPS]._replace(retries=2))
    once, tried = hour(failing)[0].services, hour(failing, system=again)[0].services
    assert tried[rides.MAPS].rps == pytest.approx(once[rides.MAPS].rps * 1.75)
    assert tried[rides.PRICING].failed == pytest.approx(0.125, abs=0.01)
    assert once[rides.PRICING].failed == pytest.approx(0.5, abs=0.01)
    spans = walked(failing, system=again).traffic.spans
    assert len([s for s in spans if s.service == rides.MAPS]) > 1.4 * len([s for s in spans if s.service == rides.PRICING])


def test_a_call_that_never_arrives_leaves_no_line_and_no_span_there() -> None:
    traffic = walked(Failing(rides.PRICING, NOON, LATER, 1.0, "refused", seen="connection refused", unreached=True)).traffic
    assert not [s for s in traffic.spans if s.service == rides.PRICING]
    assert not [x for x in traffic.lines if x.log_group.endswith("/pricing")]
    assert [x for x in traffic.lines if "pricing: connection refused" in x.message]
    assert set(values("Latency", rides.PRICING, Failing(rides.PRICING, NOON, LATER, 1.0, "refused", unreached=True))[:5]) == {0.0}


def test_only_the_named_operation_fails() -> None:
    spans = walked(Failing(rides.TRIPS, NOON, LATER, 1.0, "NullPointerException", "POST /trips")).traffic.spans
    assert {s.name for s in spans if s.service == rides.TRIPS and s.error and "Null" in str(s.attributes)} == {"POST /trips"}


def test_a_surge_raises_its_route_alone() -> None:
    calm, surge = hour()[0], hour(Surge(NOON, LATER, 5.0, route="GET /v1/drivers/nearby"))[0]
    assert surge.services[rides.DRIVERS].rps == pytest.approx(5 * calm.services[rides.DRIVERS].rps)
    assert surge.services[rides.PRICING].rps == pytest.approx(calm.services[rides.PRICING].rps)
    assert surge.rps == pytest.approx(calm.rps * (1 + 4 * 0.2))


def test_a_cold_start_is_told_in_the_report_line() -> None:
    lines = walked(Delayed(readings.TARIFF, NOON, LATER, 1.0, 3_000.0), system=readings.READINGS).traffic.lines
    reports = [x.message for x in lines if x.log_group.endswith(readings.TARIFF) and x.message.startswith("REPORT")]
    assert reports
    assert all("Init Duration: " in text for text in reports)


def test_what_is_under_way_is_felt_by_the_caller_alone() -> None:
    lossy = Lag(rides.TRIPS, rides.PRICING, NOON, LATER, 1.0, 1_500.0)
    calm, slow = hour()[0].services, hour(lossy)[0].services
    assert slow[rides.TRIPS].typical_ms > calm[rides.TRIPS].typical_ms + 500
    assert slow[rides.PRICING].typical_ms == calm[rides.PRICING].typical_ms
    spans = {s.span_id: s for s in walked(lossy).traffic.spans}
    late = [s.start_ms - spans[s.parent_id].start_ms for s in spans.values() if s.service == rides.PRICING and s.parent_id]
    assert {gap > 1_000 for gap in late} == {True, False}  # from trips-api, and from the edge


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_bend_arrives_where_it_is_sent(value: float, to: float) -> None:
    bend = Bend("x", "q", NOON, LATER, to=to, rise=10.0)
    assert faults.bent(value, [bend], NOON + timedelta(minutes=30)) == pytest.approx(to, abs=1e-6)
    assert faults.bent(value, [bend], NOON - timedelta(minutes=1)) == value
    low, high = sorted((value, to))
    assert low - 1e-6 <= faults.bent(value, [bend], NOON + timedelta(minutes=4)) <= high + 1e-6


def test_teeth_climb_and_fall() -> None:
    bend = Bend("x", "q", NOON, LATER, to=100.0, teeth=5.0)
    seen = [faults.bent(0.0, [bend], NOON + timedelta(minutes=n)) for n in range(10)]
    assert seen == pytest.approx([20, 40, 60, 80, 100] * 2)


def test_a_slow_database_is_slow_to_everybody_above_it() -> None:
    calm, slow = hour()[0].services, hour(Slowdown(rides.DATABASE, NOON, LATER, 50.0))[0].services
    assert slow[rides.TRIPS].typical_ms > calm[rides.TRIPS].typical_ms + 50
    assert slow[rides.DRIVERS].typical_ms == calm[rides.DRIVERS].typical_ms


def test_nothing_that_is_stopped_has_a_cpu() -> None:
    assert set(values("CPUUtilization", rides.RECEIPTS, Stopped(rides.RECEIPTS, NOON, LATER))) == {None}
    assert set(values("RunningTaskCount", rides.RECEIPTS, Stopped(rides.RECEIPTS, NOON, LATER))) == {0.0}
