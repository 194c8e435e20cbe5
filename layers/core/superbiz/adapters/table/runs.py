"""Runs in the table."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime

from superbiz.adapters import cursors
from superbiz.adapters.listing import key_time, wanted
from superbiz.adapters.table import keys
from superbiz.adapters.table.base import sort_key, start_after
from superbiz.adapters.table.gateway import (
    Collision,
    ConditionFailed,
    Put,
    Refused,
    Update,
    Write,
    absent,
    attribute,
    is_running,
    keyed,
    portions,
    present,
    removing,
    setting,
)
from superbiz.adapters.table.mapping import Item
from superbiz.adapters.table.partition import Partition
from superbiz.adapters.table.sessions import TableSessions
from superbiz.domain import records
from superbiz.domain.runs import Feedback, Flow, MessagePair, Run, RunRecord, RunRequest, Session, Status, Work
from superbiz.domain.values import JsonObject
from superbiz.errors import Broken, Conflict, NotFound
from superbiz.ports import Page, RunFile, RunFilter

# How many heads one page of the run list looks at before it answers with what it has and a cursor.
EXAMINED = 4_000
FILTERED_AT_ONCE = 500
BAD_AT_ONCE = 100


class TableRuns(TableSessions):
    """`ports.RunLedger`."""

    def open_run(self, run: Run, request: RunRequest, session: Session) -> Run:
        """One transaction; a run that is there stays as it is."""
        try:
            self._table.transact(self._opening(run, request, session))
        except Refused:
            there = self.run(run.run_id)
            if there is None:
                raise Broken(f"{run.run_id} was refused and is not there", code="LOST_ITEM") from None
            return there
        return records.bounded(run)

    def run(self, run_id: str) -> Run | None:
        """The head."""
        item = self._table.get(keys.run(run_id))
        return self._map.value(Run, item) if item else None

    def record(self, run_id: str) -> RunRecord | None:
        """One Query: everything whose sort key begins with META."""
        return Partition(self._table.walk(keys.run(run_id).pk, attribute("SK").startswith(keys.META)), self._map).record()

    def file(self, run_id: str) -> RunFile | None:
        """The whole partition."""
        return Partition(self._table.walk(keys.run(run_id).pk), self._map).file()

    def note_degraded(self, run_id: str, reason: str) -> None:
        """The first reason stays."""
        attributes = {"degraded": self._map.text(records.clip(reason, records.HEAD_BYTES["degraded"]))}
        try:
            self._table.update(keys.run(run_id), setting(attributes), is_running() & attribute("degraded").does_not_exist())
        except ConditionFailed:
            return

    def finish_run(self, run: Run, answer: str, report: JsonObject, verifier: JsonObject, pair: MessagePair) -> bool:
        """One transaction; repeated only where another turn of the session got ahead with the history."""
        parts = [
            Put(keyed(keys.run_part(run.run_id, "ANSWER"), {"text": self._map.text(answer)})),
            Put(self._holding(keys.run_part(run.run_id, "REPORT"), report)),
            Put(self._holding(keys.run_part(run.run_id, "EVAL#verifier"), verifier)),
        ]
        if run.agent_flow is Flow.AI_OPS:  # an episode's session has one run as a rule: its history is worth a guess
            with suppress(Collision):
                return self._finish(run, parts, self._remembering(run.session_id, None, pair))
        return self._table.repeated(
            lambda: self._finish(run, parts, self._remembering(run.session_id, self._history(run.session_id), pair))
        )

    def fail_run(self, run_id: str, error: str, at: datetime) -> bool:
        """The head says which session has to know."""
        stored = self.run(run_id)
        if stored is None or stored.status is not Status.RUNNING:
            return False
        failed = records.failed(stored, error, at)
        try:
            self._table.transact([self._ending(failed, ("error", "finished_at")), self._turned(failed.session_id, run_id, at)])
        except Refused:
            return False
        return True

    def put_evaluation(self, run_id: str, source: str, node: JsonObject) -> None:
        """An item of its own."""
        self._table.put(self._node(run_id, source, node))

    def put_evaluations(self, run_id: str, nodes: Mapping[str, JsonObject]) -> None:
        """One transaction: the nodes, and the marker off."""
        evaluated = ~is_running() & (attribute("work").does_not_exist() | (attribute("work") == {"S": Work.EVAL}))
        marker = Update(keys.run(run_id), removing("work", "GSI2PK", "GSI2SK"), present() & evaluated)
        try:
            self._table.transact([marker, *(Put(self._node(run_id, source, node)) for source, node in nodes.items())])
        except Refused:
            if self.run(run_id) is None:
                raise NotFound(f"no run {run_id}") from None
            raise Conflict(f"{run_id} is still running", code="STILL_RUNNING") from None

    def work_done(self, run_id: str, work: Work) -> None:
        """Another marker stays."""
        try:
            self._table.update(keys.run(run_id), removing("work", "GSI2PK", "GSI2SK"), attribute("work") == {"S": work})
        except ConditionFailed:
            return

    def waiting(self, work: Work, before: datetime) -> Iterator[str]:
        """Longest waiting first."""
        earlier = attribute("GSI2SK") < {"S": key_time(before)}
        for entry in self._table.walk(keys.work_pk(work), earlier, index="GSI2"):
            yield keys.run_id_of(entry["PK"]["S"])

    def open_alarm_runs(self) -> int:
        """By the sparse index: it may be a moment behind."""
        entries = self._table.walk(keys.work_pk(Work.OPEN), index="GSI2")
        return sum(f"#{Flow.AI_OPS}#" in entry["GSI2SK"]["S"] for entry in entries)

    def session_runs(self, session_id: str, limit: int, cursor: str | None) -> Page[Run]:
        """Newest first."""
        found = self._page(keys.runs_of_session(session_id), limit, cursor)
        return Page([self._map.value(Run, item) for item in found.items], found.cursor)

    def list_runs(self, filters: RunFilter, limit: int, cursor: str | None, month: str | None = None) -> Page[Run]:
        """Newest first. A page looks at a bounded number of heads; it may be short, and then has a cursor."""
        list_scope = f"runs|{filters!r}|{month}"
        after = cursors.decode(list_scope, cursor, parts=1)[0] if cursor is not None else None
        bad_only = filters.feedback == Feedback.NOT_USEFUL
        shown: list[tuple[str, Run]] = []
        limit = max(1, limit)
        ask = limit + 1 if filters == RunFilter() else FILTERED_AT_ONCE
        heads = self._bad_cases(after, month) if bad_only else self._by_month(after, month, ask)
        for n, (place, run) in enumerate(heads, start=1):
            if wanted(run, filters):
                if len(shown) == limit:
                    return Page([run for _, run in shown], cursors.encode(list_scope, shown[-1][0]))
                shown.append((place, run))
            if n == EXAMINED:
                return Page([run for _, run in shown], cursors.encode(list_scope, place))
        return Page([run for _, run in shown], None)

    def _opening(self, run: Run, request: RunRequest, session: Session) -> list[Write]:
        """Head first, so that its refusal is at position 0."""
        records.require_ids(run)
        self._note_month(run.created_at)
        head = keyed(keys.run(run.run_id), self._map.item(records.bounded(run)), keys.run_indexes(run))
        return [
            Put(head, absent()),
            Put(keyed(keys.run_part(run.run_id, "REQUEST"), self._map.item(request))),
            self._visiting(session),
        ]

    def _finish(self, run: Run, parts: list[Put], turn: tuple[Update, Put]) -> bool:
        head = self._ending(records.finished(run, run), records.FINISHED_FIELDS)
        try:
            self._table.transact([head, *parts, *turn])
        except Refused as e:
            if 0 in e.positions:
                return False
            raise Collision("another turn of the session got ahead") from e
        return True

    def _ending(self, run: Run, fields: tuple[str, ...]) -> Update:
        """The head's last step: only from RUNNING. The first reason for degrading stays."""
        item = self._map.item(run)
        changes = {name: item[name] for name in ("status", "work", *fields) if name in item}
        owed = keys.work_index(run, Work.EVAL, run.finished_at or run.created_at)
        actions = setting(changes | {name: {"S": value} for name, value in owed.items()})
        if "degraded" in item:
            actions.append(attribute("degraded").set(attribute("degraded") | item["degraded"]))
        return Update(keys.run(run.run_id), actions, is_running())

    def _node(self, run_id: str, source: str, node: JsonObject) -> Item:
        if source not in records.EVALUATION_SOURCES:
            raise Broken(f"evaluation source {source!r} is none of {', '.join(records.EVALUATION_SOURCES)}", code="BAD_SOURCE")
        return self._holding(keys.run_part(run_id, f"EVAL#{source}"), node)

    def _note_month(self, created: datetime) -> None:
        """The run list finds a month by its item; each process writes it once, before the first run of it."""
        key = keys.month(created)
        if key.sk not in self._months:
            self._table.put_new(keyed(key, {}))
            self._months.add(key.sk)

    def _by_month(self, after: str | None, month: str | None, ask: int) -> Iterator[tuple[str, Run]]:
        for name in [month] if month else self._months_with_runs(until=after):
            listing = keys.runs_of_month(name)
            start = start_after(listing, after) if after and after.startswith(name) else None
            for entry in self._table.walk(listing.pk, index=listing.gsi, forward=False, limit=ask, after=start):
                yield sort_key(listing, entry), self._map.value(Run, entry)

    def _months_with_runs(self, until: str | None) -> list[str]:
        names = [item["SK"]["S"] for item in self._table.walk(keys.MONTHS, forward=False)]
        return [name for name in names if until is None or name <= until[:7]]

    def _bad_cases(self, after: str | None, month: str | None) -> Iterator[tuple[str, Run]]:
        """By the marks' index; the heads say what the feedback is now."""
        listing = keys.bad_cases()
        within = attribute("GSI1SK").startswith(month) if month else None
        start = start_after(listing, after) if after else None
        entries = self._table.walk(listing.pk, within, index=listing.gsi, forward=False, limit=BAD_AT_ONCE, after=start)
        for some in portions(entries, BAD_AT_ONCE):
            heads = {item["PK"]["S"]: item for item in self._table.batch_get([keys.Key(e["PK"]["S"], keys.META) for e in some])}
            for entry in some:
                if (head := heads.get(entry["PK"]["S"])) is not None:
                    yield sort_key(listing, entry), self._map.value(Run, head)
