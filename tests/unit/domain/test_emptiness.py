"""When a result matched nothing, and when that may be said."""

from datetime import timedelta
from typing import Any

import pytest

from superbiz.domain.emptiness import is_complete, is_empty
from superbiz.domain.values import Window
from support.builders import NOW, WINDOW


@pytest.mark.parametrize(
    "output",
    [
        None, {}, [], "", {"logs": []}, {"logs": [], "templates": [], "matched": 0}, {"hits": None}, {"a": {"b": {}, "c": []}},
        {"series": [], "window": {"start": "x"}, "queried_at": "2026-07-08T23:10:00Z", "complete": True}, {"rows": [], "share": 0.0},
        {"logs": [], "left_out": "nothing", "notes": ["no normal period"]},
    ],
)  # fmt: skip
def test_blank_results_are_empty(output: Any) -> None:
    # REQ-045
    assert is_empty(output)


@pytest.mark.parametrize(
    "output",
    [
        {"value": 0}, {"healthy": False}, {"logs": ["x"]}, {"logs": [], "matched": 3}, {"matched": 0, "state": "OK"}, [None], ["x"], 0,
        "text", {"logs": [], "found": False}, {"rows": [{}]},
    ],
)  # fmt: skip
def test_a_reading_is_not_empty_even_where_it_is_zero(output: Any) -> None:
    assert not is_empty(output)


def test_a_window_that_ends_within_five_minutes_is_not_complete() -> None:
    settled = Window(start=WINDOW.start, end=NOW - timedelta(minutes=5))
    fresh = Window(start=WINDOW.start, end=NOW - timedelta(minutes=4, seconds=59))
    assert is_complete({}, settled, NOW)
    assert is_complete({}, None, NOW)
    assert not is_complete({}, fresh, NOW)
    assert not is_complete({"complete": False}, settled, NOW)
