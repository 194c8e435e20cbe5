"""`current_time`."""

from superbiz.domain.evidence import ToolCategory
from superbiz.tools import TOOLS
from support.incidents import Incident, run_tool, toolbox


def test_it_tells_the_incidents_clock_and_not_the_walls() -> None:
    assert run_tool("current_time", Incident()) == {"now": "2026-07-08T23:10:00Z"}


def test_it_is_recorded_and_is_no_evidence() -> None:  # REQ-038
    call = toolbox(Incident()).call("current_time", {}).invocation
    assert call.category is ToolCategory.UTILITY
    assert not call.counts_for_evidence
    assert not TOOLS["current_time"].category.counts_for_evidence
