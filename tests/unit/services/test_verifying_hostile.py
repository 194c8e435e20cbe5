"""Dossiers made to hurt: each gets its answer or a clear error in bounded time."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from superbiz.errors import Invalid
from superbiz.services import verifying

SECONDS = 10  # for one dossier; the worst of these took 0.9 s of an idle core
BITS = (
    *("a", "1,", "1.", "0:", "((", "no ", "not ", "all ", '"x', "'", "/a", "a.b.", "1 of ", "10:00 ", "2026-07-08T", "%", "- ", "because "),
    *("没有", "中", "\u0301", "\u200b", "...", "aA", "_a", "1e", "=", "$", "{", "\\", "\n", "http://", "a@", "::", "[0]", "\ufffd"),
)


def call(output: Any, **fields: Any) -> dict[str, Any]:
    return {"invocation_id": "i", "run_id": "r", "tool_name": "logs", "output": output} | fields


def claim(text: str, path: str, excerpt: str, n: int = 0, **fields: Any) -> dict[str, Any]:
    bound = {"invocation_id": "i", "raw_path": path, "evidence_excerpt": excerpt[:400]}
    made = {"claim_id": f"c{n}", "claim_text": text[:500] or "x", "claim_type": "observation", "critical": True, "evidence": [bound]}
    return made | fields


def dossier(output: Any, *claims: Any, **fields: Any) -> dict[str, Any]:
    return {"schema": "dossier/1", "run_id": "r", "invocations": [call(output)], "claims": list(claims)} | fields


def answered(text: str | bytes) -> dict[str, Any] | Invalid:
    """The result or the refusal, within the time that is allowed."""
    started = time.process_time()
    try:
        found: dict[str, Any] | Invalid = verifying.verify_text(text)
    except Invalid as e:
        found = e
    assert time.process_time() - started < SECONDS
    return found


hostile = st.lists(st.sampled_from(BITS), min_size=1, max_size=4).flatmap(
    lambda bits: st.sampled_from((3, 400, 60_000)).map(lambda times: ("".join(bits) * times)[:120_000])
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=hostile, kind=st.sampled_from(("observation", "cause", "absence", "action")))
def test_repeats_of_anything_are_answered_in_bounded_time(text: str, kind: str) -> None:
    output = {"logs": [text, {"message": text[:5_000], "service": "a"}]}
    claims = [claim(text, path, text, n, claim_type=kind) for n, path in enumerate(("$.logs[0]", "$.logs", "$", "$.logs[1].message"))]
    found = answered(json.dumps(dossier(output, *claims)))
    assert isinstance(found, Invalid) or len(found["gatekeeper_result"]["claims"]) == len(claims)


def nested(depth: int) -> str:
    return '{"schema":"dossier/1","run_id":"r","claims":[],"invocations":[{"output":' + "[" * depth + "]" * depth + "}]}"


REFUSED: dict[str, Callable[[], str | bytes]] = {
    "nested beyond reason": lambda: nested(150_000),
    "a key of many given twice": lambda: "{" + ",".join(f'"k{n}":1' for n in range(200_000)) + ',"k199999":2}',
    "a key twice in an output": lambda: json.dumps(dossier({"a": 1})).replace('{"a": 1}', '{"a": 1, "a": 2}'),
    "NaN": lambda: json.dumps(dossier({"a": float("nan")})),
    "infinity": lambda: json.dumps(dossier({"a": float("inf")})),
    "a lone surrogate": lambda: json.dumps(dossier({"a": "\ud800"}, claim("x", "$.a", "x"))),
    "no UTF-8": lambda: b'{"schema": "\xff"}',
    "ten thousand claims": lambda: json.dumps(dossier({"a": 1}, *(claim("x", "$.a", "1", n) for n in range(10_000)))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_can_not_be_a_dossier_gets_a_clear_error_soon(name: str) -> None:
    found = answered(REFUSED[name]())
    assert isinstance(found, Invalid), found
    assert 5 < len(found.message) < 1_000


def test_hundreds_of_claims_get_a_result_each() -> None:
    lines = [f"2026-07-08 23:05:28 ERROR order-service Connection {n} is not available" for n in range(300)]
    made = [
        claim(f"Connection {n} of order-service is not available", f"$.logs[{n}]", f"Connection {n} is not available", n)
        for n in range(300)
    ]
    found = verifying.verify_text(json.dumps(dossier({"logs": lines}, *made)))
    assert len(found["claim_checks"]) == 300
    assert found["gatekeeper_result"]["counts"]["bindings_ok"] == 300
    assert found["verdict"] == "PASS"  # rows of one output are different things: they contradict nothing


ODD_NAMES = ("it's", 'say "x"', "a.b", "a b", "$", "[0]", "..", "*", "\\", "日志", "")


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_node_under_an_odd_name_is_cited_by_its_quoted_path(name: str) -> None:
    quoted = name.replace("\\", "\\\\").replace("'", "\\'")
    made = claim("orders-db has 400 connections", f"$.x['{quoted}'][0].text", "orders-db has 400 connections")
    found = verifying.verify_text(json.dumps(dossier({"x": {name: [{"text": "orders-db has 400 connections"}]}}, made)))
    assert found["gatekeeper_result"]["claims"][0]["bindings"][0]["code"] == "OK"


def test_a_number_beyond_floats_is_told_of_and_not_crashed_on() -> None:
    text = json.dumps(dossier({"a": 0}, claim("a is 1e999 and 9e400", "$", '"a":1e999'))).replace('"a": 0', '"a": 1e999')
    found = answered(text)
    assert isinstance(found, Invalid) or found["verdict"] != "PASS"


def test_an_altered_output_carries_no_claim() -> None:
    made = claim("orders-db has 400 connections", "$.text", "orders-db has 400 connections")
    given_ = dossier({"text": "orders-db has 400 connections"}, made)
    assert verifying.verify_text(json.dumps(given_))["verdict"] == "PASS"
    given_["invocations"][0]["output_sha256"] = "sha256:" + "0" * 64
    found = verifying.verify_text(json.dumps(given_))
    assert (found["verdict"], found["gatekeeper_result"]["claims"][0]["codes"]) == ("REJECT", ["OUTPUT_ALTERED"])


def test_slips_are_told_to_whoever_listens() -> None:
    told: list[str] = []
    verifying.verify_text(json.dumps(dossier({"a": 1}) | {"inocations": []}), told.append)
    assert told == ["inocations: no such field, it is left out; invocations?"]
