"""A model's Verifier can only lower: whatever it replies, nothing is stored that is better than the offline judgement."""

import json
import random
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from bench.adversary.babbling import BABBLE
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import verdict
from superbiz.domain.claims import ClaimType
from superbiz.domain.gatekeeper import EvidenceBook, admit, excerpts
from superbiz.domain.rulings import _EXPRESSIBLE, _RESULTS
from superbiz.domain.verification import CheckResult, ClaimCheck, Expressible, FactCheck, Verdict, VerifierEvaluation, VerifierReply
from superbiz.engines.model.lowering import bounded
from superbiz.engines.offline.verifier import reply
from superbiz.flow import run_in_process
from support.builders import RUN_ID, build_binding, build_call, build_claim, build_output, build_parse
from support.model_runs import RUN, build_model_ports, build_world, finishing, plays, said_claim, verification
from support.model_server import ModelServer, chat, slow
from support.scripted import open_run

LINE = "2026-07-08T23:05:28Z ERROR order-service could not obtain a database connection within 3000 ms"
OUTPUT = {"logs": [LINE, "2026-07-08T23:05:31Z ERROR order-service POST /orders answered 503"], "complete": True}
CALL = build_call(OUTPUT, invocation_id="inv-a")
TEXTS = {
    "c1": "order-service could not obtain a database connection within 3000 ms",
    "c2": "order-service could not obtain a database connection within 9000 ms",
    "c3": "payment-service could not obtain a database connection",
    "c4": "order-service was restarted by an operator",
    "c5": "order-service obtained a database connection within 3000 ms",
}
CLAIMS = (
    *(
        build_claim(claim_id=key, claim_text=text, critical=key in ("c1", "c2"), evidence=(build_binding(CALL, evidence_excerpt=LINE),))
        for key, text in TEXTS.items()
    ),
    build_claim(claim_id="c6", claim_text="Restart it", claim_type=ClaimType.ACTION, critical=False, evidence=()),
)
BOOK = EvidenceBook(RUN_ID, {"inv-a": CALL.invocation}, {"inv-a": OUTPUT})
IDS = st.sampled_from([*TEXTS, "c6", "c99", ""])
CHECKS = st.builds(
    ClaimCheck, claim_id=IDS, result=st.sampled_from(CheckResult), expressible=st.sampled_from(Expressible), reason=st.text(max_size=9)
)
FACTS = st.builds(FactCheck, claim_id=IDS, fact=st.text(max_size=9), critical=st.booleans(), result=st.sampled_from(CheckResult))
REPLIES = st.builds(
    VerifierReply,
    verdict=st.sampled_from(Verdict),
    groundedness_score=st.floats(),
    critical_fact_count=st.integers(),
    claim_checks=st.lists(CHECKS, max_size=12).map(tuple),
    facts_checked=st.lists(FACTS, max_size=6).map(tuple),
    rationale=st.text(max_size=20),
)


@lru_cache(maxsize=len(CLAIMS))
def known(count: int) -> tuple[Any, ...]:
    output, parse = build_output(*CLAIMS[:count]), build_parse()
    gate = admit(output, parse, BOOK, 1)
    return output, parse, gate, reply(output.claims, gate, excerpts(output.claims, gate, BOOK))


def judged(said: VerifierReply | None, count: int) -> VerifierEvaluation:
    output, parse, gate, offline = known(count)
    told = bounded(said, offline) if said else offline
    return verdict.judge(output, parse, gate, told, round_=2, invocations=[CALL.invocation], summary=())


@given(REPLIES, st.integers(min_value=1, max_value=len(CLAIMS)))
def test_no_reply_makes_anything_better_than_code_has_it(said: VerifierReply, count: int):  # REQ-070
    alone, lowered = judged(None, count), judged(said, count)
    best = {check.claim_id: check for check in alone.claim_checks}
    for check in lowered.claim_checks:
        assert _RESULTS.index(check.result) <= _RESULTS.index(best[check.claim_id].result)
        assert _EXPRESSIBLE.index(check.expressible) <= _EXPRESSIBLE.index(best[check.claim_id].expressible)
    assert {check.claim_id for check in lowered.claim_checks} == {*best}
    assert verdict.worse(lowered.verdict, alone.verdict) is lowered.verdict
    assert 0.0 <= lowered.groundedness_score <= alone.groundedness_score
    assert {fact.claim_id for fact in lowered.facts_checked} <= {*best}


def test_the_judgement_that_bounds_the_replies_is_a_mixed_one():
    results = [{check.claim_id: check.result for check in judged(None, count).claim_checks} for count in (4, 5)]
    assert results[0]["c1"] is CheckResult.SUPPORTED
    assert all(results[0][key] is not CheckResult.SUPPORTED for key in ("c2", "c3", "c4"))
    assert results[1]["c5"] is CheckResult.CONTRADICTED


# --- a Verifier that gives nothing usable ---------------------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def stored(server: ModelServer, world: Path, said: Any) -> dict[str, Any]:
    server.model = plays(action=finishing(said_claim()), verification=said)
    ports = build_model_ports(server, world, timeout=0.2)
    open_run(ports, RUN)
    run_in_process(RUN_ID, ports)
    record = ports.ledger.record(RUN_ID)
    return dict(record.self_evaluation["verifier_evaluation"])


NONSENSE = {name: BABBLE[name] for name in BABBLE if name != "many claims"}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_of_the_verifier_is_never_a_pass(server: ModelServer, tmp_path: Path, name: str):
    """Where no claim stands, a second round is tried; its Executor may give up, and the offline engine pass claims of its own."""
    node = stored(server, build_world(tmp_path), chat(NONSENSE[name](random.Random(1))))
    assert node["verdict"] != "PASS" or "m1" not in [check["claim_id"] for check in node["claim_checks"]]


def test_a_verifier_that_does_not_answer_in_time_is_never_a_pass(server: ModelServer, tmp_path: Path):
    assert stored(server, build_world(tmp_path), slow(chat(json.dumps(verification())), 0.4))["verdict"] != "PASS"


def test_the_same_run_passes_with_a_verifier_that_judges(server: ModelServer, tmp_path: Path):
    """Else the tests above would prove nothing."""
    assert stored(server, build_world(tmp_path), verification())["verdict"] == "PASS"
