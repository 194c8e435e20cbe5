"""The functions behind queues and schedule: alarms in, evaluations, sweeps."""

import json
from importlib import import_module
from typing import Any

import pytest

from superbiz.domain.incidents import Outcome
from superbiz.domain.runs import Status, Work
from superbiz.errors import Broken
from superbiz.ports import Ports
from support import alarm_events as events
from support.builders import RUN_ID
from support.recorded_runs import finished_run, open_run
from support.serving import Functions, clock_of, event, machine_of, queue_of


def batch(*bodies: Any) -> dict[str, Any]:
    """A batch of the intake queue, a message a body."""
    (record,) = event("alerts")["Records"]
    return {"Records": [record | {"messageId": f"m{n}", "body": b if isinstance(b, str) else json.dumps(b)} for n, b in enumerate(bodies)]}


def outcomes(ports: Ports) -> dict[str, Outcome | None]:
    return {row.row_id: row.outcome for row in ports.ledger._store.events.values()}  # type: ignore[attr-defined]


def test_the_alarms_own_action_only_hands_its_event_on(api: Functions, ports: Ports) -> None:
    api.invoke("alarm_action", event("alarm_action"))
    api.invoke("alarm_action", {"rub": "bish"})
    assert queue_of(ports).alarms == [event("alarm_action"), {"rub": "bish"}]
    assert outcomes(ports) == {}


def test_an_alarm_by_each_of_the_three_ways_opens_one_run(api: Functions, ports: Ports) -> None:
    ways = (events.eventbridge(), events.sns_envelope(), event("alarm_action"))
    assert api.invoke("alerts", batch(*ways)) == {"batchItemFailures": []}
    assert list(outcomes(ports).values()) == [Outcome.OPENED, Outcome.DEDUPED, Outcome.DEDUPED]
    assert len(machine_of(ports).executions) == 1


def test_the_arrival_is_the_queues_own_time(api: Functions, ports: Ports) -> None:
    api.invoke("alerts", event("alerts"))
    (row,) = ports.ledger._store.events.values()  # type: ignore[attr-defined]
    assert row.received_at.isoformat() == "2026-07-08T23:06:01+00:00"


def test_one_poison_message_in_ten_goes_back_and_nine_are_done_once(api: Functions, ports: Ports) -> None:
    settle = ports.ledger.settle_event

    def choke(row: Any) -> None:
        if row.alarm_name == "a3":
            raise Broken("can not be written")
        settle(row)

    ports.ledger.settle_event = choke  # type: ignore[method-assign]
    ten = batch(*(events.eventbridge(alarmName=f"a{n}") | {"resources": []} for n in range(10)))
    assert api.invoke("alerts", ten) == {"batchItemFailures": [{"itemIdentifier": "m3"}]}
    again = {"Records": [ten["Records"][3]]}
    assert api.invoke("alerts", again)["batchItemFailures"] == [{"itemIdentifier": "m3"}]
    ports.ledger.settle_event = settle  # type: ignore[method-assign]
    assert api.invoke("alerts", again) == {"batchItemFailures": []}
    assert list(outcomes(ports).values()) == [Outcome.OPENED] * 10
    assert len(machine_of(ports).executions) == 10


def test_rubbish_is_settled_and_does_not_come_again(api: Functions, ports: Ports) -> None:
    assert api.invoke("alerts", batch("hello world", {}, [], "\x00", "{")) == {"batchItemFailures": []}
    assert set(outcomes(ports).values()) == {Outcome.REJECTED}
    assert len(outcomes(ports)) == 5


def test_a_message_the_queue_never_writes_goes_back(api: Functions) -> None:
    assert api.invoke("alerts", {"Records": [{"messageId": "m", "body": "{}"}]}) == {"batchItemFailures": [{"itemIdentifier": "m"}]}


def test_alarms_are_counted_by_outcome(api: Functions, capsys: pytest.CaptureFixture[str]) -> None:
    api.invoke("alerts", batch(events.eventbridge(), events.sns_envelope(), events.configuration_change(), events.muted()))
    (metric,) = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line]
    counted = {name: sum(metric[name]) for name in metric if name.startswith("Alarms")}
    assert counted == {"AlarmsOpened": 1, "AlarmsDeduped": 1, "AlarmsRejected": 1, "AlarmsSuppressed": 1}


# The run's id in a line is the run that the line is about, and no earlier message's.
def test_a_message_without_a_run_is_not_logged_under_the_one_before(api: Functions) -> None:
    api.invoke("alerts", batch(events.eventbridge()))
    assert logged_about("alerts") == {"run_id", "incident_id"}
    api.invoke("alerts", batch(events.eventbridge(), "rubbish"))
    assert logged_about("alerts") == {"incident_id"}


def test_a_message_that_fails_is_not_logged_under_the_run_before(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    (record,) = event("evaluator")["Records"]
    api.invoke("evaluator", {"Records": [record]})
    assert logged_about("evaluator") == {"run_id"}
    api.invoke("evaluator", {"Records": [record, record | {"body": "rubbish"}]})
    assert logged_about("evaluator") == set()


def logged_about(function: str) -> set[str]:
    """What the last line named."""
    return set(import_module(function).TELEMETRY.log.get_current_keys()) & {"run_id", "incident_id"}


# REQ-036
def test_the_evaluator_evaluates_the_run_that_a_message_names(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    assert api.invoke("evaluator", event("evaluator")) == {"batchItemFailures": []}
    record = ports.ledger.record(RUN_ID)
    assert record is not None
    assert "rule_evaluation" in (record.self_evaluation or {})


# REQ-037
def test_an_evaluation_that_fails_comes_again_and_the_run_stays(api: Functions, ports: Ports) -> None:
    finished_run(ports)

    def broken(*_args: Any) -> None:
        raise Broken("no space")

    ports.ledger.put_evaluations = broken  # type: ignore[method-assign]
    assert len(api.invoke("evaluator", event("evaluator"))["batchItemFailures"]) == 1
    run = ports.ledger.run(RUN_ID)
    assert run is not None
    assert (run.status, run.work) == (Status.SUCCESS, Work.EVAL)
    assert api.call("GET", f"/api/trace/{RUN_ID}").status == 200


@pytest.mark.parametrize("body", ["", "rubbish", "{}", "[]", '{"run_id": "run-of-nobody"}'])
def test_a_message_that_names_no_run_changes_nothing(api: Functions, body: str) -> None:
    (record,) = event("evaluator")["Records"]
    reply = api.invoke("evaluator", {"Records": [record | {"body": body}]})
    assert len(reply["batchItemFailures"]) == (0 if "nobody" in body else 1)


def test_the_schedule_sweeps(api: Functions, ports: Ports) -> None:
    open_run(ports)
    clock_of(ports).advance(61)
    assert api.invoke("sweeper", event("sweeper"))["started"] == 1
    assert json.loads(json.dumps(api.invoke("sweeper", event("sweeper"))))["started"] == 0


def test_a_status_event_fails_the_run_that_it_names(api: Functions, ports: Ports) -> None:
    open_run(ports)
    assert api.invoke("sweeper", event("sweeper_execution_ended")) == {"run_id": RUN_ID, "failed": True}
    run = ports.ledger.run(RUN_ID)
    assert run is not None
    assert (run.status, run.error) == (Status.FAILED, "the execution ended TIMED_OUT")
    assert queue_of(ports).evaluations == [RUN_ID]
