"""What is said beside a record, and what is said of running text."""

import pytest

from superbiz.domain import canonical
from superbiz.domain.claims import Claim, ClaimType
from superbiz.domain.entailment import Cited, judge
from superbiz.domain.verification import CheckResult

ERRORS = {
    "service": "orders-api",
    "bad_lines": 40,
    "lines": 900,
    "exception": "java.net.SocketTimeoutException",
    "first": "2026-03-01T10:02:11Z",
}
PAGE = (
    "The gateway was rebuilt by the platform group after the outage of March 4, 2019, and it has been run by them since then. "
    "What they called the eMERALD release was shown to all of the teams in the spring, and it is the one that is still in use."
)


def said(text: str, around: str) -> CheckResult:
    cited = Cited(around[:400], around, {}, {"query": "rate"}, "query_logs")
    claim = Claim(claim_id="c", claim_text=text, claim_type=ClaimType.OBSERVATION, critical=True, evidence=())
    return judge(claim, [cited]).result


@pytest.mark.parametrize(
    "text",
    [
        "orders-api wrote 40 bad lines.",
        "orders-api throws java.net.SocketTimeoutException.",
        "orders-api 抛出了 java.net.SocketTimeoutException。",
        "orders-api 的第一条错误日志出现在 2026-03-01T10:02:11Z。",
    ],
)
def test_words_of_telling_and_measuring_weigh_nothing(text: str) -> None:
    assert said(text, canonical.dumps(ERRORS)) is CheckResult.SUPPORTED


@pytest.mark.parametrize(
    "added",
    [". Dns lookups timed out.", ", and users were logged out.", ", and backups were running.", ". Its disk was full.", "，并且缓存失效。"],
)
def test_a_statement_that_is_added_needs_a_record_of_its_own_matter(added: str) -> None:
    assert said(f"orders-api wrote 40 bad lines{added}", canonical.dumps(ERRORS)) is CheckResult.UNSUPPORTED


@pytest.mark.parametrize(
    "text",
    [
        "The gateway was rebuilt by the platform group after the outage in 2019.",
        'The release "Emerald" of the platform group is still in use.',
    ],
)
def test_a_page_spells_years_and_titles_in_its_own_way(text: str) -> None:
    assert said(text, PAGE) is CheckResult.SUPPORTED


@pytest.mark.parametrize(
    "text",
    [
        "The gateway was rebuilt by the platform group after the outage in 2018.",
        'The release "Sapphire" of the platform group is still in use.',
        "The gateway was rebuilt by the Harrison group after the outage in 2019.",
    ],
)
def test_a_page_does_not_tell_another_year_title_or_name(text: str) -> None:
    assert said(text, PAGE) is not CheckResult.SUPPORTED
