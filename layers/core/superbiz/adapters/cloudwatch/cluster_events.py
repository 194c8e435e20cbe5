"""Kubernetes events, where a cluster ships them to a log group of its Container Insights (`/aws/containerinsights/<cluster>/…event…`)."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from superbiz.adapters.cloudwatch.asking import Asked, ask, listed
from superbiz.adapters.cloudwatch.session import Found
from superbiz.domain.observations import Change, at
from superbiz.domain.values import JsonObject

WHAT = "Kubernetes events"
PREFIXES = ("/aws/containerinsights/{}/", "/aws/eks/{}/")
PAGES = 5
# An event names what it is about under one of these, whichever exporter shipped it.
ABOUT = ("involvedObject", "regarding")
WRAPPED_IN = ("event", "object", "log", "body", "message")
DEPTH = 3
# Of what goes well, only what is a change.
TELLING = frozenset({"ScalingReplicaSet", "SuccessfulRescale", "Killing", "Preempted", "Rebooted", "Starting", "NodeNotReady", "NodeReady"})


def cluster_events(asked: Asked) -> Found[Change] | None:
    """None where no cluster is named, or none that ships its events."""
    groups = [group for cluster in asked.targets.clusters for group in _groups(asked, cluster)]
    if not groups:
        return None
    rows: list[Change] = []
    cut: list[str] = []
    span = {"startTime": _ms(asked.window.start), "endTime": _ms(asked.window.end)}
    for group in groups:
        found = listed(asked.clients, WHAT, "logs", "FilterLogEvents", "events", "nextToken", PAGES, logGroupName=group, **span)
        rows += [change for line in found.rows if (change := _change(line))]
        cut += [f"{WHAT}: only the first {len(found.rows)} lines of {group} were read"] if found.more else []
    return Found(tuple(rows), tuple(cut))


def _groups(asked: Asked, cluster: str) -> Iterator[str]:
    for prefix in PREFIXES:
        answer = ask(asked.clients, WHAT, "logs", "DescribeLogGroups", logGroupNamePrefix=prefix.format(cluster))
        names = (str(group.get("logGroupName", "")) for group in answer.get("logGroups", ()))
        yield from (name for name in names if "event" in name.rsplit("/", 1)[-1].lower())


def _change(line: JsonObject) -> Change | None:
    event = _event_in(line.get("message"))
    if event is None or (event.get("type") != "Warning" and event.get("reason") not in TELLING):
        return None
    about = next(event[key] for key in ABOUT if isinstance(event.get(key), dict))
    kind, namespace, name = (str(about.get(key) or "") for key in ("kind", "namespace", "name"))
    said = str(event.get("message") or event.get("note") or "")
    where = "/".join(part for part in (namespace, name) if part)
    count = event.get("count")
    return Change(
        time=_moment(event) or at(line["timestamp"]),
        source="kubernetes",
        name=str(event.get("reason") or "event"),
        resource=name,
        actor=_reporter(event),
        message=f"{kind} {where}: {said}".strip() + (f" ({count} times)" if isinstance(count, int) and count > 1 else ""),
        raw={"kind": kind, "namespace": namespace, "type": str(event.get("type") or "")},
    )


def _event_in(node: Any, depth: int = DEPTH) -> JsonObject | None:
    """The event, whatever its exporter wrapped it in; a JSON text is opened."""
    if isinstance(node, str) and node.lstrip().startswith("{"):
        try:
            node = json.loads(node)
        except (ValueError, RecursionError):
            return None
    if not isinstance(node, dict):
        return None
    if any(isinstance(node.get(key), dict) for key in ABOUT):
        return node
    inner = (node[key] for key in WRAPPED_IN if key in node)
    return next((found for one in inner if depth and (found := _event_in(one, depth - 1))), None)


def _moment(event: Mapping[str, Any]) -> datetime | None:
    """When it happened last; older events are counted up and shipped again."""
    for key in ("lastTimestamp", "eventTime", "firstTimestamp"):
        try:
            found = datetime.fromisoformat(event.get(key) or "")
        except (TypeError, ValueError):
            continue
        if found.tzinfo is not None:
            return found
    return None


def _reporter(event: Mapping[str, Any]) -> str:
    source = event.get("source")
    return str((source.get("component") if isinstance(source, dict) else None) or event.get("reportingComponent") or "")


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
