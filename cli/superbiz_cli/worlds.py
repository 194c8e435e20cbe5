"""From a recorded world to a diagnosed run, in this process."""

from pathlib import Path
from typing import Any, NamedTuple

from superbiz import wiring
from superbiz.adapters.snapshot import SnapshotSource
from superbiz.adapters.snapshot.files import Watch, unwatched
from superbiz.domain import alarms, ids
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.runs import EngineName, Flow, Run, RunRecord, RunRequest, Session
from superbiz.errors import Broken, Invalid
from superbiz.flow.running import Watcher, run_in_process
from superbiz.ports import Ports, RunFile
from superbiz.services import evaluating
from superbiz.settings import settings


class Diagnosis(NamedTuple):
    """A finished run: its record, and the file with every call and output."""

    record: RunRecord
    file: RunFile
    ports: Ports


def diagnose(
    folder: Path, engine: EngineName = EngineName.OFFLINE, watch: Watcher = lambda _name, _ref: None, reading: Watch = unwatched
) -> Diagnosis:
    """Run the whole chain over a world. Raises Invalid where the world is broken, naming file and line. `watch` is told each step that
    begins, `reading` how far its files are read."""
    source = SnapshotSource(folder, reading)
    source.check()
    ports = wiring.in_process(source, settings())
    run, request = opened(source, engine, ports)
    ports.ledger.open_run(run, request, Session(session_id=run.session_id, last_active_at=run.created_at))
    run_in_process(run.run_id, ports, watch)
    evaluating.evaluate(run.run_id, ports)
    record, file = ports.ledger.record(run.run_id), ports.ledger.file(run.run_id)
    if record is None or file is None:
        raise Broken(f"run {run.run_id} left no record")
    return Diagnosis(record, file, ports)


def opened(source: SnapshotSource, engine: EngineName, ports: Ports) -> tuple[Run, RunRequest]:
    """The run that a world's trigger or question starts."""
    world = source.world
    run_id = ids.new_run_id()
    clean = ports.redactor(run_id).text
    query, trigger, alarm = _asked(world.trigger, world.question, ports.settings.stack_name)
    query = clean(query)
    run = Run(
        run_id=run_id,
        session_id=ids.new_session_id(),
        agent_flow=Flow.AI_OPS if trigger else Flow.CHAT,
        title=query[:100],
        engine=engine,
        alarm_name=alarm.alarm_name if alarm else None,
        created_at=ports.clock.now(),
    )
    return run, RunRequest(query=query, trigger=alarms.cleaned(trigger, clean) if trigger else None)


def _asked(trigger: dict[str, Any] | None, question: str | None, stack_name: str) -> tuple[str, dict[str, Any] | None, AlarmNotice | None]:
    if trigger is not None:
        notice = alarms.parse(trigger, stack_name=stack_name)
        if isinstance(notice, AlarmNotice):
            return alarms.summary(notice), trigger, notice
    if question:
        return question, None, None
    if trigger is not None:
        return f"An alert arrived: {str(trigger)[:1_500]}", trigger, None
    raise Invalid("the world has neither trigger.json nor question.json", mend="add one: a run starts from an event or from a question")
