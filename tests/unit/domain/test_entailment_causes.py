"""A cause is told by a record, its effect by one, and it did not come after its effect. What is added to a claim is carried too."""

from typing import Any

import pytest

from superbiz.domain import canonical
from superbiz.domain.claims import Claim, ClaimType
from superbiz.domain.entailment import Cited, Entailment, judge, known_in
from superbiz.domain.verification import CheckResult, Expressible


def cited(node: Any) -> Cited:
    text = node if isinstance(node, str) else canonical.dumps(node)
    return Cited(text[:400], text, {}, {})


def said(text: str, *evidence: Cited, kind: ClaimType = ClaimType.CAUSE) -> Entailment:
    return judge(Claim(claim_id="c1", claim_text=text, claim_type=kind, critical=True), evidence, known_in(evidence))


DEPLOY = cited({"event": "deployment", "service": "mailer", "version": "v3.2.0", "at": "2026-02-11T08:36:10Z", "memory_limit": "128Mi"})
KILLED = cited({"service": "mailer", "reason": "OOMKilled", "restartCount": 6, "finishedAt": "2026-02-11T08:41:30Z"})
ALARM = cited({"alarm": "mailer-errors-high", "service": "mailer", "state": "ALARM", "since": "2026-02-11T08:44:00Z"})

TRUE = (
    ("The deployment of mailer v3.2.0 caused the OOMKilled mailer", (DEPLOY, KILLED)),
    ("mailer was OOMKilled because of the deployment of mailer v3.2.0", (DEPLOY, KILLED)),
    ("Because of the deployment of mailer v3.2.0, mailer was OOMKilled", (DEPLOY, KILLED)),
    ("The deployment of mailer led to the alarm mailer-errors-high", (DEPLOY, ALARM)),
)
TURNED = (
    ("The alarm mailer-errors-high caused the deployment of mailer v3.2.0", (DEPLOY, ALARM)),
    ("The deployment of mailer v3.2.0 was caused by the alarm mailer-errors-high", (DEPLOY, ALARM)),
    ("The OOMKilled mailer led to the deployment of mailer v3.2.0", (DEPLOY, KILLED)),
    ("The deployment of mailer v3.2.0 happened because the mailer was OOMKilled", (KILLED, DEPLOY)),
    ("Because mailer was OOMKilled, the deployment of mailer v3.2.0 happened", (KILLED, DEPLOY)),
)
UNTOLD = (
    ("A network switch caused the OOMKilled mailer", (KILLED, ALARM)),
    ("mailer was OOMKilled because of a leaking socket", (KILLED, ALARM)),
    ("The deployment of mailer v3.2.0 led to double billing", (DEPLOY, KILLED)),
    ("The deployment of mailer v3.2.0 导致 用户无法付款", (DEPLOY, KILLED)),
    ("由于磁盘已满，mailer was OOMKilled", (KILLED, ALARM)),
)


@pytest.mark.parametrize(("text", "evidence"), TRUE)
def test_a_cause_and_its_effect_that_records_tell_in_this_order_stand(text: str, evidence: tuple[Cited, ...]) -> None:
    found = said(text, *evidence)
    assert found.result is CheckResult.SUPPORTED, found.reason


@pytest.mark.parametrize(("text", "evidence"), TURNED)
def test_what_came_after_is_no_cause(text: str, evidence: tuple[Cited, ...]) -> None:
    found = said(text, *evidence)
    assert found.result is CheckResult.CONTRADICTED, found
    assert "after" in found.reason


@pytest.mark.parametrize(("text", "evidence"), UNTOLD)
def test_a_side_of_a_cause_that_no_record_tells_is_invented(text: str, evidence: tuple[Cited, ...]) -> None:
    assert said(text, *evidence).expressible is Expressible.NONE


ADDED = (
    ", and customers were double charged", " because the disk was full", ", breaking checkout", " during the marketing campaign",
    ", which corrupted the orders table", " after a bad deploy of the gateway", " - a bug of the payment driver", " for premium tenants",
    "; the garbage collector was thrashing", " owing to a noisy neighbour", ", so users could not log in",
    " under a denial-of-service attack",
    "，导致用户无法付款", "，因为磁盘已满",
)  # fmt: skip
LONG = "mailer was OOMKilled with a restart count of 6, finished at 2026-02-11T08:41:30Z"


@pytest.mark.parametrize("added", ADDED)
def test_an_added_part_is_judged_by_itself_however_much_of_the_rest_is_carried(added: str) -> None:
    # REQ-070
    assert said(LONG, KILLED, kind=ClaimType.OBSERVATION).result is CheckResult.SUPPORTED
    found = said(LONG + added, KILLED, kind=ClaimType.OBSERVATION)
    assert found.expressible is Expressible.NONE, found
    assert "says nothing of" in found.reason


PAGE = cited(
    "The reading room of the town library was opened in the spring by the mayor. It holds about nine thousand books, most of them given by "
    "the families of the town, and it is open to everybody on each day of the week but Monday."
)


def test_prose_carries_what_it_says_in_other_words() -> None:
    kind = ClaimType.OBSERVATION
    assert said("The town library's reading room was opened by the mayor in spring", PAGE, kind=kind).expressible is Expressible.FULL
    assert (
        said("The town library's reading room, open to everybody, holds books given by families", PAGE, kind=kind).result
        is CheckResult.SUPPORTED
    )
    assert said("A bookshop with a cinema was sold by its bankrupt owner", PAGE, kind=kind).expressible is Expressible.NONE
    assert said("The reading room was opened by the mayor because of a royal wedding", PAGE, kind=kind).expressible is Expressible.NONE
