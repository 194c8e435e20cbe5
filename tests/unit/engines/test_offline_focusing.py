"""Keeping to the alarm."""

from datetime import timedelta
from typing import Any

import pytest

from superbiz.analysis.deciding import Channel, Sign
from superbiz.domain.service_map import ServiceMap
from superbiz.domain.values import iso
from superbiz.engines.offline import focusing
from superbiz.engines.offline.focusing import Focus, Surroundings
from support.incidents import START

FOCUS = Focus("gateway-alarm", "gateway")
MAP = ServiceMap([("gateway", "orders"), ("orders", "orders-db"), ("billing", "billing-db")])


def around(**fields: Any) -> Surroundings:
    return Surroundings(**({"services": MAP, "mapped": True, "others": (), "onset": START} | fields))


def weight(resource: str, surroundings: Surroundings | None = None, focus: Focus = FOCUS, **node: str) -> float:
    sign = Sign(resource, Channel.CONDITION, 1.0)
    found = focusing.focused([sign], focus, surroundings or around(), lambda _: node)
    return found[0].strength if found else 0.0


def test_what_the_alarms_resource_reaches_keeps_its_weight() -> None:
    assert weight("gateway") == weight("orders") == weight("orders-db") == 1


def test_what_it_does_not_reach_weighs_less() -> None:
    assert weight("billing-db") < weight("somewhere-else") < 1


def test_another_alarms_resource_is_no_cause_of_this_one() -> None:  # REQ-095
    assert weight("thumbnails", around(others=("thumbnails",))) == 0
    assert weight("orders", around(others=("orders",))) == 1, "unless this alarm depends on it"


def test_without_a_map_nothing_is_taken_away() -> None:
    assert weight("anything", around(services=ServiceMap([]), mapped=False)) == 1


def test_of_a_question_everything_is_in_focus() -> None:
    assert weight("billing-db", focus=Focus()) == 1


@pytest.mark.parametrize(("minutes", "expected"), [(-30, focusing.PASSED), (-2, 1.0), (20, 1.0)])
def test_what_was_over_before_the_symptom_began_weighs_less(minutes: int, expected: float) -> None:
    assert weight("orders", recovered_at=iso(START + timedelta(minutes=minutes))) == expected


def test_what_was_worst_before_the_symptom_and_goes_on_is_not_over() -> None:
    assert weight("orders", worst_at=iso(START - timedelta(minutes=30))) == 1


def test_what_was_over_when_the_alarm_rang_weighs_less() -> None:
    rang = FOCUS._replace(rang=START + timedelta(minutes=20))
    assert weight("orders", focus=rang, recovered_at=iso(START + timedelta(minutes=5))) == focusing.PASSED
    assert weight("orders", focus=rang, recovered_at=iso(START + timedelta(minutes=19))) == 1, "alarms look at a few datapoints first"


def test_a_callers_errors_are_an_echo_of_its_callees() -> None:
    signs = [Sign("gateway", Channel.BURST, 4.0), Sign("orders", Channel.BURST, 3.0), Sign("gateway", Channel.CONDITION, 4.0)]
    found = focusing.focused(signs, FOCUS, around(), lambda _: {})
    assert [s.strength for s in found] == [2.0, 3.0, 4.0]


def test_services_that_call_each_other_do_not_silence_each_other() -> None:
    services = ServiceMap([("a", "b"), ("b", "a")])
    signs = [Sign("a", Channel.BURST, 4.0), Sign("b", Channel.BURST, 3.0)]
    assert focusing.focused(signs, Focus(), around(services=services), lambda _: {}) == signs
