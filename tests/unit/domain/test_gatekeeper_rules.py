"""Each rule on claims has a claim that passes it and one that breaks it. REQ-060 to REQ-064, REQ-209."""

from typing import Any, NamedTuple

import pytest

from superbiz.domain import canonical, gatekeeper
from superbiz.domain.claims import Claim
from superbiz.domain.gatekeeper import RULE_SET, RULES, EvidenceBook
from superbiz.domain.values import Window
from superbiz.domain.verification import ClaimGate, ClaimStatus, GatekeeperResult
from superbiz.ports import RecordedCall
from support.builders import (
    RUN_ID,
    build_absence_binding,
    build_binding,
    build_call,
    build_claim,
    build_log_output,
    build_output,
    build_parse,
    build_silent_call,
)

WINDOW = {"start": "2026-07-08T22:30:00Z", "end": "2026-07-08T23:10:00Z"}
INCIDENT = Window.model_validate({"start": "2026-07-08T23:00:00Z", "end": "2026-07-08T23:10:00Z"})
YESTERDAY = {"start": "2026-07-07T22:30:00Z", "end": "2026-07-07T23:10:00Z"}
CPU = {
    "subject": "orders-db",
    "metric": "CPUUtilization",
    "direction": "rose",
    "worst": 98.5,
    "worst_at": "2026-07-08T23:04:00Z",
    "baseline": 21,
}
BUSY = {"subject": "orders-db", "metric": "DatabaseConnections", "direction": "rose", "worst": 400, "baseline": 40}
FULL = {"service": "order-service", "template": "Connection is not available", "count": 67, "of": 67}
CHANGE = {"name": "UpdateService", "resource": "order-service", "time": "2026-07-08T23:01:00Z", "message": "ship the new pool settings"}
LINES = (
    "2026-07-08 23:05:28 ERROR order-service HikariPool-1 - Connection is not available, request timed out after 30000ms",
    "2026-07-08 23:05:31 ERROR order-service POST /orders answered 503 because the pool is exhausted",
    "2026-07-08 23:06:00 INFO inventory-service no errors were recorded, all replicas are ready",
)
LOGS = build_call(build_log_output(LINES))
METRICS = build_call({"series": [CPU, BUSY], "window": WINDOW, "complete": True}, seq=2, tool_name="query_metrics", category="METRIC")
CHANGES = build_call({"changes": [CHANGE], "window": WINDOW}, seq=3, tool_name="list_changes", category="CHANGE")
COUNTS = build_call({"templates": [FULL], "window": WINDOW}, seq=4)
PART = build_call(build_log_output(LINES, complete=False), seq=5)
PART = PART._replace(
    invocation=PART.invocation.model_copy(
        update={"output": PART.invocation.output.model_copy(update={"complete": False}) if PART.invocation.output else None}
    )
)
OLD = build_call({"series": [CPU | {"worst_at": None}], "window": YESTERDAY}, seq=6, tool_name="query_metrics", category="METRIC")
SILENT = build_silent_call(seq=8, input_params={"service": "payments"})
RUNBOOK = build_call({"hits": [{"text": "orders-db is at fault when CPUUtilization is high"}]}, seq=9, tool_name="x", category="KNOWLEDGE")
AGAIN = build_call(build_log_output(LINES), seq=10)
MANY = build_call(build_log_output(LINES), seq=13, input_params={"query": "service:order-service OR service:payment-service"})
ASKED = build_call(build_log_output(["ERROR call to orders-db failed"]), seq=14, input_params={"service": "payment-service"})
LATER = build_call({"series": [BUSY | {"worst": 320}], "window": WINDOW}, seq=15, tool_name="query_metrics", category="METRIC")
CALLS = (MANY, LATER, ASKED, LOGS, METRICS, CHANGES, COUNTS, PART, OLD, SILENT, RUNBOOK, AGAIN)


def at(call: RecordedCall, path: str, excerpt: str) -> Any:
    return build_binding(call, raw_path=path, evidence_excerpt=excerpt)


POOL = at(LOGS, "$.logs[0]", "Connection is not available, request timed out after 30000ms")
ANSWERED = at(LOGS, "$.logs[1]", "POST /orders answered 503 because the pool is exhausted")
READY = at(LOGS, "$.logs[2]", "no errors were recorded, all replicas are ready")
RISE = at(METRICS, "$.series[0]", '"subject":"orders-db","metric":"CPUUtilization"')
CONNECTIONS = at(METRICS, "$.series[1]", '"subject":"orders-db","metric":"DatabaseConnections"')
COUNT = at(COUNTS, "$.templates[0]", '"template":"Connection is not available","count":67,"of":67')
DEPLOY = at(CHANGES, "$.changes[0]", '"name":"UpdateService","resource":"order-service"')
MESSAGE = at(CHANGES, "$.changes[0].message", "ship the new pool settings")
TOLD = "the Connection of order-service is not available"
DB = "orders-db is the likely root cause: its CPUUtilization rose"


def claim(text: str, *evidence: Any, kind: str = "observation", **fields: Any) -> Claim:
    return build_claim(fields.pop("claim_id", "c1"), claim_text=text, claim_type=kind, evidence=evidence, **fields)


def cause(text: str, *evidence: Any) -> Claim:
    return claim(text, *evidence, kind="cause")


def absence(text: str) -> Claim:
    return claim(text, build_absence_binding(SILENT), kind="absence")


def admitted(*claims: Claim, incident: Window | None = INCIDENT) -> GatekeeperResult:
    calls = {c.invocation.invocation_id: c.invocation for c in CALLS}
    outputs = {c.invocation.invocation_id: c.output for c in CALLS}
    return gatekeeper.admit(build_output(*claims), build_parse(), EvidenceBook(RUN_ID, calls, outputs, incident), 1)


def gate(made: Claim) -> ClaimGate:
    return admitted(made).claims[0]


class Case(NamedTuple):
    """A claim, and the same or one like it with what the rule forbids."""

    code: str
    good: Claim
    bad: Claim


CASES = {
    "a changed number": Case(
        "NUMBER_MISMATCH", claim("a request timed out after 30 s", POOL), claim("a request timed out after 31 s", POOL)
    ),
    "another time": Case("TIME_MISMATCH", claim(f"{TOLD} at 23:05:28", POOL), claim(f"{TOLD} at 23:05:29", POOL)),
    "another service": Case("ENTITY_MISMATCH", claim(TOLD, POOL), claim(TOLD.replace("order-", "payment-"), POOL)),
    "a service that only the query names": Case(
        "ENTITY_MISMATCH",
        claim("a request of order-service timed out after 30000ms", at(MANY, "$.logs[0]", "request timed out after 30000ms")),
        claim("a request of payment-service timed out after 30000ms", at(MANY, "$.logs[0]", "request timed out after 30000ms")),
    ),
    "the service that was asked for": Case(
        "ENTITY_MISMATCH",
        claim("a call of payment-service failed", at(ASKED, "$.logs[0]", "call to orders-db failed")),
        claim("a call of inventory-service failed", at(ASKED, "$.logs[0]", "call to orders-db failed")),
    ),
    "the other direction": Case(
        "DIRECTION_MISMATCH",
        claim("CPUUtilization of orders-db rose to 98.5", RISE),
        claim("CPUUtilization of orders-db fell to 98.5", RISE),
    ),
    "what the record denies": Case(
        "NEGATION_MISMATCH", claim(TOLD, POOL), claim("a Connection of order-service is available at 23:05:28", POOL)
    ),
    "why, in an observation": Case(
        "CAUSAL_WORDING",
        claim("POST /orders answered 503 because the pool is exhausted", ANSWERED),
        claim("POST /orders answered 503 due to the exhausted pool", ANSWERED),
    ),
    "why, in Chinese": Case(
        "CAUSAL_WORDING", claim("order-service 的 Connection 不可用", POOL), claim("order-service 的 Connection 不可用导致超时", POOL)
    ),
    "a cause of one citation": Case("CAUSE_ONE_SOURCE", cause(DB, RISE, COUNT), cause(DB, RISE)),
    "a cause of one citation and a runbook": Case(
        "CAUSE_ONE_SOURCE", cause(DB, RISE, CONNECTIONS), cause(DB, RISE, at(RUNBOOK, "$.hits[0].text", "orders-db is at fault"))
    ),
    "an exclusion from silence": Case(
        "ABSENCE_OVERREACH",
        absence("query_logs matched no lines for payments"),
        absence("query_logs matched no lines: payments is healthy"),
    ),
    "silence as a fact": Case(
        "ABSENCE_OVERREACH", absence("query_logs matched no lines for payments"), absence("payments logged no errors")
    ),
    "an absence beside a failure": Case(
        "ABSENCE_UNFOUNDED",
        claim("there were no errors of inventory-service", READY),
        claim("order-service POST /orders answered 503, there were no errors", ANSWERED),
    ),
    "nothing else": Case("ABSENCE_UNFOUNDED", claim(TOLD, POOL), claim(f"{TOLD} and nothing else failed", POOL)),
    "all, of a part": Case(
        "WHOLE_OF_A_PART",
        claim("a request of order-service timed out after 30000ms", at(PART, "$.logs[0]", "request timed out after 30000ms")),
        claim("every request of order-service timed out after 30000ms", at(PART, "$.logs[0]", "request timed out after 30000ms")),
    ),
    "all, of one line": Case(
        "WHOLE_WITHOUT_AGGREGATE",
        claim("all replicas of inventory-service are ready", READY),
        claim("all requests of order-service timed out after 30000ms", POOL),
    ),
    "every, by a count of the whole": Case(
        "WHOLE_WITHOUT_AGGREGATE",
        claim("every Connection of order-service is not available: count 67 of 67", COUNT),
        claim("only the Connection of order-service is not available", COUNT),
    ),
    "another day's evidence": Case(
        "OUTSIDE_INCIDENT",
        claim("CPUUtilization of orders-db had a baseline of 21", at(OLD, "$.series[0]", '"metric":"CPUUtilization"')),
        claim("CPUUtilization of orders-db rose to 98.5", at(OLD, "$.series[0]", '"metric":"CPUUtilization"')),
    ),
    "a record and its own field": Case(
        "REPEATED_EVIDENCE", cause(DB, RISE, CONNECTIONS), cause(DB, RISE, at(METRICS, "$.series[0].metric", "CPUUtilization"))
    ),
    "one record of a call made twice": Case(
        "REPEATED_EVIDENCE",
        cause(f"{TOLD}: the likely root cause", POOL, COUNT),
        cause(f"{TOLD}: the likely root cause", POOL, at(AGAIN, "$.logs[0]", "Connection is not available, request")),
    ),
    "log lines alone": Case(
        "OUTSIDER_TEXT",
        cause(f"{TOLD}: the likely root cause", POOL, COUNT),
        cause(f"{TOLD}: the likely root cause", POOL, at(AGAIN, "$.logs[1]", "POST /orders answered 503")),
    ),
    "a log line and a change's message": Case(
        "OUTSIDER_TEXT",
        cause("order-service is the likely root cause: UpdateService before its Connection is not available", POOL, DEPLOY),
        cause("order-service is the likely root cause: new pool settings before its Connection is not available", POOL, MESSAGE),
    ),
}


def found(made: ClaimGate) -> set[str]:
    return {breach.code for breach in made.breaches}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_rule_lets_the_true_claim_pass_and_finds_the_false_one(case: Case) -> None:  # REQ-060 REQ-061 REQ-062 REQ-063
    assert case.code not in found(gate(case.good)), gate(case.good).breaches
    broken = gate(case.bad)
    assert case.code in found(broken), broken
    rule = next(r for r in RULES if r.code == case.code)
    assert broken.status is (ClaimStatus.UNVERIFIED if rule.severity == "REJECT" else ClaimStatus.VERIFIED) or broken.codes
    assert case.code in (broken.codes if rule.severity == "REJECT" else broken.lowered_by)
    assert all(len(breach.reason) > 20 for breach in broken.breaches)


@pytest.mark.parametrize("name", ["why, in an observation", "all, of one line", "log lines alone", "another day's evidence"])
def test_the_true_claims_are_neither_rejected_nor_lowered(name: str) -> None:
    made = gate(CASES[name].good)
    assert (made.status, made.codes, made.lowered_by) == (ClaimStatus.VERIFIED, (), ())


def test_a_time_that_was_not_asked_for_is_no_evidence() -> None:
    """A record from beyond its query's window, as a mended or mixed-up output has it."""
    late = build_call(build_log_output(LINES[:1], window=YESTERDAY), seq=11)
    book = EvidenceBook(RUN_ID, {late.invocation.invocation_id: late.invocation}, {late.invocation.invocation_id: late.output})
    made = claim(f"{TOLD} at 23:05:28 on 2026-07-08", at(late, "$.logs[0]", "Connection is not available"))
    broken = gatekeeper.admit(build_output(made), build_parse(), book, 1).claims[0]
    assert "TIME_OUTSIDE_WINDOW" in broken.codes
    assert "2026-07-07T22:30:00Z to 2026-07-07T23:10:00Z" in next(b.reason for b in broken.breaches if b.code == "TIME_OUTSIDE_WINDOW")
    assert "TIME_OUTSIDE_WINDOW" not in gate(claim(f"{TOLD} at 23:05:28", POOL)).codes


CONTRADICTIONS = {
    "another number": ("a request of order-service timed out after 30 s", "a request of order-service timed out after 40 s"),
    "the other direction": ("CPUUtilization of orders-db rose at 23:04", "CPUUtilization of orders-db fell at 23:04"),
    "a denial": ("the pool of order-service was exhausted", "the pool of order-service was not exhausted"),
}


@pytest.mark.parametrize(("one", "other"), CONTRADICTIONS.values(), ids=CONTRADICTIONS.keys())
def test_claims_that_contradict_each_other_are_both_lowered(one: str, other: str) -> None:
    from superbiz.domain.gatekeeper import contradictions
    from superbiz.domain.gatekeeper.rule import Statement

    book = EvidenceBook(RUN_ID, {}, {})
    pair = [Statement(claim(one, claim_id="a"), book), Statement(claim(other, claim_id="b"), book)]
    assert [claim_id for claim_id, _ in contradictions.opposed(pair)] == ["a", "b"]
    same = [Statement(claim(one, claim_id="a"), book), Statement(claim(one, claim_id="b"), book)]
    assert [*contradictions.opposed(same)] == []


def test_contradicting_facts_are_found_though_the_sentences_differ() -> None:
    def typed(claim_id: str, value: int) -> Claim:
        fact = {"subject": "orders-db", "metric": "worst", "op": "=", "value": value, "path": "$.series[1].worst"}
        text = "DatabaseConnections of orders-db rose to 400" if claim_id == "a" else "orders-db held 400 DatabaseConnections"
        return claim(text, CONNECTIONS, claim_id=claim_id, facts=(fact,))

    from superbiz.domain.gatekeeper import contradictions
    from superbiz.domain.gatekeeper.rule import Statement

    book = EvidenceBook(RUN_ID, {}, {})
    assert {i for i, _ in contradictions.opposed([Statement(typed("a", 400), book), Statement(typed("b", 40), book)])} == {"a", "b"}
    assert not [*contradictions.opposed([Statement(typed("a", 400), book), Statement(typed("b", 400), book)])]


def test_both_sides_of_a_contradiction_are_lowered_in_the_result() -> None:
    one = claim("orders-db had DatabaseConnections of 400", CONNECTIONS, claim_id="a")
    other = claim("orders-db had DatabaseConnections of 320", at(LATER, "$.series[0]", '"subject":"orders-db"'), claim_id="b")
    gates = admitted(one, other).claims
    assert all("CONTRADICTION" in g.lowered_by for g in gates if g.status is ClaimStatus.VERIFIED)
    assert all(g.status is ClaimStatus.VERIFIED for g in gates)


def test_a_real_citation_leads_back_to_the_very_characters_and_bytes() -> None:
    text = "wait\u0301ed  for\n a connection, caf\u0065\u0301 pool is dry"
    call = build_call(build_log_output([text]), seq=12)
    book = EvidenceBook(RUN_ID, {call.invocation.invocation_id: call.invocation}, {call.invocation.invocation_id: call.output})
    excerpts = ("caf\u00e9 pool is dry", "for a connection", "connection, caf\u0065\u0301 pool")
    made = claim("the pool is dry", *(at(call, "$.logs[0]", e) for e in excerpts))
    checks = gatekeeper.admit(build_output(made), build_parse(), book, 1).claims[0].bindings
    for check, excerpt in zip(checks, excerpts, strict=True):
        assert check.ok
        assert gatekeeper.normalised(text[check.start : check.end]) == gatekeeper.normalised(excerpt)
        assert call.invocation.output is not None
        assert check.sha256 == call.invocation.output.sha256
    silent = gate(absence("query_logs matched no lines for payments")).bindings[0]
    assert (silent.ok, silent.start, silent.end, silent.sha256) == (True, None, None, None)


PINNED = {"gk-2": "sha256:e014e44cfbdffd36f4f1a48ea195a7dc2c0aa7930f5dfabec3f5be912d7e6a62"}


def test_a_changed_rule_is_a_new_version() -> None:  # REQ-064 REQ-209
    """Whoever changes a row gives the rules a new version, and its digest here; the old one stays."""
    assert PINNED[RULE_SET.version] == RULE_SET.sha256
    assert RULE_SET.sha256 == canonical.digest([row.to_json() for row in RULE_SET.rules])


def test_a_result_names_the_rules_that_judged_it_and_an_old_one_is_still_read() -> None:  # REQ-064 REQ-209
    stored = admitted(claim(TOLD, POOL)).to_json()
    assert stored["rule_set"]["version"] == stored["rules_version"]
    assert {row["rule"] for row in stored["rule_set"]["rules"]} == set(range(1, 18))
    old = {key: value for key, value in stored.items() if key != "rule_set"} | {"rules_version": "gk-1"}
    assert GatekeeperResult.model_validate(old).rule_set is None
    other = stored | {
        "rule_set": {"version": "gk-9", "sha256": "sha256:0", "rules": [{"rule": 1, "code": "GONE", "severity": "LOW", "demands": "x"}]}
    }
    assert GatekeeperResult.model_validate(other).to_json()["rule_set"]["rules"][0]["code"] == "GONE"


def test_every_rule_of_the_table_has_one_check_and_its_number() -> None:
    assert {rule.number for rule in RULES} == set(range(1, 18))
    assert len({rule.code for rule in RULES}) == len(RULES)
    assert all(sum(check is not None for check in (r.citation, r.claim, r.claims)) == 1 for r in RULES)
