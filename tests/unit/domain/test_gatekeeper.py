"""The Gatekeeper's rules, one by one and together."""

import unicodedata
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import gatekeeper, refs
from superbiz.domain.claims import Claim, ParseState
from superbiz.domain.evidence import EvidenceRef, EvidenceStatus, Invocation, RetrievalDetails
from superbiz.domain.gatekeeper import RULES, RULES_VERSION, EvidenceBook
from superbiz.domain.gatekeeper import book as book_module
from superbiz.domain.verification import ClaimGate, ClaimStatus, GatekeeperResult, GateStatus
from superbiz.ports import RecordedCall
from support.builders import (
    OTHER_RUN_ID,
    RUN_ID,
    build_absence_binding,
    build_binding,
    build_call,
    build_claim,
    build_failed_invocation,
    build_log_output,
    build_output,
    build_parse,
    build_silent_call,
)


def book_of(*calls: RecordedCall | Invocation, **fields: Any) -> EvidenceBook:
    recorded = [RecordedCall(c, None) if isinstance(c, Invocation) else c for c in calls]
    return EvidenceBook(
        RUN_ID,
        {c.invocation.invocation_id: c.invocation for c in recorded},
        {c.invocation.invocation_id: c.output for c in recorded if c.output is not None},
        **fields,
    )


def admitted(*claims: Claim, book: EvidenceBook) -> GatekeeperResult:
    return gatekeeper.admit(build_output(*claims), build_parse(), book, 1)


def gate_of(claim: Claim, *calls: RecordedCall | Invocation) -> ClaimGate:
    return admitted(claim, book=book_of(*(calls or (build_call(),)))).claims[0]


def real(gate: ClaimGate) -> bool:
    """Whether every citation is real, whatever the rules say of the claim."""
    return all(check.ok for check in gate.bindings) and bool(gate.bindings)


def citing(text: str, excerpt: str, path: str = "$.logs[0]") -> ClaimGate:
    """The gate of a claim that cites a log line."""
    call = build_call(build_log_output([text]))
    return gate_of(build_claim(evidence=(build_binding(call, raw_path=path, evidence_excerpt=excerpt),)), call)


# REQ-060
# REQ-062
def test_a_real_citation_is_verified() -> None:
    result = admitted(build_claim(), book=book_of(build_call()))
    assert result.status is GateStatus.PASS
    assert result.to_json()["schema_version"] == "gatekeeper_result_v1"
    assert result.rules_version == RULES_VERSION  # REQ-064
    assert result.verified_claim_ids == ("c1",)
    assert result.counts.to_json() == {"claims": 1, "critical": 1, "critical_verified": 1, "bindings": 1, "bindings_ok": 1}


def stranger() -> RecordedCall:
    """A call of another run of the same session, handed in by mistake."""
    return build_call(run_id=OTHER_RUN_ID, seq=9)


CALL = build_call()
SILENT = build_silent_call(seq=2)
UTILITY = build_call({"now": "2026-07-08T23:10:00Z"}, category="UTILITY", tool_name="current_time", seq=3)
FAILED = build_failed_invocation(seq=4)
CHANGED = build_call(seq=6)
PARTLY = build_silent_call(build_log_output((), complete=False), seq=5)
BROKEN: Mapping[str, tuple[str, Claim]] = {
    "no citation": ("MISSING_EVIDENCE", build_claim(evidence=())),
    "an absence without citation": ("MISSING_EVIDENCE", build_claim(claim_type="absence", evidence=())),
    "an unknown call": ("INVOCATION_NOT_FOUND", build_claim(evidence=(build_binding(invocation_id="inv-nowhere"),))),
    "another run's call": ("INVOCATION_NOT_FOUND", build_claim(evidence=(build_binding(stranger()),))),
    "a failed call": ("INVOCATION_FAILED", build_claim(evidence=(build_binding(FAILED),))),
    "a utility": (
        "NOT_EVIDENCE_TOOL",
        build_claim(evidence=(build_binding(UTILITY, raw_path="$.now", evidence_excerpt="2026-07-08T23:10:00Z"),)),
    ),
    "a path to nowhere": ("RAW_PATH_NOT_FOUND", build_claim(evidence=(build_binding(CALL, raw_path="$.logs[7]"),))),
    "a wildcard": ("RAW_PATH_NOT_FOUND", build_claim(evidence=(build_binding(CALL, raw_path="$.logs[*]"),))),
    "descent": ("RAW_PATH_NOT_FOUND", build_claim(evidence=(build_binding(CALL, raw_path="$..logs[0]"),))),
    "a filter": ("RAW_PATH_NOT_FOUND", build_claim(evidence=(build_binding(CALL, raw_path="$.logs[?(@)]"),))),
    "a negative index": ("RAW_PATH_NOT_FOUND", build_claim(evidence=(build_binding(CALL, raw_path="$.logs[-1]"),))),
    "eleven characters": ("EXCERPT_TOO_SHORT", build_claim(evidence=(build_binding(CALL, evidence_excerpt="ERROR order"),))),
    "a number cut": ("EXCERPT_CUT", build_claim(evidence=(build_binding(CALL, evidence_excerpt="timed out after 3000"),))),
    "a word cut": ("EXCERPT_CUT", build_claim(evidence=(build_binding(CALL, evidence_excerpt="onnection is not available"),))),
    "what every line has": ("EXCERPT_BOILERPLATE", build_claim(evidence=(build_binding(CALL, evidence_excerpt="07-08 23:05:28 ERROR"),))),
    "an output that was changed": ("OUTPUT_ALTERED", build_claim(evidence=(build_binding(CHANGED),))),
    "five characters": ("EXCERPT_TOO_SHORT", build_claim(evidence=(build_binding(CALL, evidence_excerpt="ERROR"),))),
    "five characters in spaces": ("EXCERPT_TOO_SHORT", build_claim(evidence=(build_binding(CALL, evidence_excerpt="  ERROR   "),))),
    "no excerpt": ("EXCERPT_TOO_SHORT", build_claim(evidence=(build_binding(CALL, evidence_excerpt=""),))),
    "a part of a short text": (
        "EXCERPT_TOO_SHORT",
        build_claim(evidence=(build_binding(CALL, raw_path="$.complete", evidence_excerpt="tru"),)),
    ),
    "a changed word": ("EXCERPT_MISMATCH", build_claim(evidence=(build_binding(CALL, evidence_excerpt="Connection is now available"),))),
    "another ref's text": ("EXCERPT_MISMATCH", build_claim(evidence=(build_binding(CALL, evidence_excerpt="POST /orders answered"),))),
    "silence for an observation": (
        "NO_EVIDENCE_MISUSE",
        build_claim(evidence=(build_absence_binding(SILENT),)),
    ),
    "silence of a result that had evidence": (
        "NO_EVIDENCE_MISUSE",
        build_claim(claim_type="absence", evidence=(build_absence_binding(CALL),)),
    ),
    "silence of a partial result": ("NO_EVIDENCE_MISUSE", build_claim(claim_type="absence", evidence=(build_absence_binding(PARTLY),))),
    "absence with positive evidence": (
        "ABSENCE_MIXED",
        build_claim(claim_type="absence", evidence=(build_absence_binding(SILENT), build_binding(CALL))),
    ),
}


@pytest.mark.parametrize(("code", "claim"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_citation_is_refused_by_its_code(code: str, claim: Claim) -> None:
    calls = (CALL, SILENT, UTILITY, FAILED, PARTLY, CHANGED, stranger())
    gate = admitted(claim, book=book_of(*calls, altered={CHANGED.invocation.invocation_id}.__contains__)).claims[0]
    assert gate.status is ClaimStatus.UNVERIFIED
    assert gate.codes == (code,)
    for check in gate.bindings:
        assert check.ok == (check.code == "OK")
        assert bool(check.reason) != check.ok


def test_every_code_has_its_case() -> None:
    codes = {code for code, _ in BROKEN.values()}
    assert codes == {"MISSING_EVIDENCE"} | {rule.code for rule in RULES if rule.citation}


def test_one_forged_citation_spoils_its_claim() -> None:
    forged = build_binding(CALL, evidence_excerpt="the pool was full of water")
    gate = gate_of(build_claim(evidence=(build_binding(CALL), forged)), CALL)
    assert [check.code for check in gate.bindings] == ["OK", "EXCERPT_MISMATCH"]
    assert gate.status is ClaimStatus.UNVERIFIED


def test_one_forged_claim_leaves_the_others_standing() -> None:
    result = admitted(build_claim("c1"), build_claim("c2", evidence=()), book=book_of(CALL))
    assert result.status is GateStatus.PARTIAL
    assert (result.verified_claim_ids, result.rejected_claim_ids) == (("c1",), ("c2",))
    assert result.counts.critical_verified == 1


def test_two_claims_of_one_id_are_both_refused() -> None:
    result = admitted(build_claim("c1"), build_claim("c2"), build_claim("c1", claim_text="another"), book=book_of(CALL))
    assert [gate.status.value for gate in result.claims] == ["UNVERIFIED", "VERIFIED", "UNVERIFIED"]
    assert result.rejected_claim_ids == ("c1",)
    assert result.claims[0].codes == ("DUPLICATE_CLAIM_ID",)
    assert result.errors == ("DUPLICATE_CLAIM_ID: c1 stands 2 times",)


def test_an_action_needs_no_citation_but_a_false_one_spoils_it() -> None:
    free = build_claim(claim_type="action", evidence=())
    forged = build_claim(claim_type="action", evidence=(build_binding(CALL, evidence_excerpt="restart the database"),))
    assert gate_of(free).status is ClaimStatus.EXEMPT
    assert gate_of(forged).status is ClaimStatus.UNVERIFIED


def test_actions_alone_verify_nothing() -> None:
    result = admitted(build_claim(claim_type="action", evidence=()), book=book_of(CALL))
    assert result.status is GateStatus.FAIL
    assert result.counts.critical == 0


@pytest.mark.parametrize("state", [ParseState.INVALID_JSON, ParseState.SCHEMA_INVALID, ParseState.LEGACY_TEXT, ParseState.EMPTY])
def test_an_unusable_output_is_skipped_and_says_so(state: ParseState) -> None:
    result = gatekeeper.admit(None, build_parse(status=state, valid=False, errors=("not JSON",)), book_of(CALL), 1)
    assert result.status is GateStatus.SKIPPED
    assert result.claims == ()
    assert result.errors[0].startswith("SCHEMA_INVALID")
    assert "not JSON" in result.errors


def test_claims_of_an_output_that_broke_its_schema_are_not_looked_at() -> None:
    result = gatekeeper.admit(build_output(build_claim()), build_parse(status=ParseState.SCHEMA_INVALID, valid=False), book_of(CALL), 1)
    assert (result.status, result.verified_claim_ids) == (GateStatus.SKIPPED, ())


# REQ-045
# REQ-046
def test_an_absence_rests_on_an_empty_complete_result() -> None:
    text = "query_logs matched no lines for order-service"
    gate = gate_of(build_claim(claim_text=text, claim_type="absence", evidence=(build_absence_binding(SILENT),)), SILENT)
    assert gate.status is ClaimStatus.VERIFIED
    assert gate.absence_only


def test_silence_of_a_failed_call_is_no_absence() -> None:
    gate = gate_of(build_claim(claim_type="absence", evidence=(build_absence_binding(FAILED),)), FAILED)
    assert gate.codes == ("INVOCATION_FAILED",)


def test_the_silent_path_has_other_spellings_and_none_slips_through() -> None:
    binding = build_binding(SILENT, raw_path="$['no_evidence']", evidence_excerpt="")
    assert gate_of(build_claim(evidence=(binding,)), SILENT).codes == ("NO_EVIDENCE_MISUSE",)


def test_a_node_that_is_called_no_evidence_is_none_to_cite() -> None:
    call = build_call({"no_evidence": "of any trouble"})
    bound = build_binding(call, raw_path="$.no_evidence", evidence_excerpt="of any trouble")
    for kind in ("observation", "absence"):
        assert gate_of(build_claim(claim_type=kind, evidence=(bound,)), call).codes == ("NO_EVIDENCE_MISUSE",)


# REQ-061
def test_an_excerpt_that_only_the_preview_has_is_refused() -> None:
    call = CALL.invocation.model_copy(update={"output_preview": "Connection reset by peer"})
    claim = build_claim(evidence=(build_binding(call, evidence_excerpt="Connection reset by peer"),))
    assert gate_of(claim, RecordedCall(call, CALL.output)).codes == ("EXCERPT_MISMATCH",)


def test_stored_refs_serve_where_the_output_is_not_at_hand() -> None:
    assert gate_of(build_claim(), CALL.invocation).status is ClaimStatus.VERIFIED


def test_the_whole_text_is_derived_where_the_stored_ref_is_cut() -> None:
    line = "start " + "x" * 3_000 + " Connection is not available"
    call = build_call(build_log_output([line]))
    assert len(call.invocation.retrieval_details.evidence_refs[0].text) == refs.STORED_TEXT
    assert real(gate_of(build_claim(), call))
    assert gate_of(build_claim(), call.invocation).codes == ("EXCERPT_MISMATCH",)


def test_a_ref_beyond_the_stored_ones_is_derived() -> None:
    call = build_call(build_log_output([f"line {n}: Connection is not available" for n in range(200)]))
    claim = build_claim(evidence=(build_binding(call, raw_path="$.logs[150]"),))
    assert real(gate_of(claim, call))
    assert gate_of(claim, call.invocation).codes == ("RAW_PATH_NOT_FOUND",)


@pytest.mark.parametrize("path", ["$.logs[0]", "$['logs'][0]", '$["logs"][0]', "$['\\u006cogs'][0]"])
def test_spellings_of_one_path_are_one_ref(path: str) -> None:
    assert gate_of(build_claim(evidence=(build_binding(raw_path=path),))).status is ClaimStatus.VERIFIED


def test_an_excerpt_may_not_span_two_refs() -> None:
    call = build_call(build_log_output(["the pool is dry", "and the shop is closed"]))
    claim = build_claim(evidence=(build_binding(call, evidence_excerpt="dry and the shop"),))
    assert gate_of(claim, call).codes == ("EXCERPT_MISMATCH",)


def test_a_container_can_be_cited_in_its_canonical_text() -> None:
    call = build_call({"series": [{"subject": "order-service", "worst": 1.50, "points": [["23:05", 3]]}]})
    claim = build_claim(evidence=(build_binding(call, raw_path="$.series[0]", evidence_excerpt='"subject":"order-service","worst":1.5'),))
    assert real(gate_of(claim, call))


SAME = {
    "white space in runs": ("pool  is\t\n dry now", "pool is dry now"),
    "white space in the excerpt": ("pool is dry now", " pool   is\ndry now "),
    "no-break space": ("pool\u00a0is dry now", "pool is dry now"),
    "ideographic space": ("连接池\u3000已经耗尽了", "连接池 已经耗尽了"),
    "composed and decomposed": ("caf\u00e9 pool is dry", "cafe\u0301 pool is dry"),
}
OTHER = {
    "full-width digits": ("answered 503 times", "answered \uff15\uff10\uff13 times"),
    "full-width letters": ("answered ERROR times", "answered \uff25RROR times"),
    "ligature": ("the file is gone", "the \ufb01le is gone"),
    "superscript": ("grew by 2 in all", "grew by \u00b2 in all"),
    "another case": ("Connection is gone", "connection is gone"),
    "zero-width space": ("pool is dry now", "pool\u200b is dry now"),
    "zero-width joiner": ("pool is dry now", "po\u200dol is dry now"),
    "soft hyphen": ("pool is dry now", "po\u00adol is dry now"),
    "Cyrillic letter": ("pool is dry now", "p\u043eol is dry now"),
    "ellipsis join": ("the pool is dry and the shop is closed", "the pool ... is closed"),
    "ellipsis character": ("the pool is dry and the shop is closed", "the pool \u2026 is closed"),
    "a base letter of a composed one": ("the last caf\u00e9", "the last cafe"),
    "joined words": ("the pool is dry", "thepoolisdry"),
}


@pytest.mark.parametrize(("text", "excerpt"), SAME.values(), ids=SAME.keys())
def test_these_forms_are_one_text(text: str, excerpt: str) -> None:
    assert real(citing(text, excerpt))


@pytest.mark.parametrize(("text", "excerpt"), OTHER.values(), ids=OTHER.keys())
def test_these_forms_are_another_text(text: str, excerpt: str) -> None:
    assert citing(text, excerpt).codes == ("EXCERPT_MISMATCH",)


def test_a_number_may_be_cut_in_one_place_if_it_stands_whole_in_another() -> None:
    assert real(citing("it waited 1200 s, then it waited 120 s", "it waited 120"))


def test_twelve_characters_are_enough_and_four_of_chinese() -> None:
    assert real(citing("HikariPool-1 is dry", "HikariPool-1"))
    assert citing("HikariPool-1 is dry", "kariPool-1").codes == ("EXCERPT_TOO_SHORT",)
    assert real(citing("订单服务的连接池已经耗尽", "接池已经"))
    assert citing("订单服务的连接池已经耗尽", "连接池").codes == ("EXCERPT_TOO_SHORT",)


@pytest.mark.parametrize("text", ["128", "true", "ok"])
def test_a_short_text_can_be_cited_whole(text: str) -> None:
    assert real(citing(text, text))


def test_a_reason_says_what_was_expected_found_and_where() -> None:
    reason = citing("request timed out after 30000ms", "request timed out after 31000ms").bindings[0].reason
    assert "$.logs[0] of query_logs" in reason
    assert "the record reads '0000ms', the excerpt '1000ms'" in reason


def test_another_runs_call_is_named_as_that() -> None:
    gate = admitted(build_claim(evidence=(build_binding(stranger()),)), book=book_of(CALL, stranger())).claims[0]
    assert "another run" in gate.bindings[0].reason


def test_misused_silence_does_not_leave_the_count_of_critical_claims() -> None:
    result = admitted(build_claim("c1"), build_claim("c2", evidence=(build_absence_binding(SILENT),)), book=book_of(CALL, SILENT))
    assert (result.counts.critical, result.counts.critical_verified) == (2, 1)


def test_absence_claims_and_actions_are_not_counted_as_critical() -> None:
    absence = build_claim("c2", claim_type="absence", evidence=(build_absence_binding(SILENT),))
    action = build_claim("c3", claim_type="action", evidence=())
    assert admitted(build_claim("c1"), absence, action, book=book_of(CALL, SILENT)).counts.critical == 1


def test_a_cause_is_critical_whatever_it_says_of_itself() -> None:
    assert gate_of(build_claim(claim_type="cause", critical=False)).critical


def test_a_result_that_says_nothing_either_way_carries_no_absence() -> None:
    details = RetrievalDetails(evidence_status=EvidenceStatus.NOT_APPLICABLE)
    call = build_call(build_log_output(()), retrieval_details=details)
    claim = build_claim(claim_type="absence", evidence=(build_absence_binding(call),))
    assert gate_of(claim, call).codes == ("NO_EVIDENCE_MISUSE",)


def test_the_input_is_left_as_it_was() -> None:
    output, call = build_output(build_claim()), build_call(build_log_output(["Connection  is not\u00a0available"]))
    before, record = output.to_json(), call.invocation.to_json()
    gatekeeper.admit(output, build_parse(), book_of(call), 1)
    assert (output.to_json(), call.invocation.to_json()) == (before, record)


def test_the_book_gives_the_text_as_it_was_recorded() -> None:
    call = build_call(build_log_output(["two  spaces"]))
    book = book_of(call)
    assert book.ref_text(call.invocation.invocation_id, "$.logs[0]") == "two  spaces"
    assert book.ref_text(call.invocation.invocation_id, "$.logs[9]") is None
    assert book.ref_text("inv-nowhere", "$.logs[0]") is None
    assert EvidenceBook(OTHER_RUN_ID, {call.invocation.invocation_id: call.invocation}, {}).invocations == {}


words = st.text(alphabet=st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=60)


@given(words)
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = gatekeeper.normalised(text)
    assert gatekeeper.normalised(once) == once
    assert once == once.strip()
    assert unicodedata.is_normalized("NFC", once)


@given(before=words, excerpt=words.filter(lambda t: len(gatekeeper.normalised(t)) >= 6), after=words)
def test_what_is_copied_with_its_surroundings_is_found(before: str, excerpt: str, after: str) -> None:
    text = f"{before} | {excerpt} kept whole | {after}"
    assert real(citing(text, f"| {excerpt} kept whole |"))


leaves = st.none() | st.booleans() | st.integers() | words
outputs = st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4))


@given(output=outputs, data=st.data())
def test_every_derived_ref_can_be_cited_whole(output: Any, data: st.DataObject) -> None:
    call = build_call({"value": output})
    found = [ref for ref in refs.stored_refs({"value": output}) if len(gatekeeper.normalised(ref.text)) >= 12 and len(ref.text) <= 400]
    if not found:
        return
    ref: EvidenceRef = data.draw(st.sampled_from(found))
    gate = gate_of(build_claim(evidence=(build_binding(call, raw_path=ref.raw_path, evidence_excerpt=ref.text),)), call)
    assert real(gate)


def test_many_claims_on_one_record_read_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand claims against fifty megabytes must cost about as much as reading them."""
    read: list[str] = []
    monkeypatch.setattr(book_module, "normalised", lambda text: read.append(text) or gatekeeper.normalised(text))
    call = build_call(build_log_output([f"{n} caf\u00e9  Connection is not available after {n} tries" for n in range(2_000)]))
    book = book_of(call)
    for at in range(0, 1_000, 20):
        bound = [build_binding(call, raw_path="$.logs", evidence_excerpt=f"after {n} tries") for n in range(at, at + 20)]
        made = [build_claim(f"c{n}", evidence=(binding,)) for n, binding in enumerate(bound)]
        assert all(map(real, admitted(*made, book=book).claims))
    assert len(read) == 1
