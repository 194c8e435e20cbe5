"""Bad documents: insights of any shape, runbooks of any bytes; and files that are no world/1, which are refused by name and place."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from superbiz.adapters.world_knowledge import WorldKnowledge
from superbiz.analysis import insights
from superbiz.errors import Invalid
from support.worlds import (
    HEAD,
    LOGS,
    METRICS,
    TRACES,
    alarm_event,
    assert_honest,
    diagnosed,
    healthy_world,
    one_line,
    one_span,
    said,
)

KEYS = ("load", "db_instance", "MetricList", "Key", "DataPoints", "Metric", "Dimensions", "event", "sql", "pid", "state", "max_vcpu",
        "since", "top_waits", "db.load.avg", "value", "dimensions", "name")  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers(-(10**30), 10**30) | st.text(max_size=6) | st.sampled_from(KEYS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=60, deadline=None)
@given(JSON)
def test_insights_of_any_shape_give_bounded_numbers_and_the_same_each_time(document: Any) -> None:
    found = insights.read(document, "db")
    assert found == insights.read(document, "db")
    assert all(0 <= load.average <= load.peak < 1e9 for load in found.databases)
    assert all(0 <= part.share <= 1 and 0 <= part.load < 1e9 for part in (*found.waits, *found.statements))


SENTENCE = "Read the log of the gateway. "
DEEP = '{"performance_insights":' + '{"load":[' * 60 + "1" + "]}" * 60 + "}"
METRIC_LIST = {
    "MetricList": [{"Key": {"Metric": "db.load.avg"}, "DataPoints": [{"Value": None}, {"Value": True}]}, {"Key": None, "DataPoints": 5}]
}
INSIGHTS = {
    "nothing": {},
    "null": {"performance_insights": None},
    "a list": {"performance_insights": []},
    "a text": {"performance_insights": "text"},
    "a number": {"performance_insights": 7},
    "lists in lists": {"performance_insights": {"load": [[["x"]]]}},
    "a negative load": {"performance_insights": {"db_instance": "orders-db", "load": -5, "max_vcpu": -1}},
    "waits of any kind": {"performance_insights": {"top_waits": [{"event": None, "load": "NaN"}, {"event": "\x00", "load": 1e308}, 7, []]}},
    "a list of metrics without numbers": {"resource_metrics": METRIC_LIST},
    "a statement of 100,000 letters": {"dimension_keys": {"Keys": [{"Dimensions": {"db.sql.statement": "S" * 100_000}, "Total": 0.1}]}},
    "sixty levels": DEEP,
    "names that nobody reads": {"": {"x": [1] * 1_000}},
}


@pytest.mark.parametrize("name", INSIGHTS)
def test_bad_insights_accuse_nobody(spoiled: Any, name: str) -> None:
    assert_honest(spoiled(lambda w: w | {"insights.json": INSIGHTS[name]}))


def shelved(**books: bytes | str) -> Any:
    return lambda w: w | {f"knowledge/{name}.md": text for name, text in books.items()}


RUNBOOKS = {
    "binary": shelved(a=bytes(range(256)) * 8),
    "empty": shelved(a=b"", b=b"\n\n", c=b"#"),
    "nothing but headings": shelved(a="#" * 5_000 + " x\n" + "# y\n" * 40),
    "unclosed marks": shelved(a="- " * 2_000 + "\n```\n" * 39 + "[a](" * 500),
    "broken front matter": shelved(
        a="---\nkeys: [shop-gateway-latency\n: : :\n---\n# {resource} %s\n1. run {} and {resource!r} now please\n"
    ),
}


@pytest.mark.parametrize("name", RUNBOOKS)
def test_bad_runbooks_accuse_nobody(spoiled: Any, name: str) -> None:
    assert_honest(spoiled(RUNBOOKS[name]))


def test_a_runbook_of_other_bytes_is_told(spoiled: Any) -> None:
    assert re.search(r"\.md|UTF-8", said(spoiled(RUNBOOKS["binary"])))


def test_a_huge_runbook_accuses_nobody(spoiled: Any) -> None:
    assert_honest(spoiled(shelved(a="# shop-gateway-latency\n\n" + SENTENCE * 700)))


class CountingEncoder:
    """Counts what it is given to encode."""

    name, dimensions = "counting", 2

    def __init__(self) -> None:
        self.texts = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += len(texts)
        return np.ones((len(texts), self.dimensions), dtype=np.float32)


class Shelf(NamedTuple):
    text: str

    def runbooks(self) -> list[tuple[str, str]]:
        return [("a.md", self.text)]


@pytest.mark.parametrize("size", ["20 kB", "500 kB"])
def test_a_huge_runbook_takes_bounded_time(size: str) -> None:
    counting = CountingEncoder()
    knowledge = WorldKnowledge(Shelf("# Gateway\n\n" + SENTENCE * {"20 kB": 700, "500 kB": 18_000}[size]), counting)
    assert knowledge.find((), "the log of the gateway", 5)
    assert 0 < counting.texts <= 600


LINE, SPAN = one_line("INFO a"), one_span("a", "b")
REFUSED = {
    "a world that is none": {"world.json": {"schema": "world/2"}},
    "text in place of JSON": {METRICS: "not JSON"},
    "values without times": {METRICS: [{"namespace": "a", "metric_name": "b", "stat": "c", "period": 60, "timestamps": [], "values": [1]}]},
    "a time without a zone": {"events.json": [{"time": "2026-07-08T22:30:00", "source": "a", "name": "b"}]},
    "lines without a message": {LOGS: [{k: v for k, v in LINE.items() if k != "message"}]},
    "a span that lasts for ever": {TRACES: [SPAN | {"duration_ms": 1e308}]},
    "half a gzip file": {LOGS: b"\x1f\x8b\x08\x00"},
    "alarms without a state": {"alarms.json": {"alarms": [{"name": "a"}]}},
    "a map of texts": {"service_map.json": {"services": ["a"]}},
    "JSON without end": {"insights.json": "[" * 100_000},
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_world_is_refused_with_file_and_mend(tmp_path: Path, name: str) -> None:
    (file, _), *_ = REFUSED[name].items()
    with pytest.raises(Invalid) as refused:
        diagnosed(tmp_path, healthy_world() | REFUSED[name])
    assert file in refused.value.message
    assert refused.value.mend


def test_an_unreadable_byte_in_a_question_is_refused_too(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="not UTF-8"):
        diagnosed(tmp_path, {"world.json": HEAD, "trigger.json": alarm_event(), "question.json": b"\xff"})
