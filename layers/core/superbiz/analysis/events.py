"""What platform events and change names say: a failure, a change that somebody made, a routine, or health.

Sources of the vocabulary: the event messages of Amazon RDS (event categories and messages), of Amazon ECS services (service event
messages), the event reasons of Kubernetes (kubelet, scheduler, controllers), and the API names that AWS CloudTrail records.
"""

from enum import StrEnum
from typing import NamedTuple

from superbiz.analysis.faults.vocabulary import Seen
from superbiz.analysis.patterns import Pattern
from superbiz.domain.claims import FaultCategory as F

SCANNED = 1_000  # characters of a message


class Nature(StrEnum):
    """What an event is, whenever it was."""

    FAILURE = "failure"
    CHANGE = "change"
    ROUTINE = "routine"
    HEALTH = "health"


class Kind(NamedTuple):
    """A row of the vocabulary. `sees` is what it shows at its resource. A `wide` change touches more than the resource it names."""

    name: str
    nature: Nature
    category: F
    sees: tuple[Seen, ...]
    words: Pattern
    wide: bool = False


def _row(name: str, nature: Nature, category: F, sees: tuple[Seen, ...] | Seen, *words: str, wide: bool = False) -> Kind:
    shown = (sees,) if isinstance(sees, Seen) else sees
    return Kind(name, nature, category, shown, Pattern(*words), wide)


FAILURE, CHANGE, ROUTINE, HEALTH = Nature.FAILURE, Nature.CHANGE, Nature.ROUTINE, Nature.HEALTH
# The first row whose words stand in "name: message" decides, so telling rows stand above common ones.
KINDS = (
    # what the platform says of failed attempts that were none
    _row("no failover needed", ROUTINE, F.NONE, (), r"not attempting a requested failover"),
    _row("consolidation", ROUTINE, F.NONE, (),
         r"underutili[sz]ed", r"consolidat", r"nodeclaim.{0,40}(?:empty|drifted|expired)", r"scaledown"),
    _row("failover", FAILURE, F.INFRASTRUCTURE, Seen.FAILOVER,
         r"fail(?:ed|ing)?[- ]?over", r"multi-az.{0,20}activation", r"promot(?:ed|ing|ion).{0,40}(?:standby|replica|primary|writer)",
         r"standby.{0,40}promot"),
    # containers, pods and tasks
    _row("out of memory", FAILURE, F.RESOURCE_EXHAUSTION, Seen.OUT_OF_MEMORY,
         r"oom[- ]?kill", r"systemoom", r"out[- ]?of[- ]?memory", r"exit(?:ed)?(?: with)?(?: code)?[: ]+137\b", r"memory cgroup"),
    _row("start settings", FAILURE, F.CONFIGURATION, (Seen.MISCONFIGURED, Seen.CRASH_LOOP),
         r"resourceinitializationerror", r"unable to (?:pull|retrieve|fetch) secrets?", r"createcontainerconfigerror", r"hostportconflict",
         r"(?:secret|configmap) \S+ not found", r"couldn't find key"),
    _row("image pull", FAILURE, F.DEPLOYMENT, Seen.IMAGE_PULL,
         r"errimage", r"imagepullbackoff", r"invalidimagename", r"cannotpullcontainer", r"back-?off pulling", r"manifest unknown",
         r"(?:failed|unable|cannot|could not|error) (?:to )?pull(?:ing)?\b", r"failed to resolve reference"),
    _row("mount failure", FAILURE, F.CONFIGURATION, Seen.MOUNT_FAILURE, r"failedmount", r"failedattachvolume",
         r"unable to attach or mount", r"failedmapvolume", r"provisioningfailed", r"failedbinding",
         r"unbound (?:immediate )?persistentvolumeclaim"),
    _row("unschedulable", FAILURE, F.RESOURCE_EXHAUSTION, Seen.UNSCHEDULABLE,
         r"failedscheduling", r"unable to place a task", r"insufficient (?:cpu|memory|pods|ephemeral)", r"no container instance met",
         r"failedplacement", r"capacity is unavailable", r"placement_failure", r"insufficientinstancecapacity",
         r"not have sufficient.{0,40}capacity", r"failed to assign an ip", r"not enough (?:free )?(?:ip )?addresses",
         r"max node group size"),
    _row("disk pressure", FAILURE, F.RESOURCE_EXHAUSTION, Seen.DISK_FULL,
         r"imagegcfailed", r"nodehasdiskpressure", r"(?<!no)diskpressure", r"freediskspacefailed", r"outofdisk",
         r"ephemeral[- ]storage.{0,80}(?:exceed|evict)",
         r"evict.{0,80}ephemeral[- ]storage"),
    _row("memory pressure", FAILURE, F.RESOURCE_EXHAUSTION, Seen.MEMORY_HIGH,
         r"nodehasinsufficientmemory", r"(?<!no)memorypressure", r"low on resource: memory"),
    _row("eviction", FAILURE, F.RESOURCE_EXHAUSTION, Seen.EVICTED, r"\bevict(?:ed|ing|ion)", r"low on resource", r"preempt(?:ed|ing)"),
    _row("node lost", FAILURE, F.INFRASTRUCTURE, Seen.NODE_LOST,
         r"nodenotready", r"node \S+ (?:status is now: )?not ?ready", r"nodelost", r"kubelet (?:has )?stopped", r"nodestatusunknown",
         r"status check.{0,20}fail", r"instance.{0,40}(?:retire|impaired)", r"spot.{0,20}interrupt", r"hardware (?:failure|degrad)",
         r"host.{0,20}(?:failure|failed|unreachable)", r"volume.{0,30}(?:lost|impaired)",
         r"instance.{0,30}(?:terminated unexpectedly|stopped unexpectedly|unreachable)", r"system ?check.{0,20}fail",
         r"node.{0,40}(?:unreachable|lost)"),
    _row("crash loop", FAILURE, F.GENERAL, Seen.CRASH_LOOP,
         r"crashloopbackoff", r"back-?off restarting", r"essential container.{0,30}exited", r"unable to consistently start",
         r"exit(?:ed)?(?: with)?(?: non-?zero)?(?: exit)? code[: ]+[1-9]", r"cannotstartcontainer", r"containercannotrun",
         r"createcontainer(?:config)?error", r"^backoff\b", r"backofflimitexceeded", r"failed to start container", r"runtime\.exiterror"),
    _row("probe failure", FAILURE, F.GENERAL, Seen.PROBE_FAILURE,
         r"(?:liveness|readiness|startup) probe", r"fail(?:ed|ing)? (?:\w+ ){0,3}health ?checks?", r"health ?checks? (?:\w+ ){0,2}fail",
         r"\bunhealthy\b", r"unhealthythreshold", r"health check.{0,30}(?:time|unhealthy|failing)"),
    _row("failed deployment", FAILURE, F.DEPLOYMENT, Seen.ROLLED_BACK,
         r"deployment.{0,40}(?:fail|circuit breaker)", r"progressdeadlineexceeded", r"deployment ?rollback",
         r"rolling back to (?:deployment|the last)", r"rolled back (?:automatically|due to|because)"),
    # databases and storage
    _row("storage full", FAILURE, F.RESOURCE_EXHAUSTION, Seen.DISK_FULL,
         r"storage[- ]?full", r"allocated storage.{0,60}(?:consumed|exhaust)", r"free storage capacity.{0,80}low", r"low (?:free )?storage",
         r"running low on (?:free )?(?:storage|space)", r"consumed more than \d+%", r"no space left", r"disk.{0,20}\bfull\b",
         r"unable to scale the storage", r"storage.{0,40}exhaust", r"out of (?:disk|storage)"),
    _row("burst credits", FAILURE, F.RESOURCE_EXHAUSTION, Seen.IO_CREDITS_LOW,
         r"burst balance.{0,40}(?:low|deplet|exhaust)", r"credit.{0,40}(?:low|deplet|exhaust)"),
    _row("replication", FAILURE, F.DATA, Seen.REPLICATION_ERROR,
         r"error.{0,40}replication", r"replication.{0,60}(?:error|terminated|stopped|broke|failed)", r"replica.{0,40}error",
         r"under-?replicated"),
    _row("replica lag", FAILURE, F.RESOURCE_EXHAUSTION, Seen.REPLICA_LAG,
         r"replica.{0,40}(?:\blag|(?:seconds?|is|are|was|falls?|fallen|falling|too far|running) behind)", r"\blag.{0,40}replica"),
    _row("restart", FAILURE, F.INFRASTRUCTURE, Seen.RESTARTED,
         r"db instance (?:has )?(?:been )?(?:restarted|shut ?down|stopped)", r"recovery of the \S+ ?(?:db )?instance has started",
         r"error has occurred while restarting", r"node rebooted", r"^rebooted\b", r"unexpected(?:ly)? (?:restart|reboot|terminat)",
         r"nodereplace", r"(?:node|instance|host)\b.{0,30}\breplac(?:ed|ement|ing)",
         r"recovery.{0,40}(?:has )?started", r"unplanned (?:restart|reboot)"),
    # credentials, names, limits, the provider
    _row("certificate", FAILURE, F.SECURITY, Seen.CERTIFICATE, r"certificate.{0,80}(?:expired|invalid|fail|not valid)"),
    _row("credentials", FAILURE, F.SECURITY, Seen.CREDENTIALS,
         r"(?:secret|credential|password|token|access ?key|api ?key|rotation).{0,60}(?:expired|invalid|deactivated|revoked|fail)",
         r"access ?denied",
         r"rotation.{0,20}fail", r"unauthori[sz]ed", r"key.{0,40}(?:disabled|pending deletion)"),
    _row("throttling", FAILURE, F.RESOURCE_EXHAUSTION, Seen.THROTTLED,
         r"throttl(?:ed|ing)\b", r"limit ?exceeded", r"quota.{0,30}(?:exceed|reached)", r"rate exceeded", r"reached the limit",
         r"exceeded.{0,40}quota", r"throughput exceeded"),
    _row("provider issue", FAILURE, F.INFRASTRUCTURE, Seen.PROVIDER_ISSUE,
         r"operational[_ ]issue", r"increased (?:\w+ ){0,3}(?:error rates|latenc)", r"service (?:disruption|event|degradation)",
         r"experiencing.{0,60}(?:issue|error|latenc|impair)", r"availability zone.{0,60}(?:power|connectivity|impair|issue)",
         r"service health"),
    _row("misconfigured", FAILURE, F.CONFIGURATION, Seen.MISCONFIGURED,
         r"incompatible[- ](?:configuration|parameters|network|option)", r"invalid (?:parameters|configuration)", r"failedcreate\b"),
    _row("access change", CHANGE, F.SECURITY, Seen.ACCESS_CHANGED,
         r"rotat\w*.{0,20}(?:secret|password|key|credential|succeeded)", r"(?:secret|password|key|credential)\w*.{0,20}rotat", r"putsecret",
         r"updatesecret", r"master (?:user )?password.{0,20}reset", r"resetpassword", wide=True),
    # jobs that run by a plan are routine, others are not
    _row("routine", ROUTINE, F.NONE, (),
         r"^(?:runtask|startjob|submitjob|startexecution|createjob).{0,200}(?:schedul|\bcron|\brate\(|nightly|every \d+)"),
    _row("job started", CHANGE, F.GENERAL, (),
         r"^(?:runtask|startjob|submitjob|startexecution|createjob|invokefunction|startquery|jobstarted)\b",
         r"created pod: (?!\S*-[bcdfghjklmnpqrstvwxz2456789]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b)",
         r"\bjob\b.{0,20}(?:started|created)",
         wide=True),
    # health, and what is done every day
    _row("health", HEALTH, F.NONE, (),
         r"steady state", r"^node(?:ready|has(?:sufficient|no)|schedulable)", r"recovery of.{0,30}(?:is )?complete", r"resumed replication",
         r"\bis healthy\b", r"became healthy", r"resolved"),
    _row("ordinary", ROUTINE, F.NONE, (),
         r"^(?:pulled|pulling|created|started|scheduled|successful(?:create|delete)|completed|leaderelection|registerednode|starting)\b",
         r"^killing: stopping container", r"^killing$", r"registered \d+ targets?", r"has (?:started|begun draining)"),
    _row("routine", ROUTINE, F.NONE, (),
         r"\bback(?:ing|ed)?[- ]?up", r"snapshot", r"\bautomated\b", r"\bscheduled\b", r"log rotation", r"vacuum", r"checkpoint",
         r"\brenewed\b",
         r"re-?index", r"\bcron", r"maintenance (?:completed|finished|window)", r"no action (?:is )?(?:needed|required)",
         r"health check passed",
         r"\bdescribe\w+", r"\blist\w+:", r"^(?:describe|list|get|head)[A-Z]\w+"),
    # what somebody changed
    _row("network change", CHANGE, F.NETWORK, Seen.NETWORK_CHANGED,
         r"securitygroup", r"security[- ]group", r"networkacl", r"network acl", r"networkpolic", r"network polic",
         r"\b(?:create|delete|replace)route",
         r"route ?table", r"peering", r"nat ?gateway", r"firewall", r"changeresourcerecordsets", r"hosted ?zone", r"dns record", r"coredns",
         r"subnet", r"vpc ?endpoint", r"natgateway", r"networkinterface", r"transitgateway", r"vpn", r"disassociateroute", wide=True),
    _row("access change", CHANGE, F.SECURITY, Seen.ACCESS_CHANGED,
         r"secret", r"password", r"credential", r"(?:put|attach|detach|delete|update)(?:role|user|group|bucket|key)?policy",
         r"assumerolepolicy", r"access ?key", r"\biam\b", r"disablekey", r"\bkms\b", r"certificate", wide=True),
    _row("removal", CHANGE, F.CONFIGURATION, Seen.REMOVED,
         r"^(?:stop|delete|terminate|disable)(?:db)?(?:instances?|clusters?|table|queue|function|service|loadbalancer|targetgroup|stream|topic|"
         r"bucket|rule|eventsourcemapping|listener|cachecluster|replicationgroup|deployment|statefulset)\b"),
    _row("scaling", CHANGE, F.CONFIGURATION, Seen.SCALED,
         r"desired ?(?:count|capacity|size)", r"autoscal", r"successfulrescale", r"scalingreplicaset: scaled (?:up|down)",
         r"\bscal(?:e|ed|ing)\b",
         r"replica count", r"setdesiredcapacity", r"updatenodegroup", r"updateservice: desired",
         r"(?:min|max)(?:imum)? ?(?:size|capacity|replicas)", r"replicas", r"stopinstances", r"deregister"),
    _row("settings", CHANGE, F.CONFIGURATION, Seen.CONFIGURED,
         r"updatefunctionconfiguration", r"functionconcurrency", r"updatetimetolive", r"updatetable", r"(?:put|delete)parameter",
         r"modifydb", r"parameter ?group", r"configmap", r"feature[- ]?flag", r"\bflags?\b", r"toggle", r"updateeventsourcemapping",
         r"putscalingpolicy", r"registerscalabletarget", r"usageplan", r"cachepolicy", r"modifycache", r"optiongroup", wide=True),
    _row("workload settings", CHANGE, F.CONFIGURATION, Seen.CONFIGURED,
         r"(?:liveness|readiness|startup)probe", r"initialdelay", r"image unchanged", r"(?:memory|cpu) (?:limit|request)s?\b",
         r"resources\.(?:limits|requests)", r"config(?:uration)?: "),
    _row("deployment", CHANGE, F.DEPLOYMENT, Seen.DEPLOYED,
         r"deploy", r"roll(?:ed|ing)?[- ]?back", r"roll(?:ed|ing)?[- ]?out", r"release", r"updatefunctioncode", r"updateservice",
         r"publishversion", r"updatealias",
         r"new revision", r"task ?definition", r"\bimage\b", r"replica ?set", r"\bversion\b", r"helm", r"canary"),
    _row("maintenance", CHANGE, F.INFRASTRUCTURE, Seen.MAINTENANCE, r"maintenance", r"patch", r"upgrade", r"reboot", r"migrat"),
    _row("restart by hand", CHANGE, F.GENERAL, Seen.RESTARTED, r"restart", r"stoptask", r"terminateinstance", r"deletepod", r"recycled"),
    _row("configuration", CHANGE, F.CONFIGURATION, Seen.CONFIGURED,
         r"config", r"parameter", r"setting", r"modify", r"polic", r"^(?:put|update|set|modify|create|delete|attach|detach)[A-Z]?",
         r"changed",
         r"environment variable", r"timeout", r"limit", wide=True),
    _row("failure", FAILURE, F.GENERAL, (), r"fail", r"error", r"crash", r"exhaust", r"\blost\b", r"terminated", r"unavailable",
         r"\bkilled\b"),
)  # fmt: skip
OTHER = Kind("change", CHANGE, F.GENERAL, (), Pattern(""), wide=True)


def kind_of(name: str, message: str) -> Kind:
    """The first row whose words stand in the name or in the message's beginning."""
    text = f"{name}: {message}" if message else name
    return next((k for k in KINDS if k.words.search(text, 0, SCANNED)), OTHER)
