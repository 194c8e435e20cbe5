"""Words by which well-known faults name themselves in logs and events: the category they speak for, and where to look next."""

import re
from typing import NamedTuple

from superbiz.domain.claims import FaultCategory as F

SCANNED = 4_000  # characters of a text


class Signature(NamedTuple):
    """`step` is the next step for a person; `{resource}` stands for the suspect's recorded name."""

    name: str
    category: F
    step: str
    words: re.Pattern[str]


def _any(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words), re.IGNORECASE)


def _row(name: str, category: F, step: str, *words: str) -> Signature:
    return Signature(name, category, step, _any(*words))


# The first row whose words occur decides: those that name their cause stand above those that name an effect.
SIGNATURES = (
    _row(
        "out of memory", F.RESOURCE_EXHAUSTION, "Compare the memory limit of {resource} with its usage, and look for the last OOM kill",
        r"out ?of ?memory", r"oom[- ]?kill", r"java heap space", r"cannot allocate memory",
    ),
    _row(
        "connection pool", F.RESOURCE_EXHAUSTION, "Compare open connections of {resource} with its pool size and with the database's limit",
        r"connection is not available", r"pool (?:is )?exhausted", r"hikaripool", r"too many (?:connections|clients)",
        r"remaining connection slots", r"max_connections", r"unable to acquire (?:a )?connection",
        r"time(?:d )?out (?:\w+ ){0,4}(?:waiting for|acquiring) a (?:\w+ )?connection",
    ),
    _row(
        "disk full", F.RESOURCE_EXHAUSTION, "Free or extend the storage of {resource}",
        r"no space left", r"disk (?:is )?full", r"disk quota exceeded", r"storage.?full", r"could not extend file",
    ),
    _row(
        "throttling", F.RESOURCE_EXHAUSTION, "Compare the request rate of {resource} with its quota or provisioned capacity",
        r"throttl", r"rate exceeded", r"too many requests", r"throughput ?exceeded", r"limit ?exceeded", r"quota exceeded",
    ),
    _row(
        "handles or threads", F.RESOURCE_EXHAUSTION, "Compare open files and threads of {resource} with their limits",
        r"too many open files", r"unable to create (?:new )?native thread", r"thread pool (?:is )?exhausted", r"rejectedexecution",
    ),
    _row(
        "credentials", F.SECURITY, "Check the credentials and the role that {resource} uses",
        r"access ?denied", r"unauthori[sz]ed", r"not authorized to perform", r"expired ?token", r"invalid ?credentials",
        r"password authentication failed", r"\b403 forbidden",
    ),
    _row(
        "certificate", F.SECURITY, "Check the certificates that {resource} presents and trusts",
        r"certificate (?:has )?expired", r"x509", r"pkix path", r"tls handshake", r"ssl(?:handshake)?exception",
    ),
    _row(
        "name resolution", F.NETWORK, "Resolve the names that {resource} calls from where it runs",
        r"unknownhost", r"name or service not known", r"no such host", r"could not resolve host", r"nxdomain", r"servfail", r"getaddrinfo",
    ),
    _row(
        "network", F.NETWORK, "Check routes, security groups and listeners between {resource} and what it calls",
        r"connection (?:refused|reset)", r"no route to host", r"network (?:is )?unreachable", r"broken pipe", r"econnre(?:set|fused)",
    ),
    _row(
        "lock", F.DATA, "List the blocking sessions and locks of {resource}",
        r"deadlock", r"lock wait timeout", r"could not obtain lock", r"serialization failure",
    ),
    _row(
        "data", F.DATA, "Compare schema and data of {resource} with what its callers expect",
        r"duplicate key", r"integrity constraint", r"no such (?:table|column)", r"unknown column", r"corrupt(?:ed|ion)",
    ),
    _row(
        "image or start", F.DEPLOYMENT, "Describe the failing pods or tasks of {resource} and read their first lines",
        r"imagepullbackoff", r"errimagepull", r"crashloopbackoff", r"back-?off restarting", r"exec format error",
    ),
    _row(
        "configuration", F.CONFIGURATION, "Compare the configuration of {resource} with the last one that worked",
        r"missing (?:required )?(?:property|configuration|environment variable)", r"could not resolve placeholder",
        r"invalid configuration", r"unknown (?:property|parameter)", r"parameternotfound",
    ),
    _row(
        "host", F.INFRASTRUCTURE, "Check the health of the host or instance under {resource}",
        r"node ?(?:not ?ready|lost)", r"instance (?:status check|retire|terminat)", r"hardware", r"spot interruption", r"\bfailover\b",
    ),
    _row(
        "code", F.CODE_DEFECT, "Read the code of {resource} at the named place and its last change",
        r"nullpointer", r"index ?outofbounds", r"classcast", r"illegalstate", r"illegalargument", r"typeerror", r"attributeerror",
        r"keyerror", r"nosuchmethod", r"is not a function", r"cannot read propert", r"stack ?overflow", r"panic:",
        r"assertion ?(?:error|failed)",
    ),
    _row(
        "dependency", F.DEPENDENCY, "Check the services that {resource} calls",
        r"upstream", r"timed? ?out", r"deadline exceeded", r"service unavailable", r"bad gateway", r"circuit ?breaker",
        r"retries exhausted",
    ),
)  # fmt: skip

ROUTINE = _any(
    "backup", "snapshot", "automated", "scheduled", "rotation completed", "maintenance (?:completed|finished)", "checkpoint", "vacuum",
    "renewed",
)  # fmt: skip
DEPLOYING = _any(
    "deploy", "rollout", "release", "updatefunctioncode", "updateservice", "new revision", "image", "taskdefinition", "version",
    "replicaset",
)  # fmt: skip
CONFIGURING = _any("config", "parameter", "setting", "modify", "flag", "toggle", "secret", "policy", "securitygroup", r"\bput", "update")
FAILING = _any(
    "fail", "error", "oom", "kill", "evict", "unhealthy", "crash", "back-?off", "exhaust", r"\bfull\b", r"\blost\b", "terminated", "reboot",
    "restart", "unavailable",
)  # fmt: skip


def signature_of(text: str) -> Signature | None:
    """The first signature whose words occur in the text's first 4,000 characters."""
    return next((s for s in SIGNATURES if s.words.search(text, 0, SCANNED)), None)
