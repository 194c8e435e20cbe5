"""The recorder, over real tools, a real world and the in-memory ledger."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from pydantic import Field

from superbiz.adapters.memory import MemoryLedger
from superbiz.adapters.redaction import SecretRedactor
from superbiz.domain import canonical, ids, refs
from superbiz.domain.evidence import EvidenceStatus, InvocationStatus, ToolCategory
from superbiz.domain.values import JsonObject, iso
from superbiz.domain.verification import RetryLimits
from superbiz.errors import Invalid
from superbiz.ports import SourceUnavailable
from superbiz.tools.recorder import RecordingToolbox
from superbiz.tools.tool import ToolContext, ToolInput
from support.builders import NOW, RUN_ID, WINDOW, build_run


class Params(ToolInput):
    service: str = "order-service"
    limit: int = Field(default=10, ge=1)


class OneTool:
    """A tool that answers what the test says, and counts how often it ran."""

    input_model = Params
    description = "for tests"

    def __init__(
        self,
        answer: Callable[[Params, ToolContext], JsonObject] | JsonObject,
        category: ToolCategory = ToolCategory.LOG,
        name: str = "query_logs",
    ):
        self.answer, self.category, self.name, self.runs = answer, category, name, 0

    def run(self, params: Any, context: ToolContext) -> JsonObject:
        self.runs += 1
        return self.answer(params, context) if callable(self.answer) else self.answer


class Source:
    """The incident's clock; the tools here read nothing else."""

    def now(self) -> datetime:
        return NOW

    def window(self) -> Any:
        return WINDOW

    def partial(self, category: ToolCategory) -> list[str]:
        return [f"{category.value}: the scan was capped"] if self.capped is category else []

    def __init__(self, capped: ToolCategory | None = None) -> None:
        self.capped = capped


class StillClock:
    def now(self) -> datetime:
        return NOW

    def sleep(self, seconds: float) -> None: ...


SETTLED = {"window": {"start": iso(NOW - timedelta(minutes=40)), "end": iso(NOW - timedelta(minutes=5))}}


def toolbox(*tools: OneTool, ledger: MemoryLedger | None = None, **fields: Any) -> RecordingToolbox:
    given = {"step_index": 1, "round_": 1, "limit": None} | fields
    return RecordingToolbox(
        build_run(), given["step_index"], given["round_"], {t.name: t for t in tools}, Source(given.get("capped")),
        ledger or MemoryLedger(),
        SecretRedactor(RUN_ID.encode()), StillClock(), None, given["limit"], given.get("file"),
    )  # fmt: skip


def logs(*lines: str, **fields: Any) -> JsonObject:
    return {"logs": list(lines), "templates": [], "matched": len(lines)} | SETTLED | {"complete": True} | fields


def test_what_was_read_only_in_part_can_not_be_absent() -> None:
    # REQ-047
    nothing = logs()
    whole = toolbox(OneTool(nothing), capped=ToolCategory.METRIC).call("query_logs", {})
    capped = toolbox(OneTool(nothing), capped=ToolCategory.LOG).call("query_logs", {})
    assert whole.invocation.retrieval_details.evidence_status is EvidenceStatus.NO_EVIDENCE
    assert capped.invocation.retrieval_details.evidence_status is EvidenceStatus.NOT_APPLICABLE
    assert capped.output["complete"] is False
    assert capped.output["notes"] == ["LOG: the scan was capped"]


def test_every_call_is_an_item_failures_too() -> None:
    # REQ-040, REQ-041, REQ-042, REQ-048, REQ-161, REQ-208
    def refuse(params: Params, context: ToolContext) -> JsonObject:
        raise SourceUnavailable("logs", "AccessDenied: logs:StartQuery", code="ACCESS_DENIED")

    ledger = MemoryLedger()
    box = toolbox(OneTool(logs("one line")), OneTool(refuse, name="query_traces", category=ToolCategory.TRACE), ledger=ledger)
    box.call("query_logs", {})
    box.call("query_traces", {})
    recorded = ledger.invocations(RUN_ID)
    assert [i.status for i in recorded] == [InvocationStatus.SUCCESS, InvocationStatus.FAILED]
    assert recorded[1].error_code == "ACCESS_DENIED"
    assert "logs:StartQuery" in (recorded[1].error_message or "")
    assert recorded[1].retrieval_details.evidence_status is EvidenceStatus.ERROR
    assert recorded[1].retrieval_details.evidence_refs == ()
    assert {i.run_id for i in recorded} == {RUN_ID}
    assert all(i.session_id and i.step_id == ids.step_id(RUN_ID, 1) for i in recorded)
    assert [i.invocation_id for i in recorded] == [ids.invocation_id(RUN_ID, 1, n) for n in (1, 2)]


def test_refs_are_the_raw_values_of_the_stored_output() -> None:
    # REQ-043, REQ-044
    ledger = MemoryLedger()
    call = toolbox(OneTool(logs("first line", "second line")), ledger=ledger).call("query_logs", {})
    found = {r.raw_path: r.text for r in call.invocation.retrieval_details.evidence_refs}
    assert found["$.logs[0]"] == "first line"
    assert found["$.logs[1]"] == "second line"
    assert call.invocation.retrieval_details.evidence_status is EvidenceStatus.SUPPORTED
    stored = ledger.output(call.invocation)
    assert stored is not None
    assert canonical.loads(stored) == call.output
    assert call.invocation.output is not None
    assert call.invocation.output.sha256 == canonical.sha256(stored)
    assert call.invocation.output_preview == stored.decode()[:500]


def test_empty_and_complete_is_no_evidence_with_one_ref() -> None:
    # REQ-045
    details = toolbox(OneTool(logs())).call("query_logs", {}).invocation.retrieval_details
    assert details.evidence_status is EvidenceStatus.NO_EVIDENCE
    assert [r.raw_path for r in details.evidence_refs] == [refs.NO_EVIDENCE]


@pytest.mark.parametrize(
    "fields",
    [
        {"complete": False},
        {"window": {"start": iso(NOW - timedelta(minutes=40)), "end": iso(NOW - timedelta(minutes=5) + timedelta(seconds=1))}},
    ],
)
def test_empty_but_incomplete_can_not_be_cited(fields: JsonObject) -> None:
    # REQ-046: data may still arrive, or the tool itself did not see all
    invocation = toolbox(OneTool(logs(**fields))).call("query_logs", {}).invocation
    assert invocation.retrieval_details.evidence_refs == ()
    assert invocation.retrieval_details.evidence_status is EvidenceStatus.NOT_APPLICABLE
    assert invocation.output is not None
    assert invocation.output.complete is False


def test_what_the_recorder_finds_incomplete_says_so_in_its_output() -> None:
    late = {"start": iso(NOW - timedelta(minutes=40)), "end": iso(NOW)}
    call = toolbox(OneTool(logs("a line", window=late))).call("query_logs", {})
    assert call.output["complete"] is False
    assert call.output["queried_at"] == iso(NOW)
    assert call.invocation.retrieval_details.evidence_status is EvidenceStatus.SUPPORTED


def test_secrets_leave_values_keys_and_parameters_but_numbers_stay() -> None:
    # REQ: redaction before storage
    ledger = MemoryLedger()
    tool = OneTool(
        lambda p, c: (
            logs("password=hunter2 for db")
            | {"password": 12345, "nested": [{"k": "password=hunter2 again"}], "by": {"maya@example.com": 4}, "pwd": "hunter2"}
        )
    )
    call = toolbox(tool, ledger=ledger).call("query_logs", {"service": "password=hunter2"})
    stored = (ledger.output(call.invocation) or b"").decode()
    everything = stored + json.dumps(call.invocation.to_json())
    assert "hunter2" not in everything
    assert "maya@" not in everything
    assert list(call.output["by"].values()) == [4]
    assert call.output["password"] == 12345
    placeholder = call.output["logs"][0].split("=")[1].split()[0]
    assert placeholder.startswith("<PASSWORD:")
    assert placeholder in call.output["nested"][0]["k"]
    assert placeholder in call.invocation.input_params["service"]


def test_the_same_call_is_executed_once_in_a_run() -> None:
    # REQ-207
    ledger, tool = MemoryLedger(), OneTool(logs("one line"))
    box = toolbox(tool, ledger=ledger)
    first, second = box.call("query_logs", {"service": "a", "limit": 10}), box.call("query_logs", {"limit": 10, "service": "a"})
    assert first is second
    assert box.call("query_logs", {"service": "a"}).invocation == first.invocation  # the default spelled out is the same input
    assert box.call("query_logs", {"service": "b"}).invocation != first.invocation
    assert first.invocation.input_params == {"service": "a", "limit": 10}  # what was meant, defaults and all
    assert tool.runs == 2
    assert len(ledger.invocations(RUN_ID)) == 2


def test_a_resumed_attempt_and_a_second_round_reuse_what_is_recorded() -> None:
    ledger, tool = MemoryLedger(), OneTool(logs("one line"))
    first = toolbox(tool, ledger=ledger).call("query_logs", {})
    resumed = toolbox(tool, ledger=ledger)
    again = resumed.call("query_logs", {})
    assert again.invocation == first.invocation
    assert again.output == first.output
    round_two = toolbox(tool, ledger=ledger, step_index=4, round_=2)
    assert round_two.call("query_logs", {}).invocation == first.invocation
    assert tool.runs == 1
    assert round_two.recorded() == (first,)


def test_the_run_file_saves_the_ledger_a_read() -> None:
    from superbiz.ports import RunFile

    ledger, tool = MemoryLedger(), OneTool(logs("one line"))
    first = toolbox(tool, ledger=ledger).call("query_logs", {})
    stored = ledger.output(first.invocation)
    assert stored is not None
    file = RunFile(
        record=None, steps={}, invocations=[first.invocation], outputs={first.invocation.invocation_id: stored}, artifacts={}, replies={}
    )  # type: ignore[arg-type]
    box = toolbox(tool, ledger=MemoryLedger(), file=file)
    assert box.call("query_logs", {}) == first
    assert tool.runs == 1


def test_two_attempts_at_once_meet_in_one_record() -> None:
    # both loaded an empty ledger; the slower one finds its number taken
    ledger, tool = MemoryLedger(), OneTool(logs("one line"))
    one, two = toolbox(tool, ledger=ledger), toolbox(tool, ledger=ledger)
    first = one.call("query_logs", {"service": "a"})
    assert two.call("query_logs", {"service": "a"}).invocation == first.invocation
    other = two.call("query_logs", {"service": "b"})
    assert other.invocation.seq == 2
    assert one.call("query_logs", {"service": "b"}).invocation == other.invocation
    assert [i.seq for i in ledger.invocations(RUN_ID)] == [1, 2]


def test_a_bug_in_a_tool_is_a_recorded_failure() -> None:
    def broken(params: Params, context: ToolContext) -> JsonObject:
        raise ZeroDivisionError("division by zero; token=abcdef0123456789abcd")

    invocation = toolbox(OneTool(broken)).call("query_logs", {}).invocation
    assert invocation.error_code == "TOOL_ERROR"
    assert "ZeroDivisionError" in (invocation.error_message or "")
    assert "abcdef0123456789abcd" not in (invocation.error_message or "")


@pytest.mark.parametrize(
    "answer", [{"logs": [float("nan")]}, {"logs": [{1: "key"}]}, {"window": {"start": "yesterday"}}, [], None, {"logs": object()}]
)
def test_an_answer_that_is_no_json_object_is_a_failure(answer: Any) -> None:
    invocation = toolbox(OneTool(lambda p, c: answer)).call("query_logs", {}).invocation
    assert invocation.status is InvocationStatus.FAILED


def test_a_lone_surrogate_does_not_cost_the_whole_result() -> None:
    call = toolbox(OneTool(logs("caf\udce9 is closed"))).call("query_logs", {"service": "caf\udce9"})
    assert call.output["logs"] == ["caf? is closed"]


@pytest.mark.parametrize("params", [{"limit": 0}, {"limit": "many"}, {"service": ["a"]}, ["not", "an", "object"], None])
def test_arguments_are_checked_by_schema_and_refused_on_record(params: Any) -> None:
    tool = OneTool(logs("one line"))
    call = toolbox(tool).call("query_logs", params)
    assert call.invocation.error_code == "INVALID_INPUT"
    assert tool.runs == 0


def test_an_unknown_tool_is_a_failed_call_that_is_no_evidence() -> None:
    call = toolbox(OneTool(logs("x"))).call("rm -rf", {})
    assert call.invocation.error_code == "UNKNOWN_TOOL"
    assert call.invocation.counts_for_evidence is False


def test_utility_calls_are_recorded_and_are_no_evidence() -> None:
    # REQ-038
    call = toolbox(OneTool({"now": iso(NOW)}, ToolCategory.UTILITY, "current_time")).call("current_time", {})
    assert call.invocation.counts_for_evidence is False
    assert call.invocation.retrieval_details.evidence_status is EvidenceStatus.NOT_APPLICABLE
    assert call.invocation.retrieval_details.evidence_refs == ()


def test_knowledge_hits_carry_their_level() -> None:
    # REQ-047
    hit = {"level": "L0", "document_id": "d", "chunk_id": "c", "heading": "h", "text": "t", "score": 1.0}
    tool = OneTool({"hits": [hit, hit | {"level": "L1", "score": 0.4}, "rubbish"]}, ToolCategory.KNOWLEDGE, "lookup_knowledge")
    match = toolbox(tool).call("lookup_knowledge", {}).invocation.retrieval_details.match
    assert (match.is_retrieval, match.l0_hits, match.l1_hits) == (True, 1, 1)
    assert match.hits[1].score == 0.4


def test_a_failed_lookup_is_still_a_retrieval() -> None:
    # requirements section 6, vector 11
    def down(params: Params, context: ToolContext) -> JsonObject:
        raise SourceUnavailable("knowledge", "no index")

    match = (
        toolbox(OneTool(down, ToolCategory.KNOWLEDGE, "lookup_knowledge")).call("lookup_knowledge", {}).invocation.retrieval_details.match
    )
    assert match.is_retrieval
    assert match.l0_hits == match.l1_hits == 0


def test_a_second_round_makes_only_so_many_new_calls() -> None:
    ledger, tool = MemoryLedger(), OneTool(logs("one line"))
    toolbox(tool, ledger=ledger).call("query_logs", {"service": "old"})
    limits = RetryLimits(max_new_tool_calls=2)
    box = toolbox(tool, ledger=ledger, step_index=4, round_=2, limit=limits)
    assert box.call("query_logs", {"service": "old"}).invocation.round == 1  # reuse is free
    assert [box.call("query_logs", {"service": s}).invocation.error_code for s in "abcd"] == [
        None,
        None,
        "TOOL_CALL_LIMIT",
        "TOOL_CALL_LIMIT",
    ]
    resumed = toolbox(tool, ledger=ledger, step_index=4, round_=2, limit=limits)
    assert resumed.call("query_logs", {"service": "e"}).invocation.error_code == "TOOL_CALL_LIMIT"
    assert tool.runs == 3


def test_a_runaway_caller_is_stopped() -> None:
    box = toolbox(OneTool(logs("one line")))
    for n in range(200):
        box.call("query_logs", {"service": str(n)})
    with pytest.raises(Invalid, match="200 tool calls"):
        box.call("query_logs", {"service": "one more"})
    assert box.call("query_logs", {"service": "7"}).invocation.seq == 8


def test_tools_are_described_with_their_schema() -> None:
    (described,) = toolbox(OneTool(logs())).describe()
    assert described["name"] == "query_logs"
    assert described["category"] == "LOG"
    assert described["input_schema"]["properties"]["limit"]["minimum"] == 1


def test_a_large_output_has_fifty_refs_and_a_short_preview() -> None:
    call = toolbox(OneTool(logs(*(f"line {n} " + "x" * 3_000 for n in range(500))))).call("query_logs", {})
    assert len(call.invocation.retrieval_details.evidence_refs) == 50
    assert max(len(r.text) for r in call.invocation.retrieval_details.evidence_refs) == 2_000
    assert len(call.invocation.output_preview) == 500
