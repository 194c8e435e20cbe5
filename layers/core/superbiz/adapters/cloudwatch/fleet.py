"""What ECS and the scalers say of themselves: service events, deployments, stopped tasks, scaling activities."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from superbiz.adapters.cloudwatch.asking import Asked, ask, batches, listed
from superbiz.adapters.cloudwatch.session import Clients, Found
from superbiz.domain.observations import Change
from superbiz.domain.values import JsonObject

ECS, SCALING = "ECS events", "scaling activities"
A_CALL = 10  # services that one DescribeServices takes
MOST_TASKS = 100  # tasks that one DescribeTasks takes
PAGES = 3
# ECS says this every six hours of a service that nothing happened to.
STEADY = re.compile(r"has reached a steady state")


def ecs(asked: Asked) -> Found[Change] | None:
    """None where no ECS service is named. ECS keeps a service's last hundred events, and stopped tasks for about an hour."""
    if not asked.targets.ecs:
        return None
    rows: list[Change] = []
    cut: list[str] = []
    for cluster in dict.fromkeys(cluster for cluster, _ in asked.targets.ecs):
        names = [service for of, service in asked.targets.ecs if of == cluster]
        for some in batches(names, A_CALL):
            # What is no longer there stands under `failures`, and its tasks can not be asked for.
            for service in ask(asked.clients, ECS, "ecs", "DescribeServices", cluster=cluster, services=some).get("services", ()):
                stopped = _stopped(asked.clients, cluster, str(service.get("serviceName", "")))
                rows += [*_service_events(service), *_deployments(service), *stopped.rows]
                cut += stopped.partial
    return Found(tuple(r for r in rows if asked.window.holds(r.time)), tuple(cut))


def scaling(asked: Asked) -> Found[Change] | None:
    """None where nothing that scales is named. Activities of the last six weeks, the newest first."""
    if not asked.targets.groups and not asked.targets.scalable:
        return None
    groups = [
        (group, listed(asked.clients, SCALING, "autoscaling", "DescribeScalingActivities", "Activities", "NextToken", PAGES,
                       AutoScalingGroupName=group))
        for group in asked.targets.groups
    ]  # fmt: skip
    others = [
        (re.split("[/:]", name)[-1], listed(
            asked.clients, SCALING, "application-autoscaling", "DescribeScalingActivities", "ScalingActivities", "NextToken", PAGES,
            ServiceNamespace=namespace, ResourceId=name, IncludeNotScaledActivities=True))
        for namespace, name in asked.targets.scalable
    ]  # fmt: skip
    told = [(name, [_activity(row, name) for row in found.rows], found.more) for name, found in (*groups, *others)]
    # newest first: what was left unread is older than the last row
    cut = [f"{SCALING} of {name}: only the last {len(rows)} were read"
           for name, rows, more in told if more and rows and rows[-1].time > asked.window.start]  # fmt: skip
    return Found(tuple(r for _, rows, _ in told for r in rows if asked.window.holds(r.time)), tuple(cut))


def _service_events(service: JsonObject) -> Iterator[Change]:
    name = str(service.get("serviceName", ""))
    for event in service.get("events", ()):
        message = str(event.get("message", ""))
        if event.get("createdAt") and not STEADY.search(message):
            yield Change(
                time=event["createdAt"], source="ecs", name="service event", resource=name, message=message, raw=_raw(id=event.get("id"))
            )


def _deployments(service: JsonObject) -> Iterator[Change]:
    """Each deployment where it began, and once more where its rollout failed."""
    name = str(service.get("serviceName", ""))
    for row in service.get("deployments", ()):
        raw = _raw(id=row.get("id"), status=row.get("status"), task_definition=row.get("taskDefinition"))
        began = f"deployment of {_last(row.get('taskDefinition', ''))}, {row.get('desiredCount', 0)} tasks wanted"
        if row.get("createdAt"):
            yield Change(time=row["createdAt"], source="deploy", name="deployment", resource=name, message=began, raw=raw)
        if row.get("rolloutState") == "FAILED" and row.get("updatedAt"):
            why = f"deployment of {_last(row.get('taskDefinition', ''))} failed: {row.get('rolloutStateReason', '')}".rstrip(": ")
            yield Change(time=row["updatedAt"], source="deploy", name="deployment failed", resource=name, message=why, raw=raw)


def _stopped(clients: Clients, cluster: str, service: str) -> Found[Change]:
    found = ask(clients, ECS, "ecs", "ListTasks", cluster=cluster, serviceName=service, desiredStatus="STOPPED", maxResults=MOST_TASKS)
    arns = found.get("taskArns") or ()
    tasks = ask(clients, ECS, "ecs", "DescribeTasks", cluster=cluster, tasks=arns).get("tasks", ()) if arns else ()
    rows = tuple(_stop(task, moment, service) for task in tasks if (moment := task.get("stoppedAt") or task.get("stoppingAt")))
    return Found(rows, (f"{ECS}: only {len(arns)} stopped tasks of {service} were read",) if found.get("nextToken") else ())


def _stop(task: JsonObject, moment: datetime, service: str) -> Change:
    reasons = [str(task.get("stoppedReason", "")), *_containers(task.get("containers", ()))]
    return Change(
        time=moment,
        source="ecs",
        name="task stopped",
        resource=service,
        actor=str(task.get("stopCode", "")),
        message="; ".join(r for r in reasons if r),
        raw=_raw(task=_last(task.get("taskArn", "")), task_definition=task.get("taskDefinitionArn")),
    )


def _containers(containers: Iterable[JsonObject]) -> Iterator[str]:
    """What each container says of its end; an exit with 0 is none."""
    for one in containers:
        told = [str(one["reason"])] if one.get("reason") else []
        if one.get("exitCode"):
            told.append(f"exit code {one['exitCode']}")
        if told:
            yield f"container {one.get('name', '')}: {', '.join(told)}"


def _activity(row: JsonObject, resource: str) -> Change:
    status = str(row.get("StatusCode", ""))
    held = [_held(reason) for reason in row.get("NotScaledReasons", ())]
    parts = [row.get("Description"), row.get("StatusMessage"), *held, row.get("Cause")]
    return Change(
        time=row["StartTime"],
        source="autoscaling",
        name=f"scaling activity {status}".rstrip(),
        resource=resource,
        message="; ".join(str(p) for p in parts if p),
        raw=_raw(id=row.get("ActivityId")),
    )


def _held(reason: JsonObject) -> str:
    """Why the scaler did not scale, such as a maximum that is reached."""
    limits = [f"{name} {reason[key]}" for key, name in (("CurrentCapacity", "current"), ("MaxCapacity", "maximum")) if reason.get(key)]
    return f"not scaled: {reason.get('Code', '')}" + (f" ({', '.join(limits)})" if limits else "")


def _last(arn: str) -> str:
    return str(arn).rsplit("/", 1)[-1]


def _raw(**fields: object) -> JsonObject:
    return {name: value for name, value in fields.items() if value}
