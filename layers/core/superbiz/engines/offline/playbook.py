"""The offline investigator's calls, in their order: knowledge, logs and metrics once each in every run, then closer to the suspects.

A source that can not be read is a FAILED call, which is kept: it is told as not checked, never as no evidence.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from superbiz.analysis import kinds
from superbiz.analysis.deciding import Candidate
from superbiz.domain import keys, refs
from superbiz.domain.claims import Binding
from superbiz.domain.evidence import InvocationStatus
from superbiz.domain.facts import Told
from superbiz.domain.gatekeeper import EvidenceBook
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.naming import names
from superbiz.domain.values import JsonObject, iso
from superbiz.engines import evidence
from superbiz.engines.offline import focusing, observing
from superbiz.engines.offline.observing import Record
from superbiz.ports import Brief, RecordedCall, Toolbox

QUERY_CHARS = 500
KEYS = 20
CLOSER = 4  # suspects that are looked at again
WIDER_TOP = 40
RANG_LATE = timedelta(minutes=10)  # alarms wait for several datapoints
DATABASES = ("AWS/RDS", "AWS/DocDB", "AWS/Neptune", "AWS/Aurora")


class Book(NamedTuple):
    """The calls of an investigation, all of them, the candidates that their signs name, and the records behind signs by their keys."""

    calls: tuple[RecordedCall, ...]
    candidates: tuple[Candidate, ...]
    records: Mapping[str, Record]

    def evidence(self) -> EvidenceBook:
        """The calls as the Gatekeeper reads them."""
        return evidence.book_of(self.calls, next((c.invocation.run_id for c in self.calls), ""))

    def told(self, binding: Binding) -> Told:
        """The node that a citation leads to."""
        call = next(c for c in self.calls if c.invocation.invocation_id == binding.invocation_id)
        return Told(binding.invocation_id, binding.raw_path, refs.node_at(call.output, refs.parse_path(binding.raw_path) or ())[1])

    def of(self, tool_name: str) -> list[RecordedCall]:
        """The successful calls of one tool."""
        return [c for c in self.calls if c.invocation.tool_name == tool_name and c.output is not None]


def investigate(brief: Brief, tools: Toolbox) -> Book:
    """Make the calls. In a second round everything recorded is at hand already, and what is missing is asked for more widely."""
    calls = [tools.call(name, params) for name, params in _openings(brief)]
    symptom = symptom_of(brief.alarm) or felt(brief, calls)
    if symptom:
        calls.append(tools.call("rank_suspects", symptom))
    calls += [tools.call(name, params) for name, params in _insights(brief.alarm, calls)]
    since = _since(brief.alarm, calls)
    calls += [tools.call("query_logs", since), tools.call("query_traces", {})]
    focus = focusing.focus_of(brief.alarm, symptom["target"] if symptom else target_of(brief.alarm))
    first = observing.candidates(calls, focus)
    calls += [tools.call(name, params) for name, params in _closer(calls, first, since)]
    second = observing.candidates(calls, focus)
    calls.append(tools.call("list_changes", _changes(brief.alarm, calls, second)))
    if brief.retry:
        calls += [tools.call(name, params) for name, params in _wider(brief, calls, second, since)]
    return Book(_once(calls), tuple(observing.candidates(calls, focus)), observing.by_key(calls))


def _openings(brief: Brief) -> list[tuple[str, JsonObject]]:
    looked_up = keys.from_alarm(brief.alarm) if brief.alarm else keys.from_text(brief.query)
    knowledge: JsonObject = {"keys": list(looked_up[:KEYS]), "query": brief.query[:QUERY_CHARS]}
    return [("lookup_knowledge", knowledge), ("list_alarms", {}), ("query_metrics", {})]


def symptom_of(alarm: AlarmNotice | None) -> JsonObject | None:
    """What the alarm measures, as the question of who is behind it; None for a question or an alarm without a plain metric."""
    metric = next((m for m in alarm.metrics if m.metric_name), None) if alarm else None
    if alarm is None or metric is None:
        return None
    subject = observing.subject_of(metric.namespace, metric.metric_name, metric.dimensions)
    asked: JsonObject = {"metric": metric.metric_name, "stat": metric.stat or "Average", "target": subject}
    falling = _falling(alarm)
    return asked if falling is None else asked | {"falling": falling}


def felt(brief: Brief, calls: Sequence[RecordedCall]) -> JsonObject | None:
    """The symptom where no alarm's metric tells it: the series that moved most at a resource that the alarm or question names."""
    named = target_of(brief.alarm)
    found = observing.felt_at(calls, lambda subject: names(brief.query, subject) or (named is not None and names(named, subject)))
    if found is None:
        return None
    asked: JsonObject = {"metric": found["metric"], "stat": found["stat"], "target": found["subject"]}
    falling = kinds.rule_of(found["metric"]).falling
    return asked if falling is None else asked | {"falling": falling}


def target_of(alarm: AlarmNotice | None) -> str | None:
    """The resource that an alarm's dimensions or labels name."""
    told = [subject for m in alarm.metrics if (subject := kinds.subject_among(m.dimensions))] if alarm else []
    return told[0] if told else None


def _falling(alarm: AlarmNotice) -> bool | None:
    """The alarm's own comparison, else the words of its reason."""
    told = f"{alarm.comparison or ''} {alarm.reason}".lower()
    below, above = "lessthan" in told or "less than" in told, "greaterthan" in told or "greater than" in told
    return None if below == above else below


def _insights(alarm: AlarmNotice | None, calls: Sequence[RecordedCall]) -> list[tuple[str, JsonObject]]:
    """Where a database is measured or in alarm, what loads it is asked for too."""
    rows = [r.node for r in observing.all_records(calls, "query_metrics", "series")]
    measured = [n["subject"] for n in rows if n["namespace"] in DATABASES]
    target = target_of(alarm) if alarm and any(m.namespace in DATABASES for m in alarm.metrics) else None
    return [("read_insights", {"database": name}) for name in [target, *measured] if name][:1]


def _since(alarm: AlarmNotice | None, calls: Sequence[RecordedCall]) -> JsonObject:
    """When it began, for what has no other reference: by the symptom, else a while before the alarm rang."""
    began = observing.onset(calls, ()) or (alarm.occurred_at - RANG_LATE if alarm else None)
    return {"onset": iso(began)} if began else {}


def _closer(calls: Sequence[RecordedCall], found: Sequence[Candidate], since: JsonObject) -> list[tuple[str, JsonObject]]:
    """Metrics and logs of the first suspects alone: a second, independent reading, and room for their raw lines."""
    names = [c.resource for c in found[:CLOSER]]
    if not names:
        return []
    asked: list[tuple[str, JsonObject]] = []
    if _answered(calls, "query_metrics"):
        asked.append(("query_metrics", {"subjects": names}))
    if _answered(calls, "query_logs") and observing.speaks(calls, names):
        asked.append(("query_logs", {"services": names} | since))
    return asked


def _changes(alarm: AlarmNotice | None, calls: Sequence[RecordedCall], found: Sequence[Candidate]) -> JsonObject:
    onset = observing.onset(calls, found) or (alarm.occurred_at if alarm else None)
    asked: JsonObject = {"suspects": [c.resource for c in found[:10]]}
    return asked | ({"onset": iso(onset)} if isinstance(onset, datetime) else {})


def _wider(brief: Brief, calls: Sequence[RecordedCall], found: Sequence[Candidate], since: JsonObject) -> list[tuple[str, JsonObject]]:
    """The second round: more of what may carry the claims that failed, within the calls that are left."""
    names = [c.resource for c in found[:CLOSER]]
    asked: list[tuple[str, JsonObject]] = [
        ("query_metrics", {"subjects": names, "top": WIDER_TOP} if names else {"top": WIDER_TOP}),
        ("query_logs", {"levels": ["ERROR", "FATAL", "CRITICAL", "WARN"], "top": WIDER_TOP} | since),
        ("query_traces", {"services": names, "top": WIDER_TOP} if names else {"top": WIDER_TOP}),
    ]
    limit = brief.retry.limits.max_new_tool_calls if brief.retry else 0
    return [(name, params) for name, params in asked if _answered(calls, name)][:limit]


def _answered(calls: Sequence[RecordedCall], tool_name: str) -> bool:
    return any(c.invocation.tool_name == tool_name and c.invocation.status is InvocationStatus.SUCCESS for c in calls)


def _once(calls: Sequence[RecordedCall]) -> tuple[RecordedCall, ...]:
    return tuple({c.invocation.invocation_id: c for c in calls}.values())
