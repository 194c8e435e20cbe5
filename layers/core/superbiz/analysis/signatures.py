"""Words by which well-known faults name themselves in logs, changes and metrics: the category they speak for, and where to look next."""

import re
from typing import NamedTuple

from superbiz.domain.claims import FaultCategory as F


class Signature(NamedTuple):
    """`step` is the next step for a person; `{resource}` stands for the suspect's recorded name."""

    name: str
    words: re.Pattern[str]
    category: F
    step: str


def _row(name: str, words: str, category: F, step: str) -> Signature:
    return Signature(name, re.compile(words, re.I), category, step)


# The first row whose words occur decides: those that name their cause stand above those that name an effect.
SIGNATURES = (
    _row("out of memory", r"out ?of ?memory|oomkill|java heap space|cannot allocate memory", F.RESOURCE_EXHAUSTION,
         "Compare the memory limit of {resource} with its usage and look for the last OOM kill"),
    _row("connection pool", r"connection is not available|pool (?:is )?exhausted|hikaripool|too many (?:connections|clients)|"
         r"remaining connection slots|max_connections|unable to acquire (?:a )?connection", F.RESOURCE_EXHAUSTION,
         "Compare open connections of {resource} with its pool size and with the database's limit"),
    _row("disk full", r"no space left|disk (?:is )?full|disk quota exceeded|storage.?full|could not extend file", F.RESOURCE_EXHAUSTION,
         "Free or extend the storage of {resource}"),
    _row("throttling", r"throttl|rate exceeded|too many requests|provisionedthroughputexceeded|limit ?exceeded|quota exceeded|slow ?down\b",
         F.RESOURCE_EXHAUSTION, "Compare the request rate of {resource} with its quota or provisioned capacity"),
    _row("file handles or threads", r"too many open files|unable to create (?:new )?native thread|thread pool (?:is )?exhausted|"
         r"rejectedexecution", F.RESOURCE_EXHAUSTION, "Compare open files and threads of {resource} with their limits"),
    _row("credentials", r"access ?denied|unauthori[sz]ed|not authorized to perform|expired ?token|invalid ?credentials|password authentication "
         r"failed|signature (?:does not match|expired)|\b40[13] forbidden", F.SECURITY,
         "Check the credentials and the role that {resource} uses"),
    _row("certificate", r"certificate (?:has )?expired|x509|pkix path|tls handshake|ssl(?:handshake)?exception|cert.{0,20}not valid", F.SECURITY,
         "Check the certificates that {resource} presents and trusts"),
    _row("name resolution", r"unknownhost|name or service not known|no such host|could not resolve|nxdomain|servfail|getaddrinfo", F.NETWORK,
         "Resolve the names that {resource} calls from where it runs"),
    _row("network", r"connection (?:refused|reset)|no route to host|network (?:is )?unreachable|broken pipe|packet loss|ENETUNREACH|ECONNRESET",
         F.NETWORK, "Check routes, security groups and listeners between {resource} and what it calls"),
    _row("lock", r"deadlock|lock wait timeout|could not obtain lock|serialization failure", F.DATA,
         "List the blocking sessions and locks of {resource}"),
    _row("data", r"duplicate key|integrity constraint|violates .{0,40}constraint|no such (?:table|column)|relation .{0,80}does not exist|"
         r"corrupt", F.DATA, "Compare schema and data of {resource} with what its callers expect"),
    _row("image or start", r"imagepullbackoff|errimagepull|crashloopbackoff|back-?off restarting|exec format error", F.DEPLOYMENT,
         "Describe the failing pods or tasks of {resource} and read their first lines"),
    _row("configuration", r"missing (?:required )?(?:property|configuration|environment variable)|could not resolve placeholder|"
         r"invalid (?:configuration|value for)|unknown (?:property|parameter)|no such (?:key|parameter)|parameternotfound", F.CONFIGURATION,
         "Compare the configuration of {resource} with the last one that worked"),
    _row("host", r"node ?(?:not ?ready|lost)|instance (?:status check|retire|terminat)|hardware|spot interruption|underlying host|\bfailover\b",
         F.INFRASTRUCTURE, "Check the health of the host or instance under {resource}"),
    _row("code", r"nullpointer|indexoutofbounds|arrayindex|classcast|illegalstate|illegalargument|typeerror|attributeerror|keyerror|"
         r"nosuchmethod|undefined is not|cannot read propert|stack ?overflow|panic:|assertion", F.CODE_DEFECT,
         "Read the code of {resource} at the named place and its last change"),
    _row("dependency", r"upstream|timed? ?out|deadline exceeded|service unavailable|bad gateway|circuit ?breaker|\b50[234]\b|"
         r"retries exhausted", F.DEPENDENCY, "Check the services that {resource} calls"),
)  # fmt: skip


def signature_of(text: str) -> Signature | None:
    """The first signature whose words occur in the text's first 4,000 characters."""
    return next((s for s in SIGNATURES if s.words.search(text, 0, 4_000)), None)


ROUTINE = re.compile(
    r"backup|snapshot|automated|scheduled|rotat(?:e|ion) completed|maintenance (?:completed|finished)|checkpoint|vacuum|heartbeat|renewed",
    re.I,
)
DEPLOYING = re.compile(
    r"deploy|rollout|release|updatefunctioncode|updateservice|new revision|image|taskdefinition|version|replicaset", re.I
)
CONFIGURING = re.compile(r"config|parameter|setting|modify|flag|toggle|secret|policy|securitygroup|put|update", re.I)
FAILING = re.compile(
    r"fail|error|oom|kill|evict|unhealthy|crash|back-?off|exhaust|full|lost|terminat|reboot|restart|failover|unavailable", re.I
)
