"""Runbooks of a world, and several sources of knowledge asked as one."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from superbiz.adapters.snapshot import SnapshotSource
from superbiz.adapters.world_knowledge import JoinedKnowledge, WorldKnowledge, with_runbooks
from superbiz.domain.knowledge import KnowledgeHit, Level
from superbiz.errors import Unavailable
from superbiz.ports import SourceUnavailable
from support.runbooks import CHINESE, DISK, POOL


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A world without knowledge."""
    named = {"schema": "world/1", "id": "w", "region": "eu-west-1", "account": "111122223333", "now": "2026-07-08T23:10:00Z"}
    window = {"start": "2026-07-08T22:30:00Z", "end": "2026-07-08T23:10:00Z"}
    (tmp_path / "world.json").write_text(json.dumps(named | {"window": window, "source": {"name": "test"}, "missing": []}))
    return tmp_path


@pytest.fixture
def runbooks(world: Path) -> SnapshotSource:
    """A world with three runbooks."""
    folder = world / "knowledge"
    folder.mkdir()
    for name, text in (("pool.md", POOL), ("disk.md", DISK), ("pay.md", CHINESE)):
        (folder / name).write_text(text, encoding="utf-8")
    return SnapshotSource(world)


class Fixed:
    """Knowledge that answers what it is told to."""

    def __init__(self, answer: Sequence[KnowledgeHit] | Exception) -> None:
        self._answer = answer

    def find(self, keys: Sequence[str], query: str, limit: int = 5) -> Sequence[KnowledgeHit]:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def hit(level: Level = Level.L1, score: float = 0.5, text: str = "text", chunk_id: str = "c") -> KnowledgeHit:
    return KnowledgeHit(level=level, document_id="d", chunk_id=chunk_id, heading="h", text=text, score=score, via="exact")


ABSENT = SourceUnavailable("knowledge base", "it holds no document")
DOWN = Unavailable("table: throttled")


def test_a_runbook_is_found_by_key_and_by_meaning(runbooks: SnapshotSource) -> None:
    hits = WorldKnowledge(runbooks).find(["ORDERS_POOL_DRY"], "the disk is full", limit=5)
    assert [(h.level, h.document_id) for h in hits] == [("L0", "runbook/pool.md")] * 2 + [("L1", "runbook/disk.md")]
    assert {h.via for h in hits} == {"key", "world"}


def test_a_chinese_runbook_is_found_in_chinese(runbooks: SnapshotSource) -> None:
    assert WorldKnowledge(runbooks).find([], "支付网关很慢怎么办")[0].document_id == "runbook/pay.md"


def test_what_matches_nothing_is_empty(runbooks: SnapshotSource) -> None:
    assert WorldKnowledge(runbooks).find(["unheard-of"], "how do I bake sourdough bread") == []


def test_a_world_without_runbooks_has_no_knowledge(world: Path) -> None:
    with pytest.raises(SourceUnavailable):
        WorldKnowledge(SnapshotSource(world)).find(["pool"], "pool")


def test_a_world_with_an_empty_folder_matches_nothing(world: Path) -> None:
    (world / "knowledge").mkdir()
    assert WorldKnowledge(SnapshotSource(world)).find(["pool"], "pool") == []


def test_both_sources_are_asked(runbooks: SnapshotSource) -> None:
    joined = with_runbooks(runbooks, Fixed([hit(Level.L0, 1.0, "from the base", "b")]))
    hits = joined.find(["orders-pool-dry"], "connection pool", limit=10)
    assert {h.document_id for h in hits if h.level is Level.L0} == {"d", "runbook/pool.md"}
    assert hits[0].level is Level.L0


def test_an_exact_hit_stands_before_a_perfect_related_one() -> None:
    parts = [Fixed([hit(score=1.0, chunk_id="related")]), Fixed([hit(Level.L0, 1.0, "other", "exact")])]
    assert [h.chunk_id for h in JoinedKnowledge(parts).find([], "q")] == ["exact", "related"]


def test_the_same_text_from_two_sources_is_one_hit() -> None:
    both = [Fixed([hit(text="same", chunk_id="a")]), Fixed([hit(text="same", chunk_id="b"), hit(text="other", chunk_id="c")])]
    assert [h.chunk_id for h in JoinedKnowledge(both).find([], "q")] == ["a", "c"]


@pytest.mark.parametrize("parts", [[ABSENT, [hit()]], [[hit()], ABSENT], [DOWN, [hit()]], [[hit()], DOWN]])
def test_one_source_with_hits_is_enough(parts: list[Sequence[KnowledgeHit] | Exception]) -> None:
    assert len(JoinedKnowledge([Fixed(p) for p in parts]).find([], "q")) == 1


def test_an_empty_answer_means_that_every_source_was_asked() -> None:
    assert JoinedKnowledge([Fixed(ABSENT), Fixed([])]).find([], "q") == []
    for parts in ([DOWN, []], [[], DOWN], [DOWN, ABSENT]):
        with pytest.raises(Unavailable):
            JoinedKnowledge([Fixed(p) for p in parts]).find([], "q")
    with pytest.raises(SourceUnavailable, match="no document"):
        JoinedKnowledge([Fixed(ABSENT), Fixed(ABSENT)]).find([], "q")
