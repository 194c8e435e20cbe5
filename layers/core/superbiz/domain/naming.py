"""Whether a text names a resource: as a whole name, never as a part of a longer one; and whose a made name is."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from superbiz.domain.words import runs

_ARN_PART = re.compile(r"[/:]")
_MIN_PART = 3


@lru_cache(maxsize=4_096)
def _pattern(resource: str) -> re.Pattern[str]:
    part = (_ARN_PART.split(resource) if resource.startswith("arn:") else resource.split("/"))[-1]
    forms = {resource, part} if _telling(part) else {resource}
    longest_first = sorted(forms, key=len, reverse=True)
    return re.compile(
        r"(?<![A-Za-z0-9_.-])(?<!::)(?:" + "|".join(map(re.escape, longest_first)) + r")(?![A-Za-z0-9_-]|::|\.[A-Za-z0-9])", re.IGNORECASE
    )


def _telling(part: str) -> bool:
    """A version number or a single letter names nothing."""
    return len(part) >= _MIN_PART and not part.isdigit()


def names(text: str, resource: str) -> bool:
    """By the full name or the last part of its path or ARN, case aside."""
    name = resource.strip()
    return bool(name) and _pattern(name).search(text) is not None


def alike(a: str, b: str) -> bool:
    """Whether two names are of one resource: the same, case aside, or one is the whole last part of the other."""
    return a.casefold() == b.casefold() or names(a, b) or names(b, a)


# How platforms name what they make for a workload: pods of Deployments, StatefulSets and DaemonSets, tasks, versions.
# Kubernetes makes names from an alphabet without vowels.
_POD = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$", re.IGNORECASE)
_MADE = re.compile(
    r"(?:-(?=[a-z]*\d)[a-z0-9]{4,16}-[a-z0-9]{3,8}|-[bcdfghjklmnpqrstvwxz2456789]{5}|-(?=[a-f]*\d)[a-f0-9]{8,32}|-\d{1,3}|:\d+)$",
    re.IGNORECASE,
)
# And how people name what they keep beside one.
_BESIDE = re.compile(
    r"[-_.](?:tls|certs?|certificate|ingress|config|configmap|conf|settings|env|secrets?|params?|parameters?|sg|security-group|role|policy|tg|target-group|asg|hpa|deployment)$",
    re.IGNORECASE,
)
_IN_POD = re.compile(r"(?:^|/)(?:pods?|replicasets?)/([^/]+)$")
_MOST_ADDED = 3
_ID = re.compile(r"[0-9a-f]{8,}(?:-[0-9a-f-]+)?|\d+", re.IGNORECASE)


# Words of names that tell no workload from another.
_COMMON = frozenset(
    ["prod", "production", "staging", "test", "config", "configuration", "parameter", "parameters", "settings", "secret", "service",
     "services", "server", "worker", "database", "cluster", "default", "instance", "function", "endpoint", "policy", "role", "group",
     "queue", "topic", "table"]
)  # fmt: skip
_SHORTEST_WORD = 4


@lru_cache(maxsize=4_096)
def own_words(name: str) -> frozenset[str]:
    """The words of a name that may tell its workload from others, in lower case and without a plural's ending."""
    parts = (part.casefold() for _, run in runs(name) for part in run)
    return frozenset(p.removesuffix("s") for p in parts if len(p) >= _SHORTEST_WORD and p not in _COMMON and not p.isdigit())


class Owners:
    """Whose a made name is: the workload that a pod, task, replica set or configuration belongs to, by how it is named."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known: dict[str, dict[str, None]] = {}
        for name in known:
            self._known.setdefault(_last(name).casefold(), {})[name] = None

    def of(self, name: str) -> str | None:
        """A workload that is known, else that of a pod. None for what stands by itself."""
        part = _last(name)
        if _POD.search(part) or (_IN_POD.search(name) and _MADE.search(part)):
            workload = _MADE.sub("", part)
            return self._named(workload, name) or workload
        found = (self._named(short, name) for short in _shorter(part.casefold()))
        return next((owner for owner in found if owner and owner.casefold() != name.casefold()), None)

    def _named(self, short: str, name: str) -> str | None:
        """The last part of what is known by it, but for the name itself."""
        return next((_last(k) for k in self._known.get(short.casefold(), ()) if k != name), None)


def owner_of(name: str, known: Iterable[str] = ()) -> str | None:
    """The same for one name."""
    return Owners(known).of(name)


def _last(name: str) -> str:
    """The last part of a path or ARN that is no mere id."""
    parts = [p for p in (_ARN_PART.split(name) if name.startswith("arn:") else name.split("/")) if p]
    return next((p for p in reversed(parts) if not _ID.fullmatch(p)), name)


def _shorter(part: str) -> Iterator[str]:
    """The name, then without what was added to it, then its host label alone (`orders-db.c1x2.eu-west-1.rds.amazonaws.com`)."""
    yield part
    short = part
    for _ in range(_MOST_ADDED):
        longer, short = short, _BESIDE.sub("", _MADE.sub("", short))
        if not short or short == longer:
            break
        yield short
    label = part.split(".")[0]
    if label != part:
        yield label
