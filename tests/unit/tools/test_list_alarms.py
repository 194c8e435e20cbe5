"""`list_alarms` over incidents in memory."""

from datetime import timedelta

import pytest

from superbiz.domain.evidence import ToolCategory
from superbiz.domain.observations import AlarmChange, AlarmListing, AlarmRow
from superbiz.ports import SourceUnavailable
from superbiz.tools import TOOLS
from support.builders import NOW
from support.incidents import Incident, run_tool

QUIET = AlarmRow(name="a-quiet", state="OK")
LOUD = AlarmRow(name="b-loud", state="ALARM", reason="x" * 2_000, metric="Errors", dimensions={"Service": "orders"}, updated=NOW)
CHANGE = AlarmChange(timestamp=NOW - timedelta(minutes=3), alarm="b-loud", from_="OK", to="ALARM")
LATER = AlarmChange(timestamp=NOW + timedelta(minutes=3), alarm="b-loud", from_="ALARM", to="OK")
LISTING = Incident(listing=AlarmListing(alarms=(QUIET, LOUD), history=(CHANGE, LATER)))


def test_alarms_in_alarm_come_first() -> None:
    found = run_tool("list_alarms", LISTING)["alarms"]
    assert [a["name"] for a in found] == ["b-loud", "a-quiet"]
    assert found[0]["since"] == "2026-07-08T23:10:00Z"
    assert found[0]["dimensions"] == {"Service": "orders"}
    assert len(found[0]["reason"]) == 300


def test_only_active_alarms_can_be_asked_for() -> None:
    assert [a["name"] for a in run_tool("list_alarms", LISTING, active_only=True)["alarms"]] == ["b-loud"]


def test_the_future_is_not_told() -> None:
    history = run_tool("list_alarms", LISTING)["history"]
    assert [(h["from"], h["to"]) for h in history] == [("OK", "ALARM")]


def test_no_alarms_is_an_empty_answer() -> None:
    found = run_tool("list_alarms", Incident(listing=AlarmListing()))
    assert found["alarms"] == found["history"] == []


def test_listing_alarms_is_no_reading_of_metrics() -> None:
    assert TOOLS["list_alarms"].category is ToolCategory.ALERT


def test_a_missing_source_is_unavailable() -> None:
    with pytest.raises(SourceUnavailable):
        run_tool("list_alarms", Incident())
