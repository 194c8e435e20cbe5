"""Sentences against the claims that they cite: what a paraphrase may do, and what it may not."""

from typing import Any

import pytest

from superbiz.domain.composing.prose import Basis, complaints
from superbiz.domain.entailment import Cited
from superbiz.domain.report import ReportClaim
from superbiz.domain.values import JsonObject
from superbiz.domain.verification import CheckResult, Expressible


def basis(claim_id: str, text: str, node: JsonObject, kind: str = "observation") -> Basis:
    fields: Any = {"claim_type": kind, "critical": True, "result": CheckResult.SUPPORTED, "expressible": Expressible.FULL}
    excerpt = " ".join(str(value) for value in node.values())
    return Basis(ReportClaim(claim_id=claim_id, claim_text=text, **fields), [Cited(excerpt, excerpt, node, {}, "query_metrics")])


ROSE = basis(
    "c1",
    "Connections (Average) of orders-db rose: worst 98 count at 2026-07-08T23:06:00Z, baseline 12, deviation 7, "
    "recovered at 2026-07-08T23:20:00Z.",
    {"subject": "orders-db", "metric": "Connections", "direction": "rose", "worst": 98, "baseline": 12},
)
LOGGED = basis(
    "c2",
    'orders-api logged 27 bad lines of 40 lines, normal 1 of 90: "call of orders-db took 30 s".',
    {"service": "orders-api", "bad_lines": 27, "lines": 40, "message": "call of orders-db took 30 s"},
)
RATE = basis(
    "c3",
    "GET /orders of orders-api has 53 errors in 83 spans, error rate 0.64, normal error rate 0.07.",
    {"service": "orders-api", "name": "GET /orders", "errors": 53, "spans": 83},
)
CAUSE = basis(
    "c4",
    "orders-db is the likely root cause: its Connections (Average) deviates from its baseline.",
    {"subject": "orders-db", "metric": "Connections", "stat": "Average"},
    "cause",
)
ALL = (ROSE, LOGGED, RATE, CAUSE)
KNOWN = frozenset({"orders-db", "orders-api", "payments"})

FAITHFUL = [
    (ROSE, "Connections of orders-db rose to 98 at 23:06; its baseline is 12."),
    (ROSE, "At 23:06 orders-db had 98 Connections, baseline 12."),
    (ROSE, "The Connections of orders-db recovered at 23:20."),
    (LOGGED, "orders-api logged 27 bad lines of 40, where normal is 1 of 90."),
    (LOGGED, 'orders-api logged "call of orders-db took 30 s" in bad lines.'),
    (RATE, "GET /orders of orders-api has 53 errors in 83 spans."),
    (RATE, "GET /orders of orders-api has an error rate of 0.64; the normal error rate is 0.07."),
    (CAUSE, "orders-db is the likely root cause: its Connections deviates from its baseline."),
]
UNFAITHFUL = [
    ("another number", ROSE, "Connections of orders-db rose to 97 at 23:06."),
    ("numbers turned round", ROSE, "Connections of orders-db rose to 12 at 23:06, baseline 98."),
    ("another time's value", ROSE, "Connections of orders-db rose to 98 at 23:20."),
    ("another direction", ROSE, "Connections of orders-db fell to 98 at 23:06."),
    ("to and by", ROSE, "Connections of orders-db rose by 98 at 23:06."),
    ("another unit", ROSE, "Connections of orders-db rose to 98 percent at 23:06."),
    ("another thing counted", ROSE, "Connections of orders-db rose to 98 customers at 23:06."),
    ("another aggregate", ROSE, "Connections (Maximum) of orders-db rose to 98 at 23:06."),
    ("another owner", ROSE, "Connections of payments rose to 98 at 23:06."),
    ("an event more", ROSE, "Connections of orders-db rose to 98 at 23:06 and orders-db restarted."),
    ("an extent", ROSE, "All Connections of orders-db rose at 23:06."),
    ("a denial", ROSE, "Connections of orders-db never recovered."),
    ("a cause", ROSE, "Connections of orders-db rose to 98 because of its clients."),
    ("another whole", LOGGED, "orders-api logged 27 bad lines of 90."),
    ("another label", LOGGED, "orders-api logged 40 bad lines."),
    ("who is quoted is no subject", LOGGED, "orders-db logged 27 bad lines of 40."),
    ("a number in words", LOGGED, "Three templates of orders-api logged 27 bad lines of 40."),
    ("an altered quotation", LOGGED, 'orders-api logged "call of orders-db took 31 s".'),
    ("what is normal as what happened", RATE, "GET /orders of orders-api has error rate 0.07."),
    ("what happened as normal", RATE, "The normal error rate of GET /orders of orders-api is 0.64."),
    ("a hedge dropped", CAUSE, "orders-db is the root cause: its Connections deviates from its baseline."),
    ("what deviates left out", CAUSE, "Connections of orders-db is at its baseline."),
    ("words of a claim turned round", CAUSE, "The baseline of orders-db deviates from its Connections."),
    ("a time of another event", ROSE, "Connections of orders-db recovered at 23:06."),
    ("from a time on", ROSE, "Connections of orders-db rose from 23:06 on."),
    ("a whole without its part", RATE, "83 spans of GET /orders of orders-api has errors."),
    ("a sign that says something", ROSE, "Connections of orders-db rose \u2705"),
    ("a deviation as a value", ROSE, "Connections of orders-db rose to 7."),
    ("a question", ROSE, "Connections of orders-db rose?"),
    ("another culprit", CAUSE, "orders-api is the likely root cause: its Connections deviates from its baseline."),
]


@pytest.mark.parametrize(("cited", "text"), FAITHFUL, ids=[text for _, text in FAITHFUL])
def test_a_paraphrase_of_a_claim_passes(cited: Basis, text: str) -> None:
    assert complaints(text, [cited], KNOWN) == ()


# REQ-080
@pytest.mark.parametrize(("cited", "text"), [row[1:] for row in UNFAITHFUL], ids=[row[0] for row in UNFAITHFUL])
def test_a_sentence_that_says_more_or_other_than_its_claim_fails(cited: Basis, text: str) -> None:
    assert complaints(text, [cited], KNOWN)
    assert complaints(text, ALL, KNOWN), "nor do all claims together carry it"


def test_each_part_of_a_sentence_is_carried_by_one_claim() -> None:
    assert complaints("Connections of orders-db rose to 98, and orders-api logged 27 bad lines of 40.", ALL, KNOWN) == ()
    assert complaints("Connections of orders-db rose to 27, and orders-api logged 98 bad lines of 40.", ALL, KNOWN)
    assert complaints("Connections of orders-db rose to 98, and its bad lines to 27.", ALL, KNOWN)


@pytest.mark.parametrize(
    ("cited", "text", "reason"),
    [
        (ROSE, "Connections of orders-db fell to 98 at 23:06.", "says fell"),
        (ROSE, "Connections of orders-db did not rise.", "says not"),
        (ROSE, "Connections of orders-db rose because it had 98 count.", "tells a cause"),
        (ROSE, "Connections of orders-db rose to 12, baseline 98.", "calls 98"),
        (LOGGED, "orders-db logged 27 bad lines of 40.", "says that orders-db logged"),
        (LOGGED, "orders-db took 27 bad lines.", "does not name orders-api"),
        (CAUSE, "orders-api is the likely root cause.", "says that orders-api is"),
        (CAUSE, "payments is the likely root cause.", "is not carried by what it cites"),
    ],
)
def test_a_reason_tells_what_is_wrong(cited: Basis, text: str, reason: str) -> None:
    assert any(found.startswith(reason) for found in complaints(text, [cited], KNOWN)), complaints(text, [cited], KNOWN)
