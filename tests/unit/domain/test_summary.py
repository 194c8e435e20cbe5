"""The index of a run's calls."""

import random

from superbiz.domain import canonical
from superbiz.domain.evidence import Match
from superbiz.domain.summary import input_summary, tool_trace_summary
from support.builders import build_call, build_failed_invocation, build_log_output, build_silent_call


# REQ-079
def test_a_row_finds_the_way_and_holds_no_output() -> None:
    match = Match(is_retrieval=True, l0_hits=1, l1_hits=2)
    call = build_call(build_log_output(["x" * 5_000] * 100), input_params={"topic": "application-logs", "limit": 5}, match=match)
    (row,) = tool_trace_summary([call.invocation])
    assert (row.seq, row.step_index, row.tool_name, row.category, row.status) == (1, 1, "query_logs", "LOG", "SUCCESS")
    assert row.invocation_id == call.invocation.invocation_id
    assert row.input_summary == "topic=application-logs limit=5"
    assert row.raw_paths == tuple(f"$.logs[{n}]" for n in range(10))
    assert row.evidence_ref_count == 50
    assert (row.l0_hits, row.l1_hits, row.evidence_status) == (1, 2, "supported")
    assert len(row.preview) <= 160
    assert len(canonical.dumps(row.to_json())) < 1_000


def test_a_failed_call_has_its_code_and_no_path() -> None:
    (row,) = tool_trace_summary([build_failed_invocation()])
    assert (row.status, row.error_code, row.evidence_status, row.raw_paths) == ("FAILED", "SOURCE_UNAVAILABLE", "error", ())


def test_an_empty_result_has_its_one_path() -> None:
    (row,) = tool_trace_summary([build_silent_call().invocation])
    assert (row.evidence_status, row.raw_paths) == ("no_evidence", ("$.no_evidence",))


# REQ-134
def test_rows_stand_in_the_order_of_the_calls_of_all_rounds() -> None:
    calls = [build_call(step_index=step, seq=seq).invocation for step in (1, 4) for seq in (1, 2, 3)]
    shuffled = random.Random(1).sample(calls, len(calls))
    assert [(row.step_index, row.seq) for row in tool_trace_summary(shuffled)] == [(1, 1), (1, 2), (1, 3), (4, 1), (4, 2), (4, 3)]


def test_of_too_many_calls_those_with_evidence_stay() -> None:
    failed = [build_failed_invocation(seq=n) for n in range(1, 40)]
    found = build_call(seq=40).invocation
    rows = tool_trace_summary([*failed, found])
    assert len(rows) == 30
    assert rows[-1].invocation_id == found.invocation_id


def test_an_input_summary_is_one_short_line() -> None:
    assert input_summary({"query": "a\n b", "none": None, "empty": "", "list": [1, 2]}) == "query=a b list=[1,2]"
    assert len(input_summary({"query": "x" * 9_999})) == 160
