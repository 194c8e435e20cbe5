"""Guards and verdict: what code makes of a Verifier's reply."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import canonical, gatekeeper, retry, verdict
from superbiz.domain.claims import Claim, ExecutorOutput, ParseState
from superbiz.domain.evidence import Invocation
from superbiz.domain.gatekeeper import EvidenceBook
from superbiz.domain.summary import tool_trace_summary
from superbiz.domain.verification import (
    CheckResult,
    ClaimCheck,
    Expressible,
    FactCheck,
    Verdict,
    VerifierEvaluation,
    VerifierReply,
)
from support.builders import (
    RUN_ID,
    build_absence_binding,
    build_binding,
    build_call,
    build_check,
    build_claim,
    build_failed_invocation,
    build_output,
    build_parse,
    build_reply,
    build_silent_call,
)

CALL = build_call()
SILENT = build_silent_call(seq=2)
CALLS = (CALL.invocation, SILENT.invocation)
OUTPUTS = {CALL.invocation.invocation_id: CALL.output, SILENT.invocation.invocation_id: SILENT.output}
BOOK = EvidenceBook(RUN_ID, {call.invocation_id: call for call in CALLS}, OUTPUTS)

true = build_claim("c1")
side = build_claim("c2", critical=False)
forged = build_claim("c3", evidence=(build_binding(CALL, evidence_excerpt="the disk was full of sand"),))
NONE_MATCHED = "query_logs matched no lines"
absence = build_claim("c4", claim_text=NONE_MATCHED, claim_type="absence", evidence=(build_absence_binding(SILENT),))
action = build_claim("c5", claim_type="action", evidence=())


def judged(
    *claims: Claim,
    checks: Sequence[ClaimCheck] | None = None,
    reply: VerifierReply | None = None,
    mute: bool = False,
    calls: Sequence[Invocation] = CALLS,
    structured: ExecutorOutput | None = None,
    round_: int = 1,
    cap: Verdict | None = None,
    **fields: Any,
) -> VerifierEvaluation:
    """The evaluation of these claims, each SUPPORTED in full unless the test says otherwise."""
    structured = structured or build_output(*claims)
    said = checks if checks is not None else [build_check(claim.claim_id) for claim in claims]
    parse = build_parse(claim_count=len(claims))
    gate = gatekeeper.admit(structured, parse, BOOK, round_)
    reply = None if mute else reply or build_reply(**({"claim_checks": tuple(said)} | fields))
    return verdict.judge(structured, parse, gate, reply, round_=round_, invocations=calls, summary=(), cap=cap)


def check_of(evaluation: VerifierEvaluation, claim_id: str) -> tuple[str, str]:
    check = next(c for c in evaluation.claim_checks if c.claim_id == claim_id)
    return check.result.value, check.expressible.value


# REQ-070
# REQ-071
# REQ-073
def test_supported_critical_claims_pass() -> None:
    evaluation = judged(true, side)
    assert evaluation.verdict is Verdict.PASS
    assert evaluation.critical_fact_count == 1
    assert evaluation.groundedness_score == 0.8  # REQ-072: the sample's 0.8 stays valid
    assert evaluation.adjustments == ()


# REQ-077
def test_the_node_has_every_key_of_the_document() -> None:
    evaluation = judged(true)
    stored = evaluation.to_json()
    assert set(stored) == {
        *("verdict", "groundedness_score", "critical_fact_count", "claim_checks", "facts_checked", "rationale", "round"),
        *("traceability_version", "executor_output_parse_status", "executor_structured_output", "gatekeeper_result"),
        *("composer_output", "tool_trace_summary", "model_verdict", "model_groundedness_score", "adjustments", "retry_context"),
    }
    assert (stored["round"], stored["traceability_version"]) == (1, "v1")
    assert canonical.encoded(stored)


def test_the_trace_summary_is_kept_with_the_verdict() -> None:
    rows = tool_trace_summary(CALLS)
    parse, structured = build_parse(), build_output(true)
    gate = gatekeeper.admit(structured, parse, BOOK, 1)
    evaluation = verdict.judge(structured, parse, gate, build_reply(), round_=1, invocations=CALLS, summary=rows)
    assert evaluation.tool_trace_summary == rows


# REQ-070
def test_a_real_excerpt_under_an_unrelated_claim_is_not_expressible() -> None:
    evaluation = judged(true, checks=[build_check(result="UNSUPPORTED", expressible="NONE", reason="it tells of something else")])
    assert check_of(evaluation, "c1") == ("UNSUPPORTED", "NONE")
    assert evaluation.verdict is Verdict.LOW_CONFID


# guard 1
def test_a_claim_whose_citation_is_forged_is_not_verified_whatever_the_verifier_says() -> None:
    evaluation = judged(true, forged)
    assert check_of(evaluation, "c3") == ("NOT_VERIFIED", "NONE")
    assert evaluation.verdict is Verdict.LOW_CONFID
    assert evaluation.groundedness_score == 0.5
    assert any("c3" in note and "EXCERPT_MISMATCH" in note for note in evaluation.adjustments)


def test_a_forged_claim_is_told_by_its_citation_alone() -> None:
    evaluation = judged(true, forged, checks=[build_check("c1")])
    reason = next(c.reason for c in evaluation.claim_checks if c.claim_id == "c3")
    assert reason.startswith("the Gatekeeper rejects it (EXCERPT_MISMATCH); expected 'the disk was full of sand'")
    assert evaluation.adjustments[0] == "claim c3: the Gatekeeper rejects it (EXCERPT_MISMATCH)"


# REQ-074
def test_a_claim_that_the_verifier_passed_over_is_unsupported() -> None:
    evaluation = judged(true, side, checks=[build_check("c1")])
    assert check_of(evaluation, "c2") == ("UNSUPPORTED", "NONE")
    assert any("c2" in note and "did not judge" in note for note in evaluation.adjustments)


# REQ-074
def test_checks_of_claims_that_were_never_made_are_dropped() -> None:
    evaluation = judged(true, checks=[build_check("c1"), build_check("c99")])
    assert [check.claim_id for check in evaluation.claim_checks] == ["c1"]
    assert any("never made" in note for note in evaluation.adjustments)


def test_of_two_checks_of_one_claim_the_worse_counts() -> None:
    worse = build_check("c1", result="PARTIAL", expressible="HEDGED")
    for checks in ([build_check("c1"), worse], [worse, build_check("c1")]):
        assert check_of(judged(true, checks=checks), "c1") == ("PARTIAL", "HEDGED")


# guard 2, REQ-046
def test_an_absence_is_at_most_partial_and_hedged() -> None:
    assert check_of(judged(true, absence), "c4") == ("PARTIAL", "HEDGED")


# rule 3
def test_an_absence_neither_earns_nor_blocks_pass() -> None:
    assert judged(true, absence).verdict is Verdict.PASS
    assert judged(true, absence).critical_fact_count == 1
    assert judged(absence).critical_fact_count == 0


# guard 2, REQ-049
def test_nothing_but_scoped_absence_is_low_confidence_not_reject() -> None:
    for round_ in (1, 2):
        evaluation = judged(absence, round_=round_)
        assert evaluation.verdict is Verdict.LOW_CONFID
        assert evaluation.groundedness_score == 0.0
        assert not verdict.retryable(evaluation, round_=round_, invocations=CALLS)


def test_an_action_is_hedged_where_a_critical_claim_stands() -> None:
    assert check_of(judged(true, action), "c5") == ("NOT_VERIFIED", "HEDGED")


def test_an_action_falls_where_no_critical_claim_stands() -> None:
    for claims in ((forged, action), (side, action), (absence, action)):
        assert check_of(judged(*claims), "c5")[1] == "NONE"


def test_an_action_that_the_verifier_passed_over_may_be_proposed_one_that_it_forbids_not() -> None:
    assert check_of(judged(true, action, checks=[build_check("c1")]), "c5")[1] == "HEDGED"
    forbidden = build_check("c5", result="UNSUPPORTED", expressible="NONE")
    assert check_of(judged(true, action, checks=[build_check("c1"), forbidden]), "c5")[1] == "NONE"


def test_a_contradicted_action_falls() -> None:
    checks = [build_check("c1"), build_check("c5", result="CONTRADICTED", expressible="FULL")]
    assert check_of(judged(true, action, checks=checks), "c5") == ("CONTRADICTED", "NONE")


def test_an_action_is_never_a_critical_fact() -> None:
    evaluation = judged(true, build_claim("c5", claim_type="action", critical=True, evidence=()))
    assert (evaluation.verdict, evaluation.critical_fact_count) == (Verdict.PASS, 1)


def test_a_cause_counts_as_critical_though_it_denies_it() -> None:
    cause = build_claim("c1", claim_type="cause", critical=False)
    unsupported = [build_check("c1", result="UNSUPPORTED")]
    assert judged(cause).critical_fact_count == 1
    assert judged(cause, checks=unsupported).verdict is Verdict.LOW_CONFID


@pytest.mark.parametrize(
    ("result", "most"),
    [("SUPPORTED", "FULL"), ("PARTIAL", "HEDGED"), ("UNSUPPORTED", "NONE"), ("CONTRADICTED", "NONE"), ("NOT_VERIFIED", "NONE")],
)
def test_what_is_not_supported_is_not_expressed_in_full(result: str, most: str) -> None:
    evaluation = judged(side, checks=[build_check("c2", result=result, expressible="FULL")])
    assert check_of(evaluation, "c2")[1] == most


# rule 4
@pytest.mark.parametrize(("score", "stored"), [(0.8, 0.8), (7.0, 1.0), (-1.0, 0.0), (float("nan"), 0.0), (float("inf"), 0.0)])
def test_the_score_is_clamped_and_rubbish_is_none(score: float, stored: float) -> None:
    evaluation = judged(true, groundedness_score=score)
    assert evaluation.groundedness_score == stored
    assert canonical.encoded(evaluation.to_json())


def test_the_score_is_at_most_the_share_of_supported_critical_facts() -> None:
    partly = build_check("c2", result="PARTIAL", expressible="HEDGED")
    evaluation = judged(true, build_claim("c2"), checks=[build_check("c1"), partly], groundedness_score=0.95)
    assert evaluation.groundedness_score == 0.5
    assert any("0.95 lowered to 0.50" in note for note in evaluation.adjustments)


def test_without_critical_facts_the_score_is_zero_and_nothing_passes() -> None:
    evaluation = judged(side)
    assert (evaluation.verdict, evaluation.groundedness_score, evaluation.critical_fact_count) == (Verdict.LOW_CONFID, 0.0, 0)


# rule 5
def test_a_contradicted_critical_claim_is_a_reject() -> None:
    contradicted = build_check("c1", result="CONTRADICTED", expressible="NONE")
    evaluation = judged(true, build_claim("c2"), checks=[contradicted, build_check("c2")])
    assert evaluation.verdict is Verdict.REJECT
    assert not verdict.retryable(evaluation, round_=1, invocations=CALLS)


def test_a_contradicted_side_claim_blocks_pass_only() -> None:
    contradicted = build_check("c2", result="CONTRADICTED", expressible="NONE")
    assert judged(true, side, checks=[build_check("c1"), contradicted]).verdict is Verdict.LOW_CONFID


@pytest.mark.parametrize(("score", "expected"), [(0.7, Verdict.PASS), (0.69, Verdict.LOW_CONFID)])
def test_pass_needs_a_score_of_seven_tenths(score: float, expected: Verdict) -> None:
    assert judged(true, groundedness_score=score).verdict is expected


def test_nothing_expressible_is_a_reject_once_no_retry_is_possible() -> None:
    assert judged(forged, round_=1).verdict is Verdict.LOW_CONFID
    assert judged(forged, round_=2).verdict is Verdict.REJECT


def test_an_expressible_action_alone_saves_nothing() -> None:
    assert judged(action, round_=2).verdict is Verdict.REJECT


def test_an_action_saves_nothing_where_the_verifier_silenced_its_ground() -> None:
    silenced = build_check("c1", expressible="NONE")
    evaluation = judged(true, action, checks=[silenced], round_=2)
    assert check_of(evaluation, "c5")[1] == "HEDGED"
    assert evaluation.verdict is Verdict.REJECT


def test_the_verifiers_own_verdict_can_only_be_lowered() -> None:
    for said in Verdict:
        assert judged(true, verdict=said).verdict is said
        lowered = judged(true, forged, verdict=said)
        assert lowered.verdict is verdict.worse(said, Verdict.LOW_CONFID)
        assert lowered.model_verdict is said


def test_what_the_verifier_said_is_kept_beside_what_stands() -> None:
    evaluation = judged(true, forged, groundedness_score=0.9)
    assert (evaluation.model_verdict, evaluation.model_groundedness_score) == (Verdict.PASS, 0.9)
    assert any("verdict PASS lowered to LOW_CONFID" in note for note in evaluation.adjustments)


def test_a_cap_bounds_the_verdict_from_above() -> None:
    evaluation = judged(true, cap=Verdict.LOW_CONFID)
    assert evaluation.verdict is Verdict.LOW_CONFID
    assert not verdict.retryable(evaluation, round_=1, invocations=CALLS)
    assert judged(forged, round_=2, cap=Verdict.LOW_CONFID).verdict is Verdict.REJECT


# rule 6
def test_a_mute_verifier_is_low_confidence_without_retry() -> None:
    for round_ in (1, 2):
        evaluation = judged(true, mute=True, round_=round_)
        assert evaluation.verdict is Verdict.LOW_CONFID
        assert evaluation.rationale
        assert not verdict.retryable(evaluation, round_=round_, invocations=CALLS)
        assert check_of(evaluation, "c1") == ("UNSUPPORTED", "NONE")


# REQ-052
@pytest.mark.parametrize("reply", [None, build_reply()])
def test_an_unreadable_output_is_tried_once_more_then_rejected(reply: VerifierReply | None) -> None:
    parse = build_parse(status=ParseState.INVALID_JSON, valid=False, errors=("not JSON",))
    for round_, expected in ((1, Verdict.LOW_CONFID), (2, Verdict.REJECT)):
        gate = gatekeeper.admit(None, parse, BOOK, round_)
        evaluation = verdict.judge(None, parse, gate, reply, round_=round_, invocations=CALLS, summary=())
        assert evaluation.verdict is expected
        assert evaluation.claim_checks == ()
        assert verdict.retryable(evaluation, round_=round_, invocations=CALLS) is (round_ == 1)


def test_claims_of_an_invalid_output_are_no_claims() -> None:
    parse = build_parse(status=ParseState.SCHEMA_INVALID, valid=False)
    structured = build_output(true)
    gate = gatekeeper.admit(structured, parse, BOOK, 2)
    evaluation = verdict.judge(structured, parse, gate, build_reply(), round_=2, invocations=CALLS, summary=())
    assert (evaluation.verdict, evaluation.claim_checks) == (Verdict.REJECT, ())


# rule 7, REQ-082
def test_a_fixable_gap_is_retried_once() -> None:
    for broken in (
        forged,
        build_claim("c3", evidence=()),
        build_claim("c3", evidence=(build_binding(invocation_id="inv-x"),)),
        build_claim("c3", evidence=(build_binding(CALL, raw_path="$.x"),)),
        build_claim("c3", evidence=(build_binding(CALL, evidence_excerpt="ERROR"),)),
    ):
        assert verdict.retryable(judged(true, broken), round_=1, invocations=CALLS)
        assert not verdict.retryable(judged(true, broken, round_=2), round_=2, invocations=CALLS)


def test_an_unsupported_critical_claim_is_worth_a_retry_a_half_supported_one_not() -> None:
    assert verdict.retryable(judged(true, checks=[build_check(result="UNSUPPORTED")]), round_=1, invocations=CALLS)
    assert not verdict.retryable(judged(true, checks=[build_check(result="PARTIAL")]), round_=1, invocations=CALLS)


def test_a_failed_side_claim_is_no_reason_to_retry() -> None:
    broken = build_claim("c2", critical=False, evidence=())
    assert not verdict.retryable(judged(true, broken), round_=1, invocations=CALLS)


def test_two_claims_of_one_id_are_not_mended_by_more_evidence() -> None:
    evaluation = judged(true, build_claim("c3"), build_claim("c3"))
    assert evaluation.verdict is Verdict.LOW_CONFID
    assert evaluation.critical_fact_count == 3
    assert not verdict.retryable(evaluation, round_=1, invocations=CALLS)


@pytest.mark.parametrize("calls", [(), (build_call({"now": "x"}, category="UTILITY").invocation,)])
def test_a_run_that_asked_no_source_is_sent_back(calls: tuple[Invocation, ...]) -> None:
    evaluation = judged(side, calls=calls)
    assert evaluation.verdict is Verdict.LOW_CONFID
    assert verdict.retryable(evaluation, round_=1, invocations=calls)


def test_a_run_whose_sources_all_failed_did_ask() -> None:
    calls = (build_failed_invocation(),)
    assert judged(absence, calls=calls).verdict is Verdict.LOW_CONFID
    assert not verdict.retryable(judged(absence, calls=calls), round_=1, invocations=calls)


def test_a_single_round_has_no_retry() -> None:
    structured, parse = build_output(forged), build_parse()
    gate = gatekeeper.admit(structured, parse, BOOK, 1)
    reply = build_reply(build_check("c3"))
    evaluation = verdict.judge(structured, parse, gate, reply, round_=1, invocations=CALLS, summary=(), last_round=1)
    assert evaluation.verdict is Verdict.REJECT


# rule 8
@pytest.mark.parametrize("mute", [True, False])
def test_a_question_that_needs_no_evidence_passes_with_no_facts(mute: bool) -> None:
    talk = ExecutorOutput(run_id=RUN_ID, round=1, no_evidence_needed=True)
    evaluation = judged(structured=talk, calls=(), mute=mute, checks=[])
    assert (evaluation.verdict, evaluation.critical_fact_count) == (Verdict.PASS, 0)
    assert not verdict.retryable(evaluation, round_=1, invocations=())


def test_claims_need_evidence_though_the_executor_says_that_none_is_needed() -> None:
    structured = build_output(forged, no_evidence_needed=True)
    assert judged(forged, structured=structured, round_=2).verdict is Verdict.REJECT


# REQ-075
def test_facts_of_unknown_claims_are_dropped_and_those_of_forged_ones_lowered() -> None:
    facts = tuple(FactCheck(fact="f", critical=True, result=CheckResult.SUPPORTED, claim_id=c) for c in ("c1", "c3", "c99"))
    evaluation = judged(true, forged, facts_checked=facts)
    assert [(fact.claim_id, fact.result.value) for fact in evaluation.facts_checked] == [("c1", "SUPPORTED"), ("c3", "NOT_VERIFIED")]


# REQ-076
def test_the_rationale_is_never_empty() -> None:
    assert judged(true, rationale=" \n").rationale
    assert judged(true, rationale="because").rationale == "because"


claims = st.sampled_from([true, side, forged, absence, action])
checks = st.builds(
    ClaimCheck,
    claim_id=st.sampled_from(["c1", "c2", "c3", "c4", "c5", "c99"]),
    result=st.sampled_from(CheckResult),
    expressible=st.sampled_from(Expressible),
)
replies = st.builds(
    VerifierReply,
    verdict=st.sampled_from(Verdict),
    groundedness_score=st.floats(),
    critical_fact_count=st.integers(),
    claim_checks=st.lists(checks, max_size=10).map(tuple),
    rationale=st.text(max_size=5),
)


@given(made=st.lists(claims, max_size=5, unique_by=lambda c: c.claim_id), reply=replies | st.none(), round_=st.sampled_from([1, 2]))
def test_whatever_a_verifier_says_code_only_lowers_it(made: list[Claim], reply: VerifierReply | None, round_: int) -> None:
    structured = ExecutorOutput(run_id=RUN_ID, round=round_, claims=tuple(made))
    parse = build_parse(valid=bool(made), status=ParseState.OK if made else ParseState.EMPTY)
    gate = gatekeeper.admit(structured, parse, BOOK, round_)
    evaluation = verdict.judge(structured, parse, gate, reply, round_=round_, invocations=CALLS, summary=())
    assert canonical.encoded(evaluation.to_json())
    assert 0.0 <= evaluation.groundedness_score <= 1.0
    assert [check.claim_id for check in evaluation.claim_checks] == [claim.claim_id for claim in made]
    said = {check.claim_id: check for check in evaluation.claim_checks}
    assert all(said[c.claim_id].expressible is Expressible.NONE for c in (forged,) if c in made)
    assert all(said[c.claim_id].expressible is not Expressible.FULL for c in (absence, action) if c in made)
    if reply:
        assert verdict.worse(evaluation.verdict, reply.verdict) is evaluation.verdict
    if evaluation.verdict is Verdict.PASS:
        assert said["c1"].result is CheckResult.SUPPORTED
        assert forged not in made
    if verdict.retryable(evaluation, round_=round_, invocations=CALLS):
        assert (round_, evaluation.verdict) == (1, Verdict.LOW_CONFID)
        assert retry.context(evaluation, CALLS).next_round == 2
