"""The simulator's parts: load, faults, weather. More worlds are made of these."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz_cli.simulator import faults, meters
from superbiz_cli.simulator.faults import Busy, Failing, PoolResize, Slowdown
from superbiz_cli.simulator.load import Load, drift
from superbiz_cli.simulator.requests import Walker
from superbiz_cli.simulator.shop import CATALOG, GATEWAY, ORDERS, PAYMENT, POOL, SHOP
from superbiz_cli.simulator.weather import Climate, Weather

NOON = datetime(2026, 5, 19, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
STEADY = Load(rps=6.0, swing=0.0, noise=0.0)


def minute(*injected: faults.Fault, load: Load = STEADY) -> Weather:
    return next(Climate(SHOP, load, injected, 1).minutes(NOON, NOON + timedelta(minutes=1)))


def test_load_peaks_at_its_hour() -> None:
    load = Load(rps=10, swing=0.5, peak_hour=14)
    assert load.at(NOON.replace(hour=14)) == pytest.approx(15)
    assert load.at(NOON.replace(hour=2)) == pytest.approx(5)


@given(st.integers(0, 10**9), st.integers(1, 400), st.floats(0, 0.5))
def test_drift_is_seeded_and_positive(seed: int, minutes: int, size: float) -> None:
    assert drift(str(seed), minutes, size) == drift(str(seed), minutes, size)
    assert len(drift(str(seed), minutes, size)) == minutes
    assert min(drift(str(seed), minutes, size)) > 0


def test_a_slow_callee_makes_every_caller_above_it_slow() -> None:
    calm, slow = minute(), minute(Slowdown(PAYMENT, NOON, LATER, 20.0))
    for service in (PAYMENT, ORDERS, GATEWAY):
        assert slow.services[service].typical_ms > calm.services[service].typical_ms + 100
    assert slow.services[CATALOG].typical_ms == calm.services[CATALOG].typical_ms


def test_failures_reach_the_callers_in_their_share() -> None:
    failing = minute(Failing(PAYMENT, NOON, LATER, 0.5, "card network down"))
    assert failing.services[PAYMENT].failed == pytest.approx(0.5, abs=0.01)
    assert 0.3 < failing.services[ORDERS].failed < 0.5
    assert failing.services[GATEWAY].failed < failing.services[ORDERS].failed
    assert failing.services[CATALOG].failed < 0.01


@settings(max_examples=60)
@given(st.integers(1, 40), st.floats(0.5, 60))
def test_a_pool_serves_what_it_has_connections_for(size: int, rps: float) -> None:
    weather = minute(PoolResize(POOL, NOON, size), load=Load(rps=rps, swing=0.0, noise=0.0))
    pool = weather.pools[POOL]
    assert pool.size == size * 2
    assert pool.active <= pool.size
    served = pool.wanted * (1 - pool.refused)
    assert served <= pool.size
    assert (pool.refused > 0) == (pool.wanted > 0.97 * pool.size)


def test_the_last_resize_counts_and_none_before_its_time() -> None:
    changes = (PoolResize(POOL, LATER, 2), PoolResize(POOL, NOON, 9))
    assert faults.pool_size(changes, POOL, 20, NOON - timedelta(seconds=1)) == 20
    assert faults.pool_size(changes, POOL, 20, NOON) == 9
    assert faults.pool_size(changes, POOL, 20, LATER) == 2


def test_a_busy_gauge_hurts_no_request() -> None:
    busy = Busy(CATALOG, NOON, LATER, "cpu", 40.0)
    climate = Climate(SHOP, STEADY, (busy,), 1)
    weather = list(climate.minutes(NOON, LATER))
    assert weather[30].services == minute().services
    cpu = next(
        r for r in meters.rows(climate, weather, "c") if r.metric_name == "CPUUtilization" and r.dimensions.get("ServiceName") == CATALOG
    )
    assert max(v for v in cpu.values if v is not None) > 55


def test_walked_requests_are_those_of_the_weather() -> None:
    climate = Climate(SHOP, STEADY, (Failing(PAYMENT, NOON, LATER, 0.3, "card network down"),), 3)
    walker = Walker(climate, kept_traces=100)
    for weather in climate.minutes(NOON, NOON + timedelta(minutes=10)):
        walker.minute(weather, {})
    entries = [s for s in walker.traffic.spans if s.parent_id is None]
    assert len(entries) == pytest.approx(3_600, rel=0.1)
    charges = [s for s in walker.traffic.spans if s.service == PAYMENT]
    assert sum(s.error for s in charges) / len(charges) == pytest.approx(0.3, abs=0.04)
    assert any("card network down" in line.message for line in walker.traffic.lines)


def test_gauges_are_finite_numbers_in_their_bounds() -> None:
    climate = Climate(SHOP, STEADY, (PoolResize(POOL, NOON, 1),), 1)
    for row in meters.rows(climate, list(climate.minutes(NOON, LATER)), "c"):
        assert len(row.values) == 60
        for value in row.values:
            assert value is None or value >= 0
            assert row.unit != "Percent" or value is None or value <= 100
