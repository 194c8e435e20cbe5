"""The intake keeps its books: received = opened + deduped + suppressed + rejected + deferred, whatever happens in between."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from superbiz.domain import alarms, ids
from superbiz.domain.incidents import AlarmEvent, AlarmNotice, Outcome
from superbiz.domain.runs import Flow
from superbiz.domain.values import iso
from superbiz.errors import Invalid, Unavailable
from superbiz.ports import Ports
from superbiz.services import intake, sweeping
from superbiz.services.intake import Delivery
from support import alarm_events as events
from support.builders import NOW
from support.serving import clock_of, machine_of, memory_ports, queue_of


@pytest.fixture
def ports() -> Ports:
    return memory_ports()


def incident_of(event: dict[str, Any]) -> str:
    notice = alarms.parse(event, stack_name="superbiz")
    assert isinstance(notice, AlarmNotice)
    return alarms.incident_id(notice)


def deliver(ports: Ports, event: Any, delivery_id: str = "m-1", at: datetime | None = None) -> AlarmEvent:
    body = event if isinstance(event, str) else json.dumps(event)
    (row,) = intake.take_in(Delivery(delivery_id, at or ports.clock.now(), body), ports)
    return row


def alarm(name: str = events.NAME, at: datetime = NOW, event_id: str | None = None) -> dict[str, Any]:
    event = events.eventbridge(alarmName=name, state={"value": "ALARM", "reason": events.REASON, "timestamp": iso(at)})
    arn = f"arn:aws:cloudwatch:{events.REGION}:{events.ACCOUNT}:alarm:{name}"
    return event | {"resources": [arn], "id": event_id or f"event-of-{name}"}


def rows(ports: Ports) -> list[AlarmEvent]:
    return list(ports.ledger._store.events.values())  # type: ignore[attr-defined]


def runs(ports: Ports) -> list[Any]:
    return list(ports.ledger._store.runs.values())  # type: ignore[attr-defined]


def test_an_alarms_event_is_stored_without_its_secrets_and_can_be_read_again(ports: Ports) -> None:
    def message(text: str) -> str:
        return json.dumps(alarm(event_id="e-1") | {"detail": alarm()["detail"] | {"note": text}})

    plain = alarm()
    plain["detail"]["state"]["reason"] = "Threshold crossed; password=hunter2hunter2 for maya@example.com"
    row = deliver(ports, plain)
    sns = deliver(ports, {"Type": "Notification", "MessageId": "m-9", "Message": message("token=abcdefgh12345678")}, "m-2")
    stored = json.dumps([row.raw, sns.raw]) + runs(ports)[0].title
    assert not [s for s in ("hunter2", "maya@", "abcdefgh12345678") if s in stored]
    again = alarms.parse(row.raw, stack_name="superbiz")
    assert isinstance(again, AlarmNotice)
    assert again.alarm_name == events.NAME
    assert alarms.incident_id(again) == row.incident_id
    assert json.loads(sns.raw["Message"])["detail"]["alarmName"] == events.NAME


# REQ-097, REQ-151, REQ-153
def test_an_alarm_opens_one_run_in_the_session_of_its_episode(ports: Ports) -> None:
    row = deliver(ports, alarm())
    assert (row.outcome, row.run_id is not None) == (Outcome.OPENED, True)
    record = ports.ledger.record(row.run_id or "")
    assert record is not None
    assert ids.RUN_ID.match(record.run.run_id)
    assert (record.run.agent_flow, record.run.alarm_name, record.run.incident_id) == (Flow.AI_OPS, events.NAME, row.incident_id)
    notice = alarms.parse(alarm(), stack_name="superbiz")
    assert isinstance(notice, AlarmNotice)
    assert record.request.query == alarms.summary(notice)
    assert record.request.trigger == alarm()
    incident = ports.ledger.incident(row.incident_id)
    assert incident is not None
    assert incident.episodes[0].session_id == record.run.session_id
    assert re.fullmatch(ids.SESSION_ID, record.run.session_id)
    assert machine_of(ports).describe(record.run.run_id)


def test_the_ledger_row_is_written_before_anything_is_decided(ports: Ports) -> None:
    class Stopped(Exception):
        pass

    def stop(*_args: Any) -> Any:
        raise Stopped

    ports.ledger.control = stop  # type: ignore[method-assign]
    with pytest.raises(Stopped):
        deliver(ports, alarm())
    (row,) = rows(ports)
    assert row.outcome is None
    assert runs(ports) == []


def test_only_a_change_to_alarm_opens_a_run(ports: Ports) -> None:
    told = {state: deliver(ports, events.changed_to(state), state) for state in ("OK", "INSUFFICIENT_DATA")}
    assert {row.outcome for row in told.values()} == {Outcome.SUPPRESSED}
    assert "OK" in told["OK"].reason
    assert runs(ports) == []


@pytest.mark.parametrize(
    ("event", "outcome"),
    [
        (events.configuration_change(), Outcome.REJECTED),
        ({"source": "aws.ec2", "detail-type": "x"}, Outcome.REJECTED),
        (events.eventbridge(alarmName="superbiz-errors"), Outcome.REJECTED),
        (events.muted(), Outcome.SUPPRESSED),
        ("hello world", Outcome.REJECTED),
        ("[1, 2]", Outcome.REJECTED),
        ('{"a": NaN}', Outcome.REJECTED),
        ("[" * 100_000, Outcome.REJECTED),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, Outcome.REJECTED),
        ("\ud800", Outcome.REJECTED),
        ("", Outcome.REJECTED),
    ],
)
def test_what_opens_nothing_is_counted_with_its_reason(ports: Ports, event: Any, outcome: Outcome) -> None:
    row = deliver(ports, event)
    assert row.outcome is outcome
    assert row.reason
    assert rows(ports) == [row]
    assert runs(ports) == []
    json.dumps(row.to_json(), ensure_ascii=False).encode("utf-8")


def test_rejected_events_of_a_day_can_be_looked_up(ports: Ports) -> None:
    deliver(ports, {"source": "aws.ec2"})
    incident = ports.ledger.incident("rejected-2026-07-08")
    assert incident is not None
    assert "aws.ec2" in incident.events[0].reason


def test_composite_contributor_and_metric_math_alarms_open_runs(ports: Ports) -> None:
    given = [events.composite(), events.contributor("a"), events.contributor("b"), events.metric_math()]
    outcomes = [deliver(ports, e | {"id": f"e{n}"}, f"m{n}").outcome for n, e in enumerate(given)]
    # The composite and the metric-math alarm bear one name here: one incident.
    assert outcomes == [Outcome.OPENED, Outcome.OPENED, Outcome.OPENED, Outcome.DEDUPED]


def test_each_event_in_one_message_is_settled_by_itself(ports: Ports) -> None:
    two = events.sns_records(events.sns_envelope(), events.sns_envelope(events.sns_message(AlarmName="other", AlarmArn=None)))
    settled = intake.take_in(Delivery("m", NOW, json.dumps(two)), ports)
    assert [row.outcome for row in settled] == [Outcome.OPENED, Outcome.OPENED]
    assert [row.row_id for row in settled] == ["m.0", "m.1"]


def test_a_duplicate_joins_the_open_episode_and_says_whose_run_it_is(ports: Ports) -> None:
    first, again = deliver(ports, alarm(), "m-1"), deliver(ports, alarm(), "m-2")
    assert (again.outcome, again.run_id) == (Outcome.DEDUPED, first.run_id)
    assert len(rows(ports)) == 2
    assert len(runs(ports)) == 1


def test_a_message_that_the_queue_hands_over_again_changes_nothing(ports: Ports) -> None:
    first = deliver(ports, alarm(), "m-1", NOW)
    clock_of(ports).advance(3_600)
    assert deliver(ports, alarm(), "m-1", NOW) == first
    assert len(rows(ports)) == len(runs(ports)) == 1


def test_after_the_cool_down_the_alarm_opens_a_new_episode(ports: Ports) -> None:
    first = deliver(ports, alarm(), "m-1")
    clock_of(ports).advance(31 * 60)
    again = deliver(ports, alarm(at=ports.clock.now()), "m-2")
    assert again.outcome is Outcome.OPENED
    assert again.run_id != first.run_id


def test_a_late_repetition_from_an_ended_episode_opens_nothing(ports: Ports) -> None:
    first = deliver(ports, alarm(), "m-1")
    clock_of(ports).advance(5 * 3_600)
    late = deliver(ports, alarm(), "m-2")
    assert (late.outcome, late.run_id) == (Outcome.DEDUPED, first.run_id)
    assert "late repetition" in late.reason


def test_an_old_alarm_that_nobody_has_seen_still_opens_a_run(ports: Ports) -> None:
    assert deliver(ports, alarm(at=NOW - timedelta(days=2))).outcome is Outcome.OPENED


def test_flapping_is_one_episode_with_every_change_counted(ports: Ports) -> None:
    for n in range(50):
        clock_of(ports).advance(12)
        event = alarm(at=ports.clock.now()) if n % 2 == 0 else events.changed_to("OK", at=iso(ports.clock.now()))
        deliver(ports, event, f"m{n}")
    incident = ports.ledger.incident(incident_of(alarm()))
    assert incident is not None
    (episode,) = incident.episodes
    assert (episode.event_count, len(incident.events), len(runs(ports))) == (50, 50, 1)


def test_a_paused_intake_keeps_its_alarms_and_opens_them_when_it_resumes(ports: Ports) -> None:
    ports.ledger.switch(intake_paused=True)
    row = deliver(ports, alarm())
    assert (row.outcome, runs(ports)) == (Outcome.DEFERRED, [])
    assert sweeping.sweep(ports).settled == 0
    ports.ledger.switch(intake_paused=False)
    assert sweeping.sweep(ports).settled == 1
    (settled,) = rows(ports)
    assert settled.outcome is Outcome.OPENED
    assert [run.run_id for run in runs(ports)] == [settled.run_id]
    assert sweeping.sweep(ports).settled == 0


def test_beyond_the_bound_alarms_wait_and_follow_as_runs_end() -> None:
    ports = memory_ports(max_open_runs=2)
    outcomes = [deliver(ports, alarm(f"a{n}"), f"m{n}").outcome for n in range(4)]
    assert outcomes == [Outcome.OPENED, Outcome.OPENED, Outcome.DEFERRED, Outcome.DEFERRED]
    assert deliver(ports, alarm("a0"), "again").outcome is Outcome.DEDUPED
    assert sweeping.sweep(ports).settled == 0
    ports.ledger.fail_run(runs(ports)[0].run_id, "over", ports.clock.now())
    assert sweeping.sweep(ports).settled == 1
    assert Counter(row.outcome for row in rows(ports)) == {Outcome.OPENED: 3, Outcome.DEDUPED: 1, Outcome.DEFERRED: 1}
    assert [row.alarm_name for row in rows(ports) if row.outcome is Outcome.DEFERRED] == ["a3"]


def test_a_storm_is_bounded_and_nothing_is_lost() -> None:
    ports = memory_ports(max_open_runs=15)
    storm = [(alarm(f"alarm-{n % 20}", event_id=f"e{n}"), f"m{n}.{copy}") for n in range(1_000) for copy in range(3)]
    random.Random(7).shuffle(storm)
    for event, delivery_id in storm:
        deliver(ports, event, delivery_id)
    books = Counter(row.outcome for row in rows(ports))
    assert len(rows(ports)) == sum(books.values()) == 3_000
    assert books[Outcome.OPENED] == len(runs(ports)) == 15
    assert books[None] == 0
    for run in runs(ports):
        ports.ledger.fail_run(run.run_id, "over", ports.clock.now())
    while sweeping.sweep(ports).settled:
        pass
    books = Counter(row.outcome for row in rows(ports))
    assert books == {Outcome.OPENED: 20, Outcome.DEDUPED: 2_980}
    assert len({run.incident_id for run in runs(ports)}) == 20


def test_duplicates_at_once_open_one_run(ports: Ports) -> None:
    with ThreadPoolExecutor(16) as pool:
        settled = list(pool.map(lambda n: deliver(ports, alarm(), f"m{n}"), range(200)))
    assert Counter(row.outcome for row in settled) == {Outcome.OPENED: 1, Outcome.DEDUPED: 199}
    assert len(runs(ports)) == 1
    assert {row.run_id for row in settled} == {runs(ports)[0].run_id}


class Killed(BaseException):
    """The process is gone: nothing catches it."""


def killed_after(ports: Ports, writes: int) -> Ports:
    """Ports whose ledger and machine die after so many writes, on the way back."""
    left = [writes]

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **kwargs: Any) -> Any:
            made = call(*args, **kwargs)
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            return made

        return step

    class Dying:
        def __init__(self, inner: Any, names: tuple[str, ...]) -> None:
            self._inner, self._names = inner, names

        def __getattr__(self, name: str) -> Any:
            found = getattr(self._inner, name)
            return dying(found) if name in self._names else found

    ledger: Any = Dying(ports.ledger, ("record_event", "admit_alarm", "settle_event"))
    machine: Any = Dying(ports.machine, ("start",))
    return replace(ports, ledger=ledger, machine=machine)


@pytest.mark.parametrize("writes", range(4))
def test_a_kill_between_any_two_writes_is_made_good_by_the_next_hand_over(ports: Ports, writes: int) -> None:
    with pytest.raises(Killed):
        deliver(killed_after(ports, writes), alarm(), "m-1", NOW)
    row = deliver(ports, alarm(), "m-1", NOW)
    assert row.outcome is Outcome.OPENED
    assert len(rows(ports)) == 1
    (run,) = runs(ports)
    assert run.run_id == row.run_id
    assert machine_of(ports).describe(run.run_id)


def test_a_kill_before_the_start_is_made_good_by_the_sweeper_alone(ports: Ports) -> None:
    with pytest.raises(Killed):
        deliver(killed_after(ports, 1), alarm(), "m-1", NOW)
    (run,) = runs(ports)
    assert machine_of(ports).describe(run.run_id) is None
    clock_of(ports).advance(61)
    assert sweeping.sweep(ports).started == 1
    assert machine_of(ports).describe(run.run_id)


def test_a_machine_that_does_not_answer_does_not_lose_the_alarm(ports: Ports) -> None:
    machine_of(ports).failure = Unavailable("throttled")
    assert deliver(ports, alarm()).outcome is Outcome.OPENED
    machine_of(ports).failure = None
    clock_of(ports).advance(61)
    assert sweeping.sweep(ports).started == 1


def test_an_event_sent_by_hand_goes_to_the_queue_and_rubbish_is_refused(ports: Ports) -> None:
    assert intake.send(alarm(), ports).alarm_name == events.NAME
    assert queue_of(ports).alarms == [alarm()]
    with pytest.raises(Invalid, match="configuration"):
        intake.send(events.configuration_change(), ports)
    assert len(queue_of(ports).alarms) == 1
