"""What each access to the table costs, in requests."""

import os
from collections.abc import Callable
from datetime import timedelta

import pytest

from superbiz.domain import canonical
from superbiz.domain.cases import case_for
from superbiz.domain.evidence import OutputRecord
from superbiz.domain.ids import run_id_from
from superbiz.domain.incidents import AlarmState
from superbiz.domain.runs import Feedback, Flow
from superbiz.ports import RunFilter
from support.builders import (
    NOW,
    QUERY,
    RUN_ID,
    SESSION_ID,
    build_alarm,
    build_failed_invocation,
    build_run,
)
from support.table_life import ANSWER, admit, finish, live, open_run, run_step
from support.tables import Bench, counted, size_of


def test_each_access_costs_the_requests_of_the_chart(bench: Bench) -> None:
    ledger = bench.ledger
    open_run(bench, run_id=run_id_from("the month's first"))
    requests = counted(ledger)

    def cost(work: Callable[[], object]) -> dict[str, int]:
        requests.clear()
        work()
        return dict(requests)

    one_transaction = {"TransactWriteItems": 1}
    assert cost(lambda: open_run(bench)) == one_transaction
    assert cost(lambda: ledger.run(RUN_ID)) == {"GetItem": 1}
    assert cost(lambda: run_step(bench, 1)) == {"TransactWriteItems": 2}
    assert cost(lambda: ledger.record_invocation(build_failed_invocation(), None)) == {"PutItem": 1}
    assert cost(lambda: ledger.record_invocation(build_failed_invocation(), None)) == {"PutItem": 1}  # again
    assert cost(lambda: ledger.save_reply(RUN_ID, 1, 1, {})) == {"PutItem": 1}
    assert cost(lambda: ledger.save_reply(RUN_ID, 1, 1, {"again": True})) == {"PutItem": 1}
    assert cost(lambda: finish(bench)) == {"GetItem": 1} | one_transaction
    admit(bench, "one alarm", "another incident")
    assert cost(lambda: finish(bench, run_id=run_id_from("one alarm"), session_id="episode", agent_flow=Flow.AI_OPS)) == one_transaction
    assert cost(lambda: ledger.put_evaluations(RUN_ID, {"rule": {}, "aiops": {}})) == one_transaction
    case = case_for(RUN_ID, QUERY, ANSWER, NOW)
    assert cost(lambda: ledger.record_feedback(RUN_ID, Feedback.USEFUL, NOW, case)) == {"GetItem": 1} | one_transaction
    assert cost(lambda: ledger.record_feedback(RUN_ID, Feedback.USEFUL, NOW, case)) == {"GetItem": 2, "TransactWriteItems": 2}
    for read in (ledger.record, ledger.file, lambda run_id: ledger.trace(run_id, None)):
        assert cost(lambda read=read: read(RUN_ID)) == {"Query": 1}
    two = {"Query": 1, "BatchGetItem": 1}
    assert cost(lambda: ledger.session_runs(SESSION_ID, 10, None)) == two
    assert cost(lambda: ledger.cases(10, None)) == two
    assert cost(lambda: ledger.list_runs(RunFilter(), 10, None)) == {"Query": 2}
    assert cost(lambda: list(ledger.waiting(run_work(), NOW))) == {"Query": 1}
    assert cost(lambda: ledger.reserve_tokens(NOW.date(), 1, 10)) == {"UpdateItem": 2, "GetItem": 1}  # a day's first
    assert cost(lambda: ledger.reserve_tokens(NOW.date(), 1, 10)) == {"UpdateItem": 1}
    assert cost(ledger.model_worked) == {}
    assert cost(lambda: admit(bench, "a")) == {"GetItem": 1} | one_transaction
    assert cost(lambda: admit(bench, "b")) == {"GetItem": 1, "UpdateItem": 1}
    assert cost(lambda: ledger.note_state(build_alarm(state=AlarmState.OK), "fp", NOW)) == {"GetItem": 1, "UpdateItem": 1}


def run_work() -> object:
    return build_run().work


def test_nothing_ever_scans(bench: Bench) -> None:
    requests = counted(bench.ledger)
    live(bench)
    ledger = bench.ledger
    ledger.incident("fp"), ledger.incidents(5, None), ledger.deferred_events(5), ledger.documents(None, 5, None), list(ledger.all_chunks())
    ledger.domains(), ledger.by_key("AlarmA"), ledger.list_runs(RunFilter(feedback="not_useful"), 5, None), ledger.open_alarm_runs()
    assert set(requests) <= {
        "GetItem",
        "PutItem",
        "UpdateItem",
        "DeleteItem",
        "Query",
        "BatchGetItem",
        "BatchWriteItem",
        "TransactWriteItems",
    }


# REQ-133
def test_a_trace_of_3_mb_comes_in_pages_of_one_query_each(bench: Bench) -> None:
    open_run(bench)
    count = 200
    for seq in range(1, count + 1):
        data = os.urandom(15_000)
        output = OutputRecord(sha256=canonical.sha256(data), size=len(data), complete=True)
        assert bench.ledger.record_invocation(build_failed_invocation(seq=seq, output=output), data)
    assert sum(size_of(item) for item in bench.items("RUN#")) > 3_000_000
    requests = counted(bench.ledger)
    seen: list[int] = []
    cursor, pages = None, 0
    while pages == 0 or cursor is not None:
        page = bench.ledger.trace(RUN_ID, cursor)
        seen += [i.seq for i in page.invocations]
        cursor, pages = page.cursor, pages + 1
    assert seen == list(range(1, count + 1))
    assert 3 <= pages <= 5
    assert requests == {"Query": pages}
    file = bench.ledger.file(RUN_ID)
    assert file is not None
    assert (len(file.invocations), len(file.outputs)) == (count, count)


def test_a_run_list_with_a_rare_match_answers_in_bounded_steps(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("superbiz.adapters.table.runs.EXAMINED", 4)
    for n in range(10):
        open_run(bench, run_id=run_id_from(n), created_at=NOW + timedelta(minutes=n), alarm_name="rare" if n == 0 else None)
    seen, cursor, pages = [], None, 0
    while pages == 0 or cursor is not None:
        page = bench.ledger.list_runs(RunFilter(alarm="rare"), 5, cursor)
        seen += [run.run_id for run in page.items]
        cursor, pages = page.cursor, pages + 1
    assert (seen, pages) == ([run_id_from(0)], 3)
