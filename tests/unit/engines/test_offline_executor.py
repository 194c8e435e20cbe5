"""The offline Executor over incidents in memory, through the real recorder, Gatekeeper and Verifier."""

from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.adapters.memory import MemoryLedger
from superbiz.domain import executor_output, refs
from superbiz.domain.claims import ClaimType, Conclusion, ExecutorOutput, FaultCategory, ParseState
from superbiz.domain.dossier import Dossier
from superbiz.domain.evidence import EvidenceStatus, InvocationStatus, ToolCategory
from superbiz.domain.incidents import AlarmMetric, AlarmNotice
from superbiz.domain.knowledge import KnowledgeHit, Level
from superbiz.domain.observations import AlarmListing, Series
from superbiz.domain.verification import MissingClaim, RetryContext
from superbiz.engines.offline.executor import OfflineExecutor
from superbiz.engines.offline.playbook import symptom_of
from superbiz.services import verifying
from superbiz.tools.recorder import RecordingToolbox
from support.builders import RUN_ID, build_alarm
from support.incidents import START, Incident, brief, build_change, build_line, build_series, build_span, calls, span_id, toolbox, wavering

HOUR_BEFORE = START - timedelta(minutes=60)
DB: dict[str, Any] = {"namespace": "AWS/RDS", "dimensions": {"DBInstanceIdentifier": "orders-db"}}
POOL_LINE = "ERROR HikariPool-1 - Connection is not available, request timed out after 30000ms"


class Ran(NamedTuple):
    output: ExecutorOutput
    tools: RecordingToolbox

    @property
    def resources(self) -> list[str]:
        return [c.resource for c in self.output.findings.causes]

    def texts(self, claim_type: ClaimType) -> list[str]:
        return [c.claim_text for c in self.output.claims if c.claim_type is claim_type]


def execute(incident: Incident, alarm: AlarmNotice | None = None, tools: RecordingToolbox | None = None, **fields: Any) -> Ran:
    tools = tools or toolbox(incident)
    raw = OfflineExecutor().execute(brief(alarm, **fields), tools).raw
    parse, output = executor_output.parse(raw, RUN_ID, fields.get("round", 1))
    assert output is not None, parse
    return Ran(output, tools)


def series(before: list[float], now: list[float], **fields: Any) -> Series:
    """An hour before the incident, then the incident."""
    return build_series([*before, *now], start=HOUR_BEFORE, **fields)


def alarm_on(
    metric: str, dimensions: dict[str, str], *, falling: bool = False, stat: str = "Average", namespace: str = "Shop"
) -> AlarmNotice:
    return build_alarm(
        alarm_name=f"{metric}-alarm",
        metrics=(AlarmMetric(namespace=namespace, metric_name=metric, dimensions=dimensions, stat=stat, period=60),),
        comparison="LessThanThreshold" if falling else "GreaterThanThreshold",
        reason="Threshold crossed",
    )


CPU_ALARM = alarm_on("CPUUtilization", DB["dimensions"], namespace="AWS/RDS")
FULL_CPU = series(wavering(20, 60), [*wavering(21, 5), *[97.0] * 25], metric="CPUUtilization", unit="Percent", **DB)
CALM_CPU = series(wavering(50, 60, 0.3), wavering(52, 30, 0.3), metric="CPUUtilization", unit="Percent", **DB)


def shop() -> Incident:
    """A gateway over orders over payments; payments became slow, and everyone above it with it."""
    rows, usual = [], []
    for name, base in (("gateway", 0.3), ("orders", 0.2), ("payments", 0.1)):
        rows += [build_series([*wavering(base, 10), *[base + 0.5] * 20], subject=name), _requests(name, 30, START)]
        usual += [
            build_series(wavering(base, 200), subject=name, start=START - timedelta(days=1)),
            _requests(name, 200, START - timedelta(days=1)),
        ]
    return Incident(series=rows, normal_series=usual, services=calls(gateway=["orders"], orders=["payments"]))


def _requests(name: str, count: int, start: Any) -> Series:
    return build_series([100.0] * count, subject=name, metric="Requests", stat="Sum", unit="Count", start=start)


def pool_runs_dry() -> Incident:
    lines = [build_line(f"INFO order {n} accepted", minute=n / 20) for n in range(200)]
    lines += [build_line(POOL_LINE, minute=11 + n / 20) for n in range(150)]
    normal = [build_line(f"INFO order {n} accepted", minute=n / 20) for n in range(400)]
    events = [
        build_change(-8, message="orders 1.4.2"),
        build_change(3_000),
        build_change(40, name="Backup completed", resource="users-db", message="automated"),
    ]
    return Incident(lines=sorted(lines, key=lambda x: x.timestamp), normal_lines=normal, events=events, series=[])


def test_a_slow_callee_is_the_root_cause_and_its_callers_are_not() -> None:
    ran = execute(shop(), alarm_on("Latency", {"ServiceName": "gateway"}))
    assert ran.output.findings.conclusion is Conclusion.ROOT_CAUSE
    assert ran.resources[0] == "payments"
    assert ran.output.findings.causes[0].score > 0.5
    assert ran.output.findings.subjects == ("Latency-alarm",)


def test_a_full_cpu_is_resource_exhaustion_of_its_instance() -> None:
    ran = execute(Incident(series=[FULL_CPU]), CPU_ALARM)
    assert ran.resources == ["orders-db"]
    assert ran.output.findings.causes[0].fault_category is FaultCategory.RESOURCE_EXHAUSTION


def test_errors_that_name_their_fault_give_the_category_and_the_change_beside_them() -> None:
    ran = execute(pool_runs_dry())
    cause = ran.output.findings.causes[0]
    assert (cause.resource, cause.fault_category) == ("orders", FaultCategory.RESOURCE_EXHAUSTION)
    assert any("Connection is not available" in text for text in ran.texts(ClaimType.CAUSE))
    assert any("pool size" in text for text in ran.texts(ClaimType.ACTION))
    assert any("roll it back" in text for text in ran.texts(ClaimType.ACTION))


def test_red_herrings_are_ruled_out_by_name() -> None:
    ran = execute(pool_runs_dry())
    told = {row.what for row in ran.output.findings.ruled_out}
    assert {"Backup completed of users-db", "DeployService of orders"} <= told
    assert all(row.claim_ids for row in ran.output.findings.ruled_out)


def test_a_tight_alarm_on_an_ordinary_value_is_no_fault_by_a_positive_observation() -> None:  # REQ-049
    ran = execute(Incident(series=[CALM_CPU]), CPU_ALARM)
    assert ran.output.findings.conclusion is Conclusion.NO_FAULT
    assert ran.output.findings.causes == ()
    first = ran.output.claims[0]
    assert first.critical
    assert first.claim_type is ClaimType.OBSERVATION
    assert "stayed ordinary" in first.claim_text
    assert first.evidence[0].raw_path == "$.symptom"


def test_nothing_but_an_alarm_is_inconclusive_and_every_source_is_named() -> None:
    ran = execute(Incident(), CPU_ALARM)
    assert ran.output.findings.conclusion is Conclusion.INCONCLUSIVE
    assert ran.output.findings.causes == ()
    assert {"metrics", "logs", "traces", "events", "alarms"} <= {row.what for row in ran.output.findings.not_checked}


def test_empty_sources_are_never_no_fault() -> None:  # REQ-049
    empty = Incident(
        series=[], normal_series=[], lines=[], normal_lines=[], spans=[], normal_spans=[], services=[], listing=AlarmListing(), events=[]
    )
    ran = execute(empty, CPU_ALARM)
    assert ran.output.findings.conclusion is Conclusion.INCONCLUSIVE
    assert {c.claim_type for c in ran.output.claims} == {ClaimType.ABSENCE}


def test_absence_is_claimed_only_of_complete_and_empty_results() -> None:  # REQ-046
    empty = Incident(series=[], lines=[], spans=[], events=[])
    for ran in (execute(empty, CPU_ALARM), execute(Incident(), CPU_ALARM)):
        calls_made = {c.invocation.invocation_id: c.invocation for c in ran.tools.recorded()}
        bound = [calls_made[b.invocation_id] for c in ran.output.claims for b in c.evidence if b.raw_path == refs.NO_EVIDENCE]
        assert bound
        assert all(i.retrieval_details.evidence_status is EvidenceStatus.NO_EVIDENCE for i in bound)


def test_a_real_symptom_without_a_suspect_is_inconclusive_with_a_hypothesis() -> None:
    slow = series(wavering(0.1, 60), [*wavering(0.1, 5), *[0.9] * 25])
    ran = execute(Incident(series=[slow]), alarm_on("Latency", {"ServiceName": "orders"}))
    assert ran.output.findings.conclusion is Conclusion.INCONCLUSIVE
    assert ran.resources == ["orders"]
    assert not ran.texts(ClaimType.CAUSE)


def test_knowledge_logs_and_metrics_are_tried_in_every_run() -> None:  # REQ-094
    for incident, alarm in ((Incident(), CPU_ALARM), (Incident(), None), (shop(), None), (pool_runs_dry(), CPU_ALARM)):
        tried = {c.invocation.category for c in execute(incident, alarm).tools.recorded()}
        assert {ToolCategory.KNOWLEDGE, ToolCategory.LOG, ToolCategory.METRIC} <= tried


def test_a_source_that_fails_is_told_as_not_checked() -> None:
    ran = execute(Incident(series=[FULL_CPU]), CPU_ALARM)
    failed = [c.invocation for c in ran.tools.recorded() if c.invocation.status is InvocationStatus.FAILED]
    assert failed
    assert {row.what for row in ran.output.findings.not_checked} >= {"logs", "traces", "events"}
    assert all("no evidence" not in row.why.lower() for row in ran.output.findings.not_checked)


def test_a_code_fault_shows_as_a_statement_that_no_longer_follows() -> None:
    def traffic(*messages: str) -> Any:
        lines = [build_line(f"{m} span={span_id(n * 100)}", minute=1 + n + i / 100) for n in range(12) for i, m in enumerate(messages)]
        return lines, [build_span(n * 100) for n in range(12)]

    steps = (
        "INFO Cart#11 received the cart of a client",
        "INFO Cart#15 reserved stock in the warehouse",
        "INFO Cart#19 answered after all was done",
    )
    now, usual = traffic(steps[0], steps[2]), traffic(*steps)
    ran = execute(Incident(lines=now[0], spans=now[1], normal_lines=usual[0], normal_spans=usual[1]))
    cause = ran.output.findings.causes[0]
    assert (cause.resource, cause.operation, cause.fault_category) == ("orders", "POST /orders", FaultCategory.CODE_DEFECT)
    assert any("Cart#15" in text or "Cart#19" in text for text in ran.texts(ClaimType.ACTION))


INCIDENTS = {
    "slow callee": (shop, alarm_on("Latency", {"ServiceName": "gateway"})),
    "full cpu": (
        lambda: Incident(series=[FULL_CPU], events=[build_change(4)], lines=[build_line("INFO ok")] * 9, normal_lines=[]),
        CPU_ALARM,
    ),
    "dry pool": (pool_runs_dry, None),
    "tight alarm": (lambda: Incident(series=[CALM_CPU]), CPU_ALARM),
}


@pytest.mark.parametrize("name", INCIDENTS)
def test_every_citation_is_real_and_every_claim_carried(name: str) -> None:
    """Gatekeeper and Verifier find nothing to reject, and nothing to lower but proposals and silence."""
    make, alarm = INCIDENTS[name]
    ran = execute(make(), alarm)
    parse, output = executor_output.parse(OfflineExecutor().execute(brief(alarm), ran.tools).raw, RUN_ID, 1)
    assert parse.status is ParseState.OK
    assert output == ran.output, "the same evidence gives the same output"
    recorded = ran.tools.recorded()
    calls_made = {c.invocation.invocation_id: c.invocation for c in recorded}
    outputs = {c.invocation.invocation_id: c.output for c in recorded if c.output is not None}
    checked = verifying.check(Dossier(RUN_ID, "why?", calls_made, outputs, parse, output))
    assert checked["verdict"] == "PASS"
    assert checked["gatekeeper_result"]["rejected_claim_ids"] == []
    modest = {c.claim_id for c in output.claims if c.claim_type in (ClaimType.ACTION, ClaimType.ABSENCE)} if output else set()
    assert {c["claim_id"]: c["reason"] for c in checked["claim_checks"] if c["result"] != "SUPPORTED" and c["claim_id"] not in modest} == {}


def test_causes_cite_two_sources_where_there_are_two() -> None:
    ran = execute(Incident(series=[FULL_CPU], events=[build_change(2, resource="orders-db")]), CPU_ALARM)
    cause = next(c for c in ran.output.claims if c.claim_type is ClaimType.CAUSE)
    assert len({b.invocation_id for b in cause.evidence}) == 2
    assert cause.critical


def test_a_cause_with_one_sign_alone_is_told_beside_the_symptom_that_it_explains() -> None:
    ran = execute(shop(), alarm_on("Latency", {"ServiceName": "gateway"}))
    first = next(c for c in ran.output.claims if c.claim_type is ClaimType.CAUSE)
    assert "payments is the likely root cause" in first.claim_text
    assert len({b.raw_path for b in first.evidence}) >= 2


def test_a_further_suspect_with_one_witness_is_told_as_what_was_seen_of_it() -> None:
    ran = execute(pool_runs_dry())
    claims = {c.claim_id: c for c in ran.output.claims}
    for cause in ran.output.findings.causes[1:]:
        told = [claims[i] for i in cause.claim_ids]
        assert all(c.claim_type is not ClaimType.CAUSE or len(c.evidence) >= 2 for c in told)


def test_at_most_twenty_claims_and_excerpts_of_400_characters() -> None:
    many = pool_runs_dry()
    many.events = [build_change(3_000 + n, name=f"Deploy{n}") for n in range(60)]
    ran = execute(many)
    assert len(ran.output.claims) <= 20
    assert all(len(b.evidence_excerpt) <= 400 for c in ran.output.claims for b in c.evidence)


def test_the_runbooks_own_steps_stand_before_others() -> None:
    class Shelf:
        def find(self, keys: Any, query: str, limit: int = 5) -> Any:
            text = "Check the pool:\n1. Compare active connections with the pool size\n2. Raise the pool size of the service"
            return [
                KnowledgeHit(level=Level.L0, document_id="doc-7", chunk_id="doc-7#1", heading="Orders", text=text, score=1.0, via="key")
            ]

    incident = pool_runs_dry()
    ran = execute(incident, CPU_ALARM, toolbox(incident, Shelf()))
    assert ran.texts(ClaimType.ACTION)[0] == 'From doc-7: "Compare active connections with the pool size".'


def test_a_second_round_asks_more_and_keeps_what_stood() -> None:
    incident, ledger = pool_runs_dry(), MemoryLedger()
    first = execute(incident, None, toolbox(incident, ledger=ledger))
    kept, failed = first.output.claims[0], first.output.claims[1]
    retry = RetryContext(
        from_round=1, next_round=2, keep_claim_ids=(kept.claim_id,),
        missing=(MissingClaim(claim_id=failed.claim_id, claim_text=failed.claim_text, critical=True, codes=("UNSUPPORTED",), need="more"),),
    )  # fmt: skip
    tools = toolbox(incident, ledger=ledger, step_index=2, round=2, limit=retry.limits)
    second = execute(incident, None, tools, round=2, retry=retry, kept=first.output)
    assert kept in second.output.claims
    assert failed.claim_text not in {c.claim_text for c in second.output.claims}
    new = [c.invocation for c in tools.recorded() if c.invocation.step_index == 2]
    assert 0 < len([i for i in new if i.status is InvocationStatus.SUCCESS]) <= retry.limits.max_new_tool_calls
    assert len({c.claim_id for c in second.output.claims}) == len(second.output.claims)
    named = {i for cause in second.output.findings.causes for i in cause.claim_ids}
    assert named <= {c.claim_id for c in second.output.claims}


@pytest.mark.parametrize(
    ("comparison", "reason", "falling"),
    [
        ("LessThanThreshold", "", True),
        ("GreaterThanOrEqualToThreshold", "", False),
        (None, "1 datapoint [98.2] was less than the threshold (99.5)", True),
        (None, "1 datapoint [9.0] was greater than the threshold (5.0)", False),
        (None, "in anomaly band", None),
    ],
)
def test_the_alarm_tells_which_side_is_bad(comparison: str | None, reason: str, falling: bool | None) -> None:
    alarm = build_alarm(comparison=comparison, reason=reason)
    asked = symptom_of(alarm)
    assert asked is not None
    assert asked.get("falling") is falling
    assert (asked["metric"], asked["stat"], asked["target"]) == ("Errors", "Sum", "order-service")


def test_an_alarm_without_a_plain_metric_asks_for_no_suspects() -> None:
    assert symptom_of(build_alarm(metrics=())) is None
    ran = execute(pool_runs_dry(), build_alarm(metrics=(), alarm_name="composite"))
    assert "rank_suspects" not in {c.invocation.tool_name for c in ran.tools.recorded()}
    assert ran.output.findings.subjects == ("composite",)


HOSTILE = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=120)


@settings(max_examples=25, deadline=None)
@given(st.lists(HOSTILE, min_size=1, max_size=8), HOSTILE)
def test_hostile_text_in_logs_and_changes_breaks_nothing(messages: list[str], name: str) -> None:
    """Quotes, braces, wildcards and control characters in recorded text still give citations that hold."""
    lines = [build_line(f"ERROR {m}", minute=n) for n, m in enumerate(messages * 4)]
    incident = Incident(
        lines=lines, normal_lines=[build_line("INFO fine")] * 40, events=[build_change(5, name=name, message=name)], series=[]
    )
    ran = execute(incident, query=name)
    outputs = {c.invocation.invocation_id: c.output for c in ran.tools.recorded()}
    for claim in ran.output.claims:
        for bound in claim.evidence:
            if bound.raw_path != refs.NO_EVIDENCE:
                found = refs.derive(outputs[bound.invocation_id], bound.raw_path)
                assert found is not None
                assert bound.evidence_excerpt in found.text


NAMES = st.sampled_from(["a", "b", "c", "gateway"])
RUBBISH = st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), max_size=12)
SERIES = st.builds(
    build_series,
    RUBBISH,
    subject=NAMES,
    metric=st.sampled_from(["Latency", "Requests", "CPUUtilization", "FreeStorageSpace", "Errors"]),
    stat=st.sampled_from(["Average", "Sum", "p99"]),
    unit=st.sampled_from(["Percent", "Seconds", "None"]),
    period=st.sampled_from([1, 60, 300]),
)
SPANS = st.builds(build_span, st.integers(0, 6), parent=st.one_of(st.none(), st.integers(0, 6)), service=NAMES, error=st.booleans())
LINES = st.builds(build_line, st.text(max_size=40).map(lambda t: f"{t} span={span_id(3)}"), minute=st.floats(0, 29), service=NAMES)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(SERIES, max_size=6), st.lists(SERIES, max_size=6), st.lists(SPANS, max_size=8), st.lists(LINES, max_size=8),
    st.dictionaries(NAMES, st.lists(NAMES, max_size=3), max_size=4), st.booleans(),
)  # fmt: skip
def test_any_incident_ends_in_a_conclusion_and_no_tool_breaks(
    now: list[Series], usual: list[Series], spans: list[Any], lines: list[Any], edges: dict[str, list[str]], asked: bool
) -> None:
    """Gaps, mixed periods and units, twins, cycles in maps and traces."""
    incident = Incident(
        series=now, normal_series=usual, spans=spans, normal_spans=spans[::2], lines=lines, normal_lines=lines[::2], services=calls(**edges)
    )
    ran = execute(incident, None if asked else alarm_on("Latency", {"ServiceName": "gateway"}))
    assert [c.invocation.error_message for c in ran.tools.recorded() if c.invocation.error_code == "TOOL_ERROR"] == []
    assert all(0 <= c.score <= 1 for c in ran.output.findings.causes)
    if ran.output.findings.conclusion is Conclusion.ROOT_CAUSE:
        assert ran.texts(ClaimType.CAUSE)


def test_nameless_and_endless_names_are_no_trouble() -> None:
    nameless = [build_line("ERROR pool empty", log_group="", log_stream="", minute=n / 10) for n in range(20)]
    endless = [build_span(n, name="GET /" + "x" * 900, error=True) for n in range(20)]
    ran = execute(Incident(lines=nameless, normal_lines=[], spans=endless, normal_spans=[]))
    assert all(len(c.operation or "") <= 300 for c in ran.output.findings.causes)
    assert "" not in ran.resources
