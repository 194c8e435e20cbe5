"""The Gatekeeper's rules on typed facts, from a dossier's claim to its gate, and what the report makes of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from superbiz.domain import dossier, facts
from superbiz.domain.composing import facts as told
from superbiz.domain.composing import template
from superbiz.domain.report import Citation, ReportClaim
from superbiz.services import verifying

SERIES = {
    "subject": "orders-db", "metric": "PoolUtilization", "unit": "Percent", "worst": 98.2, "worst_at": "2026-03-02T10:06:00Z",
    "baseline": 40.5,
}  # fmt: skip
LINES = [
    "2026-03-02T10:05:01Z ERROR orders Connection is not available",
    "2026-03-02T10:05:02Z INFO orders accepted order 17",
    "2026-03-02T10:05:07Z ERROR orders Connection is not available",
]
OUTPUT = {"series": [SERIES], "lines": LINES}
WORST = {"subject": "orders-db", "metric": "worst", "value": 98.2, "path": "$.series[0].worst"}
BASELINE = {"subject": "orders-db", "metric": "baseline", "value": 40.5, "path": "$.series[0].baseline"}
TEXT = "PoolUtilization of orders-db: worst 98.2 percent, baseline 40.5"
COUNT = {"subject": "orders", "metric": "ERROR", "aggregate": "count", "value": 2, "path": "$.lines"}


def checked(text: str, *facts: Any, path: str = "$.series[0]", excerpt: str = "", truncated: bool = False) -> dict[str, Any]:
    """The result of the one claim."""
    cited = excerpt or json.dumps(SERIES, separators=(",", ":"))
    call = {"invocation_id": "t1", "run_id": "r", "tool_name": "query", "category": "METRIC", "status": "SUCCESS", "output": OUTPUT,
            "truncated": truncated, "input_params": {"service": "orders"}}  # fmt: skip
    claim = {"claim_id": "c1", "claim_text": text, "claim_type": "observation", "critical": True, "facts": list(facts),
             "evidence": [{"invocation_id": "t1", "raw_path": path, "evidence_excerpt": cited}]}  # fmt: skip
    result = verifying.check(dossier.read(json.dumps({"schema": "dossier/1", "run_id": "r", "invocations": [call], "claims": [claim]})))
    gate: dict[str, Any] = result["gatekeeper_result"]["claims"][0]
    return gate | {"result": result["claim_checks"][0]["result"], "reasons": " ".join(b["reason"] for b in gate["breaches"])}


def test_facts_that_recompute_pass() -> None:
    gate = checked(TEXT, WORST, BASELINE)
    assert (gate["status"], gate["codes"], gate["result"]) == ("VERIFIED", [], "SUPPORTED")


def test_a_fact_that_does_not_recompute_rejects_its_claim() -> None:
    gate = checked(TEXT, WORST | {"value": 97.2}, BASELINE)
    assert gate["status"] == "UNVERIFIED"
    assert "FACT_MISMATCH" in gate["codes"]
    assert "found 98.2 at $.series[0].worst of query (t1)" in gate["reasons"]


@pytest.mark.parametrize("fact", ["98.2", 5, None, [], {"metric": "worst"}, WORST | {"op": "~"}])
def test_a_malformed_fact_rejects_its_claim_and_no_document(fact: Any) -> None:
    gate = checked(TEXT, fact)
    assert "FACT_INVALID" in gate["codes"]
    assert gate["reasons"].startswith("fact 1: ")


@pytest.mark.parametrize("listed", [(WORST, BASELINE), (BASELINE, WORST)])
def test_numbers_told_under_each_others_names_are_rejected(listed: tuple[Any, ...]) -> None:
    gate = checked("PoolUtilization of orders-db: worst 40.5 percent, baseline 98.2", *listed)
    assert "FACT_SWAPPED" in gate["codes"]
    assert "the other way round" in gate["reasons"]


def test_a_count_stands_in_for_a_number_that_no_excerpt_holds() -> None:
    cited = {"path": "$.lines[0]", "excerpt": LINES[0]}
    text = "orders logged 2 ERROR lines: Connection is not available"
    assert "NUMBER_MISMATCH" in checked(text, **cited)["codes"]
    assert checked(text, COUNT, **cited)["result"] == "SUPPORTED"
    assert "FACT_MISMATCH" in checked(text.replace("2 ERROR", "3 ERROR"), COUNT | {"value": 3}, **cited)["codes"]
    assert "FACT_MISMATCH" in checked(text, COUNT, truncated=True, **cited)["codes"]


def test_a_fact_carries_no_number_of_another_matter() -> None:
    cited = {"path": "$.lines[0]", "excerpt": LINES[0]}
    gate = checked("orders restarted 2 times: Connection is not available", COUNT, **cited)
    assert "NUMBER_MISMATCH" in gate["codes"]


def claim(text: str, *facts: dict[str, Any]) -> ReportClaim:
    cited = Citation(n=1, invocation_id="t1", tool_name="query", raw_path="$.series[0]", excerpt=json.dumps(SERIES))
    return ReportClaim(
        claim_id="c1", claim_text=text, claim_type="observation", critical=True, result="SUPPORTED", expressible="FULL", evidence=(cited,),
        facts=facts,
    )  # fmt: skip


def test_a_fact_is_rendered_with_its_owner_time_and_place() -> None:
    whole = WORST | {"metric": "worst of PoolUtilization", "unit": "percent", "time": "2026-03-02T10:06:00Z"}
    assert told.rendered(told.read([whole])[0]) == (
        "worst of PoolUtilization of orders-db: 98.2 % at 2026-03-02T10:06:00Z (from $.series[0].worst)"
    )
    assert told.rendered(told.read([COUNT | {"op": ">="}])[0], place=False) == "count of ERROR of orders: >= 2"


def test_a_source_line_tells_its_facts_in_short_and_only_its_own() -> None:
    said = claim(TEXT, WORST, BASELINE, COUNT)
    assert told.of_source(said.evidence[0], [said]) == "worst 98.2, baseline 40.5"


def test_prose_that_tells_a_number_beyond_its_facts_gives_way_to_them() -> None:
    assert told.prose(claim(TEXT, WORST, BASELINE)) == TEXT
    assert told.prose(claim(TEXT)) == TEXT
    assert told.prose(claim(TEXT, WORST)) == "worst of orders-db: 98.2 (from $.series[0].worst)."
    assert template.sentence(claim(TEXT, WORST)).startswith("worst of orders-db: 98.2 ")


def test_the_dossier_of_the_reference_runs_and_does_what_it_says() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/facts.md").read_text()
    example = page.split("<!-- example: dossier -->\n```json\n")[1].split("```")[0]
    result = verifying.check(dossier.read(example))
    assert [(c["claim_id"], c["result"]) for c in result["claim_checks"]] == [("c1", "SUPPORTED"), ("c2", "NOT_VERIFIED")]
    assert "FACT_MISMATCH" in result["gatekeeper_result"]["claims"][1]["codes"]


@pytest.mark.parametrize(("fact", "holds"), [
    ({"aggregate": "count", "value": 2}, True), ({"aggregate": "min", "value": 1}, True), ({"aggregate": "max", "value": 3}, True),
    ({"aggregate": "sum", "value": 4}, True), ({"aggregate": "mean", "value": 2}, True), ({"aggregate": "median", "value": 2}, True),
    ({"aggregate": "first", "value": 1}, True), ({"aggregate": "last", "value": 3}, True),
    ({"aggregate": "rate", "value": 2, "unit": "1/min"}, True), ({"value": 3, "time": "2026-03-02T10:02Z"}, True),
    ({"aggregate": "count", "value": 3}, False),
])  # fmt: skip
def test_the_aggregates_of_the_reference_are_as_it_tells(fact: dict[str, Any], holds: bool) -> None:
    points = [["2026-03-02T10:02Z", 3], ["2026-03-02T10:00Z", 1], ["2026-03-02T10:01Z", None]]
    source = facts.Source("t1", {"load": points}, {})
    assert facts.recompute(facts.parse({"metric": "load", "path": "$.load"} | fact), [source]).holds is holds
