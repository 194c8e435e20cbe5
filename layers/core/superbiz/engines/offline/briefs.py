"""What a record adds to a sentence about a cause: no numbers, which stand in observations of their own, each beside its own record.

A record that is about another resource than the cause says whose it is.
"""

from collections.abc import Callable, Mapping

from superbiz.domain.naming import names
from superbiz.engines.offline.wording import Node, placed, quoted, step_quote

Brief = Callable[[Node, str], str]
QUOTABLE = ("statement", "template", "line")
SPEEDS = {"own_median_ms": "an own median", "own_p90_ms": "an own p90", "p90_ms": "a p90"}  # fields and how they are told
SIDES = ("before", "after")


def brief(name: str, node: Node, resource: str) -> str:
    """What the record of that list says of the resource."""
    return BRIEFS[name](node, resource)


def passage(node: Node, resource: str, first: str) -> str:
    """The quoted end of a sentence: from the field of that name, or from another one where only that names the resource."""
    naming = next((f for f in (first, *QUOTABLE) if names(str(node.get(f, "")), resource)), None)
    return quoted(node, naming, resource) if naming else quoted(node, first)


def _series(n: Node, resource: str) -> str:
    what = f"{n['metric']} ({n['stat']})"
    whose = f"its {what}" if n["subject"] == resource else f"{what} of {n['subject']}"
    return f"{whose} deviates from its baseline"


def _suspect(n: Node, resource: str) -> str:
    if n["resource"] == resource:
        return f"its own excess of {n['metric']} is beyond what is ordinary for it"
    return f"the own excess of {n['metric']} of {n['resource']} is beyond what is ordinary for it"


def _errors(n: Node, resource: str) -> str:
    return f"{_who(n['service'], resource)} logged bad lines{passage(n, resource, 'statement')}"


def _template(n: Node, resource: str) -> str:
    where = "" if n["service"] == resource else f" of {n['service']}"
    return f"the count of a template{where} deviates from normal{passage(n, resource, 'template')}"


def _step(n: Node, resource: str) -> str:
    where = "" if n["service"] == resource else f" of {n['service']}"
    what = f"has a {n['step']} step" if n["step"] in ("new", "gone") else "has a step whose count deviates from normal"
    return f"{n.get('operation', 'an operation')}{where} {what}{placed(n)}{step_quote(n)}"


def _gap(n: Node, resource: str) -> str:
    return f"{'its calls' if n['service'] == resource else 'calls of ' + n['service']} have a gap median beyond normal"


def _operation(n: Node, resource: str) -> str:
    """Failing spans, or slower ones where none fails."""
    slower = next((field for field in SPEEDS if f"normal_{field}" in n and n[field] > n[f"normal_{field}"]), None)
    if n["errors"] or slower is None:
        return f"{_operation_of(n, resource)} has {'errors' if n['errors'] else 'spans'}"
    return f"{_operation_of(n, resource)} has {SPEEDS[slower]} beyond normal"


def _call(n: Node, resource: str) -> str:
    return f"{_operation_of(n, resource)} calls {n['callee_name']} of {n['callee']} in other numbers than normal"


def _change(n: Node, resource: str) -> str:
    if str(n.get("relation", "")).startswith("a failure"):
        return f"{n['name']}{' of ' + n['resource'] if n.get('resource') not in (None, resource) else ''} is {n['relation']}"
    side = next((s for s in SIDES if f"minutes_{s}_onset" in n or f"hours_{s}_onset" in n), "near")
    of = f" of {n['resource']}" if n.get("resource") not in (None, resource) else ""
    return f"{n['name']}{of} was {side} the onset"


def _alarm(n: Node, _resource: str) -> str:
    return f"alarm {n['name']} is in state {n['state']}"


def _wait(n: Node, resource: str) -> str:
    return f"{'its sessions' if n['database'] == resource else 'sessions of ' + n['database']} wait for {n['wait']}"


def _sql(n: Node, resource: str) -> str:
    return f"{_who(n['database'], resource)} has load of a statement{quoted(n, 'sql')}"


def _session(n: Node, resource: str) -> str:
    return f"{_who(n['database'], resource)} has a session" + (f" with state {n['state']}" if n.get("state") else "")


def _load(n: Node, resource: str) -> str:
    return f"{_who(n['database'], resource)} has a load of sessions"


def _who(recorded: str, resource: str) -> str:
    return "it" if recorded == resource else recorded


def _operation_of(n: Node, resource: str) -> str:
    return f"its operation {n['name']}" if n["service"] == resource else f"operation {n['name']} of {n['service']}"


BRIEFS: Mapping[str, Brief] = {
    "suspects": _suspect,
    "series": _series,
    "conditions": _series,
    "symptom": _series,
    "errors": _errors,
    "templates": _template,
    "steps": _step,
    "gaps": _gap,
    "operations": _operation,
    "calls": _call,
    "changes": _change,
    "alarms": _alarm,
    "databases": _load,
    "waits": _wait,
    "sql": _sql,
    "sessions": _session,
}
