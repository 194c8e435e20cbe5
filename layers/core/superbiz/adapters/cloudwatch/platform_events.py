"""What the platform says happened: RDS events, deployments by CodeDeploy, AWS Health."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from superbiz.adapters.cloudwatch.asking import Asked, ask, batches, listed
from superbiz.adapters.cloudwatch.session import Found
from superbiz.domain.observations import Change
from superbiz.domain.values import JsonObject, iso
from superbiz.ports import SourceUnavailable

RDS, CODEDEPLOY, HEALTH = "RDS events", "CodeDeploy deployments", "AWS Health"
RDS_KEEPS = timedelta(days=14)
PAGES = 5
DEPLOYMENTS_A_CALL, HEALTH_A_CALL = 25, 10
HEALTH_EVENTS = 30
TEXT_CHARS = 1_000
NO_PLAN = "AWS Health was not asked: its API needs a Business or Enterprise support plan, which the account does not have"


def rds(asked: Asked) -> Found[Change]:
    """Of all databases of the region: one that nobody named may stand behind an alarm. Of too many, those of the named ones again."""
    start = max(asked.window.start, asked.now - RDS_KEEPS)
    if start >= asked.window.end:
        raise SourceUnavailable(RDS, f"RDS keeps them for {RDS_KEEPS.days} days, and the window is older")
    within = {"StartTime": start, "EndTime": asked.window.end}
    named = [
        *({"SourceIdentifier": name, "SourceType": "db-instance"} for name in asked.targets.instances),
        *({"SourceIdentifier": name, "SourceType": "db-cluster"} for name in asked.targets.db_clusters),
    ]
    found = [listed(asked.clients, RDS, "rds", "DescribeEvents", "Events", "Marker", PAGES, **within)]
    partial = []
    if found[0].more:
        partial.append(f"RDS events: only the first {len(found[0].rows)} of the region were read, and those of the named databases")
        found += [listed(asked.clients, RDS, "rds", "DescribeEvents", "Events", "Marker", PAGES, **within, **one) for one in named]
    rows = {(e["Date"], e.get("SourceIdentifier"), e.get("Message")): e for part in found for e in part.rows if e.get("Date")}
    if start > asked.window.start:
        partial.append(f"RDS keeps events for {RDS_KEEPS.days} days: those before {iso(start)} are gone")
    return Found(tuple(_rds_change(e) for e in rows.values()), tuple(partial))


def codedeploy(asked: Asked) -> Found[Change]:
    """Deployments that were created in the window, of any application."""
    span = {"start": asked.window.start, "end": asked.window.end}
    ids = listed(asked.clients, CODEDEPLOY, "codedeploy", "ListDeployments", "deployments", "nextToken", PAGES, createTimeRange=span)
    rows: list[Change] = []
    for some in batches(ids.rows, DEPLOYMENTS_A_CALL):
        answer = ask(asked.clients, CODEDEPLOY, "codedeploy", "BatchGetDeployments", deploymentIds=some)
        rows += [change for row in answer.get("deploymentsInfo", ()) for change in _deployment(row)]
    return Found(tuple(rows), (f"CodeDeploy: the first {len(ids.rows)} deployments were read",) if ids.more else ())


def health(asked: Asked) -> Found[Change]:
    """Events of the region and of AWS as a whole that began in the window. No support plan means none to read; that is no failure."""
    wanted = {
        "startTimes": [{"from": asked.window.start, "to": asked.window.end}],
        "regions": [asked.clients.reach.region, "global"],
    }
    try:
        found = listed(asked.clients, HEALTH, "health", "DescribeEvents", "events", "nextToken", 1, filter=wanted, maxResults=HEALTH_EVENTS)
    except SourceUnavailable as e:
        if "SubscriptionRequired" in e.why:
            return Found(notes=(NO_PLAN,))
        raise
    arns = [str(e["arn"]) for e in found.rows if e.get("arn")]
    texts, entities = _health_texts(asked, arns), _health_entities(asked, arns)
    rows = tuple(_health_change(e, texts, entities) for e in found.rows if e.get("startTime"))
    return Found(rows, (f"AWS Health: the {len(rows)} newest events were read",) if found.more else ())


def _rds_change(event: JsonObject) -> Change:
    categories = ", ".join(event.get("EventCategories") or ()) or "event"
    raw = {"source_type": event.get("SourceType", ""), "source_arn": event.get("SourceArn", "")}
    return Change(
        time=event["Date"],
        source="rds",
        name=categories,
        resource=event.get("SourceIdentifier", ""),
        actor="rds",
        message=event.get("Message", ""),
        raw={key: value for key, value in raw.items() if value},
    )


def _deployment(row: JsonObject) -> Iterator[Change]:
    """Where it began, and where it failed or was stopped."""
    application, group = row.get("applicationName", ""), row.get("deploymentGroupName", "")
    what = f"deployment {row.get('deploymentId', '')} of {application} to {group}"
    raw = {"id": row.get("deploymentId", ""), "status": row.get("status", ""), "group": group}
    common = {"source": "deploy", "resource": application, "actor": row.get("creator", ""), "raw": raw}
    if row.get("createTime"):
        said = "; ".join(p for p in (f"{what} by CodeDeploy", row.get("description", "")) if p)
        yield Change(time=row["createTime"], name="deployment", message=said, **common)
    if row.get("status") in ("Failed", "Stopped") and (row.get("completeTime") or row.get("createTime")):
        error = row.get("errorInformation") or {}
        why = ": ".join(p for p in (error.get("code", ""), error.get("message", "")) if p)
        status = str(row["status"]).lower()
        said = f"{what} {status}" + (f": {why}" if why else "")
        yield Change(time=row.get("completeTime") or row["createTime"], name=f"deployment {status}", message=said, **common)


def _health_texts(asked: Asked, arns: Sequence[str]) -> Mapping[str, str]:
    texts: dict[str, str] = {}
    for some in batches(arns, HEALTH_A_CALL):
        for row in ask(asked.clients, HEALTH, "health", "DescribeEventDetails", eventArns=some).get("successfulSet", ()):
            texts[row["event"]["arn"]] = str(row.get("eventDescription", {}).get("latestDescription", ""))[:TEXT_CHARS]
    return texts


def _health_entities(asked: Asked, arns: Sequence[str]) -> Mapping[str, list[str]]:
    entities: dict[str, list[str]] = {}
    for some in batches(arns, HEALTH_A_CALL):
        answer = ask(asked.clients, HEALTH, "health", "DescribeAffectedEntities", filter={"eventArns": some})
        for row in answer.get("entities", ()):
            entities.setdefault(row.get("eventArn", ""), []).append(str(row.get("entityValue", "")))
    return entities


def _health_change(event: JsonObject, texts: Mapping[str, str], entities: Mapping[str, list[str]]) -> Change:
    """The resource is the first of ours that is affected, else the service."""
    arn = str(event.get("arn", ""))
    affected = [e for e in entities.get(arn, ()) if e not in ("", "UNKNOWN", "AWS_ACCOUNT")]
    raw = {"arn": arn, "status": event.get("statusCode", ""), "category": event.get("eventTypeCategory", ""), "affected": affected[:20]}
    return Change(
        time=event["startTime"],
        source="health",
        name=str(event.get("eventTypeCode", "")),
        resource=affected[0] if affected else str(event.get("service", "")),
        actor="AWS",
        message=texts.get(arn, ""),
        raw={key: value for key, value in raw.items() if value},
    )
