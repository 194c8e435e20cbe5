"""Keeping to the alarm: signs of resources that it does not depend on weigh less, and another alarm's trouble is not its cause."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from superbiz.analysis import deciding
from superbiz.analysis.deciding import Channel, Sign
from superbiz.analysis.kinds import Kind
from superbiz.domain.claims import FaultCategory
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.naming import alike
from superbiz.domain.service_map import ServiceMap
from superbiz.ports import RecordedCall

APART = 0.3  # the weight of a resource that the alarm's own does not reach, where the map knows both
UNKNOWN = 0.6  # and of one that the map does not know
PASSED = deciding.FAINT  # the weight of what was over before the symptom began, and the most that is left of it
BEFORE = timedelta(minutes=10)
MOMENT = timedelta(minutes=5)  # alarms look at a few datapoints before they ring
ECHO = 0.5  # the weight of a caller's errors where a callee's sign is at least this share of it
ECHOING = (Channel.BURST, Channel.LINE, Channel.ERRORS)
FELT = (FaultCategory.CODE_DEFECT, FaultCategory.DEPENDENCY, FaultCategory.GENERAL)
ACTIVE = "ALARM"
THE_END = "the end"
NOTHING: Mapping[str, Any] = {}


class Focus(NamedTuple):
    """What the run is about. `target` is the alarm's own resource, `rang` when it went off; all are None for a question."""

    alarm: str | None = None
    target: str | None = None
    rang: datetime | None = None


class Surroundings(NamedTuple):
    """What the recorded calls tell of the alarm's neighbourhood: who calls whom, what other alarms are about, when the symptom began, and
    since when it is over. `piled` says that work piles up at the alarm's resource, which those that take from it may be behind."""

    services: ServiceMap
    mapped: bool
    others: Sequence[str]
    onset: datetime | None
    over: datetime | None = None
    piled: bool = False


def focus_of(alarm: AlarmNotice | None, target: str | None) -> Focus:
    """Of a question, everything is in focus."""
    return Focus(alarm.alarm_name, target, alarm.occurred_at) if alarm else Focus()


def surroundings(calls: Sequence[RecordedCall], focus: Focus, onset: datetime | None, symptom: Mapping[str, Any] = NOTHING) -> Surroundings:
    """Read from the rankings of suspects (with the symptom's record, where there is one) and the alarm listings."""
    outputs = [c.output for c in calls if isinstance(c.output, Mapping)]
    services = ServiceMap.of_outputs(outputs)
    mapped = focus.target is not None and any(row.get("calls") for o in outputs for row in o.get("services") or ())
    rows = [row for o in outputs for row in o.get("alarms") or () if row.get("state") == ACTIVE and row.get("name") != focus.alarm]
    others = [value for row in rows for value in (row.get("dimensions") or {}).values()]
    return Surroundings(services, mapped, others, onset, _moment(symptom, "recovered_at"), symptom.get("kind") == Kind.BACKLOG)


def focused(
    signs: Iterable[Sign], focus: Focus, around: Surroundings, node_of: Callable[[str], Mapping[str, Any]], ready: Iterable[Sign] = ()
) -> list[Sign]:
    """The signs with what their resource and their time take from them; of those that are `ready` that is done, and only echoes go."""

    def left(sign: Sign) -> float:
        here = sign.strength * near(sign.resource, focus, around)
        return min(here, 1.0) * PASSED if is_over(sign.category, node_of(sign.key), around, focus.rang) else here

    weighed = [*(s._replace(strength=left(s)) for s in signs), *ready]
    return [_without_echo(s, weighed, around.services) if _may_echo(s, node_of) else s for s in weighed if s.strength > 0]


def near(resource: str, focus: Focus, around: Surroundings) -> float:
    """How much a resource has to do with the alarm's: wholly where the target reaches it, and where there is no map to say so."""
    if focus.target is None or alike(resource, focus.target):
        return 1.0
    leads = around.services.tied if around.piled else around.services.reaches
    if not around.mapped or leads(focus.target, resource):
        return 1.0
    if any(alike(resource, other) for other in around.others):
        return 0.0
    return APART if around.services.reaches(resource, resource) else UNKNOWN


def _may_echo(sign: Sign, node_of: Callable[[str], Mapping[str, Any]]) -> bool:
    """Errors do, known faults that are no more than errors, and an operation that ends where it used to go on."""
    if sign.channel is Channel.FAULT:
        return sign.category in FELT and node_of(sign.key).get("service") == sign.resource
    return sign.channel in ECHOING or (sign.channel is Channel.STEP and node_of(sign.key).get("then") == THE_END)


def _without_echo(sign: Sign, signs: Sequence[Sign], services: ServiceMap) -> Sign:
    """Failures travel up the calls: a caller's are an echo where something that it calls has as good a sign of its own."""
    rivals = {s.resource for s in signs if s.resource != sign.resource and s.strength >= ECHO * sign.strength}
    echoed = any(services.reaches(sign.resource, r) and not services.reaches(r, sign.resource) for r in rivals)
    return sign._replace(strength=sign.strength * ECHO) if echoed else sign


def is_over(category: FaultCategory, node: Mapping[str, Any], around: Surroundings, rang: datetime | None) -> bool:
    """A state that was over well before the symptom began, before the alarm rang, or with the symptom, had its time.

    So had what happened, was changed or was said up to then; but for the loss of a host, which is one however soon another stepped in.
    """
    recovered = _moment(node, "recovered_at")
    if recovered is not None:
        passed = around.onset is not None and recovered < around.onset - BEFORE
        return passed or around.over is not None or (rang is not None and recovered < rang - MOMENT)
    if around.over is None or category is FaultCategory.INFRASTRUCTURE:
        return False
    last = _moment(node, "last") or _moment(node, "time")
    return last is not None and last < around.over + MOMENT


def _moment(node: Mapping[str, Any], field: str) -> datetime | None:
    found = node.get(field)
    return datetime.fromisoformat(found) if isinstance(found, str) else None
