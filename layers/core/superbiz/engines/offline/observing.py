"""What the recorded outputs say: signs for resources, the alarm's symptom, and records that can be cited."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from superbiz.analysis import deciding, kinds, weighing
from superbiz.analysis.deciding import Candidate, Channel, Sign, Symptom
from superbiz.analysis.metrics import OUTLYING
from superbiz.domain import refs
from superbiz.domain.claims import FaultCategory
from superbiz.domain.evidence import Invocation
from superbiz.domain.observations import Series
from superbiz.engines.offline import focusing, recognising
from superbiz.engines.offline.focusing import Focus
from superbiz.ports import RecordedCall
from superbiz.tools.reading import NORMAL, SAME_HOURS

EVERYTHING = Focus()
LEAST = 0.05  # strengths below are not worth a name
ALONE = 0.3  # a symptom at a resource beside which nothing else is measured: it is felt there, and may come from elsewhere
JUDGED = {
    "query_metrics": ("series", "conditions"),
    "rank_suspects": ("suspects", "quiet"),
    "query_logs": ("errors", "templates", "steps", "quiet"),
    "query_traces": ("operations",),
    "read_insights": ("waits", "sql"),
    "list_changes": ("changes",),
}
CITED = frozenset({"changes", "alarms", "series", "databases", "waits", "sql", "sessions"})  # lists that signs of known faults rest on
CALLED = 0.5  # calls that are no longer made are half an echo: what was called may have failed before
CHANGED = 0.3  # a change counts for a resource that shows this much on its own


class Record(NamedTuple):
    """A node of a stored output that can be cited."""

    call: Invocation
    path: str
    node: Any

    @property
    def text(self) -> str:
        """The text that an excerpt is taken from."""
        return refs.node_text(self.node)

    @property
    def key(self) -> str:
        """Its place among all records of the run, in the order of the calls."""
        return f"{self.call.place} {self.path}"


def subject_of(namespace: str, metric: str, dimensions: Mapping[str, str]) -> str:
    """The resource that an alarm's metric measures, named as the tools name it."""
    return kinds.subject_of(Series(namespace=namespace, metric_name=metric, dimensions=dict(dimensions), stat="", period=1))


def records(call: RecordedCall, name: str) -> list[Record]:
    """The elements of one of the output's lists."""
    rows = call.output.get(name) if isinstance(call.output, Mapping) else None
    return [Record(call.invocation, f"$.{name}[{n}]", row) for n, row in enumerate(rows)] if isinstance(rows, Sequence) else []


def all_records(calls: Iterable[RecordedCall], tool_name: str, name: str) -> list[Record]:
    """The same of every call of one tool."""
    return [r for c in calls if c.invocation.tool_name == tool_name for r in records(c, name)]


def by_key(calls: Iterable[RecordedCall]) -> dict[str, Record]:
    """Every record that a sign may point at."""
    names = {name for _, name, _ in READERS} | CITED
    found = [r for c in calls for name in names for r in records(c, name)]
    return {r.key: r for r in (*found, *filter(None, map(symptom_record, calls)))}


def candidates(calls: Sequence[RecordedCall], focus: Focus = EVERYTHING) -> list[Candidate]:
    """Who the signs of these calls speak for, as far as they have to do with what the run is about."""
    keyed = by_key(calls)
    felt = shown(calls)
    around = focusing.surroundings(calls, focus, onset(calls, ()), felt.node if felt else {})

    def node_of(key: str) -> Mapping[str, Any]:
        node: Mapping[str, Any] = keyed[key].node
        return node

    def weighed(signs: Iterable[Sign], ready: Iterable[Sign] = ()) -> list[Sign]:
        """What is seen at a pod, task or member speaks for the workload that it belongs to."""
        found = focusing.focused((s for s in signs if s.resource.strip()), focus, around, node_of, ready)
        return [s._replace(resource=known.owner(s.resource), strength=s.strength * left(s)) for s in found]

    def left(sign: Sign) -> float:
        """What a fault elsewhere leaves of it; known faults and an own excess are without what others explain already."""
        return 1.0 if sign.channel in (Channel.SUSPECT, Channel.FAULT) else known.echoes.get(sign.key, 1.0)

    def lasting(key: str, category: FaultCategory) -> float:
        return focusing.PASSED if focusing.is_over(category, node_of(key), around, focus.rang) else 1.0

    known = recognising.read(calls, lambda resource: focusing.near(resource, focus, around), lasting)
    own = weighed(_signs(calls), known.signs)
    strong = {c.resource for c in deciding.rank(own) if c.strength >= CHANGED}
    return deciding.rank([*own, *weighed(_changed(calls, strong))])


def symptom(calls: Sequence[RecordedCall], found: Sequence[Candidate]) -> tuple[Symptom, Record] | None:
    """The alarm's metric at its resource, where it was measured, with its record."""
    call = next((c for c in calls if symptom_record(c)), None)
    record = symptom_record(call) if call else None
    if call is None or record is None:
        return None
    first = next((s.key for c in found[:1] for s in c.signs if s.channel is Channel.SUSPECT), None)
    own: Mapping[str, Any] = next((r.node for r in all_records(calls, "rank_suspects", "suspects") if r.key == first), {})
    node, nodes = record.node, int(call.output.get("nodes") or 1)
    traits = ("recovered_at" in node, _pressed(node), _mild(node), _proportional(node))
    return Symptom(float(node.get("rarity", 1.0)), float(own.get("rarity", 1.0)), nodes, *traits), record


def _pressed(node: Mapping[str, Any]) -> bool:
    """Near its limit, and not only as it is at this hour of an ordinary day."""
    return node.get("at_limit") is True and node.get("basis") not in (NORMAL, SAME_HOURS)


def _mild(node: Mapping[str, Any]) -> bool:
    return abs(float(node.get("deviation", 0.0))) < OUTLYING


def _proportional(node: Mapping[str, Any]) -> bool:
    """Errors that rise with the requests, and as a share of them do not."""
    return "share_deviation" in node and float(node["share_deviation"]) < OUTLYING


def felt_at(calls: Iterable[RecordedCall], is_named: Callable[[str], bool]) -> Mapping[str, Any] | None:
    """The series of a kind that callers feel which got worse than ordinary most, at a resource that is named."""
    rows = [r.node for r in all_records(calls, "query_metrics", "series")]
    felt = [n for n in rows if n["kind"] in kinds.SYMPTOMS and _got_worse(n) and is_named(n["subject"])]
    return max(felt, key=lambda n: abs(float(n["deviation"])), default=None)


def _got_worse(node: Mapping[str, Any]) -> bool:
    falling = kinds.rule_of(node["metric"]).falling
    return node["direction"] in (("rose", "fell") if falling is None else ("fell",) if falling else ("rose",))


def symptom_record(call: RecordedCall) -> Record | None:
    """The symptom of a ranking of suspects."""
    node = call.output.get("symptom") if call.invocation.tool_name == "rank_suspects" and isinstance(call.output, Mapping) else None
    return Record(call.invocation, "$.symptom", node) if isinstance(node, Mapping) else None


def shown(calls: Iterable[RecordedCall]) -> Record | None:
    """The symptom, by the first ranking that shows it."""
    return next(filter(None, map(symptom_record, calls)), None)


def onset(calls: Sequence[RecordedCall], found: Sequence[Candidate]) -> datetime | None:
    """When the alarm's metric left what is ordinary, or else when the first candidate's strongest dated sign began."""
    felt = shown(calls)
    if felt is not None and felt.node.get("direction") != "steady":
        return datetime.fromisoformat(felt.node["onset"])
    keyed = by_key(calls)
    dated = (_began(keyed[s.key].node) for c in found[:1] for s in c.signs if s.key in keyed)
    return next((datetime.fromisoformat(began) for began in dated if began), None)


def _began(node: Mapping[str, Any]) -> str | None:
    """A series has an onset; a statement began when it was first made, where ordinary days do not know it."""
    unknown_before = "new" in (node.get("change"), node.get("step")) or node.get("normal_bad_lines") == 0
    return node.get("onset") or (node.get("first") if unknown_before else None)


def speaks(calls: Sequence[RecordedCall], names: Sequence[str]) -> bool:
    """Whether any of these resources is known to the logs by its name."""
    known = {
        str(r.node.get("service", "")).casefold()
        for name in ("errors", "templates", "steps", "quiet")
        for r in all_records(calls, "query_logs", name)
        if isinstance(r.node, Mapping)
    }
    return any(n.casefold() in known for n in names)


def measured(calls: Iterable[RecordedCall]) -> bool:
    """Whether any source answered with something to judge by."""
    return any(c.output.get(name) for c in calls if c.output for name in JUDGED.get(c.invocation.tool_name, ()))


def _signs(calls: Sequence[RecordedCall]) -> Iterator[Sign]:
    for call in calls:
        for tool_name, name, read in READERS:
            if call.invocation.tool_name == tool_name:
                for record in records(call, name):
                    sign = read(record, call)
                    if sign and sign.strength >= LEAST:
                        yield sign


def _suspect(record: Record, call: RecordedCall) -> Sign | None:
    """Latency, errors and lost availability travel up the calls; what else an alarm measures says where it is, and nothing of others."""
    node, output = record.node, call.output
    strength = weighing.excess(float(node["share"]), float(node["rarity"]))
    rule = kinds.rule_of(str(node["metric"]))
    at_home = node["resource"] == _target(output)
    travels = rule.kind in kinds.SYMPTOMS
    if output.get("nodes") == 1 or (at_home and not (travels and output.get("services"))):
        return Sign(node["resource"], Channel.SYMPTOM, strength * ALONE, rule.category, key=record.key)
    return Sign(node["resource"], Channel.SUSPECT, strength, rule.category, key=record.key) if travels else None


def _target(output: Mapping[str, Any]) -> str | None:
    """Where the symptom is felt: with nobody to tell who calls whom, its own excess is the symptom again."""
    shown = output.get("symptom")
    return shown["subject"] if isinstance(shown, Mapping) else None


def _condition(record: Record, _call: RecordedCall) -> Sign | None:
    node = record.node
    return Sign(node["subject"], Channel.CONDITION, float(node["weight"]), _category(node), key=record.key)


def _error_burst(record: Record, _call: RecordedCall) -> Sign | None:
    node = record.node
    return Sign(node["service"], Channel.BURST, float(node["weight"]), _category(node), key=record.key)


def _statement(record: Record, _call: RecordedCall) -> Sign | None:
    """Lines that belong to no span: of those that do, the steps tell more."""
    node = record.node
    if "operation" in node or "weight" not in node:
        return None
    return Sign(node["service"], Channel.LINE, float(node["weight"]), _category(node), key=record.key)


def _step(record: Record, _call: RecordedCall) -> Sign | None:
    """An operation that takes another way through its code than on ordinary days."""
    node = record.node
    category = _category(node, FaultCategory.CODE_DEFECT)
    return Sign(node["service"], Channel.STEP, float(node["weight"]), category, node.get("operation"), record.key)


def _gap(record: Record, _call: RecordedCall) -> Sign | None:
    node = record.node
    return Sign(node["service"], Channel.NETWORK, float(node["weight"]), FaultCategory.NETWORK, key=record.key)


def _operation(record: Record, _call: RecordedCall) -> Sign | None:
    """Failing spans. Slow ones are felt by every caller up the chain, so they name nobody."""
    node = record.node
    if not node["errors"]:
        return None
    return Sign(node["service"], Channel.ERRORS, float(node["weight"]) * 0.5, operation=node["name"], key=record.key)


def _call(record: Record, _call: RecordedCall) -> Sign | None:
    """An operation that no longer calls what it used to call has stopped before."""
    node = record.node
    if node["call"] == "new":
        return None
    return Sign(node["service"], Channel.CALLS, float(node["weight"]) * CALLED, FaultCategory.CODE_DEFECT, node["name"], record.key)


def _changed(calls: Sequence[RecordedCall], strong: set[str]) -> Iterator[Sign]:
    """A failure that the platform reports stands by itself; a change counts where its resource shows something too."""
    for record in all_records(calls, "list_changes", "changes"):
        node = record.node
        failure = node["relation"].startswith("a failure")
        resource = node.get("touches") or (node.get("resource") if failure else None)
        if resource and (failure or resource in strong) and float(node["weight"]) >= LEAST:
            yield Sign(resource, Channel.EVENT if failure else Channel.CHANGE, float(node["weight"]), _category(node), key=record.key)


def _category(node: Mapping[str, Any], otherwise: FaultCategory = FaultCategory.GENERAL) -> FaultCategory:
    given = node.get("category")
    return FaultCategory(given) if isinstance(given, str) and given in FaultCategory.__members__ else otherwise


Reader = Callable[[Record, RecordedCall], Sign | None]
# Which lists of which tools hold signs, and how they are read.
READERS: tuple[tuple[str, str, Reader], ...] = (
    ("rank_suspects", "suspects", _suspect),
    ("query_metrics", "conditions", _condition),
    ("query_logs", "errors", _error_burst),
    ("query_logs", "templates", _statement),
    ("query_logs", "steps", _step),
    ("query_traces", "gaps", _gap),
    ("query_traces", "operations", _operation),
    ("query_traces", "calls", _call),
)
