"""`superbiz knowledge search` over a folder, and what it says of input that it can not use."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from superbiz.adapters.snapshot import SnapshotSource
from superbiz.adapters.world_knowledge import WorldKnowledge
from superbiz.domain import keys
from superbiz.errors import Invalid
from superbiz_cli import knowledge as commands
from support.recorded import recorded
from support.runbooks import CHINESE, DISK, POOL

QUERIES = [
    {"id": "a", "alert": "OrdersPoolDry", "summary": "The volume is full of old segments", "description": "disk"},
    {"id": "b", "alert": "PoolPage", "summary": "支付网关响应缓慢", "description": "{{ $labels.gateway }} 超时"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "shelf"
    place.mkdir()
    for name, text in (("pool.md", POOL), ("disk.md", DISK), ("pay.md", CHINESE), ("empty.md", ""), ("notes.txt", "a pool")):
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    file = tmp_path / "queries.json"
    file.write_text(json.dumps(QUERIES), encoding="utf-8")
    return file


def run(*words: object) -> Result:
    return CliRunner().invoke(commands.app, ["search", *map(str, words)])


def shown(*words: object) -> Any:
    result = run(*words, "--json")
    assert result.exception is None, result.exception
    return json.loads(result.stdout)


def rankings(folder: Path, queries: Path, text: str) -> dict[str, list[str]]:
    out = queries.with_name("ranking.json")
    result = run("--dir", folder, "--queries", queries, "--text", text, "--out", out)
    assert result.exception is None, result.exception
    ranked: dict[str, list[str]] = json.loads(out.read_text(encoding="utf-8"))
    return ranked


def test_a_query_shows_page_level_heading_passage_and_score(folder: Path) -> None:
    """REQ-047."""
    (first, *_) = shown("--dir", folder, "--query", "orders-pool-dry")
    assert (first["page"], first["level"], first["score"]) == ("pool", "L0", 1.0)
    text = run("--dir", folder, "--query", "the disk is full", "--top", 1).stdout
    assert text.startswith("disk  L1  0.")
    assert "Disk full\n    Old write-ahead log segments fill the volume." in text


def test_what_is_shown_is_what_a_run_is_shown(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "world").mkdir()
    folder.rename(tmp_path / "world" / "knowledge")
    named = {"schema": "world/1", "id": "w", "region": "eu-west-1", "account": "111122223333", "now": "2026-07-08T23:10:00Z"}
    window = {"start": "2026-07-08T22:30:00Z", "end": "2026-07-08T23:10:00Z"}
    (tmp_path / "world" / "world.json").write_text(json.dumps(named | {"window": window, "source": {"name": "test"}, "missing": []}))
    query = "database connections of OrdersPoolDry used up"
    hits = WorldKnowledge(SnapshotSource(tmp_path / "world")).find(keys.from_text(query), query, 4)
    told = shown("--dir", tmp_path / "world" / "knowledge", "--query", query, "--top", 4)
    assert [h["chunk_id"] for h in told] == [h.chunk_id for h in hits]


def test_queries_are_ranked_by_the_fields_that_are_named(folder: Path, queries: Path) -> None:
    by_name, by_words = rankings(folder, queries, "alert"), rankings(folder, queries, "description, summary")
    assert {len(pages) for pages in (*by_name.values(), *by_words.values())} == {4}
    assert (by_name["a"][0], by_words["a"][0], by_words["b"][0]) == ("pool", "disk", "pay")
    assert by_words["a"][-1] == "empty"


def test_nothing_related_is_said_and_is_no_error(folder: Path) -> None:
    result = run("--dir", folder, "--query", "how do I bake sourdough bread")
    assert (result.exit_code, result.stdout) == (0, "")
    assert shown("--dir", folder, "--query", "how do I bake sourdough bread") == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--dir", "{nowhere}", "--query", "x"), "no folder at"),
        (("--dir", "{tmp}", "--query", "x"), "no runbooks in"),
        (("--dir", "{shelf}"), "neither --query nor --queries"),
        (("--dir", "{shelf}", "--query", " "), "--query is empty"),
        (("--dir", "{shelf}", "--query", "x", "--out", "y"), "--query does not go with --out"),
        (("--dir", "{shelf}", "--queries", "{queries}", "--text", "alert"), "--out is missing beside --queries and --text"),
        (("--dir", "{shelf}", "--queries", "{queries}"), "--text and --out are missing beside --queries"),
        (("--dir", "{shelf}", "--queries", "{tmp}", "--text", "alert", "--out", "{tmp}/r"), "can not read"),
        (("--dir", "{shelf}", "--queries", "{queries}", "--text", " , ", "--out", "{tmp}/r"), "names no field"),
        (("--dir", "{shelf}", "--queries", "{nowhere}", "--text", "alert", "--out", "{tmp}/r"), "can not read"),
        (("--dir", "{shelf}", "--queries", "{shelf}/pool.md", "--text", "alert", "--out", "{tmp}/r"), "is no JSON"),
        (
            ("--dir", "{shelf}", "--queries", "{queries}", "--text", "alert,owner", "--out", "{tmp}/r"),
            "query a has no text in the field owner",
        ),
        (("--dir", "{shelf}", "--queries", "{queries}", "--text", "alert", "--out", "{nowhere}/r"), "can not write"),
        (("--dir", "{shelf}", "--queries", "{queries}", "--text", "alert", "--out", "{tmp}"), "can not write"),
    ],
)
def test_bad_input_is_named(folder: Path, queries: Path, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    places = {"nowhere": tmp_path / "nowhere", "tmp": tmp_path, "shelf": folder, "queries": queries}
    error = run(*(word.format_map(places) for word in words)).exception
    assert isinstance(error, Invalid), error
    assert said in error.message
    assert error.mend


@pytest.mark.parametrize(
    ("queries_", "said"),
    [
        ({}, "no list"),
        ([], "no list"),
        (["x"], "query 1 has no id"),
        ([{"alert": "x"}], "query 1 has no id"),
        ([{"id": "", "alert": "x"}], "query 1 has no id"),
        ([{"id": 1, "alert": None}], "query 1 has no text"),
        ([{"id": 1, "alert": ["x"]}], "query 1 has no text"),
        ([{"id": "e", "alert": " \n"}], "query e is empty in alert"),
        ([{"id": "1", "alert": "x"}, {"id": 1, "alert": "y"}], "stands there twice"),
    ],
)
def test_bad_queries_are_named(folder: Path, queries: Path, queries_: Any, said: str) -> None:
    queries.write_text(json.dumps(queries_))
    error = run("--dir", folder, "--queries", queries, "--text", "alert", "--out", queries.with_name("r")).exception
    assert isinstance(error, Invalid), error
    assert said in error.message
    assert error.mend


def test_a_dash_reads_queries_from_standard_input(folder: Path, tmp_path: Path) -> None:
    words = ["search", "--dir", folder, "--queries", "-", "--text", "alert", "--out", tmp_path / "r"]
    result = CliRunner().invoke(commands.app, list(map(str, words)), input=json.dumps(QUERIES))
    assert result.exception is None, result.exception
    assert list(json.loads((tmp_path / "r").read_text())) == ["a", "b"]


@pytest.mark.parametrize("data", [b"# Odd \xff page\n\nzebra", b"# Odd\x00\n\nzebra"])
def test_a_page_that_is_no_text_is_named_beside_the_answer(folder: Path, data: bytes) -> None:
    (folder / "odd.md").write_bytes(data)
    told = run("--dir", folder, "--query", "zebra").stderr
    assert [line.split()[0] for line in told.splitlines()] == ["odd.md"]


def test_a_page_of_any_bytes_is_read_and_one_that_is_too_large_is_named(folder: Path) -> None:
    (folder / "odd.md").write_bytes(b"# Odd \xff\xfe page\x00\n\nzebra crossing")
    assert shown("--dir", folder, "--query", "zebra crossing")[0]["page"] == "odd"
    (folder / "odd.md").write_bytes(b"x" * (2**20 + 1))
    assert "split it" in str(run("--dir", folder, "--query", "zebra").exception)


def test_public_runbooks_are_found_by_their_alerts_names(tmp_path: Path) -> None:
    place = recorded("runbooks")
    known = json.loads((place / "queries_dev.json").read_text())
    ranked = rankings(place / "pages", _copied(place / "queries_dev.json", tmp_path), "alert")
    assert all(ranked[q["id"]][0] == q["runbook"] for q in known)


def _copied(file: Path, to: Path) -> Path:
    copy = to / file.name
    copy.write_bytes(file.read_bytes())
    return copy
