"""Dossiers with anything in any place, and records beside the one that is cited: an answer in time, and no PASS on what is false."""

import copy
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from superbiz.domain.gatekeeper import normalised, passages
from superbiz.errors import Invalid
from superbiz.services import verifying

SECONDS = 10
LINE = "2026-07-08 23:05:28 ERROR orders Connection is not available after 30000ms"
VALUES = (
    *(None, True, 0, -1, 1.5, -0.0, 1e308, 10**400, "", "x", "\x00", "\ud800", "NaN", "9" * 400, "x" * 1_000, "$", "$['']", "🙂" * 50),
    *([], {}, [1], [None], [[]], {"a": 1}, ["x"] * 50, "((((a+)+)+)+$" * 30, "2026-13-45T99:99:99Z", "订单服务连接失败", "مرحبا"),
)


def dossier(output: Any, text: str, path: str, excerpt: str, **claim: Any) -> dict[str, Any]:
    bound = {"invocation_id": "t1", "raw_path": path, "evidence_excerpt": excerpt}
    made = {"claim_id": "c1", "claim_text": text, "claim_type": "observation", "critical": True, "evidence": [bound]} | claim
    call = {"invocation_id": "t1", "run_id": "r", "tool_name": "logs", "input_params": {"service": "orders"}, "output": output}
    return {"schema": "dossier/1", "run_id": "r", "invocations": [call], "claims": [made]}


def verdict(given_: dict[str, Any]) -> str:
    return str(verifying.verify_text(json.dumps(given_))["verdict"])


VALID = dossier(
    {"lines": [LINE], "matched": 1},
    "orders: Connection is not available after 30 s at 23:05:28",
    "$.lines[0]",
    "Connection is not available after 30000ms",
    facts=[{"subject": "orders", "metric": "matched", "op": "=", "value": 1, "aggregate": "value", "path": "$.matched"}],
)


def places(node: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield from places(node[key], (*at, key))


def put(document: Any, at: tuple[Any, ...], value: Any) -> Any:
    if not at:
        return value
    made = copy.copy(document)
    made[at[0]] = put(document[at[0]], at[1:], value)
    return made


@seed(20_261_201)
@settings(max_examples=250, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(list(places(VALID))), st.sampled_from(VALUES)), min_size=1, max_size=3))
def test_anything_in_any_place_is_answered_in_bounded_time(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    made = VALID
    for at, value in changes:
        if at in set(places(made)):
            made = put(made, at, value)
    started = time.process_time()
    try:
        result = verifying.verify_text(json.dumps(made))
    except Invalid as e:
        refused: str | None = e.message
    else:
        refused = None
        assert result["verdict"] in ("PASS", "LOW_CONFID", "REJECT")
        for check in result["claim_checks"]:
            assert check["expressible"] == "FULL" or check["reason"]
    assert time.process_time() - started < SECONDS
    assert refused is None or 5 < len(refused) < 2_000


LOG = (
    "2026-07-08 23:05:28 ERROR orders request took 512ms and failed with code 503\n"
    "2026-07-08 23:06:40 INFO payments request took 9001ms and was fine with code 200\n"
    "2026-07-08 23:07:00 ERROR carts lost 40 connections\n"
)
PADDING = "".join(f"2026-07-08 23:0{n % 10}:11 DEBUG heartbeat {n} of node n{n}\n" for n in range(900))
OF_OTHERS = ("orders request took 9001 ms", "orders lost 40 connections", "orders request failed with code 200",
             "orders request took 512 ms at 23:06:40", "carts request took 512 ms")  # fmt: skip


@pytest.mark.parametrize("log", [LOG, PADDING + LOG + PADDING], ids=["a short log", "a long log"])
@pytest.mark.parametrize("excerpt", ["orders request took 512ms", "orders  request took 512ms"], ids=["as it stands", "another blank"])
def test_lines_of_one_text_are_records_of_their_own(log: str, excerpt: str) -> None:
    # REQ-060, REQ-070
    for output, path in ((log, "$"), ({"log": log}, "$.log")):
        assert verdict(dossier(output, "orders request took 512 ms", path, excerpt)) == "PASS"
        for said in OF_OTHERS:
            assert verdict(dossier(output, said, path, excerpt)) != "PASS", said


def test_rows_of_a_table_are_records_of_their_own() -> None:
    table = "service     latency   errors\norders      512 ms    3\npayments    9001 ms   0\n"
    assert verdict(dossier(table, "orders had a latency of 512 ms", "$", "orders      512 ms    3")) == "PASS"
    assert verdict(dossier(table, "orders had a latency of 9001 ms", "$", "orders      512 ms    3")) != "PASS"
    rows = {"columns": ["service", "latency"], "rows": [["orders", 512], ["payments", 9001]]}
    assert verdict(dossier(rows, "orders: 9001", "$.rows", '["orders",512]')) != "PASS"


WIDE = 300_000
LARGE: dict[str, Any] = {
    "an object without end": dossier({f"k{n}": n for n in range(WIDE)}, "k5 is 5", "$.k5", "5"),
    "a text beside": dossier({"lines": [LINE], "note": "word 5 " * WIDE}, "Connection is not available", "$.lines[0]", LINE),
    "another blank far in": dossier("word " * WIDE + LINE, "Connection is not available", "$", "Connection  is not available"),
    "facts over many": dossier(
        {"v": list(range(WIDE))}, "v", "$.v[7]", "7",
        facts=[{"metric": "v", "aggregate": how, "path": "$.v", "value": n} for n, how in enumerate(["sum", "median", "max", "min"] * 5)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_what_is_large_is_answered_in_bounded_time(name: str) -> None:
    text = json.dumps(LARGE[name])
    started = time.process_time()
    verifying.verify_text(text)
    assert time.process_time() - started < SECONDS


@given(st.lists(st.sampled_from(["a", "e\u0301", "é", "  ", "\n", "12", "中", "x" * 9_000, "\u0301"]), max_size=12), st.data())
@settings(max_examples=80, deadline=None)
def test_a_place_leads_back_to_the_passage(bits: list[str], data: st.DataObject) -> None:
    # REQ-062
    text = "".join(bits)
    flat = normalised(text)
    start = data.draw(st.integers(0, len(flat)))
    wanted = flat[start : data.draw(st.integers(start, len(flat)))].strip()
    place = passages.place_of(wanted, text, flat) if wanted else None
    if place:
        assert normalised(text[place.start : place.end]) == normalised(wanted)


def test_why_a_claim_is_refused_is_said_in_words() -> None:
    nothing = put(VALID, ("claims", 0, "evidence"), [])
    twice = put(VALID, ("claims",), VALID["claims"] * 2)
    for made in (nothing, twice):
        assert "expected" in verifying.verify_text(json.dumps(made))["claim_checks"][0]["reason"]


UNREADABLE = (
    ("\ufeff{}".encode(), "byte order mark"),
    ("{}".encode("utf-16"), "not UTF-8: byte 0"),
    (b'{"a": ' + b"9" * 5_000 + b"}", "5000 digits"),
)


@pytest.mark.parametrize(("text", "said"), UNREADABLE)
def test_what_no_one_can_read_is_told_in_words(text: bytes, said: str) -> None:
    with pytest.raises(Invalid, match=said):
        verifying.verify_text(text)
