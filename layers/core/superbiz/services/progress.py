"""A run as it happens: what is new since the last event, held back until there is something or the patience ends.

Event ids follow the order of writing (a step begins, its calls, it ends), so that a reader who comes back with the last id misses
nothing and sees nothing twice.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

from superbiz.domain.evidence import Invocation
from superbiz.domain.runs import Run, Status, Step, StepStatus
from superbiz.domain.values import JsonObject, iso
from superbiz.errors import Invalid, NotFound
from superbiz.ports import Ports

HOLD = timedelta(seconds=10)
POLL_SECONDS = 0.5
PREVIEW_CHARS = 200
_ID = re.compile(r"[0-9]{4}\.[0-9]{4}\Z")
BEGINNING, STEP_BEGAN, STEP_ENDED, DONE = "0000.0000", 0, 9999, "9999.0000"


class Happening(NamedTuple):
    """One event. `kind` is `step` (its status tells whether it began or ended), `invocation`, or `done`."""

    event_id: str
    kind: str
    data: JsonObject


def since(run_id: str, last_event_id: str | None, ports: Ports) -> Sequence[Happening] | None:
    """What happened after that event; empty where nothing did in ten seconds; None once the reader has seen the end."""
    last = _last(last_event_id)
    give_up = ports.clock.now() + HOLD
    while True:
        run = ports.ledger.run(run_id)
        if run is None:
            raise NotFound(f"no run {run_id}")
        if last >= DONE:
            return None
        new = [h for h in _recorded(run, ports) if h.event_id > last]
        if new or ports.clock.now() >= give_up:
            return new
        ports.clock.sleep(POLL_SECONDS)


def _last(given: str | None) -> str:
    if not given:
        return BEGINNING
    if not _ID.match(given):
        raise Invalid("Last-Event-ID: not the id of an event of this kind", code="BAD_EVENT_ID", mend="leave it out to begin at the start")
    return given


def _recorded(run: Run, ports: Ports) -> list[Happening]:
    """All events so far. The head was read first: a run that had ended then has all its records."""
    steps: list[Step] = []
    calls: list[Invocation] = []
    cursor = None
    while True:
        page = ports.ledger.trace(run.run_id, cursor)
        steps += page.steps
        calls += page.invocations
        cursor = page.cursor
        if cursor is None:
            break
    found = [*_of_steps(steps, run), *map(_of_call, calls)]
    return sorted(found + ([_end(run)] if run.status is not Status.RUNNING else []))


def _of_steps(steps: Sequence[Step], run: Run) -> Iterator[Happening]:
    """A failed step may be tried again while the run is under way: only its success, or the run's end, is an end."""
    for step in steps:
        about = {"step_index": step.step_index, "agent_name": step.agent_name, "round": step.round}
        began = {"status": StepStatus.RUNNING, "at": iso(step.started_at), "error": None}
        yield Happening(_id(step.step_index, STEP_BEGAN), "step", about | began)
        over = step.status is StepStatus.SUCCESS or (step.status is StepStatus.FAILED and run.status is not Status.RUNNING)
        if over:
            ended = {"status": step.status, "at": iso(step.finished_at) if step.finished_at else None, "error": step.error}
            yield Happening(_id(step.step_index, STEP_ENDED), "step", about | ended)


def _of_call(call: Invocation) -> Happening:
    return Happening(
        _id(call.step_index, call.seq),
        "invocation",
        {
            "step_index": call.step_index,
            "seq": call.seq,
            "invocation_id": call.invocation_id,
            "tool_name": call.tool_name,
            "category": call.category,
            "status": call.status,
            "evidence_status": call.retrieval_details.evidence_status,
            "preview": call.output_preview[:PREVIEW_CHARS],
            "error_code": call.error_code,
            "duration_ms": call.duration_ms,
            "at": iso(call.started_at),
        },
    )


def _end(run: Run) -> Happening:
    data = {
        "run_id": run.run_id,
        "status": run.status,
        "verdict": run.verdict,
        "conclusion": run.conclusion,
        "first_cause": run.first_cause,
        "degraded": run.degraded,
        "error": run.error,
    }
    return Happening(DONE, "done", data)


def _id(step_index: int, n: int) -> str:
    return f"{step_index:04d}.{n:04d}"
