"""`dossier/1`: what is read, what is refused."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.domain import canonical, dossier, refs
from superbiz.domain.claims import ParseState
from superbiz.domain.evidence import EvidenceStatus
from superbiz.errors import Invalid

LINE = "Connection is not available"


def build(**fields: Any) -> dict[str, Any]:
    """A dossier of one call and one claim; `call` and `claim` change fields of these."""
    call = {
        "invocation_id": "inv-1",
        "run_id": "run-1",
        "tool_name": "any tool",
        "category": "LOG",
        "status": "SUCCESS",
        "input_params": {"service": "order-service"},
        "output": {"logs": [LINE]},
        "truncated": False,
    }
    claim = {
        "claim_id": "c1",
        "claim_text": "A connection is not available",
        "claim_type": "observation",
        "critical": True,
        "evidence": [{"invocation_id": "inv-1", "raw_path": "$.logs[0]", "evidence_excerpt": LINE}],
    }
    call, claim = call | fields.pop("call", {}), claim | fields.pop("claim", {})
    return {"schema": "dossier/1", "run_id": "run-1", "question": "why?", "invocations": [call], "claims": [claim]} | fields


def status(**call: Any) -> EvidenceStatus:
    found = dossier.read(json.dumps(build(call=call)))
    return found.invocations["inv-1"].retrieval_details.evidence_status


@pytest.mark.parametrize("output", [None, {}, [], {"logs": [], "hits": None, "x": {}}, {"logs": [], "matched": 0}])
def test_an_empty_whole_output_is_no_evidence(output: Any) -> None:
    # REQ-045
    found = dossier.read(json.dumps(build(call={"output": output}))).invocations["inv-1"].retrieval_details
    assert found.evidence_status is EvidenceStatus.NO_EVIDENCE
    assert [r.raw_path for r in found.evidence_refs] == [refs.NO_EVIDENCE]


def test_what_an_output_is_worth() -> None:
    assert status() is EvidenceStatus.SUPPORTED
    assert status(output="plain text") is EvidenceStatus.SUPPORTED
    assert status(output=[], truncated=True) is EvidenceStatus.NOT_APPLICABLE
    assert status(output={"logs": [], "complete": False}) is EvidenceStatus.NOT_APPLICABLE
    assert status(status="FAILED", output=None) is EvidenceStatus.ERROR
    assert status(category="UTILITY") is EvidenceStatus.NOT_APPLICABLE


def test_every_category_but_utility_counts() -> None:
    for category in ("KNOWLEDGE", "LOG", "METRIC", "TRACE", "ALERT", "CHANGE"):
        assert dossier.read(json.dumps(build(call={"category": category}))).invocations["inv-1"].counts_for_evidence
    assert not dossier.read(json.dumps(build(call={"category": "UTILITY"}))).invocations["inv-1"].counts_for_evidence


REFUSED = (
    ({"schema": "dossier/2"}, "schema"),
    ({"run_id": ""}, "run_id"),
    ({"run_id": 7}, "run_id"),
    ({"claims": {}}, "claims: not a list"),
    ({"claims": None}, "claims: not a list"),
    ({"invocations": {}}, "invocations"),
    ({"call": {"status": "MAYBE"}}, "invocations[0].status"),
    ({"call": {"category": "MAGIC"}}, "invocations[0].category"),
    ({"call": {"truncated": "no"}}, "invocations[0].truncated"),
    ({"call": {"input_params": []}}, "invocations[0].input_params"),
    ({"call": {"invocation_id": ""}}, "invocations[0].invocation_id"),
    ({"invocations": [build()["invocations"][0]] * 2}, "invocations[1].invocation_id: 'inv-1' stands twice"),
)


@pytest.mark.parametrize(("fields", "said"), REFUSED)
def test_a_malformed_dossier_is_refused_by_its_field(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(Invalid) as found:
        dossier.read(json.dumps(build(**fields)))
    assert said in found.value.message
    assert found.value.mend


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"a":1,"a":2}', '{"x": NaN}', b"\xff", "[" * 100_000, '"\\ud800"', "9" * 5_000])
def test_what_is_no_dossier_is_refused(text: str | bytes) -> None:
    with pytest.raises(Invalid):
        dossier.read(text)


BROKEN_CLAIMS = (
    {"claim_text": "x" * 501}, {"claim_text": ""}, {"critical": "yes"}, {"claim_type": "hunch"}, {"evidence": None}, {"claim_id": ""},
    {"evidence": [{"invocation_id": "inv-1", "raw_path": "$", "evidence_excerpt": "x" * 401}]},
    {"evidence": [{"invocation_id": "inv-1", "raw_path": "$"}] * 6},
)  # fmt: skip


@pytest.mark.parametrize("claim", BROKEN_CLAIMS)
def test_a_claim_that_breaks_the_schema_is_a_result_not_a_refusal(claim: dict[str, Any]) -> None:
    found = dossier.read(json.dumps(build(claim=claim)))
    assert (found.claims, found.parse.status, found.parse.valid) == (None, ParseState.SCHEMA_INVALID, False)
    assert found.parse.errors


def test_a_claim_without_critical_is_never_guessed() -> None:
    claim = {k: v for k, v in build()["claims"][0].items() if k != "critical"}
    assert dossier.read(json.dumps(build(claims=[claim]))).parse.status is ParseState.SCHEMA_INVALID


def many_claims(n: int) -> list[dict[str, Any]]:
    return [build()["claims"][0] | {"claim_id": f"c{n}"} for n in range(n)]


def test_a_thousand_claims_are_the_most() -> None:
    found = dossier.read(json.dumps(build(claims=many_claims(1_000))))
    assert found.parse.valid
    assert found.claims is not None
    assert (found.parse.claim_count, found.claims.claims[999].claim_id) == (1_000, "c999")
    with pytest.raises(Invalid, match="10000 of them; at most 1000"):
        dossier.read(json.dumps(build(claims=many_claims(10_000))))


def test_a_broken_claim_among_many_is_named_by_its_place() -> None:
    claims = many_claims(60)
    claims[47]["claim_text"] = ""
    found = dossier.read(json.dumps(build(claims=claims)))
    assert (found.claims, found.parse.valid) == (None, False)
    assert found.parse.errors[0].startswith("claims.47.claim_text")


def test_an_output_is_held_against_its_stated_hash() -> None:
    output = {"logs": [LINE]}
    stated = canonical.sha256(canonical.encoded(output))
    assert dossier.read(json.dumps(build(call={"output": output, "output_sha256": stated}))).altered == frozenset()
    changed = build(call={"output": {"logs": [LINE + "!"]}, "output_sha256": stated})
    assert dossier.read(json.dumps(changed)).altered == {"inv-1"}
    with pytest.raises(Invalid, match="output_sha256"):
        dossier.read(json.dumps(build(call={"output_sha256": "sha256:12"})))


def test_the_incident_is_read_as_a_window() -> None:
    incident = {"start": "2026-07-08T23:00:00Z", "end": "2026-07-08T23:10:00Z"}
    found = dossier.read(json.dumps(build(incident=incident))).incident
    assert found is not None
    assert found.to_json() == incident
    with pytest.raises(Invalid, match="incident"):
        dossier.read(json.dumps(build(incident={"start": "yesterday"})))


def test_a_field_that_looks_like_a_slip_is_told_and_a_strange_one_is_not() -> None:
    given_ = build(claim={"claim_txt": "x", "colour": "red"}, call={"tool": 1, "catgory": "LOG"}, inocations=[])
    assert dossier.read(json.dumps(given_)).notes == (
        "inocations: no such field, it is left out; invocations?",
        "invocations[0].catgory: no such field, it is left out; category?",
        "claims[0].claim_txt: no such field, it is left out; claim_text?",
    )


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3), max_leaves=8
)
FIELDS = ["schema", "run_id", "question", "invocations", "claims", "output", "input_params", "evidence", "claim_text"]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(FIELDS), JSON)
def test_any_field_may_hold_rubbish(field: str, rubbish: Any) -> None:
    given_ = build()
    place = given_ if field in given_ else given_["invocations"][0] if field in ("output", "input_params") else given_["claims"][0]
    place[field] = rubbish
    with suppress(Invalid):
        assert dossier.read(json.dumps(given_)).run_id
