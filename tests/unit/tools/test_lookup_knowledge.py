"""`lookup_knowledge`, through the recorder that every run uses."""

import json
from pathlib import Path
from typing import Any

import pytest

from superbiz.adapters.redaction import SecretRedactor
from superbiz.adapters.snapshot import SnapshotSource
from superbiz.adapters.world_knowledge import with_runbooks
from superbiz.domain.evidence import EvidenceStatus, InvocationStatus, ToolCategory
from superbiz.domain.rule_evaluation import evaluate
from superbiz.domain.runs import Status
from superbiz.errors import Unavailable
from superbiz.ports import Knowledge, Ports, RecordedCall
from superbiz.services import knowledge
from superbiz.services.knowledge import Upload
from superbiz.tools.lookup_knowledge import LookupKnowledge
from superbiz.tools.recorder import RecordingToolbox
from support.builders import RUN_ID, build_run
from support.runbooks import CHINESE, DISK, POOL
from support.serving import memory_ports


@pytest.fixture
def ports() -> Ports:
    return memory_ports()


@pytest.fixture
def world(tmp_path: Path) -> Path:
    named = {"schema": "world/1", "id": "w", "region": "eu-west-1", "account": "111122223333", "now": "2026-07-08T23:10:00Z"}
    window = {"start": "2026-07-08T22:30:00Z", "end": "2026-07-08T23:10:00Z"}
    (tmp_path / "world.json").write_text(json.dumps(named | {"window": window, "source": {"name": "test"}, "missing": []}))
    return tmp_path


def add_runbooks(world: Path, **texts: str) -> None:
    (world / "knowledge").mkdir()
    for name, text in texts.items():
        (world / "knowledge" / f"{name}.md").write_text(text, encoding="utf-8")


def lookup(world: Path, ports: Ports, base: Knowledge | None = None, **params: Any) -> RecordedCall:
    source = SnapshotSource(world)
    used = with_runbooks(source, base or ports.knowledge())
    tool = LookupKnowledge()
    toolbox = RecordingToolbox(
        build_run(), 1, 1, {tool.name: tool}, source, ports.ledger, SecretRedactor(RUN_ID.encode()), ports.clock, used
    )
    return toolbox.call(tool.name, params)


def upload(ports: Ports, filename: str, content: str) -> None:
    knowledge.upload(Upload(filename=filename, content=content), ports)


def score(call: RecordedCall) -> tuple[int, list[str]]:
    node = evaluate(Status.SUCCESS, [call.invocation])
    return node["evidence_score"], [factor["name"] for factor in node["factors"]]


# REQ-026, REQ-047
def test_an_exact_hit_is_recorded_as_l0(world: Path, ports: Ports) -> None:
    add_runbooks(world, pool=POOL, disk=DISK)
    call = lookup(world, ports, keys=["orders-pool-dry"], query="requests wait for a database connection")
    assert call.output["hits"][0]["level"] == "L0"
    assert call.output["hits"][0]["document_id"] == "runbook/pool.md"
    assert call.invocation.category is ToolCategory.KNOWLEDGE
    assert call.invocation.retrieval_details.match.l0_hits == 2
    assert call.invocation.retrieval_details.evidence_status is EvidenceStatus.SUPPORTED
    assert score(call) == (65, ["has_successful_tool_call", "l0_exact_match"])


# REQ-027, REQ-047
def test_a_related_hit_is_recorded_as_l1(world: Path, ports: Ports) -> None:
    add_runbooks(world, pool=POOL)
    call = lookup(world, ports, query="database connections are used up")
    assert {hit["level"] for hit in call.output["hits"]} == {"L1"}
    assert call.invocation.retrieval_details.match.l1_hits == len(call.output["hits"])
    assert score(call) == (50, ["has_successful_tool_call", "l1_semantic_match"])


# REQ-029
def test_knowledge_that_matches_nothing_is_no_evidence(world: Path, ports: Ports) -> None:
    add_runbooks(world, pool=POOL)
    call = lookup(world, ports, keys=["unheard-of"], query="how do I bake sourdough bread")
    assert call.invocation.status is InvocationStatus.SUCCESS
    assert call.output["hits"] == []
    assert call.output["complete"] is True
    assert call.invocation.retrieval_details.evidence_status is EvidenceStatus.NO_EVIDENCE
    assert [ref.raw_path for ref in call.invocation.retrieval_details.evidence_refs] == ["$.no_evidence"]
    assert score(call) == (20, ["has_successful_tool_call", "retrieval_no_hit"])


def test_no_runbooks_and_no_knowledge_base_is_a_failed_call(world: Path, ports: Ports) -> None:
    call = lookup(world, ports, keys=["orders-pool-dry"])
    assert (call.invocation.status, call.invocation.error_code) == (InvocationStatus.FAILED, "SOURCE_UNAVAILABLE")
    assert "knowledge" in (call.invocation.error_message or "")
    assert call.invocation.retrieval_details.evidence_refs == ()


def test_a_knowledge_base_that_can_not_be_asked_is_a_failed_call(world: Path, ports: Ports) -> None:
    class Down:
        def find(self, *_: Any) -> Any:
            raise Unavailable("table: throttled", code="THROTTLED")

    call = lookup(world, ports, Down(), keys=["orders-pool-dry"])
    assert (call.invocation.status, call.invocation.error_code) == (InvocationStatus.FAILED, "THROTTLED")
    assert "throttled" in (call.invocation.error_message or "")


def test_runbooks_and_knowledge_base_are_both_asked(world: Path, ports: Ports) -> None:
    add_runbooks(world, disk=DISK)
    upload(ports, "pool.md", POOL)
    call = lookup(world, ports, keys=["disk full", "orders-pool-dry"], limit=10)
    assert {hit["via"] for hit in call.output["hits"] if hit["level"] == "L0"} == {"key"}
    assert {hit["document_id"].split("/")[0] for hit in call.output["hits"]} > {"runbook"}


def test_names_in_a_question_are_looked_up_too(world: Path, ports: Ports) -> None:
    add_runbooks(world, pool=POOL, pay=CHINESE)
    call = lookup(world, ports, query="为什么orders-pool-dry告警响了？")
    assert call.output["hits"][0]["level"] == "L0"
    assert lookup(world, ports, query="POST /api/orders/17 answers 500").output["hits"][0]["level"] == "L0"


def test_a_hits_text_can_be_cited_word_for_word(world: Path, ports: Ports) -> None:
    add_runbooks(world, pool=POOL)
    call = lookup(world, ports, keys=["orders-pool-dry"])
    refs = {ref.raw_path: ref.text for ref in call.invocation.retrieval_details.evidence_refs}
    assert refs["$.hits[0].text"] in POOL
    assert all(hit["text"] in POOL for hit in call.output["hits"])


@pytest.mark.parametrize("params", [{}, {"query": "  "}, {"keys": ["-"]}, {"limit": 0, "query": "x"}, {"query": "x" * 4_001}])
def test_a_lookup_of_nothing_is_refused(world: Path, ports: Ports, params: dict[str, Any]) -> None:
    add_runbooks(world, pool=POOL)
    call = lookup(world, ports, **params)
    assert call.invocation.status is InvocationStatus.FAILED
    assert call.invocation.error_code in {"INVALID", "INVALID_INPUT"}
