"""`aiops_rule_evaluation`: light checks of an alarm's run. They never stand in for the Verifier, and speak in other words than it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from superbiz.domain import canonical
from superbiz.domain.claims import Conclusion
from superbiz.domain.composing.headings import CONCLUSION, missing_headings, section
from superbiz.domain.evidence import Invocation, InvocationStatus, ToolCategory
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.naming import alike, names
from superbiz.domain.runs import RunRecord, Status
from superbiz.domain.service_map import ServiceMap
from superbiz.domain.values import JsonObject
from superbiz.errors import Invalid

RULES_VERSION = "aiops-1"
SOURCE = "rule"
PASSED, BROKEN, NOT_APPLICABLE = "pass", "fail", "not_applicable"
CRITICAL, WARNING = "critical", "warning"
EVIDENCE = frozenset({ToolCategory.KNOWLEDGE, ToolCategory.LOG, ToolCategory.METRIC, ToolCategory.TRACE, ToolCategory.CHANGE})
# Dimensions that many resources share: two alarms in one region or stage have nothing in common yet.
PLACES = frozenset(
    {"region", "availabilityzone", "environment", "env", "stage", "currency", "account", "accountid", "cluster", "clustername"}
)
_FENCED = re.compile(r"\A```\w*\s*(.*?)\s*```\Z", re.DOTALL)


class Evidence(NamedTuple):
    """What the checks look at: the run with its report, its calls, and what their outputs tell of alarms and of the service map."""

    record: RunRecord
    invocations: Sequence[Invocation]
    outputs: Mapping[str, Any]
    alarm: AlarmNotice | None

    @property
    def report(self) -> JsonObject:
        return self.record.report or {}

    @property
    def answer(self) -> str:
        return (self.record.answer or "").strip()


class Check(NamedTuple):
    """`broken` says what is wrong, or None. With `needs_alarm` the check applies only where an alarm started the run."""

    name: str
    severity: str
    broken: Callable[[Evidence], str | None]
    passed: str
    needs_alarm: bool = False


def evaluate(record: RunRecord, invocations: Sequence[Invocation], outputs: Mapping[str, Any], alarm: AlarmNotice | None) -> JsonObject:
    """The node: `verdict` (PASS, WARN or FAIL) and every check with its status and detail."""
    checks = [_checked(check, Evidence(record, invocations, outputs, alarm)) for check in CHECKS]
    broken = {check["severity"] for check in checks if check["status"] == BROKEN}
    verdict = "FAIL" if CRITICAL in broken else "WARN" if broken else "PASS"
    return {"verdict": verdict, "checks": checks, "source": SOURCE, "rules_version": RULES_VERSION}


def _checked(check: Check, evidence: Evidence) -> JsonObject:
    status, detail = NOT_APPLICABLE, "no alarm started this run"
    if evidence.alarm or not check.needs_alarm:
        why = check.broken(evidence)
        status, detail = (PASSED, check.passed) if why is None else (BROKEN, why)
    return {"name": check.name, "status": status, "severity": check.severity, "detail": detail}


def _no_report(e: Evidence) -> str | None:
    if e.record.run.status is not Status.SUCCESS:
        return f"the run is {e.record.run.status}"
    if not e.answer:
        return "the answer is empty"
    if _is_json(e.answer):
        return "the answer is a JSON document, not a report"
    missing = missing_headings(e.answer)
    return f"headings missing: {', '.join(missing)}" if missing else None


def _is_json(answer: str) -> bool:
    fenced = _FENCED.match(answer)
    try:
        return isinstance(canonical.loads(fenced[1] if fenced else answer), dict | list)
    except Invalid:
        return False


def _out_of_focus(e: Evidence) -> str | None:
    if e.alarm is None:
        return None
    subjects = e.report.get("subjects") or []
    if not subjects or subjects[0] != e.alarm.alarm_name:
        return f"expected {e.alarm.alarm_name} as first subject, found {subjects[0] if subjects else 'none'}"
    if _speaks_of(e, e.alarm):
        return None
    return f"neither a claim nor the conclusion speaks of {e.alarm.alarm_name} or of its resources"


def _speaks_of(e: Evidence, alarm: AlarmNotice) -> bool:
    """A claim or the conclusion names the alarm or its resource, or a cause lies downstream of it."""
    wanted = {alarm.alarm_name, *_own_resources(alarm)}
    texts = [*(str(claim.get("claim_text", "")) for claim in e.report.get("claims") or []), section(e.answer, CONCLUSION)]
    if any(names(text, name) for text in texts for name in wanted):
        return True
    services = ServiceMap.of_outputs(e.outputs.values())
    return any(services.reaches(own, cause) for own in _own_resources(alarm) for cause in _cause_resources(e))


def _expanded(e: Evidence) -> str | None:
    """Another alarm may be mentioned; it may not become the subject, nor give the cause, unless it belongs to the same trouble."""
    if e.alarm is None:
        return None
    subjects, causes = e.report.get("subjects") or [], list(_cause_resources(e))
    for name, resources in _unrelated(e, e.alarm):
        if name in subjects:
            return f"{name} is another alarm, on nothing that {e.alarm.alarm_name} touches, and became a subject"
        carried = [c for c in causes if c.casefold() == name.casefold() or any(alike(c, r) for r in resources)]
        if carried:
            return f"the cause {carried[0]} is that of {name}, another alarm, on nothing that {e.alarm.alarm_name} touches"
    return None


def _unrelated(e: Evidence, alarm: AlarmNotice) -> Iterator[tuple[str, frozenset[str]]]:
    """Other active alarms of the run's listings with nothing in common with the input alarm."""
    own, services = _own_resources(alarm), ServiceMap.of_outputs(e.outputs.values())
    told = f"{alarm.reason}\n{alarm.description}"
    for name, resources in _active_alarms(e):
        tied = any(alike(a, b) or services.tied(a, b) for a in own for b in resources)
        if name != alarm.alarm_name and not tied and not names(told, name):
            yield name, resources


def _active_alarms(e: Evidence) -> Iterator[tuple[str, frozenset[str]]]:
    listings = {call.invocation_id for call in e.invocations if call.category is ToolCategory.ALERT}
    for invocation_id in sorted(listings & e.outputs.keys()):
        output = e.outputs[invocation_id]
        rows = output.get("alarms") if isinstance(output, Mapping) else None
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, Mapping) and row.get("state") == "ALARM" and isinstance(row.get("name"), str):
                yield row["name"], _values(row.get("dimensions"))


def _values(dimensions: Any) -> frozenset[str]:
    """The resources that dimensions name, given as a map or as a list of name and value."""
    if isinstance(dimensions, list):
        dimensions = {str(pair.get("name")): pair.get("value") for pair in dimensions if isinstance(pair, Mapping)}
    pairs = dimensions.items() if isinstance(dimensions, Mapping) else ()
    return frozenset(str(value) for name, value in pairs if value and name.casefold() not in PLACES)


def _own_resources(alarm: AlarmNotice) -> frozenset[str]:
    named = [_values(metric.dimensions) for metric in alarm.metrics]
    return frozenset({alarm.contributor} if alarm.contributor else set()).union(*named)


def _cause_resources(e: Evidence) -> Iterator[str]:
    if e.report.get("conclusion") != Conclusion.ROOT_CAUSE:
        return
    for cause in e.report.get("root_causes") or []:
        yield str(cause.get("resource", ""))


def _none_of(categories: Iterable[ToolCategory], *, successful: bool, wanted: str) -> Callable[[Evidence], str | None]:
    sought = frozenset(categories)

    def broken(e: Evidence) -> str | None:
        calls = [c for c in e.invocations if c.category in sought and (not successful or c.status is InvocationStatus.SUCCESS)]
        return None if calls else f"no {wanted} call was made"

    return broken


def _no_lookup(e: Evidence) -> str | None:
    return None if any(call.tool_name == "lookup_knowledge" for call in e.invocations) else "lookup_knowledge was never called"


CHECKS = (
    Check("final_report_present", CRITICAL, _no_report, "the report is there under every heading"),
    Check("payload_alert_focus", CRITICAL, _out_of_focus, "the report is about the input alarm", needs_alarm=True),
    Check("no_unrelated_alert_expansion", CRITICAL, _expanded, "no unrelated alarm became a subject or gave the cause", needs_alarm=True),
    Check("evidence_tool_called", CRITICAL, _none_of(EVIDENCE, successful=True, wanted="successful evidence"), "evidence was collected"),
    Check("lookup_knowledge_called", WARNING, _no_lookup, "knowledge was looked up"),
    Check("logs_called", WARNING, _none_of([ToolCategory.LOG], successful=False, wanted="log"), "logs were asked"),
    Check("metrics_called", WARNING, _none_of([ToolCategory.METRIC], successful=False, wanted="metric"), "metrics were asked"),
)
