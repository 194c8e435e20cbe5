"""Asking, waiting, forgetting, and alarms by hand."""

import pytest

from superbiz.domain import ids
from superbiz.errors import Unavailable
from superbiz.ports import Ports
from support import alarm_events as events
from support.builders import RUN_ID, SESSION_ID
from support.recorded_runs import ANSWER, finish, finished_run
from support.serving import Functions, clock_of, event, machine_of, queue_of


# REQ-107, REQ-151: the answer exposes the run's id.
def test_a_question_is_accepted_with_its_ids_and_links(api: Functions) -> None:
    answer = api.ask("chat", event("chat"))
    assert answer.status == 202
    run_id = answer.body["runId"]
    assert ids.RUN_ID.match(run_id)
    assert answer.body == {
        "sessionId": "session-1",
        "runId": run_id,
        "status": "RUNNING",
        "links": {
            "run": f"/api/runs/{run_id}",
            "events": f"/api/runs/{run_id}/events",
            "trace": f"/api/trace/{run_id}",
            "session": "/api/sessions/session-1",
        },
    }
    assert answer.headers["location"] == f"/api/runs/{run_id}"


def test_a_question_without_a_session_begins_one(api: Functions) -> None:
    first, second = (api.call("POST", "/api/chat", {"Question": "q"}).body["sessionId"] for _ in range(2))
    assert first != second
    assert api.call("GET", f"/api/sessions/{first}").status == 200


def test_waiting_answers_with_the_run_when_it_ends_in_time(api: Functions, ports: Ports) -> None:
    start = ports.machine.start

    def run_at_once(run_id: str) -> None:
        start(run_id)
        finish(ports, ports.ledger.run(run_id))  # type: ignore[arg-type]

    ports.machine.start = run_at_once  # type: ignore[method-assign]
    answer = api.call("POST", "/api/chat", {"question": "q"}, query={"wait": "5"})
    assert (answer.status, answer.body["status"], answer.body["answer"]) == (200, "SUCCESS", ANSWER)


def test_waiting_in_vain_is_accepted_like_any_question(api: Functions, ports: Ports) -> None:
    answer = api.call("POST", "/api/chat", {"question": "q"}, query={"wait": "25"})
    assert (answer.status, answer.body["status"]) == (202, "RUNNING")
    assert 25 <= clock_of(ports).slept <= 26


@pytest.mark.parametrize("wait", ["0", "26", "-1", "x", "1.5", ""])
def test_a_wait_out_of_its_bounds_is_refused_and_opens_nothing(api: Functions, ports: Ports, wait: str) -> None:
    assert api.call("POST", "/api/chat", {"question": "q"}, query={"wait": wait}).status == 400
    assert machine_of(ports).executions == {}


def test_a_machine_that_does_not_answer_does_not_lose_the_question(api: Functions, ports: Ports) -> None:
    machine_of(ports).failure = Unavailable("throttled")
    assert api.call("POST", "/api/chat", {"question": "q"}).status == 202


# REQ-143: the pair count is 0 after clearing.
def test_clearing_forgets_the_history_and_keeps_the_runs(api: Functions, ports: Ports) -> None:
    finished_run(ports)
    assert api.call("GET", f"/api/sessions/{SESSION_ID}").body["messagePairCount"] == 1
    cleared = api.call("POST", "/api/chat/clear", {"Id": SESSION_ID})
    assert (cleared.status, cleared.body["messagePairCount"], cleared.body["status"]) == (200, 0, "CLEARED")
    assert ports.ledger.history(SESSION_ID, ports.clock.now()) == ()
    assert api.call("GET", f"/api/sessions/{SESSION_ID}/runs").body["items"][0]["runId"] == RUN_ID
    assert api.call("POST", "/api/chat/clear", {"sessionId": "nobody"}).status == 404
    assert api.call("POST", "/api/chat/clear", {"sessionId": "no body"}).status == 400


def test_an_alarms_event_by_hand_goes_to_the_intake(api: Functions, ports: Ports) -> None:
    for given in (events.eventbridge(), events.sns_envelope(), events.lambda_action()):
        answer = api.call("POST", "/api/alarms", given)
        assert (answer.status, answer.body["alarmName"], answer.body["state"]) == (202, events.NAME, "ALARM")
    assert len(queue_of(ports).alarms) == 3
    refused = api.call("POST", "/api/alarms", events.configuration_change())
    assert (refused.status, refused.body["code"]) == (400, "NO_ALARM")
    assert "configuration" in refused.body["detail"]
