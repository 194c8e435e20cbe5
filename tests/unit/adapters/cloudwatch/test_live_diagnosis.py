"""From an alarm in a live account to a report, with nothing in between but AWS's own answers."""

from superbiz import wiring
from superbiz.adapters.cloudwatch.session import Limits, Subject
from superbiz.adapters.cloudwatch.source import CloudWatchSource
from superbiz.domain import alarms, ids
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.runs import Flow, Run, RunRecord, RunRequest, Session
from superbiz.flow.running import run_in_process
from superbiz.settings import settings
from support import live_shop
from support.fake_account import DENIED, FakeAccount


def diagnosed(account: FakeAccount) -> RunRecord:
    notice = alarms.parse(live_shop.TRIGGER, stack_name="superbiz")
    assert isinstance(notice, AlarmNotice)
    source = CloudWatchSource(account.clients(), Subject.of_notice(notice), live_shop.NOW, Limits(workers=1), lambda: live_shop.NOW)
    ports = wiring.in_process(source, settings())
    run = Run(run_id=ids.new_run_id(), session_id=ids.new_session_id(), agent_flow=Flow.AI_OPS, alarm_name=notice.alarm_name,
              created_at=live_shop.NOW)  # fmt: skip
    request = RunRequest(query=alarms.summary(notice), trigger=live_shop.TRIGGER)
    ports.ledger.open_run(run, request, Session(session_id=run.session_id, last_active_at=run.created_at))
    run_in_process(run.run_id, ports, lambda _name, _ref: None)
    record = ports.ledger.record(run.run_id)
    assert record is not None
    return record


def test_a_throttled_table_behind_a_failing_function_is_the_cause() -> None:
    record = diagnosed(live_shop.account())
    assert record.report is not None
    cause = record.report["root_causes"][0]
    assert (cause["resource"], cause["fault_category"]) == ("orders", "CONFIGURATION")  # somebody lowered the table's capacity
    assert "UpdateTable" in (record.answer or "")


def test_what_the_role_may_not_read_is_in_the_report_by_its_action() -> None:
    answers = live_shop.answers() | {("logs", "StartQuery"): DENIED, ("xray", "GetTraceSummaries"): DENIED}
    record = diagnosed(FakeAccount(answers))
    assert record.report is not None
    reasons = " ".join(row["why"] for row in record.report["not_checked"])
    assert "AccessDenied: logs:StartQuery" in reasons
    assert "AccessDenied: xray:GetTraceSummaries" in reasons
    assert record.report["root_causes"][0]["resource"] == "orders"
