"""CloudTrail's write events: who changed what, by the two requests a second that AWS allows an account and region.

All write events are paged through from the newest on. Where they are too many, those of the named resources and the changes that matter to
their services are looked up one by one in the time that is left.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from superbiz.adapters.cloudwatch.asking import Asked, ask
from superbiz.adapters.cloudwatch.session import Found
from superbiz.adapters.cloudwatch.targets import Targets
from superbiz.domain.observations import Change
from superbiz.domain.values import JsonObject, Window, iso, to_utc

WHAT = "CloudTrail events"
SECONDS_A_REQUEST = 0.5
PAGES, LOOKUPS, NAMED = 8, 16, 6
PAGE = 50
MESSAGE_CHARS, VALUE_CHARS, PARAMETERS = 600, 80, 8

# What agents and services write all day: no change that anybody made.
NOISE = frozenset(
    {
        "CreateLogStream", "CreateLogGroup", "PutRetentionPolicy", "UpdateInstanceInformation", "PutInventory", "SubmitTaskStateChange",
        "SubmitContainerStateChange", "SubmitAttachmentStateChanges", "DiscoverPollEndpoint", "OpenDataChannel", "OpenControlChannel",
        "CreateNetworkInterface", "DeleteNetworkInterface", "CreateGrant", "RetireGrant", "StartQuery", "StopQuery", "StartExecution",
        "SharedSnapshotVolumeCreated", "UpdateInstanceAssociationStatus", "ConsoleLogin", "CheckMfa",
    }
)  # fmt: skip
# The events that tell of a change to a service of a kind; each is one request.
TELLING: Mapping[str, Sequence[str]] = {
    "ecs": ("UpdateService",),
    "lambda": ("UpdateFunctionCode20150331v2", "UpdateFunctionConfiguration20150331v2", "PutFunctionConcurrency20171031"),
    "rds": ("ModifyDBInstance", "ModifyDBCluster", "ModifyDBParameterGroup", "RebootDBInstance"),
    "autoscaling": ("UpdateAutoScalingGroup",),
    "dynamodb": ("UpdateTable",),
    "sqs": ("SetQueueAttributes",),
    "elasticache": ("ModifyReplicationGroup",),
    "elbv2": ("ModifyRule", "ModifyTargetGroup"),
}
ALWAYS = ("ExecuteChangeSet", "UpdateStack", "AuthorizeSecurityGroupIngress", "RevokeSecurityGroupIngress", "PutParameter")


class _Events(NamedTuple):
    """Events of one query, and where it was cut: the time of the oldest event that was read; None where all were."""

    events: tuple[JsonObject, ...]
    cut_at: datetime | None


class _Pace:
    """Keeps requests apart."""

    def __init__(self, asked: Asked) -> None:
        self._asked, self._next = asked, 0.0

    def look_up(self, **request: Any) -> JsonObject:
        """One request, once it may be made."""
        left = self._next - time.monotonic()
        if left > 0:
            self._asked.sleep(left)
        answer = ask(self._asked.clients, WHAT, "cloudtrail", "LookupEvents", **request)
        self._next = time.monotonic() + SECONDS_A_REQUEST
        return answer


def trail(asked: Asked) -> Found[Change]:
    """Newest first. Raises SourceUnavailable where CloudTrail can not be asked."""
    window, pace = asked.window, _Pace(asked)
    newest = _look_up(pace, window, ("ReadOnly", "false"), PAGES)
    events, said = list(newest.events), []
    if newest.cut_at is not None and newest.cut_at > window.start:
        rest = Window(start=window.start, end=newest.cut_at)
        lookups = list(islice(_lookups(asked.targets), LOOKUPS))
        for attribute in lookups:
            events += _look_up(pace, rest, attribute, 1).events
        said.append(
            f"CloudTrail: the {len(newest.events)} newest write events were read, back to {iso(newest.cut_at)}; "
            f"before that only those found by {len(lookups)} lookups of names"
        )
    return Found(tuple(_changes(events, asked.targets.names)), tuple(said))


def _lookups(targets: Targets) -> Iterator[tuple[str, str]]:
    yield from (("ResourceName", name) for name in targets.names[:NAMED])
    yield from (("EventName", name) for kind in targets.kinds for name in TELLING.get(kind, ()))
    yield from (("EventName", name) for name in ALWAYS)


def _look_up(pace: _Pace, window: Window, attribute: tuple[str, str], pages: int) -> _Events:
    key, value = attribute
    request: dict[str, Any] = {
        "LookupAttributes": [{"AttributeKey": key, "AttributeValue": value}],
        "StartTime": window.start,
        "EndTime": window.end,
        "MaxResults": PAGE,
    }
    events: list[JsonObject] = []
    for _ in range(pages):
        answer = pace.look_up(**request)
        events += answer.get("Events", ())
        if not answer.get("NextToken"):
            return _Events(tuple(events), None)
        request["NextToken"] = answer["NextToken"]
    return _Events(tuple(events), min((to_utc(e["EventTime"]) for e in events), default=window.start))


def _changes(events: Iterable[JsonObject], names: Sequence[str]) -> Iterator[Change]:
    """Each write event once; lookups by name bring reading ones too."""
    once = {str(e.get("EventId", n)): e for n, e in enumerate(events)}
    for event in once.values():
        if event.get("ReadOnly") != "true" and event.get("EventName") not in NOISE and event.get("EventTime"):
            yield _change(event, _detail(event), names)


def _change(event: JsonObject, detail: JsonObject, names: Sequence[str]) -> Change:
    name, resources = str(event.get("EventName", "")), [str(r.get("ResourceName", "")) for r in event.get("Resources", ())]
    parameters = list(_leaves(detail.get("requestParameters")))
    kept = {"event_id": event.get("EventId"), "event_source": event.get("EventSource"), "error_code": detail.get("errorCode")}
    return Change(
        time=event["EventTime"],
        source="cloudtrail",
        name=name,
        resource=_resource(resources, [value for _, value in parameters], names),
        actor=_actor(event, detail),
        message=_message(parameters, detail),
        raw={key: value for key, value in kept.items() if value},
    )


def _detail(event: JsonObject) -> JsonObject:
    """The event as CloudTrail keeps it, which travels as a JSON text."""
    try:
        found = json.loads(event.get("CloudTrailEvent") or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _resource(resources: Sequence[str], values: Sequence[str], names: Sequence[str]) -> str:
    """A resource that is asked about, wherever the event names it; else the first that the event names, without the head of its ARN."""
    given = [*resources, *values]
    asked = next((name for name in names for value in given if name.casefold() in _parts(value)), None)
    return asked or (resources[0].split(":", 5)[-1] if resources else "")


def _parts(value: str) -> set[str]:
    return {value.casefold(), *value.casefold().replace(":", "/").split("/")}


def _actor(event: JsonObject, detail: JsonObject) -> str:
    """Who did it: a role with its session, a user, or the AWS service that acts for itself."""
    identity = detail.get("userIdentity")
    who = identity if isinstance(identity, dict) else {}
    issuer = who.get("sessionContext", {}).get("sessionIssuer", {}) if isinstance(who.get("sessionContext"), dict) else {}
    role = issuer.get("userName") if isinstance(issuer, dict) else None
    name = str(event.get("Username") or who.get("userName") or who.get("invokedBy") or who.get("principalId") or "")
    return f"{role}/{name}" if role and role != name else name


def _message(parameters: Sequence[tuple[str, str]], detail: JsonObject) -> str:
    """What was asked for, and whether AWS refused it: a refused call changed nothing."""
    asked = ", ".join(f"{path}={value}" for path, value in parameters if len(value) <= VALUE_CHARS and not path.endswith("Token"))
    refused = f"refused with {detail['errorCode']}: {detail.get('errorMessage', '')}".rstrip(": ") if detail.get("errorCode") else ""
    return "; ".join(part for part in (refused, asked) if part)[:MESSAGE_CHARS]


def _leaves(node: Any, path: str = "", depth: int = 4) -> Iterator[tuple[str, str]]:
    """(path, value) of the first parameters, however they nest."""
    yield from islice(_walked(node, path, depth), PARAMETERS)


def _walked(node: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(node, Mapping) and depth:
        for key, value in node.items():
            yield from _walked(value, f"{path}.{key}".lstrip("."), depth - 1)
    elif isinstance(node, list) and depth:
        for value in node:
            yield from _walked(value, path, depth - 1)
    elif isinstance(node, str | int | float | bool) and node != "":
        yield path, str(node).lower() if isinstance(node, bool) else str(node)
