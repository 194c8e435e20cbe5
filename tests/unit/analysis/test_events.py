"""Platform events by their words: what AWS and Kubernetes say, and what people change."""

import pytest

from superbiz.analysis import events
from superbiz.analysis.events import Nature
from superbiz.domain.claims import FaultCategory as F

EVENTS = (
    ("SuccessfulCreate", "Created pod: migrate-0412-7kxvb", "job started", Nature.CHANGE, F.GENERAL),
    ("RunTask", "ecs RunTask: task definition archiver:12, overrides: archive", "job started", Nature.CHANGE, F.GENERAL),
    ("UpdateService", "EMERGENCY rollback orders 9.2.0 -> 9.1.8", "deployment", Nature.CHANGE, F.DEPLOYMENT),
    ("OOMKilling", "Memory cgroup out of memory: Killed process 1 (java)", "out of memory", Nature.FAILURE, F.RESOURCE_EXHAUSTION),
    ("SystemOOM", "System OOM encountered, victim process: java", "out of memory", Nature.FAILURE, F.RESOURCE_EXHAUSTION),
    (
        "ECS Task State Change",
        "Task stopped: OutOfMemoryError: Container killed due to memory usage",
        "out of memory",
        Nature.FAILURE,
        F.RESOURCE_EXHAUSTION,
    ),
    ("Failed", 'Failed to pull image "app:1": rpc error: code = NotFound', "image pull", Nature.FAILURE, F.DEPLOYMENT),
    ("BackOff", 'Back-off pulling image "app:1"', "image pull", Nature.FAILURE, F.DEPLOYMENT),
    ("Failed", "Error: ErrImagePull", "image pull", Nature.FAILURE, F.DEPLOYMENT),
    ("Failed", "Error: ImagePullBackOff", "image pull", Nature.FAILURE, F.DEPLOYMENT),
    (
        "ECS Task State Change",
        "CannotPullContainerError: pull image manifest has been retried 5 time(s)",
        "image pull",
        Nature.FAILURE,
        F.DEPLOYMENT,
    ),
    ("BackOff", "Back-off restarting failed container app in pod app-1", "crash loop", Nature.FAILURE, F.GENERAL),
    (
        "SERVICE_TASK_START_IMPAIRED",
        "(service app) is unable to consistently start tasks successfully.",
        "crash loop",
        Nature.FAILURE,
        F.GENERAL,
    ),
    ("ECS Task State Change", "Essential container in task exited", "crash loop", Nature.FAILURE, F.GENERAL),
    ("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503", "probe failure", Nature.FAILURE, F.GENERAL),
    ("Killing", "Container app failed liveness probe, will be restarted", "probe failure", Nature.FAILURE, F.GENERAL),
    ("ECS", "(service app) (task 123) failed ELB health checks in (target-group tg)", "probe failure", Nature.FAILURE, F.GENERAL),
    (
        "ECS",
        "service app (port 8080) is unhealthy in target-group tg due to (reason Health checks failed with these codes: [500])",
        "probe failure",
        Nature.FAILURE,
        F.GENERAL,
    ),
    ("Killing", "Stopping container app", "ordinary", Nature.ROUTINE, F.NONE),
    ("Pulled", 'Container image "app:1" already present on machine', "ordinary", Nature.ROUTINE, F.NONE),
    ("Started", "Started container app", "ordinary", Nature.ROUTINE, F.NONE),
    ("Scheduled", "Successfully assigned shop/app-1 to node-1", "ordinary", Nature.ROUTINE, F.NONE),
    ("SuccessfulCreate", "Created pod: app-7d9f4c8b6d-x2x4q", "ordinary", Nature.ROUTINE, F.NONE),
    ("SERVICE_STEADY_STATE", "(service app) has reached a steady state.", "health", Nature.HEALTH, F.NONE),
    ("NodeReady", "Node ip-10-0-0-1 status is now: NodeReady", "health", Nature.HEALTH, F.NONE),
    ("NodeHasSufficientMemory", "Node ip-10-0-0-1 status is now: NodeHasSufficientMemory", "health", Nature.HEALTH, F.NONE),
    ("NodeHasNoDiskPressure", "Node ip-10-0-0-1 status is now: NodeHasNoDiskPressure", "health", Nature.HEALTH, F.NONE),
    ("FailedScheduling", "0/5 nodes are available: 5 Insufficient memory.", "unschedulable", Nature.FAILURE, F.RESOURCE_EXHAUSTION),
    (
        "ECS",
        "service app was unable to place a task because no container instance met all of its requirements.",
        "unschedulable",
        Nature.FAILURE,
        F.RESOURCE_EXHAUSTION,
    ),
    (
        "AutoScaling",
        "Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not have sufficient m5.large capacity",
        "unschedulable",
        Nature.FAILURE,
        F.RESOURCE_EXHAUSTION,
    ),
    ("NodeNotReady", "Node ip-10-0-0-1 status is now: NodeNotReady", "node lost", Nature.FAILURE, F.INFRASTRUCTURE),
    ("EC2 Instance State-change", "i-0abc instance status check failed", "node lost", Nature.FAILURE, F.INFRASTRUCTURE),
    (
        "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
        "EC2 has detected degradation of the underlying hardware hosting your instance",
        "node lost",
        Nature.FAILURE,
        F.INFRASTRUCTURE,
    ),
    ("NodeHasDiskPressure", "Node ip-10-0-0-1 status is now: NodeHasDiskPressure", "disk pressure", Nature.FAILURE, F.RESOURCE_EXHAUSTION),
    ("Evicted", "The node was low on resource: memory.", "memory pressure", Nature.FAILURE, F.RESOURCE_EXHAUSTION),
    ("Evicted", "Evicted pod: Underutilized", "consolidation", Nature.ROUTINE, F.NONE),
    ("FailedAttachVolume", 'Multi-Attach error for volume "pvc-1"', "mount failure", Nature.FAILURE, F.CONFIGURATION),
    ("RDS-EVENT-0013", "Multi-AZ instance failover started.", "failover", Nature.FAILURE, F.INFRASTRUCTURE),
    ("RDS-EVENT-0049", "Multi-AZ failover completed", "failover", Nature.FAILURE, F.INFRASTRUCTURE),
    ("FailoverDBCluster", "aurora failover to orders-2 requested", "failover", Nature.FAILURE, F.INFRASTRUCTURE),
    ("RDS", "Started cross AZ failover to DB instance: orders-2", "failover", Nature.FAILURE, F.INFRASTRUCTURE),
    (
        "RDS-EVENT-0034",
        "Abandoning user requested failover since a failover recently occurred: not attempting a requested failover",
        "no failover needed",
        Nature.ROUTINE,
        F.NONE,
    ),
    (
        "RDS-EVENT-0007",
        "The allocated storage for the DB instance has been exhausted",
        "storage full",
        Nature.FAILURE,
        F.RESOURCE_EXHAUSTION,
    ),
    (
        "RDS-EVENT-0089",
        "The DB instance has consumed more than 90% of its allocated storage",
        "storage full",
        Nature.FAILURE,
        F.RESOURCE_EXHAUSTION,
    ),
    (
        "RDS-EVENT-0222",
        "Free storage capacity for DB instance orders is low at 5% of the allocated storage",
        "storage full",
        Nature.FAILURE,
        F.RESOURCE_EXHAUSTION,
    ),
    (
        "RDS-EVENT-0221",
        "The DB instance has reached the storage-full threshold, and the database has been shut down",
        "storage full",
        Nature.FAILURE,
        F.RESOURCE_EXHAUSTION,
    ),
    ("RDS-EVENT-0006", "DB instance restarted", "restart", Nature.FAILURE, F.INFRASTRUCTURE),
    ("RDS-EVENT-0020", "Recovery of the DB instance has started. Recovery time will vary", "restart", Nature.FAILURE, F.INFRASTRUCTURE),
    ("RDS-EVENT-0021", "Recovery of the DB instance is complete", "health", Nature.HEALTH, F.NONE),
    ("RDS-EVENT-0001", "Backing up DB instance", "routine", Nature.ROUTINE, F.NONE),
    ("RDS-EVENT-0002", "Finished DB Instance backup", "routine", Nature.ROUTINE, F.NONE),
    ("RDS-EVENT-0091", "An automated DB snapshot has been created", "routine", Nature.ROUTINE, F.NONE),
    ("RDS-EVENT-0045", "An error has occurred in the read replication process", "replication", Nature.FAILURE, F.DATA),
    ("ReplicaLagHigh", "The replica is 900 seconds behind its primary", "replica lag", Nature.FAILURE, F.RESOURCE_EXHAUSTION),
    ("RDS-EVENT-0046", "The read replica has resumed replication", "health", Nature.HEALTH, F.NONE),
    (
        "RDS-EVENT-0189",
        "The gp2 burst balance credits for the RDS database instance are low",
        "burst credits",
        Nature.FAILURE,
        F.RESOURCE_EXHAUSTION,
    ),
    ("RDS-EVENT-0092", "Finished updating DB parameter group", "settings", Nature.CHANGE, F.CONFIGURATION),
    ("ModifyDBInstance", "rds ModifyDBInstance: dBInstanceClass db.r6g.large", "settings", Nature.CHANGE, F.CONFIGURATION),
    ("RDS-EVENT-0016", "The master user password for the DB instance has been reset", "access change", Nature.CHANGE, F.SECURITY),
    ("RDS-EVENT-0026", "Offline maintenance of the DB instance is taking place", "maintenance", Nature.CHANGE, F.INFRASTRUCTURE),
    ("SERVICE_DEPLOYMENT_FAILED", "ECS deployment circuit breaker: deployment failed", "failed deployment", Nature.FAILURE, F.DEPLOYMENT),
    ("DeploymentRollback", "(service app) rolling back to deployment ecs-svc/123", "failed deployment", Nature.FAILURE, F.DEPLOYMENT),
    ("UpdateService", "ecs UpdateService: task definition app:17", "deployment", Nature.CHANGE, F.DEPLOYMENT),
    ("UpdateFunctionCode20150331v2", "lambda UpdateFunctionCode app", "deployment", Nature.CHANGE, F.DEPLOYMENT),
    ("DeploymentCompleted", "app 1.2.3 rolled out", "deployment", Nature.CHANGE, F.DEPLOYMENT),
    ("HelmUpgrade", "helm upgrade app: revision 12", "deployment", Nature.CHANGE, F.DEPLOYMENT),
    ("UpdateFunctionConfiguration20150331v2", "timeout 30 -> 3", "settings", Nature.CHANGE, F.CONFIGURATION),
    ("PutFunctionConcurrency", "ReservedConcurrentExecutions=5", "settings", Nature.CHANGE, F.CONFIGURATION),
    ("PutParameter", "ssm PutParameter /app/url overwrite=true", "settings", Nature.CHANGE, F.CONFIGURATION),
    ("ConfigMapUpdated", 'configmaps "app" configured', "settings", Nature.CHANGE, F.CONFIGURATION),
    ("FeatureFlagToggled", "flag new-checkout switched on", "settings", Nature.CHANGE, F.CONFIGURATION),
    ("UpdateAutoScalingGroup", "maxSize 10 -> 2", "scaling", Nature.CHANGE, F.CONFIGURATION),
    ("UpdateTable", "dynamodb UpdateTable: writeCapacityUnits 100", "settings", Nature.CHANGE, F.CONFIGURATION),
    ("RevokeSecurityGroupIngress", "ec2 RevokeSecurityGroupIngress: sg-1 tcp 5432", "network change", Nature.CHANGE, F.NETWORK),
    ("AuthorizeSecurityGroupIngress", "sg-1 tcp 22", "network change", Nature.CHANGE, F.NETWORK),
    ("DeleteNetworkAclEntry", "acl-1 rule 100", "network change", Nature.CHANGE, F.NETWORK),
    ("ReplaceRoute", "rtb-1 0.0.0.0/0", "network change", Nature.CHANGE, F.NETWORK),
    ("NetworkPolicyCreated", "networkpolicy deny-all created in shop", "network change", Nature.CHANGE, F.NETWORK),
    ("ChangeResourceRecordSets", "route53 UPSERT api.example.com", "network change", Nature.CHANGE, F.NETWORK),
    ("RotateSecret", "secretsmanager RotateSecret (scheduled)", "access change", Nature.CHANGE, F.SECURITY),
    ("PutSecretValue", "secret app/db new version", "access change", Nature.CHANGE, F.SECURITY),
    ("DetachRolePolicy", "iam DetachRolePolicy app-role AmazonS3ReadOnly", "access change", Nature.CHANGE, F.SECURITY),
    ("PutBucketPolicy", "s3 PutBucketPolicy app-bucket", "access change", Nature.CHANGE, F.SECURITY),
    ("ScheduleKeyDeletion", "kms key abc", "access change", Nature.CHANGE, F.SECURITY),
    ("CertificateExpired", "Certificate for api.example.com has expired", "certificate", Nature.FAILURE, F.SECURITY),
    ("ACM_RENEWAL_FAILURE", "certificate renewal failed for api.example.com", "certificate", Nature.FAILURE, F.SECURITY),
    (
        "AWS_DYNAMODB_OPERATIONAL_ISSUE",
        "We are investigating increased error rates in the EU-WEST-1 Region",
        "provider issue",
        Nature.FAILURE,
        F.INFRASTRUCTURE,
    ),
    ("AWS_LAMBDA_OPERATIONAL_ISSUE", "Increased invocation latencies", "provider issue", Nature.FAILURE, F.INFRASTRUCTURE),
    ("ECS", "(service app) operations are being throttled. Will try again later.", "throttling", Nature.FAILURE, F.RESOURCE_EXHAUSTION),
    ("RunTask", "ecs RunTask by schedule rule nightly (cron 0 1 * * ? *)", "routine", Nature.ROUTINE, F.NONE),
    ("LogRotation", "log rotation completed", "routine", Nature.ROUTINE, F.NONE),
    ("RDS-EVENT-0035", "The DB instance has invalid parameters", "misconfigured", Nature.FAILURE, F.CONFIGURATION),
    (
        "ECS Task State Change",
        "ResourceInitializationError: unable to pull secrets or registry auth",
        "start settings",
        Nature.FAILURE,
        F.CONFIGURATION,
    ),
    ("Failed", 'Error: secret "app-db" not found', "start settings", Nature.FAILURE, F.CONFIGURATION),
    (
        "Failed",
        "CreateContainerConfigError: couldn't find key URL in ConfigMap shop/app",
        "start settings",
        Nature.FAILURE,
        F.CONFIGURATION,
    ),
)


@pytest.mark.parametrize(("name", "message", "kind", "nature", "category"), EVENTS)
def test_an_event_is_known_by_its_words(name: str, message: str, kind: str, nature: Nature, category: F) -> None:
    found = events.kind_of(name, message)
    assert (found.name, found.nature, found.category) == (kind, nature, category)


def test_what_nobody_knows_is_a_change_of_no_kind() -> None:
    found = events.kind_of("Frobnicated", "")
    assert (found.name, found.nature, found.sees) == ("change", Nature.CHANGE, ())


def test_changes_of_networks_and_access_touch_more_than_they_name() -> None:
    assert events.kind_of("RevokeSecurityGroupIngress", "").wide
    assert events.kind_of("RotateSecret", "").wide
    assert not events.kind_of("UpdateFunctionCode", "").wide


def test_every_kind_has_one_name_and_nature() -> None:
    natures = {(k.name, k.nature) for k in events.KINDS}
    assert len({name for name, _ in natures}) == len(natures)
