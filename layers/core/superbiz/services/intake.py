"""The one place where alarms open runs. The ledger row comes first; then exactly one outcome is settled on it, so that
received = opened + deduped + suppressed + rejected + deferred (+ dead-lettered), whatever fails in between.
"""

import json
import math
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from superbiz.domain import alarms, ids
from superbiz.domain.incidents import AlarmEvent, AlarmNotice, AlarmState, Episode, Outcome
from superbiz.domain.runs import Flow, Run, RunRequest, Session
from superbiz.domain.values import JsonObject, iso
from superbiz.errors import Invalid
from superbiz.ports import Ports
from superbiz.services.asking import TITLE_CHARS
from superbiz.services.starting import start

# Clocks of senders may be off by this much.
CLOCK_SLACK = timedelta(minutes=10)
DEEPEST = 50
UNREADABLE_CHARS = 10_000


class Delivery(NamedTuple):
    """A message of the intake queue. Its id and the time it was sent are the same each time the queue hands it over."""

    delivery_id: str
    received_at: datetime
    body: str


class Settled(NamedTuple):
    """What becomes of an event, and why. `run_id` is the run that it opened or joined."""

    outcome: Outcome
    reason: str
    run_id: str | None = None


def take_in(delivery: Delivery, ports: Ports) -> tuple[AlarmEvent, ...]:
    """Record and settle each event of a message. A message that comes again meets its own rows and changes nothing twice."""
    events = alarms.unpack(readable(delivery.body))
    names = [delivery.delivery_id] if len(events) == 1 else [f"{delivery.delivery_id}.{n}" for n in range(len(events))]
    return tuple(_take_in_one(event, name, delivery.received_at, ports) for event, name in zip(events, names, strict=True))


def send(event: JsonObject, ports: Ports) -> AlarmNotice:
    """Hand an event to the intake by hand. Raises Invalid where it is no alarm's change."""
    notice = alarms.parse(event, stack_name=ports.settings.stack_name, received_at=ports.clock.now())
    if isinstance(notice, alarms.Dropped):
        raise Invalid(
            f"body: {notice.reason}", code="NO_ALARM", mend="send an EventBridge, SNS or Lambda action event of a CloudWatch alarm"
        )
    ports.queue.enqueue_alarm(event)
    return notice


def reconsider(row: AlarmEvent, ports: Ports) -> AlarmEvent:
    """Settle a deferred event, where that is possible now; otherwise it stays deferred."""
    settled = _judged(_parsed(row, ports), row, ports)
    return row if settled.outcome is Outcome.DEFERRED else _settle(row, settled, ports)


def readable(body: str) -> JsonObject:
    """The message's object, made storable: no lone surrogates, no NaN, no bottomless nesting. What is no object is kept as text."""
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        parsed = None
    return _storable(parsed, 0) if isinstance(parsed, dict) else {"text": _clean(body[:UNREADABLE_CHARS])}


def _take_in_one(event: JsonObject, delivery_id: str, received_at: datetime, ports: Ports) -> AlarmEvent:
    parsed = alarms.parse(event, stack_name=ports.settings.stack_name, received_at=received_at)
    row = ports.ledger.record_event(_row(parsed, event, delivery_id, received_at, ports))
    if row.outcome is not None:
        return row
    return _settle(row, _judged(parsed, row, ports), ports)


def _row(parsed: AlarmNotice | alarms.Dropped, event: JsonObject, delivery_id: str, received_at: datetime, ports: Ports) -> AlarmEvent:
    """The event as it came, but for secrets and personal data in its texts."""
    known: dict[str, Any]
    if isinstance(parsed, alarms.Dropped):
        known = {"incident_id": f"rejected-{received_at:%Y-%m-%d}", "alarm_name": parsed.alarm_name}
    else:
        known = {
            "incident_id": alarms.incident_id(parsed),
            "alarm_name": parsed.alarm_name,
            "state": parsed.state,
            "occurred_at": parsed.occurred_at,
        }
    row = AlarmEvent(event_id=parsed.event_id or delivery_id, delivery_id=delivery_id, received_at=received_at, raw={}, **known)
    clean = ports.redactor(_run_id(row)).text
    return row.model_copy(update={"raw": alarms.cleaned(event, clean)})


def _run_id(row: AlarmEvent) -> str:
    """Of the run that the event opens, if it opens one."""
    return ids.run_id_from("alarm", row.incident_id, row.row_id)


def _parsed(row: AlarmEvent, ports: Ports) -> AlarmNotice | alarms.Dropped:
    return alarms.parse(row.raw, stack_name=ports.settings.stack_name, received_at=row.received_at)


def _judged(parsed: AlarmNotice | alarms.Dropped, row: AlarmEvent, ports: Ports) -> Settled:
    """The rules in their order: what is no alarm, what opens nothing, what was seen, what has to wait; the rest is admitted."""
    if isinstance(parsed, alarms.Dropped):
        return Settled(Outcome.REJECTED, parsed.reason)
    if parsed.muted:
        return Settled(Outcome.SUPPRESSED, "the alarm's actions are muted")
    if parsed.state is not AlarmState.ALARM:
        ports.ledger.note_state(parsed, row.incident_id, ports.clock.now())
        return Settled(Outcome.SUPPRESSED, f"a change to {parsed.state} opens nothing")
    return _repeated(parsed, row, ports) or _held_back(row, ports) or _admitted(parsed, row, ports)


def _repeated(notice: AlarmNotice, row: AlarmEvent, ports: Ports) -> Settled | None:
    """An event that arrives long after it happened may be a repetition from within an episode that has ended since."""
    if row.received_at - notice.occurred_at <= _cooldown(ports):
        return None
    incident = ports.ledger.incident(row.incident_id)
    for episode in incident.episodes if incident else ():
        if episode.opened_at - CLOCK_SLACK <= notice.occurred_at <= episode.last_event_at + CLOCK_SLACK:
            return Settled(Outcome.DEDUPED, f"a late repetition from the episode of {iso(episode.opened_at)}", episode.run_id)
    return None


def _held_back(row: AlarmEvent, ports: Ports) -> Settled | None:
    """What would open a run waits while the intake is paused or the bound of open runs is reached."""
    if ports.ledger.control().intake_paused:
        return Settled(Outcome.DEFERRED, "the intake is paused")
    bound = ports.settings.max_open_runs
    if ports.ledger.open_alarm_runs() < bound or ports.ledger.open_episode(row.incident_id, ports.clock.now() - _cooldown(ports)):
        return None
    return Settled(Outcome.DEFERRED, f"{bound} alarm runs are under way")


def _admitted(notice: AlarmNotice, row: AlarmEvent, ports: Ports) -> Settled:
    """One conditional write decides whether this event opens an episode with its run, or joins the open one."""
    now = ports.clock.now()
    run_id = _run_id(row)
    session_id = f"episode-{ids.derived('episode', run_id)}"
    query = ports.redactor(run_id).text(alarms.summary(notice))
    run = Run(
        run_id=run_id,
        session_id=session_id,
        agent_flow=Flow.AI_OPS,
        title=query[:TITLE_CHARS],
        engine=ports.settings.engine,
        created_at=now,
        alarm_name=notice.alarm_name,
        incident_id=row.incident_id,
        episode=iso(now),
    )
    episode = Episode(
        incident_id=row.incident_id,
        opened_at=now,
        session_id=session_id,
        alarm_name=notice.alarm_name,
        alarm_arn=notice.alarm_arn,
        account=notice.account,
        region=notice.region,
        state=notice.state,
        last_event_at=now,
        run_id=run_id,
    )
    request = RunRequest(query=query, trigger=row.raw)
    session = Session(session_id=session_id, last_active_at=now)
    admission = ports.ledger.admit_alarm(episode, run, request, session, now - _cooldown(ports))
    if admission.outcome is Outcome.OPENED and admission.run_id:
        start(admission.run_id, ports)
    return Settled(admission.outcome, admission.reason, admission.run_id)


def _settle(row: AlarmEvent, settled: Settled, ports: Ports) -> AlarmEvent:
    done = row.model_copy(update={"outcome": settled.outcome, "reason": settled.reason, "run_id": settled.run_id})
    ports.ledger.settle_event(done)
    return done


def _cooldown(ports: Ports) -> timedelta:
    return timedelta(minutes=ports.settings.episode_cooldown_minutes)


def _storable(value: Any, depth: int) -> Any:
    if depth > DEEPEST:
        return None
    if isinstance(value, dict):
        return {_clean(key): _storable(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_storable(item, depth + 1) for item in value]
    if isinstance(value, str):
        return _clean(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
