"""The Verifier without a model: what it may say, and from what."""

from typing import Any

import pytest

from superbiz.domain import canonical, gatekeeper, refs
from superbiz.domain.claims import Claim, ClaimType, ExecutorOutput
from superbiz.domain.gatekeeper import EvidenceBook, Excerpt
from superbiz.domain.verification import CheckResult, Expressible, Verdict, VerifierReply
from superbiz.engines.offline.verifier import OfflineVerifier
from superbiz.ports import Brief, Dossier, RecordedCall, Verification
from support.builders import (
    NOW,
    QUERY,
    build_absence_binding,
    build_binding,
    build_call,
    build_claim,
    build_output,
    build_parse,
    build_run,
    build_silent_call,
)

BRIEF = Brief(run=build_run(), round=1, query=QUERY, alarm=None, history=(), now=NOW, window=None, retry=None, kept=None)


def verify(*claims: Claim, calls: tuple[RecordedCall, ...] = (), **fields: Any) -> VerifierReply:
    """Through the real Gatekeeper."""
    said = checked(build_output(*claims), calls or (build_call(),), **fields).reply
    assert said is not None
    return said


def checked(output: ExecutorOutput, calls: tuple[RecordedCall, ...], **fields: Any) -> Verification:
    book = EvidenceBook(
        output.run_id, {c.invocation.invocation_id: c.invocation for c in calls}, {c.invocation.invocation_id: c.output for c in calls}
    )
    gate = gatekeeper.admit(output, build_parse(), book, 1)
    excerpts = [
        Excerpt(c.claim_id, b.invocation_id, "query_logs", b.raw_path, b.evidence_excerpt, book.ref_text(b.invocation_id, b.raw_path) or "",
                book.invocations[b.invocation_id].input_params, book.surroundings(b.invocation_id, b.raw_path))
        for c in output.claims if c.claim_id in gate.verified_claim_ids for b in c.evidence
    ]  # fmt: skip
    return OfflineVerifier().verify(Dossier(QUERY, output, gate, excerpts, (), fields.get("fallback_text")), BRIEF)


def test_a_carried_claim_is_supported_in_full() -> None:
    # REQ-070 to REQ-076
    reply = verify(build_claim())
    (check,) = reply.claim_checks
    assert (check.claim_id, check.result, check.expressible) == ("c1", CheckResult.SUPPORTED, Expressible.FULL)
    assert (reply.verdict, reply.groundedness_score, reply.critical_fact_count) == (Verdict.PASS, 1.0, 1)
    assert {f.claim_id for f in reply.facts_checked} == {"c1"}
    assert reply.rationale


def test_a_changed_claim_lowers_verdict_score_and_says_why() -> None:
    reply = verify(build_claim(), build_claim("c2", claim_text="order-service lost its disk volume at 23:05:28"))
    assert reply.verdict is Verdict.LOW_CONFID
    assert (reply.groundedness_score, reply.critical_fact_count) == (0.5, 2)
    assert "nothing that the claim says" in reply.claim_checks[1].reason
    assert "nothing that the claim says" in reply.rationale


def test_three_of_four_critical_facts_are_no_pass() -> None:
    claims = [build_claim(f"c{n}") for n in range(3)]
    reply = verify(*claims, build_claim("c9", claim_text="order-service lost its disk volume at 23:05:28"))
    assert (reply.groundedness_score, reply.verdict) == (0.75, Verdict.LOW_CONFID)


def test_a_contradicted_critical_claim_is_rejected() -> None:
    reply = verify(build_claim(claim_text="order-service obtained a database connection at 23:05:28"))
    assert reply.claim_checks[0].result is CheckResult.CONTRADICTED
    assert reply.verdict is Verdict.REJECT


def test_a_claim_whose_citation_is_not_real_is_not_judged() -> None:
    # REQ-063
    reply = verify(build_claim(), build_claim("c2", evidence=(build_binding(evidence_excerpt="the pool is broken"),)))
    assert [c.claim_id for c in reply.claim_checks] == ["c1"]
    assert (reply.critical_fact_count, reply.groundedness_score) == (2, 0.5)
    assert reply.verdict is Verdict.LOW_CONFID


def test_a_claim_that_is_not_critical_neither_earns_nor_blocks() -> None:
    extra = build_claim("c2", critical=False, claim_text="customers were angry")
    assert verify(build_claim(), extra).verdict is Verdict.PASS
    assert verify(build_claim(critical=False)).verdict is Verdict.LOW_CONFID


def test_a_cause_counts_as_critical_and_an_action_never() -> None:
    cause = build_claim(
        "c1", claim_type=ClaimType.CAUSE, critical=False, claim_text="order-service is the root cause: its Connection is not available"
    )
    action = build_claim("c2", claim_type=ClaimType.ACTION, claim_text="Enlarge the pool", evidence=())
    assert verify(cause, action).critical_fact_count == 1


def test_absence_is_partial_and_counts_for_nothing() -> None:
    silent = build_silent_call()
    absence = build_claim(
        claim_type=ClaimType.ABSENCE, claim_text="query_logs matched no lines for order-service", evidence=(build_absence_binding(silent),)
    )
    reply = verify(absence, calls=(silent,))
    assert (reply.claim_checks[0].result, reply.claim_checks[0].expressible) == (CheckResult.PARTIAL, Expressible.HEDGED)
    assert (reply.verdict, reply.critical_fact_count) == (Verdict.LOW_CONFID, 0)


def test_the_free_text_answer_confirms_nothing() -> None:
    # REQ-053, REQ-225: the truth stands in the free text alone
    claim = build_claim(claim_text="payment-service refused every card")
    with_text = checked(
        build_output(claim, executor_final_answer="payment-service refused every card"),
        (build_call(),),
        fallback_text="payment-service refused every card",
    )
    assert with_text == checked(build_output(claim), (build_call(),))


def test_no_structured_output_is_low_confidence() -> None:
    empty = checked(build_output(), (build_call(),))
    assert empty.reply is not None
    nothing = OfflineVerifier().verify(
        Dossier(QUERY, None, gatekeeper.admit(None, build_parse(valid=False), EvidenceBook("r", {}, {}), 1), (), ()), BRIEF
    )
    assert nothing.reply is not None
    assert nothing.reply.verdict is Verdict.LOW_CONFID


def test_a_leaf_is_read_with_the_fields_of_its_row_and_not_of_its_neighbours() -> None:
    rows = {
        "series": [
            {"subject": "order-service", "metric": "Errors", "worst": 27},
            {"subject": "payment-service", "metric": "Errors", "worst": 3},
        ]
    }
    call = build_call(rows, input_params={"top": 2})

    def cite(place: str, text: str) -> Claim:
        leaf = refs.derive(rows, f"$.series[{place}].worst")
        assert leaf is not None
        return build_claim(claim_text=text, evidence=(build_binding(call, raw_path=leaf.raw_path, evidence_excerpt=leaf.text),))

    assert verify(cite("0", "Errors of order-service reached 27"), calls=(call,)).verdict is Verdict.PASS
    assert verify(cite("1", "Errors of order-service reached 3"), calls=(call,)).verdict is not Verdict.PASS
    assert verify(cite("1", "Errors of order-service reached 27"), calls=(call,)).verdict is not Verdict.PASS


@pytest.mark.parametrize("text", ["Errors of order-service rose to 27", "order-service had 27 errors"])
def test_params_name_what_was_asked(text: str) -> None:
    call = build_call({"rows": [{"errors": 27, "normal": 2}]}, input_params={"service": "order-service"})
    claim = build_claim(
        claim_text=text,
        evidence=(build_binding(call, raw_path="$.rows[0]", evidence_excerpt=canonical.dumps({"errors": 27, "normal": 2})),),
    )
    assert verify(claim, calls=(call,)).verdict is Verdict.PASS
