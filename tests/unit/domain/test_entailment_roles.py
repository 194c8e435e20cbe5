"""Roles and units within one line: who called whom, and two numbers that the record has in one unit."""

import pytest

from superbiz.domain import canonical, entailment
from superbiz.domain.claims import Claim
from superbiz.domain.entailment import Cited
from superbiz.domain.verification import CheckResult

LINE = "2026-07-15T09:23:20Z INFO cart-api breaker for fare-engine is open"
CALL = "2026-08-22T09:16:44Z ERROR cart-api: call to fare-engine timed out after 4000 ms"
POINTS = [["2026-06-22T04:28:00Z", 3], ["2026-06-22T04:32:00Z", 435]]


def result(text: str, node: object) -> CheckResult:
    record = node if isinstance(node, str) else canonical.dumps(node)
    cited = [Cited(record[:300], record, {}, {})]
    claim = Claim(claim_id="c1", claim_text=text, claim_type="observation", critical=True)
    return entailment.judge(claim, cited, entailment.known_in(cited)).result


@pytest.mark.parametrize(
    ("true", "turned", "line"),
    [
        ("cart-api reported the breaker for fare-engine as open.", "fare-engine reported the breaker for cart-api as open.", LINE),
        ("cart-api called fare-engine and timed out after 4 s.", "fare-engine called cart-api and timed out after 4 s.", CALL),
    ],
)
def test_what_a_line_tells_of_two_things_is_not_told_the_other_way_round(true: str, turned: str, line: str) -> None:
    # REQ-070
    assert result(turned, line) is not CheckResult.SUPPORTED
    assert result(true, line) is CheckResult.SUPPORTED


def test_a_passive_sentence_may_name_them_in_the_other_order() -> None:
    assert result("fare-engine was called by cart-api, which timed out after 4000 ms.", CALL) is CheckResult.SUPPORTED


def test_two_bare_numbers_of_one_record_have_one_unit() -> None:
    # REQ-070
    assert result("The lag grew from 3 s to 435 min.", POINTS) is CheckResult.UNSUPPORTED
