"""Faults of load and limits, of the ways between services, and of what people changed."""

from superbiz.analysis.faults.names import BESIDE, FELT, Name
from superbiz.analysis.faults.vocabulary import Fault, Seen, seen
from superbiz.domain.claims import FaultCategory as F

S = Seen
_TROUBLE = seen(S.ERRORS_UP, S.SLOWER, S.OWN_EXCESS, S.CODE_ERROR, S.TIMED_OUT, S.PROBE_FAILURE, S.DEPENDENCY_FAILED, S.CONNECTION_FAILED,
                S.CAPACITY_LOST, S.BAD_DATA, S.MISCONFIGURED)  # fmt: skip
# What becomes of a database whose cache no longer answers for it.
_ASKED = frozenset({Name.CPU, Name.IO, Name.STATEMENT, Name.SLOW_STATEMENTS, Name.CONNECTION_LIMIT, Name.BURST_CREDITS, Name.FELT})
_UNREACHED = seen(S.CONNECTION_FAILED, S.NETWORK_LOSS, S.TIMED_OUT, S.NAME_RESOLUTION, S.POOL_EXHAUSTED)

TRAFFIC = (
    Fault(
        Name.THROTTLING, F.RESOURCE_EXHAUSTION,
        (seen(S.THROTTLED),),
        ("Compare the request rate of {resource} with its quota, provisioned capacity or reserved concurrency in the Service Quotas and "
         "CloudWatch consoles",
         "Raise the limit of {resource}, or slow its callers down with back-off and jitter"),
        heard=seen(S.THROTTLED), helps=seen(S.CONCURRENCY_HIGH, S.TRAFFIC_UP, S.WRITES_UP, S.READS_UP, S.CONFIGURED),
        explains=BESIDE | {Name.SURGE, Name.BACKLOG, Name.CODE}, spreads=FELT,
    ),
    Fault(
        Name.SURGE, F.RESOURCE_EXHAUSTION,
        (seen(S.AT_THE_EDGE), seen(S.TRAFFIC_UP), seen(S.CPU_HIGH, S.CPU_THROTTLED, S.MEMORY_HIGH, S.SLOWER, S.ERRORS_UP,
                                                       S.CONCURRENCY_HIGH, S.QUEUE_DEEP,
                                  S.POOL_EXHAUSTED, S.UNSCHEDULABLE, S.OWN_EXCESS)),
        ("Read who sends the requests to {resource}: its access log by client and path, and the WAF or load balancer console",
         "Scale {resource} out, or limit the rate of the clients that grew"),
        helps=seen(S.SCALED), explains=frozenset({Name.CPU, Name.MEMORY, Name.TIME_OUT, Name.BLAMED, Name.PROBE}), spreads=FELT,
        floods=frozenset({Name.SURGE, Name.CPU, Name.MEMORY, Name.IO, Name.BACKLOG, Name.CONNECTION_POOL, Name.TIME_OUT, Name.FELT}),
        trust=0.8,
    ),
    Fault(
        Name.BACKLOG, F.RESOURCE_EXHAUSTION,
        (seen(S.QUEUE_DEEP, S.DEAD_LETTERS),),
        ("Compare what is sent to {resource} with what is deleted from it, and read the errors, throttles and concurrency of its consumer",
         "Read the dead-letter queue of {resource} in the SQS console for what can not be processed"),
        helps=seen(S.SENT_MORE, S.TAKEN_LESS, S.DEAD_LETTERS), explains=frozenset({Name.BLAMED}), trust=0.7,
    ),
    Fault(
        Name.COLD_START, F.RESOURCE_EXHAUSTION,
        (seen(S.COLD_START),),
        ("Compare Init Duration of {resource} by version in Logs Insights (REPORT lines), and give it provisioned concurrency",),
        helps=seen(S.TRAFFIC_UP, S.DEPLOYED, S.CONCURRENCY_HIGH), explains=frozenset({Name.TIME_OUT, Name.BLAMED}), spreads=FELT, trust=0.7,
    ),
    Fault(
        Name.TIME_OUT, F.GENERAL,
        (seen(S.TIMED_OUT),),
        ("Compare the duration of {resource} with its time-out, and open its slowest traces in the X-Ray console for what it waits for",),
        helps=seen(S.SLOWER), explains=frozenset({Name.BLAMED}), trust=0.6,
    ),
    Fault(
        Name.CACHE_EVICTION, F.RESOURCE_EXHAUSTION,
        (seen(S.CACHE_EVICTS),),
        ("Compare BytesUsedForCache and Evictions of {resource} with its node's memory in the ElastiCache console, and look for keys "
         "without an expiry",),
        helps=seen(S.CACHE_MISSES, S.MEMORY_HIGH), explains=frozenset({Name.CACHE_MISSES, Name.BLAMED}), spreads=FELT, passes=_ASKED,
        trust=0.8,
    ),
    Fault(
        Name.CACHE_EMPTIED, F.INFRASTRUCTURE,
        (seen(S.CACHE_MISSES), seen(S.RESTARTED, S.FAILOVER, S.MAINTENANCE, S.NODE_LOST)),
        ("Compare CacheHits and CacheMisses of {resource} over its restart: aws elasticache describe-events --source-identifier {resource}",
         "Warm {resource} up, or limit what its callers ask of the database until it is warm"),
        explains=BESIDE | {Name.CACHE_MISSES, Name.CACHE_EVICTION, Name.MAINTENANCE, Name.FAILOVER, Name.NODE_LOST},
        spreads=FELT, passes=_ASKED,
    ),
    Fault(
        Name.CACHE_MISSES, F.RESOURCE_EXHAUSTION,
        (seen(S.CACHE_MISSES),),
        ("Compare CacheHits and CacheMisses of {resource} over the onset in the ElastiCache console; look for a flush, a "
         "restart or changed keys",),
        spreads=FELT, explains=frozenset({Name.BLAMED}), passes=_ASKED, trust=0.6,
    ),
    Fault(
        Name.NAME_SERVER, F.NETWORK,
        (seen(S.SERVES_NAMES), seen(S.PROBE_FAILURE, S.NAME_RESOLUTION, S.ERRORS_UP, S.TIMED_OUT, S.CONNECTION_FAILED, S.CRASH_LOOP,
                                    S.RESTARTED, S.DEPENDENCY_FAILED, S.CPU_HIGH, S.OUT_OF_MEMORY)),
        ("Resolve a name through {resource} by hand: kubectl run -it --rm dig --image=busybox -- nslookup kubernetes.default",
         "Read the log of {resource} and check that it reaches its upstream resolver"),
        nearby=(seen(S.NAME_RESOLUTION, S.CONNECTION_FAILED, S.ERRORS_UP, S.DEPENDENCY_FAILED, S.TIMED_OUT),),
        explains=BESIDE | {Name.NAME_RESOLUTION}, scatters=FELT | {Name.NAME_RESOLUTION},
    ),
    Fault(
        Name.NAME_RESOLUTION, F.NETWORK,
        (seen(S.NAME_RESOLUTION),),
        ("Resolve the names that {resource} calls by hand from where it runs (dig, nslookup), and read Route 53 and CoreDNS for changes",),
        helps=seen(S.NETWORK_CHANGED), explains=BESIDE, spreads=FELT,
    ),
    Fault(
        Name.CERTIFICATE, F.SECURITY,
        (seen(S.CERTIFICATE),),
        ("Read the certificate that {resource} presents: openssl s_client -connect {resource}:443 -servername {resource} | openssl x509 "
         "-noout -dates -issuer",
         "Renew the certificate in AWS Certificate Manager or where it is issued, and reload {resource}"),
        helps=seen(S.BLAMED), explains=BESIDE | {Name.CREDENTIALS}, spreads=FELT | {Name.CERTIFICATE},
    ),
    Fault(
        Name.ACCESS_CHANGE, F.SECURITY,
        (seen(S.ACCESS_CHANGED),),
        ("Compare the secret or policy {resource} with what its users hold: aws secretsmanager describe-secret --secret-id {resource}, or "
         "its history in CloudTrail",
         "Reload the users of {resource} so that they read the current version"),
        nearby=(seen(S.CREDENTIALS),), explains=frozenset({Name.BLAMED}), spreads=FELT, scatters=frozenset({Name.CREDENTIALS}),
    ),
    Fault(
        Name.CREDENTIALS, F.SECURITY,
        (seen(S.CREDENTIALS),),
        ("Check the role, secret and key that {resource} uses: aws sts get-caller-identity from where it runs, and the AccessDenied events "
         "in CloudTrail",),
        helps=seen(S.ACCESS_CHANGED), explains=BESIDE, spreads=FELT,
    ),
    Fault(
        Name.NETWORK_CHANGE, F.CONFIGURATION,
        (seen(S.NETWORK_CHANGED),),
        ("Compare the rules of {resource} with those before the change in CloudTrail; for a security group: aws ec2 "
         "describe-security-group-rules --filters Name=group-id,Values={resource}",
         "Restore the rule that was removed, once its owner agrees"),
        nearby=(_UNREACHED,), explains=BESIDE | {Name.NAME_RESOLUTION}, scatters=FELT | {Name.NAME_RESOLUTION},
    ),
    Fault(
        Name.NETWORK, F.NETWORK,
        (seen(S.CONNECTION_FAILED, S.NETWORK_LOSS),),
        ("Check security groups, routes and listeners between {resource} and what it calls with the VPC Reachability Analyzer",),
        helps=seen(S.NETWORK_CHANGED, S.TIMED_OUT), explains=frozenset({Name.TIME_OUT, Name.BLAMED, Name.DEPENDENCY}), spreads=FELT,
        trust=0.7,
    ),
    Fault(
        Name.DEPLOY, F.DEPLOYMENT,
        (seen(S.DEPLOYED), _TROUBLE | {S.CPU_HIGH, S.MEMORY_HIGH}),
        ("Compare the errors of {resource} by version, and roll it back: aws ecs update-service with the last task definition, aws lambda "
         "update-alias, or kubectl rollout undo deploy/{resource}",
         "Read what {resource} changed between the two versions"),
        helps=seen(S.ROLLED_BACK, S.CODE_ERROR), spreads=FELT,
        explains=BESIDE | {Name.CODE, Name.CPU, Name.MEMORY, Name.DATA, Name.CRASH_LOOP, Name.MISCONFIGURED},
    ),
    Fault(
        Name.CONFIGURATION, F.CONFIGURATION,
        (seen(S.CONFIGURED), _TROUBLE | {S.CPU_HIGH, S.THROTTLED}),
        ("Compare the changed setting of {resource} with its last value, in CloudTrail or aws ssm get-parameter-history, and restore it",),
        helps=seen(S.MISCONFIGURED), spreads=FELT, explains=BESIDE | {Name.CODE, Name.MISCONFIGURED, Name.DATA, Name.NAME_RESOLUTION,
            Name.THROTTLING},
    ),
    Fault(
        Name.MISCONFIGURED, F.CONFIGURATION,
        (seen(S.MISCONFIGURED),),
        ("Compare the configuration of {resource} with the last one that worked, key by key: kubectl rollout history, aws ssm "
         "get-parameter-history, or the last task definition in the ECS console",),
        helps=seen(S.CONFIGURED, S.DEPLOYED), explains=BESIDE, spreads=FELT, trust=0.9,
    ),
    Fault(
        Name.CODE, F.CODE_DEFECT,
        (seen(S.CODE_ERROR),),
        ("Read the code of {resource} at the place that its stack trace names, and its last change",),
        helps=seen(S.OWN_EXCESS), explains=BESIDE, spreads=FELT, trust=0.9,
    ),
    Fault(
        Name.DATA, F.DATA,
        (seen(S.BAD_DATA),),
        ("Find the first record that failed in the log of {resource} (CloudWatch Logs Insights), and compare its shape with what the code "
         "and the schema expect",),
        helps=seen(S.DEAD_LETTERS), explains=BESIDE, spreads=FELT, trust=0.9,
    ),
    Fault(
        Name.SCALED_AWAY, F.CONFIGURATION,
        (seen(S.SCALED), seen(S.CAPACITY_LOST, S.TAKEN_LESS, S.TRAFFIC_GONE)),
        ("Compare desired and running count of {resource}: aws ecs describe-services --services {resource}; kubectl get deploy {resource}",
         "Set the count of {resource} back to what it was before"),
        explains=BESIDE | {Name.BACKLOG, Name.CPU, Name.CONFIGURATION}, spreads=FELT,
    ),
    Fault(
        Name.REMOVED, F.CONFIGURATION,
        (seen(S.REMOVED),),
        ("Read who removed or stopped {resource}: aws cloudtrail lookup-events --lookup-attributes "
         "AttributeKey=ResourceName,AttributeValue={resource}",
         "Start or restore {resource}, once the one who stopped it agrees"),
        nearby=(_UNREACHED | {S.DEPENDENCY_FAILED, S.BLAMED, S.ERRORS_UP, S.MISCONFIGURED},),
        explains=BESIDE | {Name.RESTARTS}, spreads=FELT | {Name.MISCONFIGURED},
    ),
    Fault(
        Name.FELT, F.GENERAL,
        (seen(S.ERRORS_UP, S.SLOWER, S.OWN_EXCESS),),
        ("Open the slowest and failing traces of {resource} in the X-Ray console and read where its own time or errors arise",),
        trust=0.2,
    ),
    Fault(
        Name.BLAMED, F.DEPENDENCY,
        (seen(S.BLAMED),),
        ("Call {resource} by hand from where its callers run, and read its status page or log",
         "Turn on the callers' fallback for {resource} (circuit breaker, cached answer) until it answers again"),
        helps=seen(S.SLOWER, S.ERRORS_UP), spreads=FELT, trust=0.9,
    ),
    Fault(
        Name.DEPENDENCY, F.DEPENDENCY,
        (seen(S.DEPENDENCY_FAILED),),
        ("Open the failing traces of {resource} in the X-Ray console and name the call that fails",),
        helps=seen(S.TIMED_OUT), explains=frozenset({Name.TIME_OUT}), trust=0.5,
    ),
)  # fmt: skip
