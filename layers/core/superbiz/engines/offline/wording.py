"""How a recorded record is told: one sentence for each kind, made of its own fields, so that every word of it can be found there."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from superbiz.analysis.templates import PARAMETER
from superbiz.domain import canonical
from superbiz.domain.naming import names

_PLACE = re.compile(r"[#:]\d+\b")  # a place in the code tells a reader less than the words beside it
MESSAGE = 180  # characters of the message of a change
QUOTED = 110  # characters of a statement or message that a sentence quotes
TELLING_RELATIONS = ("shortly before", "a failure")  # of changes whose message is worth a quotation
Node = Mapping[str, Any]


def told(value: Any) -> str:
    """A field as it is spelled in the record."""
    return value if isinstance(value, str) else canonical.dumps(value)


def quote(text: str, naming: str = "", longest: int = QUOTED) -> str:
    """A passage of a text that can stand between quotation marks: the longest without wildcards and quotes, at word ends.

    Where a passage names what it should, that one.
    """
    pieces = [p.strip(" ,;:") for p in re.split(rf"{re.escape(PARAMETER)}|[\"“”`'\n<>]", text)]
    best = max(pieces, key=lambda p: (bool(naming) and names(p, naming), not _PLACE.search(p), len(p)), default="")
    return _cut(best, best.casefold().find(naming.casefold()) + len(naming) if naming else 0, longest).strip()


def _cut(text: str, reach: int, longest: int) -> str:
    """At most so many characters at word ends: the first, or those up to what they have to reach."""
    if len(text) <= longest:
        return text
    if reach > longest:
        text = text[reach - longest : reach]
        return text.split(" ", 1)[1] if " " in text else text
    return text[:longest].rsplit(" ", 1)[0] if " " in text[:longest] else text[:longest]


def suspect(n: Node) -> str:
    """Rank among the suspects."""
    return (
        f"{n['resource']} has rank {told(n['rank'])}: own excess {told(n['own_excess'])} of {n['metric']}, where "
        f"{told(n['ordinary_excess'])} is ordinary, a share of {told(n['share'])}, peak at {n['peak_at']}"
    )


def quiet_suspect(n: Node) -> str:
    """A node within its own ordinary excess."""
    return (
        f"{n['resource']} stayed within what is ordinary for it: own excess {told(n['own_excess'])} of {n['metric']}, "
        f"ordinary excess {told(n['ordinary_excess'])}"
    )


def series(n: Node) -> str:
    """A series that left what is ordinary for it."""
    moved = n["direction"] if n["direction"] != "steady" else "stayed"
    back = f", recovered at {n['recovered_at']}" if "recovered_at" in n else ""
    return (
        f"{n['metric']} ({n['stat']}) of {n['subject']} {moved}: worst {told(n['worst'])} {_unit(n)}at {n['worst_at']}, "
        f"baseline {told(n['baseline'])}, deviation {told(n['deviation'])}{back}"
    )


def healthy(n: Node) -> str:
    """A series as on ordinary days: a positive observation of health."""
    return (
        f"{n['metric']} ({n['stat']}) of {n['subject']} stayed ordinary: its worst, {told(n['worst'])} {_unit(n)}at {n['worst_at']}, "
        f"has a rarity of {told(n['rarity'])} in the {n['basis']}, with baseline {told(n['baseline'])}, "
        f"normal p1 {told(n['normal_p1'])} and p99 {told(n['normal_p99'])}"
    )


def errors(n: Node) -> str:
    """Bad lines of a service."""
    usual = f", normal {told(n['normal_bad_lines'])} of {told(n['normal_lines'])}" if n["normal_lines"] else ""
    return f"{n['service']} logged {told(n['bad_lines'])} bad lines of {told(n['lines'])} lines{usual}{quoted(n, 'statement')}"


def quiet_service(n: Node) -> str:
    """A service that spoke and said nothing bad."""
    return f"{n['service']} logged {told(n['lines'])} lines, of which bad lines {told(n['bad_lines'])}"


def statement(n: Node) -> str:
    """A statement that comes more or less often."""
    usual = f", normal {told(n['normal'])} of {told(n['normal_of'])}" if "normal" in n else ""
    return f"In {n['service']} a template has count {told(n['count'])} of {told(n['of'])}{usual}{quoted(n, 'template')}"


def step(n: Node) -> str:
    """A statement that newly follows another within an operation, or no longer does."""
    return (
        f"In {n['service']} {n.get('operation', '')} a step has count {told(n['count'])} of {told(n['of'])} requests, "
        f"normal {told(n['normal'])} of {told(n['normal_of'])}{placed(n)}{step_quote(n)}"
    )


def gap(n: Node) -> str:
    """Time lost on the way to a service."""
    return (
        f"Calls of {n['service']} have a gap median of {told(n['gap_median_ms'])} ms, normal median {told(n['normal_gap_median_ms'])} ms, "
        f"over {told(n['calls'])} calls"
    )


def operation(n: Node) -> str:
    """Failing spans of an operation."""
    usual = f", normal error rate {told(n['normal_error_rate'])}" if "normal_error_rate" in n else ""
    counts = f"{told(n['errors'])} errors in {told(n['spans'])} spans"
    return f"{n['name']} of {n['service']} has {counts}, error rate {told(n['error_rate'])}{usual}"


def call(n: Node) -> str:
    """Calls that an operation no longer makes, or makes many times as often."""
    usual = f"normal {told(n['normal_calling_spans'])} of {told(n['normal_spans'])}"
    more = f", fan-out {told(n['fan_out'])}" if "fan_out" in n else ""
    return f"{n['name']} of {n['service']} has {told(n['calling_spans'])} calling spans of {told(n['spans'])}, {usual}{more}"


def change(n: Node) -> str:
    """A change and its distance from the onset."""
    of = f" of {n['resource']}" if n.get("resource") else ""
    said = quoted(n, "message", longest=MESSAGE) if str(n.get("relation", "")).startswith(TELLING_RELATIONS) else ""
    was = "is routine," if n.get("relation") == "routine" else "was"
    return f"{n['name']}{of} at {n['time']} ({n['source']}) {was} {_distance(n)}{said}"


def alarm(n: Node) -> str:
    """An alarm and its state."""
    since = f" since {n['since']}" if n.get("since") else ""
    return f"Alarm {n['name']} is in state {n['state']}{since}"


def load(n: Node) -> str:
    """A database's load against its processors."""
    of = f", max vcpus {told(n['max_vcpus'])}" if "max_vcpus" in n else ""
    return f"{n['database']} has a load of {told(n['load'])}, peak load {told(n['peak_load'])}{of}"


def wait(n: Node) -> str:
    """What a database's sessions wait for."""
    return f"Sessions of {n['database']} wait for {n['wait']} with load {told(n['load'])}, share {told(n['share'])}"


def sql(n: Node) -> str:
    """A statement that makes a database's load."""
    return f"A statement of {n['database']} has load {told(n['load'])}, share {told(n['share'])}{quoted(n, 'sql')}"


def session(n: Node) -> str:
    """A session that holds something open."""
    return ", ".join([f"A session of {n['database']}", *(f"{field} {n[field]}" for field in ("user", "state", "since") if n.get(field))])


def _unit(n: Node) -> str:
    return "" if n["unit"] in ("None", "") else f"{n['unit'].lower()} "


def quoted(n: Node, field: str, naming: str = "", longest: int = QUOTED) -> str:
    """The passage of a field, as the end of a sentence; nothing where it is too short to tell."""
    passage = quote(str(n.get(field, "")), naming, longest)
    return f': "{passage}"' if len(passage) >= 6 else ""


def placed(n: Node) -> str:
    """The place in the code that the record names."""
    return f" at {n['location']}" if n.get("location") else ""


def step_quote(n: Node) -> str:
    """The statement that follows, or where the operation now ends the one that it ends after."""
    edges = ("the start", "the end")
    field = "then" if n["then"] not in edges else "after"
    return quoted(n, field) if n[field] not in edges else ""


def _distance(n: Node) -> str:
    for unit in ("minutes", "hours"):
        for side in ("before", "after"):
            if f"{unit}_{side}_onset" in n:
                return f"{told(n[f'{unit}_{side}_onset'])} {unit} {side} the onset"
    return "near the onset"


Wording = Callable[[Node], str]
# By tool and list; what has no row here is cited in no sentence of its own.
WORDINGS: Mapping[tuple[str, str], Wording] = {
    ("rank_suspects", "suspects"): suspect,
    ("rank_suspects", "quiet"): quiet_suspect,
    ("rank_suspects", "symptom"): series,
    ("query_metrics", "series"): series,
    ("query_metrics", "conditions"): series,
    ("query_logs", "errors"): errors,
    ("query_logs", "quiet"): quiet_service,
    ("query_logs", "templates"): statement,
    ("query_logs", "steps"): step,
    ("query_traces", "gaps"): gap,
    ("query_traces", "operations"): operation,
    ("query_traces", "calls"): call,
    ("list_changes", "changes"): change,
    ("list_alarms", "alarms"): alarm,
    ("read_insights", "databases"): load,
    ("read_insights", "waits"): wait,
    ("read_insights", "sql"): sql,
    ("read_insights", "sessions"): session,
}
