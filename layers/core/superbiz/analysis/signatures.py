"""Words by which well-known faults name themselves in logs: what they show, the category they speak for, and where to look next.

Sources of the words: the error messages of the JVM, Go, Node.js and Python run times, of PostgreSQL, MySQL and Redis, of the AWS SDKs, of
HikariCP and of Kubernetes.
"""

from functools import lru_cache
from typing import NamedTuple

from superbiz.analysis.faults.vocabulary import Seen
from superbiz.analysis.patterns import Pattern
from superbiz.domain.claims import FaultCategory as F

SCANNED = 4_000  # characters of a text


class Signature(NamedTuple):
    """`seen` is what the words show; `step` the next step for a person, where `{resource}` stands for the suspect's recorded name."""

    name: str
    category: F
    seen: Seen
    step: str
    words: Pattern


def _row(name: str, category: F, seen: Seen, step: str, *words: str) -> Signature:
    return Signature(name, category, seen, step, Pattern(*words))


# The first row whose words occur decides: those that name their cause stand above those that name an effect.
SIGNATURES = (
    _row(
        "cache memory", F.RESOURCE_EXHAUSTION, Seen.MEMORY_LIMIT_REACHED,
        "Compare the memory of the cache that {resource} uses with its limit",
        r"oom command not allowed", r"used memory > 'maxmemory'", r"out of memory storing object", r"oom error",
    ),
    _row(
        "out of memory", F.RESOURCE_EXHAUSTION, Seen.OUT_OF_MEMORY,
        "Compare the memory limit of {resource} with its usage, and look for the last OOM kill",
        r"out ?of ?memory", r"oom[- ]?kill", r"java heap space", r"cannot allocate memory", r"heap out of memory", r"gc overhead limit",
        r"signal: killed", r"exit(?:ed with)?(?: code)? 137\b", r"memory size: .*max memory", r"\bmemoryerror\b", r"bad_alloc",
        r"reached heap limit", r"killed process \d+",
    ),
    _row(
        "connection limit", F.RESOURCE_EXHAUSTION, Seen.CONNECTIONS_REFUSED_BY_LIMIT,
        "Compare the open connections of {resource} with its connection limit, and count them by client",
        r"too many (?:\w+ )?(?:connections|clients)", r"remaining connection slots", r"max_(?:user_)?connections", r"max number of clients",
        r"connection limit (?:exceeded|reached)", r"too_many_connections", r"er_con_count", r"no more connections allowed",
        r"connection ?limit ?exceeded",
    ),
    _row(
        "connection pool", F.RESOURCE_EXHAUSTION, Seen.POOL_EXHAUSTED,
        "Compare open connections of {resource} with its pool size and with the database's limit",
        r"connection is not available", r"(?<!httpsconnection)(?<!httpconnection)pool\b.{0,40}(?:exhausted|limit|is full|timed? ?out)",
        r"hikaripool",
        r"unable to acquire (?:a )?connection", r"(?:exhausted|no (?:free|idle|available)) (?:\w+ )?(?:pool )?connections?\b",
        r"time(?:d )?out (?:\w+ ){0,4}(?:waiting for|acquiring|to get) an? (?:\w+ )?connection",
        r"could not (?:get|obtain) (?:\w+ )?connection",
        r"timeout exceeded when trying to connect", r"pool ?timeout", r"pool empty", r"waitqueue(?:full|timeout)",
        r"no available connection", r"(?:get|obtain|acquire) (?:a )?(?:resource|connection) from (?:the )?pool",
    ),
    _row(
        "disk full", F.RESOURCE_EXHAUSTION, Seen.DISK_FULL, "Free or extend the storage of {resource}",
        r"no space left", r"disk (?:is )?full", r"disk quota exceeded", r"storage.?full", r"could not extend file", r"\benospc\b",
        r"out of (?:disk|storage)", r"the table '[^']*' is full", r"could not write (?:to file|init file).{0,80}space", r"errno:? ?28\b",
        r"flood[- ]stage", r"read-only-allow-delete", r"disk watermark",
    ),
    _row(
        "replication", F.RESOURCE_EXHAUSTION, Seen.REPLICATION_ERROR,
        "Compare the write load of the primary of {resource} with what it can replay",
        r"requested wal segment .{0,60}removed", r"could not receive data from wal stream", r"slave (?:i/o|sql).{0,40}(?:error|stop)",
        r"replication (?:slot|terminated|stopped)",
    ),
    _row(
        "replica lag", F.RESOURCE_EXHAUSTION, Seen.REPLICA_LAG,
        "Compare the write load of the primary of {resource} with what it can replay",
        r"conflict with recovery",
        r"replica(?:tion)?\b.{0,40}(?:\blag|(?:seconds?|is|are|was|falls?|fallen|falling|too far|running) behind)",
    ),
    _row(
        "lock", F.DATA, Seen.LOCK_WAITS, "List the blocking sessions and locks of {resource}",
        r"deadlock", r"lock wait timeout", r"could not obtain lock", r"serialization failure", r"could not serialize", r"lock timeout",
        r"still waiting for \w*lock", r"waiting for (?:\w+ )?lock", r"database is locked", r"lock_timeout", r"lockacquisition",
        r"concurrent update", r"lock not available", r"metadata lock", r"lock request",
    ),
    _row(
        "read only", F.INFRASTRUCTURE, Seen.READ_ONLY,
        "Check which instance {resource} writes to: its endpoint may lead to a reader or a standby",
        r"read[- ]only (?:transaction|option|mode|replica)", r"against a read only",
        r"database system is (?:starting up|shutting down|in recovery)",
        r"due to administrator command", r"server (?:is )?shutting down", r"not primary", r"failover", r"notwritableprimary",
        r"not ?master\b", r"masterdown", r"clusterdown", r"redis is loading", r"not(?:_| )?leader(?:_| )?for", r"notleaderor",
        r"leader_not_available",
        r"no primary", r"primary stepped down",
    ),
    _row(
        "throttling", F.RESOURCE_EXHAUSTION, Seen.THROTTLED,
        "Compare the request rate of {resource} with its quota or provisioned capacity",
        r"throttl", r"rate exceeded", r"too ?many ?requests", r"throughput ?exceeded", r"limit ?exceeded", r"quota exceeded",
        r"(?:status|code|http|error)\W{0,5}429\b",
        r"rate ?limit", r"concurrent ?invocation ?limit", r"reduce your request rate", r"slow ?down\b.{0,30}reduce",
        r"provisioned throughput", r"resource_?exhausted",
        r"quota.{0,30}(?:exceed|exhaust)", r"exceeded.{0,30}quota", r"maximum number of concurrent",
        r"limit of \d+ .{0,30}(?:reached|exceeded)",
    ),
    _row(
        "handles or threads", F.RESOURCE_EXHAUSTION, Seen.HANDLES_EXHAUSTED,
        "Compare open files and threads of {resource} with their limits",
        r"too many open files", r"unable to create (?:new )?native thread", r"thread pool (?:is )?exhausted", r"rejectedexecution",
        r"\bemfile\b",
        r"cannot assign requested address", r"can't start new thread", r"conntrack.{0,20}full", r"no more threads", r"queue (?:is )?full",
        r"executor.{0,30}(?:rejected|saturated)", r"resource temporarily unavailable",
    ),
    _row(
        "certificate", F.SECURITY, Seen.CERTIFICATE, "Check the certificates that {resource} presents and trusts",
        r"certificate.{0,40}(?:expired|not yet valid|unknown|verify failed|not trusted|invalid)", r"x509", r"pkix path", r"tls handshake",
        r"ssl(?:handshake)?(?:exception|error)", r"cert_has_expired", r"certificate_(?:expired|unknown)", r"self[- ]signed certificate",
        r"certificate_verify", r"altname", r"unable to verify the (?:first|leaf)", r"ssl routines", r"tlsv?\d.{0,10}alert",
        r"handshake[_ ]fail", r"(?:bad|invalid|revoked) certificate", r"doesn't match.{0,20}certificate",
    ),
    _row(
        "credentials", F.SECURITY, Seen.CREDENTIALS, "Check the credentials and the role that {resource} uses",
        r"access ?denied", r"unauthori[sz]ed", r"not authorized to perform", r"expired ?token", r"invalid ?(?:credentials|api ?key|token)",
        r"password authentication failed", r"\b403 forbidden", r"authentication (?:failed|failure|error)", r"access denied for user",
        r"token (?:has |is )?expired", r"signature ?(?:does ?not ?match|expired)", r"invalid(?:clienttokenid|signature)", r"wrongpass",
        r"noauth\b",
        r"login failed", r"permission denied for", r"security token.{0,40}(?:expired|invalid)", r"unrecognizedclient",
        r"(?:status|code|http)\W{0,5}40[13]\b", r"invalid_grant", r"jwt.{0,20}(?:expired|invalid)",
        r"kms.{0,60}(?:disabled|pendingdeletion|invalidstate)", r"key .{0,80}is (?:disabled|pending deletion)", r"bad credentials",
        r"authorization failed", r"no identity-based policy allows", r"explicit deny",
    ),
    _row(
        "name resolution", F.NETWORK, Seen.NAME_RESOLUTION, "Resolve the names that {resource} calls from where it runs",
        r"unknownhost", r"name or service not known", r"no such host", r"could not resolve host", r"nxdomain", r"servfail", r"getaddrinfo",
        r"\beai_again\b", r"temporary failure in name resolution", r"name resolution", r"lookup \S+ on \S+:53", r"\benotfound\b",
        r"server misbehaving", r"name does not resolve", r"nodename nor servname", r"dns (?:lookup|query|resolution).{0,30}(?:fail|time)",
    ),
    _row(
        "image pull", F.DEPLOYMENT, Seen.IMAGE_PULL, "Check that the image of {resource} exists and may be pulled",
        r"imagepullbackoff", r"errimagepull", r"cannotpullcontainer", r"manifest unknown", r"pull access denied",
    ),
    _row(
        "start", F.DEPLOYMENT, Seen.CRASH_LOOP, "Describe the failing pods or tasks of {resource} and read their first lines",
        r"crashloopbackoff", r"back-?off restarting", r"exec format error", r"application (?:run|startup) failed",
    ),
    _row(
        "configuration", F.CONFIGURATION, Seen.MISCONFIGURED, "Compare the configuration of {resource} with the last one that worked",
        r"missing (?:required )?(?:property|config\w*|environment variable|env var|setting|parameter)", r"could not resolve placeholder",
        r"(?:invalid|bad|illegal|malformed|unsupported) (?:\w+ )?(?:config\w*|setting|property|option|value (?:for|in|of))",
        r"unknown (?:property|parameter|option|field)", r"parameternotfound", r"config(?:uration)? (?:error|is invalid|invalid|validation)",
        r"(?:can ?not|cannot|could not|failed to|unable to) (?:parse|load|read|unmarshal) (?:the )?(?:config\w*|settings?)\b",
        r"(?:environment variable|env var) \S+ (?:is )?(?:not set|missing|required)", r"yaml: ", r"unsupported protocol scheme",
        r"(?-i:KeyError: '[A-Z][A-Z0-9_]{3,}')", r"unknown flag", r"invalid ur[il]\b", r"no scheme supplied", r"error creating bean",
        r"nosuchbucket", r"resourcenotfound", r"nonexistentqueue", r"queue does not exist", r"address already in use",
        r"no such file or directory.{0,60}(?:conf|ya?ml|json|env|properties)", r"is not (?:set|defined|configured)\b",
        r"must be (?:set|configured|provided)", r"invalid port", r"validation failed for.{0,40}config",
    ),
    _row(
        "data", F.DATA, Seen.BAD_DATA, "Compare schema and data of {resource} with what its callers expect",
        r"duplicate key", r"integrity constraint", r"no such (?:table|column)", r"unknown column", r"corrupt(?:ed|ion)",
        r"(?:relation|column) \S+ does not exist",
        r"violates (?:\S+ )?constraint", r"schema (?:mismatch|validation)", r"(?:deserializ|unmarshal|decod)\w* (?:error|fail)",
        r"jsondecodeerror",
        r"poison", r"data too long", r"out of range value", r"invalid input syntax", r"unexpected (?:token|end of|character)",
        r"malformed", r"deseriali[sz]", r"unicodedecode", r"checksum (?:mismatch|error|failed)", r"value too long",
        r"integer out of range", r"numeric (?:field|value).{0,20}(?:overflow|out of range)", r"unique constraint", r"foreign key",
        r"cannot be parsed", r"parse (?:error|exception)", r"invalid (?:json|xml|record|payload|message format)",
    ),
    _row(
        "host", F.INFRASTRUCTURE, Seen.NODE_LOST, "Check the health of the host or instance under {resource}",
        r"node ?(?:not ?ready|lost)", r"instance (?:status check|retire|terminat)", r"hardware", r"spot interruption",
        r"input/output error", r"i/o error, dev", r"ext4-fs error", r"kernel panic", r"spot instance interruption",
    ),
    _row(
        "code", F.CODE_DEFECT, Seen.CODE_ERROR, "Read the code of {resource} at the named place and its last change",
        r"null ?pointer", r"index ?(?:out ?of ?(?:bounds|range)|error)", r"classcast", r"illegalstate", r"illegalargument", r"typeerror",
        r"attributeerror",
        r"keyerror", r"valueerror", r"nosuchmethod", r"is not a function", r"cannot read propert", r"stack ?overflow", r"panic:",
        r"segmentation fault",
        r"assertion ?(?:error|failed)", r"nil pointer", r"arithmeticexception", r"zerodivision", r"division by zero", r"numberformat",
        r"referenceerror",
        r"concurrentmodification", r"nosuchelement", r"unhandled (?:exception|promise|rejection)", r"undefined method",
        r"datetimeexception",
        r"notimplemented", r"unboundlocal", r"nameerror", r"importerror", r"modulenotfound", r"classnotfound", r"noclassdef",
        r"unsupportedoperation", r"rangeerror", r"syntaxerror", r"recursionerror", r"maximum (?:recursion|call stack)", r"sigsegv",
        r"core dumped", r"nullreference", r"argument(?:null|outofrange)?exception", r"undefined is not", r"cannot find module",
        r"nomethoderror", r"invalidoperation", r"not iterable", r"uncaught",
    ),
    _row(
        "slow statement", F.RESOURCE_EXHAUSTION, Seen.SLOW_STATEMENTS,
        "Read the slow query log of {resource} and run EXPLAIN on its first statement",
        r"slow[_ ]query", r"query_time", r"duration: \d{4,}(?:\.\d+)? ms", r"statement timeout",
        r"query (?:execution )?(?:was interrupted|timed out)",
        r"maximum statement execution time", r"statement_timeout", r"long[- ]running query", r"full table scan", r"query took",
    ),
    _row(
        "network", F.NETWORK, Seen.CONNECTION_FAILED, "Check routes, security groups and listeners between {resource} and what it calls",
        r"connection (?:refused|reset|aborted|closed by)", r"no route to host", r"network (?:is )?unreachable", r"broken pipe",
        r"econn(?:reset|refused|aborted)", r"ehostunreach", r"connect(?:ion)?(?: attempt)? timed? ?out", r"connect timeout",
        r"connecttimeout",
        r"dial tcp.{0,80}timeout", r"etimedout", r"could not connect", r"can't connect", r"failed to connect", r"unable to connect",
        r"communications link failure", r"connection (?:to server )?(?:was |has been )?lost", r"server closed the connection",
        r"socket hang up", r"packet loss", r"port allocation", r"connection timed out", r"no response from server", r"tcp.{0,20}retransmi",
    ),
    _row(
        "time-out of a task", F.GENERAL, Seen.TIMED_OUT, "Compare the duration of {resource} with its time-out",
        r"task timed out after", r"function timed out", r"status: timeout", r"worker timeout", r"execution timed out",
    ),
    _row(
        "dependency", F.DEPENDENCY, Seen.DEPENDENCY_FAILED, "Check the services that {resource} calls",
        r"upstream", r"timed? ?out", r"deadline ?exceeded", r"service ?unavailable", r"bad ?gateway", r"gateway ?time", r"circuit ?breaker",
        r"retries exhausted", r"max retries", r"status[\"':= (code)]{0,12}50[234]\b", r"\b50[234] (?:server|bad|service|gateway)",
        r"(?:remote|third[- ]party|provider|downstream).{0,40}(?:fail|error|unavailable)", r"sockettimeout",
        r"(?:read|socket|response|request|gateway) ?time-?outs?\b", r"timeout(?:exception|error)", r"callnotpermitted",
        r"no healthy upstream", r"no available server", r"unavailable: ", r"econnaborted",
    ),
)  # fmt: skip


def signature_of(text: str) -> Signature | None:
    """The first signature whose words occur in the text's first 4,000 characters."""
    return next(iter(signatures_of(text)), None)


def signatures_of(text: str) -> tuple[Signature, ...]:
    """All of them, those that name a cause first."""
    return _known(text[:SCANNED])


@lru_cache(maxsize=2_048)
def _known(text: str) -> tuple[Signature, ...]:
    return tuple(s for s in SIGNATURES if s.words.search(text))
