"""Sides, turns, denials, and what was told as what is: each sentence against one record, true and turned."""

from typing import Any

import pytest

from superbiz.domain import canonical, entailment
from superbiz.domain.claims import Claim
from superbiz.domain.entailment import Cited
from superbiz.domain.verification import CheckResult

SERIES = {
    "subject": "orders", "metric": "Latency", "stat": "p99", "unit": "Seconds", "direction": "rose", "worst": 1.25,
    "worst_at": "2026-05-19T14:14:00Z", "baseline": 0.4, "onset": "2026-05-19T14:04:00Z",
}  # fmt: skip
SUSPECT = {
    "resource": "orders",
    "metric": "Latency",
    "own_excess": 51.8,
    "ordinary_excess": 1.6,
    "why": "own excess beyond what is ordinary for it",
}
ALARM = {"timestamp": "2026-05-19T14:07:24Z", "alarm": "orders-high", "from": "OK", "to": "ALARM"}
LOGS = {"service": "orders", "bad_lines": 0, "lines": 141, "normal_bad_lines": 3, "normal_lines": 1379}
STEP = {"service": "orders", "operation": "POST /carts", "step": "new", "count": 108, "of": 466, "normal": 0, "level": "ERROR"}
SPANS = {"service": "orders", "name": "GET /carts/{id}", "spans": 38, "errors": 1, "own_median_ms": 195.2, "normal_own_median_ms": 43.6}
CHANGE = {"name": "UpdateService", "resource": "orders", "minutes_after_onset": 0.4, "relation": "shortly before the onset"}
SCALED = {"kind": "Deployment", "name": "orders", "message": "Scaled up replica set orders-7c9d to 23 from 8"}
COUNTS = {"Label": "orders Errors", "Timestamps": ["2026-10-04T08:10:00Z", "2026-10-04T08:11:00Z"], "Values": [2.0, 31.0]}
JOB = {"host": "orders", "job": "report", "started": "2026-04-19T11:31:30Z", "ended": None}
COMPACT = {"host": "orders", "job": "compact", "started": "2026-04-19T10:01:00Z", "ended": "2026-04-19T10:46:00Z"}


def judged(text: str, record: dict[str, Any]) -> CheckResult:
    """What is made of a claim over one record, cited whole."""
    cited = [Cited(canonical.dumps(record), canonical.dumps(record), {}, {}, "get")]
    evidence = [{"invocation_id": "a", "raw_path": "$", "evidence_excerpt": canonical.dumps(record)}]
    claim = Claim.model_validate({"claim_id": "c", "claim_text": text, "claim_type": "observation", "critical": True, "evidence": evidence})
    return entailment.judge(claim, cited, entailment.known_in(cited)).result


PAIRS = (
    (SERIES, "Latency of orders rose above its baseline of 0.4 s.", "Latency of orders rose below its baseline of 0.4 s."),
    (SERIES, "orders: Latency went up from 0.4 s to 1.25 s.", "orders: Latency went down from 0.4 s to 1.25 s."),
    (SERIES, "Latency of orders started to rise at 14:04.", "Latency of orders started to fall at 14:04."),
    (SERIES, "Latency of orders is more than 3 times its baseline.", "Latency of orders is less than 3 times its baseline."),
    (SUSPECT, "orders has an own excess of 51.8, beyond what is ordinary.", "orders has an own excess of 51.8, within what is ordinary."),
    (ALARM, "orders-high went from OK to ALARM at 14:07:24.", "orders-high went from ALARM to OK at 14:07:24."),
    (ALARM, "告警 orders-high 在 14:07:24 从 OK 变为 ALARM。", "告警 orders-high 在 14:07:24 从 ALARM 变为 OK。"),
    (LOGS, "None of the 141 log lines of orders is bad.", "Several of the 141 log lines of orders is bad."),
    (LOGS, "In the normal period orders had 3 bad lines of 1379.", "orders had 3 bad lines of 1379."),
    (STEP, "orders logged a new step in POST /carts: 108 of 466.", "orders did not log a new step in POST /carts: 108 of 466."),
    (SPANS, "1 of 38 spans of GET /carts/{id} on orders have errors.", "1 of 38 spans on orders have errors."),
    (SCALED, "orders was scaled up from 8 to 23.", "orders was scaled down from 23 to 8."),
    (COUNTS, "Errors of orders rose from 2 to 31.", "Errors of orders fell from 31 to 2."),
    (JOB, "The report job of orders had not ended.", "The report job of orders had ended."),
    (COMPACT, "The compact job of orders ended at 10:46, 45 minutes after it started.",
     "The compact job of orders ended at 10:46, 45 minutes before it started."),
    (COMPACT, "The compact job of orders ran from 12:01 to 12:46 CEST.", "The compact job of orders ran from 12:01 to 12:46 JST."),
)  # fmt: skip


@pytest.mark.parametrize(("record", "true", "turned"), PAIRS)
def test_what_is_true_is_supported_and_its_opposite_is_not(record: dict[str, Any], true: str, turned: str) -> None:
    assert judged(true, record) is CheckResult.SUPPORTED
    assert judged(turned, record) is not CheckResult.SUPPORTED


def test_a_span_has_the_side_of_the_field_that_holds_it() -> None:
    assert judged("UpdateService on orders came 0.4 minutes before the onset.", CHANGE) is CheckResult.CONTRADICTED


def test_what_a_line_denies_may_be_denied() -> None:
    told = {"message": "orders Ready: False", "restarts": 6}
    assert judged("orders is ready.", told) is CheckResult.CONTRADICTED


def test_a_time_of_the_record_tells_nothing_of_before_it() -> None:
    line = {"service": "orders", "ts": "2026-02-21T08:17:13Z", "message": "NoSuchMethodError thrown"}
    assert judged("A NoSuchMethodError was thrown in orders before 08:17:13.", line) is not CheckResult.SUPPORTED


def test_a_zero_of_what_is_normal_makes_nothing_abnormal() -> None:
    quiet = SUSPECT | {"own_excess": 0, "ordinary_excess": 0, "why": "its own excess is within what is ordinary for it"}
    told = "orders stayed within what is {}ordinary for it: own excess 0 of Latency, ordinary excess 0."
    assert judged(told.format(""), quiet) is CheckResult.SUPPORTED
    assert judged(told.format("not "), quiet) is not CheckResult.SUPPORTED
