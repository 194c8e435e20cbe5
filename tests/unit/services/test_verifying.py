"""`superbiz verify`: a true claim is expressible, and what is not true or not real is not."""

import json
import time
from typing import Any

import pytest

from superbiz.errors import Invalid
from superbiz.services import verifying

LINES = [
    "2026-07-08 23:05:28 ERROR order-service HikariPool-1 - Connection is not available, request timed out after 30000ms",
    "2026-07-08 23:05:31 INFO order-service GET /health answered 200 in 3 ms",
]
TRUE = "order-service could not obtain a database connection at 23:05:28; its request timed out after 30000 ms"


def binding(
    path: str = "$.logs[0]", excerpt: str = "Connection is not available, request timed out after 30000ms", inv: str = "inv-1"
) -> dict[str, Any]:
    return {"invocation_id": inv, "raw_path": path, "evidence_excerpt": excerpt}


def claim(text: str = TRUE, *evidence: dict[str, Any], **fields: Any) -> dict[str, Any]:
    defaults = {
        "claim_id": "c1",
        "claim_text": text,
        "claim_type": "observation",
        "critical": True,
        "evidence": list(evidence) or [binding()],
    }
    return defaults | fields


def call(**fields: Any) -> dict[str, Any]:
    defaults = {"invocation_id": "inv-1", "run_id": "run-1", "tool_name": "query_logs", "category": "LOG", "status": "SUCCESS",
                "input_params": {"service": "order-service"}, "output": {"logs": LINES, "matched": 2}, "truncated": False}  # fmt: skip
    return defaults | fields


def verify(*claims: dict[str, Any], calls: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    given = {"schema": "dossier/1", "run_id": "run-1", "question": "Why?", "invocations": calls or [call()], "claims": list(claims)}
    return verifying.verify_text(json.dumps(given, ensure_ascii=False))


def expressible(result: dict[str, Any]) -> str:
    return str(result["claim_checks"][0]["expressible"])


def test_a_true_claim_is_expressible_and_passes() -> None:
    # REQ-060, REQ-070, REQ-071, REQ-072, REQ-074
    result = verify(claim())
    assert expressible(result) == "FULL"
    assert (result["verdict"], result["groundedness_score"]) == ("PASS", 1.0)
    assert set(result) == {
        *("run_id", "verdict", "groundedness_score", "rationale"),
        *("gatekeeper_result", "claim_checks", "facts_checked"),
    }
    assert set(result["claim_checks"][0]) == {"claim_id", "result", "expressible", "reason"}
    assert result["gatekeeper_result"]["status"] == "PASS"


@pytest.mark.parametrize(
    "bad",
    [
        claim(TRUE, binding(excerpt="Connection was refused by the database")),
        claim(TRUE, binding(excerpt="request timed out after ３0000ms")),
        claim(TRUE, binding(inv="inv-2")),
        claim(TRUE, binding("$.logs[1]", "GET /health answered 200")),
        claim(TRUE.replace("30000 ms", "20000 ms")),
    ],
    ids=["forged citation", "full-width digit", "another run's invocation", "real but irrelevant excerpt", "changed number"],
)
def test_what_is_forged_irrelevant_or_changed_is_not_expressible_and_never_passes(bad: dict[str, Any]) -> None:
    # REQ-061, REQ-063, REQ-070
    result = verify(bad, calls=[call(), call(invocation_id="inv-2", run_id="run-2")])
    assert expressible(result) == "NONE"
    assert result["verdict"] != "PASS"
    assert result["groundedness_score"] == 0.0
    assert len(result["claim_checks"][0]["reason"]) > 20


def test_one_bad_critical_claim_among_good_ones_is_no_pass() -> None:
    result = verify(claim(claim_id="a"), claim(TRUE.replace("30000 ms", "31000 ms"), claim_id="b"))
    assert [c["expressible"] for c in result["claim_checks"]] == ["FULL", "NONE"]
    assert (result["verdict"], result["groundedness_score"]) == ("LOW_CONFID", 0.5)


def test_a_failed_or_utility_call_supports_nothing() -> None:
    for bad in ({"status": "FAILED", "output": None}, {"category": "UTILITY"}):
        assert verify(claim(), calls=[call(**bad)])["verdict"] == "REJECT"


def test_absence_alone_is_low_confidence_and_scoped() -> None:
    # requirements section 4, rule 2
    silent = call(output={"logs": [], "matched": 0})
    honest = claim("query_logs matched no lines for order-service", binding("$.no_evidence", ""), claim_type="absence", critical=False)
    assert (verify(honest, calls=[silent])["verdict"], expressible(verify(honest, calls=[silent]))) == ("LOW_CONFID", "HEDGED")
    excluded = claim("order-service has no connection problem", binding("$.no_evidence", ""), claim_type="absence")
    assert (verify(excluded, calls=[silent])["verdict"], expressible(verify(excluded, calls=[silent]))) == ("REJECT", "NONE")
    cut = verify(honest, calls=[silent | {"truncated": True}])
    assert expressible(cut) == "NONE"


def test_a_swapped_service_of_another_call_is_known() -> None:
    other = call(invocation_id="inv-9", input_params={"service": "checkout"}, output={"rows": [{"service": "checkout", "errors": 4}]})
    swapped = claim("checkout could not obtain a database connection at 23:05:28")
    assert expressible(verify(swapped, calls=[call(), other])) == "NONE"


def test_a_claim_that_breaks_the_schema_is_rejected_with_the_dossier_s_result() -> None:
    result = verify(claim("x" * 501))
    assert (result["verdict"], result["claim_checks"]) == ("REJECT", [])
    assert result["gatekeeper_result"]["status"] == "SKIPPED"
    assert "claims.0.claim_text" in " ".join(result["gatekeeper_result"]["errors"])


def test_no_claims_is_no_pass() -> None:
    assert verify()["verdict"] != "PASS"


def test_an_action_is_a_proposal_at_most() -> None:
    action = claim("Roll back order-service", claim_type="action", critical=True) | {"evidence": []}
    result = verify(claim(claim_id="a"), action)
    assert [c["expressible"] for c in result["claim_checks"]] == ["FULL", "HEDGED"]
    assert result["verdict"] == "PASS"
    assert expressible(verify(action)) == "NONE"


def test_what_is_no_dossier_is_refused() -> None:
    with pytest.raises(Invalid, match="schema"):
        verifying.verify_text('{"schema": "report/1"}')


def test_an_output_of_any_shape_can_be_cited() -> None:
    text = call(output="order-service: connection pool exhausted, 27 requests waiting")
    said = claim(
        "The connection pool of order-service is exhausted and 27 requests are waiting",
        binding("$", "connection pool exhausted, 27 requests"),
    )
    assert verify(said, calls=[text])["verdict"] == "PASS"
    listed = call(output=[{"service": "order-service", "errors": 27}, {"service": "payment-service", "errors": 2}])
    said = claim("order-service had 27 errors", binding("$[0]", '"order-service","errors":27'))
    assert verify(said, calls=[listed])["verdict"] == "PASS"
    said = claim("order-service had 2 errors", binding("$", '"payment-service","errors":2}'))
    assert verify(said, calls=[listed])["verdict"] == "REJECT"


def test_a_thousand_dossiers_take_seconds() -> None:
    texts = [json.dumps({"schema": "dossier/1", "run_id": f"run-{n}", "question": "", "claims": [claim()],
                         "invocations": [call(run_id=f"run-{n}", output={"logs": [f"{n} {line}" for line in LINES * 5]})]})
             for n in range(1_000)]  # fmt: skip
    started = time.process_time()
    assert {verifying.verify_text(t)["verdict"] for t in texts} == {"PASS"}
    assert time.process_time() - started < 12.0  # 10,000 a minute on two cores; measured 1.0 s on an idle core


def test_large_outputs_and_many_claims_stay_bounded() -> None:
    big = call(output={"logs": [f"{n} {LINES[0]}" for n in range(40_000)]})
    claims = [claim(TRUE, binding(f"$.logs[{n * 1_000}]"), claim_id=f"c{n}") for n in range(20)]
    started = time.process_time()
    assert verify(*claims, calls=[big])["verdict"] == "PASS"
    whole = claim(TRUE, binding("$", "Connection is not available, request timed out after 30000ms"))
    assert expressible(verify(whole, calls=[big])) in ("FULL", "NONE")
    assert time.process_time() - started < 12.0
