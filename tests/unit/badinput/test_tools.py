"""Tools over rows that a source might yield, whatever they hold: no call ever ends as TOOL_ERROR, and equal rows give equal answers."""

import json
from collections.abc import Iterator
from datetime import UTC, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from superbiz.domain.observations import AlarmChange, AlarmListing, AlarmRow, Change, LogLine, Series, Service, Span
from support.incidents import START, Incident, build_series, toolbox, wavering

NAMES = st.sampled_from(["orders", "ORDERS", "payments", "", " ", "a/b", '"{x}`$.a[0]', "\x00\n", "n" * 400, "名前"])
METRICS = st.sampled_from(
    ["Latency", "Availability", "RequestCount", "Errors", "CPUUtilization", "FreeStorageSpace", "ThrottledRequests", ""]
)
STATS = st.sampled_from(["Sum", "Average", "p99", ""])
UNITS = st.sampled_from(["Seconds", "Percent", "Count", ""])
DIMENSIONS = st.dictionaries(st.sampled_from(["ServiceName", "x"]), NAMES, max_size=2)
NEAR = st.integers(-7_200, 7_200).map(lambda s: START + timedelta(seconds=s))
WHEN = NEAR | st.datetimes(timezones=st.just(UTC))
MOMENT_MS = NEAR.map(lambda t: int(t.timestamp() * 1000)) | st.integers(-62_135_596_800_000, 253_402_300_799_000)
NUMBER = st.floats() | st.sampled_from([1e308, -1e308, 5e-324, 0.0, 100.0, -1.0])
IDS = st.sampled_from([f"{n:016x}" for n in range(6)] + [""])


def some(rows: st.SearchStrategy[Any], most: int = 8) -> st.SearchStrategy[Any]:
    """None is a source that is not there."""
    return st.none() | st.lists(rows, max_size=most)


@st.composite
def series(draw: st.DrawFn) -> Series:
    """Any values at any times, or an ordinary series that takes a turn."""
    fields = draw(st.fixed_dictionaries({"stat": STATS, "unit": UNITS, "dimensions": DIMENSIONS}))
    if draw(st.booleans()):
        turn, factor = draw(st.integers(0, 29)), draw(st.sampled_from([1.0, 10.0, -10.0, 1e300]))
        values = wavering(draw(st.sampled_from([0.0, 1.0, 50.0, 1e308, 5e-324, -3.0])), 30)
        return build_series([*values[:turn], *(v * factor for v in values[turn:])], metric=draw(METRICS), **fields)
    points = draw(st.lists(st.tuples(WHEN, st.none() | NUMBER), max_size=10))
    known = build_series([], metric=draw(METRICS), period=draw(st.sampled_from([1, 60, 86_400, 10**8])), **fields)
    # model_construct, as the readers of a world do: pydantic would refuse what a source can not be kept from yielding
    return Series.model_construct(**dict(known) | {"timestamps": tuple(t for t, _ in points), "values": tuple(v for _, v in points)})


MESSAGES = st.text(max_size=20) | st.sampled_from(
    ["ERROR x failed 0000000000000001", "INFO ok", "\tat a.B.c(B.java:3)", '{"a":' * 50, "\ud800"]
)
LINE = st.builds(LogLine, log_group=NAMES, log_stream=NAMES, timestamp=MOMENT_MS, message=MESSAGES)
SPAN = st.builds(
    Span,
    trace_id=IDS,
    span_id=IDS,
    parent_id=st.none() | IDS,
    service=NAMES,
    resource=NAMES,
    name=NAMES,
    start_ms=MOMENT_MS,
    duration_ms=st.floats(-1e14, 1e14),
    error=st.booleans(),
    attributes=st.just({}),
)
ALARM = st.builds(AlarmRow, name=NAMES, state=st.sampled_from(["ALARM", "OK", "?", ""]), reason=NAMES, metric=METRICS,
                  dimensions=st.dictionaries(NAMES, NAMES, max_size=2), updated=st.none() | WHEN)  # fmt: skip
PAST = st.builds(AlarmChange, timestamp=WHEN, alarm=NAMES, from_=NAMES, to=NAMES)
CHANGE = st.builds(
    Change, time=WHEN, source=NAMES, name=NAMES | st.sampled_from(["UpdateService", "failover"]), resource=NAMES, message=MESSAGES
)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | st.integers(-(10**20), 10**20) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["load", "db_instance", "MetricList", "Key", "DataPoints", "event", "sql", "pid", "state"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)
INCIDENT = st.builds(
    Incident,
    series=some(series()),
    normal_series=some(series()),
    lines=some(LINE, 15),
    normal_lines=some(LINE, 15),
    spans=some(SPAN, 15),
    normal_spans=some(SPAN, 15),
    services=some(st.builds(Service, name=NAMES, calls=st.lists(NAMES, max_size=4).map(tuple))),
    listing=st.none() | st.builds(AlarmListing, alarms=st.lists(ALARM, max_size=3), history=st.lists(PAST, max_size=3)),
    events=some(CHANGE),
    documents=st.none() | st.fixed_dictionaries({}, optional={"performance_insights": JSON, "dimension_keys": JSON}),
)
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_alarms", {}),
    ("query_metrics", {}),
    ("rank_suspects", {"metric": "Latency", "target": "orders"}),
    ("rank_suspects", {"metric": "Availability", "stat": "Sum"}),
    ("query_logs", {}),
    ("query_logs", {"contains": "e", "levels": ["ERROR"]}),
    ("query_traces", {}),
    ("list_changes", {"suspects": ["orders", ""]}),
    ("read_insights", {}),
)


@settings(max_examples=35, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example])
@given(INCIDENT)
def test_no_rows_break_a_tool(incident: Incident) -> None:
    first, second = toolbox(incident), toolbox(incident)
    for name, params in CALLS:
        call = first.call(name, params)
        assert call.invocation.error_code in (None, "SOURCE_UNAVAILABLE"), call.invocation.error_message
        assert call.output == second.call(name, params).output
        assert all(_is_weight(w) for w in _weights(call.output))


def _weights(node: Any) -> Iterator[Any]:
    """Every weight, rarity and share that an output tells."""
    if isinstance(node, dict):
        yield from (v for k, v in node.items() if k in ("weight", "rarity", "share", "error_rate"))
        yield from (w for v in node.values() for w in _weights(v))
    elif isinstance(node, list):
        yield from (w for v in node for w in _weights(v))


def _is_weight(value: Any) -> bool:
    return isinstance(value, int | float) and -1e16 < value < 1e16 and json.dumps(value) not in ("NaN", "Infinity", "-Infinity")
