"""`superbiz logs templates`: one template for every line of any file."""

import io
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli import logs, main
from support.recorded import recorded

SETS = ("Apache", "HealthApp")
Run = Callable[..., str]


@pytest.fixture
def templates(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """What the command prints; it must succeed."""

    def run(*words: str | Path) -> str:
        monkeypatch.setattr(sys, "argv", ["superbiz", "logs", "templates", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main.run()
        assert ended.value.code == 0
        return capsys.readouterr().out

    return run


def mined(data: bytes, chunk: int = logs.CHUNK) -> dict[str, Any]:
    """The document of --json, read from blocks of a given size."""

    class Stream(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or chunk, chunk) if size != -1 else chunk)

    found = logs.mine(logs._blocks(Stream(data), Path("log"), lambda _read: None))
    rows = [{"id": key, "template": text, "count": count} for key, text, count in found.templates]
    return {"templates": rows, "assignments": [found.ids[n] for n in found.numbers]}


def physical_lines(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def test_json_names_each_lines_template_in_order(tmp_path: Path, templates: Run) -> None:
    file = tmp_path / "app.log"
    file.write_text("order 1 accepted\ncart is empty\norder 2 accepted\n")
    found = json.loads(templates(file, "--json"))
    order, cart = found["templates"]
    assert (order["template"], order["count"]) == ("order <*> accepted", 2)
    assert (cart["template"], cart["count"]) == ("cart is empty", 1)
    assert found["assignments"] == [order["id"], cart["id"], order["id"]]


def test_without_json_a_table_has_the_most_lines_first(tmp_path: Path, templates: Run) -> None:
    file = tmp_path / "app.log"
    file.write_text("cart is empty\norder 1 accepted\norder 2 accepted\n")
    shown = templates(file)
    assert shown.index("order <*> accepted") < shown.index("cart is empty")


def test_a_terminal_gets_no_control_characters_of_lines(tmp_path: Path, templates: Run) -> None:
    file = tmp_path / "app.log"
    file.write_bytes(b"bad \x1b[31mred\x07 thing\n")
    assert not set(templates(file)) & {"\x1b", "\x07"}


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch, templates: Run) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a 1\na 2")))
    assert len(set(json.loads(templates("-", "--json"))["assignments"])) == 1


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", 0), (b"\n", 1), (b"\n\n\n", 3), (b"a", 1), (b"a\n", 1), (b"a\n\nb", 3), (b"a\r\nb\r\n", 2),
        (b"progress 1\rprogress 2\n", 1), (b"\xff\xfe\x00\n\x80", 2), (b"\x00" * 100, 1), ("日本語 5 行\nстрока 6\n".encode(), 2),
        (b"{\n{}\n{\"a\": 1}\n[]", 4), (b"a\x0bb\x0cc\x1cd\n", 1), ("a\u2028b\u0085c\n".encode(), 1),
        (b"x" * 1_000_000 + b"\nshort\n", 2), (b"y" * 1_000_000, 1), (b'{"a":"' + b"z" * 1_000_000 + b'"}', 1),
    ],
)  # fmt: skip
def test_every_physical_line_has_exactly_one_template(data: bytes, lines: int) -> None:
    found = mined(data)
    assert len(found["assignments"]) == lines
    assert Counter(found["assignments"]) == {row["id"]: row["count"] for row in found["templates"]}


def test_odd_bytes_at_the_beginning_are_a_line_like_any_other(tmp_path: Path, templates: Run) -> None:
    file = tmp_path / "app.log"
    file.write_bytes(b"\xff\xfe odd\nfine\n")
    assert len(json.loads(templates(file, "--json"))["assignments"]) == 2


def test_line_ends_of_both_kinds_make_no_difference() -> None:
    found = mined(b"order 1 accepted\r\norder 2 accepted\n")
    assert len(found["templates"]) == 1


def test_a_line_far_longer_than_a_block_costs_little_memory_and_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "KEPT", 100)
    blocks = list(logs._blocks(io.BytesIO(b"x" * (3 * logs.CHUNK) + b"\nend"), Path("log"), lambda _read: None))
    assert [len(b) <= logs.CHUNK + 100 for b in blocks] == [True, True]
    assert blocks[-1] == b"end"


@given(
    st.lists(st.one_of(st.binary(max_size=40), st.sampled_from([b"", b"order 17 done", b'{"a":1}', b"\r"])), max_size=30),
    st.integers(1, 50),
)
def test_where_blocks_end_makes_no_difference(lines: list[bytes], chunk: int) -> None:
    data = b"\n".join(lines)
    found = mined(data, chunk)
    assert found["assignments"] == mined(data)["assignments"]
    assert len(found["assignments"]) == physical_lines(data)


@pytest.mark.parametrize("name", ["missing.log", "."])
def test_what_can_not_be_read_is_said(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["superbiz", "logs", "templates", str(tmp_path / name)])
    with pytest.raises(SystemExit) as ended:
        main.run()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, "")
    assert f"can not read {tmp_path / name}" in said.err


@pytest.mark.parametrize(("start", "mend"), [
    (b"\x1f\x8b\x08\x00", "gunzip -c {file} | superbiz logs templates -"), (b"\xfd7zXZ\x00", "xz -dc {file} |"),
    ("a\n".encode("utf-16"), "iconv -f UTF-16 -t UTF-8 {file} |"),
])  # fmt: skip
def test_a_file_that_is_no_text_yet_is_refused_with_what_makes_text_of_it(
    start: bytes, mend: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "app.log"
    file.write_bytes(start)
    monkeypatch.setattr(sys, "argv", ["superbiz", "logs", "templates", str(file)])
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code == 2
    assert mend.format(file=file) in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "\n", "a\n", "a\nb", "cart is empty\norder 1 accepted\n"])
def test_a_mark_of_utf_8_is_no_part_of_the_first_line(text: str, tmp_path: Path, templates: Run) -> None:
    (tmp_path / "marked.log").write_text(text, encoding="utf-8-sig")
    (tmp_path / "plain.log").write_text(text, encoding="utf-8")
    found = templates(tmp_path / "marked.log", "--json")
    assert found == templates(tmp_path / "plain.log", "--json")
    assert len(json.loads(found)["assignments"]) == physical_lines(text.encode())


def test_progress_is_told_at_a_terminal_only(tmp_path: Path, templates: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(logs, "REPORTED", 0.0)

    class Status:
        def __enter__(self) -> "Status":
            return self

        def __exit__(self, *_: object) -> None: ...

        def update(self, text: str) -> None:
            told.append(text)

    class Terminal:
        is_terminal = True

        def status(self, _text: str) -> Status:
            return Status()

    file = tmp_path / "app.log"
    file.write_bytes(b"order 1 accepted\n" * 200_000)
    templates(file, "--json")
    assert told == []
    monkeypatch.setattr(logs, "err", Terminal())
    templates(file, "--json")
    assert told[-1] == "read 3 MB of 3 MB"


def test_a_million_assignments_are_written_piece_by_piece(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(logs, "WRITTEN", 2)
    logs._write(logs.mine([b"a 1\nb\na 2", b"b\na 3"]))
    found = json.loads(capsys.readouterr().out)
    a, b = (row["id"] for row in found["templates"])
    assert found["assignments"] == [a, b, a, b, a]


@pytest.mark.parametrize("name", SETS)
def test_recorded_logs_are_grouped_as_people_did(name: str) -> None:
    import csv

    with recorded("loghub", f"{name}_2k.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = mined("\n".join(row["content"] for row in rows).encode())["assignments"]
    pairs = set(zip(found, (row["event_id"] for row in rows), strict=True))
    assert len(pairs) == len(set(found)) == len({event for _, event in pairs})
