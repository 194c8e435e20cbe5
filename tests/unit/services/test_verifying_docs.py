"""The pages on the Gatekeeper say what it does: its table is the rules' own, and its example comes out as told."""

import re
from pathlib import Path
from typing import Any

import pytest

from superbiz.domain.gatekeeper import RULES, RULES_VERSION
from superbiz.services import verifying

DOCS = Path(__file__).resolve().parents[3] / "docs"
EXAMPLE = DOCS / "examples" / "another-tools-report.json"
ROW = re.compile(r"^\| `(?P<claim>[\w-]+)` \| [^|]+ \| (?P<told>[^|]+) \|$", re.MULTILINE)


def test_the_page_of_rules_has_the_table_itself() -> None:
    page = (DOCS / "reference" / "gatekeeper.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| (REJECT|LOW) \| (.+) \|$", page, re.MULTILINE)
    assert rows == [(str(r.number), r.code, r.severity.value, r.demands) for r in RULES]
    assert f"`{RULES_VERSION}`" in page


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    return verifying.verify_text(EXAMPLE.read_bytes(), pytest.fail)


def test_the_example_comes_out_as_the_page_tells(result: dict[str, Any]) -> None:  # REQ-061 REQ-063 REQ-070
    page = (DOCS / "how-to" / "check-another-tools-report.md").read_text(encoding="utf-8")
    told = {found["claim"]: found["told"] for found in ROW.finditer(page)}
    gates = {gate["claim_id"]: gate for gate in result["gatekeeper_result"]["claims"]}
    checks = {check["claim_id"]: check for check in result["claim_checks"]}
    assert set(told) == set(gates)
    for claim_id, what in told.items():
        codes = re.findall(r"`([A-Z_]+)`", what)
        assert sorted([*gates[claim_id]["codes"], *gates[claim_id]["lowered_by"]]) == sorted(codes), claim_id
        assert checks[claim_id]["result"] == (
            "PARTIAL" if what.startswith(("PARTIAL", "lowered")) else "NOT_VERIFIED" if codes else "SUPPORTED"
        )


def test_a_result_of_the_example_tells_all_that_a_reader_needs(result: dict[str, Any]) -> None:
    assert result["verdict"] == "LOW_CONFID"
    assert result["rationale"]
    assert {fact["claim_id"] for fact in result["facts_checked"]} >= {"pool", "connections"}
    assert all(check["reason"] for check in result["claim_checks"])
    assert {row["code"] for row in result["gatekeeper_result"]["rule_set"]["rules"]} == {rule.code for rule in RULES}


def test_every_field_of_a_dossier_is_on_its_page() -> None:
    from superbiz.domain import dossier
    from superbiz.domain.claims import Binding, Claim

    page = (DOCS / "reference" / "dossier.md").read_text(encoding="utf-8")
    for model in (dossier.DossierCall, Claim, Binding):
        assert not [name for name in model.model_fields if name not in page]
