"""Reading an Executor's answer."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import executor_output
from superbiz.domain.claims import ExecutorOutput, ParseState
from support.builders import RUN_ID, build_claim, build_output


def document(**changes: Any) -> dict[str, Any]:
    return build_output(build_claim()).to_json() | changes


def parsed(raw: str) -> tuple[ParseState, ExecutorOutput | None]:
    status, output = executor_output.parse(raw, RUN_ID, 1)
    return status.status, output


# REQ-050
# REQ-052
def test_a_plain_document_is_ok() -> None:
    status, output = executor_output.parse(json.dumps(document()), RUN_ID, 1)
    assert status.to_json() == {
        "status": "OK",
        "valid": True,
        "schema_version": "executor_evidence_v2",
        "claim_count": 1,
        "errors": [],
        "used_fallback": False,
    }
    assert output == build_output(build_claim())


WRAPPED = {
    "fence": "```json\n{}\n```",
    "bare fence": "```\n{}\n```",
    "prose before": "Here is the result you asked for:\n\n{}",
    "prose after": "{}\n\nLet me know if you need more.",
    "prose with braces": 'I looked at {{service}} and {{"level": "ERROR"}} lines.\n```json\n{}\n```\nDone.',
    "byte-order mark": "\ufeff{}",
}


@pytest.mark.parametrize("frame", WRAPPED.values(), ids=WRAPPED.keys())
def test_what_stands_around_the_document_is_stripped(frame: str) -> None:
    text = json.dumps(document(executor_final_answer='a brace } and a quote " inside'))
    status, output = parsed(frame.replace("{{", "\x01").replace("}}", "\x02").replace("{}", text).replace("\x01", "{").replace("\x02", "}"))
    assert status is ParseState.REPAIRED
    assert output is not None
    assert output.claims == (build_claim(),)
    assert output.executor_final_answer == 'a brace } and a quote " inside'


def test_two_documents_are_none() -> None:
    one = json.dumps(document())
    assert parsed(f"{one}\n{one}")[0] is ParseState.INVALID_JSON


BROKEN = {
    "cut short": json.dumps(document())[:-20],
    "a key twice": '{"claims": [], "claims": [], "no_evidence_needed": true}',
    "NaN": json.dumps(document()).replace("0.9", "NaN"),
    "trailing comma": json.dumps(document())[:-1] + ",}",
    "single quotes": "{'claims': []}",
    "nested beyond reason": '{"claims": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep facts": json.dumps(document()).replace('"facts": []', '"facts": [{"a": ' + "[" * 500 + "]" * 500 + "}]"),
    "lone surrogate": json.dumps(document(executor_final_answer="\ud800")),
    "cut in a fence": '```json\n{"claims": [',
}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN.keys())
def test_broken_json_is_recorded_and_never_raises(raw: str) -> None:
    status, output = executor_output.parse(raw, RUN_ID, 1)
    assert status.status is ParseState.INVALID_JSON
    assert not status.valid
    assert status.errors
    assert status.used_fallback
    assert output is None


def without(field: str) -> dict[str, Any]:
    return {key: value for key, value in build_claim().to_json().items() if key != field}


UNFIT = {
    "an array": [document()],
    "a number": 3,
    "no claims key": {"run_id": RUN_ID},
    "critical missing": document(claims=[without("critical")]),
    "critical no boolean": document(claims=[build_claim().to_json() | {"critical": "true"}]),
    "critical a number": document(claims=[build_claim().to_json() | {"critical": 1}]),
    "unknown type": document(claims=[build_claim().to_json() | {"claim_type": "opinion"}]),
    "empty text": document(claims=[build_claim().to_json() | {"claim_text": ""}]),
    "long text": document(claims=[build_claim().to_json() | {"claim_text": "x" * 501}]),
    "six citations": document(claims=[build_claim().to_json() | {"evidence": build_claim().to_json()["evidence"] * 6}]),
    "long excerpt": document(
        claims=[build_claim().to_json() | {"evidence": [{"invocation_id": "i", "raw_path": "$", "evidence_excerpt": "x" * 401}]}]
    ),
    "21 claims": document(claims=[build_claim(f"c{n}").to_json() for n in range(21)]),
    "another schema": document(schema_version="executor_evidence_v1"),
    "score above 1": document(findings={"causes": [{"resource": "a", "score": 93}]}),
    "no_evidence_needed no boolean": document(no_evidence_needed="yes"),
}


@pytest.mark.parametrize("value", UNFIT.values(), ids=UNFIT.keys())
def test_a_document_of_another_shape_is_refused_whole(value: Any) -> None:
    status, output = executor_output.parse(json.dumps(value), RUN_ID, 1)
    assert status.status is ParseState.SCHEMA_INVALID
    assert status.errors
    assert output is None


def test_an_error_names_the_field() -> None:
    status, _ = executor_output.parse(json.dumps(UNFIT["critical missing"]), RUN_ID, 1)
    assert status.errors == ("claims.0.critical: Field required",)


def test_limits_are_inclusive() -> None:
    claim = build_claim(claim_text="x" * 500).to_json()
    assert parsed(json.dumps(document(claims=[claim | {"claim_id": f"c{n}"} for n in range(20)])))[0] is ParseState.OK


# REQ-053
def test_plain_prose_is_legacy_text_and_states_nothing() -> None:
    status, output = executor_output.parse("The pool of order-service ran dry. See {service} for details.", RUN_ID, 1)
    assert (status.status, status.valid, status.used_fallback) == (ParseState.LEGACY_TEXT, False, True)
    assert output is None


@pytest.mark.parametrize("raw", ["", "  \n\t "])
def test_nothing_at_all_is_empty(raw: str) -> None:
    assert parsed(raw) == (ParseState.EMPTY, None)


def test_no_claims_is_empty_but_what_was_not_checked_stays_readable() -> None:
    findings = {"not_checked": [{"what": "logs", "why": "not available"}]}
    status, output = executor_output.parse(json.dumps(document(claims=[], findings=findings)), RUN_ID, 1)
    assert (status.status, status.valid) == (ParseState.EMPTY, False)
    assert output is not None
    assert output.findings.not_checked[0].what == "logs"


def test_no_claims_is_fine_where_no_evidence_is_needed() -> None:
    assert parsed(json.dumps(document(claims=[], no_evidence_needed=True)))[0] is ParseState.OK


def test_run_and_round_are_set_by_code() -> None:
    _, output = executor_output.parse(json.dumps(document(run_id="run-of-another", round=7)), RUN_ID, 2)
    assert output is not None
    assert (output.run_id, output.round) == (RUN_ID, 2)


def test_unknown_keys_are_dropped() -> None:
    _, output = executor_output.parse(json.dumps(document(verdict="PASS")), RUN_ID, 1)
    assert output is not None
    assert "verdict" not in output.to_json()


@given(st.text() | st.text(alphabet='{}[]":,\\ \n`aclims0.') | st.binary().map(lambda b: b.decode("latin-1")))
def test_rubbish_never_raises_and_never_yields_claims(raw: str) -> None:
    status, output = executor_output.parse(raw, RUN_ID, 1)
    assert output is None or not output.claims
    assert not status.valid


prose = st.text(alphabet=st.characters(blacklist_characters='{}"`', blacklist_categories=("Cs",)), max_size=60)


@given(before=prose, after=prose, text=st.text(alphabet=st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=80))
def test_a_repair_never_alters_the_document(before: str, after: str, text: str) -> None:
    raw = json.dumps(document(claims=[build_claim(claim_text=text).to_json()]), ensure_ascii=False)
    _, output = executor_output.parse(f"{before}\n{raw}\n{after}", RUN_ID, 1)
    assert output is not None
    assert output.claims[0].claim_text == text


def test_a_long_run_of_braces_is_read_in_one_pass() -> None:
    assert parsed("{" * 300_000)[0] is ParseState.INVALID_JSON
    assert parsed("x " + "{}" * 150_000)[0] is ParseState.LEGACY_TEXT
