"""What recorded rows show, in the words of fault knowledge: every row that shows something becomes sights at the workload it tells of."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from superbiz.analysis import events, insights, weighing
from superbiz.analysis.changes import UNRELATED, Relation
from superbiz.analysis.events import Nature
from superbiz.analysis.faults import Feature, Seen
from superbiz.analysis.faults.gauges import Move, sights
from superbiz.analysis.insights import WaitKind
from superbiz.analysis.suspects import reachable
from superbiz.domain.naming import Owners, own_words
from superbiz.domain.service_map import calls_in
from superbiz.engines.offline import blaming
from superbiz.ports import RecordedCall

MOST_OF_WORDS = 2.0  # the strength of a fault that names itself in the logs, however often
MOST_OF_FEELING = 1.0  # and of errors and slowness, which have many reasons
DOMINANT = 0.5  # share of the load from which one statement makes it
BUSY = 3.0  # load by vCPUs beyond which more says nothing
IDLE = re.compile(r"idle in transaction|sleep", re.IGNORECASE)
NAME_SERVER = re.compile(r"(?:^|[-_/.])(?:core|kube)?-?dns(?:$|[-_/.])|resolver", re.IGNORECASE)
PROBES = 3  # failed probes of a workload that are more than an instance that starts
KINDRED = 0.7  # of a setting's weight, for what is named after the same thing
FEW = 2  # workloads that share a word which tells them from others
REDACTED = re.compile(r"<[A-Z_]+:[0-9a-f]+>")
Node = Mapping[str, Any]


class Row(NamedTuple):
    """A record of a list of an output. `key` is its place among all records of the run, as `observing.Record.key` spells it."""

    tool_name: str
    name: str
    node: Node
    key: str


class Scene(NamedTuple):
    """All rows, the resources that they name and whose they are, and who calls whom as far as the outputs tell."""

    rows: Sequence[Row]
    known: frozenset[str]
    owners: Owners
    calls: Mapping[str, Collection[str]]

    def owner(self, resource: str) -> str:
        """The workload that the name belongs to, else the name itself."""
        return self.owners.of(resource) or resource

    def blamed(self, text: str, speaker: str) -> list[str]:
        """Resources, or else foreign hosts, that a text names beside the one that speaks."""
        found = blaming.named(text, self.known - {speaker}) or blaming.hosts(text)[:1]
        return sorted({self.owner(name) for name in found} - {speaker})

    def kin(self, resource: str) -> list[str]:
        """Workloads that share a word with the name which few others have: `/shop/checkout/url` is of `checkout-api`."""
        workloads = {self.owner(name) for name in self.known if name != resource}
        sharing = [[w for w in workloads if word in own_words(w)] for word in own_words(resource)]
        return sorted({w for found in sharing if len(found) <= FEW for w in found} - {self.owner(resource)})

    def place(self, row: Row) -> str:
        """The workload that the row itself tells of, whomever it blames."""
        named = (row.node.get(field) for field in ("owner", *NAMING.get((row.tool_name, row.name), ())))
        return next((self.owner(str(name)) for name in named if name), "")


def scene_of(calls: Sequence[RecordedCall]) -> Scene:
    """The rows that hold something to see."""
    rows = [row for call in calls if isinstance(call.output, Mapping) for row in _rows(call)]
    named = frozenset(str(row.node[f]) for row in rows for f in NAMING.get((row.tool_name, row.name), ()) if row.node.get(f))
    mapped = _called(calls)
    known = named | frozenset(mapped) | frozenset(c for callees in mapped.values() for c in callees)
    return _with_blame(Scene(rows, known, Owners(sorted(known)), mapped))


def _with_blame(scene: Scene) -> Scene:
    """Who blames another in its bad lines depends on it, whatever the map says."""
    calls = {caller: set(callees) for caller, callees in scene.calls.items()}
    for row in scene.rows:
        if row.tool_name == "query_logs" and blaming.is_bad(row.node):
            service = scene.owner(_text(row.node, "service"))
            blamed = scene.blamed(blaming.words_of(row.node), service)
            calls.setdefault(service, set()).update(o for o in blamed if service not in reachable(calls, o))
    return scene._replace(calls=calls)


def features(scene: Scene) -> list[Feature]:
    """What every record shows, at the workload that it tells of."""
    found = [f for row in scene.rows for f in READERS[row.tool_name, row.name](row, scene) if f.resource.strip()]
    known = dict.fromkeys(f.resource for f in found)
    edge = (Feature(r, Seen.AT_THE_EDGE, MOST_OF_WORDS) for r in known if _at_the_edge(r, scene.calls))
    return [*found, *(Feature(r, Seen.SERVES_NAMES, MOST_OF_WORDS) for r in known if NAME_SERVER.search(r)), *edge]


def _at_the_edge(resource: str, calls: Mapping[str, Collection[str]]) -> bool:
    """Nobody calls it, or only what nobody calls: where requests from outside arrive. Without a map, that is not known to be wrong."""
    callers = [c for c, callees in calls.items() if resource in callees]
    return not any(c in callees for c in callers for callees in calls.values())


def weight_of(row: Row) -> float:
    """What the row's own reader gives it, without a limit."""
    if row.name == "suspects":
        return weighing.excess(_number(row.node, "share"), _number(row.node, "rarity"))
    return _number(row.node, "weight")


def _rows(call: RecordedCall) -> Iterator[Row]:
    tool = call.invocation.tool_name
    for tool_name, name in READERS:
        if tool_name != tool:
            continue
        given = call.output.get(name)
        found = [("", given)] if isinstance(given, Mapping) else [(f"[{n}]", row) for n, row in enumerate(given or ())]
        yield from (Row(tool, name, node, f"{call.invocation.place} $.{name}{at}") for at, node in found if isinstance(node, Mapping))


def _called(calls: Iterable[RecordedCall]) -> dict[str, set[str]]:
    """The service map, as far as any output tells it."""
    out: dict[str, set[str]] = {}
    for caller, callee in (pair for call in calls for pair in calls_in(call.output)):
        out.setdefault(caller, set()).add(callee)
    return out


def _text(node: Node, field: str) -> str:
    value = node.get(field)
    return value if isinstance(value, str) else ""


def _number(node: Node, field: str) -> float:
    value = node.get(field)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _series(row: Row, scene: Scene) -> Iterator[Feature]:
    """A series or condition that left its ordinary range."""
    node = row.node
    weight = _number(node, "weight") if row.name == "conditions" else None
    move = Move(
        _text(node, "metric"),
        _text(node, "unit"),
        _number(node, "baseline"),
        _number(node, "worst"),
        _number(node, "deviation"),
        weight,
    )
    resource = scene.owner(_text(node, "subject"))
    for seen, strength in sights(move):
        yield Feature(resource, seen, min(strength, MOST_OF_FEELING) if seen in FEELINGS else strength, row.key)


def _suspect(row: Row, scene: Scene) -> Iterator[Feature]:
    share = _number(row.node, "share")
    if share > 0 and _number(row.node, "rarity") <= 0.1:
        yield Feature(scene.owner(_text(row.node, "resource")), Seen.OWN_EXCESS, min(2 * share, MOST_OF_FEELING), row.key)


def _lines(row: Row, scene: Scene) -> Iterator[Feature]:
    """Bad lines: what they name by known words, and whom they blame."""
    node = row.node
    if not blaming.is_bad(node):
        return
    service, weight = scene.owner(_text(node, "service")), _number(node, "weight")
    yield Feature(service, Seen.ERRORS_UP, min(weight, MOST_OF_FEELING), row.key)
    said = blaming.words_of(node)
    for told in blaming.told(said, scene.blamed(said, service)):
        strength = min(weight, MOST_OF_WORDS) * told.share
        yield Feature(told.of or service, told.seen, strength, row.key, told.heard)


def _gap(row: Row, scene: Scene) -> Iterator[Feature]:
    yield Feature(scene.owner(_text(row.node, "service")), Seen.NETWORK_LOSS, _number(row.node, "weight"), row.key)


def _operation(row: Row, scene: Scene) -> Iterator[Feature]:
    seen = Seen.ERRORS_UP if row.node.get("errors") else Seen.SLOWER
    yield Feature(scene.owner(_text(row.node, "service")), seen, min(_number(row.node, "weight"), MOST_OF_FEELING), row.key)


def _change(row: Row, scene: Scene) -> Iterator[Feature]:
    """What the platform reports, and what somebody changed, while it can have to do with the onset."""
    node = row.node
    kind = events.kind_of(_text(node, "name"), _text(node, "message"))
    if kind.nature not in (Nature.FAILURE, Nature.CHANGE):
        return
    strength = _number(node, "weight")
    untouched = not node.get("touches") and node.get("relation") != Relation.FAILURE.value
    resource = str(node.get("owner") or node.get("resource") or node.get("touches") or "")
    if strength <= 0 or not resource:
        return
    strength = strength / UNRELATED if untouched else strength
    if Seen.PROBE_FAILURE in kind.sees:
        strength *= min((_number(node, "times") or 1) / PROBES, 1.0)
    owner, touches = scene.owner(resource), node.get("touches")
    shown = (Seen.EVICTED,) if Seen.NODE_LOST in kind.sees and owner != node.get("resource") else kind.sees  # a pod tells of its node
    places = dict.fromkeys(p for p in (owner, touches) if p and not REDACTED.search(p))
    yield from (Feature(place, seen, strength, row.key) for place in places for seen in shown)
    if Seen.CONFIGURED in shown and kind.wide:
        yield from (Feature(place, Seen.CONFIGURED, KINDRED * strength, row.key) for place in scene.kin(resource) if place not in places)


def _alarm(row: Row, scene: Scene) -> Iterator[Feature]:
    """An alarm that is on tells of its metric, where the metric itself may not be readable."""
    dimensions = row.node.get("dimensions")
    if row.node.get("state") != "ALARM" or not isinstance(dimensions, Mapping) or not row.node.get("metric"):
        return
    metric = re.split(r"[/ :]", _text(row.node, "metric"))[-1]
    below = re.search(r"less ?than|lower than|below", _text(row.node, "reason"), re.IGNORECASE)
    move = Move(metric, "", 1.0, 0.0 if below else 10.0, -20.0 if below else 20.0)
    for value in dimensions.values():
        if isinstance(value, str) and value in scene.known:
            yield from (Feature(scene.owner(value), seen, 0.5, row.key) for seen, _ in sights(move))


WAITS: Mapping[str, Seen] = {
    WaitKind.CPU: Seen.WAITS_FOR_CPU,
    WaitKind.IO: Seen.WAITS_FOR_IO,
    WaitKind.LOCK: Seen.LOCK_WAITS,
    WaitKind.COMMIT: Seen.WAITS_FOR_COMMIT,
}


def _wait(row: Row, scene: Scene) -> Iterator[Feature]:
    """By how many sessions a vCPU wait so."""
    seen = WAITS.get(_text(row.node, "kind"))
    if seen and row.node.get("database"):
        yield Feature(scene.owner(_text(row.node, "database")), seen, _pressure(row.node, scene), row.key)


def _statement(row: Row, scene: Scene) -> Iterator[Feature]:
    if row.node.get("database") and _number(row.node, "share") >= DOMINANT:
        yield Feature(scene.owner(_text(row.node, "database")), Seen.ONE_STATEMENT, _pressure(row.node, scene), row.key)


def _session(row: Row, scene: Scene) -> Iterator[Feature]:
    """An open transaction that does nothing holds its locks; it matters where others wait for locks."""
    if row.node.get("database") and IDLE.search(_text(row.node, "state")) and row.node.get("since"):
        yield Feature(scene.owner(_text(row.node, "database")), Seen.LONG_TRANSACTION, MOST_OF_FEELING, row.key)


def _pressure(node: Node, scene: Scene) -> float:
    known = (r.node for r in scene.rows if r.name == "databases" and r.node.get("database") == node.get("database"))
    vcpus = next((v for k in known if (v := _number(k, "max_vcpus"))), float(insights.VCPUS))
    return min(_number(node, "load") / vcpus, BUSY)


def _nothing(row: Row, scene: Scene) -> Iterator[Feature]:  # noqa: ARG001 - a reader like the others
    """Rows that others look into."""
    yield from ()


FEELINGS = (Seen.ERRORS_UP, Seen.SLOWER, Seen.CONNECTION_FAILED, Seen.CAPACITY_LOST)
Reader = Callable[[Row, Scene], Iterator[Feature]]
READERS: Mapping[tuple[str, str], Reader] = {
    ("query_metrics", "conditions"): _series,
    ("query_metrics", "series"): _series,
    ("rank_suspects", "symptom"): _series,
    ("rank_suspects", "suspects"): _suspect,
    ("query_logs", "errors"): _lines,
    ("query_logs", "templates"): _lines,
    ("query_logs", "steps"): _lines,
    ("query_traces", "gaps"): _gap,
    ("query_traces", "operations"): _operation,
    ("list_changes", "changes"): _change,
    ("list_alarms", "alarms"): _alarm,
    ("read_insights", "databases"): _nothing,
    ("read_insights", "waits"): _wait,
    ("read_insights", "sql"): _statement,
    ("read_insights", "sessions"): _session,
}
# The fields of a row that name resources.
NAMING: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("query_metrics", "conditions"): ("subject",),
    ("query_metrics", "series"): ("subject",),
    ("rank_suspects", "symptom"): ("subject",),
    ("rank_suspects", "suspects"): ("resource",),
    ("query_logs", "errors"): ("service",),
    ("query_logs", "templates"): ("service",),
    ("query_logs", "steps"): ("service",),
    ("query_traces", "gaps"): ("service",),
    ("query_traces", "operations"): ("service",),
    ("list_changes", "changes"): ("resource", "owner"),
    ("read_insights", "databases"): ("database",),
    ("read_insights", "waits"): ("database",),
    ("read_insights", "sql"): ("database",),
    ("read_insights", "sessions"): ("database",),
}
