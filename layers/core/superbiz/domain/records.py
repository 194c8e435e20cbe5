"""How stored records change: the rules that every ledger keeps. The ledger decides *whether* a change is made, this says *what* it is."""

from datetime import datetime, timedelta
from typing import Protocol

from superbiz.domain.cases import Case, CaseEdit, CasePatch
from superbiz.domain.control import Control
from superbiz.domain.incidents import AlarmEvent, Episode
from superbiz.domain.runs import MessagePair, Run, Session, SessionStatus, Status, Step, StepStatus, Work
from superbiz.domain.values import UtcTime, Value, iso
from superbiz.errors import Broken

HISTORY_PAIRS = 6
HISTORY_LIFE = timedelta(days=7)
EVENT_LIFE = timedelta(days=90)
EPISODES_SHOWN = 50
EVENTS_SHOWN = 200
OPENED_BEFORE = "opened by this event"
EVALUATION_SOURCES = ("rule", "aiops")
# What the end of a run may set on its head; everything else there was settled when it was opened, or is not the run's to say.
FINISHED_FIELDS = ("verdict", "conclusion", "first_cause", "engine", "cost", "finished_at")
# Texts of the head in bytes, so that a head stays under 4 KB. The whole texts stand in the run's parts, steps and report.
HEAD_BYTES = {"title": 400, "alarm_name": 1_020, "first_cause": 600, "degraded": 300, "error": 900}


class History(Value):
    """A session's message bodies, oldest first, and when they are forgotten."""

    pairs: tuple[MessagePair, ...] = ()
    expires_at: UtcTime

    def alive(self, now: datetime) -> bool:
        return now < self.expires_at


class Recorded(Protocol):
    """Anything that belongs to a run."""

    @property
    def run_id(self) -> str: ...

    @property
    def session_id(self) -> str: ...


def require_ids(record: Recorded) -> None:
    """Run and session stand on every record of a run; a missing step is allowed (the link is weak in old data)."""
    if not (record.run_id and record.session_id):
        kind = type(record).__name__.lower()
        raise Broken(f"a {kind} without {'session' if record.run_id else 'run'} id can not be recorded", code="UNLINKED_RECORD")


def clip(text: str, limit: int) -> str:
    """The longest beginning that fits `limit` bytes of UTF-8, an ellipsis included."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[: limit - 3].decode("utf-8", "ignore") + "…"


def bounded(run: Run) -> Run:
    """The head with its texts cut to their bounds."""
    cut = {name: clip(text, limit) for name, limit in HEAD_BYTES.items() if (text := getattr(run, name))}
    return run.model_copy(update=cut)


def finished(stored: Run, run: Run) -> Run:
    """The head at its good end. The first reason for degrading stays."""
    settled = {name: getattr(run, name) for name in FINISHED_FIELDS}
    return bounded(
        stored.model_copy(update=settled | {"status": Status.SUCCESS, "work": Work.EVAL, "degraded": stored.degraded or run.degraded})
    )


def failed(stored: Run, error: str, at: datetime) -> Run:
    return bounded(stored.model_copy(update={"status": Status.FAILED, "work": Work.EVAL, "error": error, "finished_at": at}))


def visited(stored: Session | None, visit: Session) -> Session:
    """The directory entry when a run opens in the session."""
    if stored is None:
        return visit
    return stored.model_copy(update={"status": SessionStatus.ACTIVE, "last_active_at": visit.last_active_at})


def remembered(history: History | None, pair: MessagePair) -> History:
    """The history with this pair: the last six, for another seven days. What had expired is gone."""
    before = history.pairs if history and history.alive(pair.at) else ()
    return History(pairs=(*before, pair)[-HISTORY_PAIRS:], expires_at=pair.at + HISTORY_LIFE)


def after_turn(session: Session, history: History, pair: MessagePair) -> Session:
    changes = {
        "status": SessionStatus.ACTIVE,
        "message_pair_count": len(history.pairs),
        "last_active_at": pair.at,
        "expires_at": history.expires_at,
        "latest_terminal_run": pair.run_id,
    }
    return session.model_copy(update=changes)


def cleared(session: Session, now: datetime) -> Session:
    return session.model_copy(update={"status": SessionStatus.CLEARED, "message_pair_count": 0, "last_active_at": now, "expires_at": None})


def retaken(stored: Step, wanted: Step) -> Step:
    """The step as its next attempt takes it: from the start, under the attempt's number."""
    return wanted.model_copy(update={"attempt": stored.attempt + 1, "status": StepStatus.RUNNING})


def may_take(stored: Step, now: datetime) -> bool:
    """A failed step, or one whose lease has run out."""
    return stored.status is StepStatus.FAILED or stored.lease_until is None or stored.lease_until <= now


def edited(case: Case, patch: CasePatch, by: str, at: datetime) -> Case:
    """The case with the patch, and who changed what. A patch that changes nothing leaves no trace."""
    given = patch.model_dump(exclude_none=True)
    changed = {name: value for name, value in given.items() if value != getattr(case, name)}
    if not changed:
        return case
    return case.model_copy(update=changed | {"edits": (*case.edits, CaseEdit(by=by, at=at, fields=tuple(changed)))})


def kept_for(event: AlarmEvent) -> AlarmEvent:
    """The ledger row with its end: 90 days after it came, unless it names another."""
    return event if event.expires_at else event.model_copy(update={"expires_at": event.received_at + EVENT_LIFE})


def settled(stored: AlarmEvent, event: AlarmEvent) -> AlarmEvent:
    return stored.model_copy(update={"outcome": event.outcome, "reason": event.reason, "run_id": event.run_id})


def counted(episode: Episode, at: datetime, **changes: object) -> Episode:
    """The episode with one more event."""
    return episode.model_copy(update={"event_count": episode.event_count + 1, "last_event_at": at} | changes)


def open_since(episode: Episode) -> str:
    return f"the episode opened at {iso(episode.opened_at)} is still open"


def opened_because(had_episodes: bool) -> str:
    return "the last episode has been quiet for the cool-down" if had_episodes else "the first event of this incident"


def breaker_open(control: Control, now: datetime, threshold: int, open_for_seconds: float) -> datetime | None:
    """Until when the breaker is open after a failure that is counted already. The count goes on while it is open, so that one failed
    probe opens it again."""
    return now + timedelta(seconds=open_for_seconds) if control.failures >= threshold else None
