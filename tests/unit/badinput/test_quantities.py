"""Units as they convert, and values that can not be, over whatever may come."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.analysis import quantities
from support.incidents import build_series

UNITS = st.sampled_from([*quantities.UNITS, "Seconds", "ms", "%", "None", "", "Widgets"])
VALUES = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20).map(np.array)


@settings(max_examples=60, deadline=None)
@given(UNITS, UNITS)
def test_what_converts_one_way_converts_back(one: str, other: str) -> None:
    there, back = quantities.factor(one, other), quantities.factor(other, one)
    assert (there is None) == (back is None)
    assert there is None or math.isclose(there * (back or 0.0), 1.0)
    assert quantities.factor(one, one) == 1


@settings(max_examples=60, deadline=None)
@given(UNITS, VALUES, UNITS, VALUES, st.sampled_from(["Availability", "Latency", "CPUUtilization", "x"]))
def test_a_conversion_is_none_or_a_positive_number(one: str, values: np.ndarray, other: str, wanted: np.ndarray, metric: str) -> None:
    found = quantities.conversion(build_series([], metric=metric, unit=one), values, build_series([], metric=metric, unit=other), wanted)
    assert found is None or 0 < found < math.inf


@pytest.mark.parametrize(("one", "other", "factor"), [
    ("Seconds", "Milliseconds", 1e3), ("Kilobytes", "Bytes", 1e3), ("Mebibytes", "Bytes", 2**20), ("Bytes/Second", "Kilobits/Second", 8e-3),
    ("Seconds", "Bytes", None), ("Count", "Count/Second", None), ("Widgets", "Count", None), ("Percent", "%", 1),
])  # fmt: skip
def test_units_of_one_dimension_convert_and_no_others(one: str, other: str, factor: float | None) -> None:
    assert quantities.factor(one, other) == pytest.approx(factor)


@pytest.mark.parametrize(("metric", "unit", "value", "wrong"), [
    ("FreeStorageSpace", "Bytes", -1.0, True), ("RequestCount", "Count", -1.0, True), ("Latency", "None", -0.1, True),
    ("ClockOffset", "Milliseconds", -4.0, False), ("Score", "None", -1.0, False), ("CPUUtilization", "Percent", 640.0, False),
    ("Availability", "Percent", 100.0001, False), ("Availability", "Percent", 5_000.0, True), ("Score", "None", 1e300, True),
    ("RequestCount", "Count", -1e-12, False),
])  # fmt: skip
def test_what_can_not_be_is_known_by_unit_and_name(metric: str, unit: str, value: float, wrong: bool) -> None:
    assert quantities.impossible(build_series([], metric=metric, unit=unit), np.array([value])).tolist() == [wrong]
