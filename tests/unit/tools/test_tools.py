"""All tools: named as agreed, lazy to load, and never silent about what they could not read."""

import subprocess
import sys
from pathlib import Path

import pytest

import superbiz
from superbiz.domain.evidence import EvidenceStatus, InvocationStatus, ToolCategory
from superbiz.domain.observations import AlarmListing
from superbiz.domain.values import JsonObject
from superbiz.tools import TOOLS
from support.incidents import Incident, toolbox

CATEGORIES = {
    "lookup_knowledge": ToolCategory.KNOWLEDGE,
    "query_logs": ToolCategory.LOG,
    "query_metrics": ToolCategory.METRIC,
    "rank_suspects": ToolCategory.METRIC,
    "query_traces": ToolCategory.TRACE,
    "list_alarms": ToolCategory.ALERT,
    "list_changes": ToolCategory.CHANGE,
    "read_insights": ToolCategory.METRIC,
    "current_time": ToolCategory.UTILITY,
}
READING: dict[str, JsonObject] = {
    "query_logs": {},
    "query_metrics": {},
    "rank_suspects": {"metric": "Latency"},
    "query_traces": {},
    "list_alarms": {},
    "list_changes": {},
    "read_insights": {},
}
EMPTY = Incident(
    series=[],
    normal_series=[],
    lines=[],
    normal_lines=[],
    spans=[],
    normal_spans=[],
    services=[],
    listing=AlarmListing(),
    events=[],
    documents={"performance_insights": {"top_waits": []}},
)


def test_the_tools_are_those_that_were_agreed() -> None:
    assert {name: tool.category for name, tool in TOOLS.items()} == CATEGORIES
    assert all(tool.name == name and tool.description for name, tool in TOOLS.items())


@pytest.mark.parametrize("name", READING)
def test_an_empty_source_is_no_evidence_and_only_that(name: str) -> None:  # REQ-045
    call = toolbox(EMPTY).call(name, READING[name]).invocation
    assert call.status is InvocationStatus.SUCCESS
    assert call.retrieval_details.evidence_status is EvidenceStatus.NO_EVIDENCE


@pytest.mark.parametrize("name", READING)
def test_a_source_that_is_not_there_is_a_failure_and_never_no_evidence(name: str) -> None:
    call = toolbox(Incident()).call(name, READING[name]).invocation
    assert call.status is InvocationStatus.FAILED
    assert call.error_code == "SOURCE_UNAVAILABLE"
    assert call.retrieval_details.evidence_status is EvidenceStatus.ERROR


@pytest.mark.parametrize("name", READING)
def test_inputs_beyond_their_bounds_are_refused(name: str) -> None:
    call = toolbox(EMPTY).call(name, READING[name] | {"top": 10_000}).invocation
    assert call.error_code == "INVALID_INPUT"


def test_recording_a_call_does_not_load_the_tools() -> None:
    """What only records or lists calls has no use for numpy."""
    code = "import sys, superbiz.tools.recorder; sys.exit('numpy' in sys.modules)"
    root = Path(superbiz.__file__).parent.parent
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(root)}, check=False).returncode == 0
