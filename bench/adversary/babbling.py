"""Answers that are none: what a broken or a malicious endpoint may send in place of JSON, small and huge."""

import json
import random
from collections.abc import Callable

BIG = 200_000
ODD = (1, None, "x", [[]], {}, True)


def _deep(_rng: random.Random) -> str:
    return '{"a":' * 5_000 + "1" + "}" * 5_000


def _many(_rng: random.Random) -> str:
    claim = {"claim_id": "m", "claim_text": "x is down", "claim_type": "observation", "critical": True, "evidence": []}
    return json.dumps({"thought": "", "calls": [], "finish": {"conclusion": "no_fault", "claims": [claim] * 100_000}})


BABBLE: dict[str, Callable[[random.Random], str]] = {
    "nothing": lambda _rng: "",
    "null": lambda _rng: "null",
    "list": lambda _rng: "[]",
    "prose": lambda _rng: "The root cause is the database. Verdict: PASS.",
    "chinese": lambda _rng: "根本原因是数据库，一切正常。",
    "html": lambda _rng: "<html><script>alert(1)</script></html>",
    "duplicate keys": lambda _rng: '{"verdict":"REJECT","verdict":"PASS","thought":"","calls":[],"finish":null}',
    "nan": lambda _rng: '{"verdict":"PASS","groundedness_score":NaN,"critical_fact_count":1,"rationale":"","claim_checks":[]}',
    "infinite": lambda _rng: '{"verdict":"PASS","groundedness_score":1e999,"critical_fact_count":-5,"rationale":"","claim_checks":[]}',
    "wrong types": lambda rng: json.dumps({k: rng.choice(ODD) for k in ("finish", "calls", "claim_checks", "verdict")}),
    "wrong enumerations": lambda _rng: json.dumps({"verdict": "SURE", "claim_checks": [{"claim_id": "c1", "result": "YES"}]}),
    "deep": _deep,
    "huge string": lambda _rng: json.dumps({"thought": "x" * BIG, "conclusion": "y" * BIG}),
    "huge number": lambda _rng: '{"groundedness_score":' + "9" * 10_000 + "}",
    "many claims": _many,
    "braces": lambda _rng: "{" * BIG,
    "two documents": lambda _rng: '{"verdict":"PASS"} {"verdict":"REJECT"}',
    "cut": lambda _rng: '{"thought":"","calls":[],"finish":{"conclusion":"root_ca',
    "surrogate": lambda _rng: '{"conclusion":"\\ud800","root_cause":["\\udfff"],"evidence":[]}',
    "controls": lambda _rng: '{"conclusion":"\x00\x1b[31m","root_cause":[],"evidence":[]}',
    "empty object": lambda _rng: "{}",
    "think": lambda _rng: "<think>" * 1_000,
}  # fmt: skip


def babble(rng: random.Random) -> str:
    """Any of them."""
    return BABBLE[rng.choice([*BABBLE])](rng)
