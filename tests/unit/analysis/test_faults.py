"""Fault knowledge: what a known fault needs, what it explains, and that two faults stay two."""

import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis import faults
from superbiz.analysis.faults import FAULTS, Calls, Feature, Name, Seen
from superbiz.analysis.faults.matching import MOST
from superbiz.domain.claims import FaultCategory

LOOK = re.compile(
    r"aws \w|kubectl \w|openssl \w|Insights|console|CloudTrail|Dashboard|Analyzer|pg_\w|EXPLAIN|\blog\b|thread dump|stack trace|hand\b"
)
SHOP = {"gateway": ["orders"], "orders": ["orders-db", "cache"], "reports": ["orders-db"]}


def see(resource: str, *sights: Seen, strength: float = 1.0, told: bool = False) -> list[Feature]:
    return [Feature(resource, s, strength, f"{resource} {s}", told) for s in sights]


def named(features: list[Feature], calls: Calls = SHOP) -> list[tuple[str, str]]:
    return [m.place for m in faults.matches(features, calls)]


def test_every_name_that_the_table_mentions_is_a_row() -> None:
    rows = {f.name for f in FAULTS}
    assert rows == set(Name)
    assert len(rows) == len(FAULTS)
    assert all({*f.explains, *f.spreads, *f.floods, *f.scatters} <= rows for f in FAULTS)


def test_the_reference_lists_each_fault_with_its_category_and_all_that_it_needs() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "faults.md").read_text("utf-8")
    rows = {cells[1]: cells[2:4] for line in page.splitlines() if len(cells := [c.strip() for c in line.split("|")]) == 5}
    for fault in FAULTS:
        category, needs = rows[fault.name]
        assert category == fault.category
        parts = [" or ".join(sorted(g)) for g in fault.needs] + [" or ".join(sorted(g)) + " nearby" for g in fault.nearby]
        assert needs.split("; ") == parts, fault.name


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_every_step_names_a_command_or_a_place_to_look(fault: faults.Fault) -> None:
    """REQ-095: next steps that a person can take."""
    assert fault.steps
    assert "{resource}" in fault.steps[0]
    assert all(set(re.findall(r"{(\w+)}", step)) <= {"resource"} for step in fault.steps)
    assert LOOK.search(" ".join(fault.steps))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_every_row_can_be_met(fault: faults.Fault) -> None:
    own = next(iter(product(*(sorted(g) for g in fault.needs))))
    near = [min(g) for g in fault.nearby]
    found = faults.recognise([*see("orders", *own), *see("orders-db", *near)], SHOP)
    known = {m.place for m in (*found.causes, *(e.match for e in found.effects))}
    assert ("orders", fault.name) in known or fault.nearby


def test_a_fault_needs_all_that_it_needs() -> None:
    assert named(see("orders", Seen.DEPLOYED)) == []
    assert ("orders", Name.DEPLOY) in named(see("orders", Seen.DEPLOYED, Seen.ERRORS_UP))


def test_the_weakest_sight_decides_and_helping_sights_add() -> None:
    weak = [*see("orders", Seen.DEPLOYED, strength=1.5), *see("orders", Seen.ERRORS_UP, strength=0.4)]
    alone = faults.matches(weak, SHOP)[0].strength
    helped = faults.matches([*weak, *see("orders", Seen.CODE_ERROR, strength=0.4)], SHOP)[0].strength
    assert alone == pytest.approx(0.4)
    assert helped > alone


def test_connections_that_pile_up_behind_a_saturated_cpu_are_an_effect() -> None:
    found = faults.recognise(see("orders-db", Seen.CPU_HIGH, Seen.CONNECTIONS_HIGH), SHOP)
    assert [m.place for m in found.causes] == [("orders-db", Name.CPU)]
    assert [e.match.fault.name for e in found.effects] == [Name.CONNECTION_LIMIT]
    assert found.causes[0].keys == ("orders-db cpu high", "orders-db connections high")


def test_behind_a_saturated_cpu_stands_the_statement_that_makes_the_load() -> None:
    assert named(see("orders-db", Seen.CPU_HIGH, Seen.CONNECTIONS_HIGH, Seen.ONE_STATEMENT)) == [("orders-db", Name.STATEMENT)]


def test_waits_for_locks_are_no_expensive_statement() -> None:
    assert named(see("orders-db", Seen.LOCK_WAITS, Seen.ONE_STATEMENT, Seen.CONNECTIONS_HIGH, Seen.WAITS_FOR_CPU)) == [
        ("orders-db", Name.LOCKS)
    ]


@pytest.mark.parametrize(("primary", "replica"), [("orders-db", "orders-db-replica-1"), ("orders-prod", "orders-replica")])
def test_a_write_burst_is_behind_its_replicas_lag_and_their_cpu_is_a_red_herring(primary: str, replica: str) -> None:
    sights = [*see(primary, Seen.WRITES_UP, Seen.IO_HIGH), *see(replica, Seen.REPLICA_LAG, Seen.CPU_HIGH)]
    assert named(sights, {}) == [(primary, Name.WRITE_BURST)]


def test_without_a_write_burst_the_replicas_own_cpu_is_behind_its_lag() -> None:
    assert named(see("orders-db-replica-1", Seen.REPLICA_LAG, Seen.CPU_HIGH), {}) == [("orders-db-replica-1", Name.CPU)]


def test_full_storage_is_behind_restarts_and_failing_writes() -> None:
    sights = [*see("orders-db", Seen.DISK_FULL, Seen.RESTARTED, Seen.IO_HIGH), *see("orders", Seen.CONNECTION_FAILED, Seen.ERRORS_UP)]
    assert named(sights) == [("orders-db", Name.STORAGE_FULL)]


def test_a_failover_is_behind_a_burst_of_failed_connections() -> None:
    sights = [*see("orders-db", Seen.FAILOVER, Seen.RESTARTED), *see("orders", Seen.CONNECTION_FAILED), *see("gateway", Seen.ERRORS_UP)]
    assert named(sights) == [("orders-db", Name.FAILOVER)]


def test_a_kill_for_memory_is_behind_restarts_and_errors() -> None:
    sights = [
        *see("orders", Seen.OUT_OF_MEMORY, Seen.RESTARTED, Seen.MEMORY_HIGH, Seen.CRASH_LOOP),
        *see("gateway", Seen.DEPENDENCY_FAILED),
    ]
    assert named(sights) == [("orders", Name.OUT_OF_MEMORY)]


def test_a_surge_at_the_entry_is_behind_the_load_of_all_that_it_calls() -> None:
    edge = see("gateway", Seen.AT_THE_EDGE, Seen.TRAFFIC_UP, Seen.SLOWER, strength=2.0)
    assert named([*edge, *see("orders", Seen.TRAFFIC_UP, Seen.CPU_HIGH)]) == [("gateway", Name.SURGE)]


def test_more_calls_of_something_within_are_no_surge_from_outside() -> None:
    assert Name.SURGE not in [fault for _, fault in named(see("orders-db", Seen.TRAFFIC_UP, Seen.SLOWER))]


def test_a_surge_does_not_excuse_a_limit() -> None:
    found = named([*see("gateway", Seen.AT_THE_EDGE, Seen.TRAFFIC_UP, Seen.SLOWER), *see("cache", Seen.THROTTLED, Seen.TRAFFIC_UP)])
    assert ("cache", Name.THROTTLING) in found


def test_an_emptied_cache_is_behind_the_load_of_the_database_that_answers_for_it() -> None:
    sights = [*see("cache", Seen.CACHE_MISSES, Seen.RESTARTED), *see("orders-db", Seen.CPU_HIGH, Seen.ONE_STATEMENT)]
    assert named(sights) == [("cache", Name.CACHE_EMPTIED)]
    assert len(named(sights, {"orders": ["orders-db"], "reports": ["cache"]})) == 2


def test_a_host_that_no_map_knows_may_be_under_any_service_that_is_slow() -> None:
    sights = [*see("i-0be91f6a3d27c4081", Seen.CPU_CREDITS_LOW, Seen.CPU_HIGH), *see("orders", Seen.SLOWER)]
    assert named(sights) == [("i-0be91f6a3d27c4081", Name.BURST_CREDITS)]


def test_a_limit_that_somebody_has_just_set_is_a_matter_of_configuration() -> None:
    assert named(see("orders", Seen.THROTTLED, Seen.CONFIGURED)) == [("orders", Name.CONFIGURATION)]


def test_two_faults_that_do_not_explain_one_another_stay_two() -> None:
    found = named([*see("orders", Seen.OUT_OF_MEMORY), *see("billing", Seen.CERTIFICATE)])
    assert set(found) == {("orders", Name.OUT_OF_MEMORY), ("billing", Name.CERTIFICATE)}


def test_an_effect_elsewhere_needs_a_way_to_its_cause() -> None:
    assert len(named([*see("orders-db", Seen.CPU_HIGH), *see("billing", Seen.DEPENDENCY_FAILED)])) == 2
    assert len(named([*see("orders-db", Seen.CPU_HIGH), *see("reports", Seen.DEPENDENCY_FAILED)])) == 1


def test_a_weak_cause_does_not_hide_a_strong_effect() -> None:
    sights = [*see("orders-db", Seen.CPU_HIGH, strength=0.2), *see("reports", Seen.DEPENDENCY_FAILED, strength=3.0)]
    assert ("reports", Name.DEPENDENCY) in named(sights)


def test_what_clients_say_of_a_limit_speaks_for_the_server_that_shows_it() -> None:
    heard = see("orders", Seen.CONNECTIONS_REFUSED_BY_LIMIT, strength=2.0, told=True)
    found = faults.matches([*heard, *see("orders-db", Seen.CONNECTIONS_HIGH, strength=0.5)], SHOP)
    assert [m.place for m in found] == [("orders-db", Name.CONNECTION_LIMIT)]
    assert found[0].strength > 2
    assert found[0].keys[-1] == heard[0].key


def test_what_clients_say_stays_with_them_where_no_server_shows_it() -> None:
    assert named(see("orders", Seen.CONNECTIONS_REFUSED_BY_LIMIT, told=True)) == [("orders", Name.CONNECTION_LIMIT)]


@pytest.mark.parametrize(("told", "standing"), [(True, 1), (False, 2)])
def test_where_no_map_knows_the_server_only_what_is_told_may_be_meant_for_it(told: bool, standing: int) -> None:
    server, calls = see("orders-db", Seen.THROTTLED), {"gateway": ["orders"]}
    alone, *_ = faults.matches(server, calls)
    found = faults.matches([*server, *see("orders", Seen.THROTTLED, told=told)], calls)
    assert len(found) == standing
    assert all((m.strength > alone.strength) is told for m in found)


def test_effects_of_effects_are_told_of_the_first_cause() -> None:
    found = faults.recognise(see("orders", Seen.CPU_CREDITS_LOW, Seen.CPU_HIGH, Seen.PROBE_FAILURE), SHOP)
    assert {(e.match.fault.name, e.of.fault.name) for e in found.effects} == {
        (Name.CPU, Name.BURST_CREDITS),
        (Name.PROBE, Name.BURST_CREDITS),
    }


def test_what_may_not_be_seen_forbids_a_fault() -> None:
    """A replica that lags itself writes what it is behind with: no burst of its own."""
    others = see("orders-db-replica-1", Seen.REPLICA_LAG)
    assert ("orders-db", Name.WRITE_BURST) in named([*see("orders-db", Seen.WRITES_UP), *others])
    assert ("orders-db", Name.WRITE_BURST) not in named([*see("orders-db", Seen.WRITES_UP, Seen.REPLICA_LAG), *others])


def test_two_members_of_a_cluster_with_the_same_fault_both_stand() -> None:
    assert named([*see("cache-001", Seen.DISK_FULL), *see("cache-002", Seen.DISK_FULL, strength=2.0)]) == [
        ("cache-002", Name.STORAGE_FULL),
        ("cache-001", Name.STORAGE_FULL),
    ]


def test_a_changed_rule_of_the_network_is_behind_failed_connections_anywhere() -> None:
    sights = [*see("sg-1", Seen.NETWORK_CHANGED), *see("reports", Seen.CONNECTION_FAILED)]
    assert named(sights) == [("sg-1", Name.NETWORK_CHANGE)]
    assert named(see("sg-1", Seen.NETWORK_CHANGED)) == []


def test_a_failing_name_server_is_behind_names_that_are_not_found() -> None:
    sights = [
        *see("coredns", Seen.SERVES_NAMES, Seen.PROBE_FAILURE),
        *see("orders", Seen.NAME_RESOLUTION),
        *see("billing", Seen.NAME_RESOLUTION),
    ]
    assert named(sights) == [("coredns", Name.NAME_SERVER)]


def test_a_queue_waits_for_its_reader_whichever_way_the_map_draws_it() -> None:
    sights = [*see("jobs", Seen.QUEUE_DEEP), *see("worker", Seen.THROTTLED)]
    assert named(sights, {"worker": ["jobs"]}) == named(sights, {"jobs": ["worker"]}) == [("worker", Name.THROTTLING)]
    assert named(sights, {"orders": ["jobs"]}) == [("worker", Name.THROTTLING)], "where the map ends at the queue"
    assert len(named(sights, {"jobs": ["other-worker"]})) == 2


def test_a_worker_that_somebody_scaled_to_nothing_is_a_matter_of_configuration() -> None:
    found = faults.matches([*see("worker", Seen.SCALED, Seen.CAPACITY_LOST), *see("jobs", Seen.QUEUE_DEEP)], {"worker": ["jobs"]})
    assert [m.place for m in found] == [("worker", Name.SCALED_AWAY)]
    assert found[0].fault.category is FaultCategory.CONFIGURATION


def test_pods_that_were_moved_off_a_lost_node_are_no_causes() -> None:
    assert named([*see("node-a", Seen.NODE_LOST), *see("orders", Seen.EVICTED), *see("billing", Seen.EVICTED)]) == [
        ("node-a", Name.NODE_LOST)
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("orders-replica-1", "orders-primary"),
        ("orders-aurora-instance-1", "orders-aurora"),
        ("cache-001", "cache-002"),
        ("orders-prod", "orders-replica"),
    ],
)
def test_members_of_a_cluster_are_akin(one: str, other: str) -> None:
    assert faults.akin(one, other)
    assert faults.akin(other, one)


@pytest.mark.parametrize(("one", "other"), [("orders-db", "billing-db"), ("orders", "orders-prod"), ("billing-prod", "orders-replica")])
def test_others_are_not(one: str, other: str) -> None:
    """A database may be named after the service that calls it: only among members does the stage not tell."""
    assert not faults.akin(one, other)


SIGHTS = st.builds(
    Feature,
    st.sampled_from(["gateway", "orders", "orders-db", "cache", "reports", "sg-1"]),
    st.sampled_from(list(Seen)),
    st.floats(0, 20),
    st.text("abc", min_size=1, max_size=3),
    st.booleans(),
)
EDGES = st.dictionaries(
    st.sampled_from(["gateway", "orders", "cache", "reports"]), st.lists(st.sampled_from(["orders", "orders-db", "gateway"]))
)


@given(st.lists(SIGHTS, max_size=25), EDGES)
def test_whatever_is_seen_causes_and_effects_are_told_apart(sights: list[Feature], calls: dict[str, list[str]]) -> None:
    """Cycles of calls and of explanations included: something always stands where anything was recognised."""
    found = faults.recognise(sights, calls)
    standing, felt = {m.place for m in found.causes}, {e.match.place for e in found.effects}
    assert not standing & felt
    assert {e.of.place for e in found.effects} <= standing
    assert bool(standing) or not felt
    assert all(0 < m.strength <= MOST for m in found.causes)
    assert list(found.causes) == sorted(found.causes, key=lambda m: (-m.strength, m.resource, m.fault.name))


@given(st.lists(SIGHTS, max_size=12), EDGES)
def test_the_order_of_sights_does_not_matter(sights: list[Feature], calls: dict[str, list[str]]) -> None:
    places = [m.place for m in faults.matches(sights, calls)]
    assert places == [m.place for m in faults.matches(sights[::-1], calls)]
