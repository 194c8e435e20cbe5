"""Runs in memory."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from superbiz.adapters.listing import key_time, wanted
from superbiz.adapters.memory.store import Group, locked, page, text_of
from superbiz.domain import canonical, records
from superbiz.domain.runs import Flow, MessagePair, Run, RunRecord, RunRequest, Session, Status, Work
from superbiz.domain.self_evaluation import assemble
from superbiz.domain.values import JsonObject
from superbiz.errors import Broken, Conflict, NotFound
from superbiz.ports import Page, RunFile, RunFilter


class MemoryRuns(Group):
    """`ports.RunLedger`."""

    @locked
    def open_run(self, run: Run, request: RunRequest, session: Session) -> Run:
        """First come, first kept."""
        records.require_ids(run)
        if (there := self._store.runs.get(run.run_id)) is not None:
            return there
        self._store.runs[run.run_id] = records.bounded(run)
        self._store.requests[run.run_id] = request
        self._store.sessions[session.session_id] = records.visited(self._store.sessions.get(session.session_id), session)
        return self._store.runs[run.run_id]

    @locked
    def run(self, run_id: str) -> Run | None:
        """The head."""
        return self._store.runs.get(run_id)

    @locked
    def record(self, run_id: str) -> RunRecord | None:
        """The head and its parts."""
        run = self._store.runs.get(run_id)
        if run is None:
            return None
        report = self._store.reports.get(run_id)
        nodes = {source: canonical.loads(text) for source, text in self._store.nodes.get(run_id, {}).items()}
        return RunRecord(
            run=run,
            request=self._store.requests[run_id],
            answer=self._store.answers.get(run_id),
            report=canonical.loads(report) if report else None,
            self_evaluation=assemble(nodes.get("rule"), nodes.get("verifier"), nodes.get("aiops")),
        )

    @locked
    def file(self, run_id: str) -> RunFile | None:
        """Everything of the run."""
        record = self.record(run_id)
        if record is None:
            return None
        invocations = [i for _, i in sorted(self._store.invocations.get(run_id, {}).items())]
        return RunFile(
            record=record,
            steps=dict(sorted(self._store.steps.get(run_id, {}).items())),
            invocations=invocations,
            outputs={i.invocation_id: self._store.outputs[i.invocation_id] for i in invocations if i.invocation_id in self._store.outputs},
            artifacts={index: canonical.loads(text) for index, text in self._store.artifacts.get(run_id, {}).items()},
            replies={place: canonical.loads(text) for place, text in self._store.replies.get(run_id, {}).items()},
        )

    @locked
    def note_degraded(self, run_id: str, reason: str) -> None:
        """The first reason stays."""
        run = self._store.runs.get(run_id)
        if run is not None and run.status is Status.RUNNING and not run.degraded:
            self._store.runs[run_id] = records.bounded(run.model_copy(update={"degraded": reason}))

    @locked
    def finish_run(self, run: Run, answer: str, report: JsonObject, verifier: JsonObject, pair: MessagePair) -> bool:
        """All or nothing, and once."""
        stored = self._store.runs.get(run.run_id)
        if stored is None or stored.status is not Status.RUNNING:
            return False
        report_text, verifier_text = text_of(report), text_of(verifier)
        history = records.remembered(self._store.histories.get(stored.session_id), pair)
        session = self._store.sessions.get(stored.session_id) or Session(session_id=stored.session_id, last_active_at=pair.at)
        self._store.runs[run.run_id] = records.finished(stored, run)
        self._store.answers[run.run_id] = answer
        self._store.reports[run.run_id] = report_text
        self._store.nodes[run.run_id]["verifier"] = verifier_text
        self._store.histories[stored.session_id] = history
        self._store.sessions[stored.session_id] = records.after_turn(session, history, pair)
        return True

    @locked
    def fail_run(self, run_id: str, error: str, at: datetime) -> bool:
        """Only a run that is under way can fail."""
        stored = self._store.runs.get(run_id)
        if stored is None or stored.status is not Status.RUNNING:
            return False
        self._store.runs[run_id] = records.failed(stored, error, at)
        session = self._store.sessions.get(stored.session_id) or Session(session_id=stored.session_id, last_active_at=at)
        self._store.sessions[stored.session_id] = session.model_copy(update={"latest_terminal_run": run_id, "last_active_at": at})
        return True

    @locked
    def put_evaluation(self, run_id: str, source: str, node: JsonObject) -> None:
        """Each source its own node."""
        if source not in records.EVALUATION_SOURCES:
            raise Broken(f"evaluation source {source!r} is none of {', '.join(records.EVALUATION_SOURCES)}", code="BAD_SOURCE")
        self._store.nodes[run_id][source] = text_of(node)

    @locked
    def put_evaluations(self, run_id: str, nodes: Mapping[str, JsonObject]) -> None:
        """All nodes, and the marker's end."""
        run = self._store.runs.get(run_id)
        if run is None:
            raise NotFound(f"no run {run_id}")
        if run.status is Status.RUNNING:
            raise Conflict(f"{run_id} is still running", code="STILL_RUNNING")
        for source, node in nodes.items():
            self.put_evaluation(run_id, source, node)
        self.work_done(run_id, Work.EVAL)

    @locked
    def work_done(self, run_id: str, work: Work) -> None:
        """Another marker stays."""
        run = self._store.runs.get(run_id)
        if run is not None and run.work is work:
            self._store.runs[run_id] = run.model_copy(update={"work": None})

    @locked
    def waiting(self, work: Work, before: datetime) -> Iterator[str]:
        """Longest waiting first."""
        owed = [(_since(run), run.run_id) for run in self._store.runs.values() if run.work is work and _since(run) < before]
        return iter([run_id for _, run_id in sorted(owed)])

    @locked
    def list_runs(self, filters: RunFilter, limit: int, cursor: str | None, month: str | None = None) -> Page[Run]:
        """Newest first."""
        found = [
            (_place(run), run)
            for run in self._store.runs.values()
            if wanted(run, filters) and (month is None or _place(run)[0].startswith(month))
        ]
        return page(found, f"runs|{filters!r}|{month}", limit, cursor)

    @locked
    def session_runs(self, session_id: str, limit: int, cursor: str | None) -> Page[Run]:
        """Newest first."""
        found = [(_place(run), run) for run in self._store.runs.values() if run.session_id == session_id]
        return page(found, f"session|{session_id}", limit, cursor)

    @locked
    def open_alarm_runs(self) -> int:
        """AI_OPS runs that still have to end."""
        return sum(run.agent_flow is Flow.AI_OPS and run.work is Work.OPEN for run in self._store.runs.values())


def _since(run: Run) -> datetime:
    return (run.finished_at or run.created_at) if run.work is Work.EVAL else run.created_at


def _place(run: Run) -> tuple[str, str]:
    return key_time(run.created_at), run.run_id
