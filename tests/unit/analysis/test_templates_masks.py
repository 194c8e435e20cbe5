"""Which parts of a line are variable by their looks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis.collapsing import collapsed
from superbiz.analysis.templates import Miner


def found(line: str) -> str:
    miner = Miner(placed=False)
    return miner.template(miner.key(miner.numbers(line.encode())[0]))


@pytest.mark.parametrize(
    "value",
    [
        "17", "-4", "3.14", "1,024", "12:30:59", "50%", "12ms", "3.5 KB", "<1 sec", "0x7fA", "0xffff", "deadbeef",
        "d67af798bac52b303ec153b61e0f0942", "6b0737a2-060b-2757-aaaa-bbbbccccdddd", "10.0.0.1", "10.0.0.1:5432", "00:0a:95:9d:68:16",
        "fe80::1ff:fe23:4567:890a", "2001:db8::1", "2026-07-08", "2026-07-08T23:05:28.123Z", "2026/07/08 23:05:28",
        "Sun Jul 10 03:55:15 2005", "Sun Jul 10 03:55:15 PDT 2005", "10 Jul 2005", "Jul 10, 2005", "10/Oct/2000:13:55:36 -0700",
        "Jul 10 3:55:15 PM",
        "/var/log/app.log", "/srv", "./run.sh", "~/notes", "a/b/c.txt", "lib/x.so", "C:\\Windows\\system32\\a.dll", "\\\\share\\files",
        "https://a.example.com/x?y=1", "s3://bucket/key", "anna@example.com", "a.b.Class@6d06d69c", "db.internal.example.com",
        "ip-10-0-0-1.ec2.internal", "blk_-1608999687919862906", "attempt_1445144423722_0020_m_000001_0", "R01-M1-N4", "zK3x9Qw1", "v1.2.3",
        "#5#", "job-2-of-7",
    ],
)  # fmt: skip
def test_a_value_is_masked(value: str) -> None:
    assert found(f"took {value} today").replace("blk_-", "").replace("{<*>}", "<*>") == "took <*> today"


@pytest.mark.parametrize(
    "word",
    ["decade", "facade", "added", "and/or", "N/A", "read-only", "e.g.", "Jan", "May", "Market", "null", "it's", "kernel:", "old-style"],
)
def test_a_word_stays(word: str) -> None:
    assert word.rstrip(".:") in found(f"took {word} today")


def test_a_value_is_masked_where_it_is_a_truth_or_nothing() -> None:
    assert found("setLights(true), isOpen(null)") == "setLights(<*>), isOpen(<*>)"
    assert found("ready=true, owner=null, mode=fast") == "ready=<*>, owner=<*>, mode=fast"


def test_empty_brackets_hold_a_value_that_is_missing() -> None:
    assert found("connection from 10.0.0.1 () at noon") == found("connection from 10.0.0.1 (10.0.0.1) at noon")
    assert found("clear() was called") == "clear() was called"


def test_a_path_ends_where_a_sentence_does() -> None:
    assert found("can not load /opt/app/run.rts: no such file") == "can not load <*>: no such file"
    assert found("see /var/log/app.log.") == "see <*>."
    assert found('open "/Library/My Files/a b.txt" failed') == 'open "<*>" failed'


@pytest.mark.parametrize(
    ("line", "skeleton"),
    [
        (b"a 12 0x1fA e0 zz", b"a 0 0x0 e0 zz"),
        (b"54fadb412c4e40cdbaed9335e4c35a9e b9000564-fe1a-409b-b8cc-1e88b294cd1d", b"0 0-0-0-0-0"),
        (b"event:b9000564-fe1a-bbbb-b8cc-1e88b294cd1d", b"event:0-0-0-0-0"),
        (b"blk_-38865049064139660", b"blk_-0"),
        (b"id zK3x9Qw1 log4j sha256 x86_64", b"id 0 log0j sha0 x0_0"),
        (b"GET /a/b?c=1 HTTP/1.1", b"GET / HTTP/0.0"),
        (b"from https://a.example.com/x, then", b"from https://, then"),
        (b"/start of a line", b"/ of a line"),
        (b"added:128 face-2", b"added:0 face-0"),
        (b"", b""),
        (b"\n\n", b"\n\n"),
        (b"Orders.java:41 Orders#105", b"Orders.java:0 Orders#0"),
    ],
)
def test_a_skeleton_is_what_is_left_of_a_line(line: bytes, skeleton: bytes) -> None:
    assert collapsed(line) == skeleton


def test_lines_of_code_keep_their_numbers_where_that_is_asked_for() -> None:
    line = b"at 12:30 Orders#105 (/srv/shop/orders.py:118) /srv/x #7"
    assert collapsed(line, placed=True) == b"at 0:0 Orders#105 (/srv/shop/orders.py:118) / #0"


LINES = st.lists(
    st.one_of(st.binary(max_size=80), st.from_regex(rb"[a-f0-9x/:. -]{0,60}", fullmatch=True)).map(lambda b: b.replace(b"\n", b""))
)


@given(LINES)
def test_a_block_collapses_like_its_lines_do(lines: list[bytes]) -> None:
    assert collapsed(b"\n".join(lines)) == b"\n".join(map(collapsed, lines))


@given(LINES)
def test_no_line_is_lost_and_none_grows(lines: list[bytes]) -> None:
    block = b"\n".join(lines)
    skeleton = collapsed(block)
    assert skeleton.count(b"\n") == block.count(b"\n")
    assert len(skeleton) <= len(block)
    assert not any(b"%d" % n in skeleton for n in range(1, 10))
