"""What the table holds, item by item."""

import gzip
import os
import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from superbiz.adapters.outputs import object_key
from superbiz.adapters.table import keys
from superbiz.adapters.table.mapping import INLINE_BYTES
from superbiz.adapters.table.partition import INLINE_OUTPUT
from superbiz.domain import canonical
from superbiz.domain.cases import case_for
from superbiz.domain.claims import Conclusion
from superbiz.domain.evidence import OutputRecord
from superbiz.domain.ids import run_id_from
from superbiz.domain.records import History
from superbiz.domain.runs import Cost, Feedback, Flow, MessagePair
from superbiz.domain.verification import Verdict
from superbiz.errors import Broken, Unavailable
from support.builders import (
    NOW,
    QUERY,
    RUN_ID,
    SESSION_ID,
    build_call,
    build_failed_invocation,
    build_request,
    build_run,
    build_session,
)
from support.table_life import ANSWER, finish, live, open_run, put_document
from support.tables import Bench, size_of


def chart() -> list[list[str]]:
    """The rows of the entity chart: PKs, SKs and index keys as they are written there."""
    lines = (keys.__doc__ or "").split("Access patterns")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|") and "---" not in line]
    return rows[1:]


def pattern(cell: str) -> str:
    """A key of the chart as a pattern. Ids may hold anything but the separator here."""
    return "".join(r"[^#]+" if part.startswith("<") else re.escape(part) for part in re.split(r"(<[^>]+>)", cell))


def entities() -> list[tuple[str, set[str], dict[str, tuple[str, str]]]]:
    found: list[tuple[str, set[str], dict[str, tuple[str, str]]]] = []
    for _, pk, sks, index in chart():
        if pk:
            found.append((pattern(pk), set(), {}))
        for sk in sks.split():
            found[-1][1].add(pattern(sk))
        if index:
            name, rest = index.split(" ", 1)
            hash_key, range_key = rest.split(" / ")
            found[-1][2][name] = (pattern(hash_key), pattern(range_key))
    return found


def test_every_item_is_one_of_the_chart_with_the_indexes_that_it_says(bench: Bench) -> None:
    live(bench)
    met = set()
    for item in bench.items():
        place = (item["PK"]["S"], item["SK"]["S"])
        rows = [
            n for n, (pk, sks, _) in enumerate(entities()) if re.fullmatch(pk, place[0]) and any(re.fullmatch(sk, place[1]) for sk in sks)
        ]
        assert len(rows) == 1, f"{place} is in {len(rows)} rows of the chart"
        met.add(rows[0])
        indexes = entities()[rows[0]][2]
        for name in ("GSI1", "GSI2", "GSI3"):
            if f"{name}PK" in item:
                assert name in indexes, f"{place} is in {name}"
                assert re.fullmatch(indexes[name][0], item[f"{name}PK"]["S"])
                assert re.fullmatch(indexes[name][1], item[f"{name}SK"]["S"])
    assert met == set(range(len(entities()))), "the chart has rows that nothing is written to"


@pytest.mark.parametrize(
    "make",
    [
        keys.run,
        keys.session,
        keys.case,
        keys.legacy,
        keys.incident,
        keys.document,
        lambda text: keys.l0("k", text),
        lambda text: keys.l0(text, "d"),
    ],
)
@pytest.mark.parametrize("text", ["x" * 100_000, "界" * 400, "a\nb", "\x00", "a#b#c", "\ud800"])
def test_an_id_of_any_form_has_a_key_that_dynamodb_takes(make: Callable[[str], keys.Key], text: str) -> None:
    key = make(text)
    assert 0 < len(key.pk.encode()) <= 2_048
    assert 0 < len(key.sk.encode()) <= 1_024
    assert make(text + "y") != key


# --- items ----------------------------------------------------------------------------------------------------------------


# REQ-150
def test_runs_steps_calls_and_cases_never_expire_while_history_and_events_do(bench: Bench) -> None:
    live(bench)
    mortal = {item["SK"]["S"].split("#")[0] for item in bench.items() if "ttl" in item}
    assert mortal == {"HISTORY", "EVENT"}
    (history,) = bench.items("SESSION#", "HISTORY")
    assert int(history["ttl"]["N"]) == int((NOW + timedelta(days=7)).timestamp())
    (event,) = bench.items("INCIDENT#", "EVENT#")
    assert int(event["ttl"]["N"]) == int((NOW + timedelta(days=90)).timestamp())


# REQ-141 REQ-142
def test_the_session_entry_holds_no_word_of_what_was_said(bench: Bench) -> None:
    open_run(bench)
    finish(bench)
    (entry,) = bench.items("SESSION#", "META")
    assert set(entry) == {
        "PK",
        "SK",
        "session_id",
        "status",
        "message_pair_count",
        "last_active_at",
        "expires_at",
        "latest_terminal_run",
    }
    assert not [value for value in entry.values() if "order-service" in str(value)]
    (history,) = bench.items("SESSION#", "HISTORY")
    assert ANSWER in str(history["pairs"])


# REQ-001 REQ-003
def test_feedback_leaves_the_status_attribute_as_it_was(bench: Bench) -> None:
    open_run(bench)
    finish(bench)
    (before,) = [i for i in bench.items("RUN#", "META") if i["SK"]["S"] == "META"]
    bench.ledger.record_feedback(RUN_ID, Feedback.USEFUL, NOW, case_for(RUN_ID, QUERY, ANSWER, NOW))
    bench.ledger.record_feedback(RUN_ID, Feedback.NOT_USEFUL, NOW, None)
    (after,) = [i for i in bench.items("RUN#", "META") if i["SK"]["S"] == "META"]
    assert {name: value for name, value in after.items() if name not in ("feedback", "feedback_at", "case_id")} == before


# REQ-005 REQ-010
def test_each_node_of_the_evaluation_is_an_item_of_its_own(bench: Bench) -> None:
    live(bench)
    assert {i["SK"]["S"] for i in bench.items(f"RUN#{RUN_ID}", "META#EVAL")} == {"META#EVAL#rule", "META#EVAL#verifier", "META#EVAL#aiops"}


def test_a_slow_turn_brings_back_no_history_that_was_cleared(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has read the history; before it writes, that is cleared and begun anew."""
    runs = [run_id_from(n) for n in range(3)]
    for run_id in runs:
        open_run(bench, run_id=run_id)
    finish(bench, "before", run_id=runs[0])
    read = bench.ledger._history

    def slowly(session_id: str) -> History | None:
        stored = read(session_id)
        monkeypatch.setattr(bench.ledger, "_history", read)
        bench.ledger.clear_history(session_id, NOW)
        finish(bench, "meanwhile", run_id=runs[1])
        return stored

    monkeypatch.setattr(bench.ledger, "_history", slowly)
    assert finish(bench, "slow", run_id=runs[2])
    assert [pair.answer for pair in bench.ledger.history(SESSION_ID, NOW)] == ["meanwhile", "slow"]


@pytest.mark.parametrize("failed", [True, False])
@pytest.mark.parametrize("letter", ["x", "é", "界", "😀"])
def test_a_head_stays_under_4_kb_whatever_it_is_told(bench: Bench, letter: str, failed: bool) -> None:
    long = letter * 10_000
    run = build_run(
        title=long,
        session_id="s" * 64,
        agent_flow=Flow.AI_OPS,
        alarm_name=letter * 255,
        incident_id="f" * 64,
        episode="2026-07-08T23:10:00.000001Z",
        rerun_of=RUN_ID,
        finished_at=NOW,
        verdict=Verdict.LOW_CONFID,
        conclusion=Conclusion.INCONCLUSIVE,
        first_cause=letter * 300,
        cost=Cost(platform=0.123456789, evidence=0.123456789, model=0.123456789, input_tokens=10**9, output_tokens=10**9),
    )
    bench.ledger.open_run(run.model_copy(update={"first_cause": None}), build_request(), build_session(session_id="s" * 64))
    bench.ledger.note_degraded(RUN_ID, long)
    if failed:
        bench.ledger.fail_run(RUN_ID, long, NOW)
    else:
        bench.ledger.finish_run(run, "", {}, {}, MessagePair(run_id=RUN_ID, question="", answer="", at=NOW))
    bench.ledger.record_feedback(RUN_ID, Feedback.NOT_USEFUL, NOW, case_for(RUN_ID, QUERY, ANSWER, NOW))
    (head,) = [i for i in bench.items("RUN#", "META") if i["SK"]["S"] == "META"]
    assert size_of(head) <= 4 * 1024


def test_a_small_text_can_be_read_in_the_table_and_a_large_one_is_packed(bench: Bench) -> None:
    open_run(bench)
    finish(bench, answer=ANSWER * 1_000)
    (answer,) = bench.items("RUN#", "META#ANSWER")
    assert gzip.decompress(answer["text"]["B"]).decode() == ANSWER * 1_000
    (request,) = bench.items("RUN#", "META#REQUEST")
    assert request["query"] == {"S": QUERY}


def test_a_replaced_or_deleted_document_leaves_no_item_behind(bench: Bench) -> None:
    put_document(bench, "v1", "AlarmA", "AlarmB")
    put_document(bench, "v2", "AlarmB", "AlarmC")
    assert {item["SK"]["S"].split("#")[1] for item in bench.items("DOC#", "CHUNK#")} == {"v2"}
    assert {item["PK"]["S"] for item in bench.items("L0#")} == {"L0#alarmb", "L0#alarmc"}
    bench.ledger.delete_document("d")
    assert bench.items("DOC#") == bench.items("L0#") == []


# REQ-156
def test_what_is_too_large_for_an_item_lies_in_the_object_store_under_its_hash(bench: Bench) -> None:
    answer = os.urandom(60_000).hex()
    open_run(bench)
    finish(bench, answer=answer)
    (item,) = bench.items("RUN#", "META#ANSWER")
    sha256 = canonical.sha256(answer.encode())
    assert item["text"]["M"]["sha256"]["S"] == sha256
    assert gzip.decompress(bench.objects.get(object_key(sha256)) or b"").decode() == answer
    record = bench.ledger.record(RUN_ID)
    assert record is not None
    assert record.answer == answer


class FullObjects:
    """An object store that takes nothing."""

    def put(self, key: str, data: bytes) -> None:
        raise Unavailable(f"no room for {key} ({len(data)} bytes)")

    def get(self, key: str) -> bytes | None:
        return None


def test_nothing_is_written_where_the_object_store_takes_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    open_run(bench)
    before = bench.items()
    monkeypatch.setattr(bench.ledger._map, "_objects", FullObjects())
    with pytest.raises(Unavailable):
        finish(bench, answer=os.urandom(60_000).hex())
    call = build_call({"logs": [os.urandom(60_000).hex()]})
    with pytest.raises(Unavailable):
        bench.ledger.record_invocation(call.invocation, canonical.encoded(call.output))
    assert bench.items() == before


# --- outputs --------------------------------------------------------------------------------------------------------------


def record_output(bench: Bench, data: bytes) -> OutputRecord:
    output = OutputRecord(sha256=canonical.sha256(data), size=len(data), complete=True)
    call = build_failed_invocation(output=output)
    assert bench.ledger.record_invocation(call, data)
    return output


def test_an_output_up_to_16_kb_gzipped_is_in_the_item(bench: Bench) -> None:
    record_output(bench, os.urandom(16_000))
    (item,) = bench.items("RUN#", "S#0001#I")
    assert len(item[INLINE_OUTPUT]["B"]) <= 16 * 1024
    assert bench.objects._data == {}


def test_a_larger_output_is_beside_it(bench: Bench) -> None:
    output = record_output(bench, os.urandom(17_000))
    (item,) = bench.items("RUN#", "S#0001#I")
    assert INLINE_OUTPUT not in item
    assert list(bench.objects._data) == [object_key(output.sha256)]


@pytest.mark.parametrize("damage", [None, b"", b"no gzip", gzip.compress(b"another", mtime=0), gzip.compress(b"x" * 17_000, mtime=0)[:-9]])
def test_a_lost_or_damaged_output_is_broken(bench: Bench, damage: bytes | None) -> None:
    output = record_output(bench, os.urandom(17_000))
    (call,) = bench.ledger.invocations(RUN_ID)
    if damage is None:
        bench.objects._data.clear()
    else:
        bench.objects.put(object_key(output.sha256), damage)
    with pytest.raises(Broken):
        bench.ledger.output(call)


def test_a_damaged_output_inside_its_item_is_broken_and_not_handed_on(bench: Bench) -> None:
    open_run(bench)
    record_output(bench, b'{"logs":[]}')
    (call,) = bench.ledger.invocations(RUN_ID)
    (item,) = bench.items("RUN#", "S#0001#I")
    bench.client.put_item(TableName=bench.table_name, Item=item | {INLINE_OUTPUT: {"B": gzip.compress(b'{"logs":["forged"]}', mtime=0)}})
    with pytest.raises(Broken):
        bench.ledger.output(call)
    assert call.invocation_id not in bench.ledger.file(RUN_ID).outputs, "the Gatekeeper is left to say so"


def test_an_item_that_does_not_hold_its_value_is_broken(bench: Bench) -> None:
    open_run(bench)
    (head,) = [i for i in bench.items("RUN#", "META") if i["SK"]["S"] == "META"]
    bench.client.put_item(TableName=bench.table_name, Item=head | {"status": {"S": "NO SUCH"}})
    with pytest.raises(Broken):
        bench.ledger.run(RUN_ID)


def test_a_run_without_its_request_is_broken(bench: Bench) -> None:
    open_run(bench)
    key = keys.run_part(RUN_ID, "REQUEST")
    bench.client.delete_item(TableName=bench.table_name, Key={"PK": {"S": key.pk}, "SK": {"S": key.sk}})
    with pytest.raises(Broken):
        bench.ledger.record(RUN_ID)


def test_old_attributes_and_unknown_ones_do_no_harm(bench: Bench) -> None:
    open_run(bench)
    (head,) = [i for i in bench.items("RUN#", "META") if i["SK"]["S"] == "META"]
    del head["cost"]
    bench.client.put_item(TableName=bench.table_name, Item=head | {"invented_later": {"SS": ["a"]}})
    assert bench.ledger.run(RUN_ID) == build_run()


def test_inline_texts_leave_room_for_the_whole_item() -> None:
    """An item has at most four large texts and an output."""
    assert 4 * INLINE_BYTES + 16 * 1024 + 10_000 < 400 * 1024
