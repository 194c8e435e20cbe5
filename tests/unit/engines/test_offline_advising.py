"""Next steps: the known fault's commands first, then what the signs' records ask for."""

from typing import Any

from superbiz.analysis.deciding import Candidate, Channel, Sign
from superbiz.analysis.faults import Name
from superbiz.domain.claims import FaultCategory
from superbiz.engines.offline import advising
from superbiz.engines.offline.observing import Record
from support.incidents import Incident, build_change, toolbox


def candidate(*signs: Sign, resource: str = "orders-db") -> Candidate:
    return Candidate(resource, None, FaultCategory.GENERAL, 1.0, 0.5, signs)


def record(**node: Any) -> Record:
    call = toolbox(Incident(events=[build_change()])).call("list_changes", {})
    return Record(call.invocation, "$.changes[0]", node)


FAULT = Sign("orders-db", Channel.FAULT, 0.6, key="k", fault=Name.FAILOVER)
EVENT = Sign("orders-db", Channel.EVENT, 1.4, key="e")
CHANGE = record(name="RDS-EVENT-0013", resource="orders-db", time="2026-07-08T22:30:00Z", source="rds")


def test_a_known_faults_commands_stand_first_and_name_the_resource() -> None:
    found = advising.steps([candidate(EVENT, FAULT)], {"e": CHANGE})
    assert found[0] == "Run: aws rds describe-events --source-type db-instance --source-identifier orders-db --duration 1440."
    assert len(found) == len(set(found)) == 3


def test_a_known_fault_needs_no_record_of_its_own() -> None:
    assert advising.steps([candidate(FAULT)], {})


def test_an_event_is_followed_up_with_its_sources_command() -> None:
    assert advising.steps([candidate(EVENT)], {"e": CHANGE}) == [
        "Read what else happened: aws rds describe-events --source-type db-instance --source-identifier orders-db --duration 1440"
    ]
    other = record(name="DrainStarted", resource="orders", time="2026-07-08T22:30:00Z", source="pager")
    assert "the console of pager" in advising.steps([candidate(EVENT)], {"e": other})[0]


def test_a_step_that_would_have_a_hole_is_not_given() -> None:
    assert advising.steps([candidate(Sign("orders", Channel.ERRORS, 1.0, key="e"))], {"e": record(service="orders")}) == []


def test_steps_are_few() -> None:
    many = [candidate(Sign(f"db-{n}", Channel.FAULT, 1.0, fault=Name.CPU), resource=f"db-{n}") for n in range(9)]
    assert len(advising.steps(many, {})) == advising.MOST_STEPS


def test_every_channel_has_a_step_or_a_fault_that_gives_one() -> None:
    assert set(Channel) - set(advising.CHANNEL_STEPS) == {Channel.FAULT}
