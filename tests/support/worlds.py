"""Small worlds of a healthy shop as files in memory, to spoil and to write. An alarm rings on an ordinary value, so nobody is at fault."""

import gzip
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from superbiz.domain.evidence import Invocation
from superbiz.domain.values import iso
from superbiz_cli.worlds import Diagnosis, diagnose

Files = dict[str, Any]  # file name -> JSON document, rows of a .gz file, or the bytes themselves
Row = dict[str, Any]
Spoil = Callable[[Files], Files]

START = datetime(2026, 7, 8, 22, 30, tzinfo=UTC)
END, NOW = START + timedelta(minutes=30), START + timedelta(minutes=45)
DAY = timedelta(days=1)
NORMAL_MINUTES = 180
GATEWAY, ORDERS, PAYMENTS, DATABASE = "shop-gateway", "order-service", "payment-service", "orders-db"
CALLS = {GATEWAY: [ORDERS], ORDERS: [DATABASE, PAYMENTS], PAYMENTS: [], DATABASE: []}
METRICS, LOGS, TRACES, MAP = "metrics.json", "logs.jsonl.gz", "traces.jsonl.gz", "service_map.json"
NORMAL_METRICS, NORMAL_LOGS, NORMAL_TRACES = f"normal/{METRICS}", f"normal/{LOGS}", f"normal/{TRACES}"
QUESTION = {"question": "Why is order-service slow?"}
HEAD = {
    "schema": "world/1",
    "id": "shop-healthy",
    "region": "eu-west-1",
    "account": "111122223333",
    "now": iso(NOW),
    "window": {"start": iso(START), "end": iso(END)},
    "normal": "normal",
}


def healthy_world(**more: Any) -> Files:
    """Every source there is, each with a normal period a day earlier. `more` replaces fields of world.json."""
    return {
        "world.json": HEAD | more,
        "trigger.json": alarm_event(),
        METRICS: all_series(START, 30),
        LOGS: all_lines(START, 30),
        TRACES: all_spans(START, 30),
        MAP: {"services": [{"name": name, "type": "service", "calls": calls} for name, calls in CALLS.items()]},
        "alarms.json": {"alarms": [], "history": []},
        "events.json": [],
        NORMAL_METRICS: all_series(START - DAY, NORMAL_MINUTES),
        NORMAL_LOGS: all_lines(START - DAY, 30),
        NORMAL_TRACES: all_spans(START - DAY, 30),
    }


def asked(files: Mapping[str, Any], question: Any = None) -> Files:
    """The same world, started by a question in place of an alarm."""
    return {name: f for name, f in files.items() if name != "trigger.json"} | {"question.json": question or QUESTION}


def write_world(folder: Path, files: Mapping[str, Any]) -> Path:
    """Rows of a .gz file may be objects or the bytes of a line; any other file may be bytes in place of a document."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(_bytes_of(name, content))
    return folder


def diagnosed(folder: Path, files: Mapping[str, Any]) -> Diagnosis:
    """The whole chain over a world that is written for it."""
    return diagnose(write_world(folder, files))


def failures(diagnosis: Diagnosis) -> list[Invocation]:
    """The calls that failed."""
    return [call for call in diagnosis.file.invocations if call.error_code]


def tool_notes(diagnosis: Diagnosis) -> list[str]:
    """What the tools' outputs say could not be used."""
    return [note for data in diagnosis.file.outputs.values() for note in json.loads(data).get("notes") or ()]


def unchecked(diagnosis: Diagnosis) -> list[str]:
    """What the report says could not be checked."""
    return [f"{row['what']}: {row['why']}" for row in diagnosis.record.report["not_checked"]]


def said(diagnosis: Diagnosis) -> str:
    """All that the run says could not be used, a line each."""
    return "\n".join([*tool_notes(diagnosis), *unchecked(diagnosis)])


def assert_honest(diagnosis: Diagnosis) -> None:
    """The run of a world in which nothing is wrong but its data: it ends, no tool breaks, and nobody is accused."""
    report = diagnosis.record.report
    assert report["status"] == "SUCCESS"
    assert [(c.tool_name, c.error_code, c.error_message) for c in failures(diagnosis) if c.error_code != "SOURCE_UNAVAILABLE"] == []
    assert (report["conclusion"], report["root_causes"]) != ("root_cause", []), "a cause without a cause"
    assert report["root_causes"] == [], "an invented cause"
    assert report["verdict"] == "PASS" or report["conclusion"] == "inconclusive"


def cases(names: Iterable[str], broken: Mapping[str, str] | None = None) -> list[Any]:
    """Parameters; those that are known to break are marked one by one, each with its reason."""
    known = broken or {}
    return [pytest.param(n, marks=pytest.mark.xfail(strict=True, reason=known[n]) if n in known else ()) for n in names]


def first_cause(diagnosis: Diagnosis) -> tuple[str, str] | None:
    """Resource and category of the first cause."""
    causes = diagnosis.record.report["root_causes"]
    return (causes[0]["resource"], causes[0]["fault_category"]) if causes else None


def ranked_causes(diagnosis: Diagnosis) -> list[tuple[str, str | None, str, float]]:
    """What is said of each cause, but for the claims that carry it."""
    return [(c["resource"], c["operation"], c["fault_category"], c["score"]) for c in diagnosis.record.report["root_causes"]]


def alarm_event(metric: str = "Latency", subject: str = GATEWAY, *, at: datetime = END - timedelta(minutes=3), value: float = 0.102) -> Row:
    """An alarm on a threshold so tight that an ordinary value crosses it."""
    stat = {"metric": {"namespace": "Shop", "name": metric, "dimensions": {"ServiceName": subject}}, "period": 60, "stat": "Average"}
    reason = f"Threshold Crossed: 1 datapoint [{value}] was greater than the threshold (0.1)."
    return {
        "version": "0",
        "id": "5f0b6c9e-7a63-4a58-9d57-4f1f6a4f0002",
        "detail-type": "CloudWatch Alarm State Change",
        "source": "aws.cloudwatch",
        "account": "111122223333",
        "time": iso(at),
        "region": "eu-west-1",
        "resources": [f"arn:aws:cloudwatch:eu-west-1:111122223333:alarm:{subject}-{metric.lower()}"],
        "detail": {
            "alarmName": f"{subject}-{metric.lower()}",
            "state": {"value": "ALARM", "reason": reason, "timestamp": iso(at)},
            "previousState": {"value": "OK", "timestamp": iso(at - DAY)},
            "configuration": {"metrics": [{"id": "m1", "metricStat": stat, "returnData": True}]},
        },
    }


def one_series(subject: str, metric: str, values: Sequence[Any], *, start: datetime = START, **fields: Any) -> Row:
    """Datapoints a period apart, from the start on."""
    period = timedelta(seconds=fields.get("period", 60))
    return {
        "namespace": "Shop",
        "metric_name": metric,
        "dimensions": {"ServiceName": subject},
        "stat": "Average",
        "period": 60,
        "unit": "None",
        "timestamps": [iso(start + n * period) for n in range(len(values))],
        "values": list(values),
    } | fields


def all_series(start: datetime, minutes: int) -> list[Row]:
    """Latency, availability and requests of every service, and the database's own state."""
    services = enumerate((GATEWAY, ORDERS, PAYMENTS))
    rows = [row for n, name in services for row in _of_service(name, start, minutes, n)]
    for metric, base, unit in (
        ("CPUUtilization", 22.0, "Percent"),
        ("DatabaseConnections", 14.0, "Count"),
        ("FreeableMemory", 2e9, "Bytes"),
    ):
        rows.append(one_series(DATABASE, metric, ordinary(base, minutes, 5), start=start, unit=unit, namespace="AWS/RDS",
                               dimensions={"DBInstanceIdentifier": DATABASE}))  # fmt: skip
    return rows


def all_lines(start: datetime, minutes: int) -> list[Row]:
    """Each service says the same things every twenty seconds."""
    texts = ("INFO request {n} took {ms} ms", "INFO order {n} stored", "INFO session {n} opened from 10.0.0.{ip}")
    rows = []
    for n in range(minutes * 3):
        for m, service in enumerate((GATEWAY, ORDERS, PAYMENTS)):
            text = texts[(n + m) % 3].format(n=1000 + n, ms=20 + n % 7, ip=1 + n % 20)
            rows.append(one_line(text, service=service, at=start + timedelta(seconds=20 * n + m)))
    return rows


def one_line(message: str, *, service: str = ORDERS, at: datetime = START + timedelta(minutes=5), **fields: Any) -> Row:
    return {"log_group": f"/ecs/{service}", "log_stream": "a", "timestamp": int(at.timestamp() * 1000), "message": message} | fields


def all_spans(start: datetime, minutes: int) -> list[Row]:
    """A trace every forty seconds: the gateway calls orders, which calls payments and the database."""
    rows = []
    for n in range(minutes * 3 // 2):
        trace, at = f"{int(start.timestamp()) + n:032x}", start + timedelta(seconds=40 * n)
        ids = [f"{int(start.timestamp()):08x}{n:06x}{k:02x}" for k in range(4)]
        wave = ordinary(1.0, n + 1)[-1]
        for k, (parent, service, name, ms) in enumerate(
            (
                (None, GATEWAY, "POST /api/orders", 60.0),
                (0, ORDERS, "POST /orders", 45.0),
                (1, PAYMENTS, "POST /payments", 15.0),
                (1, DATABASE, "INSERT orders", 8.0),
            )
        ):
            above = None if parent is None else ids[parent]
            rows.append(one_span(service, name, trace_id=trace, span_id=ids[k], parent_id=above, at=at, duration_ms=ms * wave))
    return rows


def one_span(service: str, name: str, *, at: datetime = START + timedelta(minutes=5), **fields: Any) -> Row:
    return {
        "trace_id": f"{1:032x}",
        "span_id": f"{1:016x}",
        "parent_id": None,
        "service": service,
        "resource": f"{service}-pod",
        "name": name,
        "start_ms": at.timestamp() * 1000,
        "duration_ms": 20.0,
        "error": False,
        "attributes": {},
    } | fields


def ordinary(base: float, count: int, offset: int = 0) -> list[float]:
    """Values around a base: the same ones each time, no two neighbours alike."""
    return [base * (1 + 0.05 * (((n + offset) * 7919 % 13) - 6) / 6) for n in range(count)]


def _of_service(name: str, start: datetime, minutes: int, offset: int) -> list[Row]:
    base = {GATEWAY: 0.1, ORDERS: 0.06, PAYMENTS: 0.02}[name]
    return [
        one_series(name, "Latency", ordinary(base, minutes, offset), start=start, unit="Seconds"),
        one_series(name, "Availability", [99.9 - 0.1 * (n % 3) for n in range(minutes)], start=start, unit="Percent"),
        one_series(name, "RequestCount", ordinary(300.0, minutes, offset), start=start, unit="Count", stat="Sum"),
    ]


def _bytes_of(name: str, content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    if name.endswith(".gz"):
        return gzip.compress(b"".join(_line_of(row) for row in content), compresslevel=1, mtime=0)
    return content.encode() if isinstance(content, str) else json.dumps(content).encode()


def _line_of(row: Any) -> bytes:
    return (row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n"
