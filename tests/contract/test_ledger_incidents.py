"""The alarm ledger, incidents and episodes: what every ledger does."""

from datetime import datetime, timedelta

import pytest

from superbiz.domain.ids import run_id_from
from superbiz.domain.incidents import AlarmEvent, AlarmState, Episode, Outcome
from superbiz.domain.runs import Flow, Work
from superbiz.ports import Admission, Ledger
from support.builders import NOW, build_alarm, build_request, build_run, build_session

INCIDENT = "fp-1"
QUIET = timedelta(minutes=30)


def an_event(n: int = 1, incident_id: str = INCIDENT, **fields: object) -> AlarmEvent:
    given = {
        "event_id": f"event-{n}",
        "delivery_id": f"message-{n}",
        "incident_id": incident_id,
        "alarm_name": "order-errors",
        "state": AlarmState.ALARM,
        "received_at": NOW + timedelta(minutes=n),
        "raw": {"detail": {"threshold": 5.0}},
    }
    return AlarmEvent.model_validate(given | fields)


def admit(ledger: Ledger, name: str, at: datetime = NOW, incident_id: str = INCIDENT) -> Admission:
    run_id, session_id = run_id_from(name), f"episode-{name}"
    run = build_run(run_id=run_id, session_id=session_id, agent_flow=Flow.AI_OPS, created_at=at, incident_id=incident_id)
    episode = Episode(
        incident_id=incident_id, opened_at=at, session_id=session_id, alarm_name="order-errors", last_event_at=at, run_id=run_id
    )
    return ledger.admit_alarm(episode, run, build_request(), build_session(session_id=session_id, last_active_at=at), at - QUIET)


def test_an_event_is_recorded_once_and_settled_once(ledger: Ledger) -> None:
    first = ledger.record_event(an_event())
    assert first.expires_at == first.received_at + timedelta(days=90)
    ledger.settle_event(first.model_copy(update={"outcome": Outcome.OPENED, "reason": "new", "run_id": "run-1"}))
    ledger.settle_event(first.model_copy(update={"outcome": Outcome.DEDUPED, "reason": "again"}))
    again = ledger.record_event(an_event(received_at=NOW + timedelta(hours=1)))
    assert (again.received_at, again.outcome, again.reason, again.run_id) == (first.received_at, Outcome.OPENED, "new", "run-1")
    assert again.raw == first.raw


def test_the_same_event_delivered_twice_is_two_rows(ledger: Ledger) -> None:
    ledger.record_event(an_event(1))
    ledger.record_event(an_event(1, delivery_id="message-2"))
    found = ledger.incident(INCIDENT)
    assert found is not None
    assert len(found.events) == 2


def test_settling_what_was_never_recorded_writes_nothing(ledger: Ledger) -> None:
    ledger.settle_event(an_event(outcome=Outcome.REJECTED))
    assert ledger.incident(INCIDENT) is None


def test_only_deferred_gives_way_to_another_outcome(ledger: Ledger) -> None:
    rows = [ledger.record_event(an_event(n, f"fp-{n}")) for n in (3, 1, 2)]
    for row in rows:
        ledger.settle_event(row.model_copy(update={"outcome": Outcome.DEFERRED, "reason": "paused"}))
    assert [e.event_id for e in ledger.deferred_events(10)] == ["event-1", "event-2", "event-3"]
    assert [e.event_id for e in ledger.deferred_events(2)] == ["event-1", "event-2"]
    ledger.settle_event(rows[1].model_copy(update={"outcome": Outcome.OPENED, "run_id": "run-1"}))
    ledger.settle_event(rows[1].model_copy(update={"outcome": Outcome.DEFERRED}))
    assert [e.event_id for e in ledger.deferred_events(10)] == ["event-2", "event-3"]
    assert ledger.record_event(rows[1]).outcome is Outcome.OPENED


def test_the_first_alarm_opens_an_episode_with_its_run_and_session(ledger: Ledger) -> None:
    admission = admit(ledger, "a")
    assert (admission.outcome, admission.run_id) == (Outcome.OPENED, run_id_from("a"))
    run = ledger.run(run_id_from("a"))
    assert run is not None
    assert (run.work, run.incident_id) == (Work.OPEN, INCIDENT)
    record = ledger.record(run.run_id)
    assert record is not None
    assert record.request == build_request()
    assert ledger.session("episode-a") is not None
    assert ledger.open_episode(INCIDENT, NOW - QUIET) == admission.episode
    assert [e.run_id for e in ledger.incidents(10, None).items] == [run.run_id]


def test_an_event_in_an_open_episode_joins_it(ledger: Ledger) -> None:
    admit(ledger, "a")
    joined = admit(ledger, "b", NOW + QUIET)
    assert (joined.outcome, joined.run_id) == (Outcome.DEDUPED, run_id_from("a"))
    assert joined.episode is not None
    assert (joined.episode.event_count, joined.episode.last_event_at) == (2, NOW + QUIET)
    assert ledger.run(run_id_from("b")) is None
    assert ledger.session("episode-b") is None
    third = admit(ledger, "c", NOW + 2 * QUIET)
    assert third.episode is not None
    assert (third.outcome, third.episode.event_count) == (Outcome.DEDUPED, 3)


def test_after_the_cool_down_an_event_opens_the_next_episode(ledger: Ledger) -> None:
    admit(ledger, "a")
    later = NOW + QUIET + timedelta(seconds=1)
    assert ledger.open_episode(INCIDENT, later - QUIET) is None
    second = admit(ledger, "b", later)
    assert (second.outcome, second.run_id) == (Outcome.OPENED, run_id_from("b"))
    found = ledger.incident(INCIDENT)
    assert found is not None
    assert [(e.run_id, e.event_count) for e in found.episodes] == [(run_id_from("b"), 1), (run_id_from("a"), 1)]


def test_the_event_that_opened_an_episode_opens_it_still_when_it_comes_again(ledger: Ledger) -> None:
    first = admit(ledger, "a")
    again = admit(ledger, "a", NOW + timedelta(minutes=1))
    assert (again.outcome, again.run_id, again.episode) == (Outcome.OPENED, first.run_id, first.episode)
    admit(ledger, "b", NOW + 2 * QUIET)
    late = admit(ledger, "a", NOW + 9 * QUIET)
    assert (late.outcome, late.run_id, late.episode) == (Outcome.OPENED, first.run_id, first.episode)
    found = ledger.incident(INCIDENT)
    assert found is not None
    assert [e.run_id for e in found.episodes] == [run_id_from("b"), run_id_from("a")]


def test_two_alarms_of_one_moment_are_one_episode(ledger: Ledger) -> None:
    admit(ledger, "a")
    admit(ledger, "b", NOW)
    found = ledger.incident(INCIDENT)
    assert found is not None
    assert [e.event_count for e in found.episodes] == [2]


def test_incidents_do_not_share_episodes(ledger: Ledger) -> None:
    assert admit(ledger, "a", incident_id="fp-1").outcome is Outcome.OPENED
    assert admit(ledger, "b", NOW + timedelta(minutes=1), incident_id="fp-2").outcome is Outcome.OPENED
    first = ledger.incidents(1, None)
    second = ledger.incidents(1, first.cursor)
    assert [e.incident_id for e in [*first.items, *second.items]] == ["fp-2", "fp-1"]
    assert second.cursor is None


@pytest.mark.parametrize("state", [AlarmState.OK, AlarmState.INSUFFICIENT_DATA])
def test_a_state_that_opens_nothing_is_noted_in_the_episode(ledger: Ledger, state: AlarmState) -> None:
    assert ledger.note_state(build_alarm(state=state), INCIDENT, NOW) is None
    assert ledger.incident(INCIDENT) is None
    admit(ledger, "a")
    noted = ledger.note_state(build_alarm(state=state), INCIDENT, NOW + timedelta(minutes=3))
    assert noted is not None
    assert (noted.state, noted.event_count, noted.last_event_at) == (state, 2, NOW + timedelta(minutes=3))
    assert ledger.open_episode(INCIDENT, NOW) == noted


def test_an_incident_shows_its_latest_events_first(ledger: Ledger) -> None:
    for n in (2, 1, 3):
        ledger.record_event(an_event(n))
    ledger.record_event(an_event(4, "fp-2"))
    found = ledger.incident(INCIDENT)
    assert found is not None
    assert [e.event_id for e in found.events] == ["event-3", "event-2", "event-1"]
    assert ledger.incident("unknown") is None


def test_an_event_of_any_shape_is_recorded(ledger: Ledger) -> None:
    odd = an_event(
        delivery_id="", event_id="id#with/any\nthing" * 200, incident_id="fp#" * 900, raw={"text": "x" * 200_000, "n": 1.50, "e": {}}
    )
    kept = ledger.record_event(odd)
    assert ledger.record_event(odd) == kept
    assert kept.raw == odd.raw
