"""Which resources a run looks at: those the alarm measures, what they are tied to, their place on the service map, and their tags.

For a question it is what the question names, else what the alarms that are on measure. The nearest stand first: limits cut off the far end.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from superbiz.adapters.cloudwatch import alarms, catalog, relations
from superbiz.adapters.cloudwatch.asking import listed
from superbiz.adapters.cloudwatch.catalog import Resource
from superbiz.adapters.cloudwatch.reaching import partition_of
from superbiz.adapters.cloudwatch.relations import Place, Tied
from superbiz.adapters.cloudwatch.session import Clients, Limits, Subject, each
from superbiz.adapters.cloudwatch.tracing import Node
from superbiz.domain.incidents import AlarmMetric
from superbiz.domain.values import JsonObject
from superbiz.ports import SourceUnavailable

TAGGED = "tagged resources"
# Tags by which teams and AWS group what belongs together, the most telling first; names in any case.
TAG_KEYS = ("awsapplication", "application", "app", "aws:cloudformation:stack-name", "service", "project", "system", "component")
TAG_PAGES = 1
ARNS_A_CALL = 100
ASKED = 12  # resources whose ties are asked
STANDING = 10  # alarms that stand for a question


class Scope(NamedTuple):
    """`own` are the metrics that the run is about. `groups` are log groups that definitions name, `notes` what was not found or asked."""

    resources: tuple[Resource, ...] = ()
    own: tuple[AlarmMetric, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()
    groups: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def scope(
    clients: Clients, subject: Subject, definitions: Sequence[JsonObject], nodes: Sequence[Node], named: Sequence[Resource], limits: Limits
) -> Scope:
    """`definitions` are the alarms behind the subject as AWS gives them, `nodes` the service map, empty where there is none, and `named`
    resources that a question names."""
    own = _own(subject, definitions)
    measured = [catalog.resources_of(m.namespace, m.dimensions) if m.namespace else catalog.from_labels(m.dimensions) for m in own]
    seeds = _once([*named, *(found[0] for found in measured if found)])
    place = _place(clients, subject, definitions)
    found, notes = _tied(clients, seeds, place, limits)
    tied = [r for one in found for r in one.resources]
    near = near_on_map([*seeds, *tied], nodes)
    tagged, more_notes = _tagged(clients, seeds, place)
    wide = [r for found in measured for r in found[1:]]
    resources = _once([*seeds, *tied, *near, *tagged, *wide])
    if len(resources) > limits.resources:
        notes.append(f"{len(resources) - limits.resources} resources farther from the alarm were not looked at")
    if not resources and not any(alarms.log_groups_of(row) for row in definitions):
        notes.append("no resource is named by the alarm or question; metrics and logs can not be narrowed down")
    calls = tuple(call for one in found for call in one.calls)
    told = [*(g for row in definitions for g in alarms.log_groups_of(row)), *(g for one in found for g in one.groups)]
    return Scope(resources[: limits.resources], own, calls, tuple(dict.fromkeys(told)), (*notes, *more_notes))


def named_alarms(words: Sequence[str], rows: Sequence[JsonObject]) -> list[JsonObject]:
    """The alarms that are called by one of these words, or measure what is."""
    wanted = {w.casefold() for w in words}
    return [r for r in rows if _names(r) & wanted][:STANDING]


def active_alarms(rows: Sequence[JsonObject]) -> list[JsonObject]:
    """Those that are on, the latest first."""
    return sorted((r for r in rows if r.get("StateValue") == "ALARM"), key=_latest, reverse=True)[:STANDING]


def on_map(words: Sequence[str], nodes: Sequence[Node]) -> list[Resource]:
    """The resources behind the nodes that are called by one of these words."""
    wanted = {w.casefold() for w in words}
    return [r for n in nodes if n.name.casefold() in wanted for kind in n.types if (r := catalog.from_node(n.name, kind))]


def near_on_map(seeds: Sequence[Resource], nodes: Sequence[Node]) -> list[Resource]:
    """What the seeds' nodes reach, then who calls them; where no seed is on the map, all of it."""
    calls = {node.name: node.calls for node in nodes}
    names = {r.name.casefold() for r in seeds} | {r.name.rsplit("/", 1)[-1].casefold() for r in seeds}
    roots = [n.name for n in nodes if n.name.casefold() in names or n.name.split("/", 1)[0].casefold() in names]
    order = _reached(roots, calls) + [n.name for n in nodes if set(n.calls) & set(roots)] if roots else list(calls)
    types = {node.name: node.types for node in nodes}
    found = (catalog.from_node(name, kind) for name in dict.fromkeys(order) for kind in types.get(name, ()))
    return [r for r in found if r]


def _own(subject: Subject, definitions: Sequence[JsonObject]) -> tuple[AlarmMetric, ...]:
    """As the event told them, and as the alarms are defined; a metric without namespace and name (a webhook's) names resources alone."""
    found: list[AlarmMetric] = []
    for metric in (*subject.metrics, *(m for row in definitions for m in alarms.metrics_of(row))):
        if metric not in found:
            found.append(metric)
    return tuple(found)


def _place(clients: Clients, subject: Subject, definitions: Sequence[JsonObject]) -> Place:
    """The account stands in the alarm's own ARN."""
    parts = next((str(row["AlarmArn"]).split(":") for row in definitions if row.get("AlarmArn")), [])
    account = parts[4] if len(parts) > 4 else subject.account or clients.reach.account or ""
    return Place(partition_of(clients.reach.region), clients.reach.region, account)


def _tied(clients: Clients, seeds: Sequence[Resource], place: Place, limits: Limits) -> tuple[list[Tied], list[str]]:
    """What the seeds are tied to, and one step on: the service behind a target group, the log group of the function behind a queue."""
    known: dict[Resource, Tied] = {}
    notes: dict[str, None] = {}

    def one(resource: Resource) -> Tied:
        try:
            return relations.tied(clients, resource, place)
        except SourceUnavailable as e:
            notes[f"what {resource.name} is tied to could not be asked: {e.why}"] = None
            return Tied()

    waiting = list(seeds)
    for _ in range(2):
        asked = [r for r in dict.fromkeys(waiting) if r not in known][: max(ASKED - len(known), 0)]
        known |= dict(zip(asked, each(one, asked, limits.workers), strict=True))
        waiting = [r for found in known.values() for r in found.resources]
    return list(known.values()), list(notes)


def _tagged(clients: Clients, seeds: Sequence[Resource], place: Place) -> tuple[list[Resource], list[str]]:
    """What carries the same grouping tag as the alarm's resources."""
    arns = [a for r in seeds if (a := catalog.arn_of(r, *place))][:ARNS_A_CALL]
    if not arns:
        return [], []
    try:
        rows = listed(clients, TAGGED, "resourcegroupstaggingapi", "GetResources", "ResourceTagMappingList", "PaginationToken", TAG_PAGES,
                      ResourceARNList=arns).rows  # fmt: skip
        tag = grouping_tag({t["Key"]: t["Value"] for row in rows for t in row.get("Tags", ())})
        if tag is None:
            return [], []
        page = listed(clients, TAGGED, "resourcegroupstaggingapi", "GetResources", "ResourceTagMappingList", "PaginationToken", TAG_PAGES,
                      TagFilters=[{"Key": tag[0], "Values": [tag[1]]}], ResourcesPerPage=100)  # fmt: skip
    except SourceUnavailable as e:
        return [], [f"{e}"]
    notes = [f"more than {len(page.rows)} resources are tagged {tag[0]}={tag[1]}; the rest was not looked at"] if page.more else []
    return [r for row in page.rows if (r := catalog.from_arn(row["ResourceARN"]))], notes


def grouping_tag(tags: Mapping[str, str]) -> tuple[str, str] | None:
    """The tag by which a resource is grouped with others, the most telling first."""
    spelled = {key.casefold(): (key, value) for key, value in tags.items() if value}
    return next((spelled[key] for key in TAG_KEYS if key in spelled), None)


def _names(row: JsonObject) -> set[str]:
    dimensions = [v for m in alarms.metrics_of(row) for v in m.dimensions.values()]
    return {n.casefold() for n in (row["AlarmName"], *dimensions)}


def _latest(row: JsonObject) -> float:
    moment = alarms.changed_at(row)
    return moment.timestamp() if moment else 0.0


def _reached(roots: Sequence[str], calls: Mapping[str, Sequence[str]]) -> list[str]:
    """Breadth first: near before far."""
    order = list(roots)
    for name in order:
        order += [c for c in calls.get(name, ()) if c not in order]
    return order


def _once(resources: Iterable[Resource] | Iterator[Resource]) -> tuple[Resource, ...]:
    return tuple(dict.fromkeys(resources))
