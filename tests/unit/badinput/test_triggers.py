"""Triggers with fields missing or wrong, and worlds that hold nothing else: always a report, and never a cause."""

import copy
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from superbiz.domain import alarms
from superbiz.domain.incidents import AlarmNotice
from support import alarm_events
from support.worlds import HEAD, NOW, QUESTION, START, alarm_event, assert_honest, diagnosed, iso, unchecked

FIRING = {
    "status": "firing",
    "labels": {"alertname": "OrdersSlow", "service": "order-service", "severity": "page"},
    "annotations": {"summary": "orders are slow", "description": "p99 above 1 s"},
    "startsAt": iso(NOW - timedelta(minutes=9)),
    "endsAt": "0001-01-01T00:00:00Z",
    "generatorURL": "http://prometheus",
    "fingerprint": "c0ffee",
}
ALERTMANAGER = {
    "version": "4",
    "groupKey": "{}:{}",
    "receiver": "superbiz",
    "status": "firing",
    "alerts": [FIRING],
    "groupLabels": {"alertname": "OrdersSlow"},
    "commonLabels": FIRING["labels"],
    "commonAnnotations": FIRING["annotations"],
    "externalURL": "http://alertmanager",
}
GRAFANA = ALERTMANAGER | {
    "title": "[FIRING:1] OrdersSlow",
    "state": "alerting",
    "message": "orders are slow",
    "orgId": 1,
    "alerts": [FIRING | {"values": {"A": 1.5}, "valueString": "[ var='A' value=1.5 ]", "panelURL": ""}],
}
FORMS: dict[str, Any] = {
    "eventbridge": alarm_event(),
    "contributor": alarm_events.contributor(),
    "composite": alarm_events.composite(),
    "metric math": alarm_events.metric_math(),
    "lambda action": alarm_events.lambda_action(),
    "sns message": alarm_events.sns_message(),
    "sns envelope": alarm_events.sns_envelope(),
    "sns records": alarm_events.sns_records(),
    "sqs records": alarm_events.sqs_records(alarm_events.sns_envelope()),
    "alertmanager": ALERTMANAGER,
    "grafana": GRAFANA,
}
GONE = object()
WRONG = (GONE, None, "", "x" * 5_000, -1e308, True, [], {}, [None, [1]], {"": {"": []}})
EMPTY = {"metrics.json": [], "logs.jsonl.gz": [], "traces.jsonl.gz": [], "service_map.json": {"services": []}, "alarms.json": {},
         "events.json": [], "insights.json": {}}  # fmt: skip


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every field of a document."""
    below = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in below:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    new = copy.deepcopy(document)
    node = new
    for key in path[:-1]:
        node = node[key]
    if value is GONE:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return new


@pytest.mark.parametrize("form", FORMS)
def test_any_field_may_be_missing_or_wrong(form: str) -> None:
    """What comes is a notice whose words can be told, or is dropped with a reason; the same each time."""
    assert isinstance(alarms.parse(FORMS[form], stack_name="stack"), AlarmNotice)
    for path in places(FORMS[form]):
        for value in WRONG:
            event = changed(FORMS[form], path, value)
            found = alarms.parse(event, stack_name="stack")
            assert found == alarms.parse(copy.deepcopy(event), stack_name="stack")
            told = alarms.summary(found) if isinstance(found, AlarmNotice) else found.reason
            assert told.strip()
            json.dumps(told.encode("utf-8").decode())


@pytest.mark.parametrize("form", FORMS)
def test_a_world_with_nothing_but_an_alarm_says_that_nothing_was_there(tmp_path: Path, form: str) -> None:
    diagnosis = diagnosed(tmp_path, {"world.json": HEAD, "trigger.json": FORMS[form]})
    assert_honest(diagnosis)
    assert diagnosis.record.report["conclusion"] == "inconclusive"
    missing = {row.split(":")[0] for row in unchecked(diagnosis)}
    assert missing >= {"knowledge", "alarms", "metrics", "logs", "traces", "events"}


@pytest.mark.parametrize("form", ["eventbridge", "lambda action", "sns envelope", "alertmanager"])
def test_a_trigger_without_its_parts_still_starts_a_run(tmp_path: Path, form: str) -> None:
    """Without its first level's fields, one after the other; what is no alarm any more is told as it came."""
    for key in FORMS[form]:
        assert_honest(diagnosed(tmp_path / key.replace("/", "-"), {"world.json": HEAD, "trigger.json": changed(FORMS[form], (key,), GONE)}))


@pytest.mark.parametrize("trigger", [{}, {"a": 1}, {"Records": []}, {"Records": [None, 7]}, {"alerts": [{}]}, {"detail": None}])
def test_what_is_no_trigger_of_any_form_still_starts_a_run(tmp_path: Path, trigger: Any) -> None:
    assert_honest(diagnosed(tmp_path, {"world.json": HEAD, "trigger.json": trigger}))


@pytest.mark.parametrize(
    "question", ["Why?", "x", "é" * 4_000, "\u202e\x00\ufeff", "{resource} %s $.a[0] \"'`", "why is /aws/lambda/x slow? " * 90]
)
def test_a_world_with_nothing_but_a_question_ends_inconclusive(tmp_path: Path, question: str) -> None:
    diagnosis = diagnosed(tmp_path, {"world.json": HEAD, "question.json": {"question": question}})
    assert_honest(diagnosis)
    assert diagnosis.record.report["conclusion"] == "inconclusive"


@pytest.mark.parametrize("start", [{"trigger.json": alarm_event()}, {"question.json": QUESTION}], ids=["alarm", "question"])
@pytest.mark.parametrize("name", [None, *EMPTY])
def test_an_empty_file_is_no_evidence_of_anything(tmp_path: Path, start: Any, name: str | None) -> None:
    """Each by itself, and all at once: what is there is empty, the rest is not there."""
    empty = {k: v for k, v in EMPTY.items() if name in (None, k)}
    diagnosis = diagnosed(tmp_path, {"world.json": HEAD} | start | empty)
    assert_honest(diagnosis)
    assert diagnosis.record.report["conclusion"] == "inconclusive"


HEADS = {
    "no window": {k: v for k, v in HEAD.items() if k != "window"},
    "now before the window": HEAD | {"now": iso(START - timedelta(days=1))},
    "now in another century": HEAD | {"now": "2126-01-01T00:00:00Z"},
    "a window of 36 years": HEAD | {"window": {"start": "1990-01-01T00:00:00Z", "end": iso(NOW)}},
    "a window of a microsecond": HEAD | {"window": {"start": iso(START), "end": iso(START + timedelta(microseconds=1))}},
    "the year 1": HEAD | {"now": "0001-01-01T02:00:00Z", "window": {"start": "0001-01-01T00:10:00Z", "end": "0001-01-01T01:00:00Z"}},
    "the year 9999": HEAD | {"now": "9999-12-31T23:59:59Z", "window": {"start": "9999-12-31T23:00:00Z", "end": "9999-12-31T23:59:59Z"}},
}


@pytest.mark.parametrize("name", HEADS)
def test_clocks_out_of_all_reason_break_no_tool(tmp_path: Path, name: str) -> None:
    rows = EMPTY | {"trigger.json": alarm_event(), "world.json": HEADS[name]}
    assert_honest(diagnosed(tmp_path, rows))


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2016-07-08T22:30:00+14:00"])
def test_an_alarm_out_of_all_time_accuses_nobody(spoiled: Any, moment: str) -> None:
    event = changed(alarm_event(), ("detail", "state", "timestamp"), moment)
    assert_honest(spoiled(lambda w: w | {"trigger.json": event}))


@pytest.mark.parametrize("letters", [255, 301, 1_024])
def test_an_alarm_of_a_resource_with_a_long_name_breaks_no_call(tmp_path: Path, letters: int) -> None:
    """The value of a dimension may have 1,024 characters in CloudWatch."""
    place = ("detail", "configuration", "metrics", 0, "metricStat", "metric", "dimensions", "ServiceName")
    assert_honest(diagnosed(tmp_path, {"world.json": HEAD, "trigger.json": changed(alarm_event(), place, "s" * letters)}))
