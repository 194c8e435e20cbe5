"""A row of a Logs Insights answer as a log line."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from superbiz.domain.observations import LogLine

# What a log router wraps a container's line in, and where it then says whose line it is.
WRAPPED = ('"kubernetes"', '"ecs_task_arn"')
LABELS = ("app.kubernetes.io/name", "app", "k8s-app")


class _Wrapped(NamedTuple):
    text: str
    path: tuple[str, ...]


def line_of(row: Mapping[str, str], group: str) -> LogLine | None:
    """`group` stands in where the row does not name its own. None for a row without a time.

    A cluster keeps all its containers' lines in one group, wrapped in JSON: the line is unwrapped, and its workload is added to the group's
    path, so that it is known who speaks.
    """
    moment = _milliseconds(row.get("@timestamp", ""))
    if moment is None:
        return None
    named = row.get("@log", "").rpartition(":")[2] or group  # `account:group`
    message, stream = row.get("@message", "").rstrip("\r\n"), row.get("@logStream", "")
    wrapped = _wrapped(message)
    if wrapped is None:
        return LogLine(named, stream, moment, message)
    return LogLine("/".join([named, *wrapped.path]), stream, moment, wrapped.text)


def _milliseconds(text: str) -> int | None:
    """`2026-07-08 22:40:00.123`, in UTC; numbers are epoch milliseconds already."""
    try:
        return int(text) if text.isdigit() else round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        return None


def _wrapped(message: str) -> _Wrapped | None:
    if not message.startswith("{") or not any(mark in message for mark in WRAPPED):
        return None
    try:
        found = json.loads(message)
    except ValueError:
        return None
    text = found.get("log") if isinstance(found, dict) else None
    return _Wrapped(text.rstrip("\r\n"), _path(found)) if isinstance(text, str) else None


def _path(found: dict[str, Any]) -> tuple[str, ...]:
    """Namespace and workload of a pod, or a task's container."""
    pod = found.get("kubernetes")
    if not isinstance(pod, dict):
        names = [found.get("container_name")]
    else:
        labels = _mapping(pod.get("labels"))
        names = [pod.get("namespace_name"), next((labels[n] for n in LABELS if labels.get(n)), None) or pod.get("container_name")]
    return tuple(n for n in names if isinstance(n, str) and n)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
