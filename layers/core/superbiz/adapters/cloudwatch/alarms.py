"""CloudWatch alarms as they stand and as they changed; what is behind composite alarms and metric math."""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from superbiz.adapters.cloudwatch.asking import batches, listed
from superbiz.adapters.cloudwatch.session import Clients, Found, Limits, Subject, utc
from superbiz.domain.incidents import AlarmMetric
from superbiz.domain.observations import AlarmChange, AlarmListing, AlarmRow
from superbiz.domain.values import JsonObject, Window
from superbiz.ports import SourceUnavailable

WHAT, HISTORY = "alarms", "alarm history"
# AWS lists metric alarms alone unless it is told which types are meant.
TYPES = {"MetricAlarm": "MetricAlarms", "CompositeAlarm": "CompositeAlarms"}
ON_LOGS, LOG_ALARMS = "LogAlarm", "LogAlarms"  # a younger type, which is asked for only where a name is of none of the others
PAGE = 100
DEEPEST = 5  # composite alarms of composite alarms
OWN_HISTORY = timedelta(days=14)  # of the alarm itself: whether it is an old acquaintance
HISTORY_BEFORE = timedelta(hours=3)  # of all alarms: what else had changed when the trouble began
_CHILD = re.compile(r"""\b(?:ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^)]*?)\s*\)""")
_CHANGED = re.compile(r"from (\w+) to (\w+)")
NO_STATE = "INSUFFICIENT_DATA"


class Family(NamedTuple):
    """An alarm's definition as AWS gives it, and those of the alarms that it is composed of. Metrics of all of them, each once."""

    definitions: tuple[JsonObject, ...] = ()
    metrics: tuple[AlarmMetric, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def own(self) -> JsonObject:
        """The alarm itself; empty where it is not there."""
        return self.definitions[0] if self.definitions else {}


def family(clients: Clients, name: str) -> Family:
    """The alarm and, for a composite one, its children's children."""
    known: dict[str, JsonObject] = {}
    wanted = [name]
    for _ in range(DEEPEST):
        new = [n for n in dict.fromkeys(wanted) if n not in known]
        if not new:
            break
        known |= {row["AlarmName"]: row for row in _definitions(clients, new)}
        wanted = [child for row in known.values() for child in children(row.get("AlarmRule", ""))]
    rows = tuple(known[n] for n in dict.fromkeys([name, *known]) if n in known)
    notes = [] if name in known else [f"alarm {name} is not in this account and region"]
    unread = [row["AlarmName"] for row in rows if not (row.get("AlarmRule") or metrics_of(row) or log_groups_of(row))]
    notes += [f"alarm {n} is evaluated from a query; its metrics can not be told" for n in unread]
    return Family(rows, _once(m for row in rows for m in metrics_of(row)), tuple(notes))


def children(rule: str) -> tuple[str, ...]:
    """The names of the alarms that a composite alarm's rule speaks of; they may be written as ARNs, with or without quotes."""
    found = (match[1] for match in _CHILD.finditer(rule))
    names = (re.sub(r"\\(.)", r"\1", text[1:-1]) if text[:1] in "\"'" and text else text for text in found)
    return tuple(dict.fromkeys(n.split(":alarm:", 1)[1] if n.startswith("arn:") and ":alarm:" in n else n for n in names if n))


def metrics_of(row: JsonObject) -> tuple[AlarmMetric, ...]:
    """A plain alarm's metric, or the metrics at the leaves of its metric math."""
    if row.get("MetricName"):
        stat = row.get("Statistic") or row.get("ExtendedStatistic") or ""
        return (_metric(row, stat, row.get("Period")),)
    stats = [q["MetricStat"] for q in row.get("Metrics", ()) if q.get("MetricStat")]
    return tuple(_metric(s["Metric"], s.get("Stat", ""), s.get("Period")) for s in stats)


def log_groups_of(row: JsonObject) -> tuple[str, ...]:
    """The names of the log groups that an alarm's query reads."""
    told = row.get("ScheduledQueryConfiguration") or {}
    return tuple(name.removesuffix(":*").rpartition(":log-group:")[2] for name in told.get("LogGroupIdentifiers", ()))


def changed_at(row: JsonObject) -> datetime | None:
    """When the alarm took its present state; the time of its last update where AWS does not say."""
    moment = row.get("StateTransitionedTimestamp") or row.get("StateUpdatedTimestamp")
    return utc(moment) if isinstance(moment, datetime) else None


def subject_of(clients: Clients, name: str) -> Subject:
    """The subject of a run about an alarm that is known by its name alone. Raises SourceUnavailable where there is no such alarm."""
    found = family(clients, name)
    if not found.own:
        raise SourceUnavailable(f"alarm {name}", "it is not in this account and region", "NOT_FOUND")
    account = str(found.own.get("AlarmArn", "")).split(":")[4:5]
    return Subject(name, clients.reach.region, account[0] if account else "", found.metrics, changed_at(found.own),
                   str(found.own.get("AlarmDescription") or ""))  # fmt: skip


def rows(clients: Clients, names: Sequence[str], limits: Limits) -> Found[JsonObject]:
    """The definitions of all alarms up to the limit, those in ALARM first, and of the named ones in any case."""
    known: dict[str, JsonObject] = {}
    partial: list[str] = []
    for state in ("ALARM", None):
        for kind, key in TYPES.items():
            asked: JsonObject = {"AlarmTypes": [kind], "MaxRecords": PAGE} | ({"StateValue": state} if state else {})
            page = listed(clients, WHAT, "cloudwatch", "DescribeAlarms", key, "NextToken", max(limits.alarms // PAGE, 1), **asked)
            known |= {row["AlarmName"]: row for row in page.rows}
            if page.more:
                partial.append(f"alarms: only {len(page.rows)} were listed of the {kind}s{' in ALARM' if state else ''}")
    missing = _definitions(clients, [n for n in names if n not in known])
    return Found((*known.values(), *missing), tuple(partial))


def history(clients: Clients, names: Sequence[str], window: Window, limits: Limits) -> Found[AlarmChange]:
    """The changes of all alarms in and before the window, and of the named ones for longer. Read from the newest on, so that a limit cuts
    off what is oldest."""
    asked: list[JsonObject] = [
        {"AlarmName": n, "AlarmTypes": list(TYPES), "StartDate": window.end - OWN_HISTORY, "EndDate": window.end} for n in names
    ]
    asked += [{"AlarmTypes": [kind], "StartDate": window.start - HISTORY_BEFORE, "EndDate": window.end} for kind in TYPES]
    newest: JsonObject = {"HistoryItemType": "StateUpdate", "ScanBy": "TimestampDescending", "MaxRecords": PAGE}
    pages = max(limits.alarms // PAGE, 1)
    changes: list[AlarmChange] = []
    partial: list[str] = []
    for one in asked:
        page = listed(clients, HISTORY, "cloudwatch", "DescribeAlarmHistory", "AlarmHistoryItems", "NextToken", pages, **newest, **one)
        changes += [change for item in page.rows if (change := _change(item))]
        if page.more:
            partial.append(f"alarm history: only the last {len(page.rows)} changes were read of {one.get('AlarmName', 'all alarms')}")
    once = {(c.timestamp, c.alarm, c.to): c for c in changes}
    return Found(tuple(sorted(once.values(), key=lambda c: (c.timestamp, c.alarm))), tuple(partial))


def listing_of(rows: Sequence[JsonObject], changes: Sequence[AlarmChange]) -> AlarmListing:
    """Definitions and changes as the tools take them."""
    return AlarmListing(alarms=tuple(map(_row, rows)), history=tuple(changes))


def in_alarm(found: AlarmListing, name: str, window: Window) -> bool:
    """Whether the history says that the alarm was in ALARM at some time of the window. Silence of the history is no."""
    changes = sorted((c for c in found.history if c.alarm == name), key=lambda c: c.timestamp)
    before = [c for c in changes if c.timestamp <= window.start]
    if before and before[-1].to == "ALARM":
        return True
    return any(c.to == "ALARM" for c in changes if window.holds(c.timestamp))


def _definitions(clients: Clients, names: Sequence[str]) -> list[JsonObject]:
    found: list[JsonObject] = []
    for asked in batches(names, PAGE):
        for kind, key in TYPES.items():
            found += listed(clients, WHAT, "cloudwatch", "DescribeAlarms", key, "NextToken", 2, AlarmNames=asked, AlarmTypes=[kind]).rows
    if missing := [n for n in names if n not in {row["AlarmName"] for row in found}]:
        try:
            asked_last = {"AlarmNames": missing[:PAGE], "AlarmTypes": [ON_LOGS]}
            found += listed(clients, WHAT, "cloudwatch", "DescribeAlarms", LOG_ALARMS, "NextToken", 1, **asked_last).rows
        except SourceUnavailable:  # a region that does not know the type has no such alarm
            return found
    return found


def _change(item: JsonObject) -> AlarmChange | None:
    """From the item's own data, else from its summary (`Alarm updated from OK to ALARM`)."""
    try:
        data = json.loads(item.get("HistoryData") or "{}")
    except ValueError:  # AWS cuts long data off
        data = {}
    old, new = (_state(data, key) for key in ("oldState", "newState"))
    summary = _CHANGED.search(str(item.get("HistorySummary", "")))
    before, after = old.get("stateValue") or (summary[1] if summary else ""), new.get("stateValue") or (summary[2] if summary else "")
    if not after or not isinstance(item.get("Timestamp"), datetime):
        return None
    return AlarmChange(timestamp=utc(item["Timestamp"]), alarm=str(item.get("AlarmName", "")), from_=str(before), to=str(after),
                       reason=str(new.get("stateReason") or ""))  # fmt: skip


def _state(data: Any, key: str) -> JsonObject:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def _row(row: JsonObject) -> AlarmRow:
    metrics = metrics_of(row)
    dimensions = {k: v for m in metrics for k, v in m.dimensions.items()}
    return AlarmRow(
        name=row["AlarmName"],
        state=row.get("StateValue") or NO_STATE,
        reason=row.get("StateReason") or "",
        metric=", ".join(dict.fromkeys(m.metric_name for m in metrics)),
        dimensions=dimensions,
        updated=changed_at(row),
    )


def _once(metrics: Iterable[AlarmMetric]) -> tuple[AlarmMetric, ...]:
    found: list[AlarmMetric] = []
    for metric in metrics:
        if metric not in found:
            found.append(metric)
    return tuple(found)


def _metric(named: JsonObject, stat: str, period: Any) -> AlarmMetric:
    dimensions = {d["Name"]: d["Value"] for d in named.get("Dimensions", ())}
    return AlarmMetric(namespace=named.get("Namespace", ""), metric_name=named.get("MetricName", ""), dimensions=dimensions, stat=stat,
                       period=period if isinstance(period, int) else None)  # fmt: skip
