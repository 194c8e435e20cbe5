"""The same evidence decides alike in every run, whatever its ids happen to be."""

from superbiz.engines.offline.observing import Record
from support.builders import build_call


def test_records_stand_in_the_order_of_their_calls_and_not_of_their_ids():
    calls = [build_call(invocation_id=f"inv-{9 - seq}", seq=seq, step_index=step) for step in (1, 5) for seq in (2, 3, 10)]
    keys = [Record(call.invocation, "$.logs[0]", {}).key for call in calls]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
