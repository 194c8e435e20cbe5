"""What a second round is told."""

from superbiz.domain import gatekeeper, retry, verdict
from superbiz.domain.claims import Claim, ParseState
from superbiz.domain.gatekeeper import EvidenceBook
from superbiz.domain.verification import RetryContext
from support.builders import (
    RUN_ID,
    build_absence_binding,
    build_binding,
    build_call,
    build_check,
    build_claim,
    build_output,
    build_parse,
    build_reply,
    build_silent_call,
)

CALL, SILENT = build_call(), build_silent_call(seq=2, input_params={"service": "payments"})
CALLS = (CALL.invocation, SILENT.invocation)
BOOK = EvidenceBook(RUN_ID, {call.invocation_id: call for call in CALLS}, {CALL.invocation.invocation_id: CALL.output})


def context_of(*claims: Claim, unsupported: tuple[str, ...] = ()) -> RetryContext:
    structured, parse = build_output(*claims), build_parse()
    checks = [build_check(c.claim_id, **({"result": "UNSUPPORTED"} if c.claim_id in unsupported else {})) for c in claims]
    gate = gatekeeper.admit(structured, parse, BOOK, 1)
    evaluation = verdict.judge(structured, parse, gate, build_reply(*checks), round_=1, invocations=CALLS, summary=())
    return retry.context(evaluation, CALLS)


forged = build_claim("c2", claim_text="the disk was full", evidence=(build_binding(CALL, evidence_excerpt="no space left"),))


# REQ-082
def test_it_says_what_stands_and_what_is_missing() -> None:
    told = context_of(build_claim("c1"), forged)
    assert told.keep_claim_ids == ("c1",)
    assert [(m.claim_id, m.critical, m.codes) for m in told.missing] == [("c2", True, ("EXCERPT_MISMATCH",))]
    assert told.missing[0].need.endswith(": the disk was full")
    stored = told.to_json()
    assert (stored["schema_version"], stored["from_round"], stored["next_round"], stored["reason"]) == (
        "retry_context_v1",
        1,
        2,
        "LOW_CONFID",
    )
    assert stored["limits"] == {"max_new_tool_calls": 3, "forbid_same_input": True}


def test_an_unsupported_claim_is_missing_by_that_name() -> None:
    assert context_of(build_claim("c1"), unsupported=("c1",)).missing[0].codes == ("UNSUPPORTED",)


def test_every_fixable_code_has_its_need() -> None:
    assert set(retry.NEEDS) == verdict.FIXABLE | {"UNSUPPORTED"}


def test_critical_claims_come_first_and_actions_are_not_asked_for() -> None:
    side = build_claim("c0", critical=False, evidence=())
    told = context_of(side, forged, build_claim("c3", claim_type="action", evidence=()))
    assert [m.claim_id for m in told.missing] == ["c2", "c0"]


def test_a_scoped_absence_stands() -> None:
    text = "query_logs matched no lines for payments"
    absence = build_claim("c1", claim_text=text, claim_type="absence", evidence=(build_absence_binding(SILENT),))
    assert context_of(absence, forged).keep_claim_ids == ("c1",)


def test_the_calls_already_made_are_named_with_what_they_brought() -> None:
    tried = context_of(forged).already_tried
    assert [(t.tool_name, t.evidence_status) for t in tried] == [("query_logs", "supported"), ("query_logs", "no_evidence")]
    assert tried[0].input_digest == CALL.invocation.input_digest


def test_an_unreadable_output_keeps_nothing() -> None:
    parse = build_parse(status=ParseState.INVALID_JSON, valid=False)
    gate = gatekeeper.admit(None, parse, BOOK, 1)
    evaluation = verdict.judge(None, parse, gate, None, round_=1, invocations=CALLS, summary=())
    told = retry.context(evaluation, CALLS)
    assert (told.keep_claim_ids, told.missing) == ((), ())
    assert len(told.already_tried) == 2
