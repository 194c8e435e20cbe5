"""Health tells what is configured and what answers; a part that does not answer hides no other."""

from dataclasses import replace

from superbiz.domain.runs import EngineName
from superbiz.errors import Unavailable
from superbiz.ports import Ports
from superbiz.services import health
from support.serving import machine_of, memory_ports

CONFIGURED = {"table_name": "t", "bucket_name": "b", "state_machine_arn": "arn"}


def silent(ports: Ports, why: str = "refused") -> Ports:
    return replace(ports, reach=lambda _uri: why)


def test_all_that_is_configured_answers() -> None:
    parts = health.check(memory_ports(**CONFIGURED))
    assert health.status(parts) == "ok"
    assert {n for n, p in parts.items() if p.reachable} == {"table", "objects", "stateMachine"}


def test_a_part_that_does_not_answer_degrades_and_says_why() -> None:
    ports = memory_ports(**CONFIGURED)
    machine_of(ports).failure = Unavailable("throttled")
    parts = health.check(ports)
    assert parts["stateMachine"] == health.Part(True, False, "throttled")
    assert parts["table"].reachable
    assert health.status(parts) == "degraded"


def test_without_the_table_it_is_down() -> None:
    ports = memory_ports(**CONFIGURED)

    def refuse() -> None:
        raise Unavailable("no table")

    ports.ledger.control = refuse  # type: ignore[method-assign,assignment]
    assert health.status(health.check(ports)) == "down"


def test_a_model_and_a_vector_store_are_tried_where_they_are_configured() -> None:
    ports = silent(memory_ports(engine=EngineName.MODEL, model_base_url="https://model.example/v1", milvus_uri="http://milvus.example"))
    parts = health.check(ports)
    assert parts["model"] == parts["vectorIndex"] == health.Part(True, False, "refused")
    assert health.check(replace(ports, reach=lambda _uri: None))["model"].reachable
    assert health.check(replace(ports, reach=None))["model"].reachable is None


def test_what_is_not_configured_is_not_tried() -> None:
    parts = health.check(silent(memory_ports()))
    assert {n for n, p in parts.items() if p.configured} == set()
    assert {p.reachable for p in parts.values()} == {None}
    assert "offline" in parts["model"].detail
    unnamed = health.check(memory_ports(engine=EngineName.MODEL))["model"]
    assert "MODEL_BASE_URL" in unnamed.detail
