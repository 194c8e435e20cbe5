"""Bad service maps, events and alarm listings: the run ends, nobody is accused."""

import re
import time
from datetime import timedelta
from typing import Any

import pytest

from support.worlds import (
    CALLS,
    DATABASE,
    DAY,
    GATEWAY,
    METRICS,
    NOW,
    ORDERS,
    PAYMENTS,
    START,
    Files,
    Row,
    assert_honest,
    iso,
    one_series,
    ordinary,
    said,
)

MAP, EVENTS, ALARMS = "service_map.json", "events.json", "alarms.json"
YEAR_1, YEAR_9999 = "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"


def mapped(calls: dict[str, list[str]], *, more: tuple[Row, ...] = ()) -> Any:
    return lambda w: w | {MAP: {"services": [*({"name": name, "calls": callees} for name, callees in calls.items()), *more]}}


def ring(count: int, width: int) -> dict[str, list[str]]:
    """Services that call the next ones, around in a circle."""
    return {f"service-{n}": [f"service-{(n + k) % count}" for k in range(width)] for n in range(count)}


def thousand_measured(files: Files) -> Files:
    rows = [one_series(f"service-{n}", "Latency", ordinary(0.1, 30, n), unit="Seconds") for n in range(1_000)]
    return mapped(CALLS | {GATEWAY: [ORDERS, "service-0"]} | ring(1_000, 3))(files | {METRICS: [*files[METRICS], *rows]})


MAPS = {
    "a cycle": mapped({GATEWAY: [ORDERS], ORDERS: [PAYMENTS, DATABASE], PAYMENTS: [GATEWAY], DATABASE: [ORDERS]}),
    "self-calls": mapped({name: [*calls, name] for name, calls in CALLS.items()}),
    "everybody calls everybody": mapped({name: list(CALLS) for name in CALLS}),
    "unknown services": mapped({"ghost": ["spectre"], GATEWAY: ["nobody"], "": [GATEWAY]}),
    "empty names": mapped({"": ["", GATEWAY], GATEWAY: [""], " ": [" "]}),
    "a name twice": mapped(CALLS, more=tuple({"name": name, "calls": []} for name in CALLS)),
    "nobody": mapped({}),
    "a thousand services in a ring": mapped(CALLS | {GATEWAY: [ORDERS, "service-0"]} | ring(1_000, 20)),
    "a thousand measured services": thousand_measured,
}


@pytest.mark.parametrize("name", MAPS)
def test_bad_maps_accuse_nobody_and_take_no_time(spoiled: Any, name: str) -> None:
    """A ring of a thousand takes half a second, a thousand measured services two."""
    begun = time.process_time()
    assert_honest(spoiled(MAPS[name]))
    assert time.process_time() - begun < 20


@pytest.mark.parametrize("name", ["unknown services", "empty names"])
def test_what_of_the_map_could_not_be_used_is_said(spoiled: Any, name: str) -> None:
    assert re.search(r"map.*(unknown|not measured|without a name|no name)", said(spoiled(MAPS[name])))


def happened(*events: Row) -> Any:
    return lambda w: w | {EVENTS: list(events)}


def event(minutes: float = -3.0, **fields: Any) -> Row:
    """A rollout of orders, so many minutes from the window's start."""
    at = iso(START + timedelta(minutes=minutes))
    return {"time": at, "source": "deploy", "name": "UpdateService", "resource": ORDERS, "actor": "ci", "message": "", "raw": {}} | fields


WHENEVER = (-1_200.0, -3.0, 20.0)  # long before, shortly before, after
EVENTS_OF = {
    "no resource": happened(*(event(m, resource="") for m in WHENEVER)),
    "time, source and name alone": happened({k: v for k, v in event().items() if k in ("time", "source", "name")}),
    "no name": happened(*(event(m, name="") for m in WHENEVER)),
    "no source": happened(*(event(m, source="") for m in WHENEVER)),
    "nothing but a time": happened(*(dict.fromkeys(event(), "") | {"raw": {}, "time": event(m)["time"]} for m in WHENEVER)),
    "a message of 1 MB": happened(event(message="version 5 " * 100_000)),
    "names of 100,000 letters": happened(event(name="N" * 100_000, resource="r" * 100_000, source="s" * 100_000, actor="a" * 100_000)),
    "in the future": happened(event(time=iso(NOW + 365 * DAY)), event(time=YEAR_9999)),
    "in the year 1": happened(event(time=YEAR_1)),
    "two thousand at once": happened(*[event()] * 2_000),
    "a document in place of a message": happened(event(message={"a": [1, None]}, actor=7, raw={"a": [{"b": [None]}]})),
    "control characters": happened(event(name="\x00\x1b[31m", resource='"{}"', message="%s {resource} $.a[0] `x`\n")),
}


@pytest.mark.parametrize("name", EVENTS_OF)
def test_bad_events_accuse_nobody(spoiled: Any, name: str) -> None:
    assert_honest(spoiled(EVENTS_OF[name]))


def listed(*alarms: Row, history: tuple[Row, ...] = ()) -> Any:
    return lambda w: w | {ALARMS: {"alarms": list(alarms), "history": list(history)}}


ODD = {"name": "\x00", "state": "BANANA", "reason": "r" * 100_000, "metric": "///", "dimensions": {"": ""}, "updated": YEAR_9999}
ON = {"name": "orders-db-cpu", "state": "ALARM", "metric": "AWS/RDS CPUUtilization", "dimensions": {"DBInstanceIdentifier": DATABASE}}
LISTINGS = {
    "empty texts": listed({"name": "", "state": ""}, {"name": "", "state": "ALARM", "metric": "", "dimensions": {}}),
    "rubbish": listed(ODD, ODD | {"name": "a" * 5_000, "state": "ALARM"}, ODD | {"state": "ALARM", "metric": " : / "}),
    "an alarm of a healthy resource": listed(ON, ON),
    "a thousand": listed(*(ON | {"name": f"a{n}", "dimensions": {"ServiceName": f"service-{n}"}} for n in range(1_000))),
    "history out of all time": listed(
        history=(
            {"timestamp": YEAR_1, "alarm": "", "from": "", "to": "", "reason": ""},
            {"timestamp": YEAR_9999, "alarm": "x", "from": "OK", "to": "ALARM", "reason": "r" * 100_000},
        )
    ),
}


@pytest.mark.parametrize("name", LISTINGS)
def test_bad_alarm_listings_accuse_nobody(spoiled: Any, name: str) -> None:
    assert_honest(spoiled(LISTINGS[name]))


def test_a_failover_among_rubbish_is_still_found(spoiled: Any) -> None:
    def spoil(files: Files) -> Files:
        failed = event(14.0, source="rds", name="RDS-EVENT-0049", resource=DATABASE, message="Multi-AZ instance failover completed")
        return MAPS["a cycle"](happened(failed, event(message="x" * 10_000), event(-1_200.0, resource=""))(files))

    assert spoiled(spoil).record.report["root_causes"][0]["resource"] == DATABASE
